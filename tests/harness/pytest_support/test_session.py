"""The comparisons of a session of tests, without pytest."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import leapcheck_reference as reference
from leapcheck import ComparisonRun
from leapcheck.pytest_support.request import comparison_request
from leapcheck.pytest_support.session import Session, SessionOptions
from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec


class Right:
    def __init__(self, spec: RobotSpec) -> None:
        self.tree = reference.build(spec)

    def gravity_force(self, q: Array) -> Array:
        return reference.gravity_force(self.tree, q)


class Wrong(Right):
    def gravity_force(self, q: Array) -> Array:
        return 1.01 * super().gravity_force(q)


def ask(engine: object, **options: object):
    return comparison_request(engine, "two_link_arm", **({"states": 8} | options))


def test_a_comparison_is_run_once_and_another_one_again() -> None:
    session = Session(SessionOptions())
    first = session.outcome(ask(Right))
    assert isinstance(first.run, ComparisonRun)
    assert session.outcome(ask(Right)) is first
    assert session.outcome(ask(Right, seed=1)) is not first
    assert session.outcome(ask(Wrong)) is not first
    assert Session(SessionOptions()).outcome(ask(Right)) is not first


def test_the_engine_of_the_collection_is_the_one_compared_but_each_comparison_has_its_own() -> None:
    made: list[Right] = []

    class Counted(Right):
        def __init__(self, spec: RobotSpec) -> None:
            super().__init__(spec)
            made.append(self)

    session = Session(SessionOptions(states=9))
    assert session.quantities(ask(Counted)) == session.quantities(ask(Counted)) == ("gravity_force",)
    session.outcome(ask(Counted))
    assert len(made) == 1
    session.outcome(ask(Counted, seed=1))
    assert len(made) == 2


def test_a_class_and_an_object_are_engines_alike() -> None:
    session = Session(SessionOptions())
    for engine, name in ((Right, "Right"), (Right(load("two_link_arm")), "Right")):
        outcome = session.outcome(ask(engine))
        assert [row.name for row in outcome.run.record.engines] == ["reference", name]
        assert (outcome.failure_text(), session.quantities(ask(engine))) == ("", ("gravity_force",))


def test_the_command_line_overrides_what_tests_say() -> None:
    outcome = Session(SessionOptions(states=11, seed=3)).outcome(ask(Right, states=8, seed=0))
    assert (outcome.run.record.provenance.states, outcome.run.record.provenance.seed) == (11, 3)


def test_runs_of_one_name_have_folders_of_their_own(tmp_path: Path) -> None:
    session = Session(SessionOptions(reports=tmp_path, worker="gw1"))
    folders = [session.outcome(ask(Wrong, seed=seed)).run.folder for seed in (0, 1)]
    assert [folder.name for folder in folders] == ["two_link_arm-Wrong-gw1", "two_link_arm-Wrong-gw1-1"]
    assert all((folder / "report.html").exists() for folder in folders)
    assert session.outcome(ask(Right)).run.folder is None


def test_a_name_alone_is_one_name() -> None:
    what = comparison_request("mine:Own", against="mujoco", quantities="mass_matrix")
    assert (what.against, what.quantities) == (("mujoco",), ("mass_matrix",))


def test_a_failure_of_one_quantity_begins_with_its_cause() -> None:
    outcome = Session(SessionOptions()).outcome(ask(Wrong))
    assert outcome.failure_text("gravity_force").startswith("gravity_force: ")
    assert outcome.failure_text().startswith("Wrong differs in gravity force over 8 states")
    assert outcome.failure_text("mass_matrix") == ""


def test_what_could_not_be_compared_says_why() -> None:
    outcome = Session(SessionOptions()).outcome(ask(Right))
    assert outcome.skip_reason("gravity_force") == outcome.skip_reason("") == ""
    assert outcome.skip_reason("contact_positions") == "contact positions: not compared in this run"
    limit = "contact positions: the robot has no computed contact points"
    run = dataclasses.replace(outcome.run.record, not_compared=("mass matrix M: only mine can answer it", limit))
    assert dataclasses.replace(outcome, run=ComparisonRun(run)).skip_reason("contact_positions") == limit


def test_a_run_in_which_nothing_was_compared_fails_as_a_whole() -> None:
    outcome = Session(SessionOptions()).outcome(ask(Right))
    run = dataclasses.replace(outcome.run.record, comparisons=(), exit_status=2, verdict="Nothing could be compared.")
    assert dataclasses.replace(outcome, run=ComparisonRun(run)).failure_text().startswith("Nothing could be compared.")


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="'soon' is not a day"):
        SessionOptions(expires="soon").check()
