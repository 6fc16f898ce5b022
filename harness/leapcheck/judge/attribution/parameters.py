"""The single numbers of a robot that may be off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.attribution.moves import MOVES
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, JointType, RobotSpec
from leapcheck_reference.links import Link, TreeRotor
from leapcheck_reference.spatial import RigidInertia
from leapcheck_reference.trace.parametric import SIX, Part, places
from leapcheck_reference.tree import Tree

Places = NDArray[np.intp]
Vector = tuple[float, ...]

AXES = "xyz"
COORDINATES = tuple(zip(AXES, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True))

ALONG = 1e-6
"""Sine of the angle below which an axis is called parallel to a direction: it cannot be turned towards it."""

TURNS = (0.0, np.pi / 2.0, -np.pi / 2.0, np.pi)
"""Starts of turns: one of them is near any angle."""

GEARS = (-2.0, -1.0, -0.5, 0.5, 1.0)
"""Changes of a gear ratio, in its own size, from which a fit begins; of a rotor that looks the same at every angle, the first."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One way in which a robot may be changed by an amount: `name` ("com-x/FR_hip"), `kind` (see `MOVES`), and of which part.

    `of` is the body, joint or point that the name ends with, `places` are those of the part's numbers among all, `direction`
    is a coordinate axis, the axis of a turn, or a unit vector of the part. `starts` are amounts from which a fit begins.
    """

    name: str
    kind: str
    of: str
    part: Part
    places: slice | Places
    direction: Vector = ()
    starts: tuple[float, ...] = (0.0,)

    @property
    def is_linear(self) -> bool:
        """Whether M, the bias force and the energies change in proportion to the amount."""
        return self.kind in ("mass", "inertia", "armature", "gravity")

    @property
    def unit(self) -> str:
        """Unit of the amount."""
        return MOVES[self.kind].unit

    def apply(self, x: Floats, amount: float) -> Floats:
        """All numbers (N,) of the robot after a change by an amount."""
        moved = x.copy()
        moved[self.places] = MOVES[self.kind].apply(x[self.places], np.array(self.direction), amount)
        return moved

    def rate(self, x: Floats) -> Floats:
        """How fast all numbers (N,) change with the amount, at these numbers."""
        rates = np.zeros_like(x)
        rates[self.places] = MOVES[self.kind].rate(x[self.places], np.array(self.direction))
        return rates

    def combined_amount(self, amount: float, more: float) -> float:
        """The amount of a change by one amount and then another."""
        return (1.0 + amount) * (1.0 + more) - 1.0 if self.kind == "scaled" else amount + more

    def opposite_amount(self, amount: float) -> float:
        """The amount of the change that takes one by an amount back."""
        return 1.0 / (1.0 + amount) - 1.0 if self.kind == "scaled" else -amount


def parameters(spec: RobotSpec, tree: Tree) -> list[Parameter]:
    """Every single parameter of a robot, as its tree has it: of links, rotors, joints, contact points, and gravity."""
    joints = {body.name: body.joint.name for body in spec.bodies}
    all_parameters: list[Parameter] = []
    for part, where in places(tree).items():
        if part.kind == "gravity":
            all_parameters += _vector("gravity", "", part, where)
        elif part.kind == "point":
            all_parameters += _vector("point", tree.points[part.index].name, part, where)
        else:
            link = tree.links[part.index]
            body = link.rotor if part.rotor and link.rotor else link
            all_parameters += _of_body(link, body, part, where, joints.get(link.name, link.name))
    return all_parameters


def _vector(kind: str, of: str, part: Part, where: slice) -> Iterator[Parameter]:
    for axis, u in COORDINATES:
        yield Parameter(f"{kind}-{axis}" + (f"/{of}" if of else ""), kind, of, part, where, u)


def _of_body(link: Link, body: Link | TreeRotor, part: Part, where: slice, joint: str) -> Iterator[Parameter]:
    of = body.name if part.rotor else joint
    match part.kind:
        case "inertia":
            yield from _inertia(body, part, where)
        case "placement":
            yield from _placement(body, of, part, where)
            if not part.rotor:
                yield from _offset(link, of, part, where)
        case "axis":
            yield from _axes(body.axis, of, part, where)
        case "gear" if link.rotor:
            ratio = float(link.rotor.gear_ratio)
            starts = tuple(share * ratio for share in (0.0, *(GEARS if link.rotor.spins else GEARS[:1])))
            yield Parameter(f"gear/{joint}", "gear", joint, part, where, (1.0,), starts)
        case "armature" if link.S.shape[1]:
            yield Parameter(f"armature/{joint}", "armature", joint, part, where, (1.0,))


def _inertia(body: Link | TreeRotor, part: Part, where: slice) -> Iterator[Parameter]:
    yield Parameter(f"mass/{body.name}", "mass", body.name, part, where)
    for axis, u in COORDINATES:
        starts = _coms(body.inertia) if part.rotor else (0.0,)
        yield Parameter(f"com-{axis}/{body.name}", "com", body.name, part, where, u, starts)
    for entry, (i, j) in enumerate(SIX):
        unit = tuple(float(k == 4 + entry) for k in range(10))
        yield Parameter(f"inertia-{AXES[i]}{AXES[j]}/{body.name}", "inertia", body.name, part, where, unit)


def _coms(inertia: RigidInertia) -> tuple[float, ...]:
    """Starts of a rotor's com: geared, it turns so fast that the square of an offset may weigh more than the offset."""
    radius = float(np.sqrt(max(np.trace(inertia.I) / inertia.mass, 0.0))) if inertia.mass > 0.0 else 0.0
    return (0.0, 2.0 * radius, -2.0 * radius) if radius else (0.0,)


def _placement(body: Link | TreeRotor, of: str, part: Part, where: slice) -> Iterator[Parameter]:
    """Place and turns in the parent's axes; turns in the joint's own where these are others."""
    for axis, u in COORDINATES:
        yield Parameter(f"place-{axis}/{of}", "place", of, part, where, u)
    turns = [Parameter(f"turn-{axis}/{of}", "turn", of, part, where, u, TURNS) for axis, u in COORDINATES]
    yield from turns
    R = np.abs(body.placement.R)
    if np.abs(R - np.round(R)).max() > ALONG:
        yield from (replace(turn, name=f"{turn.name}:own", kind="own-turn") for turn in turns)


def _offset(link: Link, of: str, part: Part, where: slice) -> Iterator[Parameter]:
    """The joint's zero, where no turn or place along a coordinate axis is the same."""
    if link.type in ONE_DOF and np.abs(link.axis).max() < 1.0 - ALONG:
        if link.type is JointType.REVOLUTE:
            yield Parameter(f"offset/{of}", "own-turn", of, part, where, tuple(link.axis.tolist()), TURNS)
        else:
            yield Parameter(f"offset/{of}", "place", of, part, where, tuple((link.placement.R @ link.axis).tolist()))


def _axes(axis_before: Floats, of: str, part: Part, where: slice) -> Iterator[Parameter]:
    """An axis turned towards each coordinate axis."""
    for axis, u in COORDINATES:
        normal = np.cross(axis_before, u)
        size = float(np.linalg.norm(normal))
        if size > ALONG:
            yield Parameter(f"axis-{axis}/{of}", "axis", of, part, where, tuple((normal / size).tolist()), TURNS)
