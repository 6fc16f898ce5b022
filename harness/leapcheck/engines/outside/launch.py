"""How an engine's process is started, and how the robot is handed to it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from leapcheck.coordinates.conventions import moving_joints
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.bubblewrap import sandbox_command
from leapcheck.engines.outside.framing import PROTOCOL, Header
from leapcheck.engines.outside.process import Child
from leapcheck.engines.outside.target import EngineKind, Target, program_path
from leapcheck.quantities import CANONICAL, answer_shape, sizes
from leapcheck_models.spec import RobotSpec, as_json

HOST = "leapcheck.engines.outside.host"
"""Our own program that holds libraries and Python factories."""


def launch(target: Target, inherited: Sequence[int]) -> Child:
    """The running process of an engine; EngineError where there is no such program."""
    command, environment = _command(target), dict(os.environ)
    if target.kind is not EngineKind.PROGRAM:  # what can be imported here can be imported there
        environment["PYTHONPATH"] = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    if target.sandbox:
        command = sandbox_command(command, target.folder)
    try:
        return Child(command, target.folder, environment, inherited)
    except OSError as error:
        words = f"'{command[0]}' cannot be started: {error.strerror}: give a program that can be run"
        raise EngineError(f"engine '{target.name}': {words}") from None


def greeting(spec: RobotSpec, memory: str, version: int = PROTOCOL) -> Header:
    """The hello of a version of the protocol: sizes, joints and the whole robot, and where shared memory is to be found; from
    version 2 on also all other sizes, the frames, and the shape of each quantity.
    """
    robot = sizes(spec)
    points = [point.name for point in spec.contact_points if point.computed]
    more = {
        "links": robot.links,
        "rotors": robot.rotors,
        "constraints": robot.constraints,
        "frames": [*(body.name for body in spec.bodies), *points],
        "shapes": {name: answer_shape(name, spec) for name in CANONICAL},
    }
    return {
        "ask": "hello",
        "protocol": version,
        "nq": spec.nq,
        "nv": spec.nv,
        "points": robot.points,
        "joints": [joint.name for joint in moving_joints(spec)],
        "memory": memory,
        "robot": json.loads(as_json(spec)),
        **(more if version > 1 else {}),
    }


def _command(target: Target) -> tuple[str, ...]:
    """What is run: our own host for libraries and Python factories."""
    if target.kind is EngineKind.PROGRAM:
        program = program_path(target)
        return (shutil.which(program) or program, *target.what[1:])
    what = str(target.path) if target.kind is EngineKind.LIBRARY else target.what[0]
    return (sys.executable, "-m", HOST, target.kind, what, target.name)
