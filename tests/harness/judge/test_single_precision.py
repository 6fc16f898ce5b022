"""An engine that declares single precision is imprecise, not wrong, by what that rounds off, and wrong by more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import leapcheck as lc
import leapcheck_reference as reference
from leapcheck.api.comparison_run import ComparisonRun, ComparisonVerdict
from leapcheck.cli import main
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import CORE, QUANTITIES
from leapcheck.records import CauseClass, TruthVerdict, Verdict
from leapcheck.report.comparison.cases import cases
from leapcheck.report.words import headline
from leapcheck.rounding import SINGLE_RATIO
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluate_batch

LEG = "pupper_leg"

LARGEST_SHARE = 0.03
"""Of what single precision may be off, over all quantities and laws; measured worst of five robots 9.4e-3."""


class Single:
    """The in-house dynamics with all arithmetic in float32."""

    name, version, route = "own", "0", "in this test"
    quantities = frozenset(CORE)

    def __init__(self, spec: RobotSpec, precision: str = "float32") -> None:
        self.precision = precision
        self._tree = reference.build(spec, np.float32)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        def answer(name: str) -> np.ndarray:
            parts = (getattr(states, part).astype(np.float32) for part in QUANTITIES[name].arguments)
            return evaluate_batch(getattr(reference, name), self._tree, *parts).astype(float)

        return {name: answer(name) for name in quantities}


def run_of(engine: Single, robot: str = LEG, **options: object) -> ComparisonRun:
    return lc.compare(robot, engine, engines=("reference", "mujoco"), states=32, **options)


@pytest.mark.parametrize("robot", [LEG, "random:30", "mini_cheetah"])
def test_what_single_precision_rounds_off_is_imprecise(robot: str) -> None:
    run = run_of(Single(load(robot)), robot)
    record = run.record
    assert (run.exit_status, run.verdict, run.discrepancies) == (0, ComparisonVerdict.IMPRECISE, ())
    assert headline(record).word == "Imprecise"
    assert "own is right but imprecise: within the single precision that is declared" in run.sentence
    own = [row for row in record.verdicts if row.engine == "own"]
    assert {row.quantity for row in own if row.verdict is TruthVerdict.IMPRECISE} >= {"mass_matrix", "bias_force"}
    assert all(row.verdict is not TruthVerdict.WRONG for row in own)
    assert max(row.rounding / row.allowed for row in own) < LARGEST_SHARE * SINGLE_RATIO
    laws = [law for law in record.identities if law.engine == "own"]
    assert len(laws) == 10
    assert all(law.holds for law in laws)
    assert max(law.error / law.allowed for law in laws) < LARGEST_SHARE
    assert not any(case.fails for case in cases(record))
    run.raise_if_wrong()


def test_strict_excuses_nothing() -> None:
    run = run_of(Single(load(LEG)), quantities=("mass_matrix", "bias_force"), strict=True)
    assert (run.exit_status, run.verdict) == (1, ComparisonVerdict.DISCREPANCY)
    assert run.sentence.startswith("own is right but imprecise over 32 states of pupper_leg: within the single precision")
    assert {(d.engine, d.quantity, d.cause_class) for d in run.discrepancies} == {
        ("own", quantity, CauseClass.ROUND_OFF) for quantity in ("mass_matrix", "bias_force")
    }
    assert "strict=True" in run.record.provenance.command
    with pytest.raises(AssertionError, match="right but imprecise"):
        run.raise_if_wrong()


def test_single_precision_that_is_not_declared_is_a_discrepancy() -> None:
    run = run_of(Single(load(LEG), "float64"), quantities=("mass_matrix", "bias_force"))
    assert (run.exit_status, headline(run.record).word) == (1, "Discrepancy")
    assert all(d.cause.startswith("Right but imprecise: computes in single precision") for d in run.discrepancies)


def test_a_fault_beside_it_is_found_and_named() -> None:
    spec = load(LEG)
    link = spec.bodies[1]
    heavy = replace(link, inertia=replace(link.inertia, mass=1.1 * link.inertia.mass))
    run = run_of(
        Single(replace(spec, bodies=(spec.bodies[0], heavy, *spec.bodies[2:]))), quantities=("mass_matrix", "contact_positions")
    )
    (found,) = run.discrepancies
    assert (found.engine, found.quantity, run.exit_status) == ("own", "mass_matrix", 1)
    assert found.cause_class is CauseClass.MODEL
    assert link.name in found.cause
    (case,) = run.record.reproducers
    assert case.allowed > 1e-8
    rows = [row for row in run.record.comparisons if row.quantity == "contact_positions" and row.engine == "own"]
    assert {row.verdict for row in rows} == {Verdict.IMPRECISE}


@pytest.mark.parametrize("status", [0, 1])
def test_a_factory_declares_it_on_the_command_line(
    status: int, tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--engine", "faulty:single", "--engines", "reference", "--quantities", "potential_energy", "--states", "8")
    assert main(["compare", LEG, *words, *(["--strict"] if status else [])]) == status
    assert "right but imprecise" in " ".join(capsys.readouterr().out.split())


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(EngineError, match="precision is 'half': use float64 or float32"):
        user_engine({"precision": "half", "potential_energy": lambda q: 0.0}, load(LEG))
