"""The flight of a jump: com on its parabola, angular momentum constant, the legs drawn in and put out again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning import chebyshev
from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.records import Infeasible
from leapcheck.jumping.planning.rolling import UP, Motion, free_fall_acceleration
from leapcheck_models.arrays import Floats

Places = NDArray[np.intp]

LIFT = 1.0
"""Acceleration, in parts of gravity, at which the feet leave and near the ground: the trunk's falls off, the feet's must not."""
NODES = 32
"""Chebyshev points of each part."""
SETTLED = 1e-14
"""Change of the trunk's quaternion between two sweeps at which Picard's iteration ends."""
MOST_SWEEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """Joints on their way: `q`, `qd`, `qdd` (joints,), or (n, joints) at n moments, in the order of the coordinates."""

    q: Floats
    qd: Floats
    qdd: Floats


@dataclass(frozen=True, slots=True)
class Swing:
    """How the legs are drawn in: by `retraction` (0 as at touch-down, 1 as in the crouch), from `drawn` to `out` of it."""

    retraction: float = 0.3
    drawn: float = 0.45
    out: float = 0.45


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A flight, continuous in time: `at(t)`. The joints pass `waypoints` at `times` s, from 0 to the end, by quintic polynomials.

    `com` (3,) m and `momentum` (6,) about it, angular first, in world axes, at the start; `turning` (parts, NODES, 4): the
    trunk's quaternions at the Chebyshev points of each part.
    """

    robot: Legged
    waypoints: tuple[Joints, ...]
    times: tuple[float, ...]
    com: Floats
    momentum: Floats
    turning: Floats

    @property
    def duration(self) -> float:
        """Seconds from take-off to touch-down."""
        return self.times[-1]

    def at(self, t: float | Floats) -> Motion:
        """The motion at t (n,) s within [0, duration], or one t: n rows, no foot on the ground."""
        moments = np.clip(np.atleast_1d(np.asarray(t, dtype=float)), 0.0, self.duration)
        part = self._parts(moments)
        weights = chebyshev.interpolation(NODES, (moments - np.array(self.times)[part]) / np.diff(self.times)[part])
        quaternion = np.einsum("nk,nki->ni", weights, self.turning[part])
        quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
        joints = self.joints(moments, part)
        q, v = self.states(moments, quaternion, joints)
        return _dynamics(self.robot, q, v, joints.qdd)

    def joints(self, t: Floats, part: Places) -> Joints:
        """The joints (n, joints) at t (n,), each in a part of the flight."""
        answer = Joints(*(np.empty((len(t), len(self.waypoints[0].q))) for _ in range(3)))
        for i in range(len(self.times) - 1):
            rows = part == i
            way = quintic(self.waypoints[i], self.waypoints[i + 1], self.times[i + 1] - self.times[i], t[rows] - self.times[i])
            answer.q[rows], answer.qd[rows], answer.qdd[rows] = way.q, way.qd, way.qdd
        return answer

    def _parts(self, t: Floats) -> Places:
        return np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)

    def states(self, t: Floats, quaternion: Floats, joints: Joints) -> tuple[Floats, Floats]:
        """q, v at the trunk's orientations (n, 4): the trunk moves so that the momentum is the ballistic one."""
        q = np.concatenate([np.zeros((len(t), 3)), quaternion, joints.q], axis=1)
        terms, fall = self.robot.momentum(q), self.robot.gravity * t[:, None] * UP
        q[:, :3] = self.com + t[:, None] * (self.momentum[3:] / self.robot.mass - fall / 2) - terms["com_position"]
        A = terms["centroidal_momentum_matrix"]
        momentum = self.momentum - np.concatenate([np.zeros_like(fall), self.robot.mass * fall], axis=1)
        momentum -= np.einsum("nij,nj->ni", A[:, :, 6:], joints.qd)
        trunk = np.linalg.solve(A[:, :, :6], momentum[..., None])[..., 0]
        return q, np.concatenate([trunk, joints.qd], axis=1)


def flight(robot: Legged, take_off: Motion, crouched: Floats, end: Joints, duration: float, swing: Swing) -> Flight:
    """The flight of `duration` s that goes on from the last moment of `take_off`; `crouched` (joints,): as in the crouch.

    The trunk's turning is found by Picard's iteration on Chebyshev points; Infeasible where it does not settle.
    """
    q, v = take_off.q[-1], take_off.v[-1]
    terms, still = robot.momentum(q[None]), np.zeros_like(crouched)
    start, drawn = (
        Joints(q[7:], v[6:], free_fall_acceleration(robot, q, v, LIFT * robot.gravity)[6:]),
        Joints(end.q + swing.retraction * (crouched - end.q), still, still),
    )
    moments = dict.fromkeys((swing.drawn, swing.out))  # once, where they are the same
    times = (0.0, *(part * duration for part in moments), duration)
    momentum = terms["centroidal_momentum_matrix"][0] @ v
    turning = np.broadcast_to(q[3:7], (len(times) - 1, NODES, 4)).copy()
    waypoints = (start, *(drawn for _ in moments), end)
    _turn(air := Flight(robot, waypoints, times, terms["com_position"][0], momentum, turning), q[3:7])
    return air


def _turn(air: Flight, start: Floats) -> None:
    """Writes the trunk's quaternions, from `start` (4,) on, to `air.turning`."""
    lengths, S = np.diff(air.times), chebyshev.integration(NODES)
    points = chebyshev.points(NODES)
    times = np.concatenate([a + points * w for a, w in zip(air.times[:-1], lengths, strict=True)])
    joints = air.joints(times, np.repeat(np.arange(len(lengths)), NODES))
    for _ in range(MOST_SWEEPS):
        quaternion = air.turning.reshape(-1, 4)
        rate = _quaternion_rate(quaternion, air.states(times, quaternion, joints)[1]).reshape(air.turning.shape)
        ways = lengths[:, None, None] * np.einsum("kj,pji->pki", S, rate)
        turned = start + ways + np.concatenate([np.zeros((1, 4)), np.cumsum(ways[:-1, -1], axis=0)])[:, None]
        turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
        change = np.abs(turned - air.turning).max()
        air.turning[:] = turned
        if change <= SETTLED:
            return
    raise Infeasible(f"the trunk's turning in a flight of {air.duration:.3f} s does not settle: turn less")


def _quaternion_rate(quaternion: Floats, v: Floats) -> Floats:
    """qdot (n, 4) of quaternions that turn with the angular velocity v[:, :3] in their own axes: q (0, w) / 2."""
    (w, x, y, z), (a, b, c) = quaternion.T, v[:, :3].T
    rows = [-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
    return 0.5 * np.stack(rows, axis=1)


def _dynamics(robot: Legged, q: Floats, v: Floats, qdd: Floats) -> Motion:
    """The motion in the air with the joint accelerations qdd: nothing holds the trunk, so its rows of M vdot + h are zero."""
    terms = robot.dynamics(q, v)
    M, h = terms["mass_matrix"], terms["bias_force"]
    trunk = -np.linalg.solve(M[:, :6, :6], (np.einsum("nij,nj->ni", M[:, :6, 6:], qdd) + h[:, :6])[..., None])[..., 0]
    vdot = np.concatenate([trunk, qdd], axis=1)
    force = np.einsum("nij,nj->ni", M, vdot) + h
    return Motion(q, v, vdot, force[:, robot.joint_v], np.zeros((len(q), len(robot.feet), 3)))


def air_time(rise_speed: float, drop: float, gravity: float) -> float:
    """Seconds until the com, leaving at `rise_speed` m/s, is `drop` m below where it left; Infeasible where it never is."""
    square = rise_speed**2 + 2.0 * gravity * drop
    if square < 0.0:
        raise Infeasible(f"the com rises {rise_speed**2 / 2 / gravity:.3f} m: it never gets {-drop:.3f} m up to land there")
    return float((rise_speed + np.sqrt(square)) / gravity)


def quintic(start: Joints, end: Joints, duration: float, t: Floats) -> Joints:
    """The joints (n, k) at t (n,) on the quintic polynomial from one moment's (k,) to another's."""
    T = duration
    p0, v0, a0 = start.q, start.qd * T, start.qdd * T * T
    d, u, w = end.q - p0 - v0 - a0 / 2, end.qd * T - v0 - a0, end.qdd * T * T - a0
    c3, c4, c5 = 10 * d - 4 * u + w / 2, -15 * d + 7 * u - w, 6 * d - 3 * u + w / 2
    s = (t / T)[:, None]
    value = p0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    rate = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / T
    acceleration = (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / T**2
    return Joints(value, rate, acceleration)
