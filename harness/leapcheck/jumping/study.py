"""A whole jump study: plan, every simulator at several time steps, figures with error bars, verdict. Failures are records too."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.jumping.act import Act, act_on_ground, file_act, planned_act, user_act
from leapcheck.jumping.goals import jump_to_goal
from leapcheck.jumping.judging.rules import Reason
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import JumpJudgement, judge_jump
from leapcheck.jumping.measures.estimates import Estimate
from leapcheck.jumping.measures.ledgers import Ledger, ledgers
from leapcheck.jumping.options import JumpOptions, name_value_pairs
from leapcheck.jumping.planning.merit import merit_note
from leapcheck.jumping.planning.records import Infeasible, JumpRequest, PlannerError
from leapcheck.jumping.robot import jumping_robot
from leapcheck.jumping.runs import FirstVerdict, Runs, StudyProgress, estimates_of, simulate_everywhere
from leapcheck.jumping.series import judge_series
from leapcheck.jumping.setup import JumpSetup, jump_setup
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.registry import robot_in
from leapcheck.system.installed import versions
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference.simulate.actuator import drives

if TYPE_CHECKING:
    from leapcheck.jumping.hardware import HardwareComparison, HardwareLog
    from leapcheck.jumping.planning.plan import HighestJump
    from leapcheck.jumping.robustness.monte_carlo import MonteCarlo
    from leapcheck.jumping.robustness.variation import Variation

GUESSED_HEIGHT = 0.5
"""m: that the search for the highest jump begins from."""

MAY_DO_MORE = "--planner optimised, whose push is no constant one, may do more"
OTHER_JUMP = "ask for less or for something near it, try the other --planner, or bring a plan of your own (--plan)"
"""Remedy where no plan was found."""

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "scipy")


@dataclass(frozen=True, slots=True)
class JumpProvenance:
    """Where a study comes from: robot, hash of its description, the command that repeats it, versions, seed, machine."""

    robot: str
    spec_hash: str
    command: str
    versions: Mapping[str, str]
    seed: int
    machine: str


@dataclass(frozen=True, slots=True, eq=False)
class JumpStudy:
    """All that is known about a jump. `logs` holds each simulator's run at its finest step, `failures` why one gave none.

    `worst` is the worst run of the Monte Carlo, of the robot that it varied. `pictures` are PNG images by title; `notes` say what
    was left out and why.
    """

    setup: JumpSetup
    logs: Mapping[str, JumpLog]
    failures: Mapping[str, str]
    estimates: tuple[Estimate, ...]
    ledgers: Mapping[str, tuple[Ledger, ...]]
    judgement: JumpJudgement
    provenance: JumpProvenance
    monte_carlo: MonteCarlo | None = None
    worst: JumpLog | None = None
    hardware: HardwareComparison | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """2 for UNDECIDED, 1 for NO-GO or where a simulator failed, else 0."""
        if self.judgement.verdict is JumpVerdict.UNDECIDED:
            return 2
        return int(self.judgement.verdict is JumpVerdict.NO_GO or bool(self.failures))


def jump_study(
    robot: str | RobotSpec,
    options: JumpOptions,
    workers: int = 0,
    progress: StudyProgress | None = None,
    first_verdict: FirstVerdict | None = None,
) -> JumpStudy:
    """The whole study of a jump: planned, simulated, measured, repeated with variations, judged.

    `robot`: a name, a file or a description; `workers`: processes, 0 for one per core. Without a plan nothing is simulated: NO-GO
    where the jump is beyond a limit, UNDECIDED where the planner has not found one. Raises ValueError for options that are
    invalid, FileNotFoundError for a missing file.
    """
    options.check()
    if workers < 0:
        raise ValueError(f"--workers {workers}: give a whole number, 0 or more")
    completed = jumping_robot(
        robot, options.set, options.actuators, options.feet, options.points, options.torque_limit, options.speed_limit
    )
    spec = completed.spec
    origin = provenance(spec, options.command(robot if isinstance(robot, str) else robot.name), options.seed)
    variation = _variation(options)
    measured = None if options.hardware_log is None else _hardware_log(spec, options.hardware_log)  # before the work
    asked, options = options, jump_to_goal(spec, options)
    notes = (*completed.notes, *_chosen_height(asked, options))
    setup = jump_setup(spec, options)
    try:
        setup = replace(setup, act=act_on_ground(setup.spec, jump_act(setup, options), setup.ground.terrain))
    except (Infeasible, PlannerError) as refusal:
        remedy = _feasible_jump(setup, options) if isinstance(refusal, Infeasible) else OTHER_JUMP
        return replace(unplanned_study(setup, origin, refusal, remedy), notes=notes)
    workers = workers or os.cpu_count() or 1
    runs = simulate_everywhere(setup, workers, progress, first_verdict)
    repeated = None if variation is None else _monte_carlo(setup, options, variation, workers, progress)
    study = replace(evaluate(setup, origin, runs, repeated), worst=None if repeated is None else _worst(repeated))
    study = replace(study, notes=(*study.notes, *notes))
    if measured is None or not study.logs:
        return study
    from leapcheck.jumping.hardware import compare_with_hardware

    try:
        return replace(study, hardware=compare_with_hardware(spec, next(iter(study.logs.values())), measured))
    except ValueError as error:
        return replace(study, notes=(*study.notes, str(error)))


def _chosen_height(asked: JumpOptions, options: JumpOptions) -> tuple[str, ...]:
    """Says the height that was chosen where neither it nor a goal was asked for."""
    chosen = asked.is_planned and not asked.has_height
    return (f"no height was asked for: {options.height:g} m suits the robot and the jump",) if chosen else ()


def jump_act(setup: JumpSetup, options: JumpOptions) -> Act:
    """Who acts; raises Infeasible where the jump cannot be planned, PlannerError where no plan was found."""
    if options.plan is not None:
        return file_act(setup.spec, options.plan, options.duration)
    if not options.is_planned:
        return user_act(setup.spec, options.policy, options.trajectory, options.pose, options.duration, options.sandbox)
    if options.chosen_planner == "optimised":
        return _optimised_act(setup, options)
    from leapcheck.jumping.planning.plan import plan_jump, quick_plan_obstacle

    is_open = (options.planner, options.crouch, options.push_time) == (None, None, None)
    if is_open and (obstacle := quick_plan_obstacle(setup.spec)):
        return _optimised_act(setup, options, f"{obstacle}: the optimised planner planned it")
    if options.highest:
        most = _highest(setup, options)
        return planned_act(most.plan, (most.sentence,), options.jumps)
    return planned_act(plan_jump(setup.spec, _request(options), drives(setup.spec), setup.battery), jumps=options.jumps)


def _optimised_act(setup: JumpSetup, options: JumpOptions, *notes: str) -> Act:
    from leapcheck.jumping.planning.optimised import optimised_planner

    motors, terrain = drives(setup.spec), setup.ground.terrain
    plan = optimised_planner()(setup.spec, _request(options), motors, setup.battery, terrain)
    return planned_act(plan, (merit_note(plan, setup.battery), *notes), options.jumps)


def _highest(setup: JumpSetup, options: JumpOptions) -> HighestJump:
    from leapcheck.jumping.planning.plan import highest_jump

    return highest_jump(setup.spec, _request(options), drives(setup.spec), setup.battery)


def _request(options: JumpOptions) -> JumpRequest:
    height = GUESSED_HEIGHT if options.height is None else options.height  # --highest looks for its own
    return JumpRequest(
        height=height,
        distance=options.distance,
        pitch=radians(options.trunk_pitch),
        friction=options.friction,
        crouch=options.crouch,
        push_time=options.push_time,
        landing_height=options.landing_height,
        yaw=radians(options.turn),
        run_up=options.run_up,
        roll=radians(options.trunk_roll),
        merit="height" if options.highest else options.merit,
        take_off=options.take_off,
    )


def _feasible_jump(setup: JumpSetup, options: JumpOptions) -> str:
    """What would be feasible, in words."""
    try:
        feasible = _highest(setup, options).sentence
    except ValueError as error:
        feasible = str(error)
    return f"{feasible}; {MAY_DO_MORE}" if options.chosen_planner == "quick" else feasible


def _hardware_log(spec: RobotSpec, path: Path) -> HardwareLog:
    from leapcheck.jumping.hardware import read_hardware_log

    return read_hardware_log(spec, path)


def _variation(options: JumpOptions) -> Variation | None:
    """How wide a Monte Carlo varies what; None without one."""
    if not options.monte_carlo:
        return None
    from leapcheck.jumping.robustness.variation import variation_from

    return variation_from(dict(name_value_pairs(options.vary)))


def _monte_carlo(
    setup: JumpSetup, options: JumpOptions, variation: Variation, workers: int, progress: StudyProgress | None
) -> MonteCarlo:
    from leapcheck.jumping.robustness.monte_carlo import monte_carlo

    height = None if setup.plan is None else setup.plan.request.height
    told = progress and partial(_tell_varied, progress)
    return monte_carlo(setup.trial(), options.monte_carlo, options.seed, variation, workers, told, setup.thresholds, height)


def _tell_varied(progress: StudyProgress, done: int, total: int) -> None:
    progress(done, total, "varied jumps")


def _worst(repeated: MonteCarlo) -> JumpLog:
    from leapcheck.jumping.robustness.replay import replay

    return replay(repeated)


def evaluate(setup: JumpSetup, origin: JumpProvenance, runs: Runs, monte_carlo: MonteCarlo | None = None) -> JumpStudy:
    """The runs of a set-up, as `simulate_everywhere` makes them, measured and judged."""
    logs, failures = runs
    motors = drives(setup.spec)
    books = {name: ledgers(robot_in(name, setup.spec), runs[-1], setup.ground.terrain) for name, runs in logs.items()}
    act = setup.act

    def judge(figures: Sequence[Estimate], jumps: Mapping[str, list[JumpLog]]) -> JumpJudgement:
        return judge_jump(figures, books, jumps, monte_carlo, setup.thresholds, motors, failures)

    jumps, duration = (1, 0.0) if act is None else (act.jumps, act.duration)
    figures, judgement, notes = judge_series(setup.spec, logs, jumps, duration, partial(estimates_of, setup), judge)
    return JumpStudy(
        setup=setup,
        logs={name: runs[-1] for name, runs in logs.items()},
        failures=failures,
        estimates=figures,
        ledgers=books,
        judgement=judgement,
        provenance=origin,
        monte_carlo=monte_carlo,
        notes=(*(act.notes if act else ()), *notes),
    )


def unplanned_study(setup: JumpSetup, origin: JumpProvenance, refusal: Infeasible | PlannerError, remedy: str) -> JumpStudy:
    """The record of a jump without a plan: NO-GO where it is beyond a limit, UNDECIDED where none was found; no simulation."""
    verdict = verdict_without_plan(refusal)
    why = Reason(item="plan", verdict=verdict, text=str(refusal))
    judgement = JumpJudgement(verdict, (why,), (remedy,), f"{verdict}: {refusal}")
    return JumpStudy(setup, {}, {}, (), {}, judgement, origin)


def verdict_without_plan(refusal: Infeasible | PlannerError) -> JumpVerdict:
    """NO-GO where the jump is beyond a limit, UNDECIDED where the planner has found no plan."""
    return JumpVerdict.NO_GO if isinstance(refusal, Infeasible) else JumpVerdict.UNDECIDED


def provenance(spec: RobotSpec, command: str, seed: int) -> JumpProvenance:
    """Where a study of this robot comes from."""
    packages = dict(versions(PACKAGES)) | {"Python": platform.python_version()}
    machine = f"{platform.system()} {platform.machine()}"
    return JumpProvenance(spec.name, spec_hash(spec), command, packages, seed, machine)
