"""Verdicts over engines: from the tallies of their errors against the truth, and few digits told from faults."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leapcheck.comparison.results import TRUTH
from leapcheck.comparison.tally import Tally, TallyRow, make_tally
from leapcheck.judge.verdicts import verdict, with_diagnoses
from leapcheck.records import CauseRow, Diagnosis, EngineVerdict, Falls
from leapcheck.rounding import ALLOWED_UNITS, NEAR, REACH
from leapcheck.sampling import States, generated_states
from leapcheck_models.robots import load

pytestmark = pytest.mark.quick

SPEC = load("box")
UNIT = 1e-15
ROW = TallyRow("mass_matrix", "mujoco", TRUTH)
FLOAT32 = CauseRow("precision/float32", "round-off", "it computes in single precision", "")
MASS = CauseRow("mass/box", "model", "the mass of box is off", "")


def tallied(*errors: float, distance: float = 0.0) -> Tally:
    """A row with these errors in units of the expected rounding, the first one at a base so far from the origin."""
    states = generated_states(SPEC, len(errors), 0, 0)
    q = states.q.copy()
    q[:, :3] = 0.0
    q[0, 0] = distance
    states = States(q, states.v, states.tau, states.index, states.kind)
    error = UNIT * np.array([errors])
    return make_tally(SPEC, states, [ROW], error, error, np.full_like(error, UNIT))


@pytest.mark.parametrize(
    ("errors", "word", "worst"),
    [
        ((0.0, 0.0), "right to rounding", 0),
        ((1.0, 3.0, 2.0), "right to rounding", 1),
        ((ALLOWED_UNITS, 3.0), "right to rounding", 0),
        ((1.0, 1.01 * ALLOWED_UNITS), "wrong", 1),
        ((math.nan, 1.0), "wrong", 0),
    ],
)
def test_near_the_origin_the_tolerance_decides(errors: tuple[float, ...], word: str, worst: int) -> None:
    found = verdict(SPEC, ROW, tallied(*errors))
    rounding = math.inf if math.isnan(errors[worst]) else errors[worst]
    assert (found.engine, found.quantity, found.verdict, found.index) == ("mujoco", "mass_matrix", word, worst)
    assert found.rounding == pytest.approx(rounding, rel=1e-12)
    assert found.allowed == ALLOWED_UNITS
    assert found.margin == pytest.approx(ALLOWED_UNITS / rounding if rounding else math.inf, rel=1e-12)


def test_digits_lost_far_from_the_origin_are_imprecise_and_the_figures_are_those_near_it() -> None:
    found = verdict(SPEC, ROW, tallied(1000.0, 2.0, distance=1e3))
    assert (found.verdict, found.index, found.allowed) == ("right but imprecise", 1, ALLOWED_UNITS)
    assert found.rounding == pytest.approx(2.0, rel=1e-12)


def test_an_error_beyond_what_the_distance_excuses_is_wrong_by_that_allowance() -> None:
    distance = 20.0 * NEAR
    found = verdict(SPEC, ROW, tallied(1e9, 2.0, distance=distance))
    allowed = ALLOWED_UNITS * (1.0 + distance / REACH)
    assert (found.verdict, found.index, found.allowed) == ("wrong", 0, pytest.approx(allowed))
    assert found.margin == pytest.approx(allowed / 1e9)


def test_all_far_states_are_judged_by_what_the_distance_excuses() -> None:
    found = verdict(SPEC, ROW, tallied(1000.0, distance=1e3))
    assert found.verdict == "right but imprecise"
    assert found.allowed > found.rounding > ALLOWED_UNITS


def diagnosis(*causes: CauseRow, unexplained: tuple[str, ...] = ()) -> Diagnosis:
    """M falls not at all, h does."""
    falls = (Falls("mass_matrix", 1e-7, 1e-7), Falls("bias_force", 1e-2, 1e-7))
    return Diagnosis("mujoco", causes, (), falls, unexplained, "")


def words_with(found: Diagnosis, word: str = "wrong", engine: str = "mujoco") -> list[str]:
    rows = [EngineVerdict(engine, name, word, 1e9, 256.0, 256e-9, 0) for name in ("mass_matrix", "bias_force", "csr")]
    return [row.verdict for row in with_diagnoses(rows, (found,))]


def test_few_digits_alone_are_imprecise_where_they_explain() -> None:
    assert words_with(diagnosis(FLOAT32)) == ["right but imprecise", "right but imprecise", "wrong"]
    assert words_with(diagnosis(FLOAT32, unexplained=("bias_force",))) == ["right but imprecise", "wrong", "wrong"]


def test_few_digits_beside_a_fault_excuse_what_the_fault_leaves_alone() -> None:
    assert words_with(diagnosis(FLOAT32, MASS)) == ["right but imprecise", "wrong", "wrong"]


@pytest.mark.parametrize("found", [diagnosis(MASS), diagnosis()])
def test_a_fault_excuses_nothing(found: Diagnosis) -> None:
    assert words_with(found) == ["wrong"] * 3


def test_a_diagnosis_excuses_its_own_engine_and_makes_nothing_worse() -> None:
    assert words_with(diagnosis(FLOAT32), engine="pinocchio") == ["wrong"] * 3
    assert words_with(diagnosis(FLOAT32), word="right to rounding") == ["right to rounding"] * 3
