"""What drives, joints, legs and ground allow, each as an expression that must not be above 0 at a part `use` of the limit.

The same limits as `planning.checks` measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from leapcheck.jumping.planning.checks import LEAST_CLEARANCE, LIMIT_MARGIN, LONGEST_LEG
from leapcheck.jumping.planning.optimised.body import Body
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF
from leapcheck_reference.simulate.actuator import POWER_SHARE, Drives
from leapcheck_reference.simulate.battery import Battery

EASY_LEG = 0.5
"""How far a leg stays bent, in parts of what is left of the other limits: a stretched leg is no load, but cannot give way."""
RESERVE = 1.1
"""Clearance that is planned with, in parts of the least: between two moments the trunk dips a little lower."""
LEAST_LOAD = 0.2
"""Part of its share of the weight that a standing foot carries at least, so that it stands in every simulation."""
LEAST_BALANCE = 0.3
"""Distance that the extrapolated com keeps from the edge of the feet in the landing of a flip, in parts of the trunk's height."""
DRY = 0.5
"""Speed (rad/s) of a joint below which dry friction's sign is rounded off."""
ROUND = 1e-3
"""Force (weights) below which friction's circle is rounded off at its tip."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanLimit:
    """`excess` over a limit, in parts of it; at most 0 where it is kept."""

    name: str
    excess: Any


def drive_uses(body: Body, drives: Drives, battery: Battery) -> tuple[Any, Any]:
    """(torque, voltage) of the drives that stand for all, in parts of their limits, with signs; no voltage of drives at rest.

    Dry friction is left to `drive_limits`.
    """
    chosen, volts = body.coordinates.drives, usable_volts(drives, battery)
    qd = body.v[body.robot.joint_v[chosen].tolist()]
    torque = (body.torque[chosen.tolist()] + drives.damping[chosen] * qd) / drives.gear_ratio[chosen]
    moving = [k for k, i in enumerate(chosen) if np.isfinite(volts[i]) and not qd[k].is_zero()]
    which = chosen[moving]
    ohms = (drives.resistance / drives.torque_per_ampere)[which]
    emf = 2.0 * (drives.torque_constant * drives.gear_ratio)[which] * qd[moving]
    return torque / drives.torque_limit[chosen], (ohms * torque[moving] + emf) / volts[which]


def battery_power(body: Body, drives: Drives) -> Any:
    """Power (W) that all drives draw from the battery; those that are no motors draw none."""
    which = np.flatnonzero(drives.electrical)
    qd = body.v[body.robot.joint_v[which].tolist()]
    dry = drives.friction[which] * qd / ca.sqrt(qd**2 + DRY**2)
    torque = (body.torque[which.tolist()] + drives.damping[which] * qd + dry) / drives.gear_ratio[which]
    current = torque / drives.torque_per_ampere[which]
    return ca.sum1(torque * drives.gear_ratio[which] * qd + POWER_SHARE * drives.resistance[which] * current**2)


def usable_volts(drives: Drives, battery: Battery) -> Floats:
    """Volts (actuators,) of each drive on a battery that does not sag."""
    return np.where(drives.electrical, np.minimum(drives.voltage, battery.open_circuit(drives)), drives.voltage)


def drive_limits(body: Body, drives: Drives, battery: Battery, use: Any) -> Iterator[PlanLimit]:
    """Torque and voltage of the drives that stand for all; dry friction counts against the motor whichever way it turns."""
    chosen, volts = body.coordinates.drives, usable_volts(drives, battery)
    qd = body.v[body.robot.joint_v[chosen].tolist()]
    moving = chosen[[k for k, i in enumerate(chosen) if np.isfinite(volts[i]) and not qd[k].is_zero()]]
    friction = drives.friction / drives.gear_ratio
    ohms = drives.resistance / drives.torque_per_ampere
    torque, voltage = drive_uses(body, drives, battery)
    for sign in (1.0, -1.0):
        yield PlanLimit("torque", sign * torque + (friction / drives.torque_limit)[chosen] - use)
        yield PlanLimit("voltage", sign * voltage + (ohms * friction / volts)[moving] - use)


def posture_limits(body: Body, use: Any) -> Iterator[PlanLimit]:
    """Joint stops and length of the legs."""
    joints = [b.joint for b in body.robot.spec.bodies if b.joint.type in ONE_DOF]
    for i, joint in enumerate(joints):
        if joint.limits is not None and i + 6 in body.robot.joint_v[body.coordinates.drives]:
            low, high = joint.limits
            away = (body.q[7 + i] - (low + high) / 2) / ((high - low) / 2 - LIMIT_MARGIN)
            yield from (PlanLimit("joint stop", sign * away - use) for sign in (1.0, -1.0))
    if body.robot.measurable:
        yield PlanLimit("leg length", stretch(body) / LONGEST_LEG - (1.0 - EASY_LEG * (1.0 - use)))


def stretch(body: Body) -> Any:
    """Length of each leg that stands for all, in parts of its whole: `Legged.stretch`."""
    robot = body.robot
    links = {link.v.start: link for link in robot.tree.links}
    parts = []
    for feet in body.coordinates.feet:
        third = links[int(robot.legs[feet[0], 2])]
        p, axis = robot.geometry_tree.points[feet[0]].position, third.axis
        angle = body.q[third.q.start]
        turned = ca.cos(angle) * p + ca.sin(angle) * np.cross(axis, p) + (1 - ca.cos(angle)) * (axis * float(axis @ p))
        whole = float(np.linalg.norm(third.placement.p) + np.linalg.norm(p))
        parts.append(ca.norm_2(third.placement.p + ca.mtimes(third.placement.R, turned)) / whole)
    return ca.vertcat(*parts)


def ground_limits(body: Body, friction: float, use: Any, standing: tuple[int, ...], ground: float) -> Iterator[PlanLimit]:
    """Friction and unloading of the standing feet; distance of all else from the ground."""
    loads = body.loads[list(standing), :]
    mean = ca.sum1(loads[:, 2]) / len(standing)
    yield PlanLimit("foot unloading", (1.0 - use) * mean - loads[:, 2])
    yield PlanLimit("load", LEAST_LOAD / len(body.robot.feet) - loads[:, 2])
    sideways = ca.sqrt(loads[:, 0] ** 2 + loads[:, 1] ** 2 + ROUND**2) - ROUND
    yield PlanLimit("friction", sideways - use * friction * loads[:, 2])
    if body.points.shape[0]:
        radii = np.array(
            [
                dict(zip(body.robot.other_places.tolist(), body.robot.other_radii, strict=True))[int(i)]
                for i in body.coordinates.points
            ]
        )
        least = RESERVE * LEAST_CLEARANCE * body.robot.size
        yield PlanLimit("clearance", (least - use * (body.points[:, 2] - radii - ground)) / least)


def balance_limits(body: Body, use: Any, ground: float) -> Iterator[PlanLimit]:
    """The extrapolated com, com + com velocity * sqrt(height / gravity), between the feet: beyond them the robot tips over.

    A. L. Hof, M. G. J. Gazendam, W. E. Sinke, The condition for dynamic stability, J. Biomechanics 38 (2005). A jump that takes
    off with a little less spin than planned lands on one pair of feet first, which drives it on over the other.
    """
    robot, least = body.robot, LEAST_BALANCE * body.robot.size
    ahead = body.com + body.com_velocity * ca.sqrt((body.com[2] - ground) / robot.gravity)
    stand = robot.geometry(robot.home[None])["contact_positions"][0, [feet[0] for feet in body.coordinates.feet]]
    for axis in np.flatnonzero(body.coordinates.forces[:2].any(axis=1)).tolist():
        for sign in (1.0, -1.0):
            edge = np.flatnonzero(sign * (stand[:, axis] - stand[:, axis].mean()) > 0.0).tolist()
            away = sign * (ca.sum1(body.feet[edge, axis]) / len(edge) - ahead[axis])
            yield PlanLimit("balance", (least - use * away) / least)
