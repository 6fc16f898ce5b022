"""The JSON codec: strict both ways, and every file of JSON that the program writes is read by a strict parser."""

from __future__ import annotations

import ast
import dataclasses
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leapcheck.jumping.leg_jump.options import LegJumpOptions
from leapcheck.jumping.leg_jump.study import leg_jump_study
from leapcheck.records import VersionFigure, VersionHistory
from leapcheck.report.comparison.results import run_json
from leapcheck.report.jump.results import jump_json
from leapcheck.report.leg_jump.files import leg_jump_json
from leapcheck.report.versions.history import history_json
from leapcheck.system.strict_json import dumps, dumps_line, loads, plain
from tests.harness.report.conftest import mini_cheetah_run
from tests.harness.report.jump_case import study

ROOT = Path(__file__).parents[3]
WRITES_JSON_OF_ITS_OWN = {
    "system/strict_json.py",
    "engines/other_version/worker.py",  # runs where leapcheck is not installed
    "engines/outside/framing.py",  # the protocol of pipes
    "engines/outside/library.py",
    "engines/outside/python_server.py",
    "judge/declaration.py",  # TOML
    "starter/files.py",  # Python source
}


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def strict(text: str) -> object:
    return json.loads(text, parse_constant=refuse)


NUMBERS = st.integers() | st.floats(allow_nan=False)


VALUES = NUMBERS | st.none() | st.booleans() | st.text() | st.floats(-1e300, 1e300).map(np.float64)


@given(st.recursive(VALUES, lambda part: st.lists(part) | st.dictionaries(st.text(), part), max_leaves=30))
def test_the_layout_is_the_standard_library_s_with_arrays_of_numbers_on_one_line(value: object) -> None:
    text = json.dumps(plain(value), indent=1)
    assert dumps(value) == re.sub(r"\[\n[-+.\deE,\s]+\]", lambda found: f"[{' '.join(found[0][1:-1].split())}]", text) + "\n"


@given(st.recursive(st.none() | st.booleans() | NUMBERS | st.text(), lambda part: st.lists(part)))
def test_what_was_written_is_read_back_but_for_infinities(value: object) -> None:
    def finite(part: object) -> object:
        if isinstance(part, list):
            return [finite(item) for item in part]
        return str(part) if isinstance(part, float) and not math.isfinite(part) else part

    for text in (dumps(value), dumps_line(value)):
        assert strict(text) == loads(text) == finite(value)


def test_numbers_that_json_does_not_have_are_strings() -> None:
    values = {"a": math.inf, "b": -math.inf, "c": math.nan, "d": np.array([1.0, math.inf])}
    assert strict(dumps(values)) == {"a": "inf", "b": "-inf", "c": "nan", "d": [1.0, "inf"]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1.0, Infinity]", 'Infinity is not JSON: write "inf" in quotation marks'),
        ("-Infinity", 'write "-inf"'),
        ('{"a": NaN}', 'write "nan"'),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "Expecting property name"),
    ],
)
def test_what_is_not_strict_json_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refusal:
        loads(text)
    assert "\n" not in str(refusal.value)


def test_every_record_that_is_written_is_strict_json() -> None:
    run = mini_cheetah_run()
    broken = dataclasses.replace(run.comparisons[0], error=math.inf, margin=math.nan)
    run = dataclasses.replace(run, comparisons=(broken, *run.comparisons[1:]))
    figure = VersionFigure("1.0", "mass_matrix", math.inf, math.nan, "wrong")
    history = VersionHistory("mujoco", "box", "MJCF", 4, 0, "leapcheck versions", ("1.0",), (figure,), (), ())
    texts = {
        "results.json": run_json(run),
        "jump": jump_json(study()),
        "leg_jump.json": leg_jump_json(leg_jump_study(LegJumpOptions()), "leapcheck leg-jump"),
        "versions.json": history_json(history),
    }
    for name, text in texts.items():
        assert isinstance(strict(text), dict), name


def test_no_other_module_of_the_product_writes_json() -> None:
    package = ROOT / "harness" / "leapcheck"
    writers = set()
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)) if "dump" in text else ():
            if isinstance(node, ast.Attribute) and node.attr in ("dump", "dumps") and getattr(node.value, "id", "") == "json":
                writers.add(path.relative_to(package).as_posix())
    assert writers == WRITES_JSON_OF_ITS_OWN


@pytest.mark.parametrize("path", sorted((ROOT / "reports").rglob("*.json")), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_committed_report_is_strict_json(path: Path) -> None:
    strict(path.read_text(encoding="utf-8"))
