"""Whether the books of the reference solution balance: a whole planned jump by the adaptive method, the real controller in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.control import TICK_SLACK
from leapcheck.jump.measures.ledgers import Ledger, drawn_up, solution_balances
from leapcheck.jump.planning.plan import JumpPlan, Request, planned
from leapcheck.studies.row import Row
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Battery, drives, powered
from leapcheck_reference.simulate.adaptive import Solution, Torque, solution
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import SoftContact

Floats = NDArray[np.float64]

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


def rows() -> list[Row]:
    """One row for each book of the reference solution."""
    spec = load("mini_cheetah")
    plan = planned(spec, Request(height=HEIGHT), drives(spec))
    jump = reference_jump(spec, plan)
    detail = (
        f"mini_cheetah, a whole planned jump of {HEIGHT:g} m ({jump.time[-1]:.3f} s, landing included), controller and drives at "
        f"{PERIOD * 1e3:g} ms, MuJoCo's contact (solref {CONTACT.solref[0]:g}, friction {CONTACT.friction:g}) by DOP853, "
        f"{len(jump.events)} pieces, {len(jump.time) - 1} steps"
    )
    return [_row(book, detail) for book in drawn_up(solution_balances(spec, jump), tolerance=np.inf)]


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
        desired = plan(t + TICK_SLACK, q, v).desired(q[plan.joint_q], qd)
        return powered(motors, battery, desired, qd)[0].torque

    return torque


def _row(book: Ledger, detail: str) -> Row:
    goal = GOALS[book.what]
    return Row(
        what=f"ledger of the reference solution: {book.what}",
        goal=f"{goal:g} relative",
        figure=f"{book.relative:.1e}",
        met=book.relative <= goal,
        detail=f"{book.meaning}: out by {book.residual:.1e} of {book.scale:.4g} {book.unit}; {detail}",
    )
