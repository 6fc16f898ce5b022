"""The result of a comparison: a verdict, tables, explanations, a report."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leapcheck.api.text import Shown, Text
from leapcheck.records import Diagnosis, Discrepancy, Failure, Run, Verdict

if TYPE_CHECKING:
    from pandas import DataFrame

    from leapcheck.comparison.plan import Plan
    from leapcheck.sampling import States


class ComparisonVerdict(StrEnum):
    """What a comparison came to.

    Example:
        >>> import leapcheck as lc
        >>> lc.ComparisonVerdict("agree") is lc.ComparisonVerdict.AGREE
        True
    """

    AGREE = "agree"
    IMPRECISE = "right but imprecise"
    DISCREPANCY = "discrepancy"
    FAILED = "an engine failed"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonRun(Shown):
    """A finished comparison. `record` holds everything as frozen records (`leapcheck.records.Run`).

    In a notebook it shows its verdict and its table, in a terminal a short summary.

    Example:
        >>> import leapcheck as lc
        >>> run = lc.compare("falling_rod", engines=("reference", "mujoco"), states=16)
        >>> run.ok, run.verdict.value, run.exit_status
        (True, 'agree', 0)
    """

    record: Run
    folder: Path | None = None
    plan: Plan | None = field(default=None, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the exit status is 0: all engines agree, or a baseline accepts what differs."""
        return self.exit_status == 0

    @property
    def exit_status(self) -> int:
        """Exit status of `leapcheck compare`: 0 agree, 1 a discrepancy or a failure of your engine, 2 could not run."""
        return self.record.exit_status

    @property
    def verdict(self) -> ComparisonVerdict:
        """The outcome, whatever a baseline accepts."""
        verdicts = {row.verdict for row in self.record.comparisons}
        if Verdict.DISCREPANCY in verdicts or self.record.discrepancies:
            return ComparisonVerdict.DISCREPANCY
        if self.record.failures:
            return ComparisonVerdict.FAILED
        if self.exit_status == 2 or not verdicts:
            return ComparisonVerdict.INCOMPLETE
        return ComparisonVerdict.IMPRECISE if Verdict.IMPRECISE in verdicts else ComparisonVerdict.AGREE

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        return self.record.verdict

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """Why each wrong engine is off: its causes, what else explains its answers, and how far the error falls."""
        return self.record.diagnoses

    @property
    def discrepancies(self) -> tuple[Discrepancy, ...]:
        """A record for each quantity that an engine gets wrong: cause, evidence, who is wrong, how to repeat it."""
        return self.record.discrepancies

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Engines that could not be made, crashed, timed out, or gave NaN or a wrong shape."""
        return self.record.failures

    @property
    def not_compared(self) -> tuple[str, ...]:
        """What was not compared, and why."""
        return self.record.not_compared

    def to_frame(self) -> DataFrame:
        """A row per quantity and pair of engines.

        `error` is scale-free, `absolute` in `unit`, `rounding` in units of the expected rounding; `worst_...` and the columns
        `q_0`, ..., `v_0`, ..., `tau_0`, ... describe the worst state. `attrs["units"]` holds the unit of each column.
        """
        from leapcheck.report.comparison.frames import run_frame

        return run_frame(self.record)

    def accuracy_frame(self) -> DataFrame:
        """A row per quantity and engine: its error against the truth, scale-free and in units of the expected rounding."""
        from leapcheck.report.comparison.frames import accuracy_frame

        return accuracy_frame(self.record)

    def worst_states(self) -> States:
        """The worst state of each quantity and pair, each state once, the worst first: `q` (n, nq), `v` and `tau` (n, nv).

        `leapcheck.compare(..., states=run.worst_states())` compares at these states alone.
        """
        from leapcheck.sampling import States

        rows = sorted(self.record.comparisons, key=lambda row: -row.rounding)
        worst = {row.worst.index: row.worst for row in reversed(rows) if row.worst is not None}
        order = list(dict.fromkeys(row.worst.index for row in rows if row.worst is not None))
        q, v, tau = (np.array([getattr(worst[i], name) for i in order], dtype=float) for name in ("q", "v", "tau"))
        vdot = np.array([worst[i].vdot or [0.0] * len(worst[i].v) for i in order], dtype=float)
        width = max((len(worst[i].contact_forces) for i in order), default=0)
        forces = np.array([worst[i].contact_forces or [0.0] * width for i in order], dtype=float).reshape(len(order), width)
        return States(q, v, tau, np.array(order, dtype=np.int64), tuple(worst[i].kind for i in order), vdot, forces)

    def explain(self, engine: str = "", quantity: str = "", details: bool = False) -> Text:
        """Who is wrong, why, by how much, the smallest case, and how to repeat it; of one engine or one quantity if given.

        Args:
            engine: only this one.
            quantity: only this one.
            details: every quantity, smallest case and engine, not one for all that are alike.

        Raises:
            ValueError: the run has no such engine or quantity.
        """
        from leapcheck.report.comparison.explanation import explanation
        from leapcheck.report.terminal import plain_text

        return Text(plain_text(explanation(self.record, engine, quantity, details)))

    def write_report(self, folder: Path | str) -> ComparisonRun:
        """Writes page, Markdown, results.json, tables, reproducers and states into a folder; returns the run with its folder.

        Raises:
            OSError: the folder cannot be made or written.
        """
        from leapcheck.report.comparison.files import write_report, write_states

        write_report(self.record, folder)
        if self.plan is not None:
            write_states(self.plan, Path(folder))
        return ComparisonRun(self.record, Path(folder), self.plan)

    def raise_if_wrong(self, quantity: str = "") -> None:
        """Nothing where the run is `ok`.

        Args:
            quantity: look at this quantity alone.

        Raises:
            AssertionError: an engine is wrong or failed; the message names the cause, the worst and the smallest state.
        """
        if text := self.failure_text(quantity):
            raise AssertionError(text)

    def failure_text(self, quantity: str = "") -> str:
        """Why the run, or one quantity of it, is not ok, in a few lines; empty where it is."""
        if self.record.exit_status == 0 and self.record.baseline is None:
            return ""  # the report is not imported for a test that passes
        from leapcheck.report.comparison.cases import failure_text

        return failure_text(self.record, quantity, None if self.folder is None else os.path.relpath(self.folder))

    def __str__(self) -> str:
        from leapcheck.report.comparison.console import console_summary
        from leapcheck.report.terminal import plain_text

        return plain_text(console_summary(self.record))

    def __repr__(self) -> str:
        made = self.record.provenance
        engines = ", ".join(engine.name for engine in self.record.engines)
        return f"<ComparisonRun {self.verdict}: {made.robot}, {engines}, {made.states} states>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from leapcheck.report.comparison.notebook import summary_html

        return summary_html(self.record)


def read_run(folder: Path | str) -> ComparisonRun:
    """The comparison that a report's folder, or its results.json, holds.

    Raises:
        FileNotFoundError: there are no results.
        ValueError: the file is not one that this version of leapcheck can read.

    Example:
        >>> import leapcheck as lc
        >>> lc.read_run("runs/mini_cheetah").verdict  # doctest: +SKIP
        <ComparisonVerdict.AGREE: 'agree'>
    """
    from leapcheck.report.comparison.results import read_run as read_record

    path = Path(folder)
    return ComparisonRun(read_record(path), path if path.is_dir() else path.parent)
