"""The quantities that the reference computes at a state: one row each. Only these can be made kernels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leapcheck_reference.actuation import actuator_torques
from leapcheck_reference.centroidal import (
    centroidal_inertia,
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    com_bias_acceleration,
    com_jacobian,
    com_velocity,
)
from leapcheck_reference.closed_loops import constrained_forward_dynamics, constraint_bias, constraint_jacobian
from leapcheck_reference.contact import (
    contact_angular_bias_accelerations,
    contact_angular_jacobians,
    contact_angular_velocities,
    contact_bias_accelerations,
    contact_inertia,
    contact_jacobians,
    contact_positions,
    contact_velocities,
    operational_inertia_inverse,
)
from leapcheck_reference.coriolis import christoffel_matrix, coriolis_matrix
from leapcheck_reference.derivatives import (
    forward_dynamics_derivative_q,
    forward_dynamics_derivative_tau,
    forward_dynamics_derivative_v,
    frame_acceleration_derivative_q,
    frame_acceleration_derivative_v,
    frame_velocity_derivative_q,
    inverse_dynamics_derivative_q,
    inverse_dynamics_derivative_v,
)
from leapcheck_reference.energy import com_position, kinetic_energy, potential_energy, total_mass
from leapcheck_reference.forward_dynamics import factored_forward_dynamics, forward_dynamics, minverse
from leapcheck_reference.inverse_dynamics import (
    bias_force,
    coriolis_force,
    gravity_force,
    inverse_dynamics,
    inverse_dynamics_with_contacts,
)
from leapcheck_reference.link_frames import (
    frame_bias_accelerations,
    frame_jacobian_rates,
    frame_jacobians,
    frame_placements,
    frame_velocities,
)
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.passive import dry_friction, passive_forces
from leapcheck_reference.regressors import joint_torque_regressor, kinetic_energy_regressor, potential_energy_regressor
from leapcheck_reference.sparse import (
    cdof,
    cinert,
    crb,
    csr_mass_matrix,
    legacy_mass_matrix,
    mujoco_mass_matrix,
    sparsity_pattern,
)
from leapcheck_reference.trace import derivatives as recorded
from leapcheck_reference.tree import Tree

SIZES: Mapping[str, Callable[[Tree], int]] = {
    "q": lambda tree: tree.nq,
    "v": lambda tree: tree.nv,
    "vdot": lambda tree: tree.nv,
    "tau": lambda tree: tree.nv,
    "contact_forces": lambda tree: 3 * len(tree.points),
}
"""The inputs that a quantity may have besides the tree, in this order, and how many numbers each is."""


@dataclass(frozen=True, slots=True)
class ReferenceQuantity:
    """One quantity: `function(tree, *arguments)` on arrays of any scalar.

    `arguments` are keys of `SIZES`. `shorter` computes the same in fewer operations: kernels record that one
    where there is one.
    """

    function: Callable[..., Any]
    arguments: tuple[str, ...]
    shorter: Callable[..., Any] | None = None

    @property
    def kernel_function(self) -> Callable[..., Any]:
        """The function to record."""
        return self.shorter or self.function


QUANTITIES: Mapping[str, ReferenceQuantity] = {
    "mass_matrix": ReferenceQuantity(mass_matrix, ("q",)),
    "bias_force": ReferenceQuantity(bias_force, ("q", "v")),
    "gravity_force": ReferenceQuantity(gravity_force, ("q",)),
    "coriolis_force": ReferenceQuantity(coriolis_force, ("q", "v")),
    "coriolis_matrix": ReferenceQuantity(coriolis_matrix, ("q", "v")),
    "christoffel_matrix": ReferenceQuantity(christoffel_matrix, ("q", "v")),
    "operational_inertia_inverse": ReferenceQuantity(operational_inertia_inverse, ("q",)),
    "inverse_dynamics": ReferenceQuantity(inverse_dynamics, ("q", "v", "vdot")),
    "inverse_dynamics_with_contacts": ReferenceQuantity(inverse_dynamics_with_contacts, ("q", "v", "vdot", "contact_forces")),
    "forward_dynamics": ReferenceQuantity(forward_dynamics, ("q", "v", "tau"), factored_forward_dynamics),
    "factored_forward_dynamics": ReferenceQuantity(factored_forward_dynamics, ("q", "v", "tau")),
    "minverse": ReferenceQuantity(minverse, ("q",)),
    "inverse_dynamics_derivative_q": ReferenceQuantity(
        inverse_dynamics_derivative_q, ("q", "v", "vdot"), recorded.inverse_dynamics_derivative_q
    ),
    "inverse_dynamics_derivative_v": ReferenceQuantity(
        inverse_dynamics_derivative_v, ("q", "v"), recorded.inverse_dynamics_derivative_v
    ),
    "forward_dynamics_derivative_q": ReferenceQuantity(
        forward_dynamics_derivative_q, ("q", "v", "tau"), recorded.forward_dynamics_derivative_q
    ),
    "forward_dynamics_derivative_v": ReferenceQuantity(
        forward_dynamics_derivative_v, ("q", "v"), recorded.forward_dynamics_derivative_v
    ),
    "forward_dynamics_derivative_tau": ReferenceQuantity(
        forward_dynamics_derivative_tau, ("q",), recorded.forward_dynamics_derivative_tau
    ),
    "frame_velocity_derivative_q": ReferenceQuantity(
        frame_velocity_derivative_q, ("q", "v"), recorded.frame_velocity_derivative_q
    ),
    "frame_acceleration_derivative_q": ReferenceQuantity(
        frame_acceleration_derivative_q, ("q", "v", "vdot"), recorded.frame_acceleration_derivative_q
    ),
    "frame_acceleration_derivative_v": ReferenceQuantity(
        frame_acceleration_derivative_v, ("q", "v"), recorded.frame_acceleration_derivative_v
    ),
    "contact_positions": ReferenceQuantity(contact_positions, ("q",)),
    "contact_velocities": ReferenceQuantity(contact_velocities, ("q", "v")),
    "contact_jacobians": ReferenceQuantity(contact_jacobians, ("q",)),
    "contact_bias_accelerations": ReferenceQuantity(contact_bias_accelerations, ("q", "v")),
    "contact_angular_jacobians": ReferenceQuantity(contact_angular_jacobians, ("q",)),
    "contact_angular_velocities": ReferenceQuantity(contact_angular_velocities, ("q", "v")),
    "contact_angular_bias_accelerations": ReferenceQuantity(contact_angular_bias_accelerations, ("q", "v")),
    "contact_inertia": ReferenceQuantity(contact_inertia, ("q",)),
    "constraint_jacobian": ReferenceQuantity(constraint_jacobian, ("q",)),
    "constraint_bias": ReferenceQuantity(constraint_bias, ("q", "v")),
    "constrained_forward_dynamics": ReferenceQuantity(constrained_forward_dynamics, ("q", "v", "tau")),
    "kinetic_energy": ReferenceQuantity(kinetic_energy, ("q", "v")),
    "potential_energy": ReferenceQuantity(potential_energy, ("q",)),
    "joint_torque_regressor": ReferenceQuantity(joint_torque_regressor, ("q", "v", "vdot")),
    "kinetic_energy_regressor": ReferenceQuantity(kinetic_energy_regressor, ("q", "v")),
    "potential_energy_regressor": ReferenceQuantity(potential_energy_regressor, ("q",)),
    "passive_forces": ReferenceQuantity(passive_forces, ("q", "v")),
    "actuator_torques": ReferenceQuantity(actuator_torques, ("q", "v", "tau")),
    "dry_friction": ReferenceQuantity(dry_friction, ("v",)),
    "total_mass": ReferenceQuantity(total_mass, ()),
    "com_position": ReferenceQuantity(com_position, ("q",)),
    "com_velocity": ReferenceQuantity(com_velocity, ("q", "v")),
    "frame_bias_accelerations": ReferenceQuantity(frame_bias_accelerations, ("q", "v")),
    "frame_jacobian_rates": ReferenceQuantity(frame_jacobian_rates, ("q", "v")),
    "frame_jacobians": ReferenceQuantity(frame_jacobians, ("q",)),
    "frame_placements": ReferenceQuantity(frame_placements, ("q",)),
    "frame_velocities": ReferenceQuantity(frame_velocities, ("q", "v")),
    "com_jacobian": ReferenceQuantity(com_jacobian, ("q",)),
    "com_bias_acceleration": ReferenceQuantity(com_bias_acceleration, ("q", "v")),
    "centroidal_momentum": ReferenceQuantity(centroidal_momentum, ("q", "v")),
    "centroidal_momentum_matrix": ReferenceQuantity(centroidal_momentum_matrix, ("q",)),
    "centroidal_momentum_rate": ReferenceQuantity(centroidal_momentum_rate, ("q", "v")),
    "centroidal_inertia": ReferenceQuantity(centroidal_inertia, ("q",)),
    "mujoco_mass_matrix": ReferenceQuantity(mujoco_mass_matrix, ("q",)),
    "qM": ReferenceQuantity(legacy_mass_matrix, ("q",)),
    "csr": ReferenceQuantity(csr_mass_matrix, ("q",)),
    "cinert": ReferenceQuantity(cinert, ("q",)),
    "crb": ReferenceQuantity(crb, ("q",)),
    "cdof": ReferenceQuantity(cdof, ("q",)),
    "sparsity_pattern": ReferenceQuantity(sparsity_pattern, ()),
}
"""Each quantity by its name."""


def quantity(name: str) -> ReferenceQuantity:
    """The row of a quantity; ValueError for an unknown name."""
    if name not in QUANTITIES:
        raise ValueError(f"unknown quantity '{name}': use one of {', '.join(QUANTITIES)}")
    return QUANTITIES[name]


def arguments(names: Sequence[str]) -> tuple[str, ...]:
    """The inputs that the quantities need together, in the order of `SIZES`; ValueError for an unknown quantity."""
    needed = {argument for name in names for argument in quantity(name).arguments}
    return tuple(argument for argument in SIZES if argument in needed)
