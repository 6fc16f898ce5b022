"""A soak as Markdown and JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from leapcheck.system.strict_json import dumps
from leapcheck_evidence.score.show import markdown_table
from leapcheck_evidence.soak.record import Soak

TITLES = ("kind", "cases", "failed", "CPU s", "what was tried")
FAILED_TITLES = ("number", "kind", "case", "problem", "repeat it")


def soak_json(soak: Soak) -> str:
    """The whole record."""
    return dumps(asdict(soak) | {"counts": counts(soak), "cpu_seconds": cpu_seconds(soak), "failed": len(soak.failures)})


def soak_markdown(soak: Soak) -> str:
    """Tables: what was run of each kind, and what failed."""
    parts = [f"# Soak\n\n{heading(soak)}\n", markdown_table(TITLES, [_cells(soak, kind) for kind in _kinds(soak)])]
    if soak.failures:
        rows = [
            (str(case.number), case.kind, case.result.label, case.result.problem, f"`{soak.repeat} {case.number}`")
            for case in soak.failures
        ]
        parts.append(f"## Failed\n\n{markdown_table(FAILED_TITLES, rows)}")
    return "\n".join(parts)


def heading(soak: Soak) -> str:
    """The soak in one sentence."""
    verdict = f"{len(soak.failures)} failed" if soak.failures else "none failed"
    hours = f"{cpu_seconds(soak) / 3600:.2f} h of CPU in {soak.seconds / 3600:.2f} h"
    return f"`{soak.command}`: {len(soak.cases)} cases, {hours}; {verdict}."


def counts(soak: Soak, kind: str = "") -> dict[str, int]:
    """How much was tried by name, of one kind or of all."""
    total: Counter[str] = Counter()
    for case in soak.cases:
        if not kind or case.kind == kind:
            total.update(case.result.counts)
    return dict(sorted(total.items()))


def cpu_seconds(soak: Soak, kind: str = "") -> float:
    """CPU seconds of the cases, of one kind or of all."""
    return sum(case.cpu_seconds for case in soak.cases if not kind or case.kind == kind)


def _kinds(soak: Soak) -> list[str]:
    return sorted({case.kind for case in soak.cases})


def _cells(soak: Soak, kind: str) -> tuple[str, ...]:
    cases = [case for case in soak.cases if case.kind == kind]
    failed = sum(bool(case.result.problem) for case in cases)
    tried = ", ".join(f"{number} {name}" for name, number in counts(soak, kind).items())
    return kind, str(len(cases)), str(failed), f"{cpu_seconds(soak, kind):.0f}", tried
