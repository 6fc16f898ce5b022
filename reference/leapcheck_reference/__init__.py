"""The reference dynamics: every algorithm written once, over NumPy arrays of any scalar.

    tree = build(load("mini_cheetah"))
    M = mass_matrix(tree, q)  # one state; floats, arb balls, complex numbers, symbols
    answers = kernel(tree, ("mass_matrix", "bias_force"))(q, v)  # batches, compiled

`dir(leapcheck_reference)` lists what is public.
"""

from typing import TYPE_CHECKING, Any

from leapcheck_models.rotors import with_rotor_bodies
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
    test_force_response,
)
from leapcheck_reference.coriolis import christoffel_matrix, coriolis_matrix, coriolis_normal_form
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
from leapcheck_reference.factorization import factorization, solution
from leapcheck_reference.forward_dynamics import factored_forward_dynamics, forward_dynamics, minverse
from leapcheck_reference.inverse_dynamics import (
    bias_force,
    coriolis_force,
    gravity_force,
    inverse_dynamics,
    inverse_dynamics_with_contacts,
)
from leapcheck_reference.kinematics import bias_accelerations, forward_accelerations, forward_kinematics
from leapcheck_reference.link_frames import (
    frame_accelerations,
    frame_bias_accelerations,
    frame_jacobian_rates,
    frame_jacobians,
    frame_placements,
    frame_velocities,
)
from leapcheck_reference.mass_matrix import composite_inertias, mass_matrix
from leapcheck_reference.passive import dry_friction, passive_forces
from leapcheck_reference.regressors import (
    inertial_parameters,
    joint_torque_regressor,
    kinetic_energy_regressor,
    potential_energy_regressor,
)
from leapcheck_reference.sparse import (
    SparseMassMatrix,
    cdof,
    cinert,
    crb,
    dense_from_csr,
    dense_from_legacy,
    layout,
    legacy_from_dense,
    mujoco_mass_matrix,
    sparse_mass_matrix,
    sparsity_pattern,
)
from leapcheck_reference.tree import Tree, build

if TYPE_CHECKING:
    from leapcheck_reference.trace.kernel import Kernel, kernel

__all__ = [
    "Kernel",
    "SparseMassMatrix",
    "Tree",
    "actuator_torques",
    "bias_accelerations",
    "bias_force",
    "build",
    "cdof",
    "centroidal_inertia",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate",
    "christoffel_matrix",
    "cinert",
    "com_bias_acceleration",
    "com_jacobian",
    "com_position",
    "com_velocity",
    "composite_inertias",
    "constrained_forward_dynamics",
    "constraint_bias",
    "constraint_jacobian",
    "contact_angular_bias_accelerations",
    "contact_angular_jacobians",
    "contact_angular_velocities",
    "contact_bias_accelerations",
    "contact_inertia",
    "contact_jacobians",
    "contact_positions",
    "contact_velocities",
    "coriolis_force",
    "coriolis_matrix",
    "coriolis_normal_form",
    "crb",
    "dense_from_csr",
    "dense_from_legacy",
    "dry_friction",
    "factored_forward_dynamics",
    "factorization",
    "forward_accelerations",
    "forward_dynamics",
    "forward_dynamics_derivative_q",
    "forward_dynamics_derivative_tau",
    "forward_dynamics_derivative_v",
    "forward_kinematics",
    "frame_acceleration_derivative_q",
    "frame_acceleration_derivative_v",
    "frame_accelerations",
    "frame_bias_accelerations",
    "frame_jacobian_rates",
    "frame_jacobians",
    "frame_placements",
    "frame_velocities",
    "frame_velocity_derivative_q",
    "gravity_force",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_dynamics_derivative_q",
    "inverse_dynamics_derivative_v",
    "inverse_dynamics_with_contacts",
    "joint_torque_regressor",
    "kernel",
    "kinetic_energy",
    "kinetic_energy_regressor",
    "layout",
    "legacy_from_dense",
    "mass_matrix",
    "minverse",
    "mujoco_mass_matrix",
    "operational_inertia_inverse",
    "passive_forces",
    "potential_energy",
    "potential_energy_regressor",
    "solution",
    "sparse_mass_matrix",
    "sparsity_pattern",
    "test_force_response",
    "total_mass",
    "with_rotor_bodies",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """`Kernel` and `kernel`, imported on first use: few programs need them."""
    if name in ("Kernel", "kernel"):
        from leapcheck_reference.trace import kernel

        return getattr(kernel, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
