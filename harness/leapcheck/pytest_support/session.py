"""The comparisons of one session of tests in one process: each is run once, judged by the baseline, and reported."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leapcheck.pytest_support.request import ComparisonRequest
from leapcheck.system.garbage import rare_collection
from leapcheck.system.text import terminal_text

if TYPE_CHECKING:
    from leapcheck.api.comparison_run import ComparisonRun
    from leapcheck.baseline.record import Baseline, RobotBaseline
    from leapcheck.baseline.update import Acceptance
    from leapcheck.engines.protocol import Engine
    from leapcheck.records import Run


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The plugin's options on pytest's command line; None or "" where they are left out.

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
    sandbox: bool = False

    def check(self) -> None:
        """Raises ValueError or OSError in one line for an unreadable baseline, an invalid day, or where there is no sandbox."""
        if self.sandbox:
            from leapcheck.engines.outside.sandbox import check_sandbox

            check_sandbox()
        self.old_baseline()
        _ = self.acceptance

    @property
    def acceptance(self) -> Acceptance:
        """Reason and day of new discrepancies; ValueError for an invalid day."""
        from leapcheck.baseline.update import Acceptance

        return Acceptance(self.reason, self.expires)

    def old_baseline(self) -> Baseline:
        """The baseline in the file, an empty one where an update will create it; ValueError or OSError for a broken file."""
        from leapcheck.baseline.files import read_baseline
        from leapcheck.baseline.record import Baseline

        if self.baseline is None or (self.update and not self.baseline.exists()):
            return Baseline(())
        return read_baseline(self.baseline)


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """A finished run, or the problem that prevented it."""

    run: ComparisonRun | None = None
    problem: str = ""

    def failure_text(self, quantity: str = "") -> str:
        """Why a test of the run, or of one quantity of it, fails; "" where it passes."""
        return terminal_text(self.problem) if self.run is None else self.run.failure_text(quantity)

    def skip_reason(self, quantity: str) -> str:
        """Why a quantity was not compared; "" where it was, or where no quantity is named."""
        from leapcheck.quantities import QUANTITIES

        if self.run is None or quantity in ("", *(row.quantity for row in self.run.record.comparisons)):
            return ""
        label = QUANTITIES[quantity].label
        limits = (line for line in self.run.not_compared if line.startswith(f"{label}:"))
        return terminal_text(next(limits, f"{label}: not compared in this run"))


@dataclass(slots=True, eq=False)
class Session:
    """The outcomes in this process by request, the `parts` of a baseline made of them, and `notes` for the summary."""

    options: SessionOptions
    parts: list[RobotBaseline] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _outcomes: dict[Hashable, tuple[ComparisonOutcome, Any]] = field(default_factory=dict)
    _collected: dict[Hashable, tuple[Engine, Any]] = field(default_factory=dict)
    _folders: set[Path] = field(default_factory=set)

    def outcome(self, request: ComparisonRequest) -> ComparisonOutcome:
        """The outcome of a comparison, from an earlier test if there was one; the session's states and seed take precedence."""
        states = request.states if self.options.states is None else self.options.states
        seed = request.seed if self.options.seed is None else self.options.seed
        request = replace(request, states=states, seed=seed, sandbox=self.options.sandbox)
        if request.key not in self._outcomes:
            with rare_collection():
                self._outcomes[request.key] = self._compare(request), request.engine
        return self._outcomes[request.key][0]

    def quantities(self, request: ComparisonRequest) -> tuple[str, ...]:
        """The quantities asked for that the engine answers, or did for the baseline; () where it cannot be made."""
        from leapcheck.quantities import quantity_names

        request = replace(request, sandbox=self.options.sandbox)
        try:
            if request.engine_key not in self._collected:
                with rare_collection():
                    self._collected[request.engine_key] = request.make_engine(), request.engine
            engine, _ = self._collected[request.engine_key]
            names = engine.quantities | self._in_baseline(request.robot, engine.name)
        except Exception:  # the test itself says what is wrong: the others are collected
            return ()
        return tuple(name for name in quantity_names(request.quantities) if name in names)

    def _in_baseline(self, robot: str, engine: str) -> set[str]:
        if self.options.baseline is None or self.options.update:
            return set()
        from leapcheck.baseline.update import coverage

        parts = [part for part in self.options.old_baseline().robots if part.robot == robot]
        return {quantity for part in parts for name, quantity in coverage(part) if name == engine}

    def _compare(self, request: ComparisonRequest) -> ComparisonOutcome:
        from leapcheck.api.comparison import compare
        from leapcheck.engines.errors import EngineError
        from leapcheck.quantities import quantity_names

        try:
            # That of the collection where there is one: a second process would start slowly.
            engine, _ = self._collected.pop(request.engine_key, None) or (request.make_engine(), None)
        except EngineError as error:
            return ComparisonOutcome(problem=str(error))
        recorded = getattr(engine, "states", None)  # a recording is compared at its own
        run = compare(
            request.robot,
            engine,
            engines=request.against,
            states=request.states if recorded is None else recorded,
            seed=request.seed,
            quantities=request.quantities or tuple(name for name in quantity_names(()) if name in engine.quantities),
            strict=request.strict,
            own_differences=request.own_differences,
            sandbox=request.sandbox,
        )
        try:
            run = replace(run, record=self._apply_baseline(run.record))
        except ValueError as error:
            return ComparisonOutcome(problem=str(error))
        if run.exit_status and self.options.reports is not None:
            run = run.write_report(self._report_folder(self.options.reports, Path(request.robot).stem, engine.name))
        return ComparisonOutcome(run)

    def _apply_baseline(self, run: Run) -> Run:
        """The run judged by the baseline, or by what an update makes of it."""
        if self.options.baseline is None:
            return run
        from leapcheck.baseline.update import accept_run, update_baseline
        from leapcheck.baseline.verdict import apply_baseline, robot_baseline
        from leapcheck.records import FindingKind

        file, baseline = str(self.options.baseline), self.options.old_baseline()
        if self.options.update:
            part = accept_run(run, baseline, self.options.acceptance)
            self.parts.append(part)
            baseline = update_baseline(baseline, [part])
        accepted = robot_baseline(baseline, run.provenance.robot, run.provenance.model_hash, file)
        run = apply_baseline(run, accepted, file, date.today())
        findings = run.baseline.findings if run.baseline else ()
        self.notes += [terminal_text(f"{f.engine}, {f.quantity}: {f.words}") for f in findings if f.kind is FindingKind.GONE]
        return run

    def _report_folder(self, reports: Path, robot: str, engine: str) -> Path:
        """A folder of its own for the report of a run."""
        name = re.sub(r"[^\w.-]+", "_", "-".join(filter(None, (robot, engine, self.options.worker))))
        candidates = (reports / (f"{name}-{k}" if k else name) for k in range(len(self._folders) + 1))
        folder = next(candidate for candidate in candidates if candidate not in self._folders)
        self._folders.add(folder)
        return folder
