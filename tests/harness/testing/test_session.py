"""The comparisons of a session of tests, without pytest."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import leapcheck_reference as reference
from leapcheck.compare.records import Run
from leapcheck.testing.asked import asked
from leapcheck.testing.session import Choices, Session, failure_text, not_compared
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.scalar import Array


class Right:
    def __init__(self, spec: RobotSpec) -> None:
        self.tree = reference.build(spec)

    def gravity_force(self, q: Array) -> Array:
        return reference.gravity_force(self.tree, q)


class Wrong(Right):
    def gravity_force(self, q: Array) -> Array:
        return 1.01 * super().gravity_force(q)


def ask(engine: object, **options: object):
    return asked(engine, "two_link_arm", **({"states": 8} | options))


def test_a_comparison_is_run_once_and_another_one_again() -> None:
    session = Session(Choices())
    first = session.told(ask(Right))
    assert isinstance(first.run, Run)
    assert session.told(ask(Right)) is first
    assert session.told(ask(Right, seed=1)) is not first
    assert session.told(ask(Wrong)) is not first
    assert Session(Choices()).told(ask(Right)) is not first


def test_a_class_and_an_object_are_engines_alike() -> None:
    session = Session(Choices())
    for engine, name in ((Right, "Right"), (Right(load("two_link_arm")), "Right")):
        told = session.told(ask(engine))
        assert [row.name for row in told.run.engines] == ["reference", name]
        assert (failure_text(told), session.quantities(ask(engine))) == ("", ("gravity_force",))


def test_the_command_line_overrides_what_tests_say() -> None:
    told = Session(Choices(states=11, seed=3)).told(ask(Right, states=8, seed=0))
    assert (told.run.provenance.states, told.run.provenance.seed) == (11, 3)


def test_runs_of_one_name_have_folders_of_their_own(tmp_path: Path) -> None:
    session = Session(Choices(reports=tmp_path, worker="gw1"))
    folders = [session.told(ask(Wrong, seed=seed)).folder for seed in (0, 1)]
    assert [folder.name for folder in folders] == ["two_link_arm-Wrong-gw1", "two_link_arm-Wrong-gw1-1"]
    assert all((folder / "report.html").exists() for folder in folders)
    assert session.told(ask(Right)).folder is None


def test_a_name_alone_is_one_name() -> None:
    what = asked("mine:Own", against="mujoco", quantities="mass_matrix")
    assert (what.against, what.quantities) == (("mujoco",), ("mass_matrix",))


def test_a_failure_of_one_quantity_begins_with_its_cause() -> None:
    told = Session(Choices()).told(ask(Wrong))
    assert failure_text(told, "gravity_force").startswith("gravity_force: ")
    assert failure_text(told).startswith("Wrong differs in gravity force over 8 states")
    assert failure_text(told, "mass_matrix") == ""


def test_what_could_not_be_compared_says_why() -> None:
    told = Session(Choices()).told(ask(Right))
    assert not_compared(told, "gravity_force") == not_compared(told, "") == ""
    assert not_compared(told, "contact_positions") == "contact positions: not compared in this run"
    limit = "contact positions: the robot has no computed contact points"
    run = dataclasses.replace(told.run, not_compared=("mass matrix M: only mine can answer it", limit))
    assert not_compared(dataclasses.replace(told, run=run), "contact_positions") == limit


def test_a_run_in_which_nothing_was_compared_fails_as_a_whole() -> None:
    told = Session(Choices()).told(ask(Right))
    run = dataclasses.replace(told.run, comparisons=(), exit_status=2, verdict="Nothing could be compared.")
    assert failure_text(dataclasses.replace(told, run=run)).startswith("Nothing could be compared.")


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="'soon' is no day"):
        Choices(expires="soon").check()
