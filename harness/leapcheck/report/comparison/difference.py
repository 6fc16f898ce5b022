"""Two runs of one robot compared: what became better, what worse, and what merely differs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from leapcheck.records import Diagnosis, Run, TruthVerdict
from leapcheck.report.comparison.judgement import conjunction, join_words
from leapcheck.report.comparison.tables import far_alone
from leapcheck.report.words import Mark, factor, number, quantity_label
from leapcheck.rounding import ALLOWED_UNITS

NOISE = 10.0
"""An error of rounding within this factor of the other run's is the same, and so is any below this many roundings.

Measured worst of five engines and four robots, runs of 64 and of 1024 states with four seeds each: 8.5.
"""

FAULT_NOISE = 1.1
"""The same for an error beyond rounding in both runs, scale-free and at the same states.

At other states the worst error of one fault may be anything: measured, for a link 1 % too heavy, up to 1e4 times as large.
"""

SEVERITY = {TruthVerdict.RIGHT: 0, TruthVerdict.IMPRECISE: 1, TruthVerdict.WRONG: 2}


class Sense(StrEnum):
    """Whether a change is for the worse, for the better, or neither."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "other"


SENSE_MARKS = {
    Sense.WORSE: Mark("worse", "✗", "bad"),
    Sense.BETTER: Mark("better", "✓", "good"),
    Sense.OTHER: Mark("other", "~", "quiet"),
}


@dataclass(frozen=True, slots=True)
class RunChange:
    """One difference between two runs.

    `kind` is "verdict", "error", "discrepancy", "diagnosis", "law", "failure", "engine" or "run".
    """

    kind: str
    subject: str
    before: str
    after: str
    sense: Sense


@dataclass(frozen=True, slots=True)
class RunDifference:
    """All changes from one run to another of the same robot, the worse first."""

    robot: str
    changes: tuple[RunChange, ...]

    @property
    def exit_status(self) -> int:
        """1 where anything became worse, else 0."""
        return int(any(change.sense == Sense.WORSE for change in self.changes))

    @property
    def sentence(self) -> str:
        """The difference in one sentence."""
        counts = {sense: sum(change.sense == sense for change in self.changes) for sense in Sense}
        parts = [f"{count} {'things are' if count > 1 else 'thing is'} {sense}" for sense, count in counts.items() if count]
        return f"{self.robot}: {join_words(parts) or 'no relevant change'}."


def run_difference(before: Run, after: Run) -> RunDifference:
    """What changed from one run to another; ValueError where they are of different robots."""
    robots = before.provenance.robot, after.provenance.robot
    if robots[0] != robots[1]:
        raise ValueError(f"the runs are of different robots, '{robots[0]}' and '{robots[1]}': give two runs of one robot")
    parts = (_verdicts, _errors, _discrepancies, _diagnoses, _laws, _failures, _settings)
    changes = [change for part in parts for change in part(before, after)]
    return RunDifference(robots[0], tuple(sorted(changes, key=lambda change: list(Sense).index(change.sense))))


def _verdicts(before: Run, after: Run) -> Iterator[RunChange]:
    """Verdicts that differ; a verdict that only one run has is no change.

    How many digits are lost far from the origin depends on the states: at other states that is no change.
    """
    old, new = ({(v.engine, v.quantity): v for v in run.verdicts} for run in (before, after))
    same_states = _states(before) == _states(after)
    for key in (key for key in old if key in new):
        both = old[key], new[key]
        words = [v.verdict for v in both]
        if words[0] != words[1] and (same_states or not all(v.verdict == TruthVerdict.RIGHT or far_alone(v) for v in both)):
            old_rank, new_rank = (SEVERITY.get(word, 2) for word in words)
            sense = Sense.WORSE if new_rank > old_rank else Sense.BETTER if new_rank < old_rank else Sense.OTHER
            yield RunChange("verdict", _subject(*key), words[0], words[1], sense)


def _errors(before: Run, after: Run) -> Iterator[RunChange]:
    """Errors that grew or shrank beyond noise: against the truth, or between engines where a run has no truth."""
    truth = bool(before.accuracies and after.accuracies)
    fault_noise = FAULT_NOISE if _states(before) == _states(after) else math.inf
    old, new = (dict(_figures(run, truth)) for run in (before, after))
    for key in (key for key in old if key in new):
        (rounding, error), (later_rounding, later_error) = old[key], new[key]
        if rounding > ALLOWED_UNITS and later_rounding > ALLOWED_UNITS:
            sense, texts = _beyond(error, later_error, fault_noise), [number(x) for x in (error, later_error)]
        else:
            sense = _beyond(max(rounding, NOISE), max(later_rounding, NOISE), NOISE)
            texts = [f"{factor(x)} the expected rounding" for x in (rounding, later_rounding)]
        if sense:
            yield RunChange("error", key, texts[0], texts[1], sense)


def _states(run: Run) -> tuple[str, int, int, str]:
    """What identifies the states of a run; for states from a file the whole command."""
    where = run.provenance
    return where.model_hash, where.seed, where.states, where.command if "--states-file" in where.command else ""


def _figures(run: Run, truth: bool) -> Iterator[tuple[str, tuple[float, float]]]:
    """(subject, (error in units of the expected rounding, scale-free error)); a pair has one name in either order."""
    if truth:
        yield from ((_subject(a.engine, a.quantity), (a.rounding, a.worst)) for a in run.accuracies)
    else:
        rows = ((" and ".join(sorted((c.engine, c.against))), c) for c in run.comparisons)
        yield from ((_subject(pair, c.quantity), (c.rounding, c.error)) for pair, c in rows)


def _beyond(before: float, after: float, noise: float) -> Sense | None:
    """The sense of a change by more than noise; None where the error is the same."""
    before, after = (math.inf if math.isnan(x) else x for x in (before, after))
    if math.isinf(before) or math.isinf(after):
        return None if before == after else Sense.WORSE if math.isinf(after) else Sense.BETTER
    if after > noise * before:
        return Sense.WORSE
    return Sense.BETTER if before > noise * after else None


def _discrepancies(before: Run, after: Run) -> Iterator[RunChange]:
    """Discrepancies that are new or gone; one whose quantity was not compared is neither."""
    old, new = ({(d.engine, d.quantity): d.cause for d in run.discrepancies} for run in (before, after))
    yield from _arrivals_and_departures("discrepancy", old, new, compared_pairs(before), compared_pairs(after))


def compared_pairs(run: Run) -> set[tuple[str, str]]:
    """(engine, quantity) of everything that the run compared."""
    return {(engine, c.quantity) for c in run.comparisons for engine in (c.engine, c.against)}


def _arrivals_and_departures(
    kind: str,
    old: Mapping[tuple[str, str], str],
    new: Mapping[tuple[str, str], str],
    compared_before: set[tuple[str, str]],
    compared_after: set[tuple[str, str]],
) -> Iterator[RunChange]:
    for key in (key for key in new if key not in old):
        yield RunChange(kind, _subject(*key), "none" if key in compared_before else "not compared", new[key], Sense.WORSE)
    for key in (key for key in old if key not in new):
        gone = key in compared_after
        yield RunChange(kind, _subject(*key), old[key], "none" if gone else "not compared", Sense.BETTER if gone else Sense.OTHER)


def _diagnoses(before: Run, after: Run) -> Iterator[RunChange]:
    """Engines whose explanation differs; errors that came or went are discrepancies."""
    old, new = ({d.engine: [e for e in run.diagnoses if e.engine == d.engine] for d in run.diagnoses} for run in (before, after))
    for engine in (engine for engine in old if engine in new):
        names = [{tuple(cause.name for cause in d.causes) for d in run[engine]} for run in (old, new)]
        if names[0] != names[1]:
            yield RunChange("diagnosis", engine, _cause_text(old[engine]), _cause_text(new[engine]), Sense.OTHER)


def _cause_text(diagnoses: Iterable[Diagnosis]) -> str:
    return "; ".join(dict.fromkeys(conjunction(d.causes) or "unexplained" for d in diagnoses))


def _laws(before: Run, after: Run) -> Iterator[RunChange]:
    """Laws that were broken or hold again."""
    old, new = ({(i.engine, i.law): i for i in run.identities} for run in (before, after))
    for engine, law in (key for key in old if key in new):
        was, is_now = old[engine, law], new[engine, law]
        if was.holds != is_now.holds:
            texts = [f"{'holds' if i.holds else 'broken'}, {number(i.error)} of {number(i.allowed)}" for i in (was, is_now)]
            yield RunChange("law", f"{engine}, {law}", texts[0], texts[1], Sense.BETTER if is_now.holds else Sense.WORSE)


def _failures(before: Run, after: Run) -> Iterator[RunChange]:
    """Failures that are new or gone."""
    old, new = ({(f.engine, f.quantity): f.message for f in run.failures} for run in (before, after))
    compared_before, compared_after = ({*compared_pairs(run), *((e.name, "") for e in run.engines)} for run in (before, after))
    yield from _arrivals_and_departures("failure", old, new, compared_before, compared_after)


def _settings(before: Run, after: Run) -> Iterator[RunChange]:
    """Engines that came, went or have another version or route; then what else differs between the runs."""
    for kind, texts_of, missing in (("engine", _engine_texts, "not there"), ("run", _provenance_texts, "-")):
        old, new = texts_of(before), texts_of(after)
        for name in (name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)):
            yield RunChange(kind, name, old.get(name, missing), new.get(name, missing), Sense.OTHER)


def _engine_texts(run: Run) -> dict[str, str]:
    return {engine.name: f"{engine.version}, {engine.route}" for engine in run.engines}


def _provenance_texts(run: Run) -> dict[str, str]:
    where = run.provenance
    return {
        "robot's description": where.model_hash,
        "seed": str(where.seed),
        "states": str(where.states),
        "machine": where.machine,
        **{f"version of {package}": version for package, version in where.versions},
    }


def _subject(engine: str, quantity: str) -> str:
    return f"{engine}, {quantity_label(quantity)}" if quantity else engine
