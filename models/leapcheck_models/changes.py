"""A robot with a few numbers changed, as the command line writes them: `trunk.mass=3.6`, `FR_knee.torque_limit=26`."""

import dataclasses
import json
import math
from collections.abc import Iterable
from typing import Any

from leapcheck_models.spec import RobotSpec

INDICES = {"x": 0, "y": 1, "z": 2, "xx": 0, "xy": 1, "xz": 2, "yy": 3, "yz": 4, "zz": 5, "lower": 0, "upper": 1}
"""Names of the entries of vectors, of rotational inertias and of limits."""

SHORT = {"mass": ("inertia", "mass"), "com": ("inertia", "com"), "rotational": ("inertia", "rotational")}
"""What may be left out of a body's path."""


def with_changes(spec: RobotSpec, assignments: Iterable[str]) -> RobotSpec:
    """The robot with each assignment ELEMENT.FIELD=NUMBER carried out, in their order.

    An element is the name of a body, joint, rotor, actuator or contact point, or `gravity`; a field is one of the spec's,
    entries by x y z, xx to zz, lower and upper, or their numbers: `trunk.mass`, `FR_hip.com.x`, `FR_hip.rotational.xy`,
    `FR_knee_joint.limits.upper`, `FR_knee.motor.voltage`, `FR_foot.radius`, `gravity.z`. Raises ValueError that names the
    assignment, what is wrong with it and what would do; so does a robot that breaks a rule of `validation`.
    """
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        parts = path.strip().split(".")
        if not equals or len(parts) < 2:
            raise ValueError(f"--set {assignment!r:.80}: write ELEMENT.FIELD=NUMBER, for example trunk.mass=3.6")
        try:
            spec = _assign(spec, parts, _number(text))
        except ValueError as error:
            raise ValueError(f"--set {assignment:.80}: {error}") from None
    return spec


def _number(text: str) -> float:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{text.strip()!r:.40} is no finite number: give one, for example 3.6")
    return float(value)


def _assign(spec: RobotSpec, parts: list[str], value: float) -> RobotSpec:
    element, *fields = parts
    if element == "gravity":
        return dataclasses.replace(spec, gravity=_replace(spec.gravity, fields, value, element))
    matches = [
        (kind, i, record, path)
        for kind in ("bodies", "actuators", "contact_points")
        for i, record in enumerate(getattr(spec, kind))
        if (path := _path_in(record, element, fields)) is not None
    ]
    if not matches:
        raise ValueError(
            f"robot '{spec.name}' has no body, joint, rotor, actuator or contact point {element!r:.60}: see its file"
        )
    # a body and its actuator may share a name: the one that has the field is meant
    kind, i, record, path = next((match for match in matches if match[3][0] in _names(match[2])), matches[0])
    records = getattr(spec, kind)
    new: dict[str, Any] = {kind: (*records[:i], _replace(record, path, value, element), *records[i + 1 :])}
    return dataclasses.replace(spec, **new)


def _path_in(record: Any, element: str, fields: list[str]) -> list[str] | None:
    """The path from a body, actuator or contact point to what is meant; None if the element is not in it."""
    if record.name == element:
        short = SHORT.get(fields[0], (fields[0],)) if hasattr(record, "inertia") else (fields[0],)
        return [*short, *fields[1:]]
    for part in ("joint", "rotor"):
        inner = getattr(record, part, None)
        if getattr(inner, "name", None) == element:
            return [part, *_path_in(inner, element, fields)]  # type: ignore[misc]  # its own name: never None
    return None


def _replace(value: Any, path: list[str], number: float, place: str) -> Any:
    """A copy of a record, tuple or number with the number at the end of the path."""
    if not path:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{place} is no number: {_parts(value)}")
        return number
    first, *rest = path
    if isinstance(value, tuple):
        index = INDICES.get(first, int(first) if first.isdecimal() else -1)
        if not 0 <= index < len(value):
            raise ValueError(f"{place} has no entry {first!r:.40}: {_parts(value)}")
        new = _replace(value[index], rest, number, f"{place}.{first}")
        return (*value[:index], new, *value[index + 1 :])
    names = _names(value)
    if first not in names:
        raise ValueError(f"{place} has no field {first!r:.40}: {_parts(value)}")
    return dataclasses.replace(value, **{first: _replace(getattr(value, first), rest, number, f"{place}.{first}")})


def _names(value: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(value) if field.init] if dataclasses.is_dataclass(value) else []


def _parts(value: Any) -> str:
    """What a path may go on with, for a message."""
    if isinstance(value, tuple):
        named = {2: ("lower", "upper"), 3: ("x", "y", "z"), 6: ("xx", "xy", "xz", "yy", "yz", "zz")}
        return f"use {', '.join(named.get(len(value), tuple(map(str, range(len(value))))))}"
    if names := _names(value):
        return f"use {', '.join(names)}"
    if value is None:
        return "the robot has none of these: give it in a file of the robot"
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return "it is a number: end the path there" if number else "only numbers can be set here: change it in a file of the robot"
