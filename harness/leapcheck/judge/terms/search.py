"""Which term of an algorithm is missing, turned round or multiplied: of one element, of a kind of them, or of all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.layout import limb_places, link_groups
from leapcheck.judge.terms.catalogue import KNOWN_AMOUNTS, ElementKind, Formulation, Term, elements
from leapcheck.judge.terms.changes import Change, Place
from leapcheck.judge.terms.effects import QUANTITIES_OF, affordable_forms, effects
from leapcheck.judge.terms.excess import ENERGIES, Excess, excess_of, excess_of_inverse_dynamics, ordinary
from leapcheck.judge.terms.solving import FOLLOWS, SOLVED, consequence
from leapcheck.judge.terms.table import TERMS
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_reference.tree import Tree

NEAR = 1e-6
"""A fitted amount this near to a known one is that."""

MOST_ALIKE = 4
"""Changes of a term with the same effect on one quantity that are looked at: others may tell them apart."""

REMARKS: dict[tuple[Place, float], str] = {
    (("part", 0), 0.5): "or one of the Christoffel symbols' dM_ij/dq_k and dM_ik/dq_j is missing",
    (("part", 1), 1.0): "or the third of the Christoffel symbols' derivatives, dM_jk/dq_i, is missing",
}
"""What a change is in another way of writing the equation."""

NO_PART = 1e-7
"""Elements with less than this share of the largest amount have no part in a fit."""

PRIOR, PRIOR_OF_SUBSET = 2.5, 3.5
"""Of a term changed alike, and differently at different elements."""


DYNAMIC = (Formulation.VECTOR, Formulation.SPATIAL, Formulation.LAGRANGE)
"""Forms that give the bias force."""

UNFITTED: dict[Formulation, frozenset[str]] = {Formulation.VECTOR: frozenset({"mass_matrix"})}
"""What a form gives at so much cost that terms are fitted to the rest."""

SOLVED_WITH = ("mass_matrix", "bias_force", "contact_jacobians")
"""What accelerations and contact inertias follow from."""


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
    few = belief.about(belief.evidence.at_states(ordinary(belief, wrong)))
    for form in (form for form in affordable_forms(few.tree) if reach(form).issuperset(wrong)):
        yield from _fitted(few, form, list(excesses_of_form(few, form, wrong)), wrong)


def terms_in(belief: Belief, quantity: str) -> Iterator[Hypothesis]:
    """Terms that alone explain one quantity which the belief leaves wrong, whatever else is wrong too."""
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    if QUANTITIES[quantity].in_mujoco_coordinates:
        return
    few = belief.about(belief.evidence.at_states(ordinary(belief, [quantity])))
    for form in (form for form in affordable_forms(few.tree) if quantity in reach(form)):
        cheap = [name for name in wrong if name not in UNFITTED.get(form, frozenset())]
        yield from _fitted(few, form, list(excesses_of_form(few, form, [quantity])), cheap)


def _fitted(few: Belief, form: Formulation, excesses: Sequence[Excess], wrong: Sequence[str]) -> Iterator[Hypothesis]:
    """Each term of the form with the change that explains any of the excesses, in what it explains of all that is wrong."""
    if not excesses:
        return
    tried = trials(few.tree, form)
    changes = [change for trial in tried for change in trial.changes]
    explaining: dict[Term, dict[tuple[tuple[Place, float], ...], Change]] = {}
    for excess in excesses:
        shown = effect_on_answers(few, excess.quantity, added_by(few, form, changes, excess.quantity))
        columns = np.split(shown, np.cumsum([len(trial.changes) for trial in tried])[:-1])
        for trial, own in zip(tried, columns, strict=True):
            for change in _fits(trial, own, excess):
                explaining.setdefault(trial.term, {}).setdefault(tuple(sorted(change.items())), change)
    for term, possible in explaining.items():
        yield from _hypothesis(few, term, tuple(possible.values()), wrong)


def excesses_of_form(few: Belief, form: Formulation, wrong: Sequence[str]) -> Iterator[Excess]:
    """What is to be explained of the wrong quantities that the form gives."""
    for name in wrong:
        if name in QUANTITIES_OF[form] - UNFITTED.get(form, frozenset()) and (excess := excess_of(few, name)):
            yield excess
    if few.edits_answers:  # accelerations say what force is missing only as the engine has computed them
        return
    known = {"bias_force", "coriolis_force", "mass_matrix"} & set(wrong)
    only_solved = "forward_dynamics" in wrong and form in DYNAMIC and not known
    if only_solved and (excess := excess_of_inverse_dynamics(few)):
        yield replace(excess, quantity="bias_force")


def added_by(few: Belief, form: Formulation, changes: Sequence[Change], quantity: str) -> Floats:
    """What each change of the form's trials adds to a quantity (changes, n, ...), worked out once for all that deviate."""
    deviating = frozenset() if quantity in ENERGIES else few.evidence.deviating
    wanted = frozenset(deviating) & QUANTITIES_OF[form] - UNFITTED.get(form, frozenset()) - ENERGIES | {quantity}
    key = ("added by terms", form, wanted)
    return few.once_as_read(key, lambda: effects(few.tree, form, few.read, changes, wanted))[quantity]


def effect_on_answers(few: Belief, quantity: str, added: Floats) -> Floats:
    """What becomes of changes (changes, n, ...) of a quantity in the answers: these are affine in what the engine computes."""
    if not few.edits_answers:
        return added
    value, before = few.value(quantity), few.prediction(quantity)
    return np.array([few.edit_answer(quantity, value + change) - before for change in added]).reshape(added.shape)


def trials(tree: Tree, form: Formulation) -> list[TermTrial]:
    """Every term of the form, changed at each of its elements and at each group of them."""
    tried = []
    for term in (term for term in TERMS if term.form is form):
        amounts = (1.0,) if term.is_additive else term.amounts
        if places := [(term.key, i) for i, _ in elements(tree, term)]:
            groups = list(_groups(tree, term, places))
            changes = tuple(dict.fromkeys(group, amount) for amount in amounts for group in groups)
            tried.append(TermTrial(term, tuple(places), changes))
    return tried


def _groups(tree: Tree, term: Term, places: Sequence[Place]) -> Iterator[tuple[Place, ...]]:
    """Each place, all, those of the links that code loops over, and those of one type of joint.

    Of terms whose effects add up a solve tells any other set.
    """
    yield from ((place,) for place in places)
    if len(places) > 1:
        yield tuple(places)
    if term.kind in (ElementKind.POINT, ElementKind.PART):
        return
    links, kinds = tree.links, dict.fromkeys(link.type for link in tree.links)
    chosen = {links[i].name for _, i in places}
    sets = [{link.name for link in links if link.type == kind} for kind in kinds]
    if term.is_additive and not term.instead:
        labels = zip(*limb_places(link.parent for link in links), strict=True)
        sets += [{link.name for link, x in zip(links, label, strict=True) if x == y} for label in labels for y in set(label)]
    else:
        sets += [set(group) for group in link_groups([link.name for link in links], [link.parent for link in links], chosen)]
    groups = (tuple(place for place in places if links[place[1]].name in own) for own in sets)
    yield from (group for group in dict.fromkeys(groups) if 1 < len(group) < len(places))


def _fits(trial: TermTrial, columns: Floats, excess: Excess) -> list[Change]:
    """Changes of a term that explain the excess: of a single element, of a group with one amount, or of any set of elements.

    `columns` (changes, n, ...) is what each change of the trial adds.
    """
    near = excess.near.ravel()
    A, b = columns.reshape(len(columns), -1) / near, excess.off.ravel() / near
    squares = np.einsum("km,km->k", A, A)
    shown = squares > 1.0
    amounts = np.ones(len(A))
    if trial.term.is_additive:
        fitted = A @ b / np.where(shown, squares, 1.0)
        amounts = np.array([_known(float(amount)) for amount in fitted])
    possible = shown & np.isin(amounts, trial.term.amounts if trial.term.is_additive else (1.0,))
    explains = [k for k in np.flatnonzero(possible) if np.abs(b - amounts[k] * A[k]).max() <= 1.0]
    if explains:
        several = [trial.changes[k] for k in explains[:MOST_ALIKE]]
        return [
            {place: float(amounts[k]) * x for place, x in change.items()} for k, change in zip(explains, several, strict=False)
        ]
    return _set_fit(trial, A, b, np.flatnonzero(shown[: len(trial.places)]))


def _set_fit(trial: TermTrial, A: Floats, b: Floats, visible: NDArray[np.intp]) -> list[Change]:
    """The set of single elements (first rows of A) whose columns add up to b, each with a known amount, if there is one."""
    if not trial.term.is_additive or len(visible) < 2 or len(b) < 3 * len(visible):
        return []
    x = np.linalg.lstsq(A[visible].T, b, rcond=1e-12)[0]
    part = visible[np.abs(x) > NO_PART * np.abs(x).max()]
    x = np.array([_known(float(amount)) for amount in np.linalg.lstsq(A[part].T, b, rcond=1e-12)[0]])
    if np.abs(b - x @ A[part]).max() > 1.0 or not set(x) <= set(trial.term.amounts):
        return []
    return [{trial.places[k]: float(amount) for k, amount in zip(part, x, strict=True)}]


def _known(amount: float) -> float:
    return next((known for known in KNOWN_AMOUNTS if abs(amount - known) <= NEAR), amount)


def _hypothesis(few: Belief, term: Term, possible: Sequence[Change], wrong: Sequence[str]) -> Iterator[Hypothesis]:
    """The hypothesis of the change that explains most of the wrong quantities, in those that it explains."""
    concerned = [name for name in wrong if name in reach(term.form)]
    for with_solved in (concerned, [name for name in concerned if name in QUANTITIES_OF[term.form]]):
        scopes = []
        for change in possible:
            belief = few.plus(engine_fault("trial", "", answer_edit=_edit(few, term.form, change, with_solved)))
            scopes.append([name for name in with_solved if belief.explains(name)])
        scope = max(scopes, key=len)
        if scope:
            change = possible[scopes.index(scope)]
            wider = None if scope == concerned else named_hypothesis(few, term, change, concerned)
            yield replace(named_hypothesis(few, term, change, scope), wider=wider)
            return


def named_hypothesis(few: Belief, term: Term, change: Change, scope: Sequence[str]) -> Hypothesis:
    """The hypothesis that a term is changed in the quantities of the scope."""
    tree = few.tree
    labels = name_list((QUANTITIES[name].label for name in scope), 8)
    remarks = "".join(f", {REMARKS[place, amount]}" for place, amount in change.items() if (place, amount) in REMARKS)
    return engine_fault(
        f"term/{term.key}:{','.join(name for i, name in elements(tree, term) if (term.key, i) in change)}",
        _words(tree, term, change),
        answer_edit=_edit(few, term.form, change, scope),
        prior=PRIOR if len(set(change.values())) == 1 else PRIOR_OF_SUBSET,
        details=f"the equation is {term.equation} ({term.form.value}){remarks}; so in {labels}",
    )


def reach(form: Formulation) -> frozenset[str]:
    """What a form gives, and what an engine solves for or multiplies out with that."""
    own = QUANTITIES_OF[form]
    follows = set(SOLVED) if form is Formulation.COMPOSITE else set(FOLLOWS) if own & set(SOLVED_WITH) else set()
    return own | follows


def _edit(belief: Belief, form: Formulation, change: Change, scope: Iterable[str]) -> AnswerEdit:
    """The answers in which the term is changed, in the quantities of the scope.

    Accelerations follow from those of M and h that have it; from both where there is nothing that tells.
    """
    scope, tree = frozenset(scope), belief.tree
    own = QUANTITIES_OF[form]
    if own & scope:
        source = own & set(SOLVED_WITH) - (set(belief.evidence.quantities) - scope)
    else:
        source = own & ({"bias_force"} if form in DYNAMIC else set(SOLVED_WITH))

    known: dict[Hashable, dict[str, Floats]] = {}  # many other hypotheses are tried beside this one, at the same states

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity not in scope:
            return values
        wanted, read = frozenset([quantity]) if quantity in own else frozenset(source), view.read
        key = (wanted, read.q.tobytes(), read.v.tobytes(), read.tau.tobytes())
        if key not in known:
            known[key] = {name: block[0] for name, block in effects(tree, form, read, [change], wanted).items()}
        return consequence(view, quantity, values, known[key])

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
