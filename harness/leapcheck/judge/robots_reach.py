"""Whether another robot could answer so: which errors no numbers of a robot can make."""

from __future__ import annotations

import numpy as np

from leapcheck.judge.belief import Belief
from leapcheck.quantities import QUANTITIES

CLEAR = 1e6
"""A quantity is clearly wrong whose error is so many times what rounding explains: it would show in others, if faintly."""

DETERMINED: tuple[tuple[str, frozenset[str]], ...] = (
    ("kinetic_energy", frozenset({"mass_matrix"})),
    ("mass_matrix", frozenset({"kinetic_energy"})),
    ("coriolis_force", frozenset({"mass_matrix"})),
    ("gravity_force", frozenset({"potential_energy"})),
    ("bias_force", frozenset({"mass_matrix", "gravity_force"})),
    ("bias_force", frozenset({"coriolis_force", "gravity_force"})),
    ("coriolis_force", frozenset({"bias_force", "gravity_force"})),
    ("gravity_force", frozenset({"bias_force", "coriolis_force"})),
    ("forward_dynamics", frozenset({"mass_matrix", "bias_force"})),
    ("contact_jacobians", frozenset({"contact_positions"})),
    ("contact_velocities", frozenset({"contact_jacobians"})),
    ("contact_jacobians", frozenset({"contact_velocities"})),
    ("contact_bias_accelerations", frozenset({"contact_jacobians"})),
    ("contact_inertia", frozenset({"mass_matrix", "contact_jacobians"})),
    ("inverse_dynamics", frozenset({"mass_matrix", "bias_force"})),
    ("inverse_dynamics_with_contacts", frozenset({"inverse_dynamics", "contact_jacobians"})),
    ("inverse_dynamics_with_contacts", frozenset({"mass_matrix", "bias_force", "contact_jacobians"})),
    ("minverse", frozenset({"mass_matrix"})),
    ("operational_inertia_inverse", frozenset({"mass_matrix", "frame_jacobians"})),
    ("coriolis_matrix", frozenset({"mass_matrix"})),
    ("joint_torque_regressor", frozenset({"kinetic_energy_regressor", "potential_energy_regressor"})),
    ("inverse_dynamics_derivative_q", frozenset({"inverse_dynamics"})),
    ("inverse_dynamics_derivative_q", frozenset({"mass_matrix", "bias_force"})),
    ("inverse_dynamics_derivative_v", frozenset({"bias_force"})),
    ("forward_dynamics_derivative_q", frozenset({"forward_dynamics"})),
    ("forward_dynamics_derivative_v", frozenset({"forward_dynamics"})),
    ("forward_dynamics_derivative_tau", frozenset({"mass_matrix"})),
    ("forward_dynamics_derivative_q", frozenset({"mass_matrix", "inverse_dynamics_derivative_q"})),
    ("forward_dynamics_derivative_v", frozenset({"mass_matrix", "inverse_dynamics_derivative_v"})),
    ("coriolis_matrix", frozenset({"christoffel_matrix"})),
    ("christoffel_matrix", frozenset({"mass_matrix"})),
    ("coriolis_force", frozenset({"coriolis_matrix"})),
    ("frame_jacobians", frozenset({"frame_placements"})),
    ("frame_jacobians", frozenset({"frame_velocities"})),
    ("frame_velocities", frozenset({"frame_jacobians"})),
    ("frame_bias_accelerations", frozenset({"frame_jacobians"})),
    ("frame_bias_accelerations", frozenset({"frame_jacobian_rates"})),
    ("frame_jacobian_rates", frozenset({"frame_jacobians"})),
    ("frame_velocity_derivative_q", frozenset({"frame_velocities"})),
    ("frame_acceleration_derivative_q", frozenset({"frame_jacobians"})),
    ("frame_acceleration_derivative_v", frozenset({"frame_jacobians"})),
    ("frame_acceleration_derivative_v", frozenset({"frame_bias_accelerations"})),
    ("com_jacobian", frozenset({"com_position"})),
    ("com_jacobian", frozenset({"com_velocity"})),
    ("com_velocity", frozenset({"com_jacobian"})),
    ("com_bias_acceleration", frozenset({"com_jacobian"})),
    ("centroidal_momentum", frozenset({"centroidal_momentum_matrix"})),
    ("centroidal_momentum_matrix", frozenset({"centroidal_momentum"})),
    ("centroidal_momentum_rate", frozenset({"centroidal_momentum_matrix"})),
)
"""A quantity, and those which as functions of q and v determine it: T is v^T M v / 2, C v follows from M, g from V, J from p."""


def may_be_another_robot(belief: Belief) -> bool:
    """Whether what the belief leaves wrong may be another robot with the same coordinates, right in its own way.

    It cannot where a quantity is clearly wrong and those that determine it are right.
    """
    evidence = belief.evidence
    if any(QUANTITIES[name].in_mujoco_coordinates for name in evidence.quantities):
        return True
    right = {name for name in evidence.quantities if belief.explains(name)}
    wrong = {name for name in evidence.quantities if name not in right and belief.misfit(name) > CLEAR}
    if "potential_energy" in wrong and "gravity_force" in right and _varies(belief):
        return False
    return not any(name in wrong and by <= right for name, by in DETERMINED)


def _varies(belief: Belief) -> bool:
    """Whether the error of the potential energy is no constant, which a link fixed to the world would add."""
    evidence = belief.evidence
    off = evidence.answers["potential_energy"] - belief.prediction("potential_energy")
    near = evidence.scale["potential_energy"] * evidence.allowed["potential_energy"]
    return bool((np.abs(off - np.median(off)) > CLEAR * near).any())
