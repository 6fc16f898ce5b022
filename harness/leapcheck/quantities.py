"""The quantities that are compared: what each needs, its shape, its scale and its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from leapcheck_models.spec import RobotSpec


class Scale(StrEnum):
    """By what an error is divided to make it scale-free."""

    DIAGONAL = "sqrt(M_ii M_jj)"
    LARGEST = "largest entry of that state"
    ABSOLUTE = "1 in its unit"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths that shape the canonical quantities of one robot: dof without rotors, and computed contact points."""

    nv: int
    points: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity: the name is also the name of the function in `leapcheck_reference` and in a user's engine.

    `arguments` are the parts of a state that it needs. A quantity `in_mujoco_coordinates` is MuJoCo's own storage and is
    compared entry by entry in MuJoCo's coordinates (rotors as bodies); all others are canonical.
    """

    name: str
    label: str
    unit: str
    arguments: tuple[str, ...]
    scale: Scale
    shape: Callable[[Sizes], tuple[int, ...]] | None
    in_mujoco_coordinates: bool = False


QUANTITIES: dict[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("mass_matrix", "mass matrix M", "kg m^2, kg m, kg", ("q",), Scale.DIAGONAL, lambda s: (s.nv, s.nv)),
        Quantity("bias_force", "bias force h", "N m, N", ("q", "v"), Scale.LARGEST, lambda s: (s.nv,)),
        Quantity("gravity_force", "gravity force", "N m, N", ("q",), Scale.LARGEST, lambda s: (s.nv,)),
        Quantity("coriolis_force", "Coriolis force", "N m, N", ("q", "v"), Scale.LARGEST, lambda s: (s.nv,)),
        Quantity("forward_dynamics", "forward dynamics", "rad/s^2, m/s^2", ("q", "v", "tau"), Scale.LARGEST, lambda s: (s.nv,)),
        Quantity("contact_positions", "contact positions", "m", ("q",), Scale.LARGEST, lambda s: (s.points, 3)),
        Quantity("contact_velocities", "contact velocities", "m/s", ("q", "v"), Scale.LARGEST, lambda s: (s.points, 3)),
        Quantity("contact_jacobians", "contact Jacobians J", "m, 1", ("q",), Scale.ABSOLUTE, lambda s: (s.points, 3, s.nv)),
        Quantity("contact_bias_accelerations", "Jdot v", "m/s^2", ("q", "v"), Scale.LARGEST, lambda s: (s.points, 3)),
        Quantity("contact_inertia", "J M^-1 J^T", "1/kg", ("q",), Scale.LARGEST, lambda s: (3 * s.points, 3 * s.points)),
        Quantity("kinetic_energy", "kinetic energy", "J", ("q", "v"), Scale.LARGEST, lambda _: ()),
        Quantity("potential_energy", "potential energy", "J", ("q",), Scale.LARGEST, lambda _: ()),
        Quantity("qM", "M in MuJoCo's qM", "kg m^2, kg m, kg", ("q",), Scale.LARGEST, None, True),
        Quantity("csr", "M in MuJoCo's CSR", "kg m^2, kg m, kg", ("q",), Scale.LARGEST, None, True),
        Quantity("cinert", "MuJoCo's cinert", "kg m^2, kg m, kg", ("q",), Scale.LARGEST, None, True),
        Quantity("crb", "MuJoCo's crb", "kg m^2, kg m, kg", ("q",), Scale.LARGEST, None, True),
        Quantity("cdof", "MuJoCo's cdof", "1, m", ("q",), Scale.LARGEST, None, True),
    )
}


CANONICAL = tuple(name for name, quantity in QUANTITIES.items() if not quantity.in_mujoco_coordinates)
"""The quantities that any engine may answer: all but MuJoCo's own storage."""


def answer_shape(name: str, spec: RobotSpec) -> tuple[int, ...]:
    """Shape of a canonical quantity of one state."""
    shape = QUANTITIES[name].shape
    return shape(sizes(spec)) if shape else ()


def sizes(spec: RobotSpec) -> Sizes:
    """Sizes of one robot: dof (rotors not counted) and computed contact points."""
    return Sizes(spec.nv, sum(p.computed for p in spec.contact_points))
