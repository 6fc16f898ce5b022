"""MuJoCo's numbers of one state as calls of libmujoco's own functions: the one list that machine code and Python both run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from leapcheck.engines.errors import EngineError
from leapcheck.engines.mujoco.actuators import command_dofs
from leapcheck.engines.mujoco.call_table import Address, Call, call, runs
from leapcheck.engines.mujoco.layout import legacy_calls
from leapcheck.engines.mujoco.raw import RawNumber
from leapcheck_models.arrays import Floats

INERTIA_SIZE = 10
"""Numbers of one spatial inertia in `cinert` and `crb`."""


class Point(NamedTuple):
    """A contact point: where its place in the world stands, and the body that carries it."""

    place: Address
    body: int


def moves(m: mujoco.MjModel) -> tuple[Call, ...]:
    """The calls behind everything that depends on position and velocity alone."""
    return (
        call("mju_copy", "d.qpos", "q", m.nq),
        call("mju_copy", "d.qvel", "v", m.nv),
        call("mj_kinematics", "m", "d"),
        call("mj_comPos", "m", "d"),
        *([call("mj_tendon", "m", "d")] if m.ntendon else ()),  # one on a joint may have armature
        call("mj_makeM", "m", "d"),
        call("mj_comVel", "m", "d"),
    )


def site_points(m: mujoco.MjModel, sites: Sequence[int]) -> list[Point]:
    """Points at sites of the model."""
    return [Point(Address("d.site_xpos", 3 * site), int(m.site_bodyid[site])) for site in sites]


def body_points(bodies: Sequence[int]) -> tuple[list[Point], tuple[Call, ...]]:
    """Points at places in the frames of bodies, the rows of the array `offsets`; and the calls that write them into `points`."""
    points = [Point(Address("points", 3 * k), body) for k, body in enumerate(bodies)]
    calls: list[Call] = []
    for place, body in points:
        calls.append(call("mju_mulMatVec3", place, Address("d.xmat", 9 * body), Address("offsets", place.offset)))
        calls.append(call("mju_addTo3", place, Address("d.xpos", 3 * body)))
    return points, tuple(calls)


def fixed_arrays(m: mujoco.MjModel, points: int) -> dict[str, Floats]:
    """The arrays that the calls use beside blocks and structs: the model's own values, and scratch."""
    jacobians = 3 * points * m.nv
    sizes = {"force": m.nv, "spatial": 6, "J": jacobians, "MinvJ": jacobians, "Jdot": 3 * m.nv, "frame_rate": 6 * m.nv}
    scratch = {f"scratch.{name}": np.zeros(size) for name, size in sizes.items()}
    return scratch | {"scratch.unit": np.eye(m.nv), "gravity": np.array(m.opt.gravity), "stiffness": m.jnt_stiffness.copy()}


def raw_numbers(m: mujoco.MjModel, points: Sequence[Point], bodies: Sequence[int]) -> dict[str, RawNumber]:
    """MuJoCo's numbers by their names in `projection` and, in its own layouts, csr, qM, cinert, crb and cdof.

    `d.` and `m.` before a name is a field of mjData or mjModel; the others are block arrays, and those of `fixed_arrays`.
    """
    nv, count, inertias = m.nv, len(points), (len(bodies), INERTIA_SIZE)
    return {
        "csr": RawNumber((m.nC,), (call("mju_copy", "csr", "d.M", m.nC),)),
        "M": RawNumber((nv, nv), (call("mj_fullM", "m", "d", "M"),)),
        "h": RawNumber((nv,), (call("mj_rne", "m", "d", 0, "h"),)),
        "c": RawNumber((nv,), _coriolis()),
        "g": RawNumber((nv,), _gravity(nv)),
        "newton_euler": RawNumber((nv,), (call("mju_copy", "d.qacc", "vdot", nv), call("mj_rne", "m", "d", 1, "newton_euler"))),
        "applied_force": RawNumber((nv,), _applied_force(nv, points)),
        "passive_forces": RawNumber(
            (nv,), (call("mj_passive", "m", "d"), call("mju_copy", "passive_forces", "d.qfrc_passive", nv))
        ),
        "own_v": RawNumber((nv,), (call("mju_copy", "own_v", "v", nv),)),
        "minverse": RawNumber(
            (nv, nv), (call("mj_factorM", "m", "d"), call("mj_solveM", "m", "d", "minverse", "scratch.unit", nv))
        ),
        "own_vdot": RawNumber((nv,), (call("mju_copy", "own_vdot", "vdot", nv),)),
        "udot": RawNumber((nv,), _acceleration(nv)),
        "p": RawNumber((count, 3), tuple(call("mju_copy3", Address("p", 3 * k), point.place) for k, point in enumerate(points))),
        "pdot": RawNumber((count, 3), _velocities(m, points)),
        "J": RawNumber((count, 3, nv), _jacobians(nv, points, "J")),
        "a": RawNumber((count, 3), _bias_accelerations(nv, points)),
        "MinvJT": RawNumber((nv, 3 * count), _solved_jacobians(nv, points)),
        "T_kin": RawNumber((), (call("mj_energyVel", "m", "d"), call("mju_copy", "T_kin", Address("d.energy", 1), 1))),
        "V_pot": RawNumber((), _potential_energy(m)),
        "qM": RawNumber((m.nM,), legacy_calls(m, has_qM=hasattr(mujoco.MjData, "qM"))),
        "cinert": RawNumber(inertias, _field_rows("cinert", "d.cinert", bodies, INERTIA_SIZE)),
        "crb": RawNumber(inertias, _field_rows("crb", "d.crb", bodies, INERTIA_SIZE)),
        "cdof": RawNumber((nv, 6), (call("mju_copy", "cdof", "d.cdof", 6 * nv),)),
        "coms": RawNumber((m.nbody, 3), (call("mju_copy", "coms", "d.xipos", 3 * m.nbody),)),
    }


def library() -> Callable[[str], int]:
    """Addresses of libmujoco's functions by name, in the library that the mujoco package has loaded.

    A fault inside ends the process, as in C: the calls above have none on finite numbers.
    """
    folder = Path(mujoco.__file__).parent
    for path in sorted(folder.glob("*mujoco*")):
        if path.name.startswith(("libmujoco.", "mujoco.dll")) and path.is_file():
            loaded_library = ctypes.CDLL(str(path))
            if loaded_library.mj_version() == mujoco.mj_version():
                return lambda name: ctypes.cast(getattr(loaded_library, name), ctypes.c_void_p).value or 0
    raise EngineError(f"mujoco: no libmujoco of version {mujoco.__version__} in {folder}: reinstall the package 'mujoco'")


def _potential_energy(m: mujoco.MjModel) -> tuple[Call, ...]:
    """That of gravity: MuJoCo's counts springs in."""
    energy = (call("mj_energyPos", "m", "d"), call("mju_copy", "V_pot", "d.energy", 1))
    if not m.jnt_stiffness.any():
        return energy
    return (
        call("mju_zero", "m.jnt_stiffness", m.njnt),
        *energy,
        call("mju_copy", "m.jnt_stiffness", "stiffness", m.njnt),
    )


def actuator_torques(m: mujoco.MjModel) -> RawNumber:
    """The control of each actuator is the number that stands in tau at its joint; of models whose actuators all act on one."""
    calls = (
        *(call("mju_copy", Address("d.ctrl", k), Address("tau", dof), 1) for k, dof in enumerate(command_dofs(m))),
        call("mj_transmission", "m", "d"),
        call("mj_fwdVelocity", "m", "d"),
        call("mj_fwdActuation", "m", "d"),
        call("mju_copy", "actuator_torques", "d.qfrc_actuator", m.nv),
    )
    return RawNumber((m.nv,), calls)


def _coriolis() -> tuple[Call, ...]:
    """The bias force without gravity."""
    return (
        call("mju_zero", "m.opt.gravity", 3),
        call("mj_rne", "m", "d", 0, "c"),
        call("mju_copy", "m.opt.gravity", "gravity", 3),
    )


def _gravity(nv: int) -> tuple[Call, ...]:
    """The bias force at rest; then the velocity is put back."""
    return (
        call("mju_zero", "d.qvel", nv),
        call("mj_comVel", "m", "d"),
        call("mj_rne", "m", "d", 0, "g"),
        call("mju_copy", "d.qvel", "v", nv),
        call("mj_comVel", "m", "d"),
    )


def _acceleration(nv: int) -> tuple[Call, ...]:
    return (
        call("mj_rne", "m", "d", 0, "scratch.force"),
        call("mju_sub", "scratch.force", "tau", "scratch.force", nv),
        call("mj_factorM", "m", "d"),
        call("mj_solveM", "m", "d", "udot", "scratch.force", 1),
    )


def _velocities(m: mujoco.MjModel, points: Sequence[Point]) -> tuple[Call, ...]:
    """World axes, at the point: of the body's six-vector, angular first, about the com of its tree."""
    calls: list[Call] = []
    for k, (place, body) in enumerate(points):
        about = Address("d.subtree_com", 3 * int(m.body_rootid[body]))
        calls.append(call("mju_transformSpatial", "scratch.spatial", Address("d.cvel", 6 * body), 0, place, about, 0))
        calls.append(call("mju_copy3", Address("pdot", 3 * k), Address("scratch.spatial", 3)))
    return tuple(calls)


def _jacobians(nv: int, points: Sequence[Point], array: str) -> tuple[Call, ...]:
    return tuple(call("mj_jac", "m", "d", Address(array, 3 * nv * k), 0, *point) for k, point in enumerate(points))


def _bias_accelerations(nv: int, points: Sequence[Point]) -> tuple[Call, ...]:
    """Jdot u."""
    Jdot = (call("mj_jacDot", "m", "d", Address("scratch.J", 3 * nv * k), 0, *point) for k, point in enumerate(points))
    return (*Jdot, call("mju_mulMatVec", "a", "scratch.J", "d.qvel", 3 * len(points), nv))


def _applied_force(nv: int, points: Sequence[Point]) -> tuple[Call, ...]:
    """J^T f as `mj_applyFT` adds it up, which takes too many arguments for a table."""
    if not points:
        return (call("mju_zero", "applied_force", nv),)
    return (
        *_jacobians(nv, points, "scratch.J"),
        call("mju_mulMatTVec", "applied_force", "scratch.J", "contact_forces", 3 * len(points), nv),
    )


def _solved_jacobians(nv: int, points: Sequence[Point]) -> tuple[Call, ...]:
    rows = 3 * len(points)
    return (
        *_jacobians(nv, points, "scratch.J"),
        call("mj_factorM", "m", "d"),
        call("mj_solveM", "m", "d", "scratch.MinvJ", "scratch.J", rows),
        call("mju_transpose", "MinvJT", "scratch.MinvJ", rows, nv),
    )


def _field_rows(array: str, field: str, rows: Sequence[int], size: int) -> tuple[Call, ...]:
    """Rows of a field, in this order."""
    return tuple(
        call("mju_copy", Address(array, size * place), Address(field, size * first), size * length)
        for place, first, length in runs(rows)
    )
