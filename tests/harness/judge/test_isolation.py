"""An engine that begins to fail after the comparison, in whatever way, costs what it does not answer and nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.engines.protocol import Answers
from leapcheck.records import UNANSWERED, CauseClass, Diagnosis, Run, Verdict
from leapcheck.robots.load import NamedRobot
from leapcheck.sampling import States
from leapcheck.study import run_comparison
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from tests.harness.comparison.wrapped import Wrapped

SPEC = load("two_link_arm")
QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "coriolis_force", "kinetic_energy")
STATES = 16


def nan(values: Floats) -> Floats:
    return values * np.nan


def exception(values: Floats) -> Floats:
    raise LookupError("no table")


def wrong_shape(values: Floats) -> Floats:
    return values[..., None]


def sys_exit(values: Floats) -> Floats:
    raise SystemExit(3)


def generator_exit(values: Floats) -> Floats:
    raise GeneratorExit


MISBEHAVIOURS = (nan, exception, wrong_shape, sys_exit, generator_exit)

MOMENTS = {
    "second asking": ("leapcheck.study", "run_figures"),
    "judge": ("leapcheck.judge.discrepancies", "explanation"),
    "shrinking": ("leapcheck.judge.shrinking.shrink", "smallest_case"),
    "laws": ("leapcheck.judge.identities", "identities"),
}
"""What is called when an engine begins to fail."""

OFTEN = {*((next(iter(MOMENTS)), each) for each in MISBEHAVIOURS), *((moment, exception) for moment in MOMENTS)}
"""Each misbehaviour once and one of them at each moment; all pairs are slow."""


class Failing(Wrapped):
    """M is 10 % too large; from the moment that `fails` is set some quantities, or all, are answered by a misbehaviour."""

    def __init__(
        self, misbehaviour: Callable[[Floats], Floats], failing: Sequence[str] = QUANTITIES, factor: float = 1.1
    ) -> None:
        def spoil(name: str, values: Floats, states: States) -> Floats:
            if self.fails and name in failing:
                return misbehaviour(values)
            return 1.1 * values if name == "mass_matrix" else values

        super().__init__(SPEC, spoil, QUANTITIES)
        self.fails = False


def run_of(engine: Wrapped, quantities: Sequence[str] = QUANTITIES) -> Run:
    return run_comparison(Plan(NamedRobot(SPEC), ("reference", "mujoco", engine), tuple(quantities), STATES))


def run_with_failure(engine: Failing, moment: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    module, name = MOMENTS[moment]
    right = getattr(importlib.import_module(module), name)

    def failing_from_now_on(*given: Any, **more: Any) -> Any:
        engine.fails = True
        return right(*given, **more)

    monkeypatch.setattr(f"{module}.{name}", failing_from_now_on)
    return run_of(engine)


def check_others(run: Run) -> None:
    """What reference and MuJoCo have to do with each other is complete."""
    rows = [row for row in run.comparisons if "own" not in (row.engine, row.against)]
    assert [(row.quantity, row.verdict, row.states) for row in rows] == [(q, Verdict.AGREE, STATES) for q in QUANTITIES]
    assert all(row.worst is not None and np.isfinite(row.worst.value) for row in rows)
    assert {failure.engine for failure in run.failures} == {"own"}


@pytest.mark.parametrize(
    ("moment", "misbehaviour"),
    [
        pytest.param(moment, each, marks=[] if (moment, each) in OFTEN else pytest.mark.slow)
        for moment in MOMENTS
        for each in MISBEHAVIOURS
    ],
)
def test_the_finished_comparison_is_reported(
    moment: str, misbehaviour: Callable[[Floats], Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_with_failure(Failing(misbehaviour), moment, monkeypatch)
    own = [row for row in run.comparisons if row.engine == "own"]
    assert [(row.quantity, row.against, row.states) for row in own] == [
        (quantity, other, STATES) for quantity in QUANTITIES for other in ("reference", "mujoco")
    ]
    assert run.exit_status == 1
    assert run.verdict.startswith("own differs in mass matrix M over 16 states of two_link_arm")
    assert ("own", "mass_matrix") in {(d.engine, d.quantity) for d in run.discrepancies}
    if misbehaviour is not nan or moment == "second asking":
        assert "failure" in run.verdict
        check_others(run)


def test_one_failing_quantity_leaves_the_others_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    clean = run_of(Failing(exception, ()))
    run = run_with_failure(Failing(exception, ("kinetic_energy",)), "second asking", monkeypatch)
    (found,) = run.discrepancies
    assert (found.cause, found.cause_class) == (clean.discrepancies[0].cause, clean.discrepancies[0].cause_class)
    assert found.cause_class is not CauseClass.UNEXPLAINED
    assert [(f.engine, f.quantity) for f in run.failures] == [("own", "kinetic_energy")]
    assert "LookupError: no table" in run.failures[0].message
    assert "at state " in run.failures[0].message
    assert [r.quantity for r in run.reproducers] == [r.quantity for r in clean.reproducers] == ["mass_matrix"]
    lost = [row for row in run.comparisons if row.quantity == "kinetic_energy" and row.engine == "own"]
    assert [row.worst and row.worst.entry for row in lost] == [UNANSWERED] * 2
    kept = {law.law for law in clean.identities if "kinetic_energy" not in law.quantities or law.engine != "own"}
    assert {law.law for law in run.identities} >= kept


def test_a_failure_at_few_states_leaves_the_other_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """With it in the evidence nothing at all would be explained."""
    limit = 2.9

    class Limited(Wrapped):
        def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
            answers = super().evaluate(states, quantities)
            if "mass_matrix" in quantities:
                answers["mass_matrix"] = 1.1 * answers["mass_matrix"]
            elif np.any(np.abs(states.q[:, 0]) > limit):
                raise ArithmeticError("joint limit")
            return answers

        def __init__(self) -> None:
            super().__init__(SPEC, quantities=("mass_matrix", "gravity_force"))

    run = run_of(Limited(), ("mass_matrix", "gravity_force"))
    found = next(d for d in run.discrepancies if d.quantity == "mass_matrix")
    assert found.cause_class is not CauseClass.UNEXPLAINED
    assert [(f.engine, f.quantity) for f in run.failures] == [("own", "gravity_force")]
    assert " at state " in run.failures[0].message


def test_numbers_that_are_none_in_one_quantity_leave_the_others_explained() -> None:
    engine = Failing(nan, ("kinetic_energy",))
    engine.fails = True
    run = run_of(engine)
    causes = {d.quantity: d.cause for d in run.discrepancies}
    assert "NaN" in causes["kinetic_energy"]
    assert causes["mass_matrix"] == run_of(Failing(nan, ())).discrepancies[0].cause


class Writing(Wrapped):
    """Right, and writes into the velocities that it is given."""

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        answers = super().evaluate(states, quantities)
        states.v[:] = 0.0
        return answers


def test_what_an_engine_writes_into_its_inputs_is_its_own_failure() -> None:
    run = run_of(Writing(SPEC, quantities=QUANTITIES))
    check_others(run)
    assert (run.exit_status, run.discrepancies) == (1, ())
    assert {f.quantity for f in run.failures} == set(QUANTITIES)
    assert "engine 'own' writes into its inputs (v of state " in run.failures[0].message


class Fickle(Wrapped):
    """M is right when it is asked for an odd number of times, else off by a billionth."""

    calls = 0

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        answers = super().evaluate(states, quantities)
        self.calls += 1
        return answers | {"mass_matrix": answers["mass_matrix"] * (1.0 + 1e-9 * (self.calls % 2))}


@pytest.mark.parametrize("others", [("mujoco",), ("reference", "mujoco")])
def test_an_engine_that_is_right_when_it_is_asked_again_is_the_wrong_one(others: tuple[str, ...]) -> None:
    engine = Fickle(SPEC, quantities=("mass_matrix",))
    run = run_comparison(Plan(NamedRobot(SPEC), (*others, engine), ("mass_matrix",), STATES))
    assert run.verdict.startswith("own differs in mass matrix M")
    (found,) = run.discrepancies
    assert (found.engine, found.against) == ("own", others[0])
    assert found.who_is_wrong.startswith("own is wrong: its mass matrix M was off the extended-precision values by ")
    assert found.who_is_wrong.endswith("asked again, it is right.")


def test_a_fault_of_the_search_is_no_fault_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_given: Any) -> tuple[Diagnosis, ...]:
        raise ZeroDivisionError("no columns")

    monkeypatch.setattr("leapcheck.judge.diagnosis.diagnose", failing)
    wrong = Wrapped(SPEC, lambda _name, M, _states: 1.1 * M, ("mass_matrix",))
    (found,) = run_comparison(Plan(NamedRobot(SPEC), ("mujoco", wrong), ("mass_matrix",), STATES)).discrepancies
    assert (found.cause_class, found.cause) == (
        CauseClass.UNEXPLAINED,
        "The search for a cause failed, which is a fault of leapcheck.",
    )
    assert "no columns" in found.evidence
    assert found.who_is_wrong.startswith("own is wrong")
