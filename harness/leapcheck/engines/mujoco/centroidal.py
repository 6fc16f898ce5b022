"""The whole robot's centre of mass and momentum by MuJoCo's functions for subtrees: that of the world is the robot."""

from __future__ import annotations

from functools import partial

import mujoco
import numpy as np

from leapcheck.engines.mujoco.call_table import Address, Call, call
from leapcheck.engines.mujoco.raw import RawNumber
from leapcheck.engines.projection import Assembly
from leapcheck_models.arrays import Floats

WORLD = 0


def raw_numbers(m: mujoco.MjModel) -> dict[str, RawNumber]:
    """MuJoCo's numbers by their names in `projection`, or in `assembly` below."""
    nv = m.nv
    subtree_velocity = call("mj_subtreeVel", "m", "d")
    numbers = {
        "com_position": RawNumber((3,), (call("mju_copy3", "com_position", "d.subtree_com"),)),
        "com_velocity": RawNumber((3,), (subtree_velocity, call("mju_copy3", "com_velocity", "d.subtree_linvel"))),
        "com_jacobian": RawNumber((3, nv), (call("mj_jacSubtreeCom", "m", "d", "com_jacobian", WORLD),)),
        "angular_momentum": RawNumber((3,), (subtree_velocity, call("mju_copy3", "angular_momentum", "d.subtree_angmom"))),
        "angular_momentum_matrix": RawNumber((3, nv), (call("mj_angmomMat", "m", "d", "angular_momentum_matrix", WORLD),)),
        "com_accelerations": RawNumber((m.nbody, 3), _com_accelerations(m)),
    }
    if (root := lone_root(m)) is not None:
        numbers["root_inertia"] = RawNumber((10,), (call("mju_copy", "root_inertia", Address("d.crb", 10 * root), 10),))
    return numbers


def assembly(m: mujoco.MjModel) -> dict[str, Assembly]:
    """The quantities that are put together of these numbers."""
    mass = float(m.body_subtreemass[WORLD])
    weights = m.body_mass / (mass or np.nan)  # without mass there is no com
    made = {
        "com_bias_acceleration": Assembly(("com_accelerations",), partial(_mean, weights)),
        "centroidal_momentum": Assembly(("angular_momentum", "com_velocity"), partial(_momentum, mass)),
        "centroidal_momentum_matrix": Assembly(("angular_momentum_matrix", "com_jacobian"), partial(_matrix, mass)),
    }
    if lone_root(m) is not None:
        made["centroidal_inertia"] = Assembly(("root_inertia",), _inertia)
    return made


def quantities(m: mujoco.MjModel) -> tuple[str, ...]:
    """What MuJoCo answers of the robot as a whole: composite inertias only about the com of each root, and no Adot v."""
    return ("com_position", "com_velocity", "com_jacobian", *assembly(m))


def lone_root(m: mujoco.MjModel) -> int | None:
    """The only body on the world, None where there are several."""
    roots = np.flatnonzero(m.body_parentid[1:] == WORLD) + 1
    return int(roots[0]) if len(roots) == 1 else None


def _com_accelerations(m: mujoco.MjModel) -> tuple[Call, ...]:
    """Jdot u of each body's com."""
    calls: list[Call] = []
    for b in range(1, m.nbody):
        calls.append(call("mj_jacDot", "m", "d", "scratch.Jdot", 0, Address("d.xipos", 3 * b), b))
        calls.append(call("mju_mulMatVec", Address("com_accelerations", 3 * b), "scratch.Jdot", "d.qvel", 3, m.nv))
    return (call("mju_zero", "com_accelerations", 3), *calls)


def _mean(weights: Floats, rows: Floats) -> Floats:
    """The weighted mean (..., 3) of rows (..., bodies, 3)."""
    mean: Floats = weights @ rows
    return mean


def _momentum(mass: float, angular: Floats, velocity: Floats) -> Floats:
    return np.concatenate([angular, mass * velocity], axis=-1)


def _matrix(mass: float, angular: Floats, jacobian: Floats) -> Floats:
    return np.concatenate([angular, mass * jacobian], axis=-2)


def _inertia(packed: Floats) -> Floats:
    """I (..., 6, 6) of xx, yy, zz, xy, xz, yz, first moment and mass about the com."""
    xx, yy, zz, xy, xz, yz, x, y, z, mass = np.moveaxis(packed, -1, 0)
    zero = 0.0 * mass
    rows = [
        [xx, xy, xz, zero, -z, y],
        [xy, yy, yz, z, zero, -x],
        [xz, yz, zz, -y, x, zero],
        [zero, z, -y, mass, zero, zero],
        [-z, zero, x, zero, mass, zero],
        [y, -x, zero, zero, zero, mass],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
