"""A log with the in-house kinematics: com, points, contact, and the phases of the jump."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats, cross_products
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, contact_axes, nearest_surface

KINEMATICS = (
    "com_position",
    "com_velocity",
    "contact_positions",
    "contact_velocities",
    "contact_angular_velocities",
    "kinetic_energy",
)

LOADED = 0.05
"""A robot flies while the ground carries less than this part of its weight: soft feet cling to the ground for milliseconds, and
force plates are read with a threshold too."""

TOUCH = 1e-6
"""A point touches where it carries more than this part of the weight: solvers leave smaller forces in the air."""

SHORTEST_FLIGHT = 5e-3
"""A shorter time (s) without load is chatter, no flight."""

RISING = 0.01
"""The com rises where its upward velocity is above this part of that at take-off: a robot never stands quite still."""

QUATERNION_SLACK = 1e-6
"""A quaternion farther than this from unit norm ends the measurement: the run broke down there."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """A log with its kinematics.

    Over states (n + 1, ...): `com` m, `com_velocity` m/s, `centres` (.., points, 3) m of the contact spheres, `gaps` (.., points)
    m to the nearest part of the ground and `normals` (.., points, 3) of that, `slip` (.., points, 2) m/s velocity along it
    of each sphere's nearest point, `kinetic_energy` J. Over steps (n, ...): `force` (n,
    points, 3) N, `stop_torque` (n, nv) N m of the joint stops. `radii` (points,) m, `feet` (points,) whether it is a foot,
    `gravity` m/s^2.
    """

    spec: RobotSpec
    dt: float
    time: Floats
    q: Floats
    v: Floats
    com: Floats
    com_velocity: Floats
    centres: Floats
    gaps: Floats
    normals: Floats
    slip: Floats
    kinetic_energy: Floats
    force: Floats
    stop_torque: Floats
    radii: Floats
    feet: NDArray[np.bool_]
    points: tuple[str, ...]
    gravity: float
    terrain: Terrain

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.force)

    @property
    def weight(self) -> float:
        """m g (N)."""
        return self.spec.total_mass * self.gravity


@dataclass(frozen=True, slots=True)
class Phases:
    """Times (s) of a jump: start of the push, take-off, apex of the com, touch-down, end of the run; NaN: does not happen.

    `apex_height` m is the com's highest.
    """

    push: float
    take_off: float
    apex: float
    apex_height: float
    touch_down: float
    end: float


def observe(spec: RobotSpec, log: JumpLog, terrain: Terrain = LEVEL) -> Observation:
    """The log's kinematics on that ground, up to the last sound state."""
    states = _sound_states(spec, log)
    q, v = np.ascontiguousarray(log.q[:states]), np.ascontiguousarray(log.v[:states])
    seen = _kinematics(spec)(q, v)
    points = [point for point in spec.contact_points if point.computed]
    radii = np.array([max(point.radius, SMALLEST_RADIUS) for point in points])
    gaps, normals = nearest_surface(terrain, seen["contact_positions"], radii)
    sliding = seen["contact_velocities"] + cross_products(seen["contact_angular_velocities"], -radii[:, None] * normals)
    return Observation(
        spec=spec,
        dt=log.dt,
        time=log.time[:states],
        q=q,
        v=v,
        com=seen["com_position"],
        com_velocity=seen["com_velocity"],
        centres=seen["contact_positions"],
        gaps=gaps,
        normals=normals,
        slip=sliding[..., :2] if terrain.is_level else (_axes(normals) @ sliding[..., None])[..., :2, 0],
        kinetic_energy=seen["kinetic_energy"],
        force=log.forces[: max(states - 1, 0)],
        stop_torque=log.limit_torques[: max(states - 1, 0)],
        radii=radii,
        feet=np.array([point.is_foot for point in points], dtype=bool),
        points=tuple(point.name for point in points),
        gravity=float(np.linalg.norm(spec.gravity)),
        terrain=terrain,
    )


def _axes(normals: Floats) -> Floats:
    """Contact axes (..., 3, 3) of normals (..., 3)."""
    return contact_axes(normals.reshape(-1, 3)).reshape(*normals.shape, 3)


@lru_cache(maxsize=8)  # a study looks at dozens of logs of one robot
def _kinematics(spec: RobotSpec) -> reference.Kernel:
    return reference.kernel(reference.build(spec), KINEMATICS)


def motion_phases(seen: Observation, push: float | None = None) -> Phases:
    """The phases of the jump that a log shows; `push` (s) is when the push begins, by default when the com last begins to rise.

    The flight is the longest time in which the ground carries less than `LOADED` of the weight. Take-off is when the upward
    force falls through that, on the straight line between two steps; the apex is that of the parabola from the first state
    without any contact; touch-down is when the force rises through that share again: where it comes at once, when the sphere
    that bears most meets the ground on the line of its velocity.
    """
    end, none = float(seen.time[-1]), float("nan")
    flight = _longest_flight(seen)
    if flight is None:
        return Phases(none if push is None else push, none, none, none, none, end)
    first, last = flight
    touching: NDArray[np.bool_] = np.any(seen.force[..., 2] > TOUCH * seen.weight, axis=1)
    air = first + int(np.argmin(touching[first:last]))
    rate = float(seen.com_velocity[air, 2])
    return Phases(
        push=_rising_from(seen, first, RISING * rate) if push is None else push,
        take_off=_take_off(seen, first - 1),
        apex=float(seen.time[air]) + rate / seen.gravity,
        apex_height=float(seen.com[air, 2]) + rate * rate / (2.0 * seen.gravity),
        touch_down=_touch_down(seen, last) if last < seen.steps else none,
        end=end,
    )


def row_at(time: Floats, rows: Floats, t: float) -> Floats:
    """Row (k,) at time t on straight lines between the `rows` (n, k) at `time` (n,)."""
    return np.array([np.interp(t, time, column) for column in rows.T])


def _longest_flight(seen: Observation) -> tuple[int, int] | None:
    """Steps first..last - 1 of the longest time almost without load that a load precedes; None where there is none."""
    return max(flights(seen), key=lambda run: run[1] - run[0], default=None)


def flights(seen: Observation) -> list[tuple[int, int]]:
    """Steps first..last - 1 of each time almost without load that a load precedes."""
    loaded = seen.force[..., 2].sum(axis=1) > LOADED * seen.weight
    edges = np.flatnonzero(np.diff(np.concatenate(([True], loaded, [True])).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2) if a > 0 and (b - a) * seen.dt >= SHORTEST_FLIGHT]


def _rising_from(seen: Observation, first: int, level: float) -> float:
    """Time (s) from which on the com rises until step `first`: the zero of the line through the velocities about `level`."""
    speed = seen.com_velocity[: first + 1, 2]
    slow = np.flatnonzero(speed[:-1] <= level)
    if not len(slow) or speed[slow[-1] + 1] <= level:
        return float(seen.time[0 if not len(slow) else slow[-1]])
    k = int(slow[-1])
    begin = seen.time[k] - seen.dt * speed[k] / (speed[k + 1] - speed[k])
    return float(max(begin, seen.time[0]))


def _take_off(seen: Observation, k: int) -> float:
    """Take-off time (s) where step k is the last with a load."""
    now, then = (float(force) for force in seen.force[k : k + 2, :, 2].sum(axis=1))
    return float(seen.time[k]) + seen.dt * (now - LOADED * seen.weight) / (now - then)


def _touch_down(seen: Observation, j: int) -> float:
    """Touch-down time (s) where step j is the first with a load again."""
    before, now = (float(force) for force in seen.force[j - 1 : j + 1, :, 2].sum(axis=1))
    if before > TOUCH * seen.weight:
        return float(seen.time[j - 1]) + seen.dt * (LOADED * seen.weight - before) / (now - before)
    point = int(np.argmax(seen.force[j, :, 2]))
    height = seen.gaps[j, point]
    step = max(j - 1, 0)
    speed = -(seen.gaps[j, point] - seen.gaps[step, point]) / seen.dt
    delay = height / speed if speed > 0.0 else 0.0
    return float(seen.time[j]) + float(np.clip(delay, -seen.dt, seen.dt))


def _sound_states(spec: RobotSpec, log: JumpLog) -> int:
    """How many states of the log, from the first on, are finite and, for a floating base, of a unit quaternion."""
    broken = ~np.isfinite(np.hstack([log.q, log.v])).all(axis=1)
    if spec.nq != spec.nv:
        broken = broken | ~(np.abs(np.linalg.norm(log.q[:, 3:7], axis=1) - 1.0) < QUATERNION_SLACK)
    first = np.flatnonzero(broken)
    return int(first[0]) if len(first) else len(log.q)
