from __future__ import annotations

import itertools
import json
import re
import tomllib
from enum import StrEnum
from pathlib import Path

import pytest
import yaml

import leapcheck
import leapcheck_reference
from leapcheck.api.comparison_run import ComparisonVerdict
from leapcheck.cli import COMMANDS, command_class, command_options
from leapcheck.engines.registry import FACTORIES
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass, FindingKind, Run, TruthVerdict, Verdict
from leapcheck_evidence.site.__main__ import all_pages
from leapcheck_evidence.site.blocks import code_blocks, commands
from leapcheck_evidence.site.commands import command_page, option_rows
from leapcheck_evidence.site.figures import figures
from leapcheck_evidence.site.formats import results_schema
from leapcheck_evidence.site.generated import gallery_files, generated_pages

pytestmark = pytest.mark.quick

CAUGHT = {
    "leapcheck.engines.other_version.engine.RegistryOutOfReach",  # a kind of EngineError
    "leapcheck.engines.outside.link.Refused",
    "leapcheck.engines.outside.process.Died",
    "leapcheck.judge.conditions.probe.NoAnswerError",
    "leapcheck.jumping.sandboxed.ControllerError",
    "leapcheck.simulators.mujoco.drawing.RenderError",
    "leapcheck.system.processes.ProcessDiedError",
}
"""Exceptions that become words of a report, or of another exception, where they are raised."""

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module", autouse=True)
def root_folder() -> None:
    """The pages are made in the checkout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return generated_pages()


def test_every_command_and_option_is_in_the_reference() -> None:
    page = command_page()
    for name in COMMANDS:
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section, name
        assert [o for o in command_options(name)[2:] if f"| `{o} " not in section and f"| `{o}`" not in section] == [], name
        assert all(row.text for row in option_rows(command_class(name))), name


def test_every_quantity_and_engine_is_in_the_reference(pages: dict[str, str]) -> None:
    assert [name for name in QUANTITIES if f"| `{name}` |" not in pages["reference/quantities.md"]] == []
    assert [name for name in FACTORIES if f"| `{name}` |" not in pages["reference/engines.md"]] == []
    assert "`mass_matrix` | mass matrix M | kg m^2, kg m, kg | (nv, nv) |" in pages["reference/quantities.md"]


def test_every_public_name_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    homes = {f"{home}.{name}" for name, home in leapcheck.HOMES.items()}
    assert homes <= set(re.findall(r"^::: (\S+)$", page, re.MULTILINE))
    assert "::: leapcheck_reference\n" in page  # all of its __all__
    assert len(leapcheck_reference.__all__) > 40


@pytest.mark.parametrize("words", [Verdict, TruthVerdict, ComparisonVerdict, CauseClass, FindingKind, JumpVerdict])
def test_every_word_of_a_verdict_is_in_the_reference(words: type[StrEnum]) -> None:
    page = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8").partition("## Words of verdicts")[2]
    rows = page[page.index(f"\n| `{words.__name__}`") + 1 :].splitlines()
    own = [rows[0], *itertools.takewhile(lambda row: row.startswith("| |"), rows[1:])]
    assert [word for row in own for word in re.findall("`([^`]+)`", row.split("|")[2])] == list(words)


def test_every_exception_that_a_caller_may_see_is_in_the_reference() -> None:
    """All that the packages define, but for those that are caught where they are raised."""
    page = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    defined = set()
    for package in ("harness/leapcheck", "reference/leapcheck_reference", "models/leapcheck_models"):
        for path in (ROOT / package).rglob("*.py"):
            for name in re.findall(r"^class (\w+)\(\w*(?:Error|Exception)\):", path.read_text(encoding="utf-8"), re.MULTILINE):
                module = ".".join(path.relative_to(ROOT / package).with_suffix("").parts)
                defined.add(f"{Path(package).name}.{module}.{name}")
    assert {name for name in defined if name not in CAUGHT} == {name for name in defined if f"`{name}`" in page}
    assert defined >= CAUGHT


def test_real_results_are_as_the_schema_says() -> None:
    schema = json.loads(results_schema())
    for report in ("mini_cheetah", "example_discrepancy"):
        results = json.loads((ROOT / "reports" / report / "results.json").read_text(encoding="utf-8"))
        assert list(misfits(results, schema, schema["$defs"], "run")) == []
        results["comparisons"][0]["error"] = "large"
        del results["comparisons"][0]["margin"]
        assert len(list(misfits(results, schema, schema["$defs"], "run"))) == 2
    assert set(schema["$defs"]["Run"]["properties"]) == set(Run.__dataclass_fields__)


def misfits(value, schema, definitions, place):
    """Where a value breaks the part of JSON Schema that ours uses."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    kinds = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "object": dict,
        "array": list,
    }
    if "anyOf" in schema:
        if all(list(misfits(value, one, definitions, place)) for one in schema["anyOf"]):
            yield f"{place}: {value!r:.40}"
        return
    if ("enum" in schema and value not in schema["enum"]) or ("type" in schema and not isinstance(value, kinds[schema["type"]])):
        yield f"{place}: {value!r:.40}"
        return
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{place}: no {name}" for name in schema.get("required", ()) if name not in value)
        for name, one in value.items():
            yield from (
                misfits(one, known[name], definitions, f"{place}.{name}") if name in known else [f"{place}: {name} unknown"]
            )
    if isinstance(value, list):
        parts = schema.get("prefixItems") or [schema["items"]] * len(value)
        for i, (one, part) in enumerate(zip(value, parts, strict=True)):
            yield from misfits(one, part, definitions, f"{place}[{i}]")


def test_the_pictures_are_those_that_the_program_draws() -> None:
    drawn = figures()
    assert {path.name for path in (DOCS / "figures").iterdir()} == set(drawn)
    for name, text in drawn.items():
        assert (DOCS / "figures" / name).read_text(encoding="utf-8") == text, f"{name}: make docs-figures draws it again"


def test_the_pages_of_the_menu_are_there(pages: dict[str, str]) -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    menu = set(re.findall(r"\b([\w/-]+\.md)\b", text.partition("\nnav:\n")[2]))
    written = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert menu - written <= set(pages)
    assert written <= menu
    assert yaml.safe_load(text)["strict"] is True


def test_the_gallery_shows_reports_of_the_checkout() -> None:
    gallery = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for name, path in gallery_files().items():
        assert path.exists()
        assert f"gallery/{name}" in gallery or name == "jump/jump.png"


def test_the_code_of_the_pages_is_well_formed() -> None:
    """What `make docs-test` runs: python compiles, commands exist, tables are TOML."""
    for path in all_pages():
        for block in code_blocks(path.read_text(encoding="utf-8")):
            if block.language == "python":
                compile(block.body, str(path), "exec")
            if block.language == "toml":
                tomllib.loads(block.body)
            for command in re.findall(r"^\$ leapcheck ([a-z-]+)", block.body, re.MULTILINE):
                assert command in COMMANDS, f"{path}: {command}"


def test_no_page_is_empty_or_has_something_to_fill_in() -> None:
    for path in DOCS.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert len(text) > 400, path
        assert not re.search(r"TODO|TBD|XXX|lorem", text), path
        assert not re.search(r"^```text\n```", text, re.MULTILINE), f"{path}: output that was never filled in"


RUN_ELSEWHERE = {"make compare": "Makefile", "make test": ".ci/run", "pip install ./leapcheck": "tests/test_new_user.py"}
"""Commands of the README that `make docs-test` leaves out, and what runs them."""


def test_the_readme_is_short_and_every_command_in_it_is_run() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert ROOT / "README.md" in all_pages()
    skipped = {command for block in code_blocks(text) if block.is_skipped for command in commands(block)}
    assert skipped <= set(RUN_ELSEWHERE)
    assert "\t$(BIN)/leapcheck compare mini_cheetah\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\nmake test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
