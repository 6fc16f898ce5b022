"""Two runs of one robot side by side: what became better, what worse, and what is merely other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from leapcheck.compare.records import Diagnosis, Run
from leapcheck.compare.tally import TOLERANCE_UNITS
from leapcheck.judge.verdicts import IMPRECISE, RIGHT, WRONG
from leapcheck.report.judgement import listed, together
from leapcheck.report.verdict_table import far_alone
from leapcheck.report.words import factor, number, quantity_label

NOISE = 10.0
"""An error of rounding within this factor of the other run's is the same, and so is any below this many roundings.

Measured worst of five engines and four robots, runs of 64 and of 1024 states with four seeds each: 8.5.
"""

FAULT_NOISE = 1.1
"""The same for an error beyond rounding in both runs, scale-free and at the same states.

At other states the worst error of one fault may be anything: measured, for a link 1 % too heavy, up to 1e4 times as large.
"""

SEVERITY = {RIGHT: 0, IMPRECISE: 1, WRONG: 2}
BETTER, WORSE, OTHER = "better", "worse", "other"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as before.

    `kind` is "verdict", "error", "discrepancy", "diagnosis", "law", "failure", "engine" or "run"; `sense` is "better",
    "worse" or, where that cannot be said, "other".
    """

    kind: str
    subject: str
    before: str
    after: str
    sense: str


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes from one run to another of the same robot, the worse first."""

    robot: str
    changes: tuple[Change, ...]

    @property
    def exit_status(self) -> int:
        """1 where anything became worse, else 0."""
        return int(any(change.sense == WORSE for change in self.changes))

    @property
    def sentence(self) -> str:
        """The difference in one sentence."""
        counts = {sense: sum(change.sense == sense for change in self.changes) for sense in (WORSE, BETTER, OTHER)}
        told = [f"{count} {'things are' if count > 1 else 'thing is'} {sense}" for sense, count in counts.items() if count]
        return f"{self.robot}: {listed(told) or 'the same in all that counts'}."


def difference(before: Run, after: Run) -> Difference:
    """What changed from one run to another; ValueError where they are of different robots."""
    robots = before.provenance.robot, after.provenance.robot
    if robots[0] != robots[1]:
        raise ValueError(f"the runs are of different robots, '{robots[0]}' and '{robots[1]}': give two runs of one robot")
    parts: tuple[Callable[[Run, Run], Iterator[Change]], ...] = (
        _verdicts,
        _errors,
        _discrepancies,
        _diagnoses,
        _laws,
        _failures,
        _engines,
        _provenance,
    )
    changes = [change for part in parts for change in part(before, after)]
    order = (WORSE, BETTER, OTHER)
    return Difference(robots[0], tuple(sorted(changes, key=lambda change: order.index(change.sense))))


def _verdicts(before: Run, after: Run) -> Iterator[Change]:
    """Verdicts over engine and quantity that are others; those that one run alone has are no change of a verdict.

    How many digits are lost far from the origin depends on how far the states are: at other states it is no change.
    """
    old, new = ({(v.engine, v.quantity): v for v in run.verdicts} for run in (before, after))
    same_states = _states(before) == _states(after)
    for key in (key for key in old if key in new):
        both = old[key], new[key]
        words = [v.verdict for v in both]
        if words[0] != words[1] and (same_states or not all(v.verdict == RIGHT or far_alone(v) for v in both)):
            sense = _sense(*(SEVERITY.get(word, 2) for word in words))
            yield Change("verdict", _subject(*key), words[0], words[1], sense)


def _errors(before: Run, after: Run) -> Iterator[Change]:
    """Errors that grew or shrank beyond noise: against the truth, or between engines where a run has no truth."""
    truth = bool(before.accuracies and after.accuracies)
    fault_noise = FAULT_NOISE if _states(before) == _states(after) else math.inf
    old, new = (_accuracies(run) if truth else _pairs(run) for run in (before, after))
    for key in (key for key in old if key in new):
        (rounding, error), (later_rounding, later_error) = old[key], new[key]
        if rounding > TOLERANCE_UNITS and later_rounding > TOLERANCE_UNITS:
            sense, told = _beyond(error, later_error, fault_noise), [number(x) for x in (error, later_error)]
        else:
            sense = _beyond(max(rounding, NOISE), max(later_rounding, NOISE), NOISE)
            told = [f"{factor(x)} the expected rounding" for x in (rounding, later_rounding)]
        if sense:
            yield Change("error", key, told[0], told[1], sense)


def _states(run: Run) -> tuple[str, int, int, str]:
    """What tells the states of a run from those of another; those out of a file have the whole command."""
    made = run.provenance
    return made.model_hash, made.seed, made.states, made.command if "--states-file" in made.command else ""


def _accuracies(run: Run) -> dict[str, tuple[float, float]]:
    return {_subject(a.engine, a.quantity): (a.rounding, a.worst) for a in run.accuracies}


def _pairs(run: Run) -> dict[str, tuple[float, float]]:
    """The same for pairs, which have one name in either order."""
    rows = ((" and ".join(sorted((c.engine, c.against))), c) for c in run.comparisons)
    return {_subject(pair, c.quantity): (c.rounding, c.error) for pair, c in rows}


def _beyond(before: float, after: float, noise: float) -> str:
    """ "worse" or "better" where an error is more than noise away from the other; "" where it is the same."""
    before, after = (math.inf if math.isnan(x) else x for x in (before, after))
    if math.isinf(before) or math.isinf(after):
        return "" if before == after else WORSE if math.isinf(after) else BETTER
    if after > noise * before:
        return WORSE
    return BETTER if before > noise * after else ""


def _discrepancies(before: Run, after: Run) -> Iterator[Change]:
    """Discrepancies that are new or gone; one that was not looked for is neither."""
    old, new = ({(d.engine, d.quantity): d.cause for d in run.discrepancies} for run in (before, after))
    yield from _come_and_gone("discrepancy", old, new, looked_for(before), looked_for(after))


def looked_for(run: Run) -> set[tuple[str, str]]:
    """(engine, quantity) of everything that the run compared."""
    return {(engine, c.quantity) for c in run.comparisons for engine in (c.engine, c.against)}


def _come_and_gone(
    kind: str,
    old: Mapping[tuple[str, str], str],
    new: Mapping[tuple[str, str], str],
    looked_before: set[tuple[str, str]],
    looked_after: set[tuple[str, str]],
) -> Iterator[Change]:
    for key in (key for key in new if key not in old):
        yield Change(kind, _subject(*key), "none" if key in looked_before else "not compared", new[key], WORSE)
    for key in (key for key in old if key not in new):
        gone = key in looked_after
        yield Change(kind, _subject(*key), old[key], "none" if gone else "not compared", BETTER if gone else OTHER)


def _diagnoses(before: Run, after: Run) -> Iterator[Change]:
    """Engines that are explained otherwise than before; where the error came or went the discrepancies tell it."""
    old, new = ({d.engine: [e for e in run.diagnoses if e.engine == d.engine] for d in run.diagnoses} for run in (before, after))
    for engine in (engine for engine in old if engine in new):
        names = [{tuple(cause.name for cause in d.causes) for d in run[engine]} for run in (old, new)]
        if names[0] != names[1]:
            yield Change("diagnosis", engine, _told(old[engine]), _told(new[engine]), OTHER)


def _told(diagnoses: Iterable[Diagnosis]) -> str:
    return "; ".join(dict.fromkeys(together(d.causes) or "unexplained" for d in diagnoses))


def _laws(before: Run, after: Run) -> Iterator[Change]:
    """Laws that were broken or hold again."""
    old, new = ({(i.engine, i.law): i for i in run.identities} for run in (before, after))
    for engine, law in (key for key in old if key in new):
        was, is_now = old[engine, law], new[engine, law]
        if was.holds != is_now.holds:
            told = [f"{'holds' if i.holds else 'broken'}, {number(i.error)} of {number(i.allowed)}" for i in (was, is_now)]
            yield Change("law", f"{engine}, {law}", told[0], told[1], BETTER if is_now.holds else WORSE)


def _failures(before: Run, after: Run) -> Iterator[Change]:
    """Failures that are new or gone."""
    old, new = ({(f.engine, f.quantity): f.message for f in run.failures} for run in (before, after))
    asked_before, asked_after = ({*looked_for(run), *((e.name, "") for e in run.engines)} for run in (before, after))
    yield from _come_and_gone("failure", old, new, asked_before, asked_after)


def _engines(before: Run, after: Run) -> Iterator[Change]:
    """Engines that came, went, are of another version or hold the robot by another route."""
    old, new = ({e.name: f"{e.version}, {e.route}" for e in run.engines} for run in (before, after))
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield Change("engine", name, old.get(name, "not there"), new.get(name, "not there"), OTHER)


def _provenance(before: Run, after: Run) -> Iterator[Change]:
    """What the runs were made of, where that differs: the robot's description, the states, versions, machine."""
    old, new = (_made_of(run) for run in (before, after))
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield Change("run", name, old.get(name, "-"), new.get(name, "-"), OTHER)


def _made_of(run: Run) -> dict[str, Any]:
    made = run.provenance
    return {
        "robot's description": made.model_hash,
        "seed": str(made.seed),
        "states": str(made.states),
        "machine": made.machine,
        **{f"version of {package}": version for package, version in made.versions},
    }


def _sense(before: int, after: int) -> str:
    return WORSE if after > before else BETTER if after < before else OTHER


def _subject(engine: str, quantity: str) -> str:
    return f"{engine}, {quantity_label(quantity)}" if quantity else engine
