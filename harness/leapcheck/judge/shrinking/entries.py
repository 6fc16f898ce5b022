"""A state as a few entries that are not zero, and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from leapcheck.entries import AXES, dof_names
from leapcheck.judge.layout import neutral
from leapcheck.sampling import STATE_PARTS, States, part_sizes, with_contact_forces
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType, RobotSpec

HALF = math.sqrt(0.5)

TURNS = (math.pi / 2, math.pi, -math.pi / 2, 1.0, 0.5)
"""Angles (rad) about one axis by which a body is turned, simplest first."""

ANGLES = (math.pi / 2, math.pi, -math.pi / 2, 1.0, -1.0, 0.5)
"""Joint angles, simplest first."""

NUMBERS = (1.0, -1.0, 0.5, 2.0, 10.0)
"""All other entries, simplest first."""

DIGITS = (0, 1, 2, 3)
"""Decimals to which a number is rounded that is none of these."""


class EntryPlace(NamedTuple):
    """One entry of a state, or the four of a quaternion: `kind` is "turn" for these, "angle" for an angle, else "number"."""

    part: str
    start: int
    kind: str


class StateEntry(NamedTuple):
    """Numbers at a place of a state that are not all zero, or no turn."""

    place: EntryPlace
    values: tuple[float, ...]


def places(spec: RobotSpec, arguments: Sequence[str]) -> tuple[EntryPlace, ...]:
    """All places of the parts of a state that are `arguments`, in the order of `STATE_PARTS`."""
    in_q = tuple(_places_in_q(spec)) if "q" in arguments else ()
    sizes = part_sizes(spec)
    return (*in_q, *(EntryPlace(part, i, "number") for part in STATE_PARTS[1:] if part in arguments for i in range(sizes[part])))


def simple_entries(place: EntryPlace) -> tuple[StateEntry, ...]:
    """The simple values of a place, simplest first."""
    if place.kind == "turn":
        return tuple(StateEntry(place, quaternion_about(angle, axis)) for angle in TURNS for axis in range(3))
    return tuple(StateEntry(place, (value,)) for value in (ANGLES if place.kind == "angle" else NUMBERS))


def rounded_entries(entry: StateEntry) -> tuple[StateEntry, ...]:
    """The entry with ever more decimals; a turn as it is."""
    if entry.place.kind == "turn":
        return (entry,)
    rounded = dict.fromkeys(round(entry.values[0], digits) for digits in DIGITS)
    return (*(StateEntry(entry.place, (value,)) for value in rounded if value), entry)


def quaternion_about(angle: float, axis: int) -> tuple[float, ...]:
    """Quaternion wxyz of a turn about one axis, zeros and halves exact."""
    exact = {math.pi: (0.0, 1.0), math.pi / 2: (HALF, HALF), -math.pi / 2: (HALF, -HALF)}
    cosine, sine = exact.get(angle, (math.cos(angle / 2), math.sin(angle / 2)))
    return (cosine, *(sine if i == axis else 0.0 for i in range(3)))


def entries(spec: RobotSpec, state: States, arguments: Sequence[str]) -> tuple[StateEntry, ...]:
    """What is not zero in those parts of a block of one state."""
    rest = {part: np.zeros(size) for part, size in part_sizes(spec).items()} | {"q": neutral(spec)}
    state = with_contact_forces(spec, state)
    chosen = []
    for place in places(spec, arguments):
        where = slice(place.start, place.start + (4 if place.kind == "turn" else 1))
        values = getattr(state, place.part)[0, where]
        if not np.array_equal(values, rest[place.part][where]):
            chosen.append(StateEntry(place, tuple(map(float, values))))
    return tuple(chosen)


def states_of(spec: RobotSpec, choices: Sequence[Sequence[StateEntry]]) -> States:
    """A block of states (n,), each neutral and at rest but for its entries."""
    n = len(choices)
    parts = {part: np.zeros((n, size)) for part, size in part_sizes(spec).items()} | {"q": np.tile(neutral(spec), (n, 1))}
    for row, chosen in enumerate(choices):
        for (part, start, _), values in chosen:
            parts[part][row, start : start + len(values)] = values
    return States(index=np.arange(n), kind=("shrunk",) * n, **parts)


def count(chosen: Sequence[StateEntry]) -> int:
    """How many entries are not zero; a turn about a coordinate axis is one, any other three."""
    return sum(1 if entry.place.kind != "turn" or len(_axes(entry.values)) == 1 else 3 for entry in chosen)


def complexity(chosen: Sequence[StateEntry]) -> int:
    """How far from simplest the values are: 0 for the first simple value of every place."""
    return sum(_rank(entry) for entry in chosen)


def nonzero(spec: RobotSpec, state: States) -> tuple[tuple[str, float], ...]:
    """Name and value (rad, m, rad/s, m/s, N m, N) of each entry of a block of one state that is not zero.

    Joints by their names, velocities and torques with "v " and "tau " before; "trunk turned about z" is a turn about one
    coordinate axis; any other orientation is given by the three numbers of its rotation vector, under the same names.
    """
    names = _names(spec)
    chosen: list[tuple[str, float]] = []
    for place, values in entries(spec, state, STATE_PARTS):
        if place.kind == "turn":
            axes = _axes(values)
            vector = _rotation_vector(values)
            chosen += [(f"{names[place.part, place.start]} turned about {AXES[i]}", vector[i]) for i in axes]
        else:
            chosen.append((names[place.part, place.start], values[0]))
    return tuple(chosen)


def _rank(entry: StateEntry) -> int:
    simple = simple_entries(entry.place)
    return simple.index(entry) // (3 if entry.place.kind == "turn" else 1) if entry in simple else len(simple)


def _axes(quaternion: Sequence[float]) -> list[int]:
    return [i for i in range(3) if quaternion[1 + i] != 0.0]


def _rotation_vector(quaternion: Sequence[float]) -> list[float]:
    sign = math.copysign(1.0, quaternion[0])
    w, *vector = (sign * part for part in quaternion)
    length = math.hypot(*vector)
    angle = 2.0 * math.atan2(length, w)
    return [angle * (part / length) for part in vector]


def _places_in_q(spec: RobotSpec) -> Iterator[EntryPlace]:
    start = 0
    for kind in (body.joint.type for body in spec.bodies):
        match kind:
            case JointType.FREE:
                yield from (EntryPlace("q", start + i, "number") for i in range(3))
                yield EntryPlace("q", start + 3, "turn")
            case JointType.BALL:
                yield EntryPlace("q", start, "turn")
            case JointType.REVOLUTE:
                yield EntryPlace("q", start, "angle")
            case JointType.PRISMATIC:
                yield EntryPlace("q", start, "number")
        start += CONFIGURATION_SIZE[kind]


def _names(spec: RobotSpec) -> dict[tuple[str, int], str]:
    """Name of each place by its part and start."""
    names: dict[tuple[str, int], str] = {}
    start = 0
    for body in spec.bodies:
        kind = body.joint.type
        if kind is JointType.FREE:
            names |= {("q", start + i): f"{body.name} {axis}" for i, axis in enumerate(AXES)}
            names["q", start + 3] = body.name
        else:
            names["q", start] = body.joint.name
        start += CONFIGURATION_SIZE[kind]
    dofs = dof_names(spec)
    forces = [f"force on {point.name} {axis}" for point in spec.contact_points if point.computed for axis in AXES]
    names |= {("contact_forces", i): name for i, name in enumerate(forces)}
    return names | {(part, i): f"{part} {name}" for part in ("v", "tau", "vdot") for i, name in enumerate(dofs)}
