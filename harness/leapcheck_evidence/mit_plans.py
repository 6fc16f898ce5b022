"""MIT's plans on the Mini Cheetah as published, and on the robot that they were made for: why the front jumps do not land.

`python -m leapcheck_evidence.mit_plans --out reports/` writes the tables. Rows are kept: a run that was stopped goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import degrees
from pathlib import Path
from typing import Any

import numpy as np

from leapcheck.jumping.act import act_on_ground, file_act
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import judge_first_runs
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.plan_file import PlanFile, PlannedMotion, read_plan
from leapcheck.jumping.plan_player import plan_trajectory
from leapcheck.jumping.plan_robot import STANDS, PlannedRobot, planned_robot
from leapcheck.jumping.runs import Runs, estimates_of, simulate_everywhere
from leapcheck.jumping.setup import JumpSetup, jump_setup
from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.command import run_command
from leapcheck_evidence.kept_rows import kept_rows
from leapcheck_models.arrays import Floats
from leapcheck_models.plans import PLANS
from leapcheck_models.robots import load
from leapcheck_models.spec import Body, RobotSpec

FILE = "mit_plans.md"
ROBOT = "mini_cheetah"
ENGINES = ("mujoco", "spring-damper")
FRONT_JUMPS = {"mit-front-jump": 0.40, "mit-front-jump-pitchup": 0.40, "mit-front-jump-pitchup-v2": 0.45}
"""Heights (m) of the boxes that the plans mean."""

FRONTS = tuple(round(0.20 + 0.05 * k, 2) for k in range(9))
"""m, where the box begins, ahead of the trunk's origin at the start."""


@dataclass(frozen=True, slots=True)
class RobotChange:
    """What is changed of the published robot towards that of the plan, and in the settings of how the plan is played."""

    name: str
    hips: bool = False
    shank: bool = False
    mass: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


PUBLISHED = RobotChange("as published")
OWN = RobotChange("hips, shank and mass", hips=True, shank=True, mass=True)
CHANGES = (
    PUBLISHED,
    RobotChange("hips 0.27 m apart", hips=True),
    RobotChange("shank 0.175 m", shank=True),
    RobotChange("the plan's mass", mass=True),
    RobotChange("torques x1.0", settings={"factor": 1.0}),
    OWN,
    replace(OWN, name="hips, shank and mass; torques x1.0", settings={"factor": 1.0}),
    replace(OWN, name="the same, not sunk before", settings={"factor": 1.0, "prepare": 0.0}),
)


def robot_with(spec: RobotSpec, plan: PlannedRobot, change: RobotChange) -> RobotSpec:
    """The robot with the plan's lengths or mass, where the change says so: the trunk takes up the mass."""
    spread = plan.lengths[0] / plan.own_lengths[0] if change.hips else 1.0
    trunk, *links = spec.bodies
    heavier = replace(trunk.inertia, mass=trunk.inertia.mass + (plan.mass - plan.own_mass if change.mass else 0.0))

    def at_its_hip(body: Body) -> Body:
        if body.parent != trunk.name:
            return body
        x, y, z = body.placement.p
        return replace(body, placement=replace(body.placement, p=(spread * x, y, z)))

    shorter = plan.own_lengths[2] - plan.lengths[2] if change.shank else 0.0
    points = tuple(
        replace(point, position=(*point.position[:2], point.position[2] + shorter)) if point.is_foot else point
        for point in spec.contact_points
    )
    return replace(spec, bodies=(replace(trunk, inertia=heavier), *map(at_its_hip, links)), contact_points=points)


def runs_of(name: str, change: RobotChange, box: str | None) -> tuple[JumpSetup, Runs, PlanFile]:
    """A plan played on the changed robot, on level ground or onto a box, in each simulator at one step."""
    published = load(ROBOT)
    plan = read_plan(name, published)
    meant = planned_robot(published, plan)
    assert meant is not None
    spec = robot_with(published, meant, change)
    options = JumpOptions(plan=name, box=(box,) if box else (), engines=ENGINES, levels=1)
    plan = replace(plan, settings=replace(plan.settings, **change.settings))
    act = replace(file_act(spec, name, None), policy=plan_trajectory(plan))
    setup = jump_setup(spec, options)
    setup = replace(setup, act=act_on_ground(spec, act, setup.ground.terrain))
    return setup, simulate_everywhere(setup), plan


def flight_row(name: str, change: RobotChange) -> dict[str, Any]:
    """The trunk over level ground less the planned one, in each simulator, at the planned take-off and touch-down."""
    _, (logs, failures), plan = runs_of(name, change, None)
    assert plan.motion is not None
    moments = int(np.flatnonzero(plan.motion.rear > STANDS)[-1]), len(plan.time) - 1
    row: dict[str, Any] = {"plan": name, "change": change.name, "failures": dict(failures), "off": {}}
    for engine, runs in logs.items():
        log = runs[-1]
        here = [int(np.searchsorted(log.time, plan.settings.prepare + plan.time[moment])) for moment in moments]
        row["off"][engine] = [_off(log.q[: k + 1], plan.motion, moment + 1) for k, moment in zip(here, moments, strict=True)]
    return row


def _off(q: Floats, motion: PlannedMotion, rows: int) -> list[float]:
    """(pitch deg, x m, z m) by which the trunk's way over configurations (n, nq) differs from that over the plan's first rows."""
    w, x, y, z = q[:, 3:7].T
    pitch = np.unwrap(np.arctan2(2.0 * (w * y + x * z), 1.0 - 2.0 * (x * x + y * y)))
    ways = pitch, q[:, 0], q[:, 2]
    planned = (part[:rows] for part in (motion.pitch, motion.x, motion.z))
    off = [float((way[-1] - way[0]) - (plan[-1] - plan[0])) for way, plan in zip(ways, planned, strict=True)]
    return [degrees(off[0]), *off[1:]]


def box_row(name: str, change: RobotChange, front: float) -> dict[str, Any]:
    """Whether the jump stands on a box that begins at `front` m, in each simulator, and if not, why."""
    setup, (logs, failures), _ = runs_of(name, change, f"{FRONT_JUMPS[name]},{front}")
    row: dict[str, Any] = {"plan": name, "change": change.name, "front": front, "ends": dict(failures)}
    for engine, runs in logs.items():
        alone = {engine: runs}
        judged = judge_first_runs(estimates_of(setup, alone), alone, setup.thresholds)
        row["ends"][engine] = judged.reasons[0].text if judged.verdict is JumpVerdict.NO_GO else "stands"
    return row


def trials() -> dict[str, Callable[[], dict[str, Any]]]:
    """All rows by their labels."""
    flights = {f"{name}, {change.name}": partial(flight_row, name, change) for name in PLANS for change in CHANGES}
    boxes = {
        f"{name}, {change.name}, box {front}": partial(box_row, name, change, front)
        for name in FRONT_JUMPS
        for change in (PUBLISHED, OWN)
        for front in FRONTS
    }
    kept = {**flights, **boxes}
    return {label: partial(_labelled, label, run) for label, run in kept.items()}


def _labelled(label: str, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    return {"label": label, **run()}


PAGE = """\
# MIT's plans and the robot that they were made for

Written by `python -m leapcheck_evidence.mit_plans`: {robot} in {engines}, steps of 1 ms. Nothing is tuned.

## The plans' own robot

Lengths with which the standing feet of a plan stay in place, by least squares over all moments, and the mass that its forces
carry (`leapcheck.jumping.plan_robot`); in brackets those of the robot as published.

| plan | hips apart m | thigh m | shank m | mass kg | feet move here m | on the plan's robot m |
|---|---|---|---|---|---|---|
{robots}

## Where the trunk is at the planned take-off and touch-down, less where it is to be

Over level ground; pitch (deg, nose down positive), forward and up (m), in {engines}. Torques are played x1.2 as MIT's controllers
do, and the first pose is held before without torques, in which the robot sinks, but where the table says otherwise.

| plan | robot, and how it is played | take-off: pitch deg | forward m | up m | touch-down: pitch deg | forward m | up m |
|---|---|---|---|---|---|---|---|
{flights}

## The box

Front of the box swept from {first:.2f} to {last:.2f} m: {stands} of {count} jumps stand on it.

| plan | robot | fronts at which it stands m | else mostly |
|---|---|---|---|
{boxes}
"""


def page(rows: Iterable[Mapping[str, Any]]) -> str:
    """The tables in Markdown."""
    flights, boxes = [row for row in rows if "off" in row], [row for row in rows if "ends" in row]
    stands = sum(end == "stands" for row in boxes for end in row["ends"].values())
    return PAGE.format(
        robot=ROBOT,
        engines=" / ".join(ENGINES),
        robots="\n".join(map(_robot_line, PLANS)),
        flights="\n".join(map(_flight_line, flights)),
        first=FRONTS[0],
        last=FRONTS[-1],
        stands=stands,
        count=sum(len(row["ends"]) for row in boxes),
        boxes="\n".join(_box_lines(boxes)),
    )


def _robot_line(name: str) -> str:
    spec = load(ROBOT)
    robot = planned_robot(spec, read_plan(name, spec))
    assert robot is not None
    pairs = [f"{plan:.3f} ({own:.3f})" for plan, own in zip(robot.lengths, robot.own_lengths, strict=True)]
    return f"| {name} | {' | '.join(pairs)} | {robot.mass:.2f} ({robot.own_mass:.2f}) | {robot.drift:.3f} | {robot.rest:.4f} |"


def _flight_line(row: Mapping[str, Any]) -> str:
    off = [row["off"].get(engine) for engine in ENGINES]
    cells = [
        " / ".join("failed" if one is None else f"{one[moment][k]:+.{digits}f}" for one in off)
        for moment in range(2)
        for k, digits in enumerate((0, 2, 2))
    ]
    return f"| {row['plan']} | {row['change']} | {' | '.join(cells)} |"


def _box_lines(boxes: list[Mapping[str, Any]]) -> list[str]:
    lines = []
    for name in FRONT_JUMPS:
        for change in (PUBLISHED, OWN):
            of = [row for row in boxes if (row["plan"], row["change"]) == (name, change.name)]
            good = [f"{row['front']:.2f} ({engine})" for row in of for engine, end in row["ends"].items() if end == "stands"]
            ends = [end.split(": ")[-1] for row in of for end in row["ends"].values() if end != "stands"]
            most = max(set(ends), key=ends.count) if ends else "-"
            lines.append(f"| {name} | {change.name} | {', '.join(good) or 'none'} | {most} |")
    return lines


@dataclass(frozen=True)
class MitPlans:
    """Play MIT's plans on the published robot, and on that which they were made for."""

    out: Path = Path("reports")
    """Folder of mit_plans.md."""
    rows: Path = Path("runs/mit_plans.jsonl")
    """File of the rows made so far; those that are there are not made again."""

    def run(self) -> int:
        """Makes the missing rows, then writes the page."""
        self.rows.parent.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        write_whole(self.out / FILE, page(kept_rows(trials(), self.rows, True)).encode())
        return 0


if __name__ == "__main__":
    sys.exit(run_command(MitPlans, "mit_plans"))
