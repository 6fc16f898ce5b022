"""Rows of closed loops and coupled joints as MuJoCo computes them (efc_J), turned into the canonical ones."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from leapcheck.engines.mujoco.equalities import ends
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import LoopType, RobotSpec

ENABLED = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_EQUALITY)
"""Switches of a file that would leave the rows out."""

RELATIVE_POSE = slice(6, 10)
"""Where a weld of bodies keeps its relative orientation in eq_data."""

TORQUE_SCALE = 10
"""Where it keeps what its rows of orientation are multiplied by."""


class ConstraintRows:
    """The rows of a compiled model, in the order of the spec's loops and couplings.

    A weld's orientation is set to that of the state, for its three rows are then half the relative angular velocity in axes of
    body 2, at any state; elsewhere they depend on the error and vanish where that is half a turn. M and h do not depend on it.
    """

    def __init__(self, m: mujoco.MjModel, spec: RobotSpec, numbers: Mapping[str, int]) -> None:
        """Takes the numbers of the equality constraints by the spec's names of loops and couplings; none where one is missing."""
        names = [*(loop.name for loop in spec.loops), *(coupling.name for coupling in spec.couplings)]
        known = all(name in numbers for name in names)
        self._equalities = [numbers[name] for name in names] if known else []
        self._welds = {numbers[loop.name] for loop in spec.loops if known and loop.type is LoopType.WELD}
        self.spec, self.count = spec, len(self._equalities)
        if self.count:
            m.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)
            m.opt.disableflags &= ~ENABLED

    def __call__(self, m: mujoco.MjModel, d: mujoco.MjData, u: Floats) -> tuple[Floats, Floats]:
        """J (rows, nv) and Jdot u (rows,) at the state that the data's positions and velocities are of."""
        for i in self._welds:
            _keep_orientation(m, d, i)
        mujoco.mj_makeConstraint(m, d)
        J = d.efc_J.reshape(-1, m.nv)
        own = np.asarray(d.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        rows: list[Floats] = []
        bias: list[Floats] = []
        for i in self._equalities:
            rows.append(_canonical(m, d, i, J[own & (np.asarray(d.efc_id) == i)]))
            bias.append(_bias(m, d, i, u))
        return np.concatenate(rows), np.concatenate(bias)


def _canonical(m: mujoco.MjModel, d: mujoco.MjData, i: int, rows: Floats) -> Floats:
    """MuJoCo's rows of one constraint, which are of body 1 relative to body 2, as canonical ones."""
    if m.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT:
        return rows
    if m.eq_type[i] == mujoco.mjtEq.mjEQ_CONNECT:
        return -rows
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, _orientations(m, d, i)[1])
    scale = 2.0 / float(m.eq_data[i, TORQUE_SCALE])
    return np.concatenate([-scale * axes.reshape(3, 3) @ rows[3:], -rows[:3]])


def _keep_orientation(m: mujoco.MjModel, d: mujoco.MjData, i: int) -> None:
    """Writes the bodies' present relative orientation into a weld, as the one to keep."""
    first, second = _orientations(m, d, i)
    if m.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
        site = int(m.eq_obj2id[i])
        m.site_quat[site] = _product(_inverse(d.xquat[m.site_bodyid[site]]), first)
    else:
        m.eq_data[i, RELATIVE_POSE] = _product(_inverse(first), second)


def _orientations(m: mujoco.MjModel, d: mujoco.MjData, i: int) -> list[Floats]:
    """Quaternions in the world of the two bodies, or sites, of a weld."""
    numbers = (int(m.eq_obj1id[i]), int(m.eq_obj2id[i]))
    if m.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
        return [_product(d.xquat[m.site_bodyid[site]], m.site_quat[site]) for site in numbers]
    return [d.xquat[body] for body in numbers]


def _bias(m: mujoco.MjModel, d: mujoco.MjData, i: int, u: Floats) -> Floats:
    """Jdot u of one constraint: by MuJoCo's mj_jacDot of both points; of a coupling -p''(x) xd^2."""
    if m.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT:
        return np.array([_curvature(m, d, i)])
    parts = []
    for body, point in ends(m, i):
        linear, angular = np.zeros((2, 3, m.nv))
        mujoco.mj_jacDot(m, d, linear, angular, d.xpos[body] + d.xmat[body].reshape(3, 3) @ point, body)
        parts.append(np.concatenate([angular @ u, linear @ u]))
    difference: Floats = parts[1] - parts[0]
    return difference if m.eq_type[i] == mujoco.mjtEq.mjEQ_WELD else difference[3:]


def _curvature(m: mujoco.MjModel, d: mujoco.MjData, i: int) -> float:
    leader = int(m.eq_obj2id[i])
    if leader < 0:
        return 0.0
    place = m.jnt_qposadr[leader]
    x, speed = d.qpos[place] - m.qpos0[place], d.qvel[m.jnt_dofadr[leader]]
    second = [power * (power - 1) * float(m.eq_data[i, power]) * x ** (power - 2) for power in range(2, 5)]
    return -float(sum(second) * speed * speed)


def _product(a: Floats, b: Floats) -> Floats:
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, a, b)
    return quaternion


def _inverse(quaternion: Floats) -> Floats:
    inverse = np.zeros(4)
    mujoco.mju_negQuat(inverse, quaternion)
    return inverse
