"""Recorded states and results that are damaged, hostile or no such thing: one line that names file and remedy, status 2.

Each class is a way of making a good file bad, drawn by seed: eight files each.
"""

from __future__ import annotations

import json
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from leapcheck.cli import main
from leapcheck.comparison.plan import Plan
from leapcheck.report.comparison.results import run_json
from leapcheck.robots.load import named_robot
from leapcheck.sampling import generated_states
from leapcheck.state_files import state_table
from leapcheck.study import run_comparison
from leapcheck.system.tables import pandas_frame
from leapcheck_models.robots import load
from tests.harness.cli.command_line import REFUSED, REMEDIES

ROBOT = load("mini_cheetah")
SEEDS = range(8)
Rng = np.random.Generator
Made = Callable[[Path, Rng], None]


def good() -> dict[str, Any]:
    states = generated_states(ROBOT, 20, 0, 0)
    return {"q": states.q, "v": states.v, "tau": states.tau}


def npz(change: Callable[[dict[str, Any], Rng], None]) -> Made:
    def made(path: Path, rng: Rng) -> None:
        arrays = good()
        change(arrays, rng)
        np.savez(path, **arrays)

    return made


def without_q(arrays: dict[str, Any], rng: Rng) -> None:
    arrays[f"Q{rng.integers(99)}"] = arrays.pop("q")


def entry(arrays: dict[str, Any], rng: Rng, value: float) -> None:
    array = arrays[("q", "v", "tau")[rng.integers(3)]]
    array[tuple(rng.integers(array.shape))] = value


def resized(arrays: dict[str, Any], rng: Rng) -> None:
    name = ("q", "v", "tau")[rng.integers(3)]
    axis, more = rng.integers(2), int(rng.choice([-1, 1, 7]))
    if name == "q" and axis == 0:
        axis = 1
    shape = [size + more * (k == axis) for k, size in enumerate(arrays[name].shape)]
    arrays[name] = np.resize(arrays[name], shape)


def retyped(arrays: dict[str, Any], rng: Rng) -> None:
    kinds: list[Callable[[Any], Any]] = [lambda x: x.astype(complex), lambda x: x.astype(str), lambda x: x > 0, lambda x: x[0]]
    name = ("q", "v", "tau")[rng.integers(3)]
    arrays[name] = kinds[rng.integers(len(kinds))](arrays[name])


def pickled(arrays: dict[str, Any], rng: Rng) -> None:
    arrays[("q", "v", "tau")[rng.integers(3)]] = np.array([{"not": "numbers"}, None, print], dtype=object)[: rng.integers(1, 4)]


def scaled_quaternion(arrays: dict[str, Any], rng: Rng) -> None:
    arrays["q"][rng.integers(20), 3:7] *= rng.choice([0.0, 0.5, 1.01, 100.0])


def bombed(path: Path, rng: Rng) -> None:
    """A header that asks for far more memory than the file fills."""
    shape = (int(10.0 ** rng.uniform(6, 15)), 19)
    text = str({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("q.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(rng.integers(10**5)))


def cut(write: Made) -> Made:
    def made(path: Path, rng: Rng) -> None:
        write(path, rng)
        content = path.read_bytes()
        path.write_bytes(content[: rng.integers(0, len(content) - 200)])

    return made


def noise(path: Path, rng: Rng) -> None:
    path.write_bytes(rng.bytes(int(rng.integers(0, 3000))))


def harmful_pickle(path: Path, rng: Rng) -> None:
    path.write_bytes(pickle.dumps([1.0] * int(rng.integers(1, 50)), protocol=int(rng.integers(0, 5))))


def table(change: Callable[[pd.DataFrame, Rng], pd.DataFrame]) -> Made:
    def made(path: Path, rng: Rng) -> None:
        frame = change(pandas_frame(state_table(generated_states(ROBOT, 20, 0, 0))), rng)
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)

    return made


def column(rng: Rng, of: str = "q_") -> str:
    return f"{of}{rng.integers(1, 18)}"


def with_words(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
    name = column(rng)
    words = ["=1+1", "<script>alert(1)</script>", "12,5", "0x10", "1e", "--", "q", "\u0660x"]
    frame[name] = frame[name].astype(object)
    frame.loc[int(rng.integers(20)), name] = words[rng.integers(len(words))]
    frame[name] = frame[name].astype(str)
    return frame


def with_hole(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
    frame.loc[int(rng.integers(20)), column(rng)] = np.nan
    return frame


def with_far_number(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
    frame.loc[int(rng.integers(20)), column(rng, "v_")] = float(rng.choice([1e10, -1e300, np.inf]))
    return frame


STATES: dict[str, tuple[str, Made]] = {
    "npz cut short": (".npz", cut(npz(lambda _a, _r: None))),
    "npz that is noise": (".npz", noise),
    "npz that is a pickle": (".npz", harmful_pickle),
    "npz with pickled arrays": (".npz", npz(pickled)),
    "npz larger than it is": (".npz", bombed),
    "npz of other shapes": (".npz", npz(resized)),
    "npz of other types": (".npz", npz(retyped)),
    "npz with NaN": (".npz", npz(lambda a, r: entry(a, r, np.nan))),
    "npz with infinity": (".npz", npz(lambda a, r: entry(a, r, [np.inf, -np.inf, 1e10, -1e300][r.integers(4)]))),
    "npz with quaternions off": (".npz", npz(scaled_quaternion)),
    "npz without q": (".npz", npz(without_q)),
    "csv with words": (".csv", table(with_words)),
    "csv with a hole": (".csv", table(with_hole)),
    "csv with far numbers": (".csv", table(with_far_number)),
    "csv without a column": (".csv", table(lambda f, r: f.drop(columns=column(r)))),
    "csv that is noise": (".csv", noise),
    "parquet with a hole": (".parquet", table(with_hole)),
    "parquet with words": (".parquet", table(with_words)),
    "parquet that is noise": (".parquet", noise),
    "parquet cut short": (".parquet", cut(table(lambda f, _r: f))),
    "unknown kind": (".pkl", harmful_pickle),
}


def refused(capsys: pytest.CaptureFixture[str], name: str, *words: str) -> str:
    """The one line of a command that is refused; the file and a remedy stand in it."""
    assert main(list(words)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"leapcheck: [^\n]+\n", said.err), said.err
    assert len(said.err) < 600
    assert name in said.err
    assert re.search(REMEDIES, said.err), said.err
    return said.err


@pytest.mark.parametrize("kind", STATES)
def test_states(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    suffix, made = STATES[kind]
    for seed in SEEDS:
        path = tmp_path / f"states_{seed}{suffix}"
        made(path, np.random.default_rng(seed))
        refused(capsys, path.name, "compare", "mini_cheetah", *REFUSED, "--states-file", path.name)
    assert not (tmp_path / "runs").exists()


@cache
def results() -> str:
    engines = ("reference", "mujoco")
    return run_json(run_comparison(Plan(named_robot("two_link_arm"), engines, ("mass_matrix", "bias_force"), 20)))


def changed(change: Callable[[Any, Rng], None]) -> Made:
    def made(path: Path, rng: Rng) -> None:
        content = json.loads(results())
        change(content, rng)
        path.write_text(json.dumps(content), encoding="utf-8")

    return made


def place(content: Any, rng: Rng) -> tuple[Any, Any]:
    """A record at any depth, and one of its fields."""
    keys = [key for key in content if content[key] not in ([], {})]
    key = keys[rng.integers(len(keys))]
    inner = content[key]
    if isinstance(inner, list) and isinstance(inner[0], dict) and rng.integers(2):
        return place(inner[rng.integers(len(inner))], rng)
    return content, key


def without_field(content: Any, rng: Rng) -> None:
    record, key = place(content, rng)
    del record[key]


def of_other_type(content: Any, rng: Rng) -> None:
    record, key = place(content, rng)
    record[key] = {"now": ["something", None, rng.integers(99).item()]}


def with_another_field(content: Any, rng: Rng) -> None:
    record, _ = place(content, rng)
    record[f"field_{rng.integers(99)}"] = 1


def of_other_version(content: Any, rng: Rng) -> None:
    content["schema_version"] = [0, -1, 99, None, "3", 3.5, True, [3]][rng.integers(8)]


def text(written: Callable[[Rng], str]) -> Made:
    return lambda path, rng: path.write_text(written(rng), encoding="latin-1") and None


RESULTS: dict[str, Made] = {
    "cut short": lambda path, rng: path.write_text(results()[: rng.integers(1, len(results()) - 5)], encoding="utf-8") and None,
    "noise": noise,
    "nested deeply": text(lambda rng: "[" * int(rng.integers(10**4, 10**5))),
    "no record": text(lambda rng: ["3", "[]", "null", '"a"', "true", "{}", "[[]]", "-1e999"][rng.integers(8)]),
    "without a field": changed(without_field),
    "a field of another type": changed(of_other_type),
    "an unknown field": changed(with_another_field),
    "another version": changed(of_other_version),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_results(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("right.json").write_text(results(), encoding="utf-8")
    for seed in SEEDS:
        path = tmp_path / f"results_{seed}.json"
        RESULTS[kind](path, np.random.default_rng(seed))
        words = ("explain", path.name) if seed % 2 else ("diff", "right.json", path.name)
        refused(capsys, path.name, *words)
