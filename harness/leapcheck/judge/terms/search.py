"""Which term of an algorithm is missing, turned round or multiplied: of one element, of a kind of them, or of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.dictionary.robust import tolerance
from leapcheck.judge.layout import limb_places
from leapcheck.judge.terms.catalogue import TERMS, ElementKind, Formulation, Term, elements
from leapcheck.judge.terms.changes import Change, Place
from leapcheck.judge.terms.effects import QUANTITIES_OF, effects
from leapcheck.judge.terms.solving import SOLVED, quantity_with, solve
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_reference.tree import Tree

FEW = 8
"""Ordinary states at which terms are fitted."""

KNOWN_AMOUNTS = {
    1.0: "is missing",
    2.0: "has the opposite sign",
    0.5: "is halved",
    -1.0: "is doubled",
}
"""What an amount says in words."""

NEAR = 1e-6
"""A fitted amount this near to a known one is that."""

NO_PART = 1e-7
"""Elements with less than this share of the largest amount have no part in a fit."""

PRIOR, PRIOR_OF_SUBSET = 2.5, 3.5
"""Of a term changed alike, and differently at different elements."""


@dataclass(frozen=True, slots=True, eq=False)
class Excess:
    """What a quantity's answers have too much, `off` (n, ...), and what of that rounding explains, `near` (n, ...)."""

    quantity: str
    off: Floats
    near: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TermTrial:
    """The changes of one term that are tried: at each of its places first, then at groups of them."""

    term: Term
    places: tuple[Place, ...]
    changes: tuple[Change, ...]


def terms(belief: Belief) -> Iterator[Hypothesis]:
    """Terms that alone explain some quantities which the belief leaves wrong, in the quantities that they explain.

    A form that cannot reach all of these is passed over: none of its terms explains everything, and trying them costs most.
    """
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    if not wrong or any(QUANTITIES[name].in_mujoco_coordinates for name in wrong):
        return
    few = belief.about(belief.evidence.at_states(_ordinary(belief)))
    for form in (form for form in Formulation if _reach(form).issuperset(wrong)):
        excesses = list(_excesses(few, form, wrong))
        if not excesses:
            continue
        trials = _trials(few.tree, form)
        changes = [change for trial in trials for change in trial.changes]
        added = effects(few.tree, form, few.read, changes, {excess.quantity for excess in excesses})
        explaining: dict[tuple[tuple[Place, float], ...], tuple[Term, Change]] = {}
        for excess in excesses:
            answered = _answered(few, excess.quantity, added[excess.quantity])
            columns = np.split(answered, np.cumsum([len(trial.changes) for trial in trials])[:-1])
            for trial, own in zip(trials, columns, strict=True):
                if change := _fit(trial, own, excess):
                    explaining.setdefault(tuple(sorted(change.items())), (trial.term, change))
        for term, change in explaining.values():
            yield from _hypothesis(few, term, change, wrong)


def _ordinary(belief: Belief) -> list[int]:
    kinds = belief.evidence.states.kind
    rows = [i for i, kind in enumerate(kinds) if kind in ("generic", "file")] or list(range(len(kinds)))
    return rows[:FEW]


def _excesses(few: Belief, form: Formulation, wrong: Sequence[str]) -> Iterator[Excess]:
    evidence = few.evidence
    for name in wrong:
        if name in QUANTITIES_OF[form] and np.isfinite(evidence.answers[name]).all():
            yield Excess(name, evidence.answers[name] - few.prediction(name), tolerance(evidence, name))
    if few.edits_answers:  # accelerations say what force is missing only as the engine has computed them
        return
    if "forward_dynamics" in wrong and form is not Formulation.COMPOSITE and not {"bias_force", "coriolis_force"} & set(wrong):
        M, a = few.value("mass_matrix"), evidence.answers["forward_dynamics"]
        off = few.read.tau - np.einsum("nij,nj->ni", M, a) - few.value("bias_force")
        near = np.einsum("nij,nj->ni", np.abs(M), tolerance(evidence, "forward_dynamics"))
        yield Excess("bias_force", off, near)


def _answered(few: Belief, quantity: str, added: Floats) -> Floats:
    """What becomes of changes (changes, n, ...) of a quantity in the answers: these are affine in what the engine computes."""
    if not few.edits_answers:
        return added
    value, before = few.value(quantity), few.prediction(quantity)
    return np.array([few.edit_answer(quantity, value + change) - before for change in added]).reshape(added.shape)


def _trials(tree: Tree, form: Formulation) -> list[TermTrial]:
    """Every term of the form, changed at each of its elements and at each group of them."""
    trials = []
    for term in (term for term in TERMS if term.form is form):
        if places := [(term.key, i) for i, _ in elements(tree, term)]:
            limbs = _limbs(tree, places) if term.kind not in (ElementKind.POINT, ElementKind.PART) else ()
            every = [tuple(places)] if len(places) > 1 else []
            groups = [*((place,) for place in places), *every, *limbs]
            trials.append(TermTrial(term, tuple(places), tuple(dict.fromkeys(group, 1.0) for group in groups)))
    return trials


def _limbs(tree: Tree, places: Sequence[Place]) -> Iterator[tuple[Place, ...]]:
    """The elements equally far from the root (all knees), and those of each limb."""
    for label in zip(*limb_places(link.parent for link in tree.links), strict=True):
        ordered = sorted(places, key=lambda place: label[place[1]])
        for _, members in groupby(ordered, key=lambda place: label[place[1]]):
            group = tuple(members)
            if 1 < len(group) < len(places):
                yield group


def _fit(trial: TermTrial, columns: Floats, excess: Excess) -> Change | None:
    """The change of a term that explains the excess: a single element, a group with one amount, or any set of elements.

    `columns` (changes, n, ...) is what each change of the trial adds.
    """
    term, places, near = trial.term, trial.places, excess.near.ravel()
    A, b = columns.reshape(len(columns), -1) / near, excess.off.ravel() / near
    squares = np.einsum("km,km->k", A, A)
    shown = squares > 1.0
    amounts = np.where(shown, A @ b / np.where(shown, squares, 1.0), 0.0)
    for k in np.argsort(np.linalg.norm(b - amounts[:, None] * A, axis=1))[:2]:
        amount = _known(float(amounts[k]))
        possible = (1.0,) if term.instead else KNOWN_AMOUNTS
        if shown[k] and amount in possible and np.abs(b - amount * A[k]).max() <= 1.0:
            return dict.fromkeys(trial.changes[k], amount)
    visible = np.flatnonzero(shown[: len(places)])
    if not term.is_additive or len(visible) < 2 or len(b) < 3 * len(visible):
        return None
    x = np.linalg.lstsq(A[visible].T, b, rcond=1e-12)[0]
    part = visible[np.abs(x) > NO_PART * np.abs(x).max()]
    x = np.array([_known(float(amount)) for amount in np.linalg.lstsq(A[part].T, b, rcond=1e-12)[0]])
    if np.abs(b - x @ A[part]).max() > 1.0 or not set(x) <= set(KNOWN_AMOUNTS):
        return None
    return {places[k]: float(amount) for k, amount in zip(part, x, strict=True)}


def _known(amount: float) -> float:
    return next((known for known in KNOWN_AMOUNTS if abs(amount - known) <= NEAR), amount)


def _hypothesis(few: Belief, term: Term, change: Change, wrong: Sequence[str]) -> Iterator[Hypothesis]:
    """The hypothesis in those of the wrong quantities that it explains."""
    tree = few.tree
    words, amounts = _words(tree, term, change), set(change.values())
    prior = PRIOR if len(amounts) == 1 else PRIOR_OF_SUBSET
    concerned = [name for name in wrong if name in _reach(term.form)]
    for with_solved in (concerned, [name for name in concerned if name in QUANTITIES_OF[term.form]]):
        hypothesis = engine_fault(
            f"term/{term.key}:{','.join(name for i, name in elements(tree, term) if (term.key, i) in change)}",
            words,
            answer_edit=_edit(tree, term.form, change, with_solved),
            prior=prior,
        )
        belief = few.plus(hypothesis)
        scope = [name for name in with_solved if belief.explains(name)]
        if not scope:
            continue
        labels = name_list((QUANTITIES[name].label for name in scope), 8)
        details = f"the equation is {term.equation} ({term.form.value}); so in {labels}"
        yield engine_fault(
            hypothesis.name, words, answer_edit=_edit(tree, term.form, change, scope), prior=prior, details=details
        )
        return


def _reach(form: Formulation) -> frozenset[str]:
    """What a form gives, and what an engine solves for or multiplies out with that."""
    return QUANTITIES_OF[form] | (set(SOLVED) if form is Formulation.COMPOSITE else {"forward_dynamics"})


def _edit(tree: Tree, form: Formulation, change: Change, scope: Iterable[str]) -> AnswerEdit:
    """The answers in which the term is changed, in the quantities of the scope."""
    scope = frozenset(scope)

    def effect(view: AnswerView, quantity: str) -> Floats:
        (values,) = effects(tree, form, view.read, [change], [quantity])[quantity]
        return np.asarray(values)

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity not in scope:
            return values
        if quantity in QUANTITIES_OF[form]:
            return values + effect(view, quantity)
        M = view.value("mass_matrix")
        if form is Formulation.COMPOSITE:
            return quantity_with(view, quantity, values, M + effect(view, "mass_matrix"))
        return values - solve(M, effect(view, "bias_force")[..., None]).reshape(values.shape)

    return edit


def _words(tree: Tree, term: Term, change: Change) -> str:
    """What is wrong with the term, as a programmer says it."""
    amounts = list(dict.fromkeys(change.values()))
    phrases = []
    for amount in amounts:
        named = _named(tree, term, [place for place, value in change.items() if value == amount])
        if term.instead:
            phrases.append(f"{term.noun.format(named)} is {term.instead}")
        else:
            phrases.append(f"{term.noun.format(named)} {KNOWN_AMOUNTS[amount]}")
    return "; ".join(phrases)


def _named(tree: Tree, term: Term, places: Sequence[Place]) -> str:
    every = dict(elements(tree, term))
    if len(places) == len(every) > 1:
        return f"every {'link that slides or floats' if 'slides' in term.kind else term.kind}"
    return name_list((every[i] for _, i in places), 12)
