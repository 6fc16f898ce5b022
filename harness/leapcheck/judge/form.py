"""What form an error has: blocks of M, symmetry, a common factor, the same at all states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.evidence import Evidence
from leapcheck.judge.joint_words import limbs_of
from leapcheck.judge.layout import DOF_AXES, places
from leapcheck.judge.words import number_words, suggestion
from leapcheck.rounding import scale_free
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

Flags = NDArray[np.bool_]

VISIBLE = 1e-3
"""Entries are called wrong when their error exceeds this share of the largest."""

CONSTANT = 1e-6
"""Largest relative spread over the states of a difference that is called constant, or of a factor."""

CLEAR = 1e3
"""No factor is told from an error that is not so many times larger than rounding."""

ROUNDING = 4.0
"""Differences up to so many times what rounding explains are taken for none."""


def errors(evidence: Evidence, quantity: str) -> Floats:
    """Scale-free error of every entry at every state, the shape of the answers."""
    return scale_free(evidence.answers[quantity] - evidence.expected[quantity], evidence.scale[quantity])


def visible(error: Floats) -> Flags:
    """Which entries (the shape of one answer) are visibly wrong at some state."""
    largest = error.max(axis=0)
    flags: Flags = np.asarray(largest > VISIBLE * largest.max(initial=0.0))
    return flags


def form(evidence: Evidence, quantity: str) -> Iterator[str]:
    """The form of an error in words, a clause each; nothing where an answer is no number."""
    if not np.isfinite(evidence.answers[quantity]).all():
        return
    if len(DOF_AXES.get(quantity, ())) == 2:
        yield from _symmetry(evidence, quantity)
    difference = evidence.answers[quantity] - evidence.expected[quantity]
    if len(difference) > 1 and np.ptp(difference, axis=0).max(initial=0.0) <= CONSTANT * np.abs(difference).max():
        yield "the difference is the same at all states"
    yield from _factor(evidence, quantity)


def matrix_block(spec: RobotSpec, wrong: Flags) -> Iterator[str]:
    """The one block of M, of the base and of the limbs, that all wrong entries (nv, nv) are in."""
    groups = _groups(spec)
    names = list(dict.fromkeys(groups))
    blocks = {frozenset((groups[i], groups[j])) for i, j in np.argwhere(wrong).tolist()}
    if len(names) < 2 or not blocks:
        return
    if len(blocks) == 1:
        first, *second = sorted(next(iter(blocks)), key=names.index)
        yield f"only couplings of {first} with {second[0]}" if second else f"only the block of {first}"
    elif all(len(block) == 1 for block in blocks):
        yield "no couplings between limbs, or with the base"
    elif all("the base" in block and len(block) == 2 for block in blocks):
        yield "only couplings of the base with joints"


def _groups(spec: RobotSpec) -> list[str]:
    """Of each dof "the base", or its limb; a root's joint that is no base is a group of its own."""
    limb = {i: first for first, members in limbs_of(spec).items() for i in members}
    groups: list[str] = []
    for place in places(spec):
        body = spec.bodies[place.body]
        own = f"the limb from {spec.bodies[limb[place.body]].name} on" if place.body in limb else body.joint.name
        groups += ["the base" if place.joint.type is JointType.FREE else own] * (place.v.stop - place.v.start)
    return groups


def _symmetry(evidence: Evidence, quantity: str) -> Iterator[str]:
    """Whether the matrix is still symmetric, and if not, where."""
    error = errors(evidence, quantity)
    signed = (evidence.answers[quantity] - evidence.expected[quantity]) / evidence.scale[quantity]
    allowed = ROUNDING * float(evidence.allowed[quantity].max())
    skew = float(np.abs(signed - np.swapaxes(signed, 1, 2)).max(initial=0.0))
    if skew <= allowed + CONSTANT * float(error.max()):
        yield "the matrix is still symmetric"
        return
    wrong = visible(error)
    above, below = np.triu(wrong, 1).any(), np.tril(wrong, -1).any()
    side = "above" if above and not below else "below" if below and not above else ""
    yield f"the matrix is not symmetric: it is wrong {side} the diagonal alone" if side else "the matrix is not symmetric"


def _factor(evidence: Evidence, quantity: str) -> Iterator[str]:
    """The factor between the wrong entries and the right ones, where it is one and the same."""
    error = errors(evidence, quantity)
    wrong = np.broadcast_to(visible(error), error.shape)
    scale = np.broadcast_to(np.where(evidence.scale[quantity] == 0.0, 1.0, evidence.scale[quantity]), error.shape)
    answers, right = (numbers[wrong] / scale[wrong] for numbers in (evidence.answers[quantity], evidence.expected[quantity]))
    largest, noise = float(np.abs(right).max(initial=0.0)), ROUNDING * float(evidence.allowed[quantity].max())
    if not largest:
        return
    factor = float(answers @ right / (right @ right))
    miss = float(np.abs(answers - factor * right).max())
    if float(error.max()) > CLEAR * noise and miss <= CONSTANT * abs(factor - 1.0) * largest + noise:
        subject = "all entries are" if wrong.all() else "the wrong entries are"
        yield f"{subject} {number_words(factor)} times the right ones{suggestion(factor)}"
