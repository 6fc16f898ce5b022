"""Which faults, alone or together, explain an engine's answers: a search through hypotheses and combinations of them.

One fault that explains all that deviates, and breaks nothing that is right, is sought first; then faults that explain some
of the quantities, with others for the rest; then pairs that only together explain anything. Whatever else explains as much
with as few faults is kept next to the one that is named: no answer distinguishes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from leapcheck.judge import attribution, consistency, defects, dictionary, readings, structure, terms
from leapcheck.judge.belief import SHRINKS, SOLVED_FOR, Belief, Hypothesis, Proposal, tabulate
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.meter import Meter
from leapcheck.judge.robots_reach import may_be_another_robot
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass

FEW = 4
"""States on which hypotheses are screened; what passes is checked at all states."""

CHEAP = (
    *("mass_matrix", "contact_positions", "gravity_force", "potential_energy", "kinetic_energy", "contact_velocities"),
    *("bias_force", "coriolis_force", "contact_jacobians", "contact_bias_accelerations"),
)
"""The order in which quantities are checked: the most telling for the least work first."""

POINTS = frozenset({"contact_positions", "contact_velocities", "contact_jacobians", "contact_bias_accelerations"})
"""Quantities that no inertia changes."""

MOST_FAULTS = 3
"""Most faults sought together, where each explains quantities of its own."""

MOST_FITTED = 4
"""Quantities that faults are fitted to one by one."""

MOST_STARTS = 6
"""Hypotheses that explain some quantities and are followed up."""

ANCHOR = 0.5
"""Share of the deviating quantities that a convention must explain to be kept while the rest is sought."""

SECONDS = 12.0
"""CPU seconds after which no further kind of explanation is begun."""

MOST_RANKED, MOST_BESIDE, MOST_FIRST = 4, 8, 24
"""In pairs: best-ranked hypotheses; fixed ones to which fitted ones are added; fixed ones tried with every other."""

FaultSet = tuple[Hypothesis, ...]

Step = tuple[str, Callable[[], list[FaultSet]]]
"""What is tried, in words, and the search for it."""


@dataclass(frozen=True, slots=True, eq=False)
class FaultExplanation:
    """Faults that hold together, other sets that explain as much, and the quantities that they leave unexplained."""

    belief: Belief
    alternatives: tuple[FaultSet, ...]
    unexplained: tuple[str, ...]


class FaultSearch:
    """The search over one evidence: `few` of its states for screening, and what explains some quantities on the way."""

    def __init__(self, evidence: Evidence, known: Sequence[Hypothesis] = ()) -> None:
        """Takes what there is to explain, and faults that explain other quantities."""
        self.evidence, self.deviating = evidence, evidence.deviating
        self.root = Belief(evidence)
        self.few = Belief(evidence.at_states(telling_states(evidence, self.deviating)))
        self.order = sorted(evidence.quantities, key=lambda q: (q not in self.deviating, cost(q)))
        self.fixed = (*known, *fixed_hypotheses(self.few))
        self._simple: list[FaultSet] | None = None
        self._stages: list[list[FaultSet]] = []
        self._fits: dict[tuple[int, ...], tuple[FaultSet, list[Hypothesis]]] = {}
        self._robots: dict[tuple[int, ...], tuple[FaultSet, bool]] = {}
        self.best_partial: FaultSet = ()
        self.meter = Meter(SECONDS)
        self.untried: tuple[str, ...] = ()

    def simple_explanation(self) -> FaultExplanation | None:
        """The best explanation by one simple fault, which costs a tenth of a search that finds none."""
        return self._ranked(self._simple_faults()) if self.deviating else None

    def explanation(self) -> FaultExplanation:
        """The best explanation of what deviates; without causes where nothing explains anything."""
        self.meter = Meter(SECONDS)
        if best := self._ranked(self._explanations() if self.deviating else []):
            return best
        belief = Belief(self.evidence, self.best_partial)
        return FaultExplanation(belief, (), tuple(q for q in self.deviating if not belief.explains(q)))

    def _ranked(self, sets: Sequence[FaultSet]) -> FaultExplanation | None:
        """The simplest of some sets of faults that explain all, and the others with as few; None where there are none."""
        ranked = sorted(sets, key=lambda faults: (len(faults), sum(h.prior for h in faults)))
        fewest = [faults for faults in ranked if len(faults) == len(ranked[0])]
        return FaultExplanation(Belief(self.evidence, fewest[0]), tuple(fewest[1:]), ()) if fewest else None

    def _simple_faults(self) -> list[FaultSet]:
        """Every simple fault that explains all; of wrongly read numbers also what they say of the robot's structure."""
        if self._simple is None:
            sets = self._with_simple_fault(())
            if sets and all(readings.is_of_whole_engine(h) for faults in sets for h in faults):
                sets += [*self._number_blocks(()), *self._with_structure(())]
            self._simple = sets
        return self._simple

    def _explanations(self) -> list[FaultSet]:
        """Every set of faults of the smallest number that explains all; none where nothing does, or the budget ends first."""
        if simple := self._simple_faults():
            return simple
        steps = self._beside_anchors() if self._anchors() else self._without_anchors()
        for i, (_, step) in enumerate(steps):
            if sets := step():
                return [*sets, *self._equals(sets)]
            if self.meter.is_spent:
                self.untried = tuple(what for what, _ in steps[i:])
                break
        return []

    def _anchors(self) -> list[FaultSet]:
        """Conventions, or terms, that alone explain most of what deviates, and break nothing: chance does not do that."""
        anchors = []
        for faults in self._starts(1):
            explained = sum(self.root.plus(*faults).explains(q) for q in self.deviating)
            if faults[0].cause_class is not CauseClass.MODEL and explained >= max(2, len(self.deviating) * ANCHOR):
                anchors.append((explained, faults))
        most = max((explained for explained, _ in anchors), default=0)
        return [faults for explained, faults in anchors if explained == most]

    def _beside_anchors(self) -> tuple[Step, ...]:
        """What is tried, in words, where conventions are known that explain most: the likeliest for the least work first."""

        def beside(rest: Callable[[FaultSet], list[FaultSet]]) -> Callable[[], list[FaultSet]]:
            return lambda: next((sets for faults in self._anchors() if (sets := rest(faults))), [])

        return (
            ("faults of the structure", lambda: self._with_structure(()) if self._may_be_a_robot(()) else []),
            ("a fault beside one in other quantities", lambda: self._in_stages(self._with_simple_fault)),
            ("two terms in the same quantity", lambda: self._in_stages(self._with_two_terms)),
            ("several numbers beside a convention", beside(self._many_numbers)),
            ("sets of inertial numbers beside a convention", beside(self._with_parameter_set)),
            ("faults of the structure beside a convention", beside(self._with_structure)),
            ("contradictions beside a convention", beside(lambda faults: self._with_proposal(late, faults))),
            ("pairs of numbers beside a convention", beside(lambda faults: self._parameter_pairs(attribution.pairs, faults))),
            ("several numbers beside faults in other quantities", lambda: self._in_stages(self._many_numbers)),
            ("sets of inertial numbers beside faults", lambda: self._in_stages(self._with_parameter_set)),
            ("faults of the structure beside others", lambda: self._in_stages(self._with_structure)),
            (
                "faults of the structure with rows of their own",
                lambda: [] if self._may_be_a_robot(()) else self._with_structure(()),
            ),
        )

    def _without_anchors(self) -> tuple[Step, ...]:
        """The same where there are none."""
        return (
            ("several numbers of the robot", lambda: self._many_numbers(())),
            ("faults of the structure", lambda: self._with_structure(())),
            ("a fault beside one in other quantities", self._two_simple_faults),
            ("two terms in the same quantity", lambda: self._with_two_terms(()) or self._in_stages(self._with_two_terms)),
            ("pairs of numbers", lambda: self._parameter_pairs(attribution.pairs, ())),
            ("sets of inertial numbers, a number beside several", self._sets_or_mixed_pairs),
            ("several numbers beside a fault in other quantities", lambda: self._in_stages(self._many_numbers)),
            ("sets of inertial numbers beside a fault", lambda: self._in_stages(self._with_parameter_set)),
            ("a fault of the structure and a number", self._structure_and_number),
            ("very many numbers", lambda: self._with_proposal(late, ())),
            ("pairs of faults in the same quantities", self._other_pairs),
            ("a fault of the structure beside another", lambda: self._in_stages(self._with_structure)),
        )

    def _with_structure(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with one of the robot's structure."""
        if faults and not self._may_be_a_robot(faults):
            return []
        return self._with_proposal(structure.proposals, faults)

    def _number_blocks(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with several numbers of the robot."""
        return self._with_proposal(attribution.blocks, faults) if self._may_be_a_robot(faults) else []

    def _may_be_a_robot(self, faults: FaultSet) -> bool:
        """Whether numbers of a robot could make what the faults leave; kept, as many kinds of search ask."""
        key = tuple(map(id, faults))
        if key not in self._robots:
            self._robots[key] = faults, may_be_another_robot(self.root.plus(*faults))
        return self._robots[key][1]

    def _many_numbers(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with several numbers of the robot that explain the rest, or a word for what these say of its structure."""
        sets = self._number_blocks(faults)
        return [*sets, *self._with_structure(faults)] if sets else []

    def _two_simple_faults(self) -> list[FaultSet]:
        """Simple faults each of which explains quantities of its own."""
        sets = self._in_stages(self._with_simple_fault)
        if sets and all(h.cause_class is CauseClass.MODEL for h in sets[0]):
            return self._with_equal_pairs(sets)
        return sets

    def _equals(self, sets: list[FaultSet]) -> list[FaultSet]:
        """What else explains all with the last faults of the first set: other first ones that explain some of the quantities."""
        known = {frozenset(h.name for h in faults) for faults in sets}
        longer = (
            (*start, *sets[0][count:])
            for count in range(1, min(len(sets[0]), len(self._stages) + 1))
            for start in self._starts(count)
        )
        unknown = {names: faults for faults in longer if (names := frozenset(h.name for h in faults)) not in known}
        return [faults for faults in unknown.values() if self._explains_all(faults)]

    def _with_simple_fault(self, faults: FaultSet) -> list[FaultSet]:
        """Every single fault that, added to the others, explains everything."""
        belief = self.root.plus(*faults)
        sets = self._screen(faults, self.fixed)
        numbers = attribution.singles(belief) if self._may_be_a_robot(faults) else []
        sets += self._explaining(faults, [*self._fitted(faults), *numbers])
        return sets or ([] if faults else [(h,) for h in self._other_robots()])

    def _other_robots(self) -> list[Hypothesis]:
        """Fixed hypotheses about the robot that explain all up to the rounding of the robot that the engine then has.

        One in other units, say, may round far more than the right one: M is then right to fewer digits.
        """
        first, few = self.order[0], self.few.evidence
        most = few.worst_error(first) / SHRINKS
        edits = [h for h in self.fixed if h.spec_edit and few.worst_error(first, self.few.plus(h).prediction(first)) <= most]
        return [h for h in edits if all(map(self.root.plus(h).with_own_rounding().explains, self.order))]

    def _with_two_terms(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with two terms that together explain what is most telling of the rest."""
        belief = self.root.plus(*faults)
        left = [q for q in self.order if q not in SOLVED_FOR and not belief.explains(q)]
        pairs = terms.term_pairs_in(belief, left[0]) if left and len(faults) < MOST_FAULTS - 1 else ()
        longer = ((*faults, *pair) for pair in pairs)
        return [wide for sets in longer for wide in self._widths(sets) if self._explains_all(wide)]

    def _with_proposal(self, proposal: Proposal, faults: FaultSet) -> list[FaultSet]:
        """The same for the faults of one proposal."""
        return self._explaining(faults, proposal(self.root.plus(*faults)))

    def _with_equal_pairs(self, sets: list[FaultSet]) -> list[FaultSet]:
        """Two numbers of the robot that were found one after the other, and all other two that explain as much."""
        if not sets or len(sets[0]) != 2 or not all(h.tree_edit for h in sets[0]):
            return sets
        known = {frozenset(h.name for h in faults) for faults in sets}
        pairs = attribution.equal_pairs(self.root, [h.name for h in sets[0]])
        return [*sets, *(p for p in pairs if frozenset(h.name for h in p) not in known and self._explains_all(p))]

    def _parameter_pairs(
        self, pairs_of: Callable[[Belief], list[tuple[Hypothesis, Hypothesis]]], faults: FaultSet
    ) -> list[FaultSet]:
        """The faults with two numbers of the robot, or one and a block of others, that explain everything together.

        What else explains as much with either of the first two is sought, too: it may have a better name.
        """
        if not self._may_be_a_robot(faults):
            return []
        pairs = [(*faults, *pair) for pair in pairs_of(self.root.plus(*faults))]
        pairs = [longer for longer in pairs if self._explains_all(longer)]
        firsts = pairs[0][len(faults) :] if pairs else ()
        others = [longer for first in firsts for longer in self._with_simple_fault((*faults, first))]
        known = {frozenset(h.name for h in longer) for longer in pairs}
        return [*pairs, *(longer for longer in others if frozenset(h.name for h in longer) not in known)]

    def _sets_or_mixed_pairs(self) -> list[FaultSet]:
        """Any number of inertial parameters that explain all; or a block of parameters and one more, where that is fewer."""
        sets = self._with_parameter_set(())
        if sets and min(map(len, sets)) <= 2:
            return sets
        return self._parameter_pairs(attribution.mixed_pairs, ()) or sets

    def _structure_and_number(self) -> list[FaultSet]:
        """A fault of the structure that explains where all points are and how they move, and a number that explains the rest."""
        points = [q for q in self.order if q in POINTS]
        belief = Belief(self.evidence.of_quantities(points))
        if set(points).isdisjoint(self.deviating):
            return []
        firsts = [h for h in structure.proposals(belief) if all(map(belief.plus(h).explains, points))]
        return self._pairs(firsts[:MOST_STARTS], attribution.singles)

    def _with_parameter_set(self, faults: FaultSet) -> list[FaultSet]:
        """The faults with any number of inertial parameters that explain the rest."""
        if not self._may_be_a_robot(faults):
            return []
        sets = [(*faults, *several) for several in attribution.sets(self.root.plus(*faults))]
        return [longer for longer in sets if self._explains_all(longer)]

    def _explaining(self, faults: FaultSet, hypotheses: Iterable[Hypothesis]) -> list[FaultSet]:
        """The faults with each of those that, added to them, explain everything: as they are, or in all that they concern."""
        longer = ((*faults, h) for h in hypotheses)
        return [wide for sets in longer for wide in self._widths(sets) if self._explains_all(wide)]

    def _with_solved(self, faults: FaultSet) -> list[FaultSet]:
        """The faults; where nothing but what an engine solves for is left, first in all that they concern."""
        belief, wider = self.root.plus(*faults), tuple(h.wider or h for h in faults)
        only_solved = all(q in SOLVED_FOR or belief.explains(q) for q in self.deviating)
        return [wider, faults] if only_solved and wider != faults else [faults]

    def _widths(self, faults: FaultSet) -> list[FaultSet]:
        """The faults as they are; and, where several may be in the same quantities, each in all that it concerns."""
        wider = tuple(h.wider or h for h in faults)
        return [faults] if len(faults) == 1 or wider == faults else [faults, wider]

    def _in_stages(self, rest: Callable[[FaultSet], list[FaultSet]]) -> list[FaultSet]:
        """Faults that explain some of the quantities each, with more for what they leave: the last by `rest`."""
        starts = (wide for count in range(1, MOST_FAULTS) for faults in self._starts(count) for wide in self._with_solved(faults))
        in_time = takewhile(lambda _: not self.meter.is_spent, starts)
        return next((sets for faults in in_time if (sets := rest(faults))), [])

    def _starts(self, count: int) -> list[FaultSet]:
        """Sets of so many faults each of which explains some of the quantities: those first that explain most."""
        if len(self._stages) < count:
            shorter = self._best_starts(count - 1) if count > 1 else [()]
            sets = [longer for faults in shorter for longer in self._steps(faults)]
            sets = [max(self._widths(faults), key=self._explained_count) for faults in sets]
            explained = {id(faults): self._explained_count(faults) for faults in sets}
            sets.sort(key=lambda faults: (-explained[id(faults)], sum(h.prior for h in faults)))
            self._stages.append(sets[:MOST_STARTS])
            if sets and explained[id(sets[0])] > self._explained_count(self.best_partial):
                self.best_partial = sets[0]
        return self._stages[count - 1]

    def _best_starts(self, count: int) -> list[FaultSet]:
        """Of these the best, and one that explains as much."""
        starts = self._starts(count)[:2]
        return [faults for faults in starts if self._explained_count(faults) == self._explained_count(starts[0])]

    def _steps(self, faults: FaultSet) -> Iterator[FaultSet]:
        """The faults with one more that explains more of the quantities, and unexplains none."""
        few = self.few.plus(*faults)
        explained = [q for q in self.order if few.explains(q)]
        left = [q for q in self.deviating if q not in explained]
        checked = [q for q in left if q not in SOLVED_FOR] or left
        hypotheses = [*self.fixed, *{(h.name, h.details): h for h in self._partial_fits(faults, checked)}.values()]
        beliefs = [few.plus(h) for h in hypotheses]
        for quantity in checked:
            tabulate(beliefs, quantity)
        for hypothesis, belief in zip(hypotheses, beliefs, strict=True):
            if any(belief.explains(q) for q in checked) and all(belief.explains(q) for q in explained):
                yield (*faults, hypothesis)

    def _fitted(self, faults: FaultSet) -> list[Hypothesis]:
        """The hypotheses fitted to what the faults leave of all quantities; kept, as every kind of search begins with them."""
        key = tuple(map(id, faults))
        if key not in self._fits:
            self._fits[key] = faults, list(fitted_hypotheses(self.root.plus(*faults)))
        return self._fits[key][1]

    def _partial_fits(self, faults: FaultSet, left: Sequence[str]) -> Iterator[Hypothesis]:
        """Fitted faults that explain at least one of the most telling quantities that are left; first of all, together."""
        yield from self._fitted(faults)
        belief = self.root.plus(*faults)
        for quantity in [q for q in self.order if q in left][:MOST_FITTED]:
            alone = Belief(self.evidence.of_quantities((quantity,)), faults)
            for proposal in (*dictionary.FITTED, *defects.FITTED):
                yield from proposal(alone)
            yield from attribution.singles(alone)[:MOST_STARTS]
            yield from (*terms.terms_in(belief, quantity), *readings.readings_in(belief, quantity))

    def _other_pairs(self) -> list[FaultSet]:
        """Two faults that only together explain anything.

        The right one of two sets more entries right than most wrong ones, or leaves less of the error: these are followed up.
        """
        best = dictionary.best_hypotheses(self.root, MOST_RANKED)
        pairs = self._pairs(best, lambda belief: [*dictionary.best_hypotheses(belief, MOST_RANKED), *attribution.singles(belief)])
        if pairs:
            return pairs
        candidates = self._effective_faults(next(q for q in self.order if q in self.deviating))
        breaks = dict(zip(candidates, self._broken_quantities(candidates), strict=True))
        beside = [first for first in candidates if not breaks[first]][:MOST_BESIDE]
        pairs = self._pairs(beside, lambda belief: [*attribution.singles(belief), *fitted_hypotheses(belief)])
        for i, first in enumerate(() if pairs else candidates[:MOST_FIRST]):
            seconds = [second for second in candidates[i + 1 :] if breaks[second] == breaks[first]]
            pairs += self._screen((first,), seconds)
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

    def _pairs(self, firsts: Sequence[Hypothesis], seconds: Callable[[Belief], list[Hypothesis]]) -> list[FaultSet]:
        """The first faults, each with those second ones that together with it explain everything."""
        return [pair for h in firsts for pair in self._explaining((h,), seconds(self.root.plus(h)))]

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

    def _screen(self, faults: FaultSet, hypotheses: Iterable[Hypothesis]) -> list[FaultSet]:
        """The faults with each of those that, added to them, explain all: on few states, quantity by quantity, then on all."""
        few = self.few.plus(*faults)
        left = list(hypotheses)
        for quantity in self.order:
            beliefs = [few.plus(h) for h in left]
            tabulate(beliefs, quantity)
            left = [h for h, belief in zip(left, beliefs, strict=True) if belief.explains(quantity)]
            if not left:
                return []
        return self._explaining(faults, left)

    def _explains_all(self, faults: FaultSet) -> bool:
        return all(belief.plus(*faults).explains(q) for belief in (self.few, self.root) for q in self.order)

    def _explained_count(self, faults: FaultSet) -> int:
        belief = self.root.plus(*faults)
        return sum(belief.explains(q) for q in self.order)


def fixed_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The dictionary's hypotheses that have no number to fit."""
    return (hypothesis for proposal in (*dictionary.FIXED, *defects.FIXED) for hypothesis in proposal(belief))


def fitted_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The dictionary's hypotheses that fit numbers or orders to what the belief leaves unexplained."""
    return (
        hypothesis
        for proposal in (*dictionary.FITTED, *defects.FITTED, *terms.PROPOSALS, *readings.PROPOSALS)
        for hypothesis in proposal(belief)
    )


def late(belief: Belief) -> Iterator[Hypothesis]:
    """Explanations by many numbers at once, or by a contradiction: for what nothing else explains."""
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


def cost(quantity: str) -> int:
    """Place of a quantity in the order in which they are checked."""
    return CHEAP.index(quantity) if quantity in CHEAP else len(CHEAP) + list(QUANTITIES).index(quantity)
