"""Contact points that the user names: `--feet FL_foot FR_foot`, or the tables of a TOML file.

```toml
feet = ["FL_foot", "FR_foot"]        # bodies or links, sites, geoms

[[points]]                           # or points of your own
name = "FL_toe"
on = "FL_calf"                       # body or link
position = [0.0, 0.0, -0.213]        # m, in the axes and from the origin that the file gives that body
radius = 0.02                        # of a ball that stands there; 0
foot = true                          # whether a jump may stand on it
```
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from leapcheck_models.importing.marks import Mark, Spot, shape_spots
from leapcheck_models.importing.poses import vector3
from leapcheck_models.spec import ContactPoint, JointType, RobotSpec, Vector3
from leapcheck_models.xml_text import free_name

MOST_BYTES = 2**20
MOST_POINTS = 64
"""Points of a robot: J M^-1 J^T of so many has 36 864 entries."""

KEYS = ("feet", "points")
POINT_KEYS = ("name", "on", "position", "radius", "foot")


@dataclass(frozen=True, slots=True)
class PointChoice:
    """What the user says about where a robot touches: names of feet, and points of a file's tables; `where` says it."""

    where: str
    feet: tuple[str, ...] = ()
    points: tuple[Mapping[str, Any], ...] = ()


def read_choice(path: Path) -> PointChoice:
    """The choice of a TOML file; FileNotFoundError, or ValueError in one line that names the key and the remedy."""
    if choice := choice_in(path, read_table(path)):
        return choice
    raise ValueError(f"file '{path}': it chooses no point: give {' or '.join(KEYS)}")


def read_table(path: Path) -> dict[str, Any]:
    """What a TOML file holds; raises as `read_choice`."""
    where = f"file '{path}'"
    if not path.is_file():
        raise FileNotFoundError(f"{where} does not exist or is no file: give the path of a .toml with feet or points")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{where} is larger than {MOST_BYTES} bytes: list at most {MOST_POINTS} points")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{where} is no TOML: {' '.join(str(error).split())}: correct it there") from None


def choice_in(path: Path, table: Mapping[str, Any]) -> PointChoice | None:
    """The choice of a file's table; None where it has no key of one. ValueError as `read_choice`."""
    where = f"file '{path}'"
    if not set(KEYS) & table.keys():
        return None
    if unknown := sorted(table.keys() - set(KEYS)):
        raise ValueError(f"{where}: unknown key '{unknown[0]:.60}': {_near(unknown[0], KEYS) or f'use {KEYS[0]} and {KEYS[1]}'}")
    feet, points = table.get("feet", []), table.get("points", [])
    if not (isinstance(feet, list) and all(isinstance(name, str) for name in feet)):
        raise ValueError(f"{where}: feet is {feet!r:.60}: give a list of names")
    if not (isinstance(points, list) and all(isinstance(point, dict) for point in points)):
        raise ValueError(f"{where}: points is {points!r:.60}: write each point as a table [[points]]")
    return PointChoice(where, tuple(feet), tuple(points))


def names_of_words(words: Sequence[str]) -> tuple[str, ...]:
    """Names out of words that may hold several, commas between them."""
    return tuple(name.strip() for word in words for name in word.split(",") if name.strip())


def with_points(
    spec: RobotSpec, choice: PointChoice, marks: Sequence[Mark] = (), origins: Mapping[str, Vector3] | None = None
) -> RobotSpec:
    """The robot with the chosen contact points alone.

    `marks` and `origins` are those of its file. Raises ValueError that names the word, what it may have meant, and the remedy.
    """
    points = [point for name in choice.feet for point in _feet(spec, marks, name, choice.where)]
    points += [_point(spec, origins or {}, table, choice.where) for table in choice.points]
    if not points:
        raise ValueError(f"{choice.where}: it names no point: give feet or points")
    if len(points) > MOST_POINTS:
        raise ValueError(f"{choice.where}: {len(points)} contact points: give at most {MOST_POINTS}")
    taken: set[str] = set()
    for i, point in enumerate(points):
        points[i] = replace(point, name=free_name(point.name, taken))
        taken.add(points[i].name)
    return replace(spec, contact_points=tuple(points))


def _feet(spec: RobotSpec, marks: Sequence[Mark], name: str, where: str) -> Iterator[ContactPoint]:
    """The points of a site, a geom, or a body: one of the name, or several with numbers behind it."""
    places = _places(spec, marks, name)
    if not places:
        known = list(dict.fromkeys([*(mark.name for mark in marks), *(b.name for b in spec.bodies)]))
        kinds = " or ".join((*sorted({mark.kind for mark in marks}), "body"))
        listed = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        remedy = _near(name, known) or f"name one of {listed}"
        raise ValueError(f"{where}: robot '{spec.name}' has no {kinds} '{name:.60}': {remedy}")
    for k, (body, spot) in enumerate(places):
        own = name if len(places) == 1 else f"{name}_{k}"
        yield ContactPoint(own, body, spot.position, is_foot=True, radius=spot.radius)


def _places(spec: RobotSpec, marks: Sequence[Mark], name: str) -> list[tuple[str, Spot]]:
    """Links and spots behind a name: of a site before those of a geom, and of a geom before those of a body."""
    for mark in sorted(marks, key=lambda mark: mark.kind != "site"):
        if mark.name == name:
            return [(mark.body, spot) for spot in mark.spots]
    if name not in {body.name for body in spec.bodies}:
        return []
    shapes = [(link, shape) for link in _rigid_with(spec, name) for shape in spec.bodies[spec.body_index(link)].shapes]
    balls = [(link, spot) for link, shape in shapes if shape.kind == "sphere" for spot in shape_spots(shape)]
    capsules = [(link, shape) for link, shape in shapes if shape.kind == "capsule"]
    return balls or [(link, spot) for link, shape in capsules[-1:] for spot in shape_spots(shape)] or [(name, Spot((0.0,) * 3))]


def _rigid_with(spec: RobotSpec, name: str) -> list[str]:
    """A link, and those fixed to it or to each other behind it."""
    group = [name]
    for body in spec.bodies:
        if body.joint.type is JointType.FIXED and body.parent in group:
            group.append(body.name)
    return group


def _point(spec: RobotSpec, origins: Mapping[str, Vector3], table: Mapping[str, Any], where: str) -> ContactPoint:
    """A point of a file's table."""
    name, on = (table.get(key) for key in ("name", "on"))
    place = f"{where}: point {name!r:.60}"
    if unknown := sorted(table.keys() - set(POINT_KEYS)):
        remedy = _near(unknown[0], POINT_KEYS) or f"use {', '.join(POINT_KEYS)}"
        raise ValueError(f"{place}: unknown key '{unknown[0]:.60}': {remedy}")
    if not (isinstance(name, str) and name and isinstance(on, str)):
        raise ValueError(f"{place}: give its name, and 'on', the body or link that carries it")
    bodies = [body.name for body in spec.bodies]
    if on not in bodies:
        raise ValueError(f"{place}: it is on '{on:.60}', which is no body: {_near(on, bodies) or 'name a body of the file'}")
    position, radius, foot = table.get("position", [0.0, 0.0, 0.0]), table.get("radius", 0.0), table.get("foot", True)
    if not (isinstance(position, list) and len(position) == 3 and all(_is_number(x) for x in position)):
        raise ValueError(f"{place}: its position is {position!r:.60}: give three numbers (m)")
    if not _is_number(radius) or not isinstance(foot, bool):
        raise ValueError(f"{place}: give a number for radius (m), and true or false for foot")
    here = vector3(np.array(position, dtype=float) - np.array(origins.get(on, (0.0, 0.0, 0.0))))
    return ContactPoint(name, on, here, is_foot=foot, radius=float(radius))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _near(word: str, known: Sequence[str]) -> str:
    """A question for the nearest known word; empty where none is near."""
    near = get_close_matches(word.lower(), [one.lower() for one in known], 1)
    return f"did you mean '{next(one for one in known if one.lower() == near[0])}'?" if near else ""
