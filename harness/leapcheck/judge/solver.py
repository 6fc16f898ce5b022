"""Which faults, alone or together, explain an engine's answers: a search through hypotheses and combinations of them.

One fault that explains all that deviates, and breaks nothing that is right, is sought first; then faults that explain some
of the quantities, with others for the rest; then pairs that only together explain anything. Whatever else explains as much
with as few faults is kept next to the one that is named: no answer distinguishes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leapcheck.judge import attribution, readings, structure
from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.meter import Meter
from leapcheck.judge.proposals import late
from leapcheck.judge.stages import MOST_STARTS, FaultStages
from leapcheck.judge.trials import FaultSet, FaultTrials
from leapcheck.records import CauseClass

POINTS = frozenset({"contact_positions", "contact_velocities", "contact_jacobians", "contact_bias_accelerations"})
"""Quantities that no inertia changes."""

ANCHOR = 0.5
"""Share of the deviating quantities that a convention must explain to be kept while the rest is sought."""

SECONDS = 18.0
"""CPU seconds after which no further kind of explanation is begun."""

Step = tuple[str, Callable[[], list[FaultSet]]]
"""What is tried, in words, and the search for it."""


@dataclass(frozen=True, slots=True, eq=False)
class FaultExplanation:
    """Faults that hold together, other sets that explain as much, and the quantities that they leave unexplained."""

    belief: Belief
    alternatives: tuple[FaultSet, ...]
    unexplained: tuple[str, ...]


class FaultSearch:
    """The search over one evidence: what is tried in which order, until something explains all or the time is up."""

    def __init__(self, evidence: Evidence, known: Sequence[Hypothesis] = ()) -> None:
        """Takes what there is to explain, and faults that explain other quantities."""
        self.trials, self.meter = FaultTrials(evidence, known), Meter(SECONDS)
        self.stages = FaultStages(self.trials, self.meter)
        self.untried: tuple[str, ...] = ()
        self._simple: list[FaultSet] | None = None

    def simple_explanation(self) -> FaultExplanation | None:
        """The best explanation by one simple fault, which costs a tenth of a search that finds none."""
        return self._ranked(self._simple_faults()) if self.trials.deviating else None

    def explanation(self) -> FaultExplanation:
        """The best explanation of what deviates; without causes where nothing explains anything."""
        self.meter = self.stages.meter = Meter(SECONDS)
        if best := self._ranked(self._explanations() if self.trials.deviating else []):
            return best
        belief = Belief(self.trials.evidence, self.stages.best_partial)
        return FaultExplanation(belief, (), tuple(q for q in self.trials.deviating if not belief.explains(q)))

    def _ranked(self, sets: Sequence[FaultSet]) -> FaultExplanation | None:
        """The simplest of some sets of faults that explain all, and the others with as few; None where there are none."""
        ranked = sorted(sets, key=lambda faults: (len(faults), sum(h.prior for h in faults)))
        fewest = [faults for faults in ranked if len(faults) == len(ranked[0])]
        return FaultExplanation(Belief(self.trials.evidence, fewest[0]), tuple(fewest[1:]), ()) if fewest else None

    def _simple_faults(self) -> list[FaultSet]:
        """Every simple fault that explains all; of wrongly read numbers also what they say of the robot's structure."""
        if self._simple is None:
            sets = self.trials.with_simple_fault(())
            if sets and all(readings.is_of_whole_engine(h) for faults in sets for h in faults):
                sets += [*self.trials.number_blocks(()), *self.trials.with_structure(())]
            self._simple = sets
        return self._simple

    def _explanations(self) -> list[FaultSet]:
        """Every set of faults of the smallest number that explains all; none where nothing does, or the budget ends first."""
        if simple := self._simple_faults():
            return simple
        steps = self._beside_anchors() if self._anchors() else self._without_anchors()
        for i, (_, step) in enumerate(steps):
            if sets := step():
                return [*sets, *self.stages.equals(sets)]
            if self.meter.is_spent:
                self.untried = tuple(what for what, _ in steps[i:])
                break
        return []

    def _anchors(self) -> list[FaultSet]:
        """Conventions, or terms, that alone explain most of what deviates, and break nothing: chance does not do that."""
        anchors = []
        for faults in self.stages.starts(1):
            explained = sum(self.trials.root.plus(*faults).explains(q) for q in self.trials.deviating)
            if faults[0].cause_class is not CauseClass.MODEL and explained >= max(2, len(self.trials.deviating) * ANCHOR):
                anchors.append((explained, faults))
        most = max((explained for explained, _ in anchors), default=0)
        return [faults for explained, faults in anchors if explained == most]

    def _beside_anchors(self) -> tuple[Step, ...]:
        """What is tried, in words, where conventions are known that explain most: the likeliest for the least work first."""

        def beside(rest: Callable[[FaultSet], list[FaultSet]]) -> Callable[[], list[FaultSet]]:
            return lambda: next((sets for faults in self._anchors() if (sets := rest(faults))), [])

        return (
            ("faults of the structure", lambda: self.trials.with_structure(()) if self.trials.may_be_a_robot(()) else []),
            ("a fault beside one in other quantities", lambda: self.stages.in_stages(self.trials.with_simple_fault)),
            ("two terms in the same quantity", lambda: self.stages.in_stages(self.trials.with_two_terms)),
            ("several numbers beside a convention", beside(self.trials.many_numbers)),
            ("sets of inertial numbers beside a convention", beside(self.trials.with_parameter_set)),
            ("faults of the structure beside a convention", beside(self.trials.with_structure)),
            ("contradictions beside a convention", beside(lambda faults: self.trials.with_proposal(late, faults))),
            (
                "pairs of numbers beside a convention",
                beside(lambda faults: self.trials.parameter_pairs(attribution.pairs, faults)),
            ),
            ("several numbers beside faults in other quantities", lambda: self.stages.in_stages(self.trials.many_numbers)),
            ("sets of inertial numbers beside faults", lambda: self.stages.in_stages(self.trials.with_parameter_set)),
            ("faults of the structure beside others", lambda: self.stages.in_stages(self.trials.with_structure)),
            (
                "faults of the structure with rows of their own",
                lambda: [] if self.trials.may_be_a_robot(()) else self.trials.with_structure(()),
            ),
        )

    def _without_anchors(self) -> tuple[Step, ...]:
        """The same where there are none."""
        return (
            ("several numbers of the robot", lambda: self.trials.many_numbers(())),
            ("faults of the structure", lambda: self.trials.with_structure(())),
            ("a fault beside one in other quantities", self._two_simple_faults),
            (
                "two terms in the same quantity",
                lambda: self.trials.with_two_terms(()) or self.stages.in_stages(self.trials.with_two_terms),
            ),
            ("pairs of numbers", lambda: self.trials.parameter_pairs(attribution.pairs, ())),
            ("sets of inertial numbers, a number beside several", self._sets_or_mixed_pairs),
            ("several numbers beside a fault in other quantities", lambda: self.stages.in_stages(self.trials.many_numbers)),
            ("sets of inertial numbers beside a fault", lambda: self.stages.in_stages(self.trials.with_parameter_set)),
            ("a fault of the structure and a number", self._structure_and_number),
            ("very many numbers", lambda: self.trials.with_proposal(late, ())),
            ("pairs of faults in the same quantities", self.trials.pairs_in_the_same_quantities),
            ("a fault of the structure beside another", lambda: self.stages.in_stages(self.trials.with_structure)),
        )

    def _two_simple_faults(self) -> list[FaultSet]:
        """Simple faults each of which explains quantities of its own."""
        sets = self.stages.in_stages(self.trials.with_simple_fault)
        if sets and all(h.cause_class is CauseClass.MODEL for h in sets[0]):
            return self._with_equal_pairs(sets)
        return sets

    def _with_equal_pairs(self, sets: list[FaultSet]) -> list[FaultSet]:
        """Two numbers of the robot that were found one after the other, and all other two that explain as much."""
        if not sets or len(sets[0]) != 2 or not all(h.tree_edit for h in sets[0]):
            return sets
        known = {frozenset(h.name for h in faults) for faults in sets}
        pairs = attribution.equal_pairs(self.trials.root, [h.name for h in sets[0]])
        return [*sets, *(p for p in pairs if frozenset(h.name for h in p) not in known and self.trials.explains_all(p))]

    def _sets_or_mixed_pairs(self) -> list[FaultSet]:
        """Any number of inertial parameters that explain all; or a block of parameters and one more, where that is fewer."""
        sets = self.trials.with_parameter_set(())
        if sets and min(map(len, sets)) <= 2:
            return sets
        return self.trials.parameter_pairs(attribution.mixed_pairs, ()) or sets

    def _structure_and_number(self) -> list[FaultSet]:
        """A fault of the structure that explains where all points are and how they move, and a number that explains the rest."""
        points = [q for q in self.trials.order if q in POINTS]
        belief = Belief(self.trials.evidence.of_quantities(points))
        if set(points).isdisjoint(self.trials.deviating):
            return []
        firsts = [h for h in structure.proposals(belief) if all(map(belief.plus(h).explains, points))]
        return self.trials.pairs(firsts[:MOST_STARTS], attribution.singles)
