"""Answers that are no numbers, or far too large: a discrepancy without a warning, never an agreement."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.records import Verdict
from leapcheck.robots.load import NamedRobot
from leapcheck_models.robots import load
from tests.harness.comparison.run_cases import figures_of
from tests.harness.comparison.wrapped import Wrapped, with_entry

PLACES = {"mass_matrix": (1, 0), "bias_force": (1,), "kinetic_energy": ()}


@pytest.mark.parametrize("compile_code", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, np.finfo(float).max])
@pytest.mark.parametrize("quantity", PLACES)
def test_the_same_at_the_same_place_of_two_engines_is_no_agreement(
    quantity: str, value: float, compile_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leapcheck.comparison.plan.COMPILED_FROM", 1 if compile_code else 10**9)
    spec = load("two_link_arm")
    spoil = with_entry(quantity, PLACES[quantity], lambda x: 0.0 * x + value, 9)
    engines = ("reference", *(Wrapped(spec, spoil, [quantity], name) for name in ("own", "other")))
    found = figures_of(Plan(NamedRobot(spec), engines, (quantity,), 16))
    rows = {(row.engine, row.against): row for row in found.comparisons}
    for name in ("own", "other"):
        row = rows[name, "reference"]
        assert row.verdict is Verdict.DISCREPANCY
        assert row.worst is not None
        assert (row.worst.index, row.worst.place) == (9, PLACES[quantity])
        assert row.histogram[-1] == 1
        if not np.isfinite(value):
            assert (row.error, row.absolute, row.rounding, row.margin) == (np.inf, np.inf, np.inf, 0.0)
    if not np.isfinite(value):
        assert rows["other", "own"].verdict is Verdict.DISCREPANCY
    for accuracy in found.accuracies:
        assert (accuracy.worst > 1e6) == (accuracy.engine != "reference")
        assert accuracy.median < 1e-14
