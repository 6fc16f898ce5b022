"""Robots with single parameters off, edited in their specs by code of their own, drawn by seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.belief import Belief
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import ONE_DOF, Body, Inertia, JointType, Placement, RobotSpec

LENGTH = 0.1
"""Length (m) that makes sizes of parameters comparable: masses m, first moments m L, inertias m L^2."""

COUNT = 32
"""States of a block, all kinds among them."""

UNREAL: dict[str, Any] = {"realisable": False, "source": "a test", "nearest": (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)}
"""What an inertia must say that no body has."""

SIX = ("xx", "xy", "xz", "yy", "yz", "zz")
KINDS = ("mass", "com", "inertia", "armature", "gear", "gravity", "place", "turn", "axis", "point")
DYNAMIC = ("mass", "com", "inertia", "gear", "place", "turn", "axis")

Named = tuple[str, RobotSpec]
Change = Callable[[RobotSpec, np.random.Generator, float], Named | None]


def planted(spec: RobotSpec, rng: np.random.Generator, size: float, kinds: tuple[str, ...] = KINDS) -> Named:
    """The name of a parameter and the robot with it off by a relative size."""
    while True:
        kind = str(rng.choice(list(kinds)))
        if found := CHANGES.get(kind, _of_body(kind))(spec, rng, size * float(rng.choice([-1.0, 1.0]))):
            return found


def believed(spec: RobotSpec, held: RobotSpec, quantities: tuple[str, ...], count: int = COUNT) -> Belief:
    """What is believed of an engine that holds another robot, before anything is: that it is right."""
    return Belief(found(spec, held, quantities, count))


def found(spec: RobotSpec, held: RobotSpec, quantities: tuple[str, ...], count: int = COUNT) -> Evidence:
    """What an engine that holds another robot answers."""
    return evidence(spec, ReferenceEngine(held), generated_states(spec, count, 3, 0), quantities)


def robot(name: str) -> RobotSpec:
    return load(name)


def with_body(spec: RobotSpec, body: Body, changed: Body) -> RobotSpec:
    return replace(spec, bodies=tuple(changed if b is body else b for b in spec.bodies))


def _moved(vector: tuple[float, ...], k: int, amount: float) -> Any:
    return tuple(x + amount * (i == k) for i, x in enumerate(vector))


def _gravity(spec: RobotSpec, rng: np.random.Generator, size: float) -> Named:
    k = int(rng.integers(3))
    return f"gravity-{'xyz'[k]}", replace(spec, gravity=_moved(spec.gravity, k, 9.81 * size))


def _point(spec: RobotSpec, rng: np.random.Generator, size: float) -> Named | None:
    points = [point for point in spec.contact_points if point.computed]
    if not points:
        return None
    point, k = points[int(rng.integers(len(points)))], int(rng.integers(3))
    moved = replace(point, position=_moved(point.position, k, LENGTH * size))
    held = replace(spec, contact_points=tuple(moved if p is point else p for p in spec.contact_points))
    return f"point-{'xyz'[k]}/{point.name}", held


def _of_body(kind: str) -> Change:
    """A change of a link or of its joint, or of its rotor."""

    def change(spec: RobotSpec, rng: np.random.Generator, size: float) -> Named | None:
        body, k = spec.bodies[int(rng.integers(len(spec.bodies)))], int(rng.integers(6 if kind == "inertia" else 3))
        if body.rotor and (kind == "gear" or (kind != "armature" and rng.integers(2))):
            of = body.joint.name if kind == "gear" else body.rotor.name
            parts = _changed(kind, k, size, body.rotor.inertia, body.rotor.placement, body.rotor.axis)
            rotor = replace(body.rotor, **parts) if parts is not None else None
            if kind == "gear":
                rotor = replace(body.rotor, gear_ratio=body.rotor.gear_ratio * (1.0 + size))
            return (_name(kind, k, of), with_body(spec, body, replace(body, rotor=rotor))) if rotor else None
        return _of_link(kind, k, spec, body, size)

    return change


def _of_link(kind: str, k: int, spec: RobotSpec, body: Body, size: float) -> Named | None:
    if kind == "armature" and body.joint.type in ONE_DOF:
        armature = body.joint.armature + abs(size) * max(body.inertia.mass, 0.1) * LENGTH**2
        held = with_body(spec, body, replace(body, joint=replace(body.joint, armature=armature)))
        return _name(kind, k, body.joint.name), held
    if kind in ("place", "turn") and body.joint.type is JointType.FREE:
        return None
    parts = _changed(kind, k, size, body.inertia, body.placement, body.joint.axis)
    if not parts:
        return None
    joint = replace(body.joint, axis=parts.pop("axis")) if "axis" in parts else body.joint
    of = body.name if kind in ("mass", "com", "inertia") else body.joint.name
    return _name(kind, k, of), with_body(spec, body, replace(body, joint=joint, **parts))


def _name(kind: str, k: int, of: str) -> str:
    entry = {"inertia": f"-{SIX[k]}", "mass": "", "armature": "", "gear": ""}.get(kind, f"-{'xyz'[k % 3]}")
    return f"{kind}{entry}/{of}"


def _changed(kind: str, k: int, size: float, inertia: Inertia, placement: Placement, axis: Any) -> dict[str, Any]:
    """The part of a body that changes, and how; nothing where the body has no such part."""
    match kind:
        case "mass" if inertia.mass:
            return {"inertia": replace(inertia, mass=inertia.mass * (1.0 + size), **UNREAL)}
        case "com" if inertia.mass:
            return {"inertia": replace(inertia, com=_moved(inertia.com, k, LENGTH * size), **UNREAL)}
        case "inertia" if inertia.mass:
            amount = inertia.mass * LENGTH**2 * size
            return {"inertia": replace(inertia, rotational=_moved(inertia.rotational, k, amount), **UNREAL)}
        case "place":
            return {"placement": replace(placement, p=_moved(placement.p, k, LENGTH * size))}
        case "turn":
            w, x, y, z = placement.quaternion
            turned = Rotation.from_rotvec(size * np.eye(3)[k]) * Rotation.from_quat([x, y, z, w])
            x, y, z, w = (float(part) for part in turned.as_quat())
            return {"placement": replace(placement, quaternion=(w, x, y, z))}
        case "axis" if axis is not None and abs(axis[k]) < 0.999:
            tilted = np.array(axis) + size * np.eye(3)[k]
            return {"axis": tuple((tilted / np.linalg.norm(tilted)).tolist())}
    return {}


CHANGES: dict[str, Change] = {"gravity": _gravity, "point": _point}
