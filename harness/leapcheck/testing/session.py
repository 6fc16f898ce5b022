"""The comparisons of one session of tests in one process: each is run once, held against the baseline, and reported."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leapcheck.testing.asked import Asked, own_engine, plan_of

if TYPE_CHECKING:
    from leapcheck.baseline.making import Acceptance
    from leapcheck.baseline.record import Baseline, RobotBaseline
    from leapcheck.compare.records import Run


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command line of pytest chose: None or "" where it did not.

    `reports` is the folder of the reports of runs that fail, `worker` the name of this process among several.
    """

    states: int | None = None
    seed: int | None = None
    reports: Path | None = None
    baseline: Path | None = None
    update: bool = False
    reason: str = ""
    expires: str | None = None
    worker: str = ""

    def of(self, what: Asked) -> Asked:
        """What a test asks for, with the states and the seed that were chosen."""
        states = what.states if self.states is None else self.states
        return replace(what, states=states, seed=what.seed if self.seed is None else self.seed)

    def check(self) -> None:
        """Raises ValueError or OSError in one line for a baseline that cannot be read, and for a day that is none."""
        self.old_baseline()
        _ = self.acceptance

    @property
    def acceptance(self) -> Acceptance:
        """Reason and day of new discrepancies; ValueError for a day that is none."""
        from leapcheck.baseline.making import Acceptance

        return Acceptance(self.reason, self.expires)

    def old_baseline(self) -> Baseline:
        """The baseline of the file; an empty one where an update is to make it. ValueError or OSError for a broken file."""
        from leapcheck.baseline.files import read_baseline
        from leapcheck.baseline.record import Baseline

        if self.baseline is None or (self.update and not self.baseline.exists()):
            return Baseline(())
        return read_baseline(self.baseline)


@dataclass(frozen=True, slots=True)
class Told:
    """A finished run with the folder of its report, if any; or why there is none."""

    run: Run | None = None
    folder: Path | None = None
    problem: str = ""


@dataclass(slots=True, eq=False)
class Session:
    """The runs of this process by what was asked, the `parts` of a baseline that they make, and `notes` for the summary."""

    choices: Choices
    parts: list[RobotBaseline] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _told: dict[Hashable, tuple[Told, Any]] = field(default_factory=dict)
    _folders: set[Path] = field(default_factory=set)

    def told(self, what: Asked) -> Told:
        """The run of a comparison, from an earlier test where there was one."""
        what = self.choices.of(what)
        if what.key not in self._told:
            self._told[what.key] = self._compared(what), what.engine
        return self._told[what.key][0]

    def quantities(self, what: Asked) -> tuple[str, ...]:
        """What the engine answers of what is asked, and what a baseline says that it did; () where that cannot be told."""
        from leapcheck.quantities import QUANTITIES
        from leapcheck.robot_files import load

        try:
            spec = load(what.robot)
            own = own_engine(what, spec)
            names = own.quantities | self._in_baseline(what.robot, own.name)
        except Exception:  # the test itself says what is wrong: the others are collected
            return ()
        return tuple(name for name in QUANTITIES if name in names and (not what.quantities or name in what.quantities))

    def _in_baseline(self, robot: str, engine: str) -> set[str]:
        if self.choices.update:
            return set()
        from leapcheck.baseline.making import compared_in

        parts = [part for part in self.choices.old_baseline().robots if part.robot == robot]
        return {quantity for part in parts for name, quantity in compared_in(part) if name == engine}

    def _compared(self, what: Asked) -> Told:
        from leapcheck.compare.run import compared
        from leapcheck.engines.errors import EngineError

        try:
            plan = plan_of(what)
        except EngineError as error:
            return Told(problem=str(error))
        run, name = compared(plan), str(getattr(plan.engines[-1], "name", ""))
        try:
            run = self._held(run)
        except ValueError as error:
            return Told(problem=str(error))
        return Told(run, self._reported(run, name) if run.exit_status else None)

    def _held(self, run: Run) -> Run:
        """The run beside the baseline, or beside what an update makes of it."""
        if self.choices.baseline is None:
            return run
        from leapcheck.baseline.holding import held, part_for
        from leapcheck.baseline.making import part_of, updated

        file, baseline = str(self.choices.baseline), self.choices.old_baseline()
        if self.choices.update:
            part = part_of(run, baseline, self.choices.acceptance)
            self.parts.append(part)
            baseline = updated(baseline, [part])
        made = run.provenance
        run = held(run, part_for(baseline, made.robot, made.model_hash, file), file, date.today())
        self.notes += _gone(run)
        return run

    def _reported(self, run: Run, engine: str) -> Path | None:
        """The folder into which the report of a run is written; None where no reports are asked for."""
        if self.choices.reports is None:
            return None
        from leapcheck.report.files import write_report

        robot = Path(run.provenance.robot).stem
        name = re.sub(r"[^\w.-]+", "_", "-".join(filter(None, (robot, engine, self.choices.worker))))
        places = (self.choices.reports / (f"{name}-{k}" if k else name) for k in range(len(self._folders) + 1))
        folder = next(place for place in places if place not in self._folders)
        self._folders.add(folder)
        write_report(run, folder)
        return folder


def failure_text(told: Told, quantity: str = "") -> str:
    """Why a test of a run, or of one quantity of it, fails: a few lines per case, and where the report is; "" where it passes."""
    from leapcheck.report.cases import cases

    if told.run is None:
        return told.problem
    failed = [case for case in cases(told.run) if case.fails and (not quantity or case.quantity in ("", quantity))]
    if not failed and (quantity or not told.run.exit_status):
        return ""
    whole = [told.run.verdict, *((told.run.baseline.sentence,) if told.run.baseline else ())]
    lines = [] if quantity else whole
    for case in failed:
        indent = "  " if lines else ""  # the first line is all that pytest's summary shows
        lines.append(f"{indent}{case.quantity}: {case.title}" if case.quantity not in case.title else f"{indent}{case.title}")
        lines += [f"    {line}" for line in (*case.text.splitlines(), *case.state.splitlines())]
    return "\n".join([*lines, *_where(told.run, told.folder, quantity)])


def not_compared(told: Told, quantity: str) -> str:
    """Why a quantity that the engine answers was not compared, "" where it was or where no quantity is named."""
    from leapcheck.quantities import QUANTITIES

    if told.run is None or quantity in ("", *(row.quantity for row in told.run.comparisons)):
        return ""
    label = QUANTITIES[quantity].label
    limits = [line for line in told.run.not_compared if line.startswith(f"{label}:")]
    return limits[0] if limits else f"{label}: not compared in this run"


def _where(run: Run, folder: Path | None, quantity: str) -> Iterator[str]:
    """Where report and reproducers are; the first reproducer itself where there is no report."""
    from leapcheck.report.judgement import path

    found = [case for case in run.reproducers if quantity in ("", case.quantity)]
    if folder is None:
        yield from (f"  reproducer:\n{case.script}" for case in found[:1])
        return
    place = os.path.relpath(folder)
    yield from (f"  reproducer: {os.path.join(place, path(case))}" for case in found)  # noqa: PTH118
    yield f"  report: {os.path.join(place, 'report.html')}"  # noqa: PTH118
    yield f"  why: leapcheck explain {place}"


def _gone(run: Run) -> Iterator[str]:
    for finding in run.baseline.findings if run.baseline else ():
        if finding.kind == "gone":
            yield f"{finding.engine}, {finding.quantity}: {finding.words}"
