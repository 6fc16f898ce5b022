"""The report of a mutation run, with a judgement on every survivor."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.mutation.mutants import Mutant

JUDGEMENTS = Path(__file__).with_name("judgements.toml")
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: pytest's exit status, None when time ran out."""

    mutant: Mutant
    status: int | None

    @property
    def killed(self) -> bool:
        return self.status != 0


def judgements() -> dict[tuple[str, str, str, str], str]:
    """Judgement by module, statement, text before and after the change."""
    entries = tomllib.loads(JUDGEMENTS.read_text())["survivor"]
    return {(e["module"], e["statement"], e["before"], e["after"]): e["judgement"] for e in entries}


def write_report(path: Path, outcomes: Sequence[Outcome], possible: int, seed: int) -> None:
    """Writes the figures per module and the list of survivors as Markdown."""
    known = judgements()
    survivors = [outcome.mutant for outcome in outcomes if not outcome.killed]
    equivalent = [m for m in survivors if known.get(m.key, "").startswith("equivalent")]
    killed = len(outcomes) - len(survivors)
    lines = [
        "# Mutation run",
        "",
        f"{killed} of {len(outcomes)} mutants killed: {killed / len(outcomes):.1%}. Of the {len(survivors)} survivors "
        f"{len(equivalent)} are equivalent to the original (no test could tell them apart); without them "
        f"{killed / (len(outcomes) - len(equivalent)):.1%}.",
        "",
        f"Repeat with `python tests/mutation/run.py --mutants {len(outcomes)} --seed {seed}`: drawn from {possible} mutants, "
        "one small change each (operator, sign, number, index, comparison, condition, order of arguments, transposition, "
        "statement left out).",
        "",
        "| module | drawn | killed | survived |",
        "|---|---|---|---|",
    ]
    for module, group in groupby(outcomes, key=lambda outcome: outcome.mutant.module):
        own = list(group)
        dead = sum(outcome.killed for outcome in own)
        lines.append(f"| {module} | {len(own)} | {dead} | {len(own) - dead} |")
    lines += ["", "## Survivors", ""]
    for m in survivors:
        lines += [
            f"- `{m.module}:{m.line}`: `{m.before}` -> `{m.after}`",
            f"  in `{m.statement}`: {known.get(m.key, NOT_JUDGED)}",
        ]
    path.write_text("\n".join(lines) + "\n")
