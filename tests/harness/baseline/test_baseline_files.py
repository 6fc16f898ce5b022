"""baseline.json: exact both ways, readable, and clear about what it cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leapcheck.baseline.files import baseline_text, read_baseline, write_baseline
from leapcheck.baseline.record import AcceptedError, Baseline, KnownDiscrepancy, RobotBaseline

pytestmark = pytest.mark.quick

ACCEPTED = AcceptedError("mine", "mass_matrix", "truth", 1.3, 2.2e-16, 64, 0)
KNOWN = KnownDiscrepancy(
    "mine", "gravity_force", "model", ("mass/a",), "the mass of a\nis \u202e\"odd\".", float("inf"), 1e-13, 64, None, "issue 12",
    "2027-06-30",
)  # fmt: skip
BASELINE = Baseline(
    (RobotBaseline("arm", "beef", (("mujoco", "4.0.0"),), (ACCEPTED,), (KNOWN,)), RobotBaseline("box", "cafe", (), (), ()))
)


def test_it_comes_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "new" / "baseline.json"
    write_baseline(BASELINE, path)
    assert read_baseline(path) == BASELINE
    assert [entry.name for entry in path.parent.iterdir()] == ["baseline.json"]
    write_baseline(read_baseline(path), path)
    assert path.read_text(encoding="utf-8") == baseline_text(BASELINE)
    assert path.stat().st_mode & 0o777 == 0o644


def test_an_entry_stands_on_a_line_of_its_own() -> None:
    lines = baseline_text(BASELINE).splitlines()
    entries = [json.loads(line.strip().rstrip(",")) for line in lines if '"engine": "mine"' in line]
    assert [entry["quantity"] for entry in entries] == ["mass_matrix", "gravity_force"]


def test_a_folder_is_refused_and_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder: name a file for the baseline"):
        write_baseline(BASELINE, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a baseline"),
        (b"{", "is not a baseline"),
        (b"\xff\xfe", "is not a baseline"),
        (b"\x00", "is not a baseline"),
        (b"[" * 100_000, "is not a baseline"),
        (b"[]", "baseline_version is None, this leapcheck reads 1"),
        (b'{"baseline_version": 2, "robots": []}', "baseline_version is 2"),
        (b'{"baseline_version": true, "robots": []}', "baseline_version is True"),
        (b'{"baseline_version": 1, "robots": [], "robots": []}', "the key 'robots' stands twice in one object: keep one"),
        (b'{"baseline_version": 1}', "baseline lacks 'robots'"),
        (b'{"baseline_version": 1, "robots": {}}', "baseline.robots must be an array, not dict"),
        (b"<<<<<<< HEAD\n{}", "is not a baseline"),
    ],
)
def test_a_corrupt_file_is_named(content: bytes, message: str, tmp_path: Path) -> None:
    assert message in refusal(tmp_path, content)


def change(place: str, value: Any) -> Any:
    def spoil(robot: dict[str, Any]) -> None:
        *path, last = place.split(".")
        at: Any = robot
        for name in path:
            at = at[int(name)] if name.isdigit() else at[name]
        key = int(last) if last.isdigit() else last
        if value is KeyError:
            del at[key]
        else:
            at[key] = value

    return spoil


def repeat(place: str) -> Any:
    return lambda robot: robot[place].append(robot[place][0])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change("robot", 3), r"baseline.robots[0].robot must be str, not 3"),
        (change("model_hash", KeyError), "baseline.robots[0] lacks 'model_hash'"),
        (change("colour", "red"), "baseline.robots[0] has the unknown 'colour'"),
        (change("versions", [["mujoco"]]), "baseline.robots[0].versions[0] must have 2 items, not 1"),
        (change("robot", "box"), "baseline.robots has box 2 times"),
        (change("accepted.0.rounding", "much"), "baseline.robots[0].accepted[0].rounding must be float, not 'much'"),
        (change("accepted.0.rounding", -1.0), "baseline.robots[0].accepted[0].rounding must be a number from 0, not -1.0"),
        (change("accepted.0.rounding", "nan"), "baseline.robots[0].accepted[0].rounding must be a number from 0, not nan"),
        (change("accepted.0.states", 0), "baseline.robots[0].accepted[0].states must be at least 1, not 0"),
        (change("accepted.0.states", 6.5), "baseline.robots[0].accepted[0].states must be int, not 6.5"),
        (change("accepted.0.seed", "zero"), "baseline.robots[0].accepted[0].seed must be int, not 'zero'"),
        (change("accepted.0.engine", None), "baseline.robots[0].accepted[0].engine must be str, not None"),
        (change("accepted.0", []), "baseline.robots[0].accepted[0] must be an object, not list"),
        (repeat("accepted"), "baseline.robots[0].accepted has mine, mass_matrix, truth 2 times"),
        (repeat("known"), "baseline.robots[0].known has mine, gravity_force, mass/a 2 times"),
        (change("known.0.reason", "  "), "baseline.robots[0].known[0].reason is empty: say why"),
        (change("known.0.reason", KeyError), "baseline.robots[0].known[0] lacks 'reason'"),
        (change("known.0.expires", "30.6.2027"), "baseline.robots[0].known[0].expires: '30.6.2027' is not a day: write"),
        (change("known.0.expires", "2027-02-30"), "baseline.robots[0].known[0].expires: '2027-02-30' is not a day"),
        (change("known.0.expires", "20270630"), "baseline.robots[0].known[0].expires: '20270630' is not a day"),
        (change("known.0.expires", 2027), "baseline.robots[0].known[0].expires must be str, not 2027"),
        (change("known.0.causes", "mass/a"), "baseline.robots[0].known[0].causes must be an array, not str"),
        (change("known.0.tolerance", None), "baseline.robots[0].known[0].tolerance must be float, not None"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_named_with_its_place(spoil: Any, message: str, tmp_path: Path) -> None:
    content = json.loads(baseline_text(BASELINE))
    spoil(content["robots"][0])
    assert message in refusal(tmp_path, json.dumps(content).encode())


def refusal(folder: Path, content: bytes) -> str:
    """The one line for a file of this content: it names the file and the remedy."""
    path = folder / "baseline.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="write the file again with `leapcheck baseline RUN --out FILE`") as caught:
        read_baseline(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_missing_file_is_told_how_to_come(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no baseline at .*: write one with `leapcheck baseline RUN --out "):
        read_baseline(tmp_path / "nowhere.json")
