"""Logs of jumps in files: Parquet, which is read back bit for bit, and MCAP for robotics viewers (an extra)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leapcheck.jump.log import JumpLog
from leapcheck_models.spec import JointType, RobotSpec

Floats = NDArray[np.float64]

FORMAT = "leapcheck jump log 1"
METADATA = b"leapcheck"
PER_STEP = ("desired", "torque", "current", "voltage")


def log_frame(spec: RobotSpec, log: JumpLog) -> pd.DataFrame:
    """One row per state: `time` s, base and joint coordinates, then what acted in the step after it (NaN in the last row).

    Columns: `base_x` to `base_qz`, `base_wx` to `base_vz` (canonical: base axes), `q_JOINT`, `qd_JOINT`, and for each actuator
    `desired_`, `torque_`, `current_`, `voltage_`; `battery_voltage`, `battery_power`; `force_POINT_x` to `_z`; `stop_DOF`.
    """
    columns = dict(_columns(spec, log))
    return pd.DataFrame(
        {name: np.append(values, np.full(len(log.time) - len(values), np.nan)) for name, values in columns.items()}
    )


def write_parquet(spec: RobotSpec, log: JumpLog, path: Path) -> None:
    """Writes the log, whole or not at all."""
    table = pa.Table.from_pandas(log_frame(spec, log), preserve_index=False)
    words = {
        "format": FORMAT,
        "simulator": log.simulator,
        "robot": log.robot,
        "dt": log.dt,
        "points": log.points,
        "actuators": log.actuators,
        "stopped": log.stopped,
    }
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), METADATA: json.dumps(words).encode()})
    partial = path.with_name(f".{path.name}.part")
    try:
        pq.write_table(table, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_parquet(spec: RobotSpec, path: Path) -> JumpLog:
    """The log in a file that `write_parquet` wrote, bit for bit; ValueError for another file or another robot's."""
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"file '{path}' is no Parquet file: {str(error).splitlines()[0]}: give a log that leapcheck wrote"
        ) from None
    words = json.loads((table.schema.metadata or {}).get(METADATA, b"{}"))
    if words.get("format") != FORMAT:
        raise ValueError(f"file '{path}' is no log of a jump: give one that leapcheck wrote")
    if words["robot"] != spec.name:
        raise ValueError(f"file '{path}' is a log of robot '{words['robot']}': give one of '{spec.name}'")
    frame = table.to_pandas()
    n = len(frame) - 1

    def block(names: list[str], rows: int) -> Floats:
        return frame[names].to_numpy(dtype=float)[:rows].copy() if names else np.empty((rows, 0))

    per_step: dict[str, Floats] = {kind: block([f"{kind}_{name}" for name in words["actuators"]], n) for kind in PER_STEP}
    forces = block([f"force_{point}_{axis}" for point in words["points"] for axis in "xyz"], n)
    q_names, v_names = _coordinates(spec)
    return JumpLog(
        simulator=words["simulator"],
        robot=words["robot"],
        dt=words["dt"],
        points=tuple(words["points"]),
        actuators=tuple(words["actuators"]),
        time=frame["time"].to_numpy(dtype=float),
        q=block(q_names, n + 1),
        v=block(v_names, n + 1),
        **per_step,
        battery_voltage=block(["battery_voltage"], n)[:, 0],
        battery_power=block(["battery_power"], n)[:, 0],
        forces=forces.reshape(n, len(words["points"]), 3),
        limit_torques=block([f"stop_{name}" for name in v_names], n),
        stopped=words["stopped"],
    )


def write_mcap(spec: RobotSpec, log: JumpLog, path: Path) -> None:
    """Writes the log as MCAP with JSON messages on /joint_states, /base, /contacts and /battery.

    Raises ImportError with the remedy where the package is missing.
    """
    try:
        from mcap.writer import Writer
    except ModuleNotFoundError as error:
        raise ImportError("MCAP needs the package 'mcap': pip install 'leapcheck[mcap]'") from error
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("wb") as stream:
            writer = Writer(stream)
            writer.start(profile="", library="leapcheck")
            channels = {topic: _channel(writer, topic) for topic in ("/joint_states", "/base", "/contacts", "/battery")}
            for k, time in enumerate(log.time):
                at = round(time * 1e9)
                for topic, message in _messages(spec, log, k).items():
                    writer.add_message(channels[topic], log_time=at, publish_time=at, data=json.dumps(message).encode())
            writer.add_metadata("leapcheck", {"robot": log.robot, "simulator": log.simulator, "stopped": log.stopped})
            writer.finish()  # type: ignore[no-untyped-call]
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _channel(writer: Any, topic: str) -> int:
    schema = writer.register_schema(name=topic.strip("/"), encoding="jsonschema", data=b'{"type": "object"}')
    channel: int = writer.register_channel(topic=topic, message_encoding="json", schema_id=schema)
    return channel


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
        messages["/battery"] = {**stamp, "voltage": float(log.battery_voltage[k]), "power": float(log.battery_power[k])}
    return messages


def _columns(spec: RobotSpec, log: JumpLog) -> Iterator[tuple[str, Floats]]:
    q_names, v_names = _coordinates(spec)
    yield "time", log.time
    yield from zip(q_names, log.q.T, strict=True)
    yield from zip(v_names, log.v.T, strict=True)
    for kind in PER_STEP:
        yield from zip([f"{kind}_{name}" for name in log.actuators], getattr(log, kind).T, strict=True)
    yield "battery_voltage", log.battery_voltage
    yield "battery_power", log.battery_power
    for i, point in enumerate(log.points):
        yield from ((f"force_{point}_{axis}", log.forces[:, i, j]) for j, axis in enumerate("xyz"))
    yield from zip([f"stop_{name}" for name in v_names], log.limit_torques.T, strict=True)


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
