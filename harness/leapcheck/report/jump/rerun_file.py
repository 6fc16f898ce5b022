"""A jump as a recording (.rrd) for rerun's viewer: bodies, feet's forces and com of every simulator, and curves; an extra."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.simulation import driven_places
from leapcheck.report.jump.scene3d import body_shapes, ground_data, placements, quaternions
from leapcheck.simulators.log import JumpLog
from leapcheck.system.whole_file import write_whole
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.rotation import quaternion_rotation
from leapcheck_reference.simulate.terrain import LEVEL, Terrain
from leapcheck_reference.tree import build

if TYPE_CHECKING:
    from leapcheck.jumping.study import JumpStudy

SPACING = 1e-3
"""Time (s) between rows at least: finer steps are left out."""

NEWTON = 5e-3
"""Length (m) of the arrow of one newton."""

FORCE, COM, GROUND = (194, 94, 0), (31, 95, 168), (205, 191, 166)
TONES = {"body": (79, 127, 181), "leg": (201, 206, 214), "foot": (60, 67, 76)}
"""Colours."""


def write_rerun(spec: RobotSpec, logs: Mapping[str, JumpLog], path: Path, terrain: Terrain = LEVEL) -> None:
    """Writes all logs into one recording, on the timeline `time` (s), each simulator below its own name.

    Raises ImportError with the remedy where the package is missing.
    """
    try:
        import rerun as rr
    except ModuleNotFoundError as error:
        raise ImportError("a recording for rerun needs the package 'rerun-sdk': pip install 'leapcheck[rerun]'") from error
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "jump.rrd"
        recording = rr.RecordingStream("leapcheck", recording_id=f"jump of {spec.name}")
        recording.save(file)
        recording.log("/", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        recording.log("ground", _ground(rr, terrain), static=True)
        for name, log in logs.items():
            if log.steps:
                _write_log(rr, recording, spec, name, log)
        recording.flush()
        recording.disconnect()
        write_whole(path, file.read_bytes())


def write_recording(run: JumpStudy, shown: Mapping[str, JumpLog], folder: Path) -> tuple[str, ...]:
    """Writes jump.rrd with every simulator's log and what else is `shown`; a line if it could not be made."""
    logs = {**run.logs, **{title: log for title, log in shown.items() if all(log is not own for own in run.logs.values())}}
    try:
        write_rerun(run.setup.spec, logs, folder / "jump.rrd", run.setup.ground.terrain)
    except ImportError as error:
        return (str(error),)
    return ()


def _write_log(rr: Any, recording: Any, spec: RobotSpec, name: str, log: JumpLog) -> None:
    """One simulator's run."""
    rows = np.arange(0, log.steps, max(round(SPACING / log.dt), 1))
    time = [rr.TimeColumn("time", duration=log.time[rows])]
    placed = placements(build(spec))({"q": np.ascontiguousarray(log.q[rows])})
    turns = np.roll(quaternions(placed["rotations"]), -1, axis=-1)  # rerun writes x, y, z, w
    for i, body in enumerate(spec.bodies):
        entity = _path(rr, name, "robot", body.name)
        for k, shape in enumerate(body_shapes(spec, body.name)):
            recording.log(f"{entity}/{k}", _solid(rr, shape), static=True)
        columns = rr.Transform3D.columns(translation=placed["origins"][:, i], quaternion=turns[:, i])
        recording.send_columns(entity, time, columns)
    recording.log(_path(rr, name, "com_path"), rr.LineStrips3D([placed["com"]], colors=[COM]), static=True)
    recording.send_columns(
        _path(rr, name, "com"), time, rr.Points3D.columns(positions=placed["com"], radii=np.full(len(rows), 0.015))
    )
    for i, point in enumerate(log.points):
        arrows = rr.Arrows3D.columns(origins=placed["points"][:, i], vectors=NEWTON * log.forces[rows, i])
        recording.log(_path(rr, name, "forces", point), rr.Arrows3D.from_fields(colors=[FORCE]), static=True)
        recording.send_columns(_path(rr, name, "forces", point), time, arrows)
    for words, values in _curves(spec, log, placed["com"], rows):
        recording.send_columns(_path(rr, name, "curves", *words), time, rr.Scalars.columns(scalars=values))


def _path(rr: Any, *names: str) -> str:
    """The path of an entity out of names with whatever characters."""
    return "/".join(rr.escape_entity_path_part(name) for name in names)


def _curves(spec: RobotSpec, log: JumpLog, com: Floats, rows: NDArray[np.intp]) -> Iterator[tuple[tuple[str, ...], Floats]]:
    """(names, values (rows,)) of what is drawn over time."""
    yield ("com_height",), com[:, 2]
    yield ("ground_force",), log.forces[rows, :, 2].sum(axis=1)
    speed = log.v[rows][:, driven_places(spec)[1]]
    for i, actuator in enumerate(log.actuators):
        yield ("torque", actuator), log.torque[rows, i]
        yield ("speed", actuator), speed[:, i]
    if np.isfinite(log.battery_voltage).all():
        yield ("battery_power",), log.battery_power[rows]


def _ground(rr: Any, terrain: Terrain) -> Any:
    """A plate as wide as is seen well for the floor, and the boxes, turned with the slope."""
    data = ground_data(terrain)
    boxes = [{"size": [6.0, 2.0, 0.02], "p": [0.0, 0.0, terrain.floor - 0.01]}, *data["boxes"]]
    turn = np.array([0.0, -np.sin(terrain.slope / 2), 0.0, np.cos(terrain.slope / 2)])
    return rr.Boxes3D(
        sizes=[box["size"] for box in boxes],
        centers=[terrain.R @ np.array(box["p"]) for box in boxes],
        quaternions=[turn] * len(boxes),
        colors=[GROUND] * len(boxes),
        fill_mode="solid",
    )


def _solid(rr: Any, shape: Mapping[str, Any]) -> Any:
    """A shape in its body's axes."""
    size, place, turn = shape["size"], np.array(shape["p"]), np.roll(np.array(shape["q"]), -1)
    colours, words = [TONES[shape["tone"]]], {"fill_mode": "solid"}
    if shape["kind"] == "box":
        return rr.Boxes3D(sizes=[size], centers=[place], quaternions=[turn], colors=colours, **words)
    if shape["kind"] == "sphere":
        return rr.Ellipsoids3D(half_sizes=[[size[0]] * 3], centers=[place], colors=colours, **words)
    if shape["kind"] == "cylinder":
        return rr.Cylinders3D(radii=[size[0]], lengths=[size[1]], centers=[place], quaternions=[turn], colors=colours, **words)
    end = place - quaternion_rotation(np.array(shape["q"])) @ [0.0, 0.0, size[1] / 2]  # a capsule begins at its first end
    return rr.Capsules3D(radii=[size[0]], lengths=[size[1]], translations=[end], quaternions=[turn], colors=colours, **words)
