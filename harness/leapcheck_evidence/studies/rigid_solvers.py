"""The in-house rigid contact solver against Pinocchio's ADMM and PGS over whole jumps, each in its own control loop.

A jump is: from the stand down into a crouch, push with the planned torque and feedback, flight with the legs drawn back to the
stand, landing with soft gains, rest. Dynamics and the impulses of contact are in-house here and Pinocchio's there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck.jumping.planning.stance import push
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.pinocchio.impulses import SolverName
from leapcheck.simulators.pinocchio.simulator import PinocchioSimulator
from leapcheck.simulators.protocol import Simulator
from leapcheck_evidence.studies.planned_push import crouch_position
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator

GOAL = 1e-9
"""Largest difference of a coordinate (m, rad) over a jump; measured up to 2e-13."""

DT, DURATION = 1e-3, 1.5
CROUCH_TIME, PUSH_TIME, RETRACT_TIME = 0.4, 0.132, 0.15
SOLVERS: tuple[SolverName, ...] = ("admm", "pgs")


@dataclass(frozen=True, slots=True)
class RigidJump:
    """A jump: friction of the ground and take-off velocity (m/s) forwards and upwards that is planned for."""

    name: str
    friction: float
    forwards: float
    upwards: float = 1.98


CASES = (RigidJump("upwards", 0.8, 0.0), RigidJump("forwards, sliding", 0.3, 0.9), RigidJump("on ice, sliding", 0.1, 0.3))
"""The second asks the ground for a friction of 0.37."""


class ScriptedJump:
    """The policy of a jump: a function of time alone but for its feedback."""

    def __init__(self, robot: Legged, case: RigidJump) -> None:
        """Raises ValueError where the crouch leaves too little stroke."""
        crouch = crouch_position(robot)
        ticks = DT * np.arange(round(PUSH_TIME / DT))
        take_off = np.array([case.forwards, 0.0, case.upwards])
        self._motion = push(robot, crouch, take_off, PUSH_TIME).at(np.append(ticks, PUSH_TIME))
        self._joint_q, self._joint_v = robot.joint_q, robot.joint_v
        self._home, self._crouch = robot.home[robot.joint_q], crouch[robot.joint_q]

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:
        """The command at time t."""
        del q, v
        still, motion = np.zeros(len(self._home)), self._motion
        tick = round((t - CROUCH_TIME) / DT)
        if tick < 0:
            share = _quintic(t / (0.75 * CROUCH_TIME))
            return JointCommand(still, self._home + share * (self._crouch - self._home), still, *_gains(still, 120.0, 3.0))
        if tick < len(motion.q) - 1:
            q_now, v_now = motion.q[tick, self._joint_q], motion.v[tick, self._joint_v]
            return JointCommand(motion.torque[tick], q_now, v_now, *_gains(still, 40.0, 1.0))
        extended = motion.q[-1, self._joint_q]
        share = _quintic((t - CROUCH_TIME - PUSH_TIME) / RETRACT_TIME)
        return JointCommand(still, extended + share * (self._home - extended), still, *_gains(still, 40.0, 1.5))


def rows(robot: str = "mini_cheetah") -> list[StudyRow]:
    """The rows of the table: the largest difference of a coordinate between own solver and Pinocchio's, one row for each."""
    spec = load(robot)
    own = {case: jump(spec, RigidSimulator(Plant(spec), DT, case.friction), case) for case in CASES}
    worst, residuals = dict.fromkeys(SOLVERS, 0.0), dict.fromkeys(SOLVERS, 0.0)
    for case, solver in product(CASES, SOLVERS):
        simulator = PinocchioSimulator(spec, DT, case.friction, solver)
        worst[solver] = max(worst[solver], difference(own[case], jump(spec, simulator, case)))
        residuals[solver] = max(residuals[solver], simulator.worst_residual)
    slid = ", ".join(f"{case.name} (friction {case.friction:g}): {sliding(own[case], case)} steps" for case in CASES)
    return [
        StudyRow(
            what=f"own rigid solver against Pinocchio's {solver.upper()}, whole jump",
            goal=f"max abs dq {GOAL:g}",
            figure=f"{worst[solver]:.1e}",
            met=worst[solver] <= GOAL,
            detail=f"{robot}, exact rotors, {DURATION:g} s at {DT * 1e3:g} ms, loops closed separately; steps in which a foot "
            f"slides: {slid}; Pinocchio's impulses break the laws of contact by up to {residuals[solver]:.0e} m/s",
        )
        for solver in SOLVERS
    ]


def jump(spec: RobotSpec, simulator: Simulator, case: RigidJump) -> JumpLog:
    """The log of a jump in a simulator, starting from the home position at rest."""
    robot = legged_robot(spec)
    return simulate(spec, simulator, ScriptedJump(robot, case), drives(spec), (robot.home, np.zeros(spec.nv)), DURATION)


def difference(one: JumpLog, other: JumpLog) -> float:
    """Largest difference of a coordinate; infinite where a run ended early."""
    if one.q.shape != other.q.shape or one.stopped or other.stopped:
        return float("inf")
    return float(np.abs(one.q - other.q).max())


def sliding(log: JumpLog, case: RigidJump) -> int:
    """Number of steps in which a foot's force lies on the rim of its friction cone."""
    normal, tangential = log.forces[..., 2], np.hypot(log.forces[..., 0], log.forces[..., 1])
    return int(((normal > 0.0) & (tangential > (1.0 - 1e-9) * case.friction * normal)).any(axis=1).sum())


def _gains(like: Floats, kp: float, kd: float) -> tuple[Floats, Floats]:
    return np.full_like(like, kp), np.full_like(like, kd)


def _quintic(share: float) -> float:
    """Quintic from 0 to 1 without speed or acceleration at its ends."""
    s = min(max(share, 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
