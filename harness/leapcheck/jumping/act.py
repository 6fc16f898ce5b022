"""The robot that jumps, and who controls it from which state for how long."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from leapcheck.jumping.control import Policy
from leapcheck.jumping.plan_file import PlanFile, read_plan
from leapcheck.jumping.plan_player import plan_trajectory, start_pose
from leapcheck.jumping.planning.records import JumpPlan
from leapcheck.jumping.policies import UserPolicy, read_trajectory, start_of, user_policy
from leapcheck.jumping.series import repeated_plan
from leapcheck_models.arrays import Floats
from leapcheck_models.importing.poses import quaternion_product
from leapcheck_models.spec import Pose, RobotSpec
from leapcheck_reference import contact_positions
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.terrain import Terrain
from leapcheck_reference.tree import build

DURATION = 1.2
"""How long (s) a user's controller is simulated by default."""

NEARLY_LEVEL, LEAST_BOX = 0.8, 0.02
"""Cosine of the trunk's pitch from which on, and height (m) from which on, a plan says that it lands on a box."""

DEEPEST_START = 2e-3
"""A robot that begins deeper (m) inside the ground cannot begin there."""

LONGEST = 60.0
"""The longest simulation (s)."""


@dataclass(frozen=True, slots=True, eq=False)
class Act:
    """Who controls the robot, from the state `start` (q, v) on, for `duration` s; `plan` where a plan does; `note`: a remark.

    `turn` rad: how far the trunk is to pitch until touch-down, `yaw` rad: how far it is to turn about the vertical until the end,
    left positive, both where a plan from a file says so; `landing` m: how much higher
    the ground is to be where it lands, where that is known; `far_edge` m: where the gap ends, along the ground, that a plan of
    leapcheck crosses. `jumps`: how many of equal duration are made in a row.
    """

    policy: Policy
    start: tuple[Floats, Floats]
    duration: float
    plan: JumpPlan | None = None
    note: str = ""
    turn: float | None = None
    landing: float | None = None
    yaw: float | None = None
    jumps: int = 1
    far_edge: float | None = None

    def policy_factory(self) -> Callable[[], Policy] | None:
        """Creates a user's controller, which may look at the state and remember; None for a policy of time alone."""
        if isinstance(self.policy, UserPolicy):
            return partial(user_policy, self.policy.target, self.policy.spec, self.policy.sandbox)
        return None

    def fresh_policy(self) -> Policy:
        """The policy as before its first call: a user's is created anew, so that no run sees what an earlier one left in it."""
        factory = self.policy_factory()
        return factory() if factory else self.policy


def planned_act(plan: JumpPlan, note: str = "", jumps: int = 1) -> Act:
    """The plan as its own controller, `jumps` times in a row."""
    plan = repeated_plan(plan, jumps)
    landing = plan.request.landing_height or None
    return Act(plan, (plan.start_q, plan.start_v), plan.duration, plan, note, landing=landing, jumps=jumps)


def file_act(spec: RobotSpec, plan: str, duration: float | None) -> Act:
    """A plan from a file, or one that comes with leapcheck, from its first row's pose at rest."""
    _check_duration(duration)
    read = read_plan(plan, spec)
    targets = plan_trajectory(read)
    start = start_pose(spec, targets.q[0]), np.zeros(spec.nv)
    return Act(
        targets,
        start,
        float(targets.time[-1]) if duration is None else duration,
        turn=read.turn,
        landing=_landing(spec, read),
        yaw=read.yaw,
    )


def _landing(spec: RobotSpec, plan: PlanFile) -> float | None:
    """How much higher (m) the ground is where a plan lands, where its last row says so of a trunk that is nearly level."""
    if plan.rise is None or math.cos(plan.turn or 0.0) < NEARLY_LEVEL:
        return None
    first, last = (float(start_pose(spec, rows)[2]) for rows in (plan.q[0], plan.q[-1]))
    height = plan.rise - (last - first)
    return 0.0 if abs(height) < LEAST_BOX else height


def act_on_ground(spec: RobotSpec, act: Act, terrain: Terrain) -> Act:
    """The act on that ground: its first pose turned with the slope, its landing that of the nearest box or step.

    ValueError where the robot would begin inside a box. On level ground a remark says where a box was meant.
    """
    if terrain.is_level:
        if not act.landing:
            return act
        text = (
            f"the plan means ground that is {act.landing:.2f} m higher where it lands: here it is level; put a box there (--box)"
        )
        return replace(act, note="; ".join([*([act.note] if act.note else []), text, *_box_note(spec, act)]))
    q, v = act.start[0].copy(), act.start[1]
    q[:3] = terrain.R @ q[:3]
    w, x, y, z = q[3:7].tolist()
    q[3:7] = quaternion_product(terrain.quaternion, (w, x, y, z))
    plant = Plant(spec, terrain=terrain)
    deepest = float(plant.touch(plant.at(q, v)).gaps.min())
    if deepest < -DEEPEST_START:
        raise ValueError(f"the robot begins {-deepest:.3f} m inside the ground: move --box, --stairs or --gap further ahead")
    notes = _box_note(spec, act) if terrain.boxes else []
    far_edge = None if act.plan is None else crossed_edge(spec, act.plan, terrain)
    meant = 0.0 if act.landing is None and far_edge is not None else act.landing
    landing = None if meant is None else _nearest_top(terrain, meant)
    return replace(
        act, start=(q, v), landing=landing, far_edge=far_edge, note="; ".join([act.note, *notes] if act.note else notes)
    )


def _box_note(spec: RobotSpec, act: Act) -> list[str]:
    """Where the front of the box may lie, of a plan of leapcheck's own that lands on one."""
    if act.plan is None or act.plan.request.landing_height <= 0.0:
        return []
    from leapcheck.jumping.box_front import box_fronts_text

    return [box_fronts_text(spec, act.plan)]


def crossed_edge(spec: RobotSpec, plan: JumpPlan, terrain: Terrain) -> float | None:
    """x (m) along the ground of the far edge of the last gap that the plan's feet cross on their mean; None without one."""
    feet = [i for i, point in enumerate(p for p in spec.contact_points if p.computed) if point.is_foot]
    if terrain.floor >= 0.0 or not feet:
        return None
    start, end = (float(contact_positions(build(spec), q)[feet, 0].mean()) for q in (plan.q[0], plan.q[-1]))
    edges = (box.centre[0] - box.half[0] for box in terrain.boxes if box.centre[2] - box.half[2] < 0.0)
    return max((edge for edge in edges if start < edge < end), default=None)


def _nearest_top(terrain: Terrain, height: float) -> float:
    """The height (m) of the plane, box or step that is nearest to a height."""
    tops = [terrain.floor, *(box.centre[2] + box.half[2] for box in terrain.boxes)]
    return min(tops, key=lambda top: abs(top - height))


def user_act(
    spec: RobotSpec,
    policy: str | None,
    trajectory: Path | None,
    pose: str | None,
    duration: float | None,
    sandbox: bool = False,
) -> Act:
    """A user's controller, in a sandbox if need be, or trajectory, from a pose at rest; by default as long as the trajectory."""
    _check_duration(duration)
    start = named_pose(spec, pose), np.zeros(spec.nv)
    if policy is not None and trajectory is not None:
        raise ValueError("--policy and --trajectory are both given: leave one out")
    if trajectory is None:
        assert policy is not None
        return Act(user_policy(policy, spec, sandbox), start, DURATION if duration is None else duration)
    targets = read_trajectory(trajectory, spec)
    if duration is None and targets.time[-1] > LONGEST:
        raise ValueError(
            f"file '{trajectory}' lasts until {targets.time[-1]:g} s, a run at most {LONGEST:g} s: let its time begin at 0 "
            "and be in s, or give --duration"
        )
    if pose is None and (q := start_of(trajectory, spec)) is not None:
        start = q, start[1]
    return Act(targets, start, float(targets.time[-1]) if duration is None else duration)


def _check_duration(duration: float | None) -> None:
    if duration is not None and not 0.0 < duration <= LONGEST:
        raise ValueError(f"--duration {duration}: give seconds above 0, at most {LONGEST:g}")


def named_pose(spec: RobotSpec, name: str | None = None) -> Floats:
    """Configuration (nq,) of a named pose, by default the first one. ValueError lists the poses that exist."""
    poses: dict[str, Pose] = {pose.name: pose for pose in spec.poses}
    if not poses or (name is not None and name not in poses):
        missing = "pose" if name is None else f"pose '{name}'"
        remedy = f"use one of {', '.join(poses)}" if poses else "add one to its file"
        raise ValueError(f"robot '{spec.name}' has no {missing}: {remedy}")
    return np.array(poses[name or next(iter(poses))].q, dtype=float)
