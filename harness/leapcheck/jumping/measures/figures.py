"""Figures of the whole robot: the jump, its flight and attitude, limits, clearance, how it ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from leapcheck.jumping.measures.balances import BESIDE
from leapcheck.jumping.measures.figure_list import FIGURES, LANDING_WINDOW, WINDOW, JumpFigure
from leapcheck.jumping.measures.observation import TOUCH, Observation, Phases, flights, motion_phases, observe, row_at
from leapcheck.jumping.measures.take_off import take_off_figures
from leapcheck.jumping.measures.turns import pitch_turn, roll_turn, yaw_turn
from leapcheck.jumping.measures.utilisation import drive_figures, power_figures
from leapcheck.jumping.simulation import driven_places
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.rotation import quaternion_rotation
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.coordinates import has_free_base
from leapcheck_reference.simulate.heat import ThermalRating
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, contact_axes, gaps_and_normals
from leapcheck_reference.tree import build

if TYPE_CHECKING:
    from leapcheck.jumping.planning.records import JumpPlan, JumpRequest

LEAST_TORQUE = 1e-6
"""Torque (N m) from which a joint counts as at its limit: solvers leave smaller ones."""


def jump_figures(seen: Observation, phases: Phases, asked: JumpRequest | None) -> list[JumpFigure]:
    """Take-off, rise, distance, agility; none where the robot does not leave the ground. `asked`: the request, if any.

    Agility: D. W. Haldane et al., Robotic vertical jumping agility via series-elastic power modulation, Science Robotics 1
    (2016): height over the time of stance and of the way up.
    """
    if not math.isfinite(phases.take_off):
        return []
    velocity = row_at(seen.time, seen.com_velocity, phases.take_off)
    before, after = (float(row_at(seen.time, seen.com, t)[2]) for t in (phases.push, phases.take_off))
    height, rise = phases.apex_height - after, phases.apex_height - before
    result = [
        JumpFigure("take_off_time", phases.take_off, time=phases.take_off),
        JumpFigure("take_off_speed", float(velocity[2]), time=phases.take_off),
        JumpFigure("forward_speed", float(velocity[0]), time=phases.take_off),
        JumpFigure("rise", rise, time=phases.apex),
        JumpFigure("height", height, time=phases.apex),
        JumpFigure("agility", rise / (phases.apex - phases.push)),
    ]
    if asked is not None:
        result.append(JumpFigure("height_share", height / asked.height, time=phases.apex))
    if math.isfinite(phases.touch_down):
        result.append(JumpFigure("flight_time", phases.touch_down - phases.take_off))
        start, stop = np.interp([phases.take_off, phases.touch_down], seen.time, seen.com[:, 0])
        result.append(JumpFigure("distance", float(stop - start), time=phases.touch_down))
        if asked is not None:
            result.append(JumpFigure("distance_off", float(stop - start) - asked.distance, time=phases.touch_down))
        if seen.feet.any():
            feet = seen.centres[:, seen.feet, 0].mean(axis=1)
            start, stop = np.interp([phases.push, phases.touch_down], seen.time, feet)
            result.append(JumpFigure("feet_distance", float(stop - start), time=phases.touch_down))
    return result


def total_distance(spec: RobotSpec, log: JumpLog) -> JumpFigure:
    """How far the com goes forward (m) over a log."""
    com = observe(spec, log).com
    return JumpFigure("total_distance", float(com[-1, 0] - com[0, 0]), time=float(log.time[len(com) - 1]))


def run_up_figures(seen: Observation, phases: Phases, asked: JumpRequest | None) -> list[JumpFigure]:
    """How fast the com goes forward where the push begins, and how long the robot flew before; none of a jump from rest."""
    if asked is None or asked.run_up is None or not math.isfinite(phases.take_off):
        return []
    speed = float(row_at(seen.time, seen.com_velocity, phases.push)[0])
    hops = [(b - a) * seen.dt for a, b in flights(seen) if seen.time[b] < phases.take_off]
    return [
        JumpFigure("run_up_speed", speed, time=phases.push),
        JumpFigure("run_up_share", speed / asked.run_up, time=phases.push),
        JumpFigure("run_up_flight", max(hops, default=0.0), time=phases.push),
    ]


def landing_figures(seen: Observation, phases: Phases, landing: float | None, far_edge: float | None = None) -> list[JumpFigure]:
    """How high the lowest foot stands at the end above where the lowest stood first, how far beyond a gap; none without feet."""
    if not seen.feet.any():
        return []
    feet = seen.centres[[0, -1]][:, seen.feet] @ seen.terrain.R
    first, last = feet[..., 2].min(axis=1)
    result = [JumpFigure("landing_height", float(last - first), time=phases.end)]
    if landing is not None:
        result.append(JumpFigure("landing_off", float(last - first) - landing, time=phases.end))
    if far_edge is not None:
        names = [name for name, foot in zip(seen.points, seen.feet, strict=True) if foot]
        foot = int(feet[-1, :, 0].argmin())
        result.append(JumpFigure("beyond_gap", float(feet[-1, foot, 0]) - far_edge, "", names[foot], phases.end))
    return result


def attitude_figures(seen: Observation, phases: Phases, turn: float | None, yaw: float | None) -> list[JumpFigure]:
    """Pitch and roll at touch-down, turn, yaw, tilt and speed at the end.

    `turn` rad: how far the trunk should pitch from start to touch-down; None: it should come down level. `yaw` rad: how far it
    should turn about the vertical from start to end; None: nobody says so.
    """
    speed = math.sqrt(2.0 * float(seen.kinetic_energy[-1]) / seen.spec.total_mass)
    result = [JumpFigure("final_speed", speed, time=phases.end)]
    if not has_free_base(build(seen.spec)):
        return result
    turned = pitch_turn(seen.q[:, 3:7])
    result.append(JumpFigure("turn", math.degrees(turned), time=phases.end))
    if turn is not None:
        result.append(JumpFigure("turn_off", math.degrees(turned - math.tau * round(turn / math.tau)), time=phases.end))
    yawed = yaw_turn(seen.q[:, 3:7])
    result.append(JumpFigure("yaw", math.degrees(yawed), time=phases.end))
    if yaw is not None:
        result.append(JumpFigure("yaw_off", math.degrees(yawed - yaw), time=phases.end))
    R = quaternion_rotation(seen.q[-1, 3:7])
    result.append(
        JumpFigure(
            "final_tilt", math.degrees(math.acos(min(max(float(R[:, 2] @ seen.terrain.R[:, 2]), -1.0), 1.0))), time=phases.end
        )
    )
    if math.isfinite(phases.touch_down):
        quaternion = row_at(seen.time, seen.q[:, 3:7], phases.touch_down)
        (start, _), (pitch, roll) = (pitch_and_roll(q / np.linalg.norm(q)) for q in (seen.q[0, 3:7], quaternion))
        asked_pitch = -seen.terrain.slope if turn is None else start + turn
        pitch_off = math.remainder(pitch - asked_pitch, math.tau)
        for name, angle in (("pitch_touch_down", pitch), ("pitch_off", pitch_off), ("roll_touch_down", roll)):
            result.append(JumpFigure(name, math.degrees(angle), time=phases.touch_down))
    return result


def roll_figures(seen: Observation, phases: Phases, asked: JumpRequest | None) -> list[JumpFigure]:
    """Turn about the trunk's long axis from start to end; none where no such turn was asked for."""
    if asked is None or not asked.roll:
        return []
    rolled = roll_turn(seen.q[:, 3:7])
    off = rolled - math.tau * round(asked.roll / math.tau)
    return [JumpFigure(name, math.degrees(angle), time=phases.end) for name, angle in (("roll", rolled), ("roll_off", off))]


def pitch_and_roll(quaternion: Floats) -> tuple[float, float]:
    """(pitch, roll) rad of a unit quaternion wxyz: nose down and right side down are positive."""
    R = quaternion_rotation(quaternion)
    return math.asin(min(max(-float(R[2, 0]), -1.0), 1.0)), math.atan2(float(R[2, 1]), float(R[2, 2]))


def limit_figures(seen: Observation) -> list[JumpFigure]:
    """Smallest margin to a joint's limits over the run, each joint that has limits and the worst.

    Where a stop gives torque the margin is at most 0: a rigid stop lets no joint beyond it.
    """
    result: list[JumpFigure] = []
    for body, link in zip(seen.spec.bodies, build(seen.spec).links, strict=True):
        if body.joint.limits is not None:
            lower, upper = body.joint.limits
            angle = seen.q[:, link.q.start]
            margin = np.minimum(angle - lower, upper - angle)
            stopped = np.abs(seen.stop_torque[:, link.v.start]) > LEAST_TORQUE
            margin[:-1][stopped] = np.minimum(margin[:-1][stopped], 0.0)
            k, joint = int(margin.argmin()), body.joint.name
            result.append(JumpFigure("limit_margin", float(margin[k]), joint, joint, float(seen.time[k])))
    if not result:
        return []
    worst = min(result, key=lambda figure: figure.value)
    return [JumpFigure("limit_margin", worst.value, "", worst.where, worst.time), *result]


def clearance_figures(seen: Observation) -> list[JumpFigure]:
    """Lowest height over the run of points other than feet, and of those on the trunk; at most 0 where one bears a force."""
    trunk = [point.body == seen.spec.bodies[0].name for point in seen.spec.contact_points if point.computed]
    result = []
    for name, chosen in (("clearance", ~seen.feet), ("trunk_clearance", ~seen.feet & np.array(trunk, dtype=bool))):
        if not chosen.any():
            continue
        heights = seen.gaps[:, chosen]
        touching = np.linalg.norm(seen.force[:, chosen], axis=2) > TOUCH * seen.weight
        heights[:-1][touching] = np.minimum(heights[:-1][touching], 0.0)
        k, point = np.unravel_index(int(heights.argmin()), heights.shape)
        where = seen.points[int(np.flatnonzero(chosen)[point])]
        result.append(JumpFigure(name, float(heights[k, point]), "", where, float(seen.time[k])))
    return result


LEAST_LOAD = 0.05
"""Friction is asked only of a foot that carries at least this part of the weight on the mean of a window."""


def ground_figures(seen: Observation, phases: Phases, friction: float | None) -> list[JumpFigure]:
    """Forces, impulses, friction and slip; `friction`: the coefficient that the ground offers, None where it is not known."""
    result: list[JumpFigure] = []
    upward = seen.force[..., 2].sum(axis=1)
    if len(upward):
        k = int(upward.argmax())
        result.append(JumpFigure("force_peak", float(upward[k]) / seen.weight, time=float(seen.time[k])))
    push_end = phases.take_off if math.isfinite(phases.take_off) else phases.end
    push_begin = phases.push if math.isfinite(phases.push) else float(seen.time[0])
    result += _phase(seen, push_begin, push_end, "push")
    if math.isfinite(phases.touch_down):
        result += _phase(seen, phases.touch_down, phases.end, "landing")
    if math.isfinite(phases.take_off):
        result.append(JumpFigure("impulse_push", _between(seen, upward, phases.push, phases.take_off)))
    if phases.touch_down + LANDING_WINDOW <= phases.end:
        result.append(
            JumpFigure("impulse_landing", _between(seen, upward, phases.touch_down, phases.touch_down + LANDING_WINDOW))
        )
    needed = next((figure for figure in result if figure.name == "friction_needed"), None)
    if needed is not None and friction:
        result.append(JumpFigure("friction_use", needed.value / friction, "", needed.where, needed.time))
    return result


def _phase(seen: Observation, begin: float, end: float, phase: str) -> list[JumpFigure]:
    """Largest mean force, largest friction of a foot and longest slip between two times (s)."""
    starts = _window_starts(seen.time, begin, end)
    upward = _means(seen, seen.force[..., 2].sum(axis=1)[:, None], starts)[:, 0] / seen.weight
    k = int(upward.argmax())
    result = [JumpFigure(f"force_{phase}", float(upward[k]), time=float(starts[k]))]
    if not seen.feet.any():
        return result
    names = [name for name, foot in zip(seen.points, seen.feet, strict=True) if foot]
    force = seen.force[:, seen.feet]
    if not seen.terrain.is_level:
        force = _foot_forces(seen, force)
    means = _means(seen, force.reshape(len(force), -1), starts).reshape(len(starts), -1, 3)
    loaded = means[..., 2] > LEAST_LOAD * seen.weight
    ratio = np.where(loaded, np.linalg.norm(means[..., :2], axis=2) / np.where(loaded, means[..., 2], 1.0), 0.0)
    k, foot = (int(i) for i in np.unravel_index(int(ratio.argmax()), ratio.shape))
    name = "friction_needed" if phase == "push" else "friction_landing"
    result.append(JumpFigure(name, float(ratio[k, foot]), "", names[foot], float(starts[k])))
    speed = np.linalg.norm(seen.slip[1:, seen.feet], axis=2) * (force[..., 2] > TOUCH * seen.weight)
    way = [_between(seen, column, begin, end) for column in speed.T]
    foot = int(np.argmax(way))
    result.append(JumpFigure(f"slip_{phase}", way[foot], "", names[foot]))
    return result


def _foot_forces(seen: Observation, force: Floats) -> Floats:
    """Forces (n, feet, 3) N on the feet in the axes of what each stands on; 0 where a foot meets two parts of the ground."""
    centres, radii = seen.centres[:-1, seen.feet], seen.radii[seen.feet]
    gaps, _ = gaps_and_normals(seen.terrain, centres, radii)
    axes = contact_axes(seen.normals[:-1, seen.feet].reshape(-1, 3)).reshape(*force.shape, 3)
    local: Floats = (axes @ force[..., None])[..., 0]
    return np.where(((gaps < BESIDE).sum(axis=-2) > 1)[..., None], 0.0, local)


def _window_starts(time: Floats, begin: float, end: float) -> Floats:
    """Times (s) at which a window begins between two times: every state's, or the first alone where the phase is shorter."""
    inside = time[(time >= begin) & (time <= end - WINDOW)]
    return inside if len(inside) else np.array([begin])


def _means(seen: Observation, per_step: Floats, starts: Floats) -> Floats:
    """Means (starts, k) of step values (n, k) over the windows that begin at `starts`, exact for values held over each step."""
    sums = np.vstack([np.zeros(per_step.shape[1]), np.cumsum(per_step, axis=0) * seen.dt])
    means = [np.interp(starts + WINDOW, seen.time, column) - np.interp(starts, seen.time, column) for column in sums.T]
    return np.stack(means, axis=1) / WINDOW


def _between(seen: Observation, per_step: Floats, begin: float, end: float) -> float:
    """Integral of values (n,) held over each step between two times (s)."""
    sums = np.concatenate(([0.0], np.cumsum(per_step) * seen.dt))
    first, last = np.interp([begin, end], seen.time, sums)
    return float(last - first)


def figures(
    spec: RobotSpec,
    plan: JumpPlan | None,
    log: JumpLog,
    drives: Drives,
    battery: Battery = Battery(),
    friction: float | None = None,
    rating: ThermalRating | None = None,
    turn: float | None = None,
    terrain: Terrain = LEVEL,
    landing: float | None = None,
    yaw: float | None = None,
    far_edge: float | None = None,
) -> dict[str, JumpFigure]:
    """The figures of a log by key, in the order of `FIGURES`; those that the run does not reach are left out.

    `friction` is what the ground offers, by default the plan's; `rating` what each motor's winding bears, where it is known;
    `turn`, `yaw` rad: how far the trunk is to pitch and to turn about the vertical, where no plan of leapcheck says it; `landing`
    m: how high the feet are to stand at the end, `far_edge` m: where the gap that they cross ends, where that is
    known. A run that broke down is measured up to its last sound state; a log without a step has no figures.
    """
    seen = observe(spec, log, terrain)
    if not seen.steps:
        return {}
    push = None if plan is None else next((phase.start for phase in plan.phases if phase.name == "push"), None)
    phases = motion_phases(seen, push)
    mu = plan.request.friction if friction is None and plan is not None else friction
    speeds = seen.v[:, driven_places(spec)[1]]
    result = [
        *drive_figures(log, drives, speeds[:-1], phases, rating),
        *jump_figures(seen, phases, None if plan is None else plan.request),
        *run_up_figures(seen, phases, None if plan is None else plan.request),
        *take_off_figures(seen, phases, None if plan is None else plan.request),
        *ground_figures(seen, phases, mu),
        *power_figures(log, drives, battery, 0.5 * (speeds[:-1] + speeds[1:]), phases),
        *attitude_figures(
            seen,
            phases,
            turn if plan is None else plan.request.pitch or 0.0,
            yaw if plan is None else plan.request.yaw,
        ),
        *roll_figures(seen, phases, None if plan is None else plan.request),
        *limit_figures(seen),
        *clearance_figures(seen),
        *landing_figures(seen, phases, landing, far_edge),
    ]
    order = list(FIGURES)
    return {figure.key: figure for figure in sorted(result, key=lambda figure: order.index(figure.name))}
