"""Why two engines disagree, in words: the fingerprints of known faults, tried in order on a small block of states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leapcheck.compare.errors import scale_free, scales
from leapcheck.engines.protocol import Engine
from leapcheck.judge.base_velocity import base_velocity
from leapcheck.judge.case import Case, Cause, case
from leapcheck.judge.consistency import self_contradiction
from leapcheck.judge.contacts import contact_accelerations, contact_axes
from leapcheck.judge.digits import lost_digits
from leapcheck.judge.forces import damping, force_parts
from leapcheck.judge.inputs import angle_unit, length_unit, quaternion_order
from leapcheck.judge.links import link_inertia, link_placement
from leapcheck.judge.model import other_model
from leapcheck.judge.order import joint_order, row_order, storage_form
from leapcheck.judge.parameters import armature, common_factor, energy_zero, gravity
from leapcheck.judge.pattern import pattern
from leapcheck.judge.rounding import not_finite, round_off
from leapcheck.judge.truth import wrong_side
from leapcheck.states import Floats, States
from leapcheck_models.spec import RobotSpec

Fingerprint = Callable[[Case], Cause | None]

FINGERPRINTS: tuple[Fingerprint, ...] = (
    not_finite,
    round_off,
    storage_form,
    armature,
    other_model,
    base_velocity,
    quaternion_order,
    row_order,
    joint_order,
    gravity,
    force_parts,
    energy_zero,
    common_factor,
    damping,
    contact_axes,
    contact_accelerations,
    angle_unit,
    length_unit,
    lost_digits,
    link_inertia,
    link_placement,
    self_contradiction,
)
"""The causes that are known, the cheap and common ones first; each returns None unless the error vanishes under it."""


def explanation(spec: RobotSpec, quantity: str, engine: Engine, against: Engine, states: States) -> Cause:
    """Why the canonical answers of two engines to a quantity differ over a block of states (up to 64 are enough).

    The side that lies farther from the truth at the worst state is held against the in-house model of the robot. The first
    fingerprint under which its error vanishes names the cause; else it is "unexplained", with the error's pattern.
    """
    answers, others = (side.evaluate(states, (quantity,))[quantity] for side in (engine, against))
    worst = _worst_state(quantity, answers, others)
    wrong = wrong_side(spec, quantity, engine, against, states[worst : worst + 1])
    suspect, suspicious = (against, others) if wrong == "against" else (engine, answers)
    at = case(spec, quantity, suspect, suspicious, states)
    for fingerprint in FINGERPRINTS:
        if cause := fingerprint(at):
            return replace(cause, wrong=wrong)
    return Cause("unexplained", "no known fault makes this error", pattern(at), wrong)


def _worst_state(quantity: str, answers: Floats, others: Floats) -> int:
    """The state at which two answers differ most, in the quantity's scale."""
    with np.errstate(all="ignore"):
        scale = np.fmax(scales(quantity, np.abs(answers)), scales(quantity, np.abs(others)))
        error = np.nan_to_num(scale_free(answers - others, scale), nan=np.inf, posinf=np.inf)
    return int(error.reshape(len(error), -1).max(axis=1, initial=0.0).argmax())
