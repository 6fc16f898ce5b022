"""The truth on every state: each engine's accuracy is its error against it, here by arb balls; and what if there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.engines.registry import make_engine
from leapcheck.judge.truth import truth
from leapcheck.quantities import DEFAULT
from leapcheck.records import Accuracy, Run
from leapcheck.robots.load import NamedRobot, named_robot
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States, generated_states
from leapcheck.study import run_comparison
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.spec import RobotSpec
from tests.harness.comparison.run_cases import OURS, figures_of, without_truth
from tests.harness.comparison.wrapped import Wrapped, with_entry

COUNT = 16  # one of each kind of state and more
QUANTITIES_OF_FEW = ("mass_matrix", "bias_force", "forward_dynamics", "contact_jacobians", "qM")
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in ROBOTS if name != "pupper_leg"]
DOUBLE = 4e-15
"""The figure of a run beside that of the readable code: one rounds its sines and assembles otherwise. Measured 6e-16."""


def balls(spec: RobotSpec, quantity: str, states: States) -> Floats:
    """The true values at the states, by arb."""
    return np.array([truth(spec, quantity, *state) for state in zip(states.q, states.v, states.tau, strict=True)])


def errors(spec: RobotSpec, engine: str, quantity: str, states: States) -> Floats:
    """Scale-free error (n,) of an engine's evaluation against arb."""
    true = balls(spec, quantity, states)
    off = make_engine(engine, spec).evaluate(states, (quantity,))[quantity] - true
    return scale_free(off, scales(quantity, true)).reshape(len(states), -1).max(axis=1, initial=0.0)


def accuracies(plan: Plan) -> dict[tuple[str, str], Accuracy]:
    return {(row.quantity, row.engine): row for row in figures_of(plan).accuracies}


def near(spec: RobotSpec) -> States:
    """The states that count in the figures: all but those far from the origin."""
    states = generated_states(spec, COUNT, 0, 0)
    rows = [i for i, kind in enumerate(states.kind) if kind != "far" or spec.bodies[0].joint.type != "free"]
    return States(states.q[rows], states.v[rows], states.tau[rows], states.index[rows], tuple(states.kind[i] for i in rows))


@pytest.mark.parametrize("robot", ["pupper_leg", "random:32", *OTHERS])
def test_an_accuracy_is_the_error_against_balls(robot: str) -> None:
    spec, states = load(robot), near(load(robot))
    found = accuracies(Plan(NamedRobot(spec, robot), OURS, QUANTITIES_OF_FEW, COUNT))
    # In a run the reference solves forward dynamics by its factorization, as one straight line; alone by articulated bodies.
    del found["forward_dynamics", "reference"]
    for (quantity, engine), row in found.items():
        expected = errors(spec, engine, quantity, states)
        assert abs(row.worst - expected.max()) <= DOUBLE + 0.5 * expected.max(), (quantity, engine)
        assert abs(row.median - np.median(expected)) <= DOUBLE + 0.5 * np.median(expected), (quantity, engine)
        assert (row.states, row.sampled) == (COUNT, len(states))


@pytest.mark.parametrize("quantity", DEFAULT)
def test_the_in_house_values_are_right_to_a_few_roundings(quantity: str) -> None:
    (row,) = [
        row
        for row in figures_of(Plan(named_robot("tree4_9"), ("reference", "mujoco"), (quantity,), 64)).accuracies
        if row.engine == "reference"
    ]
    assert row.rounding < 16.0  # measured 2.3
    assert row.median < 4e-15  # measured 1.0e-15, of Jdot v


PLANTED = [("mass_matrix", (1, 2)), ("bias_force", (0,)), ("contact_jacobians", (0, 1, 2)), ("kinetic_energy", ()), ("qM", (3,))]


@pytest.mark.parametrize("compile_code", [False, True])
@pytest.mark.parametrize(("quantity", "place"), PLANTED)
def test_a_planted_error_of_1e_12_shows_in_the_engines_accuracy_and_in_no_other(
    quantity: str, place: tuple[int, ...], compile_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leapcheck.comparison.plan.COMPILED_FROM", 1 if compile_code else 10**9)
    spec = load("pupper_leg")
    states = generated_states(spec, COUNT, 0, 0)
    scale = np.broadcast_to(scales(quantity, balls(spec, quantity, states)), (COUNT, *balls(spec, quantity, states).shape[1:]))

    def off(index: int | None) -> Wrapped:
        return Wrapped(spec, with_entry(quantity, place, lambda x: x + 1e-12, index), [quantity])

    for index, sizes in ((None, 1e-12 / scale[(slice(None), *place)]), (9, 1e-12 / scale[(slice(9, 10), *place)])):
        found = accuracies(Plan(NamedRobot(spec), ("reference", off(index)), (quantity,), COUNT))
        row, ours = found[quantity, "own"], found[quantity, "reference"]
        assert row.worst == pytest.approx(sizes.max(), rel=0.1)
        assert ours.worst < 1e-2 * row.worst
        if index is None:
            assert row.median == pytest.approx(np.median(sizes), rel=0.1)
        else:
            assert row.index == 9
            assert row.median < 1e-2 * row.worst


def test_far_states_do_not_hide_what_is_near() -> None:
    found = accuracies(Plan(named_robot("box"), ("reference", "pinocchio"), ("contact_jacobians",), 64))
    assert found["contact_jacobians", "pinocchio"].worst < 1e-14
    assert found["contact_jacobians", "pinocchio"].sampled == 56


def without_accuracies(run: Run) -> Run:
    return replace(run, accuracies=(), verdicts=(), identities=(), not_compared=())


@pytest.mark.parametrize("long", [False, True])
def test_programs_that_are_not_compiled_give_the_same_run(long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit the same, also as a run of many states, which is otherwise compiled."""
    monkeypatch.setattr("leapcheck.comparison.plan.COMPILED_FROM", 1 if long else 10**9)
    spec = load("random:32")
    plan = Plan(NamedRobot(spec, "random:32"), (*OURS, Wrapped(spec)), count=40)
    whole = run_comparison(plan)
    monkeypatch.setattr("leapcheck_reference.trace.kernel.compile_program", lambda *_: None)
    run = run_comparison(plan)
    assert run.accuracies == whole.accuracies
    assert len(whole.accuracies) > 17
    assert run.not_compared == whole.not_compared
    assert without_accuracies(run) == without_accuracies(whole)
    assert without_truth(run) == without_truth(whole)
    assert {row.quantity for row in run.comparisons if row.worst is not None and row.worst.truth is not None} == set(DEFAULT)
