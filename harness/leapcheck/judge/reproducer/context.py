"""What the templates of reproducers read: plain numbers, texts and flags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from leapcheck.coordinates.conventions import moving_joints
from leapcheck.entries import entry_name
from leapcheck.judge.reproducer.known import KnownEngine
from leapcheck.judge.reproducer.literals import plain
from leapcheck.judge.reproducer.tables import (
    Robot,
    body_rows,
    inertia_rows,
    link_rows,
    point_rows,
    robot,
    robot_record,
    short_mjcf,
    short_urdf,
)
from leapcheck.judge.reproducer.users import OwnEngine, own_context
from leapcheck.judge.shrinking.entries import nonzero
from leapcheck.judge.shrinking.shrink import SmallestCase
from leapcheck.judge.truth import BITS, truth
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import STATE_PARTS
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType
from leapcheck_models.urdf import urdf_obstacles

WITHOUT_RATE = ("contact_velocities", "kinetic_energy")
"""Quantities that depend on the velocity, but not on its rate."""


def context_of(engine: KnownEngine | OwnEngine, shrunk: SmallestCase, quantity: str, command: str, cause: str) -> dict[str, Any]:
    """What every template reads, and what this engine's template reads."""
    state, known, engine_robot = shrunk.state, QUANTITIES[quantity], robot(shrunk.spec)
    parts = {part: getattr(state, part)[0] for part in STATE_PARTS}
    right = truth(shrunk.spec, quantity, **parts)
    scale = "the largest true entry" if known.scale is Scale.LARGEST else known.scale.value
    common = parts | {
        "engine": engine,
        "quantity": quantity,
        "command": f"Made by: {command}",
        "title": f"{known.label[:1].upper()}{known.label[1:]} of {engine.name} is off by {shrunk.error:.3g} of {scale}.",
        "paragraphs": list(_paragraphs(shrunk, quantity, right, cause)),
        "requirements": "numpy",
        "state": _state_words(shrunk),
        "scale": known.scale.name,
        "scale_words": scale,
        "right": right,
        "allowed": shrunk.allowed,
        "single": "",
        "bits": BITS,
        "arguments": known.arguments,
        "uses_v": "v" in known.arguments,
        "at_points": quantity.startswith("contact_"),
        "robot": engine_robot,
        "base_words": "angular and linear velocity of the base in its own axes, " if engine_robot.is_free else "",
        "layout": _layout(engine_robot),
    }
    if isinstance(engine, KnownEngine) and engine.package == "mujoco":
        return common | {"requirements": f"numpy {engine.requirement}"} | _mujoco(engine, engine_robot, parts["q"], quantity)
    if isinstance(engine, KnownEngine) and engine.package == "pinocchio":
        return common | {"requirements": f"numpy {engine.requirement}"} | _pinocchio(engine, engine_robot, parts["q"], quantity)
    record = {"robot_record": robot_record(shrunk.spec)}
    return common | record | (own_context(engine, shrunk, quantity) if isinstance(engine, OwnEngine) else {})


def function_name(engine: KnownEngine | OwnEngine, quantity: str) -> str:
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


def _paragraphs(shrunk: SmallestCase, quantity: str, right: Floats, cause: str) -> Iterator[str]:
    """What a stranger asks next: the worst entry and its true value, why, and how small the case is."""
    if shrunk.answer is not None and shrunk.answer.shape == right.shape:
        off = np.abs(scale_free(shrunk.answer - right, scales(quantity, right[None])[0]))
        place = tuple(int(i) for i in np.unravel_index(int(np.nan_to_num(off, nan=np.inf).argmax()), off.shape))
        entry = f"Entry [{entry_name(shrunk.spec, quantity, place)}]" if place else "It"
        yield f"{entry} is {float(shrunk.answer[place])!r}; true is {float(right[place])!r}, by {BITS}-bit ball arithmetic."
    if cause:
        yield f"Why, by leapcheck: {cause}"
    bodies = shrunk.spec.bodies
    yield (
        f"The smallest case found: {len(bodies)} {'body' if len(bodies) == 1 else 'bodies'}, "
        f"{shrunk.spec.nv} {'degree' if shrunk.spec.nv == 1 else 'degrees'} of freedom. {_state_words(shrunk)}"
    )


def _layout(engine_robot: Robot) -> str:
    """What stands where in the canonical q, v and tau."""
    is_free, spec = engine_robot.is_free, engine_robot.spec
    q = f"q = [{'position, quaternion wxyz, ' if is_free else ''}joints]"
    v = f"v = [{'angular and linear velocity of the base in its own axes, ' if is_free else ''}joints]"
    return f"{q}, {v}, tau as v. Joints in order: {', '.join(joint.name for joint in moving_joints(spec))}."


def _state_words(shrunk: SmallestCase) -> str:
    entries = nonzero(shrunk.spec, shrunk.state)
    if not entries:
        return "The state: every coordinate, velocity and torque is zero."
    return plain(f"The state: zero but for {', '.join(f'{name} = {value:.6g}' for name, value in entries)}.")
