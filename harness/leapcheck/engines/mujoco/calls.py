"""MuJoCo's numbers of one state as calls of libmujoco's own functions: the one list that machine code and Python both run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

import mujoco

from leapcheck.engines.errors import EngineError
from leapcheck.engines.mujoco.actuators import command_dofs
from leapcheck.engines.mujoco.call_table import Address, Call, call, runs
from leapcheck.engines.mujoco.layout import legacy_calls
from leapcheck.engines.mujoco.raw import RawNumber

SITE = int(mujoco.mjtObj.mjOBJ_SITE)
INERTIA_SIZE = 10
"""Numbers of one spatial inertia in `cinert` and `crb`."""


def moves(m: mujoco.MjModel) -> tuple[Call, ...]:
    """The calls behind everything that depends on position and velocity alone."""
    return (
        call("mju_copy", "d.qpos", "q", m.nq),
        call("mju_copy", "d.qvel", "v", m.nv),
        call("mj_kinematics", "m", "d"),
        call("mj_comPos", "m", "d"),
        call("mj_makeM", "m", "d"),
        call("mj_comVel", "m", "d"),
    )


def scratch_sizes(m: mujoco.MjModel, points: int) -> dict[str, int]:
    """Numbers in each scratch array that the calls use."""
    jacobians = 3 * points * m.nv
    return {
        "scratch.force": m.nv,
        "scratch.spatial": 6,
        "scratch.J": jacobians,
        "scratch.MinvJ": jacobians,
        "scratch.Jdot": 3 * m.nv,
        "scratch.frame_rate": 6 * m.nv,
    }


def raw_numbers(m: mujoco.MjModel, sites: Sequence[int], bodies: Sequence[int]) -> dict[str, RawNumber]:
    """MuJoCo's numbers by their names in `projection` and, in its own layouts, csr, qM, cinert, crb and cdof.

    `d.` and `m.` before a name is a field of mjData or mjModel, `scratch.` one of `scratch_sizes`; the others are block arrays.
    """
    nv, points, inertias = m.nv, len(sites), (len(bodies), INERTIA_SIZE)
    return {
        "csr": RawNumber((m.nC,), (call("mju_copy", "csr", "d.M", m.nC),)),
        "M": RawNumber((nv, nv), (call("mj_fullM", "m", "d", "M"),)),
        "h": RawNumber((nv,), (call("mj_rne", "m", "d", 0, "h"),)),
        "c": RawNumber((nv,), _coriolis()),
        "g": RawNumber((nv,), _gravity(nv)),
        "newton_euler": RawNumber((nv,), (call("mju_copy", "d.qacc", "vdot", nv), call("mj_rne", "m", "d", 1, "newton_euler"))),
        "applied_force": RawNumber((nv,), _applied_force(nv, sites)),
        "passive_forces": RawNumber(
            (nv,), (call("mj_passive", "m", "d"), call("mju_copy", "passive_forces", "d.qfrc_passive", nv))
        ),
        "actuator_torques": RawNumber((nv,), _actuator_torques(m)),
        "own_v": RawNumber((nv,), (call("mju_copy", "own_v", "v", nv),)),
        "minverse": RawNumber(
            (nv, nv), (call("mj_factorM", "m", "d"), call("mj_solveM", "m", "d", "minverse", "scratch.unit", nv))
        ),
        "own_vdot": RawNumber((nv,), (call("mju_copy", "own_vdot", "vdot", nv),)),
        "udot": RawNumber((nv,), _acceleration(nv)),
        "p": RawNumber((points, 3), _field_rows("p", "d.site_xpos", sites, 3)),
        "pdot": RawNumber((points, 3), _velocities(sites)),
        "J": RawNumber((points, 3, nv), _jacobians(nv, sites, "J")),
        "a": RawNumber((points, 3), _bias_accelerations(m, sites)),
        "MinvJT": RawNumber((nv, 3 * points), _solved_jacobians(nv, sites)),
        "T_kin": RawNumber((), (call("mj_energyVel", "m", "d"), call("mju_copy", "T_kin", Address("d.energy", 1), 1))),
        "V_pot": RawNumber((), _potential_energy(m)),
        "qM": RawNumber((m.nM,), legacy_calls(m, has_qM=hasattr(mujoco.MjData, "qM"))),
        "cinert": RawNumber(inertias, _field_rows("cinert", "d.cinert", bodies, INERTIA_SIZE)),
        "crb": RawNumber(inertias, _field_rows("crb", "d.crb", bodies, INERTIA_SIZE)),
        "cdof": RawNumber((nv, 6), (call("mju_copy", "cdof", "d.cdof", 6 * nv),)),
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


def _actuator_torques(m: mujoco.MjModel) -> tuple[Call, ...]:
    """The control of each actuator is the number that stands in tau at its joint; of models whose actuators all act on one."""
    return (
        *(call("mju_copy", Address("d.ctrl", k), Address("tau", dof), 1) for k, dof in enumerate(command_dofs(m))),
        call("mj_transmission", "m", "d"),
        call("mj_fwdVelocity", "m", "d"),
        call("mj_fwdActuation", "m", "d"),
        call("mju_copy", "actuator_torques", "d.qfrc_actuator", m.nv),
    )


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


def _velocities(sites: Sequence[int]) -> tuple[Call, ...]:
    """World axes at the site; MuJoCo's six-vectors are angular first."""
    calls: list[Call] = []
    for k, site in enumerate(sites):
        calls.append(call("mj_objectVelocity", "m", "d", SITE, site, "scratch.spatial", 0))
        calls.append(call("mju_copy3", Address("pdot", 3 * k), Address("scratch.spatial", 3)))
    return tuple(calls)


def _jacobians(nv: int, sites: Sequence[int], array: str) -> tuple[Call, ...]:
    return tuple(call("mj_jacSite", "m", "d", Address(array, 3 * nv * k), 0, site) for k, site in enumerate(sites))


def _bias_accelerations(m: mujoco.MjModel, sites: Sequence[int]) -> tuple[Call, ...]:
    """Jdot u."""
    bodies, nv = m.site_bodyid, m.nv
    Jdot = (
        call("mj_jacDot", "m", "d", Address("scratch.J", 3 * nv * k), 0, Address("d.site_xpos", 3 * site), int(bodies[site]))
        for k, site in enumerate(sites)
    )
    return (*Jdot, call("mju_mulMatVec", "a", "scratch.J", "d.qvel", 3 * len(sites), nv))


def _applied_force(nv: int, sites: Sequence[int]) -> tuple[Call, ...]:
    """J^T f as `mj_applyFT` adds it up, which takes too many arguments for a table."""
    if not sites:
        return (call("mju_zero", "applied_force", nv),)
    return (
        *_jacobians(nv, sites, "scratch.J"),
        call("mju_mulMatTVec", "applied_force", "scratch.J", "contact_forces", 3 * len(sites), nv),
    )


def _solved_jacobians(nv: int, sites: Sequence[int]) -> tuple[Call, ...]:
    rows = 3 * len(sites)
    return (
        *_jacobians(nv, sites, "scratch.J"),
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
