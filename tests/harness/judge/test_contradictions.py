"""An engine whose own answers break a law is wrong, whatever quantities were compared; every output says so."""

from __future__ import annotations

import json
from datetime import date
from functools import cache

import pytest

import leapcheck as lc
from leapcheck.api.comparison_run import ComparisonRun, ComparisonVerdict
from leapcheck.baseline.record import Baseline
from leapcheck.baseline.update import Acceptance, accept_run, update_baseline
from leapcheck.baseline.verdict import apply_baseline, robot_baseline
from leapcheck.records import ITSELF, FindingKind, Verdict
from leapcheck.report.comparison.ci import github_commands, junit_xml
from leapcheck.report.comparison.results import run_json
from leapcheck.report.words import headline
from leapcheck_models.robots import load
from tests.harness.comparison.wrapped import Wrapped

LEG = "pupper_leg"
LAW = "J M^-1 J^T is that of M and J"


@cache
def run_of(quantity: str, factor: float, *quantities: str) -> ComparisonRun:
    engine = Wrapped(load(LEG), lambda name, values, states: values * (factor if name == quantity else 1.0))
    return lc.compare(LEG, engine, engines=("reference",), states=16, quantities=quantities)


def test_a_contradiction_in_what_was_not_compared_is_a_discrepancy() -> None:
    run = run_of("contact_inertia", 1.62, "mass_matrix", "contact_jacobians")
    assert {row.verdict for row in run.record.comparisons} == {Verdict.AGREE}
    assert (run.exit_status, run.verdict, headline(run.record).word) == (1, ComparisonVerdict.DISCREPANCY, "Discrepancy")
    assert run.sentence == "own contradicts itself in J M^-1 J^T over 16 states of pupper_leg."
    (found,) = run.discrepancies
    assert (found.engine, found.quantity, found.against) == ("own", "contact_inertia", ITSELF)
    assert LAW in found.cause
    assert "off by 0.38" in found.evidence


@pytest.mark.parametrize(
    ("quantity", "laws"), [("mass_matrix", 4), ("coriolis_force", 2), ("potential_energy", 1), ("contact_bias_accelerations", 1)]
)
def test_the_quantity_that_breaks_the_laws_is_the_one_that_is_named(quantity: str, laws: int) -> None:
    run = run_of(quantity, 1.01, "contact_positions")
    (found,) = run.discrepancies
    broken = [law for law in run.record.identities if not law.holds]
    assert len(broken) == laws
    assert all(law.law in found.cause for law in broken)
    assert found.quantity == quantity


def test_what_the_comparison_found_is_not_said_again() -> None:
    run = run_of("mass_matrix", 1.01, "mass_matrix")
    assert [d.against for d in run.discrepancies] == ["reference"]
    assert run.sentence == "own differs in mass matrix M over 16 states of pupper_leg."
    assert any(not law.holds for law in run.record.identities)


def test_a_contradiction_stands_beside_what_the_comparison_found() -> None:
    engine = Wrapped(
        load(LEG), lambda name, values, states: values * (1.01 if name in ("mass_matrix", "potential_energy") else 1.0)
    )
    run = lc.compare(LEG, engine, engines=("reference",), states=16, quantities="mass_matrix")
    assert run.sentence.startswith(
        "own differs in mass matrix M over 16 states of pupper_leg; own contradicts itself in potential"
    )


def test_every_output_says_it() -> None:
    run = run_of("contact_inertia", 1.62, "mass_matrix")
    text = junit_xml(run.record, 0.0)
    assert 'failures="1"' in text
    assert LAW in text
    assert f'contradict each other: they break the law "{LAW}"' in github_commands(run.record)
    (row,) = json.loads(run_json(run.record))["discrepancies"]
    assert row["against"] == ITSELF
    assert "contradicts itself" in str(run)
    assert LAW.replace("^-1", "⁻¹").replace("^T", "ᵀ") in str(run.explain())
    with pytest.raises(AssertionError, match="own contradicts itself in J M") as caught:
        run.raise_if_wrong()
    assert "contact_inertia: engine: Its own answers contradict each other" in str(caught.value)
    with pytest.raises(AssertionError):
        run.raise_if_wrong("contact_inertia")
    run.raise_if_wrong("mass_matrix")


def test_a_baseline_accepts_it_with_a_reason_only() -> None:
    record = run_of("contact_inertia", 1.62, "mass_matrix").record
    for reason, status, kind in (("", 1, FindingKind.NEW), ("known: a solver of our own", 0, FindingKind.KNOWN)):
        baseline = update_baseline(Baseline(()), [accept_run(record, Baseline(()), Acceptance(reason))])
        part = robot_baseline(baseline, LEG, record.provenance.model_hash, "baseline.json")
        judged = apply_baseline(record, part, "baseline.json", date(2026, 1, 1))
        assert judged.exit_status == status
        assert judged.baseline is not None
        assert [(f.quantity, f.kind) for f in judged.baseline.findings] == [("contact_inertia", kind)]
