"""Numbers of a state on which a branch in someone's code may depend: coordinates, their sizes, the tilt of a base."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from leapcheck.entries import AXES, dof_names
from leapcheck.judge.layout import JointPlace, free_joints, limb_places, places
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

Numbers = Callable[[States], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class StateFeature:
    """One number of a state.

    `name` is unique and stable; `words` say it in a condition ("|FR_knee_joint|"); `values` gives it (n,) of n states.
    `part` and `columns` are the coordinates that it is the value, the size, the largest size or the norm of; none for others.
    `zero_words` say that a size is zero.
    """

    name: str
    words: str
    unit: str
    values: Numbers
    part: str = ""
    columns: tuple[int, ...] = ()
    is_size: bool = False
    is_norm: bool = False
    zero_words: str = ""


def features(spec: RobotSpec, quantity: str) -> tuple[StateFeature, ...]:
    """The features that may matter to a quantity, the simplest first."""
    arguments = QUANTITIES[quantity].arguments
    everything = (*_coordinates(spec), *_base_features(spec), *_groups(spec), *_wrapped(spec))
    return tuple(feature for feature in everything if feature.part in ("", *arguments))


def _coordinates(spec: RobotSpec) -> Iterator[StateFeature]:
    """Each number of q but quaternions, of v and of tau: as it is, and its size."""
    names, turns = dof_names(spec), [turning for place in places(spec) for turning in _turning(place)]
    for place in _scalar_joints(spec):
        yield from _number("q", place.q.start, place.joint.name, "rad" if place.joint.type is JointType.REVOLUTE else "m")
    for (start, _), base in zip(free_joints(spec), _bases(spec), strict=True):
        for i, axis in enumerate(AXES):
            yield from _number("q", start + i, f"{base} {axis}", "m")
    for column, (name, turning) in enumerate(zip(names, turns, strict=True)):
        yield from _number("v", column, f"the velocity of {name}", "rad/s" if turning else "m/s")
        yield from _number("tau", column, f"the torque at {name}", "N m" if turning else "N")


def _number(part: str, column: int, name: str, unit: str) -> Iterator[StateFeature]:
    def value(states: States) -> Floats:
        block: Floats = getattr(states, part)[:, column]
        return block

    plain = StateFeature(f"{part} {column}", name, unit, value, part, (column,))
    yield from (plain, replace(_size(plain), part=part, columns=(column,)))


def _size(feature: StateFeature) -> StateFeature:
    """The size of a number."""
    own = feature.values
    return StateFeature(f"|{feature.name}|", f"|{feature.words}|", feature.unit, lambda states: np.abs(own(states)), is_size=True)


def _wrapped(spec: RobotSpec) -> Iterator[StateFeature]:
    """How far each angle is from the nearest whole turn, and from the nearest half one."""
    for place in _scalar_joints(spec):
        if place.joint.type is JointType.REVOLUTE:
            column, name = place.q.start, place.joint.name
            yield StateFeature(f"turn {column}", f"|{name}|, less whole turns,", "rad", _distance_from_turn(column, np.pi))
            yield StateFeature(f"half {column}", f"the distance of {name} from pi", "rad", _distance_from_turn(column, 0.0))


def _distance_from_turn(column: int, offset: float) -> Numbers:
    return lambda states: np.abs(np.remainder(states.q[:, column] + offset, 2.0 * np.pi) - np.pi)


def _groups(spec: RobotSpec) -> Iterator[StateFeature]:
    """Extremes and norms of like coordinates."""
    joints = _scalar_joints(spec)
    turning = [place for place in joints if place.joint.type is JointType.REVOLUTE]
    yield from _group("q", [place.q.start for place in turning], "joint angle", "rad")
    yield from _group("q", [place.q.start for place in joints if place not in turning], "joint position", "m")
    levels = limb_places(spec.parent_index(body) for body in spec.bodies)
    for depth in sorted({place.depth for place in levels}):
        own = [place for place in turning if levels[place.body].depth == depth]
        if len(own) < len(turning):
            names = " or ".join(place.joint.name for place in own)
            yield from _group("q", [place.q.start for place in own], f"angle of {names}", "rad")
            yield from _group("v", [place.v.start for place in own], f"velocity of {names}", "rad/s")
    moving = [place.v.start for place in joints]
    yield from _group("v", moving, "joint velocity", "rad/s", "v = 0" if len(moving) == spec.nv else "")
    if len(moving) < spec.nv:
        yield from _group("v", range(spec.nv), "entry of v", "rad/s, m/s", "v = 0")
    yield from _group("tau", range(spec.nv), "entry of tau", "N m, N", "tau = 0")
    for (q, v), base in zip(free_joints(spec), _bases(spec), strict=True):
        yield _norm("v", range(v, v + 3), f"the angular speed of {base}", "rad/s")
        yield _norm("v", range(v + 3, v + 6), f"the speed of {base}", "m/s")
        yield _norm("q", range(q, q + 3), f"the distance of {base} from the origin", "m")


def _group(part: str, columns: Sequence[int], word: str, unit: str, zero: str = "") -> Iterator[StateFeature]:
    """Largest, smallest and norm of some coordinates, where there are several."""
    if len(columns) < 2:
        return
    chosen = tuple(columns)

    def signed(states: States) -> Floats:
        block: Floats = getattr(states, part)[:, chosen]
        return block

    def feature(name: str, words: str, values: Numbers) -> StateFeature:
        return StateFeature(f"{name} {part} {','.join(map(str, chosen))}", words, unit, values, part, chosen)

    largest = feature("largest", f"the largest |{word}|", lambda s: np.abs(signed(s)).max(axis=1))
    yield replace(largest, is_size=True, zero_words=zero or f"every {word} is 0")
    least = feature("least", f"the smallest |{word}|", lambda s: np.abs(signed(s)).min(axis=1))
    yield replace(least, is_size=True, zero_words=f"some {word} is 0")
    yield feature("highest", f"the largest {word}", lambda s: signed(s).max(axis=1))
    yield feature("lowest", f"the smallest {word}", lambda s: signed(s).min(axis=1))
    yield _norm(part, chosen, f"the norm over every {word}", unit)


def _norm(part: str, columns: Sequence[int], words: str, unit: str) -> StateFeature:
    chosen = tuple(columns)
    name = f"norm {part} {','.join(map(str, chosen))}"

    def values(states: States) -> Floats:
        norms: Floats = np.linalg.norm(getattr(states, part)[:, chosen], axis=1)
        return norms

    return StateFeature(name, words, unit, values, part, chosen, is_size=True, is_norm=True)


def _base_features(spec: RobotSpec) -> Iterator[StateFeature]:
    """Tilt, roll, pitch, yaw and the numbers of the quaternion of each base."""
    for (start, _), base in zip(free_joints(spec), _bases(spec), strict=True):
        for angle, function in ANGLES.items():
            feature = StateFeature(f"{angle} {start}", f"the {angle} of {base}", "rad", _of_quaternion(start + 3, function))
            yield from (feature, _size(feature))
        for i, letter in enumerate("wxyz"):
            words = f"{letter} of the quaternion of {base}"
            feature = StateFeature(f"quaternion {start + 3 + i}", words, "", _of_quaternion(start + 3, itemgetter(i)))
            yield from (feature, _size(feature))


def _of_quaternion(start: int, function: Callable[[Floats], Floats]) -> Numbers:
    """A number of the unit quaternion, whose rows w, x, y, z (4, n) the function takes."""

    def values(states: States) -> Floats:
        four = states.q[:, start : start + 4]
        with np.errstate(all="ignore"):
            return function((four / np.linalg.norm(four, axis=1, keepdims=True)).T)

    return values


def _tilt(four: Floats) -> Floats:
    _, x, y, _ = four
    angle: Floats = np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0))
    return angle


def _roll(four: Floats) -> Floats:
    w, x, y, z = four
    angle: Floats = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return angle


def _pitch(four: Floats) -> Floats:
    w, x, y, z = four
    angle: Floats = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    return angle


def _yaw(four: Floats) -> Floats:
    w, x, y, z = four
    angle: Floats = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return angle


def _rotation(four: Floats) -> Floats:
    angle: Floats = 2.0 * np.arctan2(np.sqrt((four[1:] ** 2).sum(axis=0)), np.abs(four[0]))
    return angle


ANGLES = {"tilt": _tilt, "roll": _roll, "pitch": _pitch, "yaw": _yaw, "angle of rotation": _rotation}
"""Angles of a base by its unit quaternion wxyz; roll, pitch and yaw about x, y and z, the yaw first."""


def _bases(spec: RobotSpec) -> list[str]:
    return [body.name for body in spec.bodies if body.joint.type is JointType.FREE]


def _scalar_joints(spec: RobotSpec) -> list[JointPlace]:
    """Joints with one number in q."""
    return [place for place in places(spec) if place.joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)]


def _turning(place: JointPlace) -> list[bool]:
    """Whether each dof of a joint turns."""
    count = place.v.stop - place.v.start
    return [place.joint.type is not JointType.PRISMATIC and i < 3 for i in range(count)]
