"""Engines of fewer bits are called imprecise; engines with a fault of the model, and right ones, are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge import precision
from leapcheck.judge.diagnosis import not_finite
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.sampling import States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluate_batch
from tests.harness.judge import planted_faults as p

FLOATING = "random:30"  # one base, 10 dof, a rotor, armature
FIXED = "random:29"  # two roots without a base, 3 dof, a rotor
POINTLESS = "random:44"  # without contact points

COUNT = 32
"""States of a block, all kinds among them."""

CANONICAL = tuple(name for name in DEFAULT if not QUANTITIES[name].in_mujoco_coordinates)
SOME = ("mass_matrix", "bias_force", "contact_positions")

MEASURED_SINGLE = 0.05
"""Largest error of single precision, as a share of what `allowed` grants it (worst measured: 0.02)."""


class Reduced(ReferenceEngine):
    """The reference, all of whose arithmetic is of another precision; `converted` as by an adapter that works in double."""

    def __init__(self, spec: RobotSpec, kind: Any, converted: bool = True) -> None:
        super().__init__(spec)
        self._held, self._kind, self._converted = reference.build(spec, kind), kind, converted

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        answers = {}
        for name in quantities:
            read = (getattr(states, part).astype(self._kind) for part in QUANTITIES[name].arguments)
            answers[name] = evaluate_batch(getattr(reference, name), self._held, *read)
            if self._converted:
                answers[name] = answers[name] * (1.0 + 3e-16 * np.cos(answers[name]))
        return answers


def rounded(values: NDArray[Any], kind: Any) -> NDArray[np.float64]:
    return values.astype(kind).astype(float)


def reading(kind: Any) -> p.Fault:
    """States rounded on the way in, double precision from there on."""

    def inputs(states: States) -> States:
        return replace(states, q=rounded(states.q, kind), v=rounded(states.v, kind), tau=rounded(states.tau, kind))

    return lambda spec: p.Planted(spec, inputs)


def seen(robot: str, fault: p.Fault, quantities: Sequence[str]) -> Evidence:
    spec = load(robot)
    return evidence(spec, fault(spec), generated_states(spec, COUNT, 3, 0), quantities)


SINGLE: dict[str, p.Fault] = {
    "all in float32": lambda spec: Reduced(spec, np.float32, converted=False),
    "all in float32, converted": lambda spec: Reduced(spec, np.float32),
    "answers in float32": p.entrywise(lambda x: rounded(x, np.float32)),
    "answers in float32, converted": p.entrywise(lambda x: rounded(x, np.float32) * (1.0 + 3e-16)),
    "states in float32": reading(np.float32),
}


@pytest.mark.parametrize("robot", [FLOATING, FIXED])
@pytest.mark.parametrize("fault", SINGLE.values(), ids=SINGLE)
def test_single_precision_is_called_so(robot: str, fault: p.Fault) -> None:
    at = seen(robot, fault, CANONICAL)
    found = precision.diagnosis(at)
    assert found is not None
    assert (found.name, found.cause_class) == ("precision/float32", "round-off")
    assert found.words.startswith("right but imprecise: computes in single precision (24 bits), error up to "), found
    coarse = replace(at, allowed=precision.allowed_errors(at))
    assert max(coarse.misfit(name, at.expected[name]) for name in CANONICAL) < MEASURED_SINGLE


def test_a_robot_without_contact_points_has_a_precision() -> None:
    fault = SINGLE["answers in float32, converted"]
    found = precision.diagnosis(seen(POINTLESS, fault, ("mass_matrix", "contact_positions")))
    assert found is not None
    assert found.name == "precision/float32"


@pytest.mark.parametrize("quantity", CANONICAL)
def test_one_quantity_is_enough(quantity: str) -> None:
    found = precision.diagnosis(seen(FLOATING, SINGLE["all in float32, converted"], [quantity]))
    assert found is not None
    assert found.name == "precision/float32"


@pytest.mark.parametrize("fault", [reading(np.float16), p.entrywise(lambda x: rounded(x, np.float16) * (1.0 + 3e-16))])
def test_half_precision_is_noise_of_so_many_bits(fault: p.Fault) -> None:
    found = precision.diagnosis(seen(FLOATING, fault, ("mass_matrix", "contact_positions")))
    assert found is not None
    assert found.name == "precision/noise"
    assert "right but imprecise: its answers are good for about 1" in found.words, found  # 11 bits and a few


def test_numbers_of_half_precision_are_recognised() -> None:
    found = precision.diagnosis(seen(FLOATING, p.entrywise(lambda x: rounded(x, np.float16)), ("mass_matrix",)))
    assert found is not None
    assert "half precision (11 bits)" in found.words


def test_answers_that_differ_from_call_to_call_are_noise() -> None:
    rng = np.random.default_rng(1)
    found = precision.diagnosis(seen(FLOATING, p.entrywise(lambda x: x * (1.0 + 1e-7 * rng.normal(size=x.shape))), SOME))
    assert found is not None
    assert found.name == "precision/noise"
    assert "its answers differ when it is asked twice" in found.words


def test_finite_differences_are_noise() -> None:
    """A Jacobian by central differences over 1e-6: its error is the rounding of positions over the step."""

    def differences(spec: RobotSpec) -> p.Planted:
        engine = ReferenceEngine(spec)

        def outputs(_name: str, values: NDArray[Any], states: States) -> NDArray[Any]:
            for joint in range(3):
                step = np.zeros_like(states.q)
                step[:, joint] = 1e-6
                ends = (replace(states, q=states.q + sign * step) for sign in (1.0, -1.0))
                ahead, behind = (engine.evaluate(end, ("contact_positions",))["contact_positions"] for end in ends)
                values[..., joint] = (ahead - behind) / 2e-6
            return values

        return p.Planted(spec, outputs=outputs)

    found = precision.diagnosis(seen(FIXED, differences, ("contact_jacobians",)))
    assert found is not None
    assert found.name == "precision/noise"
    assert found.words.startswith("right but imprecise"), found


FAULTS: dict[str, p.Fault] = {
    "six digits": p.with_bodies(p.six_digits),
    "a mass by 1e-7": p.with_inertia(lambda i: p.heavier(i, 1.0 + 1e-7)),
    "a mass by 0.3": p.with_inertia(lambda i: p.heavier(i, 1.3)),
    "a turned inertia": p.with_inertia(p.turned(1e-8)),
    "no inertia": p.with_inertia(lambda i: replace(i, mass=0.0, rotational=(0.0,) * 6), "link_2"),
    "a reversed axis": p.with_bodies(p.with_reversed_axis, "link_2"),
    "degrees": p.reading_degrees,
    "millimetres": p.in_units(1.0, 1e3),
    "no gravity": p.with_gravity(0.0, 0.0, 0.0),
    "smooth, of the size of single precision": p.entrywise(lambda x: x * (1.0 + 6e-8 * np.sin(3.0 * x))),
}


@pytest.mark.parametrize("robot", [FLOATING, FIXED])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_model_is_no_imprecision(robot: str, fault: p.Fault) -> None:
    at = seen(robot, fault, SOME)
    assert at.deviating
    assert precision.diagnosis(at) is None
    assert precision.allowed_errors(at) == at.allowed


def test_an_engine_that_is_right_is_not_imprecise() -> None:
    rng = np.random.default_rng(0)
    noise = p.entrywise(lambda x: x * (1.0 + 10 * np.finfo(float).eps * rng.uniform(-1.0, 1.0, x.shape)))
    for fault in (ReferenceEngine, noise):
        at = seen(FLOATING, fault, CANONICAL)
        assert precision.diagnosis(at) is None
        assert not at.deviating


def test_a_fault_beside_single_precision_remains_to_be_explained() -> None:
    def both(spec: RobotSpec) -> Reduced:
        bodies = tuple(replace(b, inertia=p.heavier(b.inertia, 1.02)) if b.name == "link_4" else b for b in spec.bodies)
        return Reduced(replace(spec, bodies=bodies), np.float32)

    at = seen(FLOATING, both, ("mass_matrix", "contact_positions"))
    found = precision.diagnosis(at)
    assert found is not None
    assert found.name == "precision/float32"
    assert "has another cause" in found.words
    coarse = replace(at, allowed=precision.allowed_errors(at))
    assert coarse.deviating == ("mass_matrix",)


class Recorded:
    """Answers that were written down: nothing else can be asked."""

    name, version, route = "recorded", "0", "a file"
    quantities = frozenset(SOME)

    def __init__(self, spec: RobotSpec, converted: bool) -> None:
        self._engine: Reduced | None = Reduced(spec, np.float32, converted)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        if self._engine is None:
            raise RuntimeError("no such states")
        engine, self._engine = self._engine, None
        return engine.evaluate(states, quantities)


def test_recorded_answers_are_known_by_their_numbers_alone() -> None:
    found = precision.diagnosis(seen(FIXED, lambda spec: Recorded(spec, False), ("bias_force",)))
    assert found is not None
    assert found.name == "precision/float32"
    assert precision.diagnosis(seen(FIXED, lambda spec: Recorded(spec, True), ("bias_force",))) is None


@pytest.mark.parametrize(("floor", "deviating"), [(0.0, ()), (1e4, ("mass_matrix",))])
def test_cancellation_is_excused_far_from_the_origin_only(floor: float, deviating: tuple[str, ...]) -> None:
    """An error of 1e-15 per metre of the base's distance, or as large everywhere as 10 km away."""
    rng = np.random.default_rng(2)

    def off(_spec: RobotSpec, _name: str, values: NDArray[Any], states: States) -> NDArray[Any]:
        distance = np.linalg.norm(states.q[:, :3], axis=1)[:, None, None]
        return values * (1.0 + 1e-15 * np.maximum(distance, floor) * rng.uniform(-1.0, 1.0, values.shape))

    assert seen("box", p.answering(off), ("mass_matrix",)).deviating == deviating


def test_numbers_that_are_not_finite_are_counted() -> None:
    bad = p.entrywise(lambda x: np.where(np.arange(x.shape[-1]) == 1, np.nan, x))
    found = not_finite(seen(FIXED, bad, ("bias_force",)))
    assert found is not None
    assert (found.name, found.cause_class) == ("engine/not-finite", "engine")
    assert f"{COUNT} of {3 * COUNT} numbers" in found.details
    assert not_finite(seen(FIXED, ReferenceEngine, ("bias_force",))) is None
