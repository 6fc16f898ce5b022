"""Where an error is: entries, rows, subtree, kinds of joints and of states, and what it grows with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import leapcheck_reference as reference
from leapcheck.entries import dof_names, entry_name, mujoco_dof_names
from leapcheck.judge.belief import Belief
from leapcheck.judge.dependence import dependence
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.form import VISIBLE, Flags, errors, form, matrix_block, visible
from leapcheck.judge.joint_words import MOST_NAMES, dofs_in_words
from leapcheck.judge.layout import DOF_AXES, POINT_QUANTITIES, places
from leapcheck.judge.matrices import FORMS
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck.rounding import scale_free
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import WORLD, JointType, RobotSpec
from leapcheck_reference.batch import evaluate_batch

SIX_DIGITS = (1e-9, 1e-6)
"""Scale-free errors as numbers written with six digits make them."""


class Relatives(NamedTuple):
    """Per link the dofs that move it, the dofs of its subtree (bodies, nv), and the links of its subtree (bodies, bodies)."""

    support: Flags
    subtree: Flags
    below: Flags


def pattern(evidence: Evidence, quantities: Sequence[str], excluded: str = "", known: Belief | None = None) -> str:
    """Where an error shows and which form it has, in a few sentences over all quantities that are off.

    `excluded` is for an error of unknown cause: what it is not. Then the engine is asked again on what the error depends. Where
    faults are `known` that make a part of it, what they leave is described.
    """
    is_part = known is not None and bool(known.hypotheses)
    if known is not None and is_part:
        evidence = replace(evidence, expected={name: known.prediction(name) for name in evidence.quantities})
    off = [name for name in evidence.quantities if name in quantities and evidence.misfit(name, evidence.expected[name]) > 1.0]
    if not off:
        return ""
    first = next((name for name in off if name in DOF_AXES), off[0])
    labels = [f"left over: {name_list((QUANTITIES[name].label for name in off), 6)}"] if is_part else _quantities(evidence, off)
    sentences = [[*labels, *_largest(evidence, first)], [*_places(evidence, first), *_kinds(evidence, off)]]
    sentences.append([*form(evidence, first), *_digits(evidence, off)])
    if excluded and (clauses := list(dependence(known or Belief(evidence), first))):
        sentences.append([clauses[0].replace("it", "at its worst states the error", 1), *clauses[1:]])
    return " ".join(_sentence(clauses) for clauses in (*sentences, [excluded]) if any(clauses))


def _sentence(clauses: Sequence[str]) -> str:
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}."


def relatives(spec: RobotSpec) -> Relatives:
    """Which dofs move which links."""
    tree = reference.build(spec)
    above = np.zeros((len(tree.links), len(tree.links)), dtype=bool)
    own = np.zeros((len(tree.links), tree.nv), dtype=bool)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            above[i] = above[link.parent]
        above[i, i] = own[i, link.v] = True
    return Relatives(above @ own, above.T @ own, above.T)


def wrong_dofs(evidence: Evidence, quantity: str) -> Flags:
    """Dofs (nv,) with wrong rows; for accelerations, those of the missing force; none where there are no rows."""
    axes = DOF_AXES.get(quantity)
    if axes is None:
        return np.zeros(evidence.spec.nv, dtype=bool)
    wrong = visible(_missing_force(evidence) if quantity == "forward_dynamics" else errors(evidence, quantity))
    return np.asarray(wrong.any(axis=tuple(axis for axis in range(wrong.ndim) if axis != axes[0] - 1)))


def inertia_suspects(evidence: Evidence, quantity: str) -> list[int]:
    """Links whose inertia could make just these dofs wrong, those that fewest dofs move first."""
    wrong, support = wrong_dofs(evidence, quantity), relatives(evidence.spec).support
    possible = [i for i in range(len(support)) if not (wrong & ~support[i]).any()]
    return sorted(possible, key=lambda i: int(support[i].sum()))


def placement_suspects(evidence: Evidence, quantity: str) -> list[int]:
    """Links whose place in the parent could make just these dofs or contact points wrong, the least far-reaching first."""
    spec, kin = evidence.spec, relatives(evidence.spec)
    if quantity in POINT_QUANTITIES:
        wrong = visible(errors(evidence, quantity))
        links = [spec.body_index(point.body) for point in spec.contact_points if point.computed]
        needed = np.zeros(len(kin.below), dtype=bool)
        needed[np.array(links)[wrong.reshape(len(wrong), -1).any(axis=1)]] = True
        reach = kin.below
    else:
        reach, needed = kin.support | kin.subtree, wrong_dofs(evidence, quantity)
    possible = [i for i in range(len(reach)) if not (needed & ~reach[i]).any()]
    return sorted(possible, key=lambda i: int(reach[i].sum()))


def _quantities(evidence: Evidence, off: Sequence[str]) -> Iterator[str]:
    if len(evidence.quantities) > 1:
        right = [QUANTITIES[name].label for name in evidence.quantities if name not in evidence.deviating]
        yield f"off: {name_list((QUANTITIES[name].label for name in off), 6)}" + (
            f"; right: {name_list(right, 6)}" if right else ""
        )


def _digits(evidence: Evidence, off: Sequence[str]) -> Iterator[str]:
    if SIX_DIGITS[0] < max(evidence.worst_error(name) for name in off) < SIX_DIGITS[1]:
        yield "an error of this size is left by numbers written with six digits"


def _largest(evidence: Evidence, quantity: str) -> Iterator[str]:
    error = errors(evidence, quantity)
    state, *place = (int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
    index, kind = int(evidence.states.index[state]), evidence.states.kind[state]
    entry = _entry(evidence.spec, quantity, tuple(place))
    yield f"largest at state {index} ({kind}): {error.max():.3g} of {QUANTITIES[quantity].scale} in [{entry}]"
    if (wrong := visible(error)).ndim:
        yield f"{int(wrong.sum())} of {wrong.size} entries {'is' if wrong.sum() == 1 else 'are'} wrong"


def _places(evidence: Evidence, quantity: str) -> Iterator[str]:
    """Rows that are wrong, what they have in common, and the link that they point to."""
    suspects: list[int] = []
    if quantity in POINT_QUANTITIES:
        yield from _points(evidence, quantity)
        suspects = placement_suspects(evidence, quantity)
    if quantity in DOF_AXES:
        wrong = wrong_dofs(evidence, quantity)
        if not wrong.all():
            yield _rows_in_words(evidence.spec, quantity, wrong)
            suspects = inertia_suspects(evidence, quantity) or placement_suspects(evidence, quantity)
        yield from _common(evidence, quantity, wrong)
    bodies = evidence.spec.bodies
    if suspects and bodies[suspects[0]].parent != WORLD:
        yield f"the link {bodies[suspects[0]].name} and its relatives are enough to account for them"


def _rows_in_words(spec: RobotSpec, quantity: str, wrong: Flags) -> str:
    """Which rows are wrong: of accelerations, the rows of the force that they lack."""
    if QUANTITIES[quantity].in_mujoco_coordinates:
        names = (name for name, flag in zip(rows(spec, quantity), wrong, strict=True) if flag)
        return f"only rows of {name_list(names, MOST_NAMES)}"
    words = dofs_in_words(spec, wrong)
    if quantity == "forward_dynamics":
        return f"only the force M vdot + h - tau on {words} is not zero"
    return f"only {'columns' if quantity == 'contact_jacobians' else 'rows'} of {words}"


def _points(evidence: Evidence, quantity: str) -> Iterator[str]:
    """The contact points that are wrong, unless all are."""
    flags = visible(errors(evidence, quantity)).reshape(evidence.answers[quantity].shape[1], -1)
    wrong = [bool(point.any()) for point in flags]
    names = [point.name for point in evidence.spec.contact_points if point.computed]
    if not all(wrong):
        yield f"only the points {name_list((name for name, flag in zip(names, wrong, strict=True) if flag), MOST_NAMES)}"


def _common(evidence: Evidence, quantity: str, wrong: Flags) -> Iterator[str]:
    """One coupling alone, the diagonal alone, one kind of joint alone, or one subtree alone."""
    spec = evidence.spec
    if len(DOF_AXES[quantity]) == 2:
        entries = visible(errors(evidence, quantity))
        names = rows(spec, quantity)
        pairs = [(i, j) for i, j in np.argwhere(entries | entries.T).tolist() if i <= j]
        if len(pairs) == 1 and pairs[0][0] != pairs[0][1]:
            yield f"only the coupling of {names[pairs[0][0]]} and {names[pairs[0][1]]}"
        elif all(i == j for i, j in pairs):
            yield "only the diagonal"
        elif not np.diag(entries).any():
            yield "only couplings, the diagonal is right"
        if len(pairs) > 1 and any(i != j for i, j in pairs) and not QUANTITIES[quantity].in_mujoco_coordinates:
            yield from matrix_block(spec, entries)
    types = {place.joint.type for place in places(spec) if wrong[place.v].any()}
    others = {place.joint.type for place in places(spec) if not wrong[place.v].any() and place.joint.type is not JointType.FIXED}
    if len(types) == 1 and others and not types & others:
        yield f"only {next(iter(types))} joints, and all of them"
    elif len(types) == 1 and others - types - {JointType.FREE} and types != {JointType.FREE}:
        yield f"only {next(iter(types))} joints"
    if wrong.sum() > 1 and "all joints" not in dofs_in_words(spec, wrong):
        yield from _subtree(spec, wrong)


def _subtree(spec: RobotSpec, wrong: Flags) -> Iterator[str]:
    """The smallest subtree that all wrong dofs belong to, where it is not a whole tree."""
    below = relatives(spec).subtree
    holding = [i for i in range(len(below)) if wrong.any() and not (wrong & ~below[i]).any()]
    if holding:
        body = spec.bodies[min(holding, key=lambda i: int(below[i].sum()))]
        if body.parent != WORLD:
            yield f"only dofs of the subtree from {body.name} ({body.joint.name}) on"


def _kinds(evidence: Evidence, off: Sequence[str]) -> Iterator[str]:
    """The kinds of states that show the error, unless all do."""
    with np.errstate(invalid="ignore"):  # infinite where an answer is no number
        shares = [error / error.max() for error in (evidence.error(name, evidence.expected[name]) for name in off)]
    shows = np.max([np.nan_to_num(share, nan=1.0) for share in shares], axis=0) > VISIBLE
    kinds = evidence.states.kind
    visible = {kind for kind, flag in zip(kinds, shows, strict=True) if flag}
    if hidden := set(kinds) - visible:
        few, word = (visible, "only") if len(visible) <= len(hidden) else (hidden, "none")
        yield f"{word} in states of the kind {name_list(sorted(few))}"


def rows(spec: RobotSpec, quantity: str) -> tuple[str, ...]:
    """Names of the dofs, in the order of the quantity's coordinates."""
    return mujoco_dof_names(spec) if QUANTITIES[quantity].in_mujoco_coordinates else dof_names(spec)


def _entry(spec: RobotSpec, quantity: str, place: tuple[int, ...]) -> str:
    if quantity in FORMS:
        return ", ".join(rows(spec, quantity)[i] for i in place)
    return entry_name(spec, quantity, place) if place else QUANTITIES[quantity].label


def _missing_force(evidence: Evidence) -> Floats:
    """Scale-free force (n, nv) that is missing for the accelerations that were found: inverse dynamics less tau."""
    states, vdot = evidence.states, evidence.answers["forward_dynamics"]
    with np.errstate(all="ignore"):
        force = evaluate_batch(reference.inverse_dynamics, reference.build(evidence.spec), states.q, states.v, vdot)
        scale = np.fmax(np.abs(force).max(axis=1), np.abs(states.tau).max(axis=1))[:, None]
    return scale_free(force - states.tau, np.where(scale == 0.0, 1.0, scale))
