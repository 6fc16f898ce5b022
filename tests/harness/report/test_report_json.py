"""results.json: strict, exact both ways, and clear about what it cannot read."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest

from leapcheck.records import SCHEMA_VERSION, Run
from leapcheck.report.comparison.results import read_run, run_json

RUNS = ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]


def written(tmp_path, text):
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    return path


def strict(text):
    """JSON with no NaN or Infinity, which the standard does not know."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


@pytest.mark.parametrize(
    "which", ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]
)
def test_a_run_comes_back_exactly(which, request, tmp_path):
    run = request.getfixturevalue(which)
    assert read_run(written(tmp_path, run_json(run))) == run


def test_every_kind_of_number_comes_back(run, tmp_path):
    odd = (0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 3.0)
    worst = dataclasses.replace(run.comparisons[0].worst, q=odd, truth=None)
    odd_run = dataclasses.replace(run, comparisons=(dataclasses.replace(run.comparisons[0], worst=worst, margin=math.inf),))
    text = run_json(odd_run)
    back = read_run(written(tmp_path, text))
    assert [repr(x) for x in back.comparisons[0].worst.q] == [repr(x) for x in odd]
    assert back.comparisons[0].worst.truth is None
    assert run_json(back) == text
    assert strict(text)["comparisons"][0]["margin"] == "inf"


def test_types_come_back(run, tmp_path):
    back = read_run(written(tmp_path, run_json(run)))
    assert type(back) is Run
    assert type(back.comparisons[0].verdict) is type(run.comparisons[0].verdict)
    assert type(back.comparisons[0].kinds) is tuple


def test_the_text_is_stable_and_strict(run, hostile_run):
    assert run_json(run) == run_json(dataclasses.replace(run))
    for text in (run_json(run), run_json(hostile_run)):
        assert strict(text)["schema_version"] == SCHEMA_VERSION
        assert text.endswith("}\n")


def test_names_that_look_like_an_array_of_numbers_are_left_alone(run, tmp_path):
    odd = dataclasses.replace(run, verdict="[\n 1,\n  2\n]", not_compared=("[\n1\n]", "[   1,    2 ]"))
    assert read_run(written(tmp_path, run_json(odd))) == odd


def test_arrays_of_numbers_stand_on_one_line(run):
    assert '"histogram": [' + ", ".join(map(str, run.comparisons[0].histogram)) + "]" in run_json(run)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no results at '.*nowhere.json': give the folder of a report"):
        read_run(tmp_path / "nowhere.json")


@pytest.mark.parametrize("text", ["", "{", "\x00", "[1, 2", '{"schema_version": 1,}'])
def test_a_corrupt_file_is_named(text, tmp_path):
    with pytest.raises(ValueError, match=r"results.json' is not a results file") as caught:
        read_run(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_named(tmp_path):
    path = tmp_path / "results.json"
    path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(ValueError, match="is not a results file"):
        read_run(path)


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 0, None, True, "1"])
def test_another_schema_version_is_refused(version, small_run, tmp_path):
    content = json.loads(run_json(small_run)) | {"schema_version": version}
    with pytest.raises(ValueError, match=f"has schema version {version!r}, this leapcheck reads {SCHEMA_VERSION}"):
        read_run(written(tmp_path, json.dumps(content)))


def test_a_file_of_version_1_is_told_how_to_come_up_to_date(small_run, tmp_path):
    """Version 1 had no accuracies: what it lacks is not guessed, the run is repeated."""
    content = json.loads(run_json(small_run)) | {"schema_version": 1}
    del content["accuracies"]
    with pytest.raises(ValueError, match="has schema version 1, this leapcheck reads 3: write it again with `leapcheck compare`"):
        read_run(written(tmp_path, json.dumps(content)))


def test_a_file_that_is_no_object_has_no_version(tmp_path):
    with pytest.raises(ValueError, match="has schema version None"):
        read_run(written(tmp_path, "[]"))


WRONG = [
    (lambda c: c.pop("verdict"), "run lacks 'verdict'"),
    (lambda c: c.update(colour="red"), "run has the unknown 'colour'"),
    (lambda c: c.update(exit_status="0"), "run.exit_status must be int, not '0'"),
    (lambda c: c.update(exit_status=True), "run.exit_status must be int, not True"),
    (lambda c: c.update(engines={}), "run.engines must be an array, not dict"),
    (lambda c: c.update(provenance=[]), "run.provenance must be an object, not list"),
    (lambda c: c["comparisons"][3].update(error="much"), r"run.comparisons\[3\].error must be float, not 'much'"),
    (lambda c: c["comparisons"][3].update(error=None), r"run.comparisons\[3\].error must be float, not None"),
    (lambda c: c["comparisons"][3].update(error=False), r"run.comparisons\[3\].error must be float, not False"),
    (lambda c: c["comparisons"][3].update(verdict="fine"), r"run.comparisons\[3\].verdict must be one of \['agree'"),
    (
        lambda c: c["discrepancies"][0].update(cause_class="x"),
        r"run.discrepancies\[0\].cause_class must be one of \['convention'",
    ),
    (lambda c: c["accuracies"][2].pop("median"), r"run.accuracies\[2\] lacks 'median'"),
    (lambda c: c["accuracies"][2].update(index=1.0), r"run.accuracies\[2\].index must be int, not 1.0"),
    (lambda c: c["provenance"]["versions"][0].append("x"), r"run.provenance.versions\[0\] must have 2 items, not 3"),
    (lambda c: c["pattern"][2].__setitem__(1, 0.5), r"run.pattern\[2\]\[1\] must be int, not 0.5"),
]


@pytest.mark.parametrize(("spoil", "message"), WRONG)
def test_a_wrong_field_is_named_with_its_place(spoil, message, small_run, tmp_path):
    content = json.loads(run_json(small_run))
    spoil(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_run(written(tmp_path, json.dumps(content)))
    assert "\n" not in str(caught.value)
