"""The accuracy study: every named robot and many random trees in every engine; `make reports` writes its table.

`python -m leapcheck_evidence.accuracy --out reports/` runs it whole; the slow tests hold its figures against the goals.
With `--whole-body` it is about frames, momenta, matrices, derivatives and regressors: the last part of the same file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import leapcheck
from leapcheck.quantities import QUANTITIES, QuantityGroup, quantity_names
from leapcheck.records import Accuracy, Run, Verdict
from leapcheck.report.comparison.tables import EPS
from leapcheck.report.words import number
from leapcheck.rounding import ALLOWED_UNITS
from leapcheck.system.processes import running_jobs
from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.command import run_command
from leapcheck_models.robots import ROBOTS

NAMED_STATES, TREE_STATES, TREES = 2000, 200, 50

WHOLE_BODY_STATES = 64
"""States of each named robot of which whole-body quantities are compared: their truth takes long."""

WHOLE_BODY_HEADING = "# Whole-body quantities"

WHOLE_BODY_GROUPS = (
    QuantityGroup.KINEMATICS,
    QuantityGroup.CENTROIDAL,
    QuantityGroup.DYNAMICS,
    QuantityGroup.DERIVATIVES,
    QuantityGroup.REGRESSORS,
)

NAMED_GOALS = {
    "mass_matrix": 1e-13,
    "contact_jacobians": 1e-13,
    "bias_force": 1e-11,
    "contact_bias_accelerations": 1e-11,
    "forward_dynamics": 1e-9,
}
"""Largest scale-free error with the base within 10 m of the origin, named robots."""

TREE_GOALS = {"mass_matrix": 5e-12}
"""The same for random trees."""


@dataclass(frozen=True, slots=True)
class Worst:
    """Largest error of one quantity over a group of robots, near and far from the origin, and where the near one is."""

    quantity: str
    error: float
    rounding: float
    where: str
    far_error: float
    far_rounding: float


@dataclass(frozen=True, slots=True)
class Truth:
    """One engine's errors against the truth in one quantity over a group of robots: median of the robots' medians and worst,
    scale-free, and the largest in units of the expected rounding.
    """

    median: float
    worst: float
    rounding: float


def runs(names: Sequence[str], states: int, workers: int = 1, quantities: Sequence[str] = ()) -> Iterator[Run]:
    """One run per robot, all engines, all or some quantities; robots side by side in as many processes as `workers`."""
    if workers == 1:
        yield from (_run(name, states, quantities) for name in names)
        return
    with running_jobs(_run, [(name, states, quantities) for name in names], workers) as running:
        yield from (done.result() for done in running)


def _run(name: str, states: int, quantities: Sequence[str] = ()) -> Run:
    return leapcheck.compare(name, states=states, quantities=tuple(quantities)).record


def worst_by_quantity(group: Iterable[Run]) -> tuple[Worst, ...]:
    """The largest errors of every quantity over the runs, over all pairs of engines."""
    worst: dict[str, Worst] = {}
    for run in group:
        for row in run.comparisons:
            near = [kind for kind in row.kinds if kind.kind != "far"]
            far = [kind for kind in row.kinds if kind.kind == "far"]
            now = worst.get(row.quantity, Worst(row.quantity, 0.0, 0.0, "", 0.0, 0.0))
            error = max((kind.error for kind in near), default=0.0)
            rounding = max((kind.rounding for kind in near), default=0.0)
            where = f"{run.provenance.robot}: {row.engine} / {row.against}"
            worst[row.quantity] = Worst(
                row.quantity,
                max(error, now.error),
                max(rounding, now.rounding),
                where if error > now.error else now.where,
                max([kind.error for kind in far] + [now.far_error]),
                max([kind.rounding for kind in far] + [now.far_rounding]),
            )
    return tuple(worst[name] for name in QUANTITIES if name in worst)


def against_truth(group: Iterable[Run]) -> dict[str, dict[str, Truth]]:
    """By quantity and engine the errors against the truth over the runs; empty where no run had a truth."""
    lists: dict[str, dict[str, list[Accuracy]]] = {}
    for accuracy in (accuracy for run in group for accuracy in run.accuracies):
        lists.setdefault(accuracy.quantity, {}).setdefault(accuracy.engine, []).append(accuracy)
    return {name: {engine: _truth(rows) for engine, rows in lists[name].items()} for name in QUANTITIES if name in lists}


def _truth(rows: Sequence[Accuracy]) -> Truth:
    return Truth(median([row.median for row in rows]), max(row.worst for row in rows), max(row.rounding for row in rows))


def problems(group: Iterable[Run]) -> list[str]:
    """Discrepancies and failures of the runs, in words."""
    lines: list[str] = []
    for run in group:
        robot = run.provenance.robot
        lines += [f"{robot}: {failure.message}" for failure in run.failures]
        bad = [row for row in run.comparisons if row.verdict is Verdict.DISCREPANCY]
        lines += [f"{robot}: {row.quantity}, {row.engine} / {row.against}: {row.error:.2g}" for row in bad]
    return lines


def table(title: str, worst: Iterable[Worst], goals: dict[str, float]) -> str:
    """Markdown table of the worst errors beside their goals."""
    lines = [f"## {title}", ""]
    lines.append("| quantity | scale | worst error | goal | expected roundings | where | far from the origin (roundings) |")
    lines.append("|---|---|---|---|---|---|---|")
    for row in worst:
        quantity, goal = QUANTITIES[row.quantity], goals.get(row.quantity)
        far = f"{row.far_error:.1e} ({row.far_rounding:.0f})" if row.far_error else ""
        lines.append(
            f"| {quantity.label} | {quantity.scale} | {row.error:.1e} | {'' if goal is None else f'{goal:.0e}'} | "
            f"{row.rounding:.1f} | {row.where} | {far} |"
        )
    return "\n".join([*lines, ""])


def truth_lines(truths: Mapping[str, Mapping[str, Truth]]) -> str:
    """Markdown table of the errors against the truth, a column per engine; a sentence where nothing was compared."""
    if not truths:
        return "No values in double-double were at hand.\n"
    engines = list(dict.fromkeys(engine for row in truths.values() for engine in row))
    lines = [f"| against the truth | {' | '.join(engines)} |", "|---|" + "---:|" * len(engines)]
    for name, row in truths.items():
        cells = [f"{number(t.median / EPS)} / {number(t.worst / EPS)} ({t.rounding:.1f})" for t in row.values()]
        by_engine = dict(zip(row, cells, strict=True))
        lines.append(f"| {QUANTITIES[name].label} | {' | '.join(by_engine.get(engine, '') for engine in engines)} |")
    return "\n".join([*lines, ""])


def study(workers: int) -> str:
    """The whole study as Markdown."""
    named = list(runs(tuple(ROBOTS), NAMED_STATES, workers))
    trees = list(runs([f"random:{seed}" for seed in range(TREES)], TREE_STATES, workers))
    discrepancies = problems([*named, *trees])
    versions = ", ".join(f"{package} {version}" for package, version in named[0].provenance.versions)
    states = NAMED_STATES * len(named) + TREE_STATES * len(trees)
    return "\n".join(
        [
            "# How well the engines agree",
            "",
            "Made by `make reports`. Largest differences over all pairs of engines (reference, mujoco, mujoco-urdf, pinocchio,",
            f"pinocchio-mjcf) over {states:,} mixed states; {versions}; {named[0].provenance.machine}.".replace(",000", " 000"),
            f"Tolerance: {ALLOWED_UNITS:g} times the rounding that a state warrants. States within 10 m of the origin, but for",
            "the last column (base at 1e2 to 1e4 m, where engines that compute in world coordinates cancel digits). A Coriolis",
            "force may vanish while its terms do not: then its error counts in expected roundings, not relative to the force.",
            "",
            "Against the truth, the value in double-double: median / worst error in units of eps x scale, eps = 2^-52; rounding",
            "the true value costs up to about 1/2. In brackets the largest in expected roundings. The median is that of the",
            "robots' medians. States within 10 m of the origin.",
            "",
            table(f"{len(named)} named robots, {NAMED_STATES} states each", worst_by_quantity(named), NAMED_GOALS),
            truth_lines(against_truth(named)),
            table(f"{len(trees)} random trees, {TREE_STATES} states each", worst_by_quantity(trees), TREE_GOALS),
            truth_lines(against_truth(trees)),
            "## Discrepancies and failures",
            "",
            *([f"- {line}" for line in discrepancies] or ["None."]),
            "",
        ]
    )


def whole_body_study(workers: int) -> str:
    """The part on whole-body quantities as Markdown: each engine that answers one, against the truth."""
    quantities = quantity_names(WHOLE_BODY_GROUPS)
    named = list(runs(tuple(ROBOTS), WHOLE_BODY_STATES, workers, quantities))
    trees = list(runs([f"random:{seed}" for seed in range(TREES)], TREE_STATES, workers, quantities))
    discrepancies = problems([*named, *trees])
    versions = ", ".join(f"{package} {version}" for package, version in named[0].provenance.versions)
    return "\n".join(
        [
            WHOLE_BODY_HEADING,
            "",
            "Made by `python -m leapcheck_evidence.accuracy --whole-body`: every quantity, each engine that has it, near the",
            f"origin, as above; {versions}; {named[0].provenance.machine}.",
            "",
            f"## {len(named)} named robots, {WHOLE_BODY_STATES} states each, whole-body quantities",
            "",
            truth_lines(against_truth(named)),
            f"## {len(trees)} random trees, {TREE_STATES} states each, whole-body quantities",
            "",
            truth_lines(against_truth(trees)),
            "## Discrepancies and failures in whole-body quantities",
            "",
            *([f"- {line}" for line in discrepancies] or ["None."]),
            "",
        ]
    )


def with_part(text: str, part: str, is_whole_body: bool) -> str:
    """The file's text with one of its two parts written again."""
    first, heading, second = text.partition(WHOLE_BODY_HEADING)
    parts = (first, part) if is_whole_body else (part, heading + second)
    return "\n".join(kept.strip() + "\n" for kept in parts if kept.strip())


@dataclass(frozen=True)
class AccuracyCommand:
    """Compare every named robot and many random trees in every engine and write the table."""

    whole_body: bool = False
    """Compare frames, momenta, matrices, derivatives and regressors; the other part of the file stays as it is."""

    out: Path = Path("reports")
    """Folder of accuracy.md."""

    def run(self) -> int:
        """Writes accuracy.md."""
        self.out.mkdir(parents=True, exist_ok=True)
        file, make = self.out / "accuracy.md", whole_body_study if self.whole_body else study
        before = file.read_text() if file.exists() else ""
        write_whole(file, with_part(before, make(os.cpu_count() or 1), self.whole_body).encode())
        return 0


if __name__ == "__main__":
    sys.exit(run_command(AccuracyCommand, "accuracy"))
