"""Balances of momentum and energy of the reference solution over a planned jump: adaptive method, real controller."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from leapcheck.jumping.control import TICK_SLACK
from leapcheck.jumping.measures.balances import STATE_QUANTITIES, Balances, state_balances
from leapcheck.jumping.measures.ledgers import Ledger, ledgers_from_balances
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, kernel
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.adaptive import Solution, Torque, solution
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.battery import Battery, battery_response
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import SoftContact

GOALS: Mapping[str, float] = {
    "momentum": 1e-9,
    "angular momentum": 1e-9,
    "energy": 1e-8,
    "push": 1e-9,
    "flight path": 1e-9,
    "flight turning": 1e-9,
}
"""Residual over turnover."""

HEIGHT, PERIOD = 0.2, 1e-3
CONTACT = SoftContact(friction=0.8, solref=(0.01, 1.0))


def rows() -> list[StudyRow]:
    """One row for each book of the reference solution."""
    spec = load("mini_cheetah")
    plan = plan_jump(spec, JumpRequest(height=HEIGHT), drives(spec))
    jump = reference_jump(spec, plan)
    detail = (
        f"mini_cheetah, a whole planned jump of {HEIGHT:g} m ({jump.time[-1]:.3f} s, landing included), controller and drives at "
        f"{PERIOD * 1e3:g} ms, MuJoCo's contact (solref {CONTACT.solref[0]:g}, friction {CONTACT.friction:g}) by DOP853, "
        f"{len(jump.events)} pieces, {len(jump.time) - 1} steps"
    )
    return [_row(book, detail) for book in ledgers_from_balances(solution_balances(spec, jump), tolerance=np.inf)]


def solution_balances(spec: RobotSpec, solution: Solution) -> Balances:
    """The balances of the adaptive reference: impulses and works are integrated along with the motion, as exactly as it."""
    kinematics = kernel(build(spec), STATE_QUANTITIES)(solution.q, solution.v)
    return Balances(
        **state_balances(spec, solution.time, solution.v, kinematics),
        contact_impulse=solution.impulse,
        angular_impulse=solution.angular_impulse,
        actuator_work=solution.actuator_work,
        contact_work=solution.contact_work,
        stop_work=solution.stop_work,
        angular_slack=0.0,
        angular_play=0.0,
        airborne=solution.airborne,
    )


def reference_jump(spec: RobotSpec, plan: JumpPlan, duration: float | None = None) -> Solution:
    """The plan followed by its controller at `PERIOD`, on MuJoCo's contact, by the adaptive method."""
    end = plan.duration if duration is None else duration
    law = SoftLaw(Plant(spec), CONTACT)
    return solution(law, drive_torque(spec, plan), (plan.start_q, plan.start_v), [end], PERIOD)


def drive_torque(spec: RobotSpec, plan: JumpPlan) -> Torque:
    """Torque (actuators,) that the robot's drives give, on its own battery, when the plan's controller asks at (t, q, v)."""
    motors, battery = drives(spec), Battery()

    def torque(t: float, q: Floats, v: Floats) -> Floats:
        qd = v[plan.joint_v]
        desired = plan(t + TICK_SLACK, q, v).desired_torque(q[plan.joint_q], qd)
        return battery_response(motors, battery, desired, qd)[0].torque

    return torque


def _row(book: Ledger, detail: str) -> StudyRow:
    goal = GOALS[book.what]
    return StudyRow(
        what=f"ledger of the reference solution: {book.what}",
        goal=f"{goal:g} relative",
        figure=f"{book.relative:.1e}",
        met=book.relative <= goal,
        detail=f"{book.meaning}: out by {book.residual:.1e} of {book.scale:.4g} {book.unit}; {detail}",
    )
