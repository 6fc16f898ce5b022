"""The plots of a jump: motion, feet, ground forces, drives, battery, ledgers; curves from the logs alone."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.measures.balances import Balances, log_balances
from leapcheck.jumping.measures.figure_list import WINDOW
from leapcheck.jumping.measures.figures import LEAST_LOAD
from leapcheck.jumping.measures.observation import TOUCH, Observation, flights, motion_phases, observe
from leapcheck.jumping.measures.turns import headings
from leapcheck.jumping.planning.bounds import largest_powers
from leapcheck.jumping.simulation import driven_places
from leapcheck.report.chart import TONES, Chart, ChartPhase, Limit, Series, SeriesKind, chart_plot
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Drives, largest_torque
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

ENVELOPE_POINTS = 121

SAY_NOTHING = ("joint", "motor", "actuator")
"""Endings of drives' names that are no part of a leg."""

ONE_PATH = 0.01
"""Paths of feet that lie no farther apart (m) are drawn as one."""

ASIDE = 0.5
"""From this sideways part of the trunk's direction on its turn is no pitch."""

TIPPED, LEAST_YAW = 0.25, 5.0
"""Square of the sine of half the tilt (60 deg) from which on a trunk has no heading, and yaw (deg) from which on it is drawn."""

LEDGER_PLOTS = "ledger-plots"
"""Name of the group of the ledgers' plots."""

BESIDE_PATH = 0.1
"""The ground is drawn so far (m) beside the paths."""


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """A chart under its caption."""

    caption: str
    drawing: ET.Element


@dataclass(frozen=True, slots=True, eq=False)
class PlotGroup:
    """Charts that belong together; `note` says of which simulator they are, and how to read them."""

    name: str
    title: str
    note: str
    plots: tuple[Plot, ...]


def jump_plots(
    spec: RobotSpec,
    logs: Mapping[str, JumpLog],
    drives: Drives,
    push: float | None = None,
    friction: float | None = None,
    terrain: Terrain = LEVEL,
) -> tuple[PlotGroup, ...]:
    """All plots of a run; `push` (s): when the push begins, `friction`: what the ground offers. Logs without a step are left out.

    Curves of all simulators are in one chart; what there is for each joint or foot is of the `main_simulator` alone.
    """
    seen = {name: observe(spec, log, terrain) for name, log in logs.items() if log.steps}
    seen = {name: run for name, run in seen.items() if run.steps}
    if not seen:
        return ()
    name = main_simulator({name: logs[name] for name in seen})
    log, main = logs[name], seen[name]
    shade = jump_phases(main, push)
    of_one = f"From {name}, dt = {log.dt:.4g} s."
    groups = [
        PlotGroup(
            "motion",
            "Motion",
            f"The robot's centre of mass in every simulator; feet of {name}.",
            draw_charts(_motion(seen, name, shade)),
        ),
        PlotGroup(
            "ground",
            "Feet and ground",
            f"{of_one} The total is shown for every simulator.",
            draw_charts(_ground(seen, name, shade, friction)),
        ),
        PlotGroup(
            "drives",
            "Drives",
            f"{of_one} Dashed: what the drives can give.",
            draw_charts(_drives(spec, main, log, drives, shade)),
        ),
        PlotGroup("power", "Power and battery", of_one, draw_charts(_power(spec, main, log, drives, shade))),
        PlotGroup(
            LEDGER_PLOTS,
            "Ledgers over time",
            of_one,
            draw_charts(_ledgers(log_balances(spec, _sound(log, main), terrain), shade)),
        ),
    ]
    return tuple(group for group in groups if group.plots)


def phases_of(
    spec: RobotSpec, logs: Mapping[str, JumpLog], push: float | None = None, terrain: Terrain = LEVEL
) -> tuple[ChartPhase, ...]:
    """The phases of the run that is shown."""
    seen = observe(spec, logs[main_simulator(logs)], terrain)
    return jump_phases(seen, push) if seen.steps else ()


def main_simulator(logs: Mapping[str, JumpLog]) -> str:
    """The simulator whose joints and feet are shown: the first that ran to its end, else the one that came farthest."""
    return max(logs, key=lambda name: (not logs[name].stopped, logs[name].time[-1] if logs[name].stopped else 0.0))


def jump_phases(seen: Observation, push: float | None = None) -> tuple[ChartPhase, ...]:
    """Crouch, run-up where it flies before the push, push, flight and landing, up to where the run ended."""
    times = motion_phases(seen, push)
    hop = next((float(seen.time[first]) for first, _ in flights(seen) if seen.time[first] < times.push), times.push)
    edges = (
        ("crouch", 0.0, hop),
        ("run-up", hop, times.push),
        ("push", times.push, times.take_off),
        ("flight", times.take_off, times.touch_down),
        ("landing", times.touch_down, times.end),
    )
    stretches = (
        ChartPhase(name, start, min(end, times.end) if np.isfinite(end) else times.end)
        for name, start, end in edges
        if np.isfinite(start)
    )
    return tuple(phase for phase in stretches if phase.end > phase.start)


def joint_kinds(names: tuple[str, ...], drives: Drives) -> dict[str, list[int]]:
    """Places of like drives by kind: those whose names end alike (FR_knee, FL_knee: knee) and whose figures are equal."""
    kinds: dict[tuple[str, ...], list[int]] = {}
    figures = np.stack([drives.gear_ratio, drives.torque_limit, drives.voltage, drives.resistance, drives.torque_constant], 1)
    for i, name in enumerate(names):
        kinds.setdefault((_kind(name), str(figures[i].tolist())), []).append(i)
    groups: dict[str, list[int]] = {}
    for (kind, _), places in kinds.items():
        for first in range(0, len(places), TONES):
            part = places[first : first + TONES]
            groups[kind if kind not in groups else f"{kind} ({names[part[0]]} and like)"] = part
    return groups


def _kind(name: str) -> str:
    """The last part of a drive's name that says something: FR_knee, FR_knee_joint: knee."""
    parts = name.split("_")
    while len(parts) > 1 and parts[-1].lower() in SAY_NOTHING:
        parts.pop()
    return parts[-1]


def draw_charts(charts: Iterable[Chart]) -> tuple[Plot, ...]:
    """The charts as plots, each under its own label."""
    return tuple(Plot(chart.label, chart_plot(chart)) for chart in charts)


def _motion(seen: Mapping[str, Observation], name: str, shade: tuple[ChartPhase, ...]) -> Iterator[Chart]:
    heights = tuple(Series(name, s.time, s.com[:, 2]) for name, s in seen.items())
    speeds = tuple(Series(name, s.time, s.com_velocity[:, 2]) for name, s in seen.items())
    yield Chart("Height of the centre of mass", "time, s", "height, m", heights, shade)
    yield Chart("Upward velocity of the centre of mass", "time, s", "velocity, m/s", speeds, shade)
    if any(np.ptp(s.com[:, 0]) > 0.02 for s in seen.values()):
        ways = tuple(Series(name, s.time, s.com[:, 0] - s.com[0, 0]) for name, s in seen.items())
        yield Chart("Forward motion of the centre of mass", "time, s", "x, m", ways, shade)
    yield _side_view(seen, name)
    if all(s.q.shape[1] != s.v.shape[1] for s in seen.values()):
        pitch = tuple(Series(name, s.time, pitch_of(s.q[:, 3:7])) for name, s in seen.items())
        yield Chart("Trunk pitch, nose down positive", "time, s", "pitch, deg", pitch, shade)
        yaw = {name: yaw_of(s.q[:, 3:7]) for name, s in seen.items()}
        if any(np.nanmax(np.abs(angle)) > LEAST_YAW for angle in yaw.values()):
            turns = tuple(Series(name, seen[name].time, angle) for name, angle in yaw.items())
            yield Chart("Trunk yaw, left positive", "time, s", "yaw, deg", turns, shade)


def _side_view(seen: Mapping[str, Observation], name: str) -> Chart:
    """Paths of the com and of the feet in the vertical plane, and the ground's outline."""
    main, others = seen[name], [s for other, s in seen.items() if other != name]
    word = "com, other simulators"
    paths = [Series("" if k else word, s.com[:, 0], s.com[:, 2], tone=TONES - 1) for k, s in enumerate(others)]
    paths.append(Series(f"com, {name}", main.com[:, 0], main.com[:, 2], tone=0))
    for k, feet in enumerate(_together(main)):
        names = ", ".join(main.points[i] for i in feet)
        paths.append(Series(names, main.centres[:, feet[0], 0], main.centres[:, feet[0], 2], tone=k + 1))
    x = np.concatenate([path.x for path in paths])
    ground = [Series("ground" if k == 0 else "", *side, SeriesKind.BOUND) for k, side in enumerate(_outlines(main.terrain, x))]
    return Chart("Paths from the side", "x, m", "z, m", (*ground, *paths), equal=True)


def _together(seen: Observation) -> list[list[int]]:
    """Places of the feet, those together whose paths are one from the side; no more groups than there are tones."""
    groups: list[list[int]] = []
    for i in (i for i, foot in enumerate(seen.feet) if foot):
        path = seen.centres[:, i, ::2]
        like = next((group for group in groups if np.abs(seen.centres[:, group[0], ::2] - path).max() < ONE_PATH), None)
        if like is None:
            groups.append([i])
        else:
            like.append(i)
    return groups[: TONES - 2]


def _outlines(terrain: Terrain, x: Floats) -> Iterator[tuple[Floats, Floats]]:
    """The ground cut by the plane of the jump: (x, z) of the floor and of each box, no farther than is needed for `x`."""
    low, high = float(np.nanmin(x)) - BESIDE_PATH, float(np.nanmax(x)) + BESIDE_PATH
    cuts = [np.array([[low, terrain.floor], [high, terrain.floor]])]
    for box in terrain.boxes:
        (centre, _, middle), (half, _, tall) = box.centre, box.half
        left, right = max(centre - half, low), min(centre + half, high)
        if left < right:
            bottom = max(middle - tall, terrain.floor)
            cuts.append(np.array([[left, bottom], [left, middle + tall], [right, middle + tall], [right, bottom]]))
    for cut in cuts:
        turned = np.stack([cut[:, 0], np.zeros(len(cut)), cut[:, 1]], 1) @ terrain.R.T
        yield turned[:, 0], turned[:, 2]


def yaw_of(quaternion: Floats) -> Floats:
    """Yaw (n,) deg of quaternions wxyz (n, 4) from the first on; NaN from where the trunk tips over: it has no heading."""
    _, x, y, _ = quaternion.T
    upright = np.logical_and.accumulate(x * x + y * y < TIPPED)
    angles = np.degrees(np.unwrap(headings(quaternion)))
    yaw: Floats = np.where(upright, angles - angles[0], np.nan)
    return yaw


def pitch_of(quaternion: Floats) -> Floats:
    """Pitch (n,) deg of quaternions wxyz (n, 4): whole turns are counted where the trunk stays in the plane of the jump."""
    w, x, y, z = quaternion.T
    dive = 2 * (w * y - z * x)
    pitch: Floats = np.degrees(np.arcsin(np.clip(dive, -1.0, 1.0)))
    if np.abs(2 * (x * y + w * z)).max(initial=0.0) < ASIDE:
        pitch = np.degrees(np.unwrap(np.arctan2(dive, 1 - 2 * (y * y + z * z))))
    return pitch


def _ground(seen: Mapping[str, Observation], name: str, shade: tuple[ChartPhase, ...], friction: float | None) -> Iterator[Chart]:
    main = seen[name]
    t, feet = main.time[:-1], [i for i, foot in enumerate(main.feet) if foot]
    total = tuple(Series(n, s.time[:-1], window_means(s.force[:, :, 2].sum(1), s.dt) / s.weight) for n, s in seen.items())
    yield Chart("Ground force ÷ weight, mean over 20 ms", "time, s", "force / m g", total, shade, (Limit("weight", 1.0),), True)
    if not feet:
        return
    heights = tuple(Series(main.points[i], main.time, 1e3 * main.gaps[:, i]) for i in feet[:TONES])
    yield Chart("Height of the feet above the ground", "time, s", "gap, mm", heights, shade)
    normal = tuple(Series(main.points[i], t, window_means(main.force[:, i, 2], main.dt)) for i in feet[:TONES])
    yield Chart("Normal force of the feet, mean over 20 ms", "time, s", "force, N", normal, shade, (), True)
    ratios = tuple(Series(main.points[i], t, _friction_ratio(main, i)) for i in feet[:TONES])
    limits = () if friction is None else (Limit("available friction", friction),)
    yield Chart("Friction used by the feet, mean over 20 ms", "time, s", "|Ft| / Fn", ratios, shade, limits, True)
    touching = main.force[:, :, 2] > TOUCH * main.weight
    contact = tuple(Series(main.points[i], t, np.where(touching[:, i], float(k + 1), np.nan)) for k, i in enumerate(feet[:TONES]))
    yield Chart("Feet on the ground", "time, s", "foot", contact, shade)


def window_means(values: Floats, dt: float, window: float = WINDOW) -> Floats:
    """Means (n,) of the values over a centred window (s), shorter at the ends."""
    half = max(round(window / dt / 2), 0)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    n = len(values)
    first, end = np.maximum(np.arange(n) - half, 0), np.minimum(np.arange(n) + half + 1, n)
    means: Floats = (sums[end] - sums[first]) / (end - first)
    return means


def _friction_ratio(seen: Observation, point: int) -> Floats:
    """|Ft| / Fn of windowed forces; a gap where the foot carries next to nothing."""
    x, y, z = (window_means(seen.force[:, point, axis], seen.dt) for axis in range(3))
    loaded = z > LEAST_LOAD * seen.weight
    return np.where(loaded, np.hypot(x, y) / np.where(loaded, z, 1.0), np.nan)


def _drives(spec: RobotSpec, seen: Observation, log: JumpLog, drives: Drives, shade: tuple[ChartPhase, ...]) -> Iterator[Chart]:
    n, t = seen.steps, seen.time[:-1]
    speeds, torque = seen.v[:-1, driven_places(spec)[1]], log.torque[:n]
    kinds = joint_kinds(log.actuators, drives)
    for kind, places in kinds.items():
        peak = float((drives.gear_ratio * drives.torque_limit)[places[0]])
        series = tuple(Series(log.actuators[i], t, torque[:, i]) for i in places)
        yield Chart(f"Joint torque: {kind}", "time, s", "torque, N m", series, shade, (Limit("peak", peak), Limit("peak", -peak)))
    no_load, most = drives.no_load_speed(drives.voltage), largest_powers(drives, float(np.max(drives.voltage, initial=0.0)))
    for kind, places in kinds.items():
        series = tuple(Series(log.actuators[i], t, speeds[:, i]) for i in places)
        yield Chart(f"Joint speed: {kind}", "time, s", "speed, rad/s", series, shade, _both("no load", float(no_load[places[0]])))
    for kind, places in kinds.items():
        series = tuple(Series(log.actuators[i], t, torque[:, i] * speeds[:, i]) for i in places)
        limits = _both("largest", float(most[places[0]]))[:1]
        yield Chart(f"Joint power: {kind}", "time, s", "power, W", series, shade, limits)
    for kind, places in kinds.items():
        reach, highest, lowest = envelope(drives, places[0], float(np.abs(speeds[:, places]).max(initial=0.0)))
        bounds = (Series("envelope", np.append(reach, reach[::-1]), np.append(highest, lowest[::-1]), SeriesKind.BOUND),)
        traces = tuple(Series(log.actuators[i], speeds[:, i], torque[:, i], tone=k) for k, i in enumerate(places))
        yield Chart(f"Torque against speed: {kind}", "speed, rad/s", "torque, N m", (*traces, *bounds))


def _both(name: str, limit: float) -> tuple[Limit, ...]:
    """A limit of both signs; none where it is infinite."""
    return (Limit(name, limit), Limit(name, -limit)) if np.isfinite(limit) else ()


def envelope(drives: Drives, place: int, speed: float) -> tuple[Floats, Floats, Floats]:
    """(speeds rad/s, highest and lowest torque N m that arrives at the joint) of one drive at its rated voltage."""
    no_load = float(drives.no_load_speed(drives.voltage)[place])
    reach = max(speed, no_load) if np.isfinite(no_load) else max(speed, 1.0)
    along = np.linspace(-reach, reach, ENVELOPE_POINTS)
    qd = np.repeat(along[:, None], len(drives.names), 1)
    lowest, highest = largest_torque(drives, qd)
    return along, highest[:, place], lowest[:, place]


def _power(spec: RobotSpec, seen: Observation, log: JumpLog, drives: Drives, shade: tuple[ChartPhase, ...]) -> Iterator[Chart]:
    n, t = seen.steps, seen.time[:-1]
    mechanical = (log.torque[:n] * seen.v[:-1, driven_places(spec)[1]]).sum(1)
    powers = [Series("mechanical", t, mechanical)]
    if drives.electrical.any():
        powers.append(Series("from the battery", t, log.battery_power[:n]))
    yield Chart("Power of all drives", "time, s", "power, W", tuple(powers), shade, (), True)
    if not drives.electrical.any():
        return
    volts = log.battery_voltage[:n]
    yield Chart("Voltage of the battery", "time, s", "voltage, V", (Series("at its terminals", t, volts),), shade)
    current = np.divide(log.battery_power[:n], volts, out=np.zeros(n), where=volts > 0)
    yield Chart("Current of the battery", "time, s", "current, A", (Series("battery", t, current),), shade, (), True)
    for kind, places in joint_kinds(log.actuators, drives).items():
        if not drives.electrical[places[0]]:
            continue
        series = tuple(Series(log.actuators[i], t, log.current[:n, i]) for i in places)
        yield Chart(f"Motor current: {kind}", "time, s", "current, A", series, shade)


def _sound(log: JumpLog, seen: Observation) -> JumpLog:
    """The log up to the last state that was looked at."""
    n = seen.steps
    if n == log.steps:
        return log
    states = {name: getattr(log, name)[: n + 1] for name in ("time", "q", "v")}
    steps = ("desired", "torque", "current", "voltage", "battery_voltage", "battery_power", "forces", "limit_torques")
    return dataclasses.replace(log, **states, **{name: getattr(log, name)[:n] for name in steps})


def _ledgers(balance: Balances, shade: tuple[ChartPhase, ...]) -> Iterator[Chart]:
    energy = balance.kinetic + balance.potential - balance.kinetic[0] - balance.potential[0]
    account = (
        Series("kinetic and potential energy", balance.time, energy),
        Series("work of the drives", balance.time, balance.actuator_work),
        Series("work of the contacts", balance.time, balance.contact_work),
    )
    yield Chart("Energy since the start", "time, s", "energy, J", account, shade)
    out = energy - balance.actuator_work - balance.contact_work - balance.stop_work
    yield Chart("Energy residual", "time, s", "residual, J", (Series("residual", balance.time, out),), shade)
    weight = (balance.time - balance.time[0])[:, None] * (balance.mass * balance.gravity)
    missing = balance.momentum[:, 3:] - balance.momentum[0, 3:] - balance.contact_impulse - weight
    axes = tuple(Series(axis, balance.time, missing[:, i]) for i, axis in enumerate("xyz"))
    yield Chart("Momentum residual", "time, s", "residual, N s", axes, shade)
