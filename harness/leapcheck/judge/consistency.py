"""An engine that contradicts itself: M and its own bias force and accelerations, the Coriolis force and its own h - g."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates.conventions import product
from leapcheck.entries import dof_names
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.evidence import Evidence, ask_again
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats

ZERO = 1e-12
"""Scale-free size below which an entry of M counts as zero."""

SHRINKS = 1e4
"""Factor by which the right M must bring the engine's own numbers nearer to each other."""

NEAR_ROUNDING = 1e-8
"""Largest scale-free misfit of M vdot + h = tau that may then remain."""

OWN = ("bias_force", "forward_dynamics")

Flags = NDArray[np.bool_]


def self_contradictions(belief: Belief) -> Iterator[Hypothesis]:
    """M with couplings lost or misplaced, or a Coriolis force that is not h - g, where the engine's other answers are right."""
    quantities = belief.evidence.quantities
    if "mass_matrix" in quantities:
        yield from _lost_couplings(belief)
    if {"coriolis_force", "bias_force", "gravity_force"} <= set(quantities):
        yield from _wrong_coriolis(belief)


def _lost_couplings(belief: Belief) -> Iterator[Hypothesis]:
    """M vdot + h misses tau by the engine's own numbers, and couplings are lost: its joints are not depth-first.

    An algorithm that takes a subtree's dofs for neighbours loses couplings or puts them between branches, and leaves the
    diagonal right (stack-of-tasks/pinocchio#1897: crba, but neither rnea nor aba). Where M is all there is, it is a guess.
    """
    evidence, answers = belief.evidence, belief.evidence.answers["mass_matrix"]
    right = belief.prediction("mass_matrix")
    lost, misplaced = _couplings(evidence, answers, right)
    if not lost.any():  # any number in the place of a zero would do for a misplaced one
        return
    names = dof_names(evidence.spec)
    pairs = [f"{names[i]} with {names[j]}" for i, j in np.argwhere(np.triu(lost | misplaced)).tolist()]
    details = (
        f"couplings between dofs are lost{' or misplaced' if misplaced.any() else ''} ({name_list(pairs)}), the diagonal is right"
    )
    answering = _with_couplings(evidence, lost, misplaced)
    own = _own(evidence)
    if own is None:
        words = "couplings of the mass matrix are lost or misplaced, as where joints are not in depth-first order"
        yield engine_fault("engine/depth-first", words, answer_edit=answering, prior=3.0, details=details)
        return
    h, vdot = own
    before, after = (_misfit(evidence, M, h, vdot) for M in (answers, right))
    if after <= NEAR_ROUNDING and after * SHRINKS <= before:
        words = "the mass matrix contradicts the engine's own inverse and forward dynamics: joints not in depth-first order"
        fall = f"M vdot + h misses tau by {before:.2g} of it; with the in-house M in its place by {after:.2g}"
        yield engine_fault("engine/depth-first", words, answer_edit=answering, details=f"{details}; {fall}")


def _couplings(evidence: Evidence, answers: Floats, right: Floats) -> tuple[Flags, Flags]:
    """Entries of M (nv, nv) that are lost and that are misplaced; none at all where others are wrong too."""
    none = np.zeros(answers.shape[1:], dtype=bool)
    scale = scales("mass_matrix", right)
    with np.errstate(all="ignore"):
        sizes = (np.nan_to_num(np.abs(M / scale).max(axis=0), nan=np.inf) for M in (answers, right))
        wrong = (np.abs(answers - right) / scale > np.maximum(ZERO, evidence.allowed["mass_matrix"])[:, None, None]).any(axis=0)
    in_found, in_right = (size > ZERO for size in sizes)
    if not wrong.any() or not (in_found != in_right)[wrong].all() or np.diag(wrong).any():
        return none, none
    return wrong & ~in_found, wrong & in_found


def _with_couplings(evidence: Evidence, lost: Flags, misplaced: Flags) -> AnswerEdit:
    """M without the lost couplings, and with the misplaced ones as the engine answered them."""
    own_M = _own_answers(evidence, "mass_matrix")

    def edit(view: AnswerView, values: Floats) -> Floats:
        values = np.where(lost, 0.0, values)
        return np.where(misplaced, own_M(view), values) if misplaced.any() else values

    return edit_answers(("mass_matrix",), edit)


def _own_answers(evidence: Evidence, quantity: str) -> Callable[[AnswerView], Floats]:
    """The engine's answers at the states of a view: NaN at states that were not asked for."""
    arguments = QUANTITIES[quantity].arguments

    def keys(states: States) -> list[bytes]:
        return [b"".join(map(bytes, row)) for row in zip(*(getattr(states, name) for name in arguments), strict=True)]

    known = dict(zip(keys(evidence.states), evidence.answers[quantity], strict=True))
    unknown = np.full(evidence.answers[quantity].shape[1:], np.nan)
    return lambda view: np.array([known.get(key, unknown) for key in keys(view.states)])


def _own(evidence: Evidence) -> tuple[Floats, Floats] | None:
    """The engine's own h and vdot at the states; None where it does not answer them."""
    if set(OWN) <= set(evidence.quantities):
        return evidence.answers[OWN[0]], evidence.answers[OWN[1]]
    if not evidence.engine.quantities >= set(OWN):
        return None
    answers = ask_again(evidence, evidence.states, OWN)
    return (answers[OWN[0]], answers[OWN[1]]) if answers else None


def _misfit(evidence: Evidence, M: Floats, h: Floats, vdot: Floats) -> float:
    """Scale-free misfit of M vdot + h = tau."""
    force, tau = product(M, vdot), evidence.states.tau
    scale = np.maximum(scales("bias_force", tau), scales("bias_force", force))
    return float(scale_free(force + h - tau, scale).max(initial=0.0))


def _wrong_coriolis(belief: Belief) -> Iterator[Hypothesis]:
    """A Coriolis force that is off while h and g, of which it is the difference, are right: a Coriolis matrix that is wrong.

    So it is in Pinocchio 4.1.0 where joints are geared to one another. It names a contradiction and predicts nothing: its
    "predictions" are the answers themselves.
    """
    evidence = belief.evidence
    off = {name: belief.misfit(name) > 1.0 for name in ("coriolis_force", "bias_force", "gravity_force")}
    if not off["coriolis_force"] or off["bias_force"] or off["gravity_force"]:
        return
    own_force = _own_answers(evidence, "coriolis_force")
    edit = edit_answers(("coriolis_force",), lambda view, _values: own_force(view))
    words = "the Coriolis force contradicts the engine's own inverse dynamics: a Coriolis matrix that is wrong"
    error = evidence.worst_error("coriolis_force")
    details = f"C v is off by {error:.2g} of it, while the engine's h - g is right; a contradiction, no prediction"
    yield engine_fault("engine/coriolis-matrix", words, answer_edit=edit, prior=3.0, details=details)
