"""Which crouch and how long a push: the pair whose worst utilisation is least, by a grid that is drawn closer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning import chebyshev
from leapcheck.jumping.planning.checks import LONGEST_LEG, measures, posture_measures
from leapcheck.jumping.planning.path import Path, push_path, slow_path
from leapcheck.jumping.planning.pose import inverse_kinematics
from leapcheck.jumping.planning.records import Infeasible
from leapcheck.jumping.planning.rolling import rolling_motion
from leapcheck.jumping.planning.stance import stances
from leapcheck.jumping.planning.task import Task
from leapcheck_models.arrays import Floats

COARSE, FINE, ROUNDS = (10, 8), (5, 5), 4
"""Candidates of the first grid and of the closer ones, crouch heights by take-off heights, and how many grids."""
LOWEST, HIGHEST = 0.3, 1.4
"""Com heights searched, in parts of the stand's."""
LOWEST_CROUCH, CROUCHES = 0.1, 91
"""Com height down to which the lowest crouch is looked for, in parts of the stand's, and among how many."""
LEAST_STROKE = 1e-3
"""m"""
CROUCH_NODES, NODES, ROUGHLY = 6, 9, 1e-6
"""Chebyshev points and accuracy (m) of the feet's paths while searching."""
MOST_STEPS, LONGEST_STEP, SAME_HEIGHT = 30, 0.1, 1e-6
"""Search for a requested crouch: most steps, longest step (m), accuracy (m)."""
TICK = 1e-3
"""s"""
LEAST_FALL = 0.4
"""Speed of the com at touch-down, at least, in parts of that at take-off: to land near the apex is to hover over the ground."""
NOT_WEIGHED, MARGIN = ("leg length",), 0.96
"""Figures that have a limit, but nothing is gained by staying further away from it than the trunk's pitch may take."""


@dataclass(frozen=True, slots=True, eq=False)
class Pushes:
    """n pushes: com height `low` in the crouch and `high` at take-off (n,) m, take-off velocity (n, 3) m/s."""

    low: Floats
    high: Floats
    velocity: Floats

    @property
    def time(self) -> Floats:
        """Push times (n,) s."""
        return 2.0 * (self.high - self.low) / self.velocity[:, 2]

    def rows(self, which: NDArray[np.intp]) -> Pushes:
        """Some of them."""
        return Pushes(self.low[which], self.high[which], self.velocity[which])

    def bottom(self, task: Task) -> Floats:
        """Com (n, 3) m in the crouch, ahead of the feet's centre so that the mean force through it goes through the centre."""
        forward, gravity = self.velocity[:, 0] / self.time, task.robot.gravity
        lean = forward * (self.low + self.high) / 2 / (gravity + self.velocity[:, 2] / self.time) - forward * self.time**2 / 6
        return np.stack([task.centre[0] + lean, np.full(len(lean), task.centre[1]), self.low], axis=1)


def chosen_push(task: Task, touch_down: float) -> Pushes:
    """The push (one row) of least worst utilisation, what the request fixes being kept; `touch_down`: height (m) of the com then.

    It lasts whole milliseconds, so that a controller of 1 kHz does not push on after take-off.

    Raises Infeasible where no push is within reach of the legs.
    """
    low, high = np.array([LOWEST, 1.0]) * task.com[2], np.array([LOWEST, HIGHEST]) * task.com[2]
    count, best, least = COARSE, None, np.inf
    for _ in range(ROUNDS):
        grid = _grid(task, touch_down, _spread(low, count[0]), _spread(high, count[1]))
        worst = utilisations(task, grid)
        k = int(np.argmin(worst))
        if worst[k] < least:
            best, least = grid.rows(np.array([k])), float(worst[k])
        if best is None:
            raise Infeasible(_out_of_reach(task))
        low = best.low + np.array([-0.5, 0.5]) * 2.0 * np.ptp(low) / count[0]
        high = best.high + np.array([-0.5, 0.5]) * 2.0 * np.ptp(high) / count[1]
        count = FINE
    assert best is not None
    time = np.maximum(np.round(best.time / TICK), 1.0) * TICK if task.request.push_time is None else best.time
    chosen = _pushes(task, touch_down, best.low, best.low + best.velocity[:, 2] * time / 2)
    if np.isfinite(chosen.velocity).all():
        return chosen
    return _pushes(task, touch_down, best.low, best.low + best.velocity[:, 2] * (time + TICK) / 2)  # it was rounded to too low


def utilisations(task: Task, pushes: Pushes) -> Floats:
    """Worst utilisation (n,) of each push; infinite where it is invalid or out of reach."""
    worst = np.full(len(pushes.low), np.inf)
    possible = np.flatnonzero((pushes.high > pushes.low + LEAST_STROKE) & (pushes.velocity[:, 0] < np.inf))
    if len(possible):
        some = pushes.rows(possible)
        stand = np.repeat(task.stand[None], len(possible), axis=0)
        bottom = some.bottom(task)
        down = slow_path(np.repeat(task.com[None], len(possible), axis=0), bottom, 1.0, task.quaternion)
        crouch, _, reached = stances(task.robot, stand, down, CROUCH_NODES, ROUGHLY)
        path = push_path(bottom, some.velocity, some.time, np.zeros(len(possible)), task.quaternion)
        worst[possible] = np.where(reached, path_utilisations(task, crouch[:, -1], path), np.inf)
    return worst


def path_utilisations(task: Task, start: Floats, path: Path) -> Floats:
    """Worst utilisation (n,) along n paths over standing feet from the poses `start` (n, nq); infinite out of reach."""
    n, s = len(start), np.tile(chebyshev.points(NODES), len(start))
    q, _, in_reach = stances(task.robot, start, path, NODES, ROUGHLY)
    motion = rolling_motion(task.robot, q.reshape(len(s), -1), path.repeat(NODES), s)
    worst = np.where(in_reach & np.isfinite(motion.vdot).reshape(n, -1).all(axis=1), 0.0, np.inf)
    for measure in measures(task.robot, task.drives, task.battery, motion, task.request.friction):
        part = measure.utilisation.max(axis=1).reshape(n, -1).max(axis=1)
        if measure.name in NOT_WEIGHED:
            part = np.where(part <= MARGIN, 0.0, np.inf)
        worst = np.maximum(worst, part)
    return worst


def _spread(ends: Floats, count: int) -> Floats:
    return np.linspace(float(ends[0]), float(ends[1]), count)


def _grid(task: Task, touch_down: float, low: Floats, high: Floats) -> Pushes:
    """All pairs of heights, but for what the request fixes."""
    request = task.request
    if request.crouch is not None:
        low = np.array([com_height(task, request.crouch)])
    low, high = (a.ravel() for a in np.meshgrid(low, high, indexing="ij"))
    if request.push_time is not None:
        high = low + take_off_speed(task) * request.push_time / 2
    return _pushes(task, touch_down, low, high)


def take_off_speed(task: Task) -> float:
    """Speed (m/s) upwards of the com at take-off."""
    return math.sqrt(2.0 * task.robot.gravity * task.request.height)


def _pushes(task: Task, touch_down: float, low: Floats, high: Floats) -> Pushes:
    """With an infinite speed forward where the com does not rise far enough over the height at touch-down (`LEAST_FALL`)."""
    request, gravity, speed = task.request, task.robot.gravity, take_off_speed(task)
    falling = speed**2 + 2.0 * gravity * (high - touch_down)
    enough = falling > (LEAST_FALL * speed) ** 2
    forward = np.where(enough, request.distance * gravity / (speed + np.sqrt(np.maximum(falling, 0.0))), np.inf)
    return Pushes(low, high, np.stack([forward, np.zeros_like(low), np.full_like(low, speed)], axis=1))


def com_height(task: Task, trunk: float) -> float:
    """Height (m) of the com, over the feet's centre, with the trunk's origin `trunk` m high. Raises Infeasible out of reach."""
    q, com = task.stand[None], np.array([[*task.centre, task.com[2]]])
    for _ in range(MOST_STEPS):
        change = float(np.clip(trunk - q[0, 2], -LONGEST_STEP, LONGEST_STEP))
        if abs(change) < SAME_HEIGHT:
            return float(com[0, 2])
        com[0, 2] += change
        down = slow_path(task.com[None], com, 1.0, task.quaternion)
        poses, _, in_reach = stances(task.robot, task.stand[None], down, CROUCH_NODES, ROUGHLY)
        if not in_reach[0]:
            break
        q = poses[:, -1]
    name, high = task.robot.spec.name, float(task.stand[2])
    text = f"'{name}' cannot crouch with its trunk at {trunk:g} m"
    if trunk > high:
        raise Infeasible(f"{text}: in the stand it is at {high:.3f} m, choose less")
    raise Infeasible(f"{text}: the lowest crouch is {lowest_crouch(task):.3f} m, choose more")


def lowest_crouch(task: Task) -> float:
    """Height (m) of the trunk's origin, com over the feet's centre, above which all is in reach, off the stops and the ground."""
    heights = np.linspace(1.0, LOWEST_CROUCH, CROUCHES) * task.com[2]
    com = np.stack([np.full(CROUCHES, x) for x in task.centre] + [heights], axis=1)
    down = slow_path(np.tile(task.com, (CROUCHES, 1)), com, 1.0, task.quaternion)
    poses, _, in_reach = stances(task.robot, np.tile(task.stand, (CROUCHES, 1)), down, CROUCH_NODES, ROUGHLY)
    for measure in posture_measures(task.robot, poses[:, -1], standing=True):
        in_reach &= measure.utilisation.max(axis=1) <= 1.0
    beyond = int(np.argmin(in_reach)) if not in_reach.all() else CROUCHES
    return float(poses[max(beyond - 1, 0), -1, 2])


def _out_of_reach(task: Task) -> str:
    """Why no push is in reach: which stroke is missing where crouch and push time are fixed."""
    request, name = task.request, task.robot.spec.name
    text = f"'{name}' has no push for a jump of {request.height:g} m within reach of its legs"
    if request.push_time is None:
        if request.crouch is None:
            return text + ": jump lower"
        if request.crouch < (lowest := lowest_crouch(task)):
            return f"{text} from a crouch at {request.crouch:g} m: the lowest crouch is {lowest:.3f} m, choose more"
        return f"{text}: jump lower, or crouch lower than {request.crouch:g} m"
    stroke = take_off_speed(task) * request.push_time / 2
    low = LOWEST * task.com[2] if request.crouch is None else com_height(task, request.crouch)
    left = highest_stand(task) - low
    if stroke < left:
        return f"{text}: a push of {request.push_time:g} s leaves the ground too low to land: push longer or crouch less deep"
    return (
        f"{text}: a push of {request.push_time:g} s takes a stroke of {stroke:.4f} m and {left:.4f} m are left from the crouch: "
        + ("push for a shorter time, crouch deeper or jump lower")
    )


def highest_stand(task: Task) -> float:
    """Height (m) of the com on legs as long as a plan makes them, over the feet's centre; as far as the search looks at most."""
    heights = np.linspace(LOWEST, HIGHEST, 111)[:, None] * task.com[2]
    many = len(heights)
    com = np.concatenate([np.tile(task.centre, (many, 1)), heights], axis=1)
    feet = np.repeat(task.robot.geometry(task.stand[None])["contact_positions"], many, axis=0)
    q, in_reach = inverse_kinematics(task.robot, np.tile(task.stand, (many, 1)), com, np.tile(task.quaternion, (many, 1)), feet)
    if task.robot.measurable:
        in_reach &= task.robot.stretch(q).max(axis=1) <= LONGEST_LEG
    return float(heights[in_reach].max())
