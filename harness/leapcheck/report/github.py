"""GitHub Actions: workflow commands, which the runner shows as annotations, and the summary of a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from leapcheck.compare.records import Run
from leapcheck.report import judgement, words
from leapcheck.report.cases import Case, Outcome, cases, label
from leapcheck.report.text import markdown_environment

LEVELS = {Outcome.FAILED: "error", Outcome.ERROR: "error", Outcome.KNOWN: "notice"}

SourceOf = Callable[[str], str]
"""The path of an engine's source file, "" where it has none in this folder."""


def github_commands(run: Run, source_of: SourceOf = lambda _: "") -> str:
    """A line for each case that fails, then for each known discrepancy, then for what the baseline says beside them."""
    found = [case for case in cases(run) if case.outcome in LEVELS]
    lines = [_of_case(case, source_of) for case in sorted(found, key=lambda case: not case.fails)]
    return "".join(f"{line}\n" for line in [*lines, *_of_baseline(run)])


def github_summary(run: Run) -> str:
    """The run as a short Markdown text: the verdict, the baseline, what fails, and why."""
    return (
        markdown_environment()
        .get_template("summary.md.j2")
        .render(
            run=run,
            headline=words.headline(run),
            cases=[case for case in cases(run) if case.outcome is not Outcome.PASSED],
            passed=sum(case.outcome is Outcome.PASSED for case in cases(run)),
            judgements=judgement.judgements(run),
        )
    )


def _of_case(case: Case, source_of: SourceOf) -> str:
    source = source_of(case.engine)
    return _command(
        LEVELS[case.outcome], "\n".join(filter(None, (case.title, case.text))), title=f"leapcheck: {label(case)}", file=source
    )


def _of_baseline(run: Run) -> Iterator[str]:
    if run.baseline is not None:
        lines = [f"{f.engine}, {f.quantity}: {f.words}" for f in run.baseline.findings if f.kind == "gone"]
        told = "\n".join([run.baseline.sentence, *lines, *run.baseline.notes])
        yield _command("notice", told, title=f"leapcheck: baseline {run.baseline.file}")


def _command(level: str, message: str, **properties: str) -> str:
    """The workflow command; its text may hold line breaks, but nothing in it can begin another command."""
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{level} {told}::{_message(message)}"


def _message(text: str) -> str:
    safe = "\n".join(words.printable(line) for line in text.splitlines())
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
