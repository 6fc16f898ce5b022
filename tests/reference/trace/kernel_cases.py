"""States in batches, quantities in groups, and comparison of bits: what the kernels' tests have in common."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference import Kernel, kernel
from tests.reference import generic_states

RIGID_BODY = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians", "contact_bias_accelerations")
STORED = ("qM", "csr")
SCALARS = ("kinetic_energy", "potential_energy", "total_mass")
DYNAMICS = ("inverse_dynamics", "forward_dynamics", "gravity_force", "coriolis_force", "contact_velocities")
DERIVATIVES = tuple(f"{way}_dynamics_derivative_{by}" for way, by in (("inverse", "q"), ("inverse", "v"), ("forward", "tau")))
QUANTITIES = (*RIGID_BODY, *SCALARS, *DYNAMICS)
EVERYTHING = (*QUANTITIES, *STORED, *DERIVATIVES, "coriolis_matrix", "com_velocity")


def dealt(robot: str, quantities: tuple[str, ...]) -> tuple[str, ...]:
    """Every third quantity, the next robot beginning with the next one: between the robots each is there several times."""
    return quantities[generic_states.ROBOTS.index(robot) % 3 :: 3]


@cache
def states(robot: str, count: int) -> dict[str, Floats]:
    """Generic states (count, numbers) of a robot by the names of an algorithm's arguments."""
    cases = [generic_states.case(robot, seed) for seed in range(1, count + 1)]
    return {name: np.array([getattr(at, name) for at in cases]) for name in ("q", "v", "tau", "vdot")}


@cache
def made(robot: str, quantities: tuple[str, ...] = RIGID_BODY, lanes: int | None = None) -> Kernel:
    """The kernel of a robot, compiled once for all tests."""
    return kernel(generic_states.case(robot).tree, quantities, lanes)


def evaluated(function: Kernel, given: dict[str, Floats], rows: Any = slice(None)) -> dict[str, Floats]:
    """The kernel at some of the states."""
    return function(**{name: values[rows] for name, values in given.items()})


def same_bits(a: dict[str, Floats], b: dict[str, Floats]) -> bool:
    """Whether all arrays are of the same shape and the same bits, signs of zeros included."""
    return a.keys() == b.keys() and all(
        a[name].shape == b[name].shape and np.array_equal(bits(a[name]), bits(b[name])) for name in a
    )


def bits(array: Floats) -> NDArray[np.int64]:
    """The numbers as whole numbers of the same bits."""
    return np.ascontiguousarray(array).view(np.int64)
