"""Faults of a convention that stand before or behind a code with a slip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting import answers, readings
from leapcheck_evidence.score.planting.base_velocities import coordinates, tdot
from leapcheck_evidence.score.planting.fault import Asked, Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import of_type
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.programs.places import legs_of
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType

WORDS = "words:"
"""A name that begins so is a regular expression for what is said, not for a machine's name."""


def missing_base_rows(rng: Rng, setting: Setting) -> Fault:
    """The base's rows of the bias force are left at zero."""
    base = choice(rng, of_type(setting.spec, JointType.FREE))

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        if name in ("bias_force", "gravity_force", "coriolis_force"):
            values[:, base.v] = 0.0
        return values

    return Fault("base rows missing", (WORDS + r"base.*(rows?|entries|force)|rows? of the base",), answering=answering)


def legs_of_jacobian(_rng: Rng, setting: Setting) -> Fault:
    """The columns of two legs exchanged in J alone."""
    legs = legs_of(setting.spec)
    if len(legs) < 2:
        raise NotHereError("no legs")
    first, second = sorted(legs)[:2]
    columns = {
        leg: [i for slot in of_type(setting.spec, JointType.REVOLUTE) if slot.body.name in legs[leg] for i in (slot.v.start,)]
        for leg in legs
    }

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        if name == "contact_jacobians":
            both = columns[first] + columns[second]
            values[..., both] = values[..., columns[second] + columns[first]]
        return values

    return Fault(
        f"columns of {first} and {second} exchanged in J",
        (WORDS + r"(column|order|leg|joint).*", r"order/.*"),
        answering=answering,
    )


def heading_frame(rng: Rng, setting: Setting) -> Fault:
    """The base's linear velocity read in a frame that turns with the heading alone."""
    base = choice(rng, of_type(setting.spec, JointType.FREE))

    def reading(_spec: object, states: object) -> object:
        q, v = states.q, states.v.copy()  # type: ignore[attr-defined]
        w, x, y, z = q[:, base.q][:, 3:].T
        heading = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        linear = v[:, base.v][:, 3:]
        cos, sin = np.cos(heading), np.sin(heading)
        turned = np.stack(
            [cos * linear[:, 0] - sin * linear[:, 1], sin * linear[:, 0] + cos * linear[:, 1], linear[:, 2]], axis=1
        )
        v[:, base.v.start + 3 : base.v.stop] = turned
        return replace(states, v=v)  # type: ignore[type-var]

    return Fault("base velocity in the heading frame", (WORDS + r"heading|yaw",), reading=reading)  # type: ignore[arg-type]


DRAWERS: tuple[Drawer, ...] = (
    answers.linear_first,
    answers.points_in_another_order,
    readings.quaternion("read-xyzw"),
    readings.quaternion("conjugated"),
    coordinates("answers", "v_W-w_B"),
    coordinates("inputs", "w_W-v_W"),
    tdot("missing"),
    answers.point_axes("link"),
    answers.spatial_acceleration,
    readings.joint_order("rows"),
    readings.sign_of_joint,
    readings.offset_of_joint,
    missing_base_rows,
    legs_of_jacobian,
    heading_frame,
)
