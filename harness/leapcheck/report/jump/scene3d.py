"""scene3d.html: a jump in 3D on one page, from the disk, without a network: the robot's shapes, poses and contact forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.report.chart import ChartPhase
from leapcheck.report.page import page
from leapcheck.simulators.log import JumpLog
from leapcheck.system.strict_json import dumps_line
from leapcheck.system.text import printable
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec, Shape
from leapcheck_reference import com_position, contact_positions
from leapcheck_reference.kinematics import frames
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.simulate.terrain import LEVEL, Terrain
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import Tree, build

if TYPE_CHECKING:
    from leapcheck.jumping.planning.records import JumpPlan

RATE = 60.0
"""Pictures per second of the jump."""

LENGTH_STEP, QUATERNION_STEP, FORCE_STEP = 1e-4, 1e-4, 0.1
"""The page holds whole numbers of these: m, 1, N."""

SEEN, WIDE = 3.0, 0.5  # m: boxes are drawn so far ahead and behind, and so far to either side
STICK = 0.008  # m, radius of the stick of a link without shapes
LARGEST_COORDINATE = 1e3  # m: beyond it a run has diverged and its pictures end


def scene_page(
    spec: RobotSpec,
    logs: Mapping[str, JumpLog],
    phases: tuple[ChartPhase, ...] = (),
    title: str = "",
    terrain: Terrain = LEVEL,
    plan: JumpPlan | None = None,
) -> str:
    """The page with one run per name in `logs`, to choose from, and the `plan` as a ghost; everything escaped, deterministic.

    Its Content-Security-Policy allows its own script and style sheet, by their hashes, and nothing else. Raises ValueError
    where there is no run with a state that can be shown.
    """
    logs = drawable_logs(logs)
    if not logs:
        raise ValueError(f"'{spec.name}': no run to show in 3D: simulate one first")
    ghost = None if plan is None or terrain.slope else plan_data(spec, plan)
    data = dumps_line(scene_data(spec, logs, phases) | {"ground": ground_data(terrain), "plan": ghost}, (",", ":"))
    context = {
        "title": title or f"Jump of {spec.name}",
        "robot": spec.name,
        "data": data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
    }
    return page("scene3d.html.j2", {}, context, ("scene3d.css",), ("scene3d.js",))


def drawable_logs(logs: Mapping[str, JumpLog]) -> dict[str, JumpLog]:
    """Those that have a state to show."""
    return {name: log for name, log in logs.items() if len(picture_places(log))}


def scene_data(spec: RobotSpec, logs: Mapping[str, JumpLog], phases: tuple[ChartPhase, ...] = ()) -> dict[str, Any]:
    """The data of the page's script: bodies with shapes, phases, and the pictures of each run."""
    tree = build(spec)
    names = {point.name: point for point in spec.contact_points}
    return {
        "bodies": [{"name": printable(body.name), "shapes": body_shapes(spec, body.name)} for body in spec.bodies],
        "phases": [{"name": printable(phase.name), "start": phase.start, "end": phase.end} for phase in phases],
        "weight": float(spec.total_mass * np.linalg.norm(spec.gravity)),
        "units": {"length": LENGTH_STEP, "quaternion": QUATERNION_STEP, "force": FORCE_STEP},
        "runs": [_run(tree, name, log) for name, log in logs.items()],
        "feet": [bool(names[point.name].is_foot) for point in tree.points],
    }


def plan_data(spec: RobotSpec, plan: JumpPlan) -> dict[str, Any]:
    """The pictures of a plan, without forces: where the robot is to be, after touch-down where the legs aim at."""
    time = np.linspace(0.0, plan.duration, max(round(plan.duration * RATE), 1) + 1)
    places = np.clip(np.searchsorted(plan.times, time, side="right") - 1, 0, len(plan.times) - 1)
    return {"name": "plan"} | _pictures(build(spec), time, plan.q[places])


def ground_data(terrain: Terrain) -> dict[str, Any]:
    """The ground's slope (rad), floor (m) and boxes in its axes, these no wider and longer than is seen well."""
    boxes = []
    for box in terrain.boxes:
        (x, _, z), (a, b, c) = box.centre, box.half
        first, last = max(x - a, -SEEN), min(x + a, SEEN)
        size = [last - first, 2.0 * min(b, WIDE), 2.0 * c]
        boxes.append({"size": size, "p": [(first + last) / 2.0, 0.0, z]})
    return {"slope": terrain.slope, "floor": terrain.floor, "boxes": boxes}


def picture_places(log: JumpLog, rate: float = RATE) -> NDArray[np.intp]:
    """Places in `log.time` of the states to show: `rate` a second, the first and the last; up to the first broken one."""
    sound = np.isfinite(log.q).all(1) & (np.abs(np.nan_to_num(log.q)).max(1, initial=0.0) < LARGEST_COORDINATE)
    states = len(sound) if sound.all() else int(np.argmin(sound))
    if not states:
        return np.zeros(0, dtype=np.intp)
    last = log.time[states - 1]
    wanted = np.linspace(0.0, last, max(round(last * rate), 1) + 1)
    return np.unique(np.clip(np.searchsorted(log.time, wanted - 1e-9), 0, states - 1))


def _run(tree: Tree, name: str, log: JumpLog) -> dict[str, Any]:
    """Poses of all bodies, contact points, forces and com of one run at its pictures, as whole numbers."""
    places = picture_places(log)
    words = {"name": printable(name), "stopped": printable(log.stopped)}
    pictures = _pictures(tree, log.time[places], log.q[places])
    return words | pictures | {"forces": _whole(mean_forces(log, places) / FORCE_STEP)}


def _pictures(tree: Tree, time: Floats, q: Floats) -> dict[str, Any]:
    """Poses of all bodies, contact points and com at the states q (pictures, nq), as whole numbers."""
    placed = placements(tree)({"q": np.stack([_unit(tree, row) for row in q])})
    poses = [placed["origins"] / LENGTH_STEP, quaternions(placed["rotations"]) / QUATERNION_STEP]
    return {
        "time": [round(float(t), 6) for t in time],
        "poses": _whole(np.concatenate(poses, axis=-1)),
        "points": _whole(placed["points"] / LENGTH_STEP),
        "com": _whole(placed["com"] / LENGTH_STEP),
    }


def quaternions(R: Floats) -> Floats:
    """Unit quaternions wxyz (..., 4) of rotation matrices (..., 3, 3).

    By the largest of w^2, x^2, y^2, z^2: Markley, Journal of Guidance, Control, and Dynamics 31 (2008).
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(R, (-2, -1), (0, 1))
    rows = [
        [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx],
        [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
        [yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz],
    ]
    candidates = np.moveaxis(np.array(rows), (0, 1), (-2, -1))  # each is the quaternion times 4 of its own entries
    largest = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    chosen = np.take_along_axis(candidates, largest[..., None, None], axis=-2)[..., 0, :]
    unit: Floats = chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)
    return unit


def placements(tree: Tree) -> Program:
    """Where everything is at states q (n, nq): rotations and origins of the links, contact points and com, world axes."""

    def graph() -> Graph:
        recorder, constants = Recorder(float), as_objects(tree)
        q = recorder.input("q", tree.nq)
        placed = frames(constants, q)
        return recorder.graph(
            {
                "rotations": np.stack([X.R for X in placed.X_W]),
                "origins": np.stack([placed.position(i) for i in range(len(tree.links))]),
                "points": contact_positions(constants, q),
                "com": com_position(constants, q),
            }
        )

    return program(b"placements " + key_of(tree), graph, compile_code=False)


def mean_forces(log: JumpLog, places: NDArray[np.intp]) -> Floats:
    """Contact forces (pictures, points, 3) N: the mean over the steps from each picture to the next, so no impulse is lost."""
    forces = np.nan_to_num(log.forces, nan=0.0, posinf=0.0, neginf=0.0)
    means = np.zeros((len(places), *forces.shape[1:]))
    for k, (first, end) in enumerate(zip(places.tolist(), [*places[1:].tolist(), log.steps], strict=True)):
        if first < log.steps:
            means[k] = forces[first : max(end, first + 1)].mean(0)
    return means


def _unit(tree: Tree, q: Floats) -> Floats:
    """q with a base quaternion of norm one: a foreign engine's may be a little off."""
    if tree.links[0].q.stop - tree.links[0].q.start != 7:
        return q
    unit = q.copy()
    unit[3:7] /= np.linalg.norm(unit[3:7]) or 1.0
    return unit


def _whole(values: Floats) -> list[list[int]]:
    """Each picture's numbers, flat and rounded."""
    rows: list[list[int]] = np.rint(values).astype(np.int64).reshape(len(values), -1).tolist()
    return rows


def body_shapes(spec: RobotSpec, body: str) -> list[dict[str, Any]]:
    """The shapes of a body in its own axes: its own, or sticks to what hangs on it; and a ball at each round contact point."""
    own = next(b for b in spec.bodies if b.name == body)
    shapes = [_shape(shape, "body" if shape.kind == "box" else "leg") for shape in own.shapes]
    if not shapes:
        ends = [b.placement.p for b in spec.bodies if b.parent == body]
        ends += [p.position for p in spec.contact_points if p.body == body and p.computed]
        shapes = [_stick(np.array(end)) for end in ends if np.linalg.norm(end) > 2 * STICK]
    for point in spec.contact_points:
        if point.body == body and point.radius > 0:
            shapes.append(
                {"kind": "sphere", "size": [point.radius], "p": list(point.position), "q": [1, 0, 0, 0], "tone": "foot"}
            )
    return shapes


def _shape(shape: Shape, tone: str) -> dict[str, Any]:
    place = shape.placement
    return {"kind": shape.kind, "size": list(shape.size), "p": list(place.p), "q": list(place.quaternion), "tone": tone}


def _stick(end: Floats) -> dict[str, Any]:
    """A capsule from the body's origin to a point: z turned onto the point's direction."""
    length = float(np.linalg.norm(end))
    x, y, z = end / length
    quaternion = np.array([1.0 + z, -y, x, 0.0]) if z > -1.0 else np.array([0.0, 0.0, 1.0, 0.0])
    quaternion /= np.linalg.norm(quaternion)
    return {"kind": "capsule", "size": [STICK, length], "p": (end / 2).tolist(), "q": quaternion.tolist(), "tone": "leg"}
