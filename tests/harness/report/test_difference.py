"""Two runs side by side: what is worse, what is better, and what is noise."""

from __future__ import annotations

import dataclasses
import io
import math

import pytest
from rich.console import Console

from leapcheck.records import Failure
from leapcheck.report.comparison.console import difference_summary
from leapcheck.report.comparison.difference import FAULT_NOISE, NOISE, run_difference
from tests.harness.report.judged_case import ARMATURE, MASS

WRONG = "pinocchio-mjcf"


def with_rows(run, name, change, **key):
    """The run with those records of one field altered that have these attributes."""
    rows = tuple(
        dataclasses.replace(row, **change(row)) if all(getattr(row, k) == v for k, v in key.items()) else row
        for row in getattr(run, name)
    )
    return dataclasses.replace(run, **{name: rows})


def with_error(run, rounding, worst=None, engine="mujoco", quantity="mass_matrix"):
    change = {"rounding": rounding} | ({} if worst is None else {"worst": worst})
    return with_rows(run, "accuracies", lambda row: change, engine=engine, quantity=quantity)


def told(before, after):
    return [(c.kind, c.subject, c.sense) for c in run_difference(before, after).changes]


def test_a_run_is_the_same_as_itself(judged_run, truthless_run, empty_run):
    for run in (judged_run, truthless_run, empty_run):
        found = run_difference(run, run)
        assert found.changes == ()
        assert found.exit_status == 0
        assert found.sentence == "mini_cheetah: no relevant change."


def test_runs_of_different_robots_are_refused_in_one_line(judged_run):
    other = dataclasses.replace(judged_run, provenance=dataclasses.replace(judged_run.provenance, robot="box"))
    with pytest.raises(ValueError, match=r"different robots, 'mini_cheetah' and 'box': give two runs of one robot"):
        run_difference(judged_run, other)


@pytest.mark.parametrize(
    ("before", "after", "sense"),
    [
        (0.0, NOISE, ""),
        (1.0, 0.99 * NOISE, ""),
        (2.0, 1.01 * NOISE * NOISE, "worse"),
        (2.0, 0.99 * NOISE * NOISE, ""),
        (30.0, 250.0, ""),
        (20.0, 1e6, "worse"),
        (1e6, 20.0, "better"),
        (math.nan, 20.0, "better"),
        (20.0, math.inf, "worse"),
        (math.inf, math.nan, ""),
    ],
)
def test_an_error_of_rounding_is_the_same_within_noise(before, after, sense, run):
    old, new = (with_error(run, rounding, 1e-3) for rounding in (before, after))
    assert told(old, new) == ([("error", "mujoco, mass matrix M", sense)] if sense else [])
    assert run_difference(old, new).exit_status == (sense == "worse")


@pytest.mark.parametrize(("factor", "sense"), [(0.99 * FAULT_NOISE, ""), (1.01 * FAULT_NOISE, "worse"), (0.5, "better")])
def test_a_fault_is_compared_at_the_same_states_alone(factor, sense, run):
    old, new = with_error(run, 1e9, 1e-3), with_error(run, 1e9, 1e-3 * factor)
    assert told(old, new) == ([("error", "mujoco, mass matrix M", sense)] if sense else [])
    elsewhere = dataclasses.replace(new, provenance=dataclasses.replace(new.provenance, seed=1))
    assert told(old, elsewhere) == [("run", "seed", "other")]


def test_without_a_truth_pairs_are_compared_whatever_their_order(run, truthless_run):
    c = truthless_run.comparisons[0]
    swapped = dataclasses.replace(c, engine=c.against, against=c.engine, rounding=1e9)
    later = dataclasses.replace(truthless_run, comparisons=(swapped, *truthless_run.comparisons[1:]))
    assert told(truthless_run, later) == [("error", "mujoco and reference, mass matrix M", "worse")]


@pytest.mark.parametrize("word", ["right to rounding", "right but imprecise"])
def test_a_verdict_that_changed(word, judged_run):
    later = with_rows(judged_run, "verdicts", lambda v: {"verdict": word}, engine=WRONG, quantity="mass_matrix")
    assert told(judged_run, later) == [("verdict", f"{WRONG}, mass matrix M", "better")]
    back = told(later, judged_run)
    assert back == [("verdict", f"{WRONG}, mass matrix M", "worse")]


def test_digits_lost_far_from_the_origin_are_no_change_at_other_states(judged_run):
    change = {"verdict": "right but imprecise", "margin": 20.0}
    later = with_rows(judged_run, "verdicts", lambda v: change, engine="mujoco", quantity="mass_matrix")
    assert told(judged_run, later) == [("verdict", "mujoco, mass matrix M", "worse")]
    elsewhere = dataclasses.replace(later, provenance=dataclasses.replace(later.provenance, seed=1))
    assert told(judged_run, elsewhere) == [("run", "seed", "other")]
    near = with_rows(elsewhere, "verdicts", lambda v: {"margin": 1e-3}, engine="mujoco", quantity="mass_matrix")
    assert told(judged_run, near)[0] == ("verdict", "mujoco, mass matrix M", "worse")


def test_discrepancies_that_are_new_or_gone(run):
    clean = dataclasses.replace(run, discrepancies=())
    assert told(clean, run) == [("discrepancy", f"{WRONG}, mass matrix M", "worse")]
    assert told(run, clean) == [("discrepancy", f"{WRONG}, mass matrix M", "better")]


def test_a_discrepancy_that_was_not_looked_for_is_not_gone(run):
    others = tuple(c for c in run.comparisons if c.quantity != "mass_matrix")
    left = dataclasses.replace(run, discrepancies=(), comparisons=others)
    assert told(run, left) == [("discrepancy", f"{WRONG}, mass matrix M", "other")]


def test_another_cause_is_told_and_is_neither_better_nor_worse(judged_run):
    diagnosis = dataclasses.replace(judged_run.diagnoses[0], causes=(MASS,))
    later = dataclasses.replace(judged_run, diagnoses=(diagnosis, *judged_run.diagnoses[1:]))
    (change,) = run_difference(judged_run, later).changes
    assert (change.kind, change.subject, change.sense) == ("diagnosis", WRONG, "other")
    assert change.before == f"{ARMATURE.words}; and {MASS.words}"
    assert change.after == MASS.words
    amounts = dataclasses.replace(diagnosis, causes=(dataclasses.replace(MASS, details="other amounts"),))
    assert told(later, dataclasses.replace(later, diagnoses=(amounts, *later.diagnoses[1:]))) == []


def test_a_law_that_broke(judged_run):
    law = judged_run.identities[0].law
    later = with_rows(judged_run, "identities", lambda i: {"holds": False, "error": 1.0}, engine="mujoco", law=law)
    assert told(judged_run, later) == [("law", f"mujoco, {law}", "worse")]
    assert told(later, judged_run) == [("law", f"mujoco, {law}", "better")]


def test_failures_that_are_new_or_gone(run):
    more = dataclasses.replace(run, failures=(*run.failures, Failure("mujoco", "csr", "no")))
    assert told(run, more) == [("failure", "mujoco, M in MuJoCo's CSR", "worse")]
    assert told(more, run) == [("failure", "mujoco, M in MuJoCo's CSR", "better")]


def test_engines_versions_and_the_description_are_told(run):
    engines = (*run.engines[:-1], dataclasses.replace(run.engines[0], name="drake", version="2"))
    provenance = dataclasses.replace(
        run.provenance, model_hash="0", versions=(("leapcheck", "0.2.0"), *run.provenance.versions[1:])
    )
    later = dataclasses.replace(run, engines=engines, provenance=provenance)
    assert sorted(told(run, later)) == [
        ("engine", "drake", "other"),
        ("engine", WRONG, "other"),
        ("run", "robot's description", "other"),
        ("run", "version of leapcheck", "other"),
    ]
    assert run_difference(run, later).exit_status == 0


def test_the_worse_comes_first_and_equal_runs_give_equal_text(judged_run):
    later = with_error(judged_run, 1e6, 1.0)
    later = with_rows(later, "verdicts", lambda v: {"verdict": "right to rounding"}, engine=WRONG)
    later = dataclasses.replace(later, provenance=dataclasses.replace(later.provenance, seed=3))
    found = run_difference(judged_run, later)
    assert [change.sense for change in found.changes] == ["worse", "better", "better", "other"]
    assert found.sentence == "mini_cheetah: 1 thing is worse, 2 things are better and 1 thing is other."
    assert found == run_difference(judged_run, later)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_terminal_shows_each_change_with_both_sides(encoding, judged_run, hostile_judged_run):
    for run in (judged_run, hostile_judged_run):
        later = dataclasses.replace(run, discrepancies=(), provenance=dataclasses.replace(run.provenance, seed=7))
        buffer = io.BytesIO()
        file = io.TextIOWrapper(buffer, encoding=encoding, newline="\n")
        Console(file=file, width=80, color_system=None).print(difference_summary(run_difference(run, later)))
        file.flush()
        text = buffer.getvalue().decode(encoding)
        assert "better  discrepancy" in text
        assert "0 -> 7" in text
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 80
