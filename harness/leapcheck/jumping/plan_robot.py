"""Which robot a sagittal plan was made for: lengths with which its standing feet stay in place, the mass that its forces carry.

While a foot stands, trunk, thigh and shank lead to one place. That place is linear in the robot's lengths, so one least-squares
solution over all moments gives the lengths of the plan's own robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.plan_file import PlanFile, PlannedMotion
from leapcheck.jumping.plan_player import start_pose
from leapcheck.jumping.sagittal import driven_chain
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import com_position, contact_positions, total_mass
from leapcheck_reference.kinematics import forward_kinematics
from leapcheck_reference.tree import build

SAMPLES = 100
"""Moments of a plan that are looked at."""

STANDS = 1.0
"""N on both feet from which on they stand."""

DRIFT = 1e-3
"""m that a standing foot may move without a remark: MIT's plans move theirs by 5e-4 on their own robot."""

EXPLAINED = 0.2
"""Other lengths are the cause where they leave at most this share of the drift."""

APART, HEAVIER = 5e-3, 0.05
"""m by which a length, and share by which the mass, differs enough to be named."""

SEEN = 1e-3
"""Combinations of lengths that move feet by less than this share of what the most visible one does stay as they are."""


@dataclass(frozen=True, slots=True)
class PlannedRobot:
    """The robot that a plan was made for, and the one that is to play it.

    `lengths` and `own_lengths` m: distance of front and rear hips, thigh (hip to knee), shank (knee to the foot's centre).
    `drift` m: how far the centre of a standing foot strays from its mean place on the robot that plays the plan; `rest` m: on the
    plan's own. `mass` and `own_mass` kg.
    """

    lengths: tuple[float, float, float]
    own_lengths: tuple[float, float, float]
    drift: float
    rest: float
    mass: float
    own_mass: float

    @property
    def text(self) -> str:
        """What differs, in a sentence; empty where the plan suits the robot."""
        names = ("hips {:.3f} m apart", "knees {:.3f} m below the hips", "feet {:.3f} m from the knees")
        differing = [
            f"{name.format(plan)} ({own:.3f} here)"
            for name, plan, own in zip(names, self.lengths, self.own_lengths, strict=True)
            if abs(plan - own) > APART
        ]
        parts = []
        if self.drift > DRIFT and self.rest <= EXPLAINED * self.drift and differing:
            parts.append(f"its feet stand still with {', '.join(differing)}; here they move by up to {self.drift:.3f} m")
        elif self.drift > DRIFT:
            parts.append(f"its standing feet move by up to {self.drift:.3f} m on this robot")
        if abs(self.mass - self.own_mass) > HEAVIER * self.own_mass:
            parts.append(f"its forces carry {self.mass:.1f} kg ({self.own_mass:.1f} here)")
        return f"the plan was made for another robot: {'; '.join(parts)}" if parts else ""


def planned_robot(spec: RobotSpec, plan: PlanFile) -> PlannedRobot | None:
    """The robot that a sagittal plan was made for; None where the plan says too little of trunk and forces."""
    motion = plan.motion
    if motion is None:
        return None
    rows = np.unique(np.linspace(0, len(plan.time) - 1, SAMPLES).astype(int))
    q = _configurations(spec, plan, motion, rows)
    legs = [
        _leg(spec, plan, end, q[standing])
        for end, force in (("front", motion.front), ("rear", motion.rear))
        if (standing := force[rows] > STANDS).any()
    ]
    if len(legs) < 2:
        return None
    radius = max(point.radius for point in spec.contact_points if point.is_foot)
    fits = [_fit(legs, rolling) for rolling in (0.0, radius)]
    drift, rest, change = min(fits, key=lambda fit: fit[1])
    own = (legs[0].hip - legs[1].hip, legs[0].thigh, legs[0].shank)
    lengths = (own[0] + change[0] - change[1], own[1] + change[3], own[2] + change[4])
    return PlannedRobot(lengths, own, drift, rest, _carried_mass(spec, plan, motion), float(total_mass(build(spec))))


@dataclass(frozen=True, slots=True, eq=False)
class _Leg:
    """A leg while its foot stands, in the sagittal plane (x, z): the `foot` (n, 2) m; the trunk's axes `forward` and `up`, the
    directions of `thigh_axis` and `shank_axis`, (n, 2) each; the shank's `angle` (n,) rad; lengths m, `hip` ahead of the trunk.
    """

    foot: Floats
    forward: Floats
    up: Floats
    thigh_axis: Floats
    shank_axis: Floats
    angle: Floats
    hip: float
    thigh: float
    shank: float


def _configurations(spec: RobotSpec, plan: PlanFile, motion: PlannedMotion, rows: NDArray[np.int64]) -> Floats:
    """q (n, nq) of the robot with the trunk and joints as planned in some rows."""
    q = np.stack([start_pose(spec, plan.q[row]) for row in rows])
    q[:, 0], q[:, 2] = motion.x[rows] - motion.x[0], q[0, 2] + motion.z[rows] - motion.z[0]
    half = motion.pitch[rows] / 2.0
    q[:, 3], q[:, 4:7] = np.cos(half), np.stack([0.0 * half, np.sin(half), 0.0 * half], axis=1)
    return q


def _leg(spec: RobotSpec, plan: PlanFile, end: str, q: Floats) -> _Leg:
    """The leg of one side, at configurations (n, nq)."""
    tree, names = build(spec), [body.name for body in spec.bodies]
    body_of = {body.joint.name: body.name for body in spec.bodies}
    drives = [plan.places[f"{end}_{role}"].actuators[0] for role in ("hip", "knee")]
    hip, knee = (body_of[spec.actuators[drive].joint] for drive in drives)
    points = [point for point in spec.contact_points if point.computed]
    foot = next(i for i, point in enumerate(points) if point.is_foot and drives[1] in driven_chain(spec, point.body))
    poses = [forward_kinematics(tree, row, np.zeros(spec.nv)) for row in q]
    hips, knees = (np.array([pose.p_WB[names.index(name)][[0, 2]] for pose in poses], dtype=float) for name in (hip, knee))
    feet = np.array([contact_positions(tree, row)[foot][[0, 2]] for row in q], dtype=float)
    axes = np.array([pose.R_WB[0][np.ix_([0, 2], [0, 2])] for pose in poses], dtype=float)
    thigh, shank = (np.linalg.norm(outer - inner, axis=1) for outer, inner in ((knees, hips), (feet, knees)))
    ahead = float(((hips - q[:, [0, 2]]) * axes[:, :, 0]).sum(axis=1).mean())
    shank_axis = (feet - knees) / shank[:, None]
    angle = np.unwrap(np.arctan2(shank_axis[:, 0], -shank_axis[:, 1]))
    lengths = ahead, float(thigh.mean()), float(shank.mean())
    return _Leg(feet, axes[:, :, 0], axes[:, :, 1], (knees - hips) / thigh[:, None], shank_axis, angle, *lengths)


def _fit(legs: Sequence[_Leg], rolling: float) -> tuple[float, float, list[float]]:
    """(drift m on this robot, drift m on the plan's, changes m) of feet that roll on a radius.

    The changes are of the place of front and of rear hips along the trunk, of the height of all hips, of thigh and shank.
    """
    columns, moved = [], []
    for i, leg in enumerate(legs):
        ahead = [leg.forward if k == i else np.zeros_like(leg.forward) for k in range(2)]
        changes = np.stack([*ahead, leg.up, leg.thigh_axis, leg.shank_axis], axis=-1)
        place = leg.foot + np.outer(leg.angle, [rolling, 0.0])  # a foot that rolls forward turns its shank backward
        columns.append((changes - changes.mean(axis=0)).reshape(-1, 5))
        moved.append((place - place.mean(axis=0)).ravel())
    A, b = np.concatenate(columns), np.concatenate(moved)
    change = np.linalg.lstsq(A, -b, rcond=SEEN)[0]
    drift, rest = (float(np.linalg.norm(left.reshape(-1, 2), axis=1).max()) for left in (b, b + A @ change))
    return drift, rest, change.tolist()


def _carried_mass(spec: RobotSpec, plan: PlanFile, motion: PlannedMotion) -> float:
    """The mass (kg) that the vertical forces move as planned, from rest: m (z(T) - z(0) + g T^2 / 2) = int (T - t) F(t) dt."""
    tree, T = build(spec), float(plan.time[-1])
    start, end = (float(com_position(tree, q)[2]) for q in _configurations(spec, plan, motion, np.array([0, len(plan.time) - 1])))
    lifted = float(np.trapezoid((T - plan.time) * (motion.front + motion.rear), plan.time))
    return lifted / (end - start - spec.gravity[2] * T**2 / 2.0)
