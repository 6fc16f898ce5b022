"""In which ways a code takes a body's numbers for others: its own com or the other side's, a mass twice, no rotor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from leapcheck.judge.attribution.moves import central, com, ten
from leapcheck.judge.dictionary.inertias import WAYS as INERTIA_WAYS
from leapcheck.judge.dictionary.inertias import Reading
from leapcheck_models.arrays import Floats

AXES = "xyz"

ONCE: Mapping[float, str] = MappingProxyType({1.0: ""})
"""The only amount of a way that is taken or not."""

FACTORS: Mapping[float, str] = MappingProxyType(
    {-1.0: "is left out", 1.0: "is doubled", -2.0: "has the opposite sign", -0.5: "is halved"}
)
"""What an amount says of something multiplied by 1 + amount."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way: the part (`kind`, of a link or of a rotor) whose numbers it changes, and a clause for the bodies, "{}".

    `read` gives the numbers at amount 1. A way that `scales` goes in proportion to its amount; others are taken or not.
    """

    name: str
    kind: str
    rotor: bool
    words: str
    read: Callable[[Floats], Floats]
    scales: bool = False


def _inertia(reading: Reading) -> Callable[[Floats], Floats]:
    return lambda own: reading(float(own[0]), com(own), central(own))


def _flipped(k: int) -> Floats:
    return np.asarray(1.0 - 2.0 * np.eye(3)[k])


def _flipped_com(k: int) -> Callable[[Floats], Floats]:
    return _inertia(lambda m, c, I: ten(m, _flipped(k) * c, I))


def _flipped_place(k: int) -> Callable[[Floats], Floats]:
    return lambda own: np.concatenate([own[:9], _flipped(k) * own[9:]])


def _at_origin(own: Floats) -> Floats:
    return np.concatenate([own[:9], 0.0 * own[9:]])


_MORE: Mapping[str, tuple[str, Callable[[Floats], Floats]]] = {
    "com-sign": ("the com of {} has the opposite sign", _inertia(lambda m, c, I: ten(m, -c, I))),
    **{
        f"com-sign-{AXES[k]}": (f"the com of {{}} is mirrored: its {AXES[k]} has the opposite sign", _flipped_com(k))
        for k in range(3)
    },
    "mass-left-out": ("the mass of {} is left out, the inertia about the com is not", _inertia(lambda _m, c, I: ten(0.0, c, I))),
}

_PLACES: Mapping[str, tuple[str, Callable[[Floats], Floats]]] = {
    **{
        f"place-sign-{AXES[k]}": (f"the place of {{}} is mirrored: its {AXES[k]} has the opposite sign", _flipped_place(k))
        for k in range(3)
    },
    "place-left-out": ("the place of {} is left out: taken to be at the origin of what carries it", _at_origin),
}

_SCALED: Mapping[str, tuple[str, Callable[[Floats], Floats]]] = {
    "mass": ("the mass of {}", _inertia(lambda m, c, I: ten(2.0 * m, c, I))),
    "inertia": ("the rotational inertia about the com of {}", _inertia(lambda m, c, I: ten(m, c, 2.0 * I))),
    "scaled": ("the whole inertia of {}", lambda own: 2.0 * own),
}

WAYS: tuple[Way, ...] = (
    *(
        Way(f"inertia-{name}", "inertia", rotor, words, _inertia(reading))
        for name, (words, reading) in INERTIA_WAYS.items()
        for rotor in (False, True)
    ),
    *(Way(name, "inertia", rotor, words, read) for name, (words, read) in _MORE.items() for rotor in (False, True)),
    *(
        Way(name, "inertia", rotor, words, read, scales=True)
        for name, (words, read) in _SCALED.items()
        for rotor in (False, True)
    ),
    *(Way(name, "placement", True, words, read) for name, (words, read) in _PLACES.items()),
    Way("armature", "armature", False, "the armature of {}", lambda own: 2.0 * own, scales=True),
)
"""Ways whose effects on several bodies add up."""

ALONG_CHAINS: tuple[Way, ...] = (
    *(Way(name, "placement", False, words, read) for name, (words, read) in _PLACES.items()),
    Way("axis-sign", "axis", False, "the axis of the joint of {} has the opposite sign", lambda own: -own),
)
"""Ways whose effects depend on what is done to the links before them."""
