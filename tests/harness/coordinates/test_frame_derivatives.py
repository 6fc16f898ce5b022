"""Derivatives of frames' motion in each form that can be declared: those, by differences, of what the engine itself has there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from leapcheck.coordinates.frame_derivatives import DERIVATIVES
from leapcheck.coordinates.frame_maps import VDOT, FrameAcceleration, FrameConvention, FramePoint
from leapcheck.coordinates.frames import canonical_frames, own_frames
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.identities.manifold import point_on_curve, rate
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load

pytestmark = pytest.mark.quick

SPEC = load("random:25")  # a free base and a hinge
ENGINE = ReferenceEngine(SPEC)
STATES = replace(generated_states(SPEC, 2, 1, 0), v=np.random.default_rng(0).normal(size=(2, SPEC.nv)))

STEP = 1e-5
DIFFERENCES = 1e-9
"""Largest error over the largest entry that central differences make; measured: 5.8e-11."""

ROUNDING = 1e-14
"""The same of a form and back; measured: 6e-16."""

PLACES = [(False, FramePoint.ORIGIN), (False, FramePoint.COM), (False, FramePoint.WORLD_ORIGIN)]
PLACES += [(True, FramePoint.ORIGIN), (True, FramePoint.COM)]
FORMS = [FrameConvention(*place, acceleration) for place, acceleration in product(PLACES, FrameAcceleration)]


class Point:
    """The robot at two states: canonical values, each computed once."""

    def __init__(self, states: States) -> None:
        self.vdot = states.vdot
        self._states = states
        self._answers = {VDOT: states.vdot}

    def __call__(self, name: str) -> Floats:
        if name not in self._answers:
            self._answers |= ENGINE.evaluate(self._states, (name,))
        return self._answers[name]


def own(form: FrameConvention, point: Point, name: str) -> Floats:
    return own_frames(form, SPEC, name, point(name), point)


def velocities(form: FrameConvention, point: Point) -> Floats:
    return own(form, point, "frame_velocities")


def accelerations(form: FrameConvention, point: Point) -> Floats:
    """J vdot + Jdot v, all of that form."""
    driven = np.einsum("nfij,nj->nfi", own(form, point, "frame_jacobians"), point.vdot)
    return np.asarray(own(form, point, "frame_bias_accelerations") + driven)


@lru_cache
def sides(by_q: bool) -> list[tuple[Point, Point]]:
    """Ahead and behind along each dof."""
    pairs = []
    for unit in np.eye(SPEC.nv):
        along = np.tile(unit, (len(STATES), 1))
        qdot = rate(SPEC, STATES.q, along)
        ahead, behind = (
            replace(STATES, q=point_on_curve(SPEC, STATES.q, qdot, step)) if by_q else replace(STATES, v=STATES.v + step * along)
            for step in (STEP, -STEP)
        )
        pairs.append((Point(ahead), Point(behind)))
    return pairs


def differences(function: Callable[[FrameConvention, Point], Floats], form: FrameConvention, by_q: bool) -> Floats:
    """Central differences along each dof, (n, frames, 6, nv)."""
    columns = [(function(form, ahead) - function(form, behind)) / (2.0 * STEP) for ahead, behind in sides(by_q)]
    return np.stack(columns, axis=-1)


HERE = Point(STATES)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.local}-{form.point}-{form.acceleration}")
def test_a_form_s_derivatives_are_those_of_what_it_has(form: FrameConvention) -> None:
    functions = zip(DERIVATIVES, (velocities, accelerations, accelerations), (True, True, False), strict=True)
    for name, function, by_q in functions:
        expected, answer = differences(function, form, by_q), own(form, HERE, name)
        assert np.abs(answer - expected).max() < DIFFERENCES * np.abs(expected).max(), name


@pytest.mark.parametrize("form", [replace(FORMS[k], linear_first=True) for k in (2, 6, 9, 13)])
def test_there_and_back(form: FrameConvention) -> None:
    for name in DERIVATIVES:
        back = canonical_frames(form, SPEC, name, own(form, HERE, name), HERE)
        assert np.abs(back - HERE(name)).max() < ROUNDING * np.abs(HERE(name)).max(), name


def test_at_the_robot_s_com_they_are_refused() -> None:
    declared = {"frame_point": "robot com"}
    with pytest.raises(RuntimeError, match="frame_velocity_derivative_q at the robot's com is not converted"):
        user_engine({"frame_velocity_derivative_q": lambda q, v: q, "conventions": declared}, SPEC)
