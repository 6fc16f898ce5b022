"""Names that would steer whoever reads them, planted wherever a name can come from, through every output of the command line."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from leapcheck_models.robots import load
from leapcheck_reference import build, mass_matrix
from tests.harness.cli.command_line import Leapcheck, few_states
from tests.harness.cli.hostile_names import FILE, SEEN, UNSEEN, Page, check_markdown, check_page, check_shown, robot

ENGINE = """
from leapcheck_reference import build, mass_matrix

class Heavy:
    name = version = NAME
    quantities = ["mass_matrix"]

    def __init__(self, tree):
        self.tree = tree

    def mass_matrix(self, q):
        print(NAME)
        if abs(q[0]) > 3:
            raise ValueError(NAME)
        return 1.01 * mass_matrix(self.tree, q)

def make(spec):
    return Heavy(build(spec))
""".replace("NAME", repr(UNSEEN))


@pytest.mark.parametrize("kind", ["xml", "urdf", "json"])
def test_lint_shows_names_and_obeys_none(kind: str, tmp_path: Path, leapcheck: Leapcheck) -> None:
    said = leapcheck("lint", robot(kind, tmp_path))
    assert said.status == 0
    assert "PWNED" in said.out
    check_shown(said.out + said.err)


@pytest.mark.parametrize("word", ["{}.xml", "{}.urdf", "{}.json", "{}", "no_module:{}"])
def test_a_refusal_shows_names_and_obeys_none(word: str, leapcheck: Leapcheck) -> None:
    for command in (("lint",), ("compare",), ("explain",), ("compare", "box", "--engine"), ("compare", "box", "--states-file")):
        said = leapcheck(*command, word.format("\x1b[31m\n##[error]" + FILE))
        assert said.status == 2
        assert said.err.count("\n") == 1
        check_shown(said.out + said.err)


@pytest.mark.parametrize("kind", ["xml", "urdf", "json"])
def test_every_output_of_a_comparison_shows_names_and_obeys_none(
    kind: str, tmp_path: Path, leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    (tmp_path / "hostile_engine.py").write_text(ENGINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    engine = f"{FILE}.toml"
    (tmp_path / engine).write_text('python = "hostile_engine:make"')
    words = ("--engines", "reference", "mujoco", "--engine", engine, "--quantities", "mass_matrix", "--states", "32")
    said = leapcheck("compare", robot(kind, tmp_path), *words, "--out", "out", "--junit", "out/junit.xml", "--github")
    assert said.status == 1, said
    commands = [line for line in said.out.splitlines() if line.startswith("::")]
    assert commands
    assert all(line.startswith("::error title=leapcheck%3A ") for line in commands)
    check_shown("\n".join(line for line in said.out.splitlines() if line not in commands) + said.err)
    check_shown(re.sub("^::error title=leapcheck%3A ", "", "\n".join(commands), flags=re.M))
    out = tmp_path / "out"
    for text in (
        leapcheck("explain", "out").out,
        leapcheck("explain", "out", "--details").out,
        leapcheck("diff", "out", "out").out,
    ):
        check_shown(text)
    baseline = leapcheck("baseline", "out", "--out", "accepted.json", "--reason", SEEN)
    check_shown(baseline.out + baseline.err)
    check_page(out / "report.html")
    for markdown in (out / "report.md", summary):
        check_markdown(markdown.read_text(encoding="utf-8"))
    for table in out.glob("*.csv"):
        for row in csv.reader(StringIO(table.read_text(encoding="utf-8"))):
            assert not [cell for cell in row if re.match(r"[=@\t\r]|[+-](?![\d.]|inf|nan)", cell)], table
    tags = {element.tag for element in ET.parse(out / "junit.xml").iter()}
    assert tags <= {"testsuites", "testsuite", "testcase", "failure", "error", "skipped", "properties", "property", "system-out"}
    assert json.loads((out / "results.json").read_text(encoding="utf-8"))["provenance"]


@pytest.mark.parametrize("kind", ["xml", "urdf", "json"])
def test_other_commands_show_names_and_obey_none(kind: str, tmp_path: Path, leapcheck: Leapcheck) -> None:
    file = robot(kind, tmp_path)
    commands = [
        ("sparsity", file, "--picture", f"{FILE}.svg"),
        ("generate", file, "--out", FILE, "--c", "mass_matrix"),
        ("init", file, "--out", f"{FILE} project"),
        ("diff-robots", file, "two_link_arm"),
    ]
    if kind != "json":
        commands.append(("lint", file, "--fix", f"fixed {FILE}.{kind}"))
    for words in commands:
        said = leapcheck(*words)
        assert said.status in (0, 1, 2)
        assert "Traceback" not in said.err
        check_shown(said.out + said.err)
    assert {element.tag.rpartition("}")[2] for element in ET.parse(tmp_path / f"{FILE}.svg").iter()} <= {
        "svg", "style", "rect", "text", "path", "title",
    }  # fmt: skip
    for written in (tmp_path / FILE).glob("*.[xu]*"):
        ET.parse(written)
    for source in (tmp_path / FILE).glob("*.[ch]"):
        assert "PWNED" not in re.sub(r"/\*.*?\*/", "", source.read_text(encoding="utf-8"), flags=re.S).replace("_PWNED_", "")
    for source in (tmp_path / f"{FILE} project").glob("*.py"):
        compile(source.read_text(encoding="utf-8"), str(source), "exec")


def test_a_project_whose_workflow_would_evaluate_the_name_of_the_robot_is_refused(tmp_path: Path, leapcheck: Leapcheck) -> None:
    """GitHub replaces such an expression before the shell reads the line: no quotes help."""
    Path(robot("json", tmp_path)).rename(tmp_path / "${{ github.token }}.json")
    said = leapcheck("init", "${{ github.token }}.json")
    assert said.status == 2
    assert "a workflow of GitHub's would evaluate '${{' in it" in said.err
    assert not (tmp_path / ".github").exists()


DESCRIPTIONS = (
    '{python}\n"NAME" = 1',
    '{python}\nprecision = "NAME"',
    '{python}\ntimeout = "NAME"',
    '{python}\n[conventions]\n"NAME" = 1',
    '{python}\n[conventions]\nquaternion = "NAME"',
    '{python}\n[conventions]\njoints = ["NAME"]',
    'python = "NAME"',
    'library = "NAME"',
    'program = "NAME"',
    'data = "NAME"',
    'data = "NAME.csv"',
)


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_descriptions_of_engines_show_names_and_obey_none(
    text: str, tmp_path: Path, leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile_engine.py").write_text(ENGINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    text = text.replace("{python}", 'python = "hostile_engine:make"').replace("NAME", FILE.replace("\x85", r"\u0085"))
    (tmp_path / "engine.toml").write_text(text, encoding="utf-8")
    words = ("--engines", "reference", "--engine", "engine.toml", "--quantities", "mass_matrix", "--states", "8")
    said = leapcheck("compare", robot("json", tmp_path), *words)
    assert said.status in (1, 2)
    check_shown(said.out + said.err)


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_columns_of_recordings_and_states_show_names_and_obey_none(ending: str, tmp_path: Path, leapcheck: Leapcheck) -> None:
    file, recording = robot("json", tmp_path), tmp_path / f"{FILE}.{ending}"
    M = mass_matrix(build(load("two_link_arm")), np.zeros(2)).ravel()
    numbers = {"q_0": [0.0], "q_1": [0.0], **{f"mass_matrix_{i}": [x] for i, x in enumerate(M)}}
    others = {UNSEEN: [1.0], f"q_{UNSEEN}": [1.0], f"mass_matrix_{UNSEEN}": [1.0]}
    for columns in (numbers | others, numbers | {"v_0": [UNSEEN], "v_1": [UNSEEN]}):
        if ending == "npz":
            arrays = {"q": np.zeros((1, 2)), "mass_matrix": M.reshape(1, 2, 2), "v": [columns.get("v_0", (0.0, 0.0))]}
            np.savez(recording, **{name.replace("/", ""): np.asarray(values) for name, values in (columns | arrays).items()})
        else:
            frame = pd.DataFrame(columns)
            frame.to_csv(recording, index=False) if ending == "csv" else frame.to_parquet(recording)
        for option in ("--engine", "--states-file"):
            said = leapcheck("compare", file, option, recording.name, *few_states("mass_matrix"))
            assert said.status == (2 if "v_0" in columns else 0), said
            check_shown(said.out + said.err)
    assert not [tag for tag, _ in Page((tmp_path / "runs/robot/report.html").read_text(encoding="utf-8")).seen if tag == "img"]
