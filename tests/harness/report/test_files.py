"""The written files: the table read back, and all or nothing on the disk."""

from __future__ import annotations

import csv
import dataclasses
import math

import pandas
import pytest

from leapcheck.report.comparison.files import FILES, write_report
from leapcheck.report.comparison.frames import accuracy_frame, comparison_frame
from leapcheck.report.comparison.page import html_report, markdown_report
from leapcheck.report.comparison.results import read_run
from leapcheck.system.text import printable


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports") / "new" / "folder"
    write_report(run, folder)
    return folder


def test_the_files_and_what_they_hold(run, folder):
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    assert read_run(folder / "results.json") == run
    assert (folder / "report.html").read_text(encoding="utf-8") == html_report(run)
    assert (folder / "report.md").read_text(encoding="utf-8") == markdown_report(run)


def test_the_paths_come_back_and_a_second_report_replaces_the_first(small_run, empty_run, tmp_path):
    (tmp_path / "mine.txt").write_text("kept")
    write_report(small_run, tmp_path)
    paths = write_report(empty_run, tmp_path)
    assert paths == tuple(tmp_path / name for name in FILES)
    assert read_run(tmp_path / "results.json") == empty_run
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*FILES, "mine.txt"])


def test_equal_runs_give_equal_files(run, folder, tmp_path):
    write_report(run, tmp_path)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.mark.parametrize("which", ["run", "hostile_run", "judged_run", "hostile_judged_run", "empty_run", "truthless_run"])
def test_parquet_holds_the_frames(which, request, tmp_path):
    run = request.getfixturevalue(which)
    write_report(run, tmp_path)
    frame = comparison_frame(run)
    assert len(frame) == len(run.comparisons)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "comparisons.parquet"), frame)
    frame = accuracy_frame(run)
    assert len(frame) == len(run.accuracies)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "accuracies.parquet"), frame)


def test_the_frame_holds_every_field(run):
    frame = comparison_frame(run)
    for row, c in zip(frame.itertuples(index=False), run.comparisons, strict=True):
        for name in ("quantity", "engine", "against", "states", "error", "absolute", "unit", "scale", "rounding", "tolerance"):
            assert getattr(row, name) == getattr(c, name)
        assert row.margin == c.margin
        assert row.verdict == c.verdict
        if c.worst is not None:
            assert (row.worst_index, row.worst_entry, row.worst_value) == (c.worst.index, c.worst.entry, c.worst.value)
            assert tuple(map(float, row.worst_q.strip("[]").split(","))) == c.worst.q
    assert frame.worst_index.isna().sum() == 1


def test_csv_holds_the_figures_to_the_last_digit(run, folder):
    with (folder / "comparisons.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row, c in zip(rows, run.comparisons, strict=True):
        assert (row["engine"], row["against"], row["verdict"]) == (c.engine, c.against, c.verdict)
        assert float(row["error"]) == c.error
        assert float(row["margin"]) == c.margin
        assert not c.worst or float(row["worst_value"]) == c.worst.value
    assert math.isinf(float(rows[-1]["margin"]))


def test_the_accuracies_are_a_table_of_their_own(run, folder):
    with (folder / "accuracies.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row, a in zip(rows, run.accuracies, strict=True):
        assert (row["quantity"], row["engine"]) == (a.quantity, a.engine)
        assert [int(row[name]) for name in ("states", "sampled", "worst_index")] == [a.states, a.sampled, a.index]
        assert [float(row[name]) for name in ("median", "worst", "rounding")] == [a.median, a.worst, a.rounding]


def test_a_median_of_no_states_is_missing(small_run):
    odd = dataclasses.replace(small_run.accuracies[0], sampled=0)
    frame = accuracy_frame(dataclasses.replace(small_run, accuracies=(odd,)))
    assert math.isnan(frame["median"][0])
    assert frame["worst"][0] == odd.worst


def test_no_cell_of_the_csv_is_a_formula(hostile_run, tmp_path):
    names = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1")
    comparisons = tuple(dataclasses.replace(hostile_run.comparisons[0], engine=name, against=name) for name in names)
    accuracies = tuple(dataclasses.replace(hostile_run.accuracies[0], engine=name) for name in names)
    write_report(dataclasses.replace(hostile_run, comparisons=comparisons, accuracies=accuracies), tmp_path)
    assert list(pandas.read_csv(tmp_path / "accuracies.csv").engine) == ["'" + printable(name) for name in names]
    with (tmp_path / "comparisons.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row, name in zip(rows, names, strict=True):
        assert row["engine"] == row["against"] == "'" + printable(name)
        assert row["worst_kind"].startswith("'=")
        assert float(row["worst_value"]) == comparisons[0].worst.value  # a negative number is no formula
    assert list(comparison_frame(dataclasses.replace(hostile_run, comparisons=comparisons)).engine) == list(names)


def broken(run):
    """A run that cannot be drawn: a cost with fewer figures than joints. Only the page notices."""
    cost = dataclasses.replace(run.armature_costs[0], joint_median=())
    return dataclasses.replace(run, armature_costs=(cost,))


def test_what_fails_leaves_no_folder(small_run, tmp_path):
    with pytest.raises(ValueError, match="zip"):
        write_report(broken(small_run), tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


def test_what_fails_leaves_the_old_report(small_run, empty_run, tmp_path):
    write_report(empty_run, tmp_path)
    with pytest.raises(ValueError, match="zip"):
        write_report(broken(small_run), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    assert read_run(tmp_path / "results.json") == empty_run


def test_a_file_in_the_way_is_named(small_run, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(NotADirectoryError, match=r"file' is a file: name another folder"):
            write_report(small_run, place)


def test_a_folder_in_the_way_is_named(small_run, tmp_path):
    (tmp_path / "report.md").mkdir()
    with pytest.raises(IsADirectoryError, match=r"report.md' is a folder"):
        write_report(small_run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
