"""Faults in the answers of some states: branches, guards, caches, calls that are not repeatable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.fault import Rng, choice
from leapcheck_evidence.score.planting.layout import of_type
from leapcheck_evidence.score.programs.defect import Faulty, StateFault
from leapcheck_evidence.score.programs.state_words import ONE_DOF, RATE, joint_words, number_words
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import JointType, RobotSpec


def _answer_fault(
    label: str, words: tuple[str, ...], names: tuple[str, ...], change: Callable[[States, Floats], Floats]
) -> StateFault:
    """A fault in the answers of some quantities."""

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        given = engine.inner.evaluate(states, quantities)
        return {name: change(states, values.copy()) if name in names else values for name, values in given.items()}

    return StateFault(label, answers, words)


def _where(mask: Array, wrong: Floats, right: Floats) -> Floats:
    return np.where(mask.reshape(-1, *(1,) * (right.ndim - 1)), wrong, right)


def coulomb_friction(rng: Rng, spec: RobotSpec) -> StateFault:
    """Dry friction in the bias force."""
    slot, size = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([0.05, 0.2, 1.0]))

    def change(states: States, values: Floats) -> Floats:
        values[:, slot.v] += size * np.sign(states.v[:, slot.v])
        return values

    return _answer_fault(
        f"Coulomb friction {size:g} at {slot.body.joint.name}",
        (joint_words(slot), r"friction|sign|coulomb", number_words(size)),
        ("bias_force",),
        change,
    )


def no_velocity_terms_when_slow(rng: Rng, spec: RobotSpec) -> StateFault:
    """The Coriolis force left out below a speed."""
    slot, limit = choice(rng, of_type(spec, *ONE_DOF)), float(rng.choice([0.5, 1.0, 2.0]))

    def change(states: States, values: Floats) -> Floats:
        return _where(np.abs(states.v[:, slot.v.start]) < limit, 0.0 * values, values)

    return _answer_fault(
        f"no Coriolis force where |rate of {slot.body.joint.name}| < {limit:g}",
        (joint_words(slot), RATE, r"< |below|small|slow|within", number_words(limit)),
        ("coriolis_force",),
        change,
    )


def singular_guard(rng: Rng, spec: RobotSpec) -> StateFault:
    """M with a term for stability where a joint is nearly straight."""
    slot, eps = choice(rng, of_type(spec, JointType.REVOLUTE)), float(rng.choice([0.05, 0.2]))

    def change(states: States, values: Floats) -> Floats:
        return _where(np.abs(states.q[:, slot.q.start]) < eps, values + 1e-3 * np.eye(values.shape[1]), values)

    return _answer_fault(
        f"1e-3 on the diagonal of M where |{slot.body.joint.name}| < {eps:g}",
        (joint_words(slot), r"< |below|small|near|within|straight", number_words(eps)),
        ("mass_matrix",),
        change,
    )


def upside_down(rng: Rng, spec: RobotSpec) -> StateFault:
    """Gravity turned over where the base is upside down."""
    slot = choice(rng, of_type(spec, JointType.FREE))

    def change(states: States, values: Floats) -> Floats:
        _, x, y, _ = states.q[:, slot.q][:, 3:].T
        return _where(1.0 - 2.0 * (x * x + y * y) < 0.0, -values, values)

    return _answer_fault(
        "gravity force with the wrong sign upside down",
        (r"upside|R_?zz|tilt|z.axis|overturn|base.*down",),
        ("gravity_force",),
        change,
    )


def stale_matrix(_rng: Rng, _spec: RobotSpec) -> StateFault:
    """M of the call before."""

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        given = engine.inner.evaluate(states, quantities)
        if "mass_matrix" in given and len(states):
            M = given["mass_matrix"]
            before = engine.last.get("mass_matrix", M[0])
            engine.last["mass_matrix"] = M[-1].copy()
            given["mass_matrix"] = np.concatenate([before[None], M[:-1]])
        return given

    return StateFault("M of the call before", answers, (r"before|previous|last|stale|earlier|cache",))


def stale_where_nothing_moves(rng: Rng, spec: RobotSpec) -> StateFault:
    """A bias force that is not worked out again where one joint has hardly moved."""
    slot, eps = choice(rng, of_type(spec, *ONE_DOF)), 0.5

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        given = engine.inner.evaluate(states, quantities)
        if "bias_force" in given:
            h = given["bias_force"].copy()
            for i, q in enumerate(states.q[:, slot.q.start]):
                if "q" in engine.last and abs(q - engine.last["q"][0]) < eps:
                    h[i] = engine.last["bias_force"]
                else:
                    engine.last.update(q=np.array([q]), bias_force=given["bias_force"][i])
            given["bias_force"] = h
        return given

    return StateFault(
        f"bias force kept while {slot.body.joint.name} moves by less than {eps:g}",
        answers,
        (r"before|previous|stale|earlier|cache|order of",),
    )


def one_in_many(rng: Rng, _spec: RobotSpec) -> StateFault:
    """One call in many goes wrong."""
    many = int(rng.choice([20, 50, 100]))

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        given = engine.inner.evaluate(states, quantities)
        if "bias_force" in given:
            h = given["bias_force"].copy()
            for i in range(len(h)):
                engine.calls += 1
                h[i] *= 1.0 + 0.01 * (engine.calls % many == 0)
            given["bias_force"] = h
        return given

    return StateFault(
        f"bias force 1 % off at one call in {many}",
        answers,
        (rf"one in|every {many}|each {many}|{many}th|not repeat|same state|again|sometimes|rarely|number of calls|calls?",),
    )


def end_of_batch(_rng: Rng, _spec: RobotSpec) -> StateFault:
    """The last state of a block is left at what the one before it gave."""

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        given = engine.inner.evaluate(states, quantities)
        if "mass_matrix" in given and len(states) > 1:
            given["mass_matrix"][-1] = given["mass_matrix"][-2]
        return given

    return StateFault("M of the last state of a block is that of the one before", answers, (r"last|batch|block|end|position in",))


def noise(_rng: Rng, _spec: RobotSpec) -> StateFault:
    """Answers that differ from call to call."""

    def answers(engine: Faulty, states: States, quantities: Sequence[str]) -> Answers:
        given = engine.inner.evaluate(states, quantities)
        if "mass_matrix" in given:
            engine.calls += 1
            wobble = np.random.default_rng(engine.calls).standard_normal(given["mass_matrix"].shape)
            given["mass_matrix"] = given["mass_matrix"] * (1.0 + 1e-9 * wobble)
        return given

    return StateFault("M noisy by 1e-9", answers, (r"repeat|same state|twice|noise|random|determin|again|call to call",))
