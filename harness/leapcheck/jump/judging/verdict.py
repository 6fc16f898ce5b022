"""GO, MARGINAL or NO-GO: the estimates, the ledgers and the robustness against the thresholds, each reason with its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from leapcheck.jump.judging.remedies import REMEDIES, runs_without_failure
from leapcheck.jump.judging.rules import RULES, Reason, Verdict, ruled
from leapcheck.jump.judging.thresholds import Thresholds
from leapcheck.jump.log import JumpLog
from leapcheck.jump.measures.estimates import Estimate
from leapcheck.jump.measures.ledgers import Ledger
from leapcheck_reference.simulate.actuator import Drives

__all__ = ["Judgement", "Reason", "Robustness", "Verdict", "judged"]

WIDE = "settle the contact model by a measurement (friction, ground stiffness): the spread over simulators decides the verdict"

USES = (("torque", "torque_use"), ("voltage", "voltage_use"), ("friction", "friction_use"))
"""What the sentence of a GO names."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict with its reasons, the gravest first, and what to change to make it GO."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    remedies: tuple[str, ...]
    sentence: str


class Robustness(Protocol):
    """What a Monte Carlo tells: `successes` of `count` jumps, and the Clopper-Pearson `interval` of their probability."""

    @property
    def successes(self) -> int:
        """Jumps that succeeded."""

    @property
    def count(self) -> int:
        """Jumps in all."""

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound of the probability of success."""


def judged(
    measured: Sequence[Estimate],
    books: Mapping[str, Sequence[Ledger]],
    logs: Mapping[str, Sequence[JumpLog]],
    robustness: Robustness | None = None,
    thresholds: Thresholds = Thresholds(),
    drives: Drives | None = None,
    failures: Mapping[str, str] | None = None,
) -> Judgement:
    """The judgement of a jump: NO-GO where it is so beyond error bar and spread, MARGINAL where it may be or comes near.

    A run that stopped early at its finest step, or a ledger out of tolerance, is a NO-GO in any simulator.
    `books` and `logs` are by simulator, the logs of each from the coarsest step to the finest. With the robot's `drives` the
    remedies say which torque, gear and voltage would do. `failures`: why a simulator that was asked gave no run.
    """
    by_key = {estimate.key: estimate for estimate in measured}
    found = [
        *_broken(logs),
        *(
            Reason(Verdict.MARGINAL, "simulator", f"no run: {why}", simulator=name)
            for name, why in sorted((failures or {}).items())
        ),
        *_out_of_balance(books),
        *_never(by_key, logs),
        *(reason for rule in RULES if rule.figure in by_key for reason in ruled(rule, by_key[rule.figure], thresholds)),
        *_unknown_errors(by_key),
        *(_fragile(robustness, thresholds) if robustness is not None else ()),
    ]
    grave = [reason for verdict in (Verdict.NO_GO, Verdict.MARGINAL) for reason in found if reason.verdict is verdict]
    verdict = grave[0].verdict if grave else Verdict.GO
    remedies = dict.fromkeys(remedy for reason in grave for remedy in _remedies(reason, by_key, thresholds, drives))
    return Judgement(verdict, tuple(grave), tuple(remedies), _sentence(verdict, grave, by_key, robustness))


def _broken(logs: Mapping[str, Sequence[JumpLog]]) -> Iterator[Reason]:
    """Runs that ended early: a NO-GO at the finest step, MARGINAL where a finer one went through."""
    if not any(logs.values()):
        yield Reason(Verdict.NO_GO, "run", "no simulator gave a run")
    for name in sorted(logs):
        for log in logs[name]:
            if log.stopped:
                verdict = Verdict.NO_GO if log is logs[name][-1] else Verdict.MARGINAL
                text = f"the run at a step of {1e3 * log.dt:g} ms stopped early: {log.stopped}"
                yield Reason(verdict, "run", text, simulator=name, dt=log.dt)


def _out_of_balance(books: Mapping[str, Sequence[Ledger]]) -> Iterator[Reason]:
    for name in sorted(books):
        for book in books[name]:
            if not book.met:
                text = (
                    f"{name}: the ledger of {book.what} is out by {book.relative:.2g} of its turnover, above {book.tolerance:.2g}"
                )
                yield Reason(Verdict.NO_GO, "ledger", text, book.relative, threshold=book.tolerance, unit="1", simulator=name)


def _never(by_key: Mapping[str, Estimate], logs: Mapping[str, Sequence[JumpLog]]) -> Iterator[Reason]:
    """Take-off or touch-down that does not happen: a NO-GO if in no simulator, else the verdict flips over them."""
    ran = sorted(name for name, levels in logs.items() if levels)
    for key, event in (("take_off_speed", "the robot does not leave the ground"), ("flight_time", "the run ends in the air")):
        seen = by_key[key].by_simulator if key in by_key else {}
        missing = [name for name in ran if name not in seen]
        if missing:
            verdict = Verdict.MARGINAL if seen else Verdict.NO_GO
            yield Reason(verdict, key, f"{event} in {', '.join(missing)}", simulator=missing[0], flips=bool(seen))
            return


def _unknown_errors(by_key: Mapping[str, Estimate]) -> Iterator[Reason]:
    unknown = {rule.figure for rule in RULES if rule.figure in by_key and math.isnan(by_key[rule.figure].error)}
    if unknown:
        names = sorted({name for key in unknown for name, value in by_key[key].by_simulator.items() if math.isnan(value.error)})
        text = f"no error bar of the time step in {', '.join(names)}: only one step size was run"
        yield Reason(Verdict.MARGINAL, "time step", text, simulator=names[0])


def _fragile(found: Robustness, thresholds: Thresholds) -> Iterator[Reason]:
    low, high = found.interval
    if low >= thresholds.success_marginal:
        return
    hopeless = low < thresholds.success_no_go
    verdict = Verdict.NO_GO if hopeless else Verdict.MARGINAL
    threshold = thresholds.success_no_go if hopeless else thresholds.success_marginal
    text = f"{found.successes} of {found.count} varied jumps succeed: lower Clopper-Pearson bound {low:.3f} < {threshold:g}"
    share = found.successes / found.count if found.count else math.nan
    yield Reason(verdict, "success", text, share, spread_low=low, spread_high=high, threshold=threshold, unit="1")


def _sentence(verdict: Verdict, reasons: Sequence[Reason], by_key: Mapping[str, Estimate], robustness: Robustness | None) -> str:
    """The judgement in one line."""
    if reasons:
        more = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
        return f"{verdict}: {reasons[0].text}{more}"
    uses = [f"{word} {by_key[key].highest:.2f}" for word, key in USES if key in by_key]
    varied = f"; {robustness.successes} of {robustness.count} varied jumps succeed" if robustness is not None else ""
    return (
        f"{verdict}: used at most, of 1: {', '.join(uses)}{varied}" if uses else f"{verdict}: nothing is near its limit{varied}"
    )


def _remedies(reason: Reason, by_key: Mapping[str, Estimate], thresholds: Thresholds, drives: Drives | None) -> Iterator[str]:
    """What may help against one reason."""
    if reason.item in REMEDIES:
        yield from REMEDIES[reason.item](by_key, thresholds, drives)
    elif reason.item == "success":
        needed = runs_without_failure(thresholds.success_marginal)
        yield f"remove the causes of failure, ranked beside the Monte Carlo; the bound itself needs {needed} jumps or more"
    elif reason.item == "time step":
        yield "run at two or more step sizes: dt, dt/2, dt/4"
    elif reason.item == "flight_time":
        yield "simulate longer, until the robot has landed and come to rest"
    elif reason.item == "ledger":
        yield f"a smaller time step in {reason.simulator}, or leave it out: its numbers do not add up"
    elif reason.item == "run":
        yield "look at the controller and the gains where the run stopped; a smaller time step if it diverged"
    elif reason.item == "simulator":
        yield f"mend {reason.simulator} or leave it out of the study"
    elif reason.item == "take_off_speed":
        yield "push harder or longer: the legs must give more than the robot's weight until they leave the ground"
    if reason.flips:
        wide = reason.spread_high - reason.spread_low > 2.0 * reason.error
        yield WIDE if wide else "smaller time steps: the error bar decides the verdict"
