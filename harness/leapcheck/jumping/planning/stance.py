"""Motion over standing feet that roll: com and trunk pitch given over time, all else follows.

The feet's centres run along while the shanks turn, and their path is the only thing to be integrated: Picard's iteration on
Chebyshev points, which contracts by about radius / leg length. Poses, velocities and accelerations at a time are then exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning import chebyshev
from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.path import Path, push_path
from leapcheck.jumping.planning.pose import inverse_kinematics, pitch_quaternions
from leapcheck.jumping.planning.records import Infeasible
from leapcheck.jumping.planning.rolling import Motion, rolling_motion, rolling_velocities
from leapcheck_models.arrays import Floats

Flags = NDArray[np.bool_]

NODES = 24
"""Chebyshev points of the feet's paths."""
COARSE_NODES = 8
"""Points of the march that a single motion is sought from."""
SETTLED = 2e-15
"""Change (m) of the feet's paths between two sweeps at which the iteration ends."""
MOST_SWEEPS = 40
LARGEST_GUESS = 0.3
"""Largest step (rad, m) of a joint from one point to the next that a velocity is trusted for."""
END_SLACK = 1e-9
"""Part of its duration by which a motion may be asked beyond its ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """One motion over standing feet, continuous in time: `at(t)`.

    `path` has one row; `feet` (NODES, feet, 3) and `nodes` (NODES, nq) are the feet's centres and the poses at the points.
    """

    robot: Legged
    path: Path
    feet: Floats
    nodes: Floats

    @property
    def duration(self) -> float:
        """Seconds from the first moment to the last."""
        return float(self.path.duration[0])

    @property
    def end(self) -> Floats:
        """The last pose (nq,)."""
        pose: Floats = self.nodes[-1]
        return pose

    def at(self, t: float | Floats) -> Motion:
        """The motion at t (n,) s, or at one t: arrays of `Motion` with n rows, 1 for one t. ValueError outside [0, duration]."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        s = times / self.duration
        if not ((s >= -END_SLACK) & (s <= 1 + END_SLACK)).all():
            raise ValueError(
                f"the motion lasts from 0 to {self.duration:.6g} s: {times.min():.6g} to {times.max():.6g} s is outside"
            )
        s = np.clip(s, 0.0, 1.0)
        weights, rows = chebyshev.interpolation(NODES, s), self.path.repeat(len(s))
        quaternion = pitch_quaternions(rows.quaternion, rows.pitch_at(s))
        q, _ = inverse_kinematics(
            self.robot, weights @ self.nodes, rows.com_at(s), quaternion, np.tensordot(weights, self.feet, axes=1)
        )
        return rolling_motion(self.robot, q, rows, s)


def stance(robot: Legged, start: Floats, path: Path, like: Stance | None = None) -> Stance:
    """One motion along a path with one row, from the pose `start` (nq,). Raises Infeasible where a leg is too short for it.

    `like` is a motion to begin the search from, by default one between few points; where these do not lead to it, the search
    goes from point to point.
    """
    guess = _coarse_guess(robot, start, path) if like is None else (like.nodes[None], like.feet[None])
    q, feet, in_reach = stances(robot, start[None], path, guess=guess)
    if not in_reach[0] and guess is not None:
        q, feet, in_reach = stances(robot, start[None], path)
    if not in_reach[0]:
        raise Infeasible(
            f"the legs of '{robot.spec.name}' are too short for the motion: crouch deeper, push for a shorter time or jump lower"
        )
    return Stance(robot, path, feet[0], q[0])


def _coarse_guess(robot: Legged, start: Floats, path: Path) -> tuple[Floats, Floats] | None:
    """(poses (1, NODES, nq), foot centres (1, NODES, feet, 3) m) out of a march in few steps; None where it is out of reach."""
    q, centres, in_reach = _euler_march(robot, start[None], path, chebyshev.points(COARSE_NODES))
    if not in_reach[0]:
        return None
    weights = chebyshev.interpolation(COARSE_NODES, chebyshev.points(NODES))
    return np.einsum("kj,nji->nki", weights, q), np.einsum("kj,njfx->nkfx", weights, centres)


def stances(
    robot: Legged,
    start: Floats,
    path: Path,
    nodes: int = NODES,
    settled: float = SETTLED,
    guess: tuple[Floats, Floats] | None = None,
) -> tuple[Floats, Floats, Flags]:
    """(poses (n, nodes, nq), foot centres (n, nodes, feet, 3) m, in_reach (n,)) along n paths, from the poses `start` (n, nq).

    The feet stand where `start` has them. Where a leg is too short for its path, `in_reach` is False and the rest means nothing.
    `guess`: poses and foot centres to begin from, by default those of a march from point to point.
    """
    n, s = len(start), chebyshev.points(nodes)
    if guess is None:
        q, centres, in_reach = _euler_march(robot, start, path, s)
        if not robot.radii.any():
            return q, centres, in_reach
    S, rows, flat = chebyshev.integration(nodes), path.repeat(nodes), np.tile(s, n)
    com, quaternion = rows.com_at(flat), pitch_quaternions(path.quaternion, rows.pitch_at(flat))
    if guess is not None:
        q, centres, in_reach = guess[0].copy(), guess[1], np.ones(n, dtype=bool)
        q[..., 3:7] = quaternion.reshape(n, nodes, 4)
    for _ in range(MOST_SWEEPS):
        rate = rolling_velocities(robot, q.reshape(n * nodes, -1), rows, flat)[1].reshape(centres.shape)
        in_reach &= np.isfinite(rate).all(axis=(1, 2, 3))
        rolled = centres[:, :1] + path.duration[:, None, None, None] * np.einsum("kj,njfx->nkfx", S, rate)
        rolled[~in_reach] = centres[~in_reach]
        change, centres = np.abs(rolled - centres).max(), rolled
        flat_q, reached = inverse_kinematics(robot, q.reshape(n * nodes, -1), com, quaternion, centres.reshape(n * nodes, -1, 3))
        in_reach &= reached.reshape(n, nodes).all(axis=1)
        q = np.where(in_reach[:, None, None], flat_q.reshape(q.shape), q)
        if change <= settled:
            break
    return q, centres, in_reach


def _euler_march(robot: Legged, start: Floats, path: Path, s: Floats) -> tuple[Floats, Floats, Flags]:
    """What `stances` gives, the feet's rolling by Euler's rule, point by point; a path beyond reach stays at its start."""
    n, first = len(start), robot.geometry(start)["contact_positions"]
    q, centres = np.repeat(start[:, None], len(s), axis=1), np.repeat(first[:, None], len(s), axis=1)
    in_reach = np.ones(n, dtype=bool)
    for k in range(1, len(s)):
        step = (s[k] - s[k - 1]) * path.duration
        v, rate = rolling_velocities(robot, q[:, k - 1], path, np.full(n, s[k - 1]))
        centres[:, k] = centres[:, k - 1] + step[:, None, None] * rate
        guess = q[:, k - 1].copy()
        guess[:, 7:] += np.clip(step[:, None] * v[:, 6:], -LARGEST_GUESS, LARGEST_GUESS)
        moment = np.full(n, s[k])
        quaternion = pitch_quaternions(path.quaternion, path.pitch_at(moment))
        q[:, k], reached = inverse_kinematics(robot, guess, path.com_at(moment), quaternion, centres[:, k])
        in_reach &= reached
        q[~in_reach, k], centres[~in_reach, k] = start[~in_reach], first[~in_reach]
    return q, centres, in_reach


def push(
    robot: Legged, start: Floats, take_off_velocity: Any, duration: float, pitch_rate: float = 0.0, like: Stance | None = None
) -> Stance:
    """The push from rest at the pose `start` (nq,): com = com0 + a t^2 / 2 with a = take-off velocity (3,) m/s / duration s.

    `pitch_rate` rad/s is the trunk's at take-off; `like`: a similar push, to begin from. Raises Infeasible where the legs are
    too short for the stroke.
    """
    com = robot.geometry(start[None])["com_position"]
    velocity = np.asarray(take_off_velocity, dtype=float)[None]
    return stance(robot, start, push_path(com, velocity, np.array([duration]), np.array([pitch_rate]), start[3:7]), like)
