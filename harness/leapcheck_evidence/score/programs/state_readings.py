"""Faults in how a state is read: coordinates, rates and torques that are clipped, folded or taken for zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.fault import Rng, choice
from leapcheck_evidence.score.planting.layout import Slot, of_type
from leapcheck_evidence.score.programs.defect import Faulty, StateFault
from leapcheck_evidence.score.programs.state_words import ONE_DOF, RATE, joint_words, number_words
from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType, RobotSpec


def _coordinate_fault(label: str, words: tuple[str, ...], change: Callable[[Array], Array], slot: Slot) -> StateFault:
    """A fault in how one coordinate is read."""

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        q = states.q.copy()
        q[:, slot.q] = change(q[:, slot.q])
        return engine.inner.evaluate(replace(states, q=q), quantities)

    return StateFault(label, answers, (joint_words(slot), *words))


def _rate_fault(label: str, words: tuple[str, ...], change: Callable[[Array], Array], slot: Slot) -> StateFault:
    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        v = states.v.copy()
        v[:, slot.v] = change(v[:, slot.v])
        return engine.inner.evaluate(replace(states, v=v), quantities)

    return StateFault(label, answers, (joint_words(slot), *words))


def clipped_angle(rng: Rng, spec: RobotSpec) -> StateFault:
    """A joint coordinate cut off at a limit."""
    slot, limit = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([0.7, 1.2, 1.5708, 2.7]))
    name = slot.body.joint.name
    return _coordinate_fault(
        f"{name} clipped at {limit:g}",
        (r"clip|cut|limit|clamp|satur|>|beyond|above|exceed", number_words(limit)),
        lambda q: np.clip(q, -limit, limit),
        slot,
    )


def clipped_angle_above(rng: Rng, spec: RobotSpec) -> StateFault:
    """A joint coordinate cut off above only."""
    slot, limit = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([0.0, 0.4, 1.1]))
    name = slot.body.joint.name
    return _coordinate_fault(
        f"{name} clipped above {limit:g}",
        (r"clip|cut|limit|clamp|satur|>|beyond|above|exceed|positive", number_words(limit)),
        lambda q: np.minimum(q, limit),
        slot,
    )


def absolute_angle(rng: Rng, spec: RobotSpec) -> StateFault:
    """|q| for q."""
    slot = choice(rng, of_type(spec, *ONE_DOF))
    return _coordinate_fault(f"|{slot.body.joint.name}|", (r"negative|< ?-?0|below 0|sign|absolute|\|q",), np.abs, slot)


def small_angle_at_zero(rng: Rng, spec: RobotSpec) -> StateFault:
    """A small joint coordinate taken for zero."""
    slot, eps = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([0.01, 0.05, 0.1]))
    return _coordinate_fault(
        f"{slot.body.joint.name} taken for 0 below {eps:g}",
        (r"small|near|< |below|within|zero|deadband|guard", number_words(eps)),
        lambda q: np.where(np.abs(q) < eps, 0.0, q),
        slot,
    )


def clipped_rate(rng: Rng, spec: RobotSpec) -> StateFault:
    """A joint rate cut off at a limit."""
    slot, limit = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([2.0, 5.0, 20.0]))
    return _rate_fault(
        f"rate of {slot.body.joint.name} clipped at {limit:g}",
        (RATE, r"clip|cut|limit|clamp|satur|>|beyond|above|exceed", number_words(limit)),
        lambda v: np.clip(v, -limit, limit),
        slot,
    )


def deadband_rate(rng: Rng, spec: RobotSpec) -> StateFault:
    """A slow joint taken to stand."""
    slot, eps = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([0.1, 0.5, 1.0]))
    return _rate_fault(
        f"rate of {slot.body.joint.name} taken for 0 below {eps:g}",
        (RATE, r"small|near|< |below|within|zero|deadband|guard|slow", number_words(eps)),
        lambda v: np.where(np.abs(v) < eps, 0.0, v),
        slot,
    )


def absolute_rate(rng: Rng, spec: RobotSpec) -> StateFault:
    """|qd| for qd."""
    slot = choice(rng, of_type(spec, *ONE_DOF))
    return _rate_fault(
        f"|rate of {slot.body.joint.name}|", (RATE, r"negative|< ?-?0|below 0|sign|absolute|\|v|\|q"), np.abs, slot
    )


def negative_quaternion(rng: Rng, spec: RobotSpec) -> StateFault:
    """|w| for w of the base's quaternion."""
    slot = choice(rng, of_type(spec, JointType.FREE))

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        q = states.q.copy()
        q[:, slot.q.start + 3] = np.abs(q[:, slot.q.start + 3])
        return engine.inner.evaluate(replace(states, q=q), quantities)

    return StateFault(
        "|w| of the base's quaternion", answers, (r"quaternion|q_?w\b|\bw\b", r"negative|< ?-?0|sign|absolute|below 0")
    )


def far_away(rng: Rng, spec: RobotSpec) -> StateFault:
    """The base's position cut off."""
    slot, limit = choice(rng, of_type(spec, JointType.FREE)), float(rng.choice([0.1, 0.5]))

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        q = states.q.copy()
        x = slot.q.start
        q[:, x] = np.clip(q[:, x], -limit, limit)
        return engine.inner.evaluate(replace(states, q=q), quantities)

    return StateFault(
        f"x of the base clipped at {limit:g} m",
        answers,
        (r"\bx\b|p_x|position", r"clip|cut|limit|clamp|satur|>|beyond|above|exceed|far", number_words(limit)),
    )


def clipped_torque(rng: Rng, spec: RobotSpec) -> StateFault:
    """The drive's limit in forward dynamics."""
    slot, limit = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([2.0, 5.0, 10.0]))

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        tau = states.tau.copy()
        tau[:, slot.v] = np.clip(tau[:, slot.v], -limit, limit)
        return engine.inner.evaluate(replace(states, tau=tau), quantities)

    return StateFault(
        f"torque of {slot.body.joint.name} clipped at {limit:g}",
        answers,
        (joint_words(slot), r"torque|tau|effort", r"clip|cut|limit|clamp|satur|>|beyond|above|exceed", number_words(limit)),
    )
