"""Discrepancies in words: one for each wrong engine and quantity, with a command that repeats it."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leapcheck.cli import main
from leapcheck.comparison.plan import Plan
from leapcheck.judge.discrepancies import add_truth
from leapcheck.judge.truth import truth
from leapcheck.records import Comparison, Run, Verdict
from leapcheck.robots.load import named_robot
from leapcheck.sampling import States, generated_states
from leapcheck.state_files import state_table
from leapcheck.study import run_comparison
from leapcheck.system.tables import pandas_frame
from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec

LEG = "pupper_leg"
ENGINES = ("reference", "mujoco", "faulty:gravity_off", "faulty:transposed_jacobian")
QUANTITIES = ("gravity_force", "contact_jacobians")


def run_of(**changes: Any) -> Run:
    return run_comparison(
        Plan(**{"robot": named_robot(LEG), "engines": ENGINES, "quantities": QUANTITIES, "count": 40} | changes)
    )


def worst_row(run: Run, quantity: str, engine: str) -> Comparison:
    rows = [row for row in run.comparisons if row.quantity == quantity and engine in (row.engine, row.against)]
    return next(row for row in rows if row.verdict is Verdict.DISCREPANCY)


def repeated(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    program, *words = shlex.split(command)
    assert program == "leapcheck"
    status = main([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_one_for_each_wrong_engine_and_quantity() -> None:
    run = run_of()
    assert [(d.quantity, d.engine, d.against) for d in run.discrepancies] == [
        ("gravity_force", "faulty:gravity_off", "reference"),
        ("contact_jacobians", "faulty:transposed_jacobian", "reference"),
    ]
    for found in run.discrepancies:
        row = worst_row(run, found.quantity, found.engine)
        assert row.worst is not None
        assert row.worst.entry in found.who_is_wrong
        assert repr(row.worst.truth) in found.who_is_wrong
        assert found.cause
        assert found.evidence


def test_the_command_repeats_the_discrepancy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of()
    monkeypatch.chdir(tmp_path)
    for found in run.discrepancies:
        status, again = repeated(found.command, capsys)
        assert status == 1
        (row,) = again["comparisons"]
        first = next(
            r for r in run.comparisons if r.quantity == found.quantity and {r.engine, r.against} == {found.engine, found.against}
        )
        assert first.worst is not None
        ours = {first.engine: first.worst.value, first.against: first.worst.against_value}
        assert {row["engine"]: row["worst"]["value"], row["against"]: row["worst"]["against_value"]} == ours
        assert (row["rounding"], row["tolerance"], row["margin"]) == (first.rounding, first.tolerance, first.margin)
        assert row["worst"]["truth"] == first.worst.truth
        (repeat,) = again["discrepancies"]
        assert (repeat["engine"], repeat["against"], repeat["command"]) == (found.engine, found.against, found.command)
        assert repeat["cause"] == found.cause


def test_the_command_repeats_a_discrepancy_at_the_users_states_of_the_users_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    robot, file = tmp_path / "my robot.json", tmp_path / "my states.csv"
    spec = load("two_link_arm")
    write_spec(replace(spec, poses=()), robot)
    pandas_frame(state_table(generated_states(spec, 12, 5, 0))).to_csv(file, index=False)
    monkeypatch.chdir(tmp_path)
    words = [str(robot), "--engines", "reference", "faulty:gravity_off", "--quantities", "gravity_force"]
    assert main(["compare", *words, "--states-file", str(file), "--json"]) == 1
    first = json.loads(capsys.readouterr().out)
    (found,) = first["discrepancies"]
    assert "'" in found["command"]
    status, again = repeated(found["command"], capsys)
    assert status == 1
    (row,), (row_again,) = first["comparisons"], again["comparisons"]
    assert row["worst"]["kind"] == "file"
    assert row_again["rounding"] == row["rounding"]
    both_ways = {"value": row["worst"]["against_value"], "against_value": row["worst"]["value"]}  # the wrong engine comes first
    assert row_again["worst"] == row["worst"] | both_ways


def test_an_engine_that_fails_when_it_is_asked_again_costs_no_report() -> None:
    spec = load(LEG)
    states = generated_states(spec, 40, 3, 0)
    inside = States(np.clip(states.q, -2.9, 2.9), states.v, states.tau, states.index, ("file",) * 40)
    run = run_of(
        engines=("reference", "mujoco", "faulty:half_right"), quantities=("mass_matrix",), states=inside, states_file="own.npz"
    )
    assert (run.exit_status, run.failures) == (1, ())
    (found,) = run.discrepancies
    assert found.engine == "faulty:half_right"
    assert "multiplied by 1.1" in found.cause
    assert found.command.endswith(f"--states-file own.npz --only {worst_row(run, 'mass_matrix', found.engine).worst.index}")


def test_the_truth_stands_beside_each_discrepancy_and_each_worst_pair() -> None:
    run = run_of()
    spec = load(LEG)
    for quantity in QUANTITIES:
        rows = [row for row in run.comparisons if row.quantity == quantity]
        worst = max(rows, key=lambda row: row.rounding)
        for row in rows:
            assert row.worst is not None
            if row.verdict is Verdict.DISCREPANCY or row is worst:
                values = truth(spec, quantity, row.worst.q, row.worst.v, row.worst.tau)
                assert row.worst.truth == values[row.worst.place]
    agreeing = run_of(engines=("reference", "mujoco", "pinocchio"), quantities=("gravity_force",))
    assert sorted(row.worst.truth is None for row in agreeing.comparisons if row.worst) == [False, True, True]


def test_a_pair_without_a_worst_state_keeps_none() -> None:
    row = run_of().comparisons[0]
    empty = replace(row, worst=None)
    assert add_truth(load(LEG), [empty]) == (empty,)
