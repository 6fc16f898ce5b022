"""Whether sets of faults explain an engine's answers, and with which one more of each kind they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from leapcheck.judge import attribution, dictionary, structure, terms
from leapcheck.judge.belief import SHRINKS, SOLVED_FOR, Belief, Hypothesis, Proposal, tabulate
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.proposals import fitted_hypotheses, fixed_hypotheses
from leapcheck.judge.robots_reach import may_be_another_robot
from leapcheck.judge.telling import cost, telling_states

MOST_KNOWN = 1
"""Faults beside which two terms are sought."""

MOST_RANKED, MOST_BESIDE, MOST_FIRST = 4, 8, 24
"""In pairs: best-ranked hypotheses; fixed ones to which fitted ones are added; fixed ones tried with every other."""

FaultSet = tuple[Hypothesis, ...]


class FaultTrials:
    """Trials on one evidence: `few` of its states for screening, then all of them."""

    def __init__(self, evidence: Evidence, known: Sequence[Hypothesis] = ()) -> None:
        """Takes what there is to explain, and faults that explain other quantities."""
        self.evidence, self.deviating = evidence, evidence.deviating
        self.root = Belief(evidence)
        self.few = Belief(evidence.at_states(telling_states(evidence, self.deviating)))
        self.order = sorted(evidence.quantities, key=lambda q: (q not in self.deviating, cost(q)))
        self.fixed = (*known, *fixed_hypotheses(self.few))
        self._fits: dict[tuple[int, ...], tuple[FaultSet, list[Hypothesis]]] = {}
        self._robots: dict[tuple[int, ...], tuple[FaultSet, bool]] = {}

    def may_be_a_robot(self, faults: FaultSet) -> bool:
        """Whether numbers of a robot could make what the faults leave; kept, as many kinds of search ask."""
        key = tuple(map(id, faults))
        if key not in self._robots:
            self._robots[key] = faults, may_be_another_robot(self.root.plus(*faults))
        return self._robots[key][1]

    def with_structure(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with one of the robot's structure."""
        if faults and not self.may_be_a_robot(faults):
            return []
        return self.with_proposal(structure.proposals, faults)

    def number_blocks(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with several numbers of the robot."""
        return self.with_proposal(attribution.blocks, faults) if self.may_be_a_robot(faults) else []

    def many_numbers(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with several numbers of the robot that explain the rest, or a word for what these say of its structure."""
        sets = self.number_blocks(faults)
        return [*sets, *self.with_structure(faults)] if sets else []

    def with_simple_fault(self, faults: FaultSet) -> list[FaultSet]:
        """Every single fault that, added to the others, explains everything."""
        belief = self.root.plus(*faults)
        sets = self.screen(faults, self.fixed)
        numbers = attribution.singles(belief) if self.may_be_a_robot(faults) else []
        sets += self.explaining(faults, [*self.fits(faults), *numbers])
        return sets or ([] if faults else [(h,) for h in self._other_robots()])

    def _other_robots(self) -> list[Hypothesis]:
        """Fixed hypotheses about the robot that explain all up to the rounding of the robot that the engine then has.

        One in other units, say, may round far more than the right one: M is then right to fewer digits.
        """
        first, few = self.order[0], self.few.evidence
        most = few.worst_error(first) / SHRINKS
        edits = [h for h in self.fixed if h.spec_edit and few.worst_error(first, self.few.plus(h).prediction(first)) <= most]
        return [h for h in edits if all(map(self.root.plus(h).with_own_rounding().explains, self.order))]

    def with_two_terms(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with two terms that together explain what is most telling of the rest."""
        belief = self.root.plus(*faults)
        left = [q for q in self.order if q not in SOLVED_FOR and not belief.explains(q)]
        pairs = terms.term_pairs_in(belief, left[0]) if left and len(faults) <= MOST_KNOWN else ()
        longer = ((*faults, *pair) for pair in pairs)
        return [wide for sets in longer for wide in self.widths(sets) if self.explains_all(wide)]

    def with_proposal(self, proposal: Proposal, faults: FaultSet) -> list[FaultSet]:
        """The same for the faults of one proposal."""
        return self.explaining(faults, proposal(self.root.plus(*faults)))

    def parameter_pairs(
        self, pairs_of: Callable[[Belief], list[tuple[Hypothesis, Hypothesis]]], faults: FaultSet
    ) -> list[FaultSet]:
        """The faults with two numbers of the robot, or one and a block of others, that explain everything together.

        What else explains as much with either of the first two is sought, too: it may have a better name.
        """
        if not self.may_be_a_robot(faults):
            return []
        pairs = [(*faults, *pair) for pair in pairs_of(self.root.plus(*faults))]
        pairs = [longer for longer in pairs if self.explains_all(longer)]
        firsts = pairs[0][len(faults) :] if pairs else ()
        others = [longer for first in firsts for longer in self.with_simple_fault((*faults, first))]
        known = {frozenset(h.name for h in longer) for longer in pairs}
        return [*pairs, *(longer for longer in others if frozenset(h.name for h in longer) not in known)]

    def with_parameter_set(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with any number of inertial parameters that explain the rest."""
        if not self.may_be_a_robot(faults):
            return []
        sets = [(*faults, *several) for several in attribution.sets(self.root.plus(*faults))]
        return [longer for longer in sets if self.explains_all(longer)]

    def explaining(self, faults: FaultSet, hypotheses: Iterable[Hypothesis]) -> list[FaultSet]:
        """The faults with each of those that, added to them, explain everything: as they are, or in all that they concern."""
        longer = ((*faults, h) for h in hypotheses)
        return [wide for sets in longer for wide in self.widths(sets) if self.explains_all(wide)]

    def widths(self, faults: FaultSet) -> list[FaultSet]:
        """The faults as they are; and, where several may be in the same quantities, each in all that it concerns."""
        wider = tuple(h.wider or h for h in faults)
        return [faults] if len(faults) == 1 or wider == faults else [faults, wider]

    def fits(self, faults: FaultSet) -> list[Hypothesis]:
        """The hypotheses fitted to what the faults leave of all quantities; kept, as every kind of search begins with them."""
        key = tuple(map(id, faults))
        if key not in self._fits:
            self._fits[key] = faults, list(fitted_hypotheses(self.root.plus(*faults)))
        return self._fits[key][1]

    def pairs_in_the_same_quantities(self) -> list[FaultSet]:
        """Two faults that only together explain anything.

        The right one of two sets more entries right than most wrong ones, or leaves less of the error: these are followed up.
        """
        best = dictionary.best_hypotheses(self.root, MOST_RANKED)
        pairs = self.pairs(best, lambda belief: [*dictionary.best_hypotheses(belief, MOST_RANKED), *attribution.singles(belief)])
        if pairs:
            return pairs
        candidates = self._effective_faults(next(q for q in self.order if q in self.deviating))
        breaks = dict(zip(candidates, self._broken_quantities(candidates), strict=True))
        beside = [first for first in candidates if not breaks[first]][:MOST_BESIDE]
        pairs = self.pairs(beside, lambda belief: [*attribution.singles(belief), *fitted_hypotheses(belief)])
        for i, first in enumerate(() if pairs else candidates[:MOST_FIRST]):
            seconds = [second for second in candidates[i + 1 :] if breaks[second] == breaks[first]]
            pairs += self.screen((first,), seconds)
        return pairs

    def _broken_quantities(self, hypotheses: Sequence[Hypothesis]) -> list[frozenset[str]]:
        """Of the quantities that are right those that each fault alone would make wrong: no other one puts them right again,
        unless it would break them, too.
        """
        beliefs = [self.few.plus(h) for h in hypotheses]
        right = [q for q in self.order if q not in self.deviating]
        for quantity in right:
            tabulate(beliefs, quantity)
        return [frozenset(q for q in right if not belief.explains(q)) for belief in beliefs]

    def pairs(self, firsts: Sequence[Hypothesis], seconds: Callable[[Belief], list[Hypothesis]]) -> list[FaultSet]:
        """The first faults, each with those second ones that together with it explain everything."""
        return [pair for h in firsts for pair in self.explaining((h,), seconds(self.root.plus(h)))]

    def _effective_faults(self, quantity: str) -> list[Hypothesis]:
        """The fixed hypotheses that change the quantity, those first that leave least of the error."""
        beliefs = [self.few.plus(h) for h in self.fixed]
        tabulate(beliefs, quantity)
        evidence = self.few.evidence
        before = evidence.worst_error(quantity)
        left = [evidence.worst_error(quantity, belief.prediction(quantity)) for belief in beliefs]
        typical = [float(np.median(evidence.error(quantity, belief.prediction(quantity)))) for belief in beliefs]
        ranked = sorted(range(len(left)), key=lambda i: typical[i])
        return [self.fixed[i] for i in ranked if left[i] != before]

    def screen(self, faults: FaultSet, hypotheses: Iterable[Hypothesis]) -> list[FaultSet]:
        """The faults with each of those that, added to them, explain all: on few states, quantity by quantity, then on all."""
        few = self.few.plus(*faults)
        left = list(hypotheses)
        for quantity in self.order:
            beliefs = [few.plus(h) for h in left]
            tabulate(beliefs, quantity)
            left = [h for h, belief in zip(left, beliefs, strict=True) if belief.explains(quantity)]
            if not left:
                return []
        return self.explaining(faults, left)

    def explains_all(self, faults: FaultSet) -> bool:
        """Whether they explain every quantity at all states."""
        return all(belief.plus(*faults).explains(q) for belief in (self.few, self.root) for q in self.order)

    def explained_count(self, faults: FaultSet) -> int:
        """How many quantities they explain."""
        belief = self.root.plus(*faults)
        return sum(belief.explains(q) for q in self.order)
