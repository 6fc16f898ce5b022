"""MuJoCo's equality constraints as closed loops and coupled joints of a spec, and their rows as MuJoCo computes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb

import mujoco
import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.importing.poses import vector3
from leapcheck_models.spec import Coupling, Loop, LoopType, Vector3
from leapcheck_models.xml_text import free_name

LOOPS = {mujoco.mjtEq.mjEQ_CONNECT: LoopType.CONNECT, mujoco.mjtEq.mjEQ_WELD: LoopType.WELD}
COUPLING = int(mujoco.mjtEq.mjEQ_JOINT)


def equality_names(m: mujoco.MjModel) -> dict[str, int]:
    """Numbers of the equality constraints that a spec can hold, by their names there; those switched off are left out."""
    names: dict[str, int] = {}
    for i in range(m.neq):
        if m.eq_active0[i] and (int(m.eq_type[i]) == COUPLING or mujoco.mjtEq(int(m.eq_type[i])) in LOOPS):
            names[free_name(m.equality(i).name or f"equality_{i}", set(names))] = i
    return names


def loops(m: mujoco.MjModel, bodies: Sequence[str], origins: Mapping[str, Vector3]) -> Iterator[Loop]:
    """The closed loops; `bodies` are the links' names by MuJoCo's numbers, `origins` where their frames stand in MuJoCo's."""
    for name, i in equality_names(m).items():
        if int(m.eq_type[i]) == COUPLING:
            continue
        both = []
        for number, point in ends(m, i):
            body = bodies[number]
            both.append((body, vector3(point - np.array(origins.get(body, (0.0, 0.0, 0.0))))))
        (body1, point1), (body2, point2) = both
        if body1 != body2:
            yield Loop(name, LOOPS[mujoco.mjtEq(int(m.eq_type[i]))], body1, point1, body2, point2)


def couplings(m: mujoco.MjModel, joints: Sequence[str]) -> Iterator[Coupling]:
    """The coupled joints; `joints` are the joints' names by MuJoCo's numbers."""
    for name, i in equality_names(m).items():
        if int(m.eq_type[i]) != COUPLING:
            continue
        joint, leader = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
        at = [float(m.qpos0[m.jnt_qposadr[j]]) if j >= 0 else 0.0 for j in (joint, leader)]
        yield Coupling(name, joints[joint], joints[leader] if leader >= 0 else "", _coefficients(m.eq_data[i, :5], *at))


def ends(m: mujoco.MjModel, i: int) -> list[tuple[int, Floats]]:
    """Body and point, in MuJoCo's frame of the body, of both ends of a connect or weld."""
    numbers = (int(m.eq_obj1id[i]), int(m.eq_obj2id[i]))
    if m.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
        return [(int(m.site_bodyid[site]), m.site_pos[site]) for site in numbers]
    first, second = m.eq_data[i, :3], m.eq_data[i, 3:6]
    if m.eq_type[i] == mujoco.mjtEq.mjEQ_WELD:  # its anchor is in body 2, the point of body 1 is in the relative pose
        first, second = second, first
    return list(zip(numbers, (first, second), strict=True))


def _coefficients(polynomial: Sequence[float], q0: float, leader_q0: float) -> tuple[float, ...]:
    """Of q = q0 + p(x - leader_q0) as a polynomial in x, by the binomial theorem; zeros at the end left out."""
    coefficients = [
        sum(float(c) * comb(power, k) * (-leader_q0) ** (power - k) for power, c in enumerate(polynomial) if power >= k)
        for k in range(len(polynomial))
    ]
    coefficients[0] += q0
    while len(coefficients) > 1 and coefficients[-1] == 0.0:
        coefficients.pop()
    return tuple(coefficients)
