"""The outcome of a simulated jump in a batch: its figures, and the causes where it failed. Names as in `figure_list`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.judging.thresholds import Thresholds
from leapcheck.jumping.measures.observation import LOADED, RISING, SHORTEST_FLIGHT, TOUCH
from leapcheck.jumping.measures.turns import pitch_turn, roll_turn, yaw_turn
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, RobotSpec
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, nearest_surface

NAN = float("nan")

SHORTEST_RUN = 3
"""A run of fewer steps has no figures."""

FIGURE_NAMES = (
    "take_off_time",
    "take_off_speed",
    "run_up_speed",
    "rise",
    "height",
    "distance",
    "pitch_touch_down",
    "roll_touch_down",
    "torque_use",
    "voltage_use",
    "line_use",
    "slip_push",
    "slip_landing",
    "limit_margin",
    "clearance",
    "trunk_clearance",
    "turn",
    "yaw",
    "roll",
    "landing_height",
    "rearmost_foot",
    "final_tilt",
    "final_speed",
)


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """One run: states (n + 1, ...) and what holds at the begin of each of its n steps, (n, ...).

    `q` (n + 1, nq) canonical, above the ground; `com` (n, 3) m in the world; `centres` (n, points, 3) m of the contact spheres,
    heights above the ground that holds then; `spin` (n, feet, 3) rad/s of the feet's links, world axes; `upward` (n,) N: what the
    ground gives, `weight` N of the robot with its payload; `torque_use`, `voltage_use`, `line_use` (n,) of the drive that is
    used most, NaN without one of that kind.
    `final_speed` m/s: sqrt(2 E_kin / m) of the last state; `stopped`: why the run ended before its time, "" if it did not.
    """

    dt: float
    q: Floats
    com: Floats
    centres: Floats
    spin: Floats
    upward: Floats
    weight: float
    torque_use: Floats
    voltage_use: Floats
    line_use: Floats
    final_speed: float
    stopped: str


@dataclass(frozen=True, slots=True, eq=False)
class TrialOutcome:
    """Figures of one run by name, NaN for what it did not reach; `stopped` as recorded; `later`: of further jumps in a row."""

    figures: Mapping[str, float]
    stopped: str
    later: tuple[TrialOutcome, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RobotOutline:
    """What outcomes need of a robot's description: contact spheres, joint limits (-inf, inf: none), gravity m/s^2.

    `feet` and `trunk` (points,): which of the spheres they are.
    """

    radii: Floats
    feet: NDArray[np.bool_]
    trunk: NDArray[np.bool_]
    limited: NDArray[np.intp]
    lower: Floats
    upper: Floats
    gravity: float
    terrain: Terrain = LEVEL


def outline_of(spec: RobotSpec, terrain: Terrain = LEVEL) -> RobotOutline:
    """The part of a robot's description that outcomes need."""
    points = [point for point in spec.contact_points if point.computed]
    starts = np.cumsum([0, *(CONFIGURATION_SIZE[body.joint.type] for body in spec.bodies)])
    limits = [(int(start), *body.joint.limits) for start, body in zip(starts, spec.bodies, strict=False) if body.joint.limits]
    table = np.array(limits, dtype=float).reshape(-1, 3)
    return RobotOutline(
        radii=np.array([max(point.radius, SMALLEST_RADIUS) for point in points]),
        feet=np.array([point.is_foot for point in points], dtype=bool),
        trunk=np.array([point.body == spec.bodies[0].name and not point.is_foot for point in points], dtype=bool),
        limited=table[:, 0].astype(np.intp),
        lower=table[:, 1],
        upper=table[:, 2],
        gravity=float(np.linalg.norm(spec.gravity)),
        terrain=terrain,
    )


def outcome(body: RobotOutline, run: Recording, begin: float | None = None) -> TrialOutcome:
    """The figures of a run, as `observation.motion_phases` defines them, but at the nearest state where those interpolate.

    `begin` s: when the push begins that `run_up_speed` is measured at, by default when the com last begins to rise.
    """
    if len(run.com) < SHORTEST_RUN:
        return TrialOutcome(dict.fromkeys(FIGURE_NAMES, NAN), run.stopped or "the run is too short to say anything")
    height = nearest_surface(body.terrain, run.centres, body.radii)[0]
    figures = dict.fromkeys(FIGURE_NAMES, NAN)
    flight = _flight(run.upward > LOADED * run.weight, run.dt)
    push, landing = (0, len(run.com)), len(run.com)
    if flight is not None:
        of_flight, push, landing = _flight_figures(body, run, *flight)
        figures |= of_flight
        k = push[0] if begin is None else min(round(begin / run.dt), len(run.com) - 1)
        figures["run_up_speed"] = float(run.com[max(k, 1), 0] - run.com[max(k, 1) - 1, 0]) / run.dt
    slid = np.vstack([np.zeros(int(body.feet.sum())), np.cumsum(_slid(body, run, height < 0.0), axis=0)])
    figures["slip_push"] = float((slid[push[1]] - slid[push[0]]).max(initial=0.0))
    figures["slip_landing"] = float((slid[-1] - slid[landing]).max(initial=0.0))
    margins = np.minimum(run.q[:, body.limited] - body.lower, body.upper - run.q[:, body.limited])
    figures["limit_margin"] = float(margins.min(initial=math.inf))
    figures["clearance"] = float(height[:, ~body.feet].min(initial=math.inf))
    figures["trunk_clearance"] = float(height[:, body.trunk].min(initial=math.inf))
    if body.feet.any():
        feet = run.centres[[0, -1]][:, body.feet] @ body.terrain.R
        lowest = feet[..., 2].min(axis=1)
        figures["landing_height"] = float(lowest[1] - lowest[0])
        figures["rearmost_foot"] = float(feet[-1, :, 0].min())
    figures["turn"] = math.degrees(pitch_turn(run.q[:, 3:7]))
    figures["roll"] = math.degrees(roll_turn(run.q[:, 3:7]))
    figures["yaw"] = math.degrees(yaw_turn(run.q[:, 3:7]))
    w, x, y, z = run.q[-1, 3:7] / np.linalg.norm(run.q[-1, 3:7])
    upright = np.array([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)]) @ body.terrain.R[:, 2]
    figures["final_tilt"] = math.degrees(math.acos(max(-1.0, min(1.0, float(upright)))))
    figures["final_speed"] = run.final_speed
    for name in ("torque_use", "voltage_use", "line_use"):
        figures[name] = float(getattr(run, name).max())
    return TrialOutcome(figures, run.stopped)


FAILURES = frozenset(
    (
        "no take-off",
        "ran up too slowly",
        "jumped too low",
        "not yet landed",
        "trunk hit the ground",
        "does not stand where it should",
        "not beyond the gap",
        "turned too far or not far enough",
        "rolled too far or not far enough",
        "faces another way",
        "turned over",
        "not at rest at the end",
    )
)
"""Causes that are failures by themselves; the others may lead to them."""


def causes(
    result: TrialOutcome,
    height: float,
    thresholds: Thresholds,
    landing: float | None = None,
    turn: float | None = None,
    start: float = 0.0,
    yaw: float | None = None,
    roll: float | None = None,
    far_edge: float | None = None,
    run_up: float | None = None,
) -> tuple[str, ...]:
    """Why the jump failed, the first thing first, with what may have led to it; empty if it is a success.

    It fails where one of the verdict's outcomes does (`judging.rules`): a foot that slips or a leg that touches is no failure.

    `height` m is what the jump should reach, `landing` m how high its feet should then stand, `turn` rad how far the
    trunk should pitch, `yaw` rad how far it should turn about the vertical, `roll` rad about its long axis, `far_edge` m where
    the gap ends that it crosses, `run_up` m/s how fast the push should begin, all None where nobody says so; `start` rad is the
    trunk's pitch at the start.
    """
    figures, limit = result.figures, thresholds
    if result.stopped:
        return (result.stopped,)
    if math.isnan(figures["take_off_time"]):
        took_off = [("no take-off", True)]
    else:
        pitch_off = math.remainder(figures["pitch_touch_down"] - math.degrees(start + (turn or 0.0)), 360.0)
        attitude = max(abs(pitch_off), abs(figures["roll_touch_down"]))
        took_off = [
            ("ran up too slowly", run_up is not None and figures["run_up_speed"] <= limit.run_up_no_go * run_up),
            ("jumped too low", figures["height"] <= limit.height_no_go * height),
            ("tilted at touch-down", attitude > limit.attitude_no_go),
            ("not yet landed", math.isnan(attitude)),
        ]
    hit = figures["trunk_clearance"] <= limit.trunk_clearance_no_go
    turn_off = 0.0 if turn is None else figures["turn"] - 360.0 * round(turn / math.tau)
    roll_off = 0.0 if roll is None else figures["roll"] - 360.0 * round(roll / math.tau)
    touched = figures["clearance"] <= limit.clearance_no_go and figures["clearance"] < figures["trunk_clearance"]
    checks = [
        ("feet slipped in the push", figures["slip_push"] > limit.slip_no_go),
        *took_off,
        ("trunk hit the ground", hit),
        ("leg hit the ground", touched),
        ("feet slipped in the landing", figures["slip_landing"] > limit.slip_no_go),
        ("joint stop hit", figures["limit_margin"] <= limit.limit_margin_no_go),
        (
            "does not stand where it should",
            landing is not None and abs(figures["landing_height"] - landing) > limit.landing_no_go,
        ),
        ("not beyond the gap", far_edge is not None and figures["rearmost_foot"] - far_edge <= limit.beyond_gap_no_go),
        ("turned too far or not far enough", abs(turn_off) > limit.turn_no_go),
        ("rolled too far or not far enough", abs(roll_off) > limit.turn_no_go),
        ("faces another way", yaw is not None and abs(figures["yaw"] - math.degrees(yaw)) > limit.yaw_no_go),
        ("turned over", figures["final_tilt"] > limit.tilt_no_go),
        ("not at rest at the end", figures["final_speed"] > limit.speed_no_go),
    ]
    names = tuple(name for name, failed in checks if failed)
    return names if FAILURES.intersection(names) else ()


def _flight(loaded: NDArray[np.bool_], dt: float) -> tuple[int, int] | None:
    """(first state without load, first one loaded again or the end) of the longest flight after a load."""
    edges = np.flatnonzero(np.diff(np.concatenate(([True], loaded, [True])).astype(np.int8)))
    flights = [(int(a), int(b)) for a, b in edges.reshape(-1, 2) if a > 1 and (b - a) * dt >= SHORTEST_FLIGHT]
    return max(flights, key=lambda flight: flight[1] - flight[0], default=None)


def _flight_figures(body: RobotOutline, run: Recording, first: int, last: int) -> tuple[dict[str, float], tuple[int, int], int]:
    """(figures of take-off, flight, touch-down, first state of the push and first without load, first state of the landing)."""
    velocity = np.diff(run.com[:, 2], prepend=run.com[0, 2]) / run.dt  # at each state, as MuJoCo's Euler steps
    touching = run.upward > TOUCH * run.weight
    air = first + int(np.argmin(touching[first:last]))
    middle = (air + last) // 2
    landing = middle + int(np.argmax(touching[middle:])) if touching[middle:].any() else len(run.com)
    now, then = float(run.upward[first - 1]), float(run.upward[first])
    time = first - 1 + (now - LOADED * run.weight) / (now - then)  # in steps
    off = float(np.interp(time, np.arange(len(run.com)), run.com[:, 2]))
    apex = float(run.com[air, 2]) + float(velocity[air]) ** 2 / (2.0 * body.gravity)
    slow = np.flatnonzero(velocity[:first] <= RISING * velocity[air])
    push = int(slow[-1]) + 1 if len(slow) else 0
    result = {
        "take_off_time": run.dt * time,
        "take_off_speed": float(np.interp(time, np.arange(len(run.com)), velocity)),
        "rise": apex - float(run.com[push, 2]),
        "height": apex - off,
    }
    if landing < len(run.com):
        w, x, y, z = run.q[landing, 3:7] / np.linalg.norm(run.q[landing, 3:7])
        result["distance"] = float(run.com[landing, 0] - np.interp(time, np.arange(len(run.com)), run.com[:, 0]))
        result["pitch_touch_down"] = math.degrees(math.asin(max(-1.0, min(1.0, 2.0 * (w * y - x * z)))))
        result["roll_touch_down"] = math.degrees(math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)))
    return result, (push, first), landing


def _slid(body: RobotOutline, run: Recording, touching: NDArray[np.bool_]) -> Floats:
    """Way (n, feet) m that the lowest point of each foot slides in each step, rolling not counted."""
    centres, spin = run.centres[:, body.feet, :2], run.spin
    way = np.diff(centres, axis=0, append=centres[-1:])
    lever = body.radii[body.feet] * run.dt
    way[..., 0] -= lever * spin[..., 1]
    way[..., 1] += lever * spin[..., 0]
    way[-1] = 0.0
    slid: Floats = np.hypot(way[..., 0], way[..., 1]) * touching[:, body.feet]
    return slid
