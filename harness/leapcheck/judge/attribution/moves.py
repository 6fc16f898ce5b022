"""What each kind of change does to the numbers of its part, exactly and as a rate: mass, com, inertia, place, turn, axis, ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.rotation import skew
from leapcheck_reference.trace.parametric import SIX

Direction = Floats
"""A coordinate axis or the axis of a turn (3,); for an entry of an inertia or for a scalar, a unit vector of the part."""


class Move(NamedTuple):
    """A part's numbers after a change, apply(part, direction, amount); their rate; the unit of the amount; rank, small first."""

    apply: Callable[[Floats, Direction, float], Floats]
    rate: Callable[[Floats, Direction], Floats]
    unit: str = "rad"
    prior: float = 1.5


def _linear(rate: Callable[[Floats, Direction], Floats], unit: str, prior: float) -> Move:
    """A change in proportion to the amount, at the rate where it begins."""
    return Move(lambda part, u, amount: part + amount * rate(part, u), rate, unit, prior)


def _unit_rate(_part: Floats, u: Direction) -> Floats:
    return u


def _mass_rate(part: Floats, _u: Direction) -> Floats:
    """More mass at the same com, with the same rotational inertia about it."""
    c = com(part)
    return np.concatenate([[1.0], c, point_inertia(c)])


def _move_com(part: Floats, u: Direction, amount: float) -> Floats:
    """The com elsewhere, with the same mass and the same rotational inertia about the com."""
    return ten(part[0], com(part) + amount * u, central(part))


def _com_rate(part: Floats, u: Direction) -> Floats:
    c = com(part)
    return np.concatenate([[0.0], part[0] * u, part[0] * six(2.0 * (c @ u) * np.eye(3) - np.outer(c, u) - np.outer(u, c))])


def _turn_inertia(part: Floats, u: Direction, amount: float) -> Floats:
    """The rotational inertia about the com turned, with the same principal moments."""
    R = rotation(u, amount)
    return ten(part[0], com(part), R @ central(part) @ R.T)


def _inertia_turn_rate(part: Floats, u: Direction) -> Floats:
    turning = skew(u) @ central(part)
    return np.concatenate([np.zeros(4), six(turning + turning.T)])


def _turn(turn: Callable[[Floats, Floats], Floats], prior: float) -> Move:
    """A placement turned: `turn` of R (3, 3) and of what turns it."""

    def apply(part: Floats, u: Direction, amount: float) -> Floats:
        return np.concatenate([turn(part[:9].reshape(3, 3), rotation(u, amount)).ravel(), part[9:]])

    def rate(part: Floats, u: Direction) -> Floats:
        return np.concatenate([turn(part[:9].reshape(3, 3), skew(u)).ravel(), np.zeros(3)])

    return Move(apply, rate, prior=prior)


MOVES: Mapping[str, Move] = {
    "mass": _linear(_mass_rate, "kg", 1.0),
    "com": Move(_move_com, _com_rate, "m", 1.1),
    "inertia": _linear(_unit_rate, "kg m^2", 1.15),
    "turned-inertia": Move(_turn_inertia, _inertia_turn_rate),
    "armature": _linear(_unit_rate, "kg m^2 (or kg)", 1.05),
    "gravity": _linear(_unit_rate, "m/s^2", 1.05),
    "gear": _linear(_unit_rate, "", 1.25),
    "point": _linear(_unit_rate, "m", 1.2),
    "place": _linear(lambda _part, u: np.concatenate([np.zeros(9), u]), "m", 1.2),
    "scaled": Move(lambda part, _u, amount: (1.0 + amount) * part, lambda part, _u: part, "of it", 1.2),
    "axis": Move(lambda axis, u, angle: np.asarray(rotation(u, angle) @ axis), lambda axis, u: np.cross(u, axis), "rad", 1.3),
    "turn": _turn(lambda R, D: np.asarray(D @ R), 1.35),  # about a direction of the parent
    "own-turn": _turn(lambda R, D: np.asarray(R @ D), 1.4),  # about a direction of its own
}
"""All kinds of changes: what is mistyped or mistaken most often has the smallest prior."""


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
