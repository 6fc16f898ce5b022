"""Which faults, alone or together, explain an engine's answers: the search through hypotheses and their combinations.

One fault that explains all that deviates, and breaks nothing that is right, is sought first; then faults that explain some
of the quantities, with others for the rest; then pairs that only together explain anything. Whatever else explains as much
with as few faults is kept beside the one that is named: no answer tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.judge import attribution, consistency, defects, dictionary, structure
from leapcheck.judge.belief import SOLVED_FOR, Belief, Hypothesis, Proposal, tabulate
from leapcheck.judge.evidence import Evidence
from leapcheck.quantities import QUANTITIES

FEW = 4
"""States on which hypotheses are screened; what passes is held against all."""

CHEAP = (
    "mass_matrix",
    "contact_positions",
    "gravity_force",
    "potential_energy",
    "kinetic_energy",
    "contact_velocities",
    "bias_force",
    "coriolis_force",
    "contact_jacobians",
    "contact_bias_accelerations",
)
"""Quantities in the order in which they are asked: those that tell most for least first."""

MOST_FAULTS = 3
"""Faults that are sought together, where each explains quantities of its own."""

MOST_STARTS = 6
"""Hypotheses that explain some quantities and are followed up."""

MOST_RANKED, MOST_BESIDE, MOST_FIRST = 4, 8, 24
"""Hypotheses that set most right and are tried in pairs; fixed ones beside which numbers are fitted, or every other fixed one."""

Set = tuple[Hypothesis, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Faults that hold at once, other sets that explain as much, and the quantities that they leave unexplained."""

    belief: Belief
    alternatives: tuple[Set, ...]
    unexplained: tuple[str, ...]


def explanation(evidence: Evidence) -> Explanation:
    """The best explanation of what deviates; without causes where nothing explains anything."""
    deviating = evidence.deviating
    search = _Search(evidence, deviating)
    found = search.found() if deviating else []
    ranked = sorted(found, key=lambda causes: (len(causes), sum(h.prior for h in causes)))
    if ranked:
        fewest = [causes for causes in ranked if len(causes) == len(ranked[0])]
        return Explanation(Belief(evidence, fewest[0]), tuple(fewest[1:]), ())
    causes = search.best_partial
    belief = Belief(evidence, causes)
    return Explanation(belief, (), tuple(q for q in deviating if not belief.explains(q)))


class _Search:
    """The search over one evidence: `few` of its states for screening, and what explains some quantities on the way."""

    def __init__(self, evidence: Evidence, deviating: Sequence[str]) -> None:
        self.evidence, self.deviating = evidence, tuple(deviating)
        self.root = Belief(evidence)
        self.few = Belief(evidence.at(telling_states(evidence, deviating)))
        self.order = sorted(evidence.quantities, key=lambda q: (q not in deviating, _cost(q)))
        self.fixed = tuple(fixed_hypotheses(self.few))
        self._stages: list[list[Set]] = []
        self.best_partial: Set = ()

    def found(self) -> list[Set]:
        """Every set of faults of the smallest number that explains all; none where nothing does."""
        steps: tuple[Callable[[], list[Set]], ...] = (
            lambda: self._simple(()),
            lambda: self._by(many, ()),
            lambda: self._staged(self._simple),
            self._fitted_pairs,
            lambda: self._by(late, ()),
            lambda: self._staged(lambda held: self._by(attribution.blocks, held)),
            self._pairs,
            lambda: self._staged(lambda held: self._by(structure.proposals, held)),
        )
        return next((found for step in steps if (found := step())), [])

    def _simple(self, held: Set) -> list[Set]:
        """All single faults that, added to the held ones, explain everything."""
        belief = self.root.holding(held)
        found = self._screened(held, self.fixed)
        found += self._explaining(held, [*fitted_hypotheses(belief), *attribution.singles(belief)])
        return [(*held, h) for h in found]

    def _by(self, proposal: Proposal, held: Set) -> list[Set]:
        """The same of the faults of one proposal."""
        return [(*held, h) for h in self._explaining(held, proposal(self.root.holding(held)))]

    def _fitted_pairs(self) -> list[Set]:
        """Two numbers of the robot that explain everything together.

        What else explains as much beside either of the first two is asked for, too: it may have a better name.
        """
        pairs = [pair for pair in attribution.pairs(self.root) if self._explains_all(pair)]
        others = [causes for held in (pairs[0] if pairs else ()) for causes in self._simple((held,))]
        known = {frozenset(h.name for h in pair) for pair in pairs}
        return [*pairs, *(causes for causes in others if frozenset(h.name for h in causes) not in known)]

    def _explaining(self, held: Set, hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
        """Those that with the held ones explain everything."""
        return [h for h in hypotheses if self._explains_all((*held, h))]

    def _staged(self, rest: Callable[[Set], list[Set]]) -> list[Set]:
        """Faults that explain some of the quantities each, with more for what they leave: the last by `rest`."""
        for faults in range(1, MOST_FAULTS):
            for held in self._starts(faults):
                if found := rest(held):
                    return found
        return []

    def _starts(self, faults: int) -> list[Set]:
        """Sets of so many faults each of which explains some of the quantities: those first that explain most."""
        if len(self._stages) < faults:
            shorter = self._starts(faults - 1)[:1] if faults > 1 else [()]
            sets = [longer for held in shorter for longer in self._steps(held)]
            explained = {id(causes): self._explained(causes) for causes in sets}
            sets.sort(key=lambda causes: (-explained[id(causes)], sum(h.prior for h in causes)))
            self._stages.append(sets[:MOST_STARTS])
            if sets and explained[id(sets[0])] > self._explained(self.best_partial):
                self.best_partial = sets[0]
        return self._stages[faults - 1]

    def _steps(self, held: Set) -> Iterator[Set]:
        """Faults that added to the held ones explain more of the quantities, and unexplain none."""
        few = self.few.holding(held)
        explained = [q for q in self.order if few.explains(q)]
        left = [q for q in self.deviating if q not in explained]
        asked = [q for q in left if q not in SOLVED_FOR] or left
        hypotheses = [*self.fixed, *self._partly_fitted(held, asked)]
        beliefs = [few.with_(h) for h in hypotheses]
        for quantity in asked:
            tabulate(beliefs, quantity)
        for hypothesis, belief in zip(hypotheses, beliefs, strict=True):
            if any(belief.explains(q) for q in asked) and all(belief.explains(q) for q in explained):
                yield (*held, hypothesis)

    def _partly_fitted(self, held: Set, left: Sequence[str]) -> Iterator[Hypothesis]:
        """Fitted faults that explain at least one of the quantities that tell most of those that are left."""
        for quantity in [q for q in self.order if q in left][:2]:
            alone = Belief(self.evidence.restricted((quantity,)), held)
            yield from (*fitted_hypotheses(alone), *attribution.singles(alone)[:MOST_STARTS])

    def _pairs(self) -> list[Set]:
        """Two faults that only together explain anything.

        The right one of two sets more entries right than most wrong ones, or leaves less of the error: these are followed up.
        """
        found: list[Set] = []
        for hypothesis in dictionary.ranked(self.root, MOST_RANKED):
            belief = self.root.holding((hypothesis,))
            seconds = [*dictionary.ranked(belief, MOST_RANKED), *attribution.singles(belief)]
            found += [(hypothesis, h) for h in self._explaining((hypothesis,), seconds)]
        if found:
            return found
        telling = self._telling(next(q for q in self.order if q in self.deviating))
        for hypothesis in telling[:MOST_BESIDE]:
            belief = self.root.holding((hypothesis,))
            single = [*attribution.singles(belief), *fitted_hypotheses(belief)]
            found += [(hypothesis, h) for h in self._explaining((hypothesis,), single)]
        for i, hypothesis in enumerate(() if found else telling[:MOST_FIRST]):
            found += [(hypothesis, second) for second in self._screened((hypothesis,), telling[i + 1 :])]
        return found

    def _telling(self, quantity: str) -> list[Hypothesis]:
        """The fixed hypotheses under which the quantity is another, those first that leave least of the error."""
        beliefs = [self.few.with_(h) for h in self.fixed]
        tabulate(beliefs, quantity)
        at = self.few.evidence
        before = at.worst_error(quantity)
        left = [at.worst_error(quantity, belief.predicted(quantity)) for belief in beliefs]
        typical = [float(np.median(at.error(quantity, belief.predicted(quantity)))) for belief in beliefs]
        ranked = sorted(range(len(left)), key=lambda i: typical[i])
        return [self.fixed[i] for i in ranked if left[i] != before]

    def _screened(self, held: Set, hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
        """Those that with the held ones explain all quantities: on few states, quantity by quantity, then on all states."""
        few = self.few.holding(held)
        left = list(hypotheses)
        for quantity in self.order:
            beliefs = [few.with_(h) for h in left]
            tabulate(beliefs, quantity)
            left = [h for h, belief in zip(left, beliefs, strict=True) if belief.explains(quantity)]
            if not left:
                return []
        return [h for h in left if self._explains_all((*held, h))]

    def _explains_all(self, causes: Set) -> bool:
        return all(belief.holding(causes).explains(q) for belief in (self.few, self.root) for q in self.order)

    def _explained(self, causes: Set) -> int:
        belief = self.root.holding(causes)
        return sum(belief.explains(q) for q in self.order)


def fixed_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The dictionary's hypotheses that have no number to fit."""
    return (hypothesis for proposal in (*dictionary.FIXED, *defects.FIXED) for hypothesis in proposal(belief))


def fitted_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The dictionary's hypotheses that fit numbers or orders to what the belief leaves unexplained."""
    return (hypothesis for proposal in (*dictionary.FITTED, *defects.FITTED) for hypothesis in proposal(belief))


def many(belief: Belief) -> Iterator[Hypothesis]:
    """Faults that take many numbers of the robot, and those of its structure that may say the same in a word."""
    yield from attribution.blocks(belief)
    yield from structure.proposals(belief)


def late(belief: Belief) -> Iterator[Hypothesis]:
    """What explains by many numbers at once, or by a contradiction: believed where nothing else explains."""
    for proposal in (*defects.LATE, consistency.self_contradictions):
        yield from proposal(belief)


def telling_states(evidence: Evidence, deviating: Sequence[str]) -> list[int]:
    """States, at least `FEW` where there are so many, in which the deviating quantities are off most: ordinary ones first."""
    ordinary = np.array([kind in ("generic", "file") for kind in evidence.states.kind])
    chosen: list[int] = []
    for quantity in deviating:
        with np.errstate(all="ignore"):
            misfit = np.nan_to_num(evidence.error(quantity, evidence.expected[quantity]) / evidence.allowed[quantity], nan=np.inf)
        seen = np.where(ordinary, misfit, 0.0)
        chosen.append(int((seen if seen.max(initial=0.0) > 1.0 else misfit).argmax()))
    spare = [*np.flatnonzero(ordinary).tolist(), *np.flatnonzero(~ordinary).tolist()]
    chosen = list(dict.fromkeys(chosen))[: 2 * FEW]
    return list(dict.fromkeys([*chosen, *spare]))[: max(FEW, len(chosen))]


def _cost(quantity: str) -> int:
    return CHEAP.index(quantity) if quantity in CHEAP else len(CHEAP) + list(QUANTITIES).index(quantity)
