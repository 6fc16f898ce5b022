"""The results of jump studies: a verdict, tables, logs, a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.api.text import Shown
from leapcheck.jumping.judging.thresholds import JumpVerdict

if TYPE_CHECKING:
    from pandas import DataFrame

    from leapcheck.jumping.leg_jump.study import LegJumpStudy
    from leapcheck.jumping.study import JumpStudy


class JudgedJump(Shown):
    """What both kinds of jump share."""

    __slots__ = ()
    study: JumpStudy | LegJumpStudy

    @property
    def exit_status(self) -> int:
        """Exit status of the command: 0 for GO and MARGINAL, 1 for NO-GO or where a simulator failed, 2 for UNDECIDED."""
        return self.study.exit_status

    @property
    def ok(self) -> bool:
        """Whether the exit status is 0."""
        return self.exit_status == 0


@dataclass(frozen=True, slots=True, repr=False)
class JumpRun(JudgedJump):
    """A finished jump study. `study` holds everything as frozen records (`leapcheck.jumping.study.JumpStudy`).

    Example:
        >>> import leapcheck as lc
        >>> jump = lc.jump("mini_cheetah", height=0.1, engines=("rigid",), levels=1)
        >>> jump.verdict.value
        'GO'
    """

    study: JumpStudy
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> JumpVerdict:
        """GO, MARGINAL or NO-GO; UNDECIDED where the planner found no plan."""
        return self.study.judgement.verdict

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        return self.study.judgement.sentence

    @property
    def reasons(self) -> tuple[str, ...]:
        """What decided the verdict, the worst first."""
        return tuple(reason.text for reason in self.study.judgement.reasons)

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to change."""
        return self.study.judgement.remedies

    @property
    def simulators(self) -> tuple[str, ...]:
        """The simulators that gave a log."""
        return tuple(self.study.logs)

    def to_frame(self) -> DataFrame:
        """A row per figure: group, name, joint, label, unit, value, error bar, and its range over the simulators (low, high)."""
        import pandas

        columns = ("group", "name", "joint", "label", "unit", "value", "error", "low", "high")
        rows = [
            (e.group, e.name, e.joint, e.label, e.unit, e.value, e.error, e.spread_low, e.spread_high)
            for e in self.study.estimates
        ]
        return pandas.DataFrame(rows, columns=columns)

    def log(self, simulator: str = "") -> DataFrame:
        """The run in one simulator at its finest step, by default the first: time, states, torques, currents, contact forces.

        Raises:
            ValueError: there is no run of that simulator; the message names those that there are.
        """
        from leapcheck.jumping.log_files import log_frame

        name = simulator or next(iter(self.study.logs), "")
        if name not in self.study.logs:
            reason = self.study.failures.get(name, f"use one of {', '.join(self.study.logs) or 'none: nothing was simulated'}")
            raise ValueError(f"no log of simulator '{name}': {reason}")
        return log_frame(self.study.setup.spec, self.study.logs[name])

    def write_trajectory(self, path: Path | str) -> JumpRun:
        """Writes the jump's commands for the robot (.csv: time, q, qd, tau, kp, kd of each joint), as `trajectory=` reads them.

        Raises:
            ValueError: there is no plan, or a controller that looks at the state.
            OSError: the file cannot be written.
        """
        from leapcheck.jumping.trajectory_file import write_trajectory

        setup = self.study.setup
        if setup.act is None:
            raise ValueError("nothing was planned: there is no trajectory to write")
        write_trajectory(setup.spec, setup.act, setup.timing.period or setup.dt, Path(path))
        return self

    def write_report(self, folder: Path | str, *, video: bool = False, mcap: bool = False, rerun: bool = False) -> JumpRun:
        """Writes page, 3D page, Markdown, results.json, logs and pictures; returns the run with notes on what could not be made.

        `video`: films; `mcap`: the logs as MCAP too; `rerun`: jump.rrd, all simulators in one recording for rerun's viewer.

        Raises:
            OSError: the folder cannot be made or written.
        """
        from leapcheck.jumping.media import shown_logs, with_pictures, write_media
        from leapcheck.report.jump.files import write_jump_report
        from leapcheck.report.jump.rerun_file import write_recording

        logs = shown_logs(self.study)
        study = with_pictures(self.study, logs)
        write_jump_report(study, folder, logs)
        try:
            notes = write_media(study, logs, Path(folder), mcap, video)
            if rerun:
                notes += write_recording(study, logs, Path(folder))
        except KeyboardInterrupt:
            notes = ("interrupted: the report is whole, logs, pictures or films are missing",)
        return JumpRun(study, notes)

    def __str__(self) -> str:
        from leapcheck.report.jump.console import jump_summary
        from leapcheck.report.terminal import plain_text

        return plain_text(jump_summary(self.study))

    def __repr__(self) -> str:
        return f"<JumpRun {self.verdict}: {self.study.provenance.robot}, {', '.join(self.simulators) or 'not simulated'}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from leapcheck.report.jump.notebook import jump_html

        return jump_html(self.study)


@dataclass(frozen=True, slots=True, repr=False)
class LegJumpRun(JudgedJump):
    """A finished study of a two-link leg's jump. `study` holds everything (`leapcheck.jumping.leg_jump.study.LegJumpStudy`).

    Example:
        >>> import leapcheck as lc
        >>> lc.leg_jump(servo_torque=15.0, servo_speed=500.0).exit_status in (0, 1)
        True
    """

    study: LegJumpStudy
    command: str

    @property
    def verdict(self) -> JumpVerdict:
        """GO, MARGINAL or NO-GO."""
        return self.study.verdict

    @property
    def sentence(self) -> str:
        """The verdict and its reason."""
        return f"{self.verdict}: {self.study.reason}"

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to change."""
        return self.study.remedies

    def to_frame(self) -> DataFrame:
        """The push: a row per time with angle, speed, torque and use of the servo of both joints, and the ground force.

        No rows where the stroke does not suffice.
        """
        import pandas

        from leapcheck.report.leg_jump.files import course_frame

        return pandas.DataFrame() if self.study.course is None else course_frame(self.study.course)

    def write_report(self, folder: Path | str) -> LegJumpRun:
        """Writes page, JSON and CSV; returns the run.

        Raises:
            OSError: the folder cannot be made or written.
        """
        from leapcheck.report.leg_jump.files import write_leg_jump_report

        write_leg_jump_report(self.study, self.command, Path(folder))
        return self

    def __str__(self) -> str:
        from leapcheck.report.leg_jump.console import leg_jump_summary
        from leapcheck.report.terminal import plain_text

        return plain_text(leg_jump_summary(self.study))

    def __repr__(self) -> str:
        return f"<LegJumpRun {self.sentence}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from leapcheck.report.leg_jump.page import leg_jump_html

        return leg_jump_html(self.study)
