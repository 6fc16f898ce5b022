"""Faults that explain some of the quantities each: the likeliest first, with more beside them for what they leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from leapcheck.judge.belief import SOLVED_FOR, Hypothesis, tabulate
from leapcheck.judge.meter import Meter
from leapcheck.judge.proposals import hypotheses_fitted_to
from leapcheck.judge.trials import FaultSet, FaultTrials

MOST_FAULTS = 3
"""Most faults sought together, where each explains quantities of its own."""

MOST_FITTED = 4
"""Quantities that faults are fitted to one by one."""

MOST_STARTS = 6
"""Sets of faults that explain some quantities and are followed up."""


class FaultStages:
    """Sets of one fault, of two, ... that explain some of the quantities; each stage is worked out once."""

    def __init__(self, trials: FaultTrials, meter: Meter) -> None:
        """Takes what tries sets of faults, and the time that there is."""
        self.trials, self.meter = trials, meter
        self.best_partial: FaultSet = ()
        self._stages: list[list[FaultSet]] = []

    def widest_first(self, faults: FaultSet) -> list[FaultSet]:
        """The faults; where nothing but what an engine solves for is left, first in all that they concern."""
        belief, wider = self.trials.root.plus(*faults), tuple(h.wider or h for h in faults)
        only_solved = all(q in SOLVED_FOR or belief.explains(q) for q in self.trials.deviating)
        return [wider, faults] if only_solved and wider != faults else [faults]

    def in_stages(self, rest: Callable[[FaultSet], list[FaultSet]]) -> list[FaultSet]:
        """Faults that explain some of the quantities each, with more for what they leave: the last by `rest`."""
        starts = (wide for count in range(1, MOST_FAULTS) for faults in self.starts(count) for wide in self.widest_first(faults))
        in_time = takewhile(lambda _: not self.meter.is_spent, starts)
        return next((sets for faults in in_time if (sets := rest(faults))), [])

    def starts(self, count: int) -> list[FaultSet]:
        """Sets of so many faults each of which explains some of the quantities: those first that explain most."""
        if len(self._stages) < count:
            shorter = self.best_starts(count - 1) if count > 1 else [()]
            sets = [longer for faults in shorter for longer in self._steps(faults)]
            sets = [max(self.trials.widths(faults), key=self.trials.explained_count) for faults in sets]
            explained = {id(faults): self.trials.explained_count(faults) for faults in sets}
            sets.sort(key=lambda faults: (-explained[id(faults)], sum(h.prior for h in faults)))
            self._stages.append(sets[:MOST_STARTS])
            if sets and explained[id(sets[0])] > self.trials.explained_count(self.best_partial):
                self.best_partial = sets[0]
        return self._stages[count - 1]

    def best_starts(self, count: int) -> list[FaultSet]:
        """Of these the best, and one that explains as much."""
        starts = self.starts(count)[:2]
        return [faults for faults in starts if self.trials.explained_count(faults) == self.trials.explained_count(starts[0])]

    def _steps(self, faults: FaultSet) -> Iterator[FaultSet]:
        """The faults with one more that explains more of the quantities, and unexplains none."""
        few = self.trials.few.plus(*faults)
        explained = [q for q in self.trials.order if few.explains(q)]
        left = [q for q in self.trials.deviating if q not in explained]
        checked = [q for q in left if q not in SOLVED_FOR] or left
        hypotheses = [*self.trials.fixed, *{(h.name, h.details): h for h in self._partial_fits(faults, checked)}.values()]
        beliefs = [few.plus(h) for h in hypotheses]
        for quantity in checked:
            tabulate(beliefs, quantity)
        for hypothesis, belief in zip(hypotheses, beliefs, strict=True):
            if any(belief.explains(q) for q in checked) and all(belief.explains(q) for q in explained):
                yield (*faults, hypothesis)

    def _partial_fits(self, faults: FaultSet, left: Sequence[str]) -> Iterator[Hypothesis]:
        """Fitted faults that explain at least one of the most telling quantities that are left; first of all, together."""
        yield from self.trials.fits(faults)
        belief = self.trials.root.plus(*faults)
        for quantity in [q for q in self.trials.order if q in left][:MOST_FITTED]:
            yield from hypotheses_fitted_to(belief, quantity)

    def equals(self, sets: list[FaultSet]) -> list[FaultSet]:
        """What else explains all with the last faults of the first set: other first ones that explain some of the quantities."""
        known = {frozenset(h.name for h in faults) for faults in sets}
        longer = (
            (*start, *sets[0][count:])
            for count in range(1, min(len(sets[0]), len(self._stages) + 1))
            for start in self.starts(count)
        )
        unknown = {names: faults for faults in longer if (names := frozenset(h.name for h in faults)) not in known}
        return [faults for faults in unknown.values() if self.trials.explains_all(faults)]
