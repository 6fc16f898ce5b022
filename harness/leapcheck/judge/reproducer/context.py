"""What the templates of reproducers read: plain numbers, texts and flags."""

from __future__ import annotations

import re
from typing import Any

from leapcheck.judge.reproducer.known import KnownEngine
from leapcheck.judge.reproducer.literals import json_text, plain
from leapcheck.judge.reproducer.tables import (
    Robot,
    body_rows,
    inertia_rows,
    link_rows,
    point_rows,
    robot,
    short_mjcf,
    short_urdf,
    spec_record,
)
from leapcheck.judge.shrinking.entries import nonzero
from leapcheck.judge.shrinking.shrink import SmallestCase
from leapcheck.judge.truth import BITS, truth
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType
from leapcheck_models.urdf import urdf_obstacles

WITHOUT_RATE = ("contact_velocities", "kinetic_energy")
"""Quantities that depend on the velocity, but not on its rate."""


def context_of(engine: KnownEngine, shrunk: SmallestCase, quantity: str, command: str) -> dict[str, Any]:
    """What every template reads, and what this engine's template reads."""
    state, known, engine_robot = shrunk.state, QUANTITIES[quantity], robot(shrunk.spec)
    parts = {"q": state.q[0], "v": state.v[0], "tau": state.tau[0]}
    common = parts | {
        "engine": engine,
        "quantity": quantity,
        "command": f"Made by: {command}",
        "title": f"{known.label} of {engine.name} is off by {shrunk.error:.3g}, rounding explains {shrunk.allowed:.2g}.",
        "state": _state_words(shrunk),
        "scale": known.scale.name,
        "scale_words": "the largest true entry" if known.scale is Scale.LARGEST else known.scale.value,
        "right": truth(shrunk.spec, quantity, **parts),
        "allowed": shrunk.allowed,
        "bits": BITS,
        "arguments": known.arguments,
        "uses_v": "v" in known.arguments,
        "at_points": quantity.startswith("contact_"),
        "robot": engine_robot,
        "base_q_words": "position, quaternion wxyz, " if engine_robot.is_free else "",
        "base_words": "angular and linear velocity of the base in its own axes, " if engine_robot.is_free else "",
    }
    if engine.package == "mujoco":
        return common | _mujoco(engine, engine_robot, parts["q"], quantity)
    if engine.package == "pinocchio":
        return common | _pinocchio(engine, engine_robot, parts["q"], quantity)
    return common | {"robot_json": json_text(spec_record(shrunk.spec)) + "\n"}


def function_name(engine: KnownEngine, quantity: str) -> str:
    """Name of the test's function, without its test_."""
    return re.sub(r"\W+", "_", f"{quantity}_of_{engine.name}", flags=re.ASCII).strip("_")


def _needs(engine_robot: Robot, quantity: str, rate: bool) -> dict[str, bool]:
    """Which of the engine's own numbers the canonical answer is made of; `rate`: T changes with the state."""
    storage = QUANTITIES[quantity].in_mujoco_coordinates
    return {
        "rate": rate,
        "needs_T": not storage and quantity not in ("contact_positions", "potential_energy"),
        "needs_M": quantity in ("mass_matrix", "contact_inertia")
        or (rate and quantity in ("bias_force", "coriolis_force"))
        or (quantity == "forward_dynamics" and not engine_robot.is_square),
        "needs_J": quantity in ("contact_jacobians", "contact_inertia") or (rate and quantity == "contact_bias_accelerations"),
    }


def _mujoco(engine: KnownEngine, engine_robot: Robot, q: Floats, quantity: str) -> dict[str, Any]:
    spec, full, urdf = engine_robot.spec, engine_robot.full, engine.file == "urdf"
    rate = engine_robot.is_free and "v" in QUANTITIES[quantity].arguments and quantity not in WITHOUT_RATE
    own = short_urdf(spec) if urdf else short_mjcf(spec, full, with_common_root=False)
    return _needs(engine_robot, quantity, rate) | {
        "urdf": urdf,
        "model": engine.model or own,
        "exact": [] if engine.model else inertia_rows(full, but_plain=not urdf),
        "armatures": engine_robot.armatures if urdf and not engine.model else [],
        "links": link_rows(spec, q, scalar_last=False),
        "bodies": [body.name for body in full.bodies],
        "free_joints": [(b.name, b.joint.name) for b in spec.bodies if b.joint.type is JointType.FREE],
        "points": point_rows(spec),
        "added_points": urdf or bool(engine.model),
    }


def _pinocchio(engine: KnownEngine, engine_robot: Robot, q: Floats, quantity: str) -> dict[str, Any]:
    spec, full = engine_robot.spec, engine_robot.full
    route = engine.file or ("api" if urdf_obstacles(spec) else "urdf")
    text = engine.model
    if not text and route != "api":
        text = short_urdf(spec) if route == "urdf" else short_mjcf(spec, full, with_common_root=True)
    inexact = route == "api" or (route == "mjcf" and not all(body.inertia.realisable for body in full.bodies))
    return _needs(engine_robot, quantity, rate=False) | {
        "route": route,
        "model": text,
        "exact": inertia_rows(full, but_plain=False) if inexact and not engine.model else [],
        "armatures": [] if engine.model else engine_robot.armatures,
        "gravity": () if engine.model else tuple(map(float, spec.gravity)),
        "links": link_rows(spec, q, scalar_last=True),
        "points": point_rows(spec),
        "bodies": body_rows(full),
    }


def _state_words(shrunk: SmallestCase) -> str:
    entries = nonzero(shrunk.spec, shrunk.state)
    if not entries:
        return "The state: every coordinate, velocity and torque is zero."
    return plain(f"The state: zero but for {', '.join(f'{name} = {value:.6g}' for name, value in entries)}.")
