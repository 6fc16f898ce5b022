"""What an optimised jump was planned for, and what came of it, in words."""

from __future__ import annotations

import numpy as np

from leapcheck.jumping.planning.records import JumpPlan
from leapcheck_reference.simulate.actuator import torque_before_losses
from leapcheck_reference.simulate.battery import Battery, battery_response

NAMED = 3
"""Limits that are named with what they cost the highest jump."""
SMALL = 5e-4
"""m that a limit 1 % wider must gain to be named."""


def merit_note(plan: JumpPlan, battery: Battery) -> str:
    """The merit and its value: worst use of a limit, energy, or height and what limits it."""
    worst = f"its worst use of a limit is {plan.utilisation:.2f} ({plan.checks[0].name})"
    energy = f"{battery_energy(plan, battery):.1f} J from the battery"
    if plan.request.merit == "energy":
        return f"planned for the least energy: {energy}, stand to stand; {worst}"
    if plan.request.merit == "height":
        gains = [f"{name} ({1e3 * gain:.1f} mm)" for name, gain in plan.height_gains.items() if gain > SMALL][:NAMED]
        by = f"; it is limited by {', '.join(gains)}: in brackets what 1 % more of it gains" if gains else ""
        return f"the highest jump that the optimised planner finds is {plan.request.height:.3f} m{by}; {worst}"
    drawn = f"; {energy}, stand to stand" if plan.drives.electrical.any() else ""
    return f"planned for the most margin: {worst}{drawn}"


def battery_energy(plan: JumpPlan, battery: Battery) -> float:
    """J that the drives draw over the whole plan, regeneration subtracted; 0 where none has a motor."""
    qd = plan.v[:, plan.joint_v]
    power = battery_response(plan.drives, battery, torque_before_losses(plan.drives, plan.torque, qd), qd)[0].power.sum(axis=1)
    return float(np.sum((power[1:] + power[:-1]) / 2 * np.diff(plan.times)))
