"""Quick runs of one engine that is right, off by a fault, or poor in digits, and baselines of them."""

from __future__ import annotations

from datetime import date

import numpy as np

import leapcheck_reference as reference
from leapcheck.baseline.record import Baseline
from leapcheck.baseline.update import Acceptance, accept_run, update_baseline
from leapcheck.baseline.verdict import apply_baseline, robot_baseline
from leapcheck.comparison.plan import Plan
from leapcheck.engines.outside.user import user_engine
from leapcheck.records import Run
from leapcheck.robots.load import NamedRobot
from leapcheck.study import run_comparison
from leapcheck_models.robots import load

TODAY = date(2026, 6, 1)
GIVEN = Acceptance("gravity of another planet, issue 12", "2026-12-31")
FILE = "baseline.json"


def run_of(
    gravity: float = 1.0, digits: float = 0.0, *, states: int = 24, seed: int = 0, bodies: float = 1.0, **left_out: bool
) -> Run:
    """A run of `mine` on the two-link arm against the reference: gravity and M taken so many times, M off by `digits` eps."""
    spec = load("two_link_arm")
    tree = reference.build(spec)
    functions = {
        "mass_matrix": lambda q: bodies * reference.mass_matrix(tree, q) * (1.0 + digits * np.finfo(float).eps),
        "gravity_force": lambda q: gravity * reference.gravity_force(tree, q),
    }
    answered = {name: function for name, function in functions.items() if not left_out.get(name)}
    engine = user_engine(answered, spec, "mine")
    quantities = tuple(functions)
    return run_comparison(Plan(NamedRobot(spec), ("reference", engine), quantities, states, seed))


def baseline_of(run: Run, old: Baseline = Baseline(()), given: Acceptance = GIVEN) -> Baseline:
    return update_baseline(old, [accept_run(run, old, given)])


def with_baseline(run: Run, baseline: Baseline, today: date = TODAY) -> Run:
    made = run.provenance
    return apply_baseline(run, robot_baseline(baseline, made.robot, made.model_hash, FILE), FILE, today)


def finding_keys(run: Run) -> list[tuple[str, str, str]]:
    """(kind, engine, quantity) of each finding."""
    assert run.baseline is not None
    return [(finding.kind, finding.engine, finding.quantity) for finding in run.baseline.findings]
