"""Moving frames: every velocity and acceleration is the time derivative of what comes before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from leapcheck_reference.classical.moving_frames import (
    FrameMotion,
    PointMotion,
    acceleration,
    angular_acceleration,
    angular_velocity,
    compose,
    fixed_point_acceleration,
    position,
    velocity,
)
from leapcheck_reference.rotation import axis_rotation, skew

STEP = 1e-30
ROUNDING = 5e-15
"""Relative to the largest entry; measured 1.1e-15 over all tests of this file."""

TIMES = (0.0, 0.37, 1.9)


def rate(f: Callable[[Any], Any], t: float) -> Any:
    """df/dt by complex step."""
    return np.asarray(f(t + 1j * STEP)).imag / STEP


def polynomial(rng: np.random.Generator) -> Callable[[Any], tuple[Any, Any, Any]]:
    """A random vector of cubics in t with its first and second derivative, (3,) each."""
    a, b, c, d = rng.normal(size=(4, 3))
    return lambda t: (a + t * (b + t * (c + t * d)), b + t * (2 * c + 3 * t * d), 2 * c + 6 * t * d)


def turning_frame(rng: np.random.Generator) -> Callable[[Any], FrameMotion]:
    """A frame that turns about a fixed axis at a varying rate while its origin flies along a cubic."""
    axis, origin, angle = rng.normal(size=3), polynomial(rng), polynomial(rng)
    axis = axis / np.linalg.norm(axis)

    def frame(t: Any) -> FrameMotion:
        turned, rate_, second = (x[0] for x in angle(t))
        return FrameMotion(axis_rotation(axis, turned), *origin(t), axis * rate_, axis * second)

    return frame


def tumbling_frame(seed: int) -> Callable[[Any], FrameMotion]:
    """Frame on a frame on a frame: a generic motion, its angular velocity along no fixed axis."""
    rng = np.random.default_rng(seed)
    a, b, c = (turning_frame(rng) for _ in range(3))
    return lambda t: compose(compose(a(t), b(t)), c(t))


def moving_point(seed: int) -> Callable[[Any], PointMotion]:
    path = polynomial(np.random.default_rng(seed))
    return lambda t: PointMotion(*path(t))


def assert_close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


def test_velocity_is_the_rate_of_position_and_acceleration_of_velocity() -> None:
    frame, point = tumbling_frame(1), moving_point(2)
    for t in TIMES:
        assert_close(velocity(frame(t), point(t)), rate(lambda s: position(frame(s), point(s)), t))
        assert_close(acceleration(frame(t), point(t)), rate(lambda s: velocity(frame(s), point(s)), t))


def test_angular_velocity_is_the_rate_of_rotation_and_angular_acceleration_its_rate() -> None:
    frame = tumbling_frame(3)
    for t in TIMES:
        assert_close(skew(frame(t).w), rate(lambda s: frame(s).R, t) @ frame(t).R.T)
        assert_close(frame(t).wdot, rate(lambda s: frame(s).w, t))


def test_composition_of_angular_velocities_and_accelerations() -> None:
    outer, inner = tumbling_frame(4), tumbling_frame(5)
    for t in TIMES:
        whole = compose(outer(t), inner(t))
        assert_close(angular_velocity(outer(t), inner(t).w), whole.w)
        assert_close(angular_acceleration(outer(t), inner(t).w, inner(t).wdot), whole.wdot)
        assert_close(skew(whole.w), rate(lambda s: compose(outer(s), inner(s)).R, t) @ whole.R.T)


def test_fixed_point_is_the_revolute_case() -> None:
    frame, p = tumbling_frame(6), np.array([0.3, -0.2, 0.5])
    still = PointMotion(p, np.zeros(3), np.zeros(3))
    for t in TIMES:
        assert_close(fixed_point_acceleration(frame(t), p), acceleration(frame(t), still))
        assert_close(fixed_point_acceleration(frame(t), p), rate(lambda s: velocity(frame(s), still), t))


def test_composition_is_associative() -> None:
    a, b, c = (tumbling_frame(seed)(0.7) for seed in (7, 8, 9))
    left, right = compose(compose(a, b), c), compose(a, compose(b, c))
    for field in ("R", "p", "v", "vdot", "w", "wdot"):
        assert_close(getattr(left, field), getattr(right, field))
