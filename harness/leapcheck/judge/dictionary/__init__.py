"""Known conventions and shortcuts of engines, as hypotheses to combine: the lists that the solver tries."""

from __future__ import annotations

from leapcheck.judge.belief import Belief, Hypothesis, Proposal
from leapcheck.judge.dictionary.actuation import actuation_forms
from leapcheck.judge.dictionary.base_velocity import base_origin, base_velocity
from leapcheck.judge.dictionary.contact_forces import contact_force_forms, contact_force_points
from leapcheck.judge.dictionary.contacts import contact_accelerations, contact_axes, contact_places
from leapcheck.judge.dictionary.coriolis import coriolis_forms
from leapcheck.judge.dictionary.derivatives import derivative_forms, derivative_losses
from leapcheck.judge.dictionary.factors import common_factors, energy_zero, masses
from leapcheck.judge.dictionary.forces import force_parts, gravity_sign, gravity_vector, losses
from leapcheck.judge.dictionary.frame_derivatives import frame_derivative_forms
from leapcheck.judge.dictionary.frames import frame_forms, frame_parts
from leapcheck.judge.dictionary.inertias import inertia_readings
from leapcheck.judge.dictionary.inverse_dynamics import inverse_dynamics_parts
from leapcheck.judge.dictionary.inverses import inverse_forms, operational_forms
from leapcheck.judge.dictionary.joints import joint_offsets, joint_signs, partial_joint_signs
from leapcheck.judge.dictionary.model import armature, placements, rotors, rotors_of_limbs, unreal_inertias
from leapcheck.judge.dictionary.momentum import com_forms, momentum_forms, momentum_parts
from leapcheck.judge.dictionary.order import joint_exchanges, joint_orders, row_orders
from leapcheck.judge.dictionary.packing import storage_form, symmetric_half
from leapcheck.judge.dictionary.passive import passive_coefficients, passive_forms, smoothed_friction
from leapcheck.judge.dictionary.quaternions import quaternion_order
from leapcheck.judge.dictionary.regressors import regressor_forms
from leapcheck.judge.dictionary.robust import promising
from leapcheck.judge.dictionary.rows import dof_factors, frame_rows, parameter_columns
from leapcheck.judge.dictionary.units import angle_unit, force_unit, length_unit, mass_unit
from leapcheck.judge.dictionary.zeros import zero_entries

FIXED: tuple[Proposal, ...] = (
    *(
        armature,
        rotors,
        rotors_of_limbs,
        unreal_inertias,
        base_velocity,
        base_origin,
        quaternion_order,
        joint_orders,
        joint_signs,
        gravity_sign,
    ),
    *(force_parts, contact_axes, contact_places, contact_accelerations, angle_unit, length_unit, mass_unit, force_unit),
    *(
        placements,
        inertia_readings,
        storage_form,
        symmetric_half,
        momentum_forms,
        momentum_parts,
        com_forms,
        frame_forms,
        frame_parts,
        coriolis_forms,
        derivative_forms,
        frame_derivative_forms,
        regressor_forms,
        passive_forms,
        inverse_dynamics_parts,
        contact_force_forms,
        inverse_forms,
        operational_forms,
        actuation_forms,
    ),
)
"""Lists that depend on the robot and on which quantities there are, not on the answers."""

FITTED: tuple[Proposal, ...] = (
    *(gravity_vector, common_factors, masses, energy_zero, losses, row_orders, joint_exchanges, partial_joint_signs),
    *(joint_offsets, zero_entries, smoothed_friction, passive_coefficients),
    *(frame_rows, parameter_columns, dof_factors, derivative_losses, contact_force_points),
)
"""Numbers and orders fitted to what a belief leaves unexplained; none where they explain nothing."""


def best_hypotheses(belief: Belief, most: int = 6) -> list[Hypothesis]:
    """The hypotheses that make most of the entries right that a belief leaves wrong, the best first: those to go on with
    where no single one explains all.
    """
    family = [hypothesis for proposal in (*FIXED, *FITTED) for hypothesis in proposal(belief)]
    return promising(belief, family, most, quantities=3)
