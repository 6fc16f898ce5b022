"""Numbers and directions of differences in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Inertia, Vector3
from leapcheck_models.validation import is_realisable, nearest_realisable, rotational_matrix

TINY = 1e-10
"""What turning into other frames leaves of a zero."""

NEAREST = 1e-4
"""Share within which an inertia is the nearest realisable one: files give it to some digits, or a hair inside."""

ALIKE = 2e-3
"""Share within which a simple reason is taken to explain a difference."""


def change(a: float, b: float, unit: str) -> str:
    """Two values and the way from one to the other: "3.3 kg in A, 3.6 kg in B (+9.09 %)"."""
    digits = 4
    while f"{a:.{digits}g}" == f"{b:.{digits}g}" and digits < 9:
        digits += 2
    percent = f" ({100.0 * (b - a) / abs(a):+.3g} %)" if a and abs(b - a) < 10.0 * abs(a) else ""
    return f"{a:.{digits}g} {unit} in A, {b:.{digits}g} {unit} in B{percent}"


def distance(length: float) -> str:
    """A length in mm, in m where it is large."""
    length = length if length > TINY else 0.0
    return f"{length:.3g} m" if length >= 1.0 else f"{1000.0 * length:.3g} mm"


def degrees(angle: float) -> str:
    """An angle given in rad."""
    return f"{math.degrees(angle if angle > TINY else 0.0):.3g} deg"


def vector(values: Sequence[float]) -> str:
    """Entries in brackets."""
    return f"({', '.join(f'{value if abs(value) > TINY else 0.0:.5g}' for value in values)})"


def com_reason(a: Vector3, b: Vector3, slack: float) -> str:
    """Why a com may be elsewhere: zero, a unit, a sign; "" for no simple reason."""
    if max(map(abs, b)) <= slack or max(map(abs, a)) <= slack:
        return f": {'B' if max(map(abs, b)) <= slack else 'A'} has it at the link's origin"
    for factor, words in ((1e3, "B's is 1000 times as far, as in mm"), (1e-3, "A's is 1000 times as far, as in mm")):
        if np.allclose(np.multiply(a, factor), b, rtol=ALIKE, atol=slack):
            return f": {words}"
    signs = [axis for axis, p, q in zip("xyz", a, b, strict=True) if abs(p + q) <= slack < abs(p - q)]
    same = all(abs(p - q) <= slack for axis, p, q in zip("xyz", a, b, strict=True) if axis not in signs)
    return f": {' and '.join(signs)} {'has' if len(signs) == 1 else 'have'} the other sign" if signs and same else ""


def inertia_reason(a: Inertia, b: Inertia) -> str:
    """Why an inertia may differ: signs, units, reference point, axes; "" for no simple reason."""
    A, B = rotational_matrix(a.rotational), rotational_matrix(b.rotational)
    for name, inertia, other in (("A", a, B), ("B", b, A)):
        if not is_realisable(inertia.rotational) and _alike(
            rotational_matrix(nearest_realisable(inertia.rotational)), other, NEAREST
        ):
            return f": no physical body has {name}'s, and the other is the nearest that one has"
    for words, matrix in _readings(a, A):
        if _alike(matrix, B):
            return f": B's {words}"
    for words, matrix in _readings(b, B):
        if _alike(matrix, A):
            return f": A's {words}"
    if _alike(np.diag(np.linalg.eigvalsh(A)), np.diag(np.linalg.eigvalsh(B))):
        return ": the principal moments are the same, the axes are not"
    for name, inertia in (("A", a), ("B", b)):
        if not is_realisable(inertia.rotational):
            return f": no physical body has {name}'s"
    return ""


def _readings(inertia: Inertia, I: Floats) -> list[tuple[str, Floats]]:
    """Common mistakes with an inertia, and what comes of them."""
    com, diagonal = np.array(inertia.com), np.diag(np.diag(I))
    readings = [("has the other sign in all products of inertia", 2.0 * diagonal - I)] if not _alike(I, diagonal) else []
    for i, axis in enumerate("xyz"):
        S = np.diag([-1.0 if j == i else 1.0 for j in range(3)])
        readings.append((f"is mirrored in {axis}", S @ I @ S))
    readings.append(
        ("is about the link's origin, not the com", I + inertia.mass * ((com @ com) * np.eye(3) - np.outer(com, com)))
    )
    readings.append(("has no products of inertia", diagonal))
    readings.append(("is the same about every axis", np.trace(I) / 3.0 * np.eye(3)))
    readings += [(f"is {factor:g} times as large", factor * I) for factor in (1e3, 1e6, 1e-3, 1e-6, 2.0, 0.5)]
    return readings


def _alike(A: Floats, B: Floats, share: float = ALIKE) -> bool:
    return bool(np.abs(A - B).max() <= share * max(abs(float(np.trace(A))), abs(float(np.trace(B)))))
