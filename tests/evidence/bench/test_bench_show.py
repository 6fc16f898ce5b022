"""The tables of a finished run: Markdown, JSON, terminal."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from leapcheck_evidence.bench.goals import ROBOT_GOALS, BenchGoal
from leapcheck_evidence.bench.show import CONSOLE_COLUMNS, ROW_TITLES, amount, bench_console, bench_json, bench_markdown
from tests.evidence.bench.bench_cases import COMMAND, finished_run

pytestmark = pytest.mark.quick


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n ").split("|")]


def test_markdown_has_a_line_per_goal() -> None:
    text = bench_markdown(finished_run())
    lines = {cells(line)[0]: cells(line)[1:] for line in text.splitlines() if line.startswith("|")}
    assert lines["MuJoCo's C loop / kernel, NumPy layout, AVX-512"] == [
        "11.0x", "10.0x", "≥ 11.0x", "≥ 14.0x", "floor only", "2200.0 / 200.0 ns",
    ]  # fmt: skip
    assert lines["Pinocchio / kernel, compact layout, AVX-512"][:5] == ["50.0x", "50.0x", "≥ 49.0x", "≥ 58.0x", "floor only"]
    assert lines["whole comparison: states per second, all cores"][:5] == [
        "187 654 1/s", "", "≥ 150 000 1/s", "≥ 200 000 1/s", "floor only",
    ]  # fmt: skip
    assert lines["MuJoCo's C loop / kernel, NumPy layout, AVX2 code"][4:6] == [
        "not measured", "this CPU's vectors / hold 2 doubles",
    ]  # fmt: skip
    assert lines["leapcheck --help"][:5] == ["0.25 s", "0.26 s", "≤ 0.30 s", "≤ 0.20 s", "floor only"]
    assert {goal.label for goal in ROBOT_GOALS} <= set(lines)


def test_markdown_has_every_time_and_how_it_was_taken() -> None:
    text = bench_markdown(finished_run())
    lines = {cells(line)[0]: cells(line)[1:] for line in text.splitlines() if line.startswith("|")}
    assert lines["MuJoCo, mj_jacDot"] == ["1000.0 / 1000.0", "", "", "2400.0 / 2500.0"]
    for said in ("- Pinocchio: Pinocchio 4.1.0 in C++.", "100.0 GFLOP/s", "Not there: double-double truth, AVX-512: no such",
                 f"`{COMMAND}` on a CPU, 2 cores; mujoco 4.0.0", "2.5e-15", "64 or 256 states per call"):  # fmt: skip
        assert said in text


def test_tables_are_well_formed() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", bench_markdown(finished_run()), re.MULTILINE):
        widths = {line.count("|") for line in block.splitlines()}
        assert len(widths) == 1


def test_json_carries_every_minimum_and_median() -> None:
    run = finished_run()
    data = json.loads(bench_json(run))
    assert data["command"] == COMMAND
    assert data["machine"] == "a CPU, 2 cores"
    (robot,) = data["robots"]
    assert set(robot["timings"]) == set(run.robots[0].timings)
    for name, timing in run.robots[0].timings.items():
        assert robot["timings"][name] == {"minimum": timing.minimum, "median": timing.median, "samples": len(timing.samples)}
    row = next(row for row in robot["rows"] if row["goal"]["key"] == "pinocchio_rows_8")
    assert (row["measured"], row["standing"], row["goal"]["floor"]) == (20.0, "not met", 23.0)
    assert data["program"][0]["goal"]["key"] == "help"


def test_the_terminal_shows_goals_and_minima_in_80_columns() -> None:
    console = Console(file=io.StringIO(), width=80)
    console.print(bench_console(finished_run()))
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    for word in ("11.0x", "floor only", "not measured", "2400.0", "100.0 GFLOP/s", *(ROW_TITLES[k] for k in CONSOLE_COLUMNS)):
        assert word in said


def test_amounts() -> None:
    x, states = BenchGoal("", "", 1.0, None, "x", True), BenchGoal("", "", 1.0, None, "1/s", True)
    assert [amount(x, value) for value in (None, 0.333, 12.34, 1234.5)] == ["", "0.33x", "12.3x", "1 234x"]
    assert amount(states, 1_234_567.0) == "1 234 567 1/s"


def test_a_count_has_no_unit_and_no_digits() -> None:
    assert amount(BenchGoal("", "", 0.0, None, "", at_least=False), 12.0) == "12"
