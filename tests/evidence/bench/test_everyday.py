"""The everyday table: what a command's cost counts, rows out of samples, and the script that leapcheck is timed beside."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.outside.library import load_library
from leapcheck.robots.load import load
from leapcheck_evidence.bench.command_cost import CommandCost, CommandFailure, command_cost
from leapcheck_evidence.bench.everyday import EverydayRun, everyday_rows, run_steps
from leapcheck_evidence.bench.everyday_engines import (
    FastDynamics,
    ReadableDynamics,
    c_library,
    with_wrong_parameter,
    wrong_dynamics,
)
from leapcheck_evidence.bench.everyday_goals import GOALS, NAIVE, EverydayClock
from leapcheck_evidence.bench.everyday_show import everyday_cells, everyday_json, everyday_markdown
from leapcheck_evidence.bench.everyday_steps import NAIVE_SCRIPT, EverydayStep, Workplace, everyday_steps
from leapcheck_evidence.bench.states import generic_states
from leapcheck_models.generate import write_robot_files

ROBOT = "mini_cheetah_armature"
NAIVE_TOLERANCE = 1e-13
"""Relative; measured 3e-15."""

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux alone")
def test_a_process_that_is_left_behind_counts(tmp_path: Path) -> None:
    quiet = "stdin=s.DEVNULL, stdout=s.DEVNULL, stderr=s.DEVNULL, start_new_session=True"
    code = f"import subprocess as s, sys\ns.Popen([sys.executable, '-c', {BURN!r}], {quiet})"
    assert command_cost(python(code), tmp_path, tmp_path).cpu >= 0.3


def test_the_first_line_with_a_word_is_noted(tmp_path: Path) -> None:
    cost = command_cost(python("print('well')\nprint('NO-GO: too high')\nprint('end')"), tmp_path, tmp_path, words=("GO",))
    assert cost.word is not None
    assert cost.word <= cost.wall
    assert cost.last_line == "end"
    assert command_cost(python("print('well')"), tmp_path, tmp_path, words=("GO",)).word is None


def test_a_command_that_fails_is_named_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(CommandFailure, match="status 1: ValueError: too high"):
        command_cost(python("raise ValueError('too high')"), tmp_path, tmp_path)
    assert command_cost(python("raise SystemExit(1)"), tmp_path, tmp_path, statuses=(1,)).cpu > 0.0


def test_commands_get_the_cache_and_none_of_our_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    code = "import os\nprint(os.environ['LEAPCHECK_CACHE'], os.environ.get('OPENBLAS_NUM_THREADS'))"
    assert command_cost(python(code), tmp_path, tmp_path / "c").last_line == f"{tmp_path / 'c'} None"


def test_steps_take_turns_and_one_that_fails_is_left_out(tmp_path: Path) -> None:
    turns: list[str] = []

    def step(name: str) -> dict[str, CommandCost]:
        turns.append(name)
        if name == "c":
            raise CommandFailure("it cannot")
        return {name: CommandCost(float(len(turns)), 1.0)}

    steps = [EverydayStep((name,), lambda _, name=name: step(name), warm=name not in "bd", once=name == "d") for name in "abcd"]
    samples, reasons = run_steps(steps, Workplace(tmp_path), 2, lambda _: None)
    assert "".join(turns) == "ac" + "abd" + "ab"
    times = {key: [cost.cpu for cost in costs] for key, costs in samples.items()}
    assert times == {"a": [3.0, 6.0], "b": [4.0, 7.0], "c": [], "d": [5.0]}
    assert reasons == {"c": "it cannot"}


def samples() -> dict[str, list[CommandCost]]:
    return {
        NAIVE: [CommandCost(0.6, 0.6), CommandCost(0.5, 0.6)],
        "compare warm": [CommandCost(1.9, 2.0), CommandCost(2.5, 1.5), CommandCost(3.0, 4.0)],
        "compare cold": [CommandCost(5.1, 6.0)],
        "C right": [CommandCost(2.0, 1.0), CommandCost(3.0, 1.0)],
        "C wrong": [CommandCost(6.5, 1.0), CommandCost(8.5, 1.0)],
        "jump": [CommandCost(9.0, 8.0, 3.5)],
        "impossible": [CommandCost(4.0, 3.0)],
    }


def test_rows_out_of_samples() -> None:
    rows = everyday_rows(samples(), {"highest": "it cannot"})
    by_label = {row.goal.label: row for row in rows}
    assert len(by_label) == len(GOALS) == len(rows)
    named = {(row.goal.key, row.goal.clock): row for row in rows}
    cells = {key: everyday_cells(row)[1:] for (key, clock), row in named.items() if clock is EverydayClock.CPU}
    assert cells["compare warm"] == ("1.90 / 2.50", "1.50 / 2.00", "3.8x", "≤ 2 s, ≤ 5x", "met", "")
    assert cells["compare cold"] == ("5.10 / 5.10", "6.00 / 6.00", "10.2x", "≤ 5 s", "not met", "")
    assert cells["C wrong"][:1] + cells["C wrong"][3:5] == ("4.50 / 5.00", "≤ 5 s", "met")
    assert cells["highest"] == ("", "", "", "≤ 15 s", "not measured", "it cannot")
    first = everyday_cells(named["jump", EverydayClock.FIRST_VERDICT])
    assert first[1:] == ("", "3.50 / 3.50", "", "≤ 3 s wall", "not met", "")
    assert everyday_cells(named["make test", EverydayClock.WALL])[-2:] == ("not measured", "asked for by --tests")


def test_too_many_times_the_naive_script_is_not_met() -> None:
    slow = {**samples(), NAIVE: [CommandCost(0.3, 0.3)]}
    standings = {row.goal.key: row.standing for row in everyday_rows(slow, {})}
    assert standings["compare warm"] == "not met"


def test_the_table_is_the_same_in_both_files() -> None:
    run = EverydayRun("python -m x", "a CPU", (("mujoco", "4.0.0"),), 3, everyday_rows(samples(), {}))
    text = everyday_markdown(run)
    assert text.count("\n| ") == len(GOALS) + 2
    assert "| the same, empty cache | 5.10 / 5.10 | 6.00 / 6.00 | 10.2x | ≤ 5 s | not met |  |" in text
    data = json.loads(everyday_json(run))
    assert data["rows"][1]["measured"] == {"minimum": 1.9, "median": 2.5}


def test_every_row_has_a_step() -> None:
    keys = [key for step in everyday_steps(tests=True) for key in step.keys]
    assert len(keys) == len(set(keys))
    assert {key for goal in GOALS for key in (goal.key, goal.less) if key} == set(keys)
    assert not any("make" in key for step in everyday_steps(tests=False) for key in step.keys)


def test_the_naive_script_is_short_and_right(tmp_path: Path) -> None:
    assert len(NAIVE_SCRIPT.read_text(encoding="utf-8").splitlines()) <= 60
    write_robot_files(load(ROBOT), tmp_path, "bodies")
    command = [sys.executable, str(NAIVE_SCRIPT), str(tmp_path / f"{ROBOT}.xml"), "4"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line[:3] for line in lines] == ["M: ", "h: ", "J: "]
    assert all(0.0 < float(line[3:]) < NAIVE_TOLERANCE for line in lines)


def test_the_wrong_engine_has_one_wrong_parameter() -> None:
    spec = load(ROBOT)
    wrong = with_wrong_parameter(spec)
    assert sum(a != b for a, b in zip(spec.bodies, wrong.bodies, strict=True)) == 1
    states = generic_states(spec, 1)
    right, other = (make(spec).bias_force(states.q[0], states.v[0]) for make in (ReadableDynamics, wrong_dynamics))
    assert np.abs(right - other).max() > 1e-6
    assert np.allclose(right, FastDynamics(spec).bias_force(states.q[0], states.v[0]), rtol=0.0, atol=1e-12)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_the_engine_in_c_agrees(tmp_path: Path) -> None:
    spec = load(ROBOT)
    states = generic_states(spec, 3)
    library = load_library(str(c_library(spec, tmp_path / "built")))
    readable = ReadableDynamics(spec)
    for quantity, rows in (("mass_matrix", (states.q,)), ("bias_force", (states.q, states.v))):
        expected = np.array([getattr(readable, quantity)(*row) for row in zip(*rows, strict=True)])
        out = np.zeros_like(expected)
        inputs = [array.ctypes.data for array in (states.q, states.v, states.tau)]
        assert library.leapcheck_evaluate(quantity.encode(), len(states), *inputs, out.ctypes.data) == 0
        assert np.allclose(out, expected, rtol=0.0, atol=1e-12)
