"""Compiled templates: the same reports as from their texts, used only for the text and the Jinja that they were made of."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from leapcheck.report import templating
from leapcheck.report.comparison.page import html_report, markdown_report
from leapcheck.report.templating import compile_templates, markdown_templates, page_templates


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("templates") / "compiled"
    compile_templates(folder)
    return folder


@pytest.mark.parametrize("which", ["run", "hostile_judged_run", "empty_run"])
def test_a_report_is_the_same_with_and_without_them(which, request, compiled, tmp_path, monkeypatch):
    run = request.getfixturevalue(which)
    reports = []
    for folder in (compiled, tmp_path):
        monkeypatch.setattr(templating, "COMPILED", folder)
        reports.append((html_report(run), markdown_report(run)))
    assert reports[0] == reports[1]


def test_each_template_of_each_kind_is_compiled_and_then_not_compiled_again(compiled, monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(templating, "COMPILED", compiled)
    monkeypatch.setattr(jinja2.Environment, "compile", refuse)
    for environment, suffix in ((page_templates({}), ".html.j2"), (markdown_templates({}), ".md.j2")):
        for path in templating.FOLDER.glob(f"*{suffix}"):
            environment.get_template(path.name)
        environment.get_template("truth_note.j2")


@pytest.mark.parametrize("changed", ["the text", "the version of Jinja", "the module"])
def test_what_is_not_of_the_same_text_and_jinja_is_not_used(changed, compiled, tmp_path, monkeypatch):
    places = {folder: tmp_path / folder for folder in ("compiled", "templates")}
    for source, place in ((compiled, places["compiled"]), (templating.FOLDER, places["templates"])):
        place.mkdir()
        for path in source.glob("*.*"):
            (place / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(templating, "FOLDER", places["templates"])
    monkeypatch.setattr(templating, "COMPILED", places["compiled"])
    text, module = places["templates"] / "truth_note.j2", places["compiled"] / "md_truth_note_j2.py"
    module.write_text(module.read_text().replace("yield '", "yield 'compiled: "))
    note = markdown_templates({}).get_template("truth_note.j2")
    assert "compiled: " in note.render(truth={"sampled": 3, "wrong": ()})
    if changed == "the text":
        text.write_text("another " + text.read_text())
    elif changed == "the version of Jinja":
        monkeypatch.setattr(jinja2, "__version__", "4.0")
    else:
        module.write_text("raise_nothing = 1\n")
    note = markdown_templates({}).get_template("truth_note.j2")
    assert "compiled: " not in note.render(truth={"sampled": 3, "wrong": ()})


@pytest.mark.parametrize("name", ["none.html.j2", "../page.py", "../templating.py", "/etc/passwd", "."])
def test_no_other_file_is_a_template(name):
    with pytest.raises(jinja2.TemplateNotFound):
        page_templates({}).get_template(name)
