"""What each kind of change does to the numbers of its part, exactly and as a rate: mass, com, inertia, place, turn, axis, ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from leapcheck.states import Floats
from leapcheck_reference.rotation import skew
from leapcheck_reference.trace.parametric import SIX

Direction = Floats
"""A coordinate axis or the axis of a turn (3,); for an entry of an inertia or for a scalar, a unit vector of the part."""


class Move(NamedTuple):
    """The numbers of a part after a change by an amount, and how fast they change with it: (part, direction[, amount])."""

    moved: Callable[[Floats, Direction, float], Floats]
    rate: Callable[[Floats, Direction], Floats]


def _mass(part: Floats, _u: Direction, amount: float) -> Floats:
    """More mass at the same com, with the same rotational inertia about it."""
    return part + amount * _mass_rate(part, _u)


def _mass_rate(part: Floats, _u: Direction) -> Floats:
    c = com(part)
    return np.concatenate([[1.0], c, point_inertia(c)])


def _com(part: Floats, u: Direction, amount: float) -> Floats:
    """The com elsewhere, with the same mass and the same rotational inertia about the com."""
    return ten(part[0], com(part) + amount * u, central(part))


def _com_rate(part: Floats, u: Direction) -> Floats:
    c = com(part)
    return np.concatenate([[0.0], part[0] * u, part[0] * six(2.0 * (c @ u) * np.eye(3) - np.outer(c, u) - np.outer(u, c))])


def _turned_inertia(part: Floats, u: Direction, amount: float) -> Floats:
    """The rotational inertia about the com turned, with the same principal moments."""
    R = rotation(u, amount)
    return ten(part[0], com(part), R @ central(part) @ R.T)


def _turned_inertia_rate(part: Floats, u: Direction) -> Floats:
    turning = skew(u) @ central(part)
    return np.concatenate([np.zeros(4), six(turning + turning.T)])


def _turn(part: Floats, u: Direction, amount: float) -> Floats:
    """A placement turned about a direction of the parent."""
    return np.concatenate([(rotation(u, amount) @ part[:9].reshape(3, 3)).ravel(), part[9:]])


def _turn_rate(part: Floats, u: Direction) -> Floats:
    return np.concatenate([(skew(u) @ part[:9].reshape(3, 3)).ravel(), np.zeros(3)])


def _own_turn(part: Floats, u: Direction, amount: float) -> Floats:
    """A placement turned about a direction of its own."""
    return np.concatenate([(part[:9].reshape(3, 3) @ rotation(u, amount)).ravel(), part[9:]])


def _own_turn_rate(part: Floats, u: Direction) -> Floats:
    return np.concatenate([(part[:9].reshape(3, 3) @ skew(u)).ravel(), np.zeros(3)])


def _place(part: Floats, u: Direction, amount: float) -> Floats:
    return part + amount * _place_rate(part, u)


def _place_rate(_part: Floats, u: Direction) -> Floats:
    return np.concatenate([np.zeros(9), u])


def _axis(part: Floats, u: Direction, amount: float) -> Floats:
    turned: Floats = rotation(u, amount) @ part
    return turned


def _axis_rate(part: Floats, u: Direction) -> Floats:
    return np.cross(u, part)


def _added(part: Floats, u: Direction, amount: float) -> Floats:
    return part + amount * u


def _added_rate(_part: Floats, u: Direction) -> Floats:
    return u


def _scaled(part: Floats, _u: Direction, amount: float) -> Floats:
    return (1.0 + amount) * part


def _scaled_rate(part: Floats, _u: Direction) -> Floats:
    return part


_PLAIN = Move(_added, _added_rate)

MOVES: Mapping[str, Move] = {
    "mass": Move(_mass, _mass_rate),
    "com": Move(_com, _com_rate),
    "turned-inertia": Move(_turned_inertia, _turned_inertia_rate),
    "turn": Move(_turn, _turn_rate),
    "own-turn": Move(_own_turn, _own_turn_rate),
    "place": Move(_place, _place_rate),
    "axis": Move(_axis, _axis_rate),
    "scaled": Move(_scaled, _scaled_rate),
    **dict.fromkeys(("inertia", "armature", "gear", "point", "gravity"), _PLAIN),
}
"""All kinds of changes."""


def com(inertia: Floats) -> Floats:
    """Com (3,) of ten numbers; the origin where there is no mass."""
    place: Floats = inertia[1:4] / inertia[0] if inertia[0] else np.zeros(3)
    return place


def central(inertia: Floats) -> Floats:
    """Rotational inertia (3, 3) about the com, of ten numbers."""
    I = np.zeros((3, 3))
    for (i, j), entry in zip(SIX, (inertia[4:] - inertia[0] * point_inertia(com(inertia))).tolist(), strict=True):
        I[i, j] = I[j, i] = entry
    return I


def ten(mass: float, place: Floats, about_com: Floats) -> Floats:
    """Ten numbers of a mass, a com (3,) and a rotational inertia about it (3, 3)."""
    return np.concatenate([[mass], mass * place, six(about_com) + mass * point_inertia(place)])


def six(matrix: Floats) -> Floats:
    """Six numbers of a symmetric matrix."""
    return np.array([matrix[i, j] for i, j in SIX])


def point_inertia(c: Floats) -> Floats:
    """Six numbers of c~ c~^T, what a unit mass at c (3,) adds."""
    return six((c @ c) * np.eye(3) - np.outer(c, c))


def rotation(axis: Floats, angle: float) -> Floats:
    """1 + sin a~ + (1 - cos) a~ a~ (3, 3) of a unit axis (3,)."""
    A = skew(axis)
    R: Floats = np.eye(3) + np.sin(angle) * A + (1.0 - np.cos(angle)) * (A @ A)
    return R
