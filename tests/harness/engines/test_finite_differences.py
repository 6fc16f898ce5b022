"""MuJoCo's finite differences as an engine: right to about half of the digits, said to be imprecise, and wrong where they are."""

from __future__ import annotations

import numpy as np
import pytest

import leapcheck as lc
from leapcheck.coordinates import derivatives
from leapcheck.engines.registry import ENGINE_NAMES, make_engine
from leapcheck.judge.evidence import evidence
from leapcheck.records import Verdict
from leapcheck.rounding import SINGLE_RATIO
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

NAMES = tuple(f"{kind}_dynamics_derivative_{by}" for kind in ("inverse", "forward") for by in ("q", "v"))
INVERSE = NAMES[:2]

ROBOTS = {"two_link_arm": NAMES, "mini_cheetah_armature": NAMES, "random:3": NAMES, "mini_cheetah": INVERSE, "random:5": INVERSE}
"""A fixed base, free ones, balls, rotors, of whose gears MuJoCo does not know."""

USED = 2.0**-3
"""Share of what is excused that is used at most; measured: 2^-4, by gears of 196 at rest."""


@pytest.mark.parametrize("robot", ROBOTS)
def test_right_to_what_differences_leave(robot: str) -> None:
    spec = load(robot)
    engine = make_engine("mujoco-fd", spec)
    assert engine.quantities == {*ROBOTS[robot]}
    found = evidence(spec, engine, generated_states(spec, 64, 0, 0), ROBOTS[robot])
    for name in ROBOTS[robot]:
        used = found.misfit(name, found.expected[name])
        assert used < USED, name
        assert used * SINGLE_RATIO > 1.0, name  # no double precision: they would not have to be excused


@pytest.mark.parametrize("part", ["_map_changes", "_force_changes", "_rate_changes"])
def test_a_forgotten_change_of_coordinates_is_found(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load("mini_cheetah_armature")
    right = getattr(derivatives, part)

    def forgotten(*arguments: object) -> object:
        changes = right(*arguments)
        return tuple(map(np.zeros_like, changes)) if isinstance(changes, tuple) else np.zeros_like(changes)

    monkeypatch.setattr(derivatives, part, forgotten)
    found = evidence(spec, make_engine("mujoco-fd", spec), generated_states(spec, 16, 0, 0), INVERSE)
    assert found.deviating


def test_a_comparison_calls_them_imprecise() -> None:
    run = lc.compare("two_link_arm", engines=("reference", "mujoco-fd"), states=32, quantities=NAMES)
    assert run.exit_status == 0
    assert {row.verdict for row in run.record.comparisons} == {Verdict.IMPRECISE}
    assert "mujoco-fd is right but imprecise: within what finite differences leave of the digits" in run.record.verdict
    (row,) = [row for row in run.record.engines if row.name == "mujoco-fd"]
    assert "mjd_inverseFD with steps of 1e-07 by q" in row.route


def test_strict_does_not_excuse_them() -> None:
    engines = ("reference", "mujoco-fd")
    assert lc.compare("two_link_arm", engines=engines, states=32, quantities=NAMES, strict=True).exit_status == 1


def test_nobody_gets_them_unasked() -> None:
    assert "mujoco-fd" not in ENGINE_NAMES
