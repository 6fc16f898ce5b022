"""One jump judged with each simulator left out in turn, and whether it succeeds in that one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leapcheck.jumping.act import act_on_ground
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import judge_first_runs
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.records import Infeasible, PlannerError
from leapcheck.jumping.runs import estimates_of, simulate_everywhere
from leapcheck.jumping.setup import jump_setup
from leapcheck.jumping.study import evaluate, jump_act, provenance, verdict_without_plan
from leapcheck.robots.load import load
from leapcheck_models.spec import Actuator, RobotSpec

ENGINES = ("mujoco", "rigid", "spring-damper", "hunt-crossley")
"""Simulators that take turns; no two have the same law of contact."""

LEVELS = 2


@dataclass(frozen=True)
class VerdictTrial:
    """A jump to judge: `robot`, its drives' `strength` and a `payload` (kg) on its trunk, and the options of the jump.

    `met`: options that the plan does not know of, only the ground and the battery that it then meets.
    """

    robot: str
    options: Mapping[str, Any]
    strength: float = 1.0
    payload: float = 0.0
    strong_plan: bool = False
    met: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The jump in words."""
        words = [f"{name} {value}" for name, value in {**self.options, **self.met}.items()]
        words += [f"strength x{self.strength:g}"] if self.strength != 1.0 else []
        words += [f"payload {self.payload:g} kg"] if self.payload else []
        return ", ".join([self.robot, *words])


def run_trial(trial: VerdictTrial) -> dict[str, Any]:
    """The row of a trial: verdict and first reason with each simulator left out, and whether the jump succeeds in that one.

    A jump without a plan has one verdict alone, without simulations: NO-GO where it is beyond a limit, UNDECIDED where the
    planner has found none. With `strong_plan` the plan is made for the robot as described; strength and payload are what it then
    meets.
    """
    planned = JumpOptions(**trial.options, engines=ENGINES, levels=LEVELS)
    options = dataclasses.replace(planned, **trial.met)
    described = load(trial.robot)
    real = changed_robot(described, trial.strength, trial.payload)
    row: dict[str, Any] = {"label": trial.label, "planned": True, "left_out": {}}
    try:
        act = jump_act(jump_setup(described if trial.strong_plan else real, planned), planned)
    except (Infeasible, PlannerError) as refusal:
        verdict = str(verdict_without_plan(refusal))
        return row | {"planned": False, "verdict": verdict, "reason": str(refusal)}
    setup = jump_setup(real, options)
    setup = dataclasses.replace(setup, act=act_on_ground(real, act, setup.ground.terrain))
    logs, failures = simulate_everywhere(setup)
    origin = provenance(real, "", 0)
    for left in ENGINES:
        if left not in logs:
            continue
        seen = dataclasses.replace(setup, engines=tuple(name for name in ENGINES if name != left))
        others = {name: runs for name, runs in logs.items() if name != left}
        judged = evaluate(seen, origin, (others, {k: v for k, v in failures.items() if k != left})).judgement
        alone = {left: logs[left]}
        truth = judge_first_runs(estimates_of(setup, alone), alone, setup.thresholds)
        row["left_out"][left] = {
            "verdict": str(judged.verdict),
            "reason": judged.reasons[0].text if judged.reasons else "",
            "succeeds": truth.verdict is not JumpVerdict.NO_GO,
            "fails": truth.reasons[0].text if truth.verdict is JumpVerdict.NO_GO else "",
        }
    return row


def changed_robot(spec: RobotSpec, strength: float, payload: float) -> RobotSpec:
    """The robot with all torque limits times `strength` and `payload` kg more in its trunk's com."""
    trunk = spec.bodies[0]
    heavier = dataclasses.replace(trunk, inertia=dataclasses.replace(trunk.inertia, mass=trunk.inertia.mass + payload))
    actuators = tuple(_with_strength(actuator, strength) for actuator in spec.actuators)
    return dataclasses.replace(spec, bodies=(heavier, *spec.bodies[1:]), actuators=actuators)


def _with_strength(actuator: Actuator, strength: float) -> Actuator:
    motor = actuator.motor
    if motor is not None:
        motor = dataclasses.replace(motor, torque_limit=motor.torque_limit * strength)
    return dataclasses.replace(actuator, torque_limit=actuator.torque_limit * strength, motor=motor)
