"""Where an error sits: entries, rows, kinds of states, and the links that could make it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.compare.entries import entry_name
from leapcheck.compare.errors import scale_free, scales
from leapcheck.judge.case import Case, listed
from leapcheck.judge.fit import equation
from leapcheck.judge.order import DOF_AXES, POINT_QUANTITIES, rows
from leapcheck.judge.storage import FORMS
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats
from leapcheck_models.spec import WORLD, RobotSpec

Flags = NDArray[np.bool_]

VISIBLE = 1e-3
"""Entries are called wrong when their error exceeds this share of the largest."""

CONSTANT = 1e-6
"""Largest relative spread over the states of a difference that is called constant."""

SIX_DIGITS = (1e-9, 1e-6)
"""Scale-free errors as numbers written with six digits make them."""


class Relatives(NamedTuple):
    """Per link the dofs that move it, the dofs of its subtree (bodies, nv), and the links of its subtree (bodies, bodies)."""

    support: Flags
    subtree: Flags
    below: Flags


def relatives(spec: RobotSpec) -> Relatives:
    """Who moves whom."""
    tree = reference.build(spec)
    above = np.zeros((len(tree.links), len(tree.links)), dtype=bool)
    own = np.zeros((len(tree.links), tree.nv), dtype=bool)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            above[i] = above[link.parent]
        above[i, i] = own[i, link.v] = True
    return Relatives(above @ own, above.T @ own, above.T)


def wrong_dofs(at: Case) -> Flags:
    """Dofs (nv,) with wrong rows; those of the force that is missing, for accelerations; none where there are no rows."""
    if at.quantity == "forward_dynamics":
        posed = equation(at)
        return _wrong(scale_free(posed.target - posed.function(posed.tree, slice(None)), posed.scale))
    axes = DOF_AXES.get(at.quantity)
    if axes is None:
        return np.zeros(at.spec.nv, dtype=bool)
    wrong = _wrong(_errors(at))
    return np.asarray(wrong.any(axis=tuple(axis for axis in range(wrong.ndim) if axis != axes[0] - 1)))


def inertia_suspects(at: Case) -> list[int]:
    """Links whose inertia could make just these dofs wrong, those that fewest dofs move first."""
    wrong, support = wrong_dofs(at), relatives(at.spec).support
    possible = [i for i in range(len(support)) if not (wrong & ~support[i]).any()]
    return sorted(possible, key=lambda i: int(support[i].sum()))


def placement_suspects(at: Case) -> list[int]:
    """Links whose place in the parent could make just these dofs or contact points wrong, the least far-reaching first."""
    kin = relatives(at.spec)
    if at.quantity in POINT_QUANTITIES:
        wrong = _wrong(_errors(at)).reshape(at.found.shape[1], -1).any(axis=1)
        links = [at.spec.body_index(point.body) for point in at.spec.contact_points if point.computed]
        touched = np.zeros(len(kin.below), dtype=bool)
        touched[np.array(links)[wrong]] = True
        reach, needed = kin.below, touched
    else:
        reach, needed = kin.support | kin.subtree, wrong_dofs(at)
    possible = [i for i in range(len(reach)) if not (needed & ~reach[i]).any()]
    return sorted(possible, key=lambda i: int(reach[i].sum()))


def pattern(at: Case) -> str:
    """What there is to say about an error whose cause is not recognised, in one sentence."""
    return "; ".join(_remarks(at))


def _remarks(at: Case) -> Iterator[str]:
    error = _errors(at)
    state, *place = (int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
    index, kind = int(at.states.index[state]), at.states.kind[state]
    of_scale = f"{error.max():.3g} of {QUANTITIES[at.quantity].scale}"
    yield f"largest at state {index} ({kind}): {of_scale} in [{_entry(at, tuple(place))}]"
    wrong = _wrong(error)
    if wrong.ndim:
        yield f"{int(wrong.sum())} of {wrong.size} entries are wrong"
    yield from _places(at)
    per_state = error.reshape(len(error), -1).max(axis=1)
    visible = {kind for kind, x in zip(at.states.kind, per_state, strict=True) if x > VISIBLE * error.max()}
    if hidden := set(at.states.kind) - visible:
        few, word = (visible, "only") if len(visible) <= len(hidden) else (hidden, "none")
        yield f"{word} in states of the kind {listed(sorted(few))}"
    difference = at.found - at.expected
    if len(difference) > 1 and np.ptp(difference, axis=0).max(initial=0.0) <= CONSTANT * np.abs(difference).max():
        yield "the difference is the same at all states"
    if SIX_DIGITS[0] < error.max() < SIX_DIGITS[1]:
        yield "an error of this size is left by numbers written with six digits"


def _places(at: Case) -> Iterator[str]:
    """Rows that are wrong, and the link that they point to."""
    suspects: list[int] = []
    if at.quantity in DOF_AXES:
        wrong = wrong_dofs(at)
        if not wrong.all():
            yield f"rows {listed((name for name, flag in zip(rows(at), wrong, strict=True) if flag), 8)}"
            suspects = inertia_suspects(at) or placement_suspects(at)
    elif at.quantity in POINT_QUANTITIES:
        suspects = placement_suspects(at)
    if suspects and at.spec.bodies[suspects[0]].parent != WORLD:
        yield f"the link {at.spec.bodies[suspects[0]].name} and its relatives are enough to account for them"


def _entry(at: Case, place: tuple[int, ...]) -> str:
    if at.quantity in FORMS:
        return ", ".join(rows(at)[i] for i in place)
    return entry_name(at.spec, at.quantity, place) if place else QUANTITIES[at.quantity].label


def _errors(at: Case) -> Floats:
    """Scale-free error of every entry at every state, the shape of the answers."""
    return scale_free(at.found - at.expected, scales(at.quantity, at.expected))


def _wrong(error: Floats) -> Flags:
    """Which entries (the shape of one answer) are visibly wrong at some state."""
    largest = error.max(axis=0)
    flags: Flags = np.asarray(largest > VISIBLE * largest.max(initial=0.0))
    return flags
