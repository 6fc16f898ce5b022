"""Engines of a user's with a fault planted in each: the in-house dynamics, wrapped."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.outside.user import CANONICAL
from leapcheck_models.spec import RobotSpec

Functions = dict[str, Callable[..., Any]]

RELATIVE = 1e-8
number = 3
__version__ = "1.2"
held: list[Any] = []


def clean(spec: RobotSpec) -> Functions:
    """Every quantity, right."""
    tree = reference.build(spec)
    return {name: partial(getattr(reference, name), tree) for name in CANONICAL}


def gravity_off(spec: RobotSpec) -> Functions:
    """Gravity is off by 1e-8 of itself."""
    x, y, z = spec.gravity
    return clean(replace(spec, gravity=(x, y, z * (1.0 + RELATIVE))))


def wrong_sign(spec: RobotSpec) -> Functions:
    """Coriolis terms enter the bias force with the wrong sign."""
    right = clean(spec)
    return right | {"bias_force": lambda q, v: right["gravity_force"](q) - right["coriolis_force"](q, v)}


def transposed_jacobian(spec: RobotSpec) -> Functions:
    """J^T where J should stand: of the same shape for a robot of three dof and one point."""
    right = clean(spec)

    def contact_jacobians(q: np.ndarray) -> np.ndarray:
        J = right["contact_jacobians"](q)
        return J.reshape(-1, J.shape[-1]).T[None]

    return right | {"contact_jacobians": contact_jacobians}


def wrong_leg_order(spec: RobotSpec) -> Functions:
    """Joints come left leg first: FL, FR, HL, HR."""
    right = clean(spec)
    dofs = np.r_[:6, 9:12, 6:9, 15:18, 12:15]
    return {
        "mass_matrix": lambda q: right["mass_matrix"](q)[np.ix_(dofs, dofs)],
        "bias_force": lambda q, v: right["bias_force"](q, v)[dofs],
    }


def not_a_number(spec: RobotSpec) -> Functions:
    """NaN in the bias force of a state at rest."""
    right = clean(spec)
    return right | {"bias_force": lambda q, v: right["bias_force"](q, v) / (1.0 if v.any() else np.nan)}


def raising(spec: RobotSpec) -> Functions:
    """Raises in the bias force."""

    def bias_force(*_state: np.ndarray) -> np.ndarray:
        raise LookupError("no table\nfor this state")

    return clean(spec) | {"bias_force": bias_force}


def wrong_shape(spec: RobotSpec) -> Functions:
    """A row too many in the bias force."""
    right = clean(spec)
    return right | {"bias_force": lambda q, v: np.append(right["bias_force"](q, v), 0.0)}


def overwriting(spec: RobotSpec) -> Functions:
    """Right answers, but the arguments are written into; and one buffer holds every answer."""
    buffers: dict[str, np.ndarray] = {}

    def answer(name: str, function: Callable[..., Any], *arguments: np.ndarray) -> np.ndarray:
        value = np.array(function(*arguments))
        for argument in arguments:
            argument[:] = np.nan
        buffer = buffers.setdefault(name, value)
        buffer[...] = value
        return buffer

    return {name: partial(answer, name, function) for name, function in clean(spec).items()}


def single(spec: RobotSpec) -> dict[str, Any]:
    """Right to single precision, which it declares."""
    right = clean(spec)["potential_energy"]
    return {"precision": "float32", "potential_energy": lambda q: float(np.float32(right(q)))}


def only_mass_matrix(spec: RobotSpec) -> Functions:
    """Answers M, right, and nothing else."""
    return {"mass_matrix": clean(spec)["mass_matrix"]}


def half_right(spec: RobotSpec) -> Functions:
    """Wrong by a tenth at states with a first joint above zero; raises where it is below -3."""
    right = clean(spec)

    def mass_matrix(q: np.ndarray) -> np.ndarray:
        if q[0] < -3.0:
            raise ArithmeticError("joint limit")
        return right["mass_matrix"](q) * (1.1 if q[0] > 0.0 else 1.0)

    return right | {"mass_matrix": mass_matrix}


def seldom_right(spec: RobotSpec) -> Functions:
    """M is wrong by a tenth at states with a first joint above zero; the bias force raises at very fast ones."""
    right = clean(spec)

    def bias_force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if v[0] > 98.0:
            raise ArithmeticError("too fast")
        return np.asarray(right["bias_force"](q, v))

    return {"mass_matrix": lambda q: right["mass_matrix"](q) * (1.1 if q[0] > 0.0 else 1.0), "bias_force": bias_force}


def far_fault(spec: RobotSpec) -> Functions:
    """M is off by a millionth where the base is farther than 50 m."""
    M = clean(spec)["mass_matrix"]
    return {"mass_matrix": lambda q: M(q) * (1.0 + 1e-6 * (np.abs(q[:3]).max() > 50.0))}


def printing(spec: RobotSpec) -> Functions:
    """Right, and talks on standard output."""
    print("faulty: made")
    M = clean(spec)["mass_matrix"]

    def mass_matrix(q: np.ndarray) -> np.ndarray:
        print("faulty: asked")
        return np.asarray(M(q))

    return {"mass_matrix": mass_matrix}


def raising_factory(spec: RobotSpec) -> Functions:
    """Cannot be made."""
    raise OSError(f"no licence for {spec.name}")


def only_in_the_first_process(spec: RobotSpec) -> Functions:
    """Cannot be made in a second process, as with one licence or one graphics card."""
    held.append(Path(__file__).open("rb"))  # noqa: SIM115 - as long as the process lives
    try:
        fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError("the licence is in use") from None
    return only_mass_matrix(spec)


def nothing(_spec: RobotSpec) -> Functions:
    """Has no function that is known."""
    return {"masses": lambda _q: 0.0}
