"""Logs of jumps in files: Parquet, which is read back bit for bit, and MCAP for robotics viewers (an extra)."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from leapcheck.simulators.log import JumpLog
from leapcheck.system.strict_json import dumps_line, loads
from leapcheck.system.whole_file import write_whole
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "leapcheck jump log 1"
METADATA = b"leapcheck"
WORDS = ("simulator", "robot", "dt", "points", "actuators", "stopped")
"""Fields of a log that stand in the file's metadata."""


def log_frame(spec: RobotSpec, log: JumpLog) -> pd.DataFrame:
    """One row per state: `time` s, base and joint coordinates, then what acted in the step after it (NaN in the last row).

    Columns: `base_x` to `base_qz`, `base_wx` to `base_vz` (canonical: base axes), `q_JOINT`, `qd_JOINT`, and for each actuator
    `desired_`, `torque_`, `current_`, `voltage_` (NaN for a drive without motor data); `battery_voltage`,
    `battery_power`; `force_POINT_x` to `_z`; `stop_DOF`.
    """
    import pandas as pd  # here: a third of all that is imported, which a report does without

    return pd.DataFrame(_log_columns(spec, log))


def _log_columns(spec: RobotSpec, log: JumpLog) -> dict[str, Floats]:
    """Columns (states,) by name; see `log_frame`."""
    columns: dict[str, Floats] = {}
    for field, names in _columns(spec, log.points, log.actuators).items():
        rows = getattr(log, field)
        for name, values in zip(names, rows.reshape(len(rows), math.prod(rows.shape[1:])).T, strict=True):
            columns[name] = np.append(values, np.full(len(log.time) - len(values), np.nan))
    return columns


def write_parquet(spec: RobotSpec, log: JumpLog, path: Path) -> None:
    """Writes the log, whole or not at all."""
    columns = _log_columns(spec, log)
    table = pa.Table.from_arrays([_doubles(values) for values in columns.values()], names=list(columns))
    words = {"format": FORMAT} | {name: getattr(log, name) for name in WORDS}
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), METADATA: dumps_line(words).encode()})
    content = io.BytesIO()
    pq.write_table(table, content, use_dictionary=False)  # hardly a number comes twice: half the time, and smaller files
    write_whole(path, content.getvalue())


def _doubles(values: Floats) -> pa.Array:
    """The numbers as Parquet's doubles, NaN as null: out of the buffers, since any other way imports pandas."""
    there = ~np.isnan(values)
    validity = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
    return pa.Array.from_buffers(pa.float64(), len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])


def read_parquet(spec: RobotSpec, path: Path) -> JumpLog:
    """The log in a file that `write_parquet` wrote, bit for bit; ValueError for another file or another robot's."""
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"file '{path}' is no Parquet file: {str(error).splitlines()[0]}: give a log that leapcheck wrote"
        ) from None
    words = loads((table.schema.metadata or {}).get(METADATA, b"{}"))
    if words.pop("format", None) != FORMAT:
        raise ValueError(f"file '{path}' is no log of a jump: give one that leapcheck wrote")
    if words["robot"] != spec.name:
        raise ValueError(f"file '{path}' is a log of robot '{words['robot']}': give one of '{spec.name}'")
    words |= {name: tuple(words[name]) for name in ("points", "actuators")}
    frame = table.to_pandas()
    shapes = {"time": (), "battery_voltage": (), "battery_power": (), "forces": (len(words["points"]), 3)}
    arrays = {}
    for field, names in _columns(spec, words["points"], words["actuators"]).items():
        states = len(frame) if field in ("time", "q", "v") else len(frame) - 1
        rows = frame[names].to_numpy(dtype=float)[:states].copy()
        arrays[field] = rows.reshape(states, *shapes.get(field, rows.shape[1:]))
    return JumpLog(**words, **arrays)


def write_mcap(spec: RobotSpec, log: JumpLog, path: Path) -> None:
    """Writes the log as MCAP with JSON messages on /joint_states, /base, /contacts and /battery.

    Raises ImportError with the remedy where the package is missing.
    """
    try:
        from mcap.writer import Writer
    except ModuleNotFoundError as error:
        raise ImportError("MCAP needs the package 'mcap': pip install 'leapcheck[mcap]'") from error
    content = io.BytesIO()
    writer = Writer(content)
    writer.start(profile="", library="leapcheck")
    channels = {}
    for topic in ("/joint_states", "/base", "/contacts", "/battery"):
        schema = writer.register_schema(name=topic.strip("/"), encoding="jsonschema", data=b'{"type": "object"}')
        channels[topic] = writer.register_channel(topic=topic, message_encoding="json", schema_id=schema)
    for k, time in enumerate(log.time):
        stamp = round(time * 1e9)  # nanoseconds
        for topic, message in _messages(spec, log, k).items():
            writer.add_message(channels[topic], log_time=stamp, publish_time=stamp, data=dumps_line(message).encode())
    writer.add_metadata("leapcheck", {"robot": log.robot, "simulator": log.simulator, "stopped": log.stopped})
    writer.finish()  # type: ignore[no-untyped-call]
    write_whole(path, content.getvalue())


def _messages(spec: RobotSpec, log: JumpLog, k: int) -> dict[str, dict[str, Any]]:
    """The messages of one moment; what acts in a step stands with the state before it."""
    q_names, v_names = _coordinates(spec)
    joints = {name.removeprefix("q_"): float(x) for name, x in zip(q_names, log.q[k], strict=True) if name.startswith("q_")}
    speeds = [float(x) for name, x in zip(v_names, log.v[k], strict=True) if name.startswith("qd_")]
    base = {name: float(x) for name, x in zip([*q_names, *v_names], [*log.q[k], *log.v[k]], strict=True) if name[:4] == "base"}
    stamp = {"time": float(log.time[k])}
    messages: dict[str, dict[str, Any]] = {
        "/joint_states": {**stamp, "name": list(joints), "position": list(joints.values()), "velocity": speeds}
    }
    if base:
        messages["/base"] = {**stamp, **base}
    if k < log.steps:
        torques = dict(zip(log.actuators, log.torque[k].tolist(), strict=True))
        messages["/joint_states"]["torque"] = torques
        messages["/contacts"] = {**stamp, **dict(zip(log.points, log.forces[k].tolist(), strict=True))}
        if not math.isnan(log.battery_voltage[k]):  # NaN: no drive draws on a battery
            messages["/battery"] = {**stamp, "voltage": float(log.battery_voltage[k]), "power": float(log.battery_power[k])}
    return messages


def _columns(spec: RobotSpec, points: tuple[str, ...], actuators: tuple[str, ...]) -> dict[str, list[str]]:
    """Names of the columns that hold each array of a log."""
    q_names, v_names = _coordinates(spec)
    return {
        "time": ["time"],
        "q": q_names,
        "v": v_names,
        **{kind: [f"{kind}_{name}" for name in actuators] for kind in ("desired", "torque", "current", "voltage")},
        "battery_voltage": ["battery_voltage"],
        "battery_power": ["battery_power"],
        "forces": [f"force_{point}_{axis}" for point in points for axis in "xyz"],
        "limit_torques": [f"stop_{name}" for name in v_names],
    }


def _coordinates(spec: RobotSpec) -> tuple[list[str], list[str]]:
    """Names of the entries of q and of v."""
    q: list[str] = []
    v: list[str] = []
    for joint in (body.joint for body in spec.bodies):
        if joint.type is JointType.FREE:
            q += [f"base_{name}" for name in ("x", "y", "z", "qw", "qx", "qy", "qz")]
            v += [f"base_{name}" for name in ("wx", "wy", "wz", "vx", "vy", "vz")]
        elif joint.type is JointType.BALL:
            q += [f"q_{joint.name}_{name}" for name in "wxyz"]
            v += [f"qd_{joint.name}_{name}" for name in "xyz"]
        elif joint.type is not JointType.FIXED:
            q.append(f"q_{joint.name}")
            v.append(f"qd_{joint.name}")
    return q, v
