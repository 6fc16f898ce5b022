"""What a robot is: a frozen `RobotSpec`, validated as a whole on construction; its bodies are listed depth-first.

The records it is made of, and their units and frames, are in `elements`; they can be imported from here too.
"""

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache

from leapcheck_models.elements import (
    CONFIGURATION_SIZE,
    ONE_DOF,
    VELOCITY_SIZE,
    WORLD,
    Actuator,
    Body,
    ContactPoint,
    ControlLaw,
    Coupling,
    Inertia,
    Joint,
    JointType,
    Loop,
    LoopType,
    Motor,
    Placement,
    Pose,
    Quaternion,
    Rotor,
    Shape,
    Symmetric3,
    Vector3,
)

__all__ = [
    "CONFIGURATION_SIZE",
    "ONE_DOF",
    "VELOCITY_SIZE",
    "WORLD",
    "Actuator",
    "Body",
    "ContactPoint",
    "ControlLaw",
    "Coupling",
    "Inertia",
    "Joint",
    "JointType",
    "Loop",
    "LoopType",
    "Motor",
    "Placement",
    "Pose",
    "Quaternion",
    "RobotSpec",
    "Rotor",
    "Shape",
    "Symmetric3",
    "Vector3",
    "add_body",
    "add_box_contact_points",
    "add_contact_point",
    "as_json",
    "control_laws",
    "open_tree",
    "spec_hash",
]


@dataclass(frozen=True, slots=True)
class RobotSpec:
    """Whole robot; construction validates it and raises ValueError naming the element and the right form.

    Without `laws` each actuator is a motor whose command is the torque at the joint: see `control_laws`.
    """

    name: str
    bodies: tuple[Body, ...] = ()
    contact_points: tuple[ContactPoint, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    poses: tuple[Pose, ...] = ()
    gravity: Vector3 = (0.0, 0.0, -9.81)
    source: str = ""
    description: str = ""
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    laws: tuple[ControlLaw, ...] = ()
    _index: dict[str, int] = field(init=False, repr=False, compare=False, hash=False, default_factory=dict)

    def __post_init__(self) -> None:
        from leapcheck_models.constraint_rules import validate_constraints
        from leapcheck_models.validation import validate, validate_laws

        validate(self.name, self.bodies, self.contact_points, self.actuators, self.poses, self.gravity)
        validate_constraints(self.name, self.bodies, self.loops, self.couplings)
        validate_laws(self.name, self.bodies, self.laws)
        self._index.update({body.name: i for i, body in enumerate(self.bodies)})

    def __repr__(self) -> str:
        counts = f"{len(self.bodies)} bodies, {self.nv} dof, {len(self.contact_points)} contact points"
        return f"<RobotSpec {self.name}: {counts}, {self.total_mass:.4g} kg>"

    @property
    def nq(self) -> int:
        """Length of q."""
        return sum(CONFIGURATION_SIZE[b.joint.type] for b in self.bodies)

    @property
    def nv(self) -> int:
        """Length of v."""
        return sum(VELOCITY_SIZE[b.joint.type] for b in self.bodies)

    def body_index(self, name: str) -> int:
        """Place of a body in `bodies`; -1 for the world."""
        return -1 if name == WORLD else self._index[name]

    def parent_index(self, body: Body) -> int:
        """Place of a body's parent in `bodies`; -1 for the world."""
        return self.body_index(body.parent)

    def pose(self, name: str) -> tuple[float, ...]:
        """Configuration of a named pose; KeyError names the poses that exist."""
        for pose in self.poses:
            if pose.name == name:
                return pose.q
        raise KeyError(f"robot '{self.name}' has no pose '{name}': use one of {[p.name for p in self.poses]}")

    @property
    def total_mass(self) -> float:
        """Mass of all links and rotors (kg)."""
        return sum(b.inertia.mass + (b.rotor.inertia.mass if b.rotor else 0.0) for b in self.bodies)


def add_body(
    spec: RobotSpec,
    name: str,
    *,
    joint: Joint,
    inertia: Inertia,
    parent: str = WORLD,
    placement: Placement = Placement(),
    rotor: Rotor | None = None,
    shapes: tuple[Shape, ...] = (),
    source: str = "",
) -> RobotSpec:
    """The spec with one more body, last in depth-first order."""
    body = Body(name, joint, inertia, parent, placement, rotor, shapes, source)
    return dataclasses.replace(spec, bodies=(*spec.bodies, body))


def add_contact_point(
    spec: RobotSpec,
    name: str,
    body: str,
    position: Vector3,
    *,
    is_foot: bool = False,
    computed: bool = True,
    radius: float = 0.0,
) -> RobotSpec:
    """The spec with one more contact point, last in the list."""
    point = ContactPoint(name, body, position, is_foot, computed, radius)
    return dataclasses.replace(spec, contact_points=(*spec.contact_points, point))


def add_box_contact_points(spec: RobotSpec, body: str, size: Vector3, *, computed: bool = True) -> RobotSpec:
    """The spec with the 8 corners of a box (full lengths, m) centred on the body's origin.

    Order of Cheetah-Software: (+,+,+) (-,+,+) (+,-,+) (-,-,+), then the same four below; names `<body>_corner_0` to 7.
    """
    x, y, z = (length / 2 for length in size)
    corners = [(sx * x, sy * y, sz * z) for sz in (1, -1) for sy in (1, -1) for sx in (1, -1)]
    for i, corner in enumerate(corners):
        spec = add_contact_point(spec, f"{body}_corner_{i}", body, corner, computed=computed)
    return spec


def control_laws(spec: RobotSpec) -> tuple[ControlLaw, ...]:
    """The spec's laws, or those of its actuators: a command is the torque at the joint, up to the torque limit."""
    return spec.laws or tuple(
        ControlLaw(a.name, a.joint, control_limits=(-a.torque_limit, a.torque_limit)) for a in spec.actuators if a.torque_limit
    )


def open_tree(spec: RobotSpec) -> RobotSpec:
    """The robot without its closed loops and coupled joints."""
    return dataclasses.replace(spec, loops=(), couplings=()) if spec.loops or spec.couplings else spec


def as_json(spec: RobotSpec) -> str:
    """Canonical JSON text: keys in field order, shortest round-trip floats; loops, couplings, laws, springs where it has some."""
    record = dataclasses.asdict(spec)
    del record["_index"]
    for absent in [key for key in ("loops", "couplings", "laws") if not record[key]]:
        del record[absent]
    for joint in (body["joint"] for body in record["bodies"]):
        for absent in [key for key in ("stiffness", "springref") if not joint[key]]:
            del joint[absent]
    return json.dumps(record, indent=1, allow_nan=False) + "\n"


def spec_hash(spec: RobotSpec) -> str:
    """First 16 hex digits of the SHA-256 of the canonical JSON: names a robot in reports."""
    return _hash_of(_Identity(spec))


class _Identity:
    """A spec that equals itself alone: specs that are equal may differ in the sign of a zero, and so in their JSON."""

    def __init__(self, spec: RobotSpec) -> None:
        self.spec = spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.spec is other.spec

    def __hash__(self) -> int:
        return id(self.spec)


@lru_cache(maxsize=16)
def _hash_of(identity: _Identity) -> str:
    """Of a spec that may be asked for its hash again and again: the JSON takes 10 ms."""
    return hashlib.sha256(as_json(identity.spec).encode()).hexdigest()[:16]
