"""GO, MARGINAL or NO-GO: the estimates, the ledgers and the robustness against the thresholds, each reason with its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from leapcheck.jumping.judging.remedies import REMEDIES, runs_without_failure
from leapcheck.jumping.judging.rules import RULES, Reason, reasons_under
from leapcheck.jumping.judging.thresholds import JumpVerdict, Thresholds
from leapcheck.jumping.measures.estimates import Estimate
from leapcheck.jumping.measures.ledgers import Ledger
from leapcheck.simulators.log import JumpLog
from leapcheck_reference.simulate.actuator import Drives

WIDE = "measure the ground (friction, stiffness) to choose a contact model: the spread over simulators decides the verdict"

USES = (
    ("torque", "torque_use"),
    ("voltage", "voltage_use"),
    ("torque-speed line", "line_use"),
    ("heat", "thermal_load"),
    ("friction", "friction_use"),
)
"""What the sentence of a GO names."""


DRIVE_USES = ("torque_use", "voltage_use", "line_use")
"""Figures of what is asked of the drives: simulated drives give no more than they can, so a jump may succeed beyond it."""

OUTCOMES = frozenset(("take_off_speed", "flight_time", *(rule.figure for rule in RULES if rule.outcome)))
"""Figures that say whether a jump succeeds."""

STRONG_ENOUGH = "nothing in the drives: the jump succeeds with what they can give"
"""Said in place of remedies for the drives."""


@dataclass(frozen=True, slots=True)
class JumpJudgement:
    """The verdict with its reasons, the gravest first, and what to change to make it GO."""

    verdict: JumpVerdict
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


def judge_jump(
    measured: Sequence[Estimate],
    books: Mapping[str, Sequence[Ledger]],
    logs: Mapping[str, Sequence[JumpLog]],
    robustness: Robustness | None = None,
    thresholds: Thresholds = Thresholds(),
    drives: Drives | None = None,
    failures: Mapping[str, str] | None = None,
) -> JumpJudgement:
    """The judgement of a jump: NO-GO where it is so beyond error bar and spread, MARGINAL where it may be or comes near.

    A run that stopped early at its finest step, or a ledger out of tolerance, is a NO-GO in any simulator.
    `books` and `logs` are by simulator, the logs of each from the coarsest step to the finest. With the robot's `drives` the
    remedies say which torque, gear and voltage would do. `failures`: why a simulator that was asked gave no run.
    """
    by_key = {estimate.key: estimate for estimate in measured}
    reasons = [
        *_early_stops(logs),
        *_missing_runs(failures or {}, logs),
        *_out_of_balance(books),
        *_missing_events(by_key, logs),
        *_figure_reasons(by_key, thresholds),
        *_unknown_errors(by_key, logs),
        *(_fragile(robustness, thresholds) if robustness is not None else ()),
    ]
    return _judgement(reasons, by_key, thresholds, robustness, drives)


def judge_first_runs(
    measured: Sequence[Estimate],
    logs: Mapping[str, Sequence[JumpLog]],
    thresholds: Thresholds = Thresholds(),
    failures: Mapping[str, str] | None = None,
) -> JumpJudgement:
    """What the runs at the coarsest step alone say, as in `judge_jump`: preliminary, since no figure has an error bar yet."""
    by_key = {estimate.key: estimate for estimate in measured}
    reasons = [
        *_early_stops(logs),
        *_missing_runs(failures or {}, logs),
        *_missing_events(by_key, logs),
        *_figure_reasons(by_key, thresholds),
    ]
    return _judgement(reasons, by_key, thresholds, None, None)


def _figure_reasons(by_key: Mapping[str, Estimate], thresholds: Thresholds) -> Iterator[Reason]:
    """What the rules say of each figure."""
    for rule in RULES:
        if rule.figure in by_key:
            yield from reasons_under(rule, by_key[rule.figure], thresholds)


def _judgement(
    reasons: Sequence[Reason],
    by_key: Mapping[str, Estimate],
    thresholds: Thresholds,
    robustness: Robustness | None,
    drives: Drives | None,
) -> JumpJudgement:
    """The judgement that the reasons lead to."""
    grave = [reason for verdict in (JumpVerdict.NO_GO, JumpVerdict.MARGINAL) for reason in reasons if reason.verdict is verdict]
    verdict = grave[0].verdict if grave else JumpVerdict.GO
    helped = grave if _fails(grave) else [reason for reason in grave if reason.item not in DRIVE_USES]
    remedies = dict.fromkeys(remedy for reason in helped for remedy in _remedies(reason, by_key, thresholds, drives))
    if len(helped) < len(grave):
        remedies[STRONG_ENOUGH] = None
    if verdict is JumpVerdict.MARGINAL:
        remedies |= dict.fromkeys(_settling_remedy(reason) for reason in grave if reason.flips)
    return JumpJudgement(verdict, tuple(grave), tuple(remedies), _sentence(verdict, grave, by_key, robustness))


def _fails(reasons: Sequence[Reason]) -> bool:
    """Whether the jump fails in some simulator or, varied, in some of the Monte Carlo."""
    return any(
        reason.verdict is JumpVerdict.NO_GO
        or (reason.item in OUTCOMES and reason.flips)
        or (reason.item == "success" and reason.value < 1.0)
        for reason in reasons
    )


def _early_stops(logs: Mapping[str, Sequence[JumpLog]]) -> Iterator[Reason]:
    """Runs that ended early: a NO-GO at the finest step, MARGINAL where a finer one went through; one reason for each."""
    if not any(logs.values()):
        yield Reason(JumpVerdict.NO_GO, "run", "no simulator gave a run")
    finest = {name: runs[-1] for name, runs in logs.items() if runs and runs[-1].stopped}
    coarser = {name: log for name, runs in logs.items() if name not in finest for log in runs if log.stopped}
    for verdict, stopped, which in (
        (JumpVerdict.NO_GO, finest, "the run"),
        (JumpVerdict.MARGINAL, coarser, "a run at a coarser step"),
    ):
        if stopped:
            first = min(stopped, key=lambda name: (float(stopped[name].time[-1]), name))
            others = _others_text("it stopped in", stopped, first)
            text = (
                f"{which} in {first} stopped early, at a step of {1e3 * stopped[first].dt:g} ms: {stopped[first].stopped}{others}"
            )
            yield Reason(verdict, "run", text, simulator=first, dt=stopped[first].dt)


def _missing_runs(failures: Mapping[str, str], logs: Mapping[str, Sequence[JumpLog]]) -> Iterator[Reason]:
    """Simulators that gave no run, or not at every step size; those of one cause together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(failures):
        missing = "no run of" if not logs.get(name) else "not every run of"
        groups.setdefault((missing, failures[name].removeprefix(f"{name}: ")), []).append(name)
    for (missing, why), names in groups.items():
        text = ", ".join(names)
        yield Reason(JumpVerdict.MARGINAL, "simulator", f"{missing} {text}: {why}", simulator=text)


def _out_of_balance(books: Mapping[str, Sequence[Ledger]]) -> Iterator[Reason]:
    """Ledgers out of tolerance: a reason for each sort, with the simulator that is farthest beyond its tolerance."""
    out: dict[str, dict[str, Ledger]] = {}
    for name in sorted(books):
        for book in books[name]:
            if not book.met:
                out.setdefault(book.what, {})[name] = book
    for what, by_name in out.items():
        worst = max(by_name, key=lambda name: _excess(by_name[name]))
        book, others = by_name[worst], _others_text("out too in", by_name, worst)
        text = (
            f"the ledger of {what} is out by {book.relative:.2g} of its turnover in {worst}, above {book.tolerance:.2g}{others}"
        )
        yield Reason(JumpVerdict.NO_GO, "ledger", text, book.relative, threshold=book.tolerance, unit="1", simulator=worst)


def _excess(book: Ledger) -> float:
    return math.inf if math.isnan(book.relative) or not book.tolerance else book.relative / book.tolerance


def _others_text(words: str, names: Iterable[str], first: str) -> str:
    """The simulators besides the first that a reason is about."""
    others = sorted(set(names) - {first})
    return f"; {words} {', '.join(others)}" if others else ""


def _missing_events(by_key: Mapping[str, Estimate], logs: Mapping[str, Sequence[JumpLog]]) -> Iterator[Reason]:
    """Take-off or touch-down that does not happen: a NO-GO if in no simulator, else the verdict flips over them.

    Runs that stopped early do not count: they may not have got there.
    """
    ran = sorted(name for name, levels in logs.items() if levels and not levels[-1].stopped)
    for key, event in (("take_off_speed", "the robot does not leave the ground"), ("flight_time", "the run ends in the air")):
        seen = by_key[key].by_simulator if key in by_key else {}
        missing = [name for name in ran if name not in seen]
        if missing:
            verdict = JumpVerdict.MARGINAL if seen else JumpVerdict.NO_GO
            yield Reason(verdict, key, f"{event} in {', '.join(missing)}", simulator=missing[0], flips=bool(seen))
            return


def _unknown_errors(by_key: Mapping[str, Estimate], logs: Mapping[str, Sequence[JumpLog]]) -> Iterator[Reason]:
    """Figures without an error bar; runs that stopped early have none, and are a reason of their own."""
    judged_figures = [by_key[rule.figure] for rule in RULES if rule.figure in by_key]
    unknown = {name for figure in judged_figures for name, value in figure.by_simulator.items() if math.isnan(value.error)}
    names = sorted(name for name in unknown if not (logs.get(name) and logs[name][-1].stopped))
    if names:
        text = f"no error bar of the time step in {', '.join(names)}: fewer than two halved steps gave figures"
        yield Reason(JumpVerdict.MARGINAL, "time step", text, simulator=names[0])


def _fragile(robustness: Robustness, thresholds: Thresholds) -> Iterator[Reason]:
    """A rate of success below the NO-GO threshold is a NO-GO; one that may be below the other, by its interval, is MARGINAL."""
    (low, high), successes, count = robustness.interval, robustness.successes, robustness.count
    share, text = successes / count, f"{successes} of {count} varied jumps succeed"
    verdict, threshold = JumpVerdict.MARGINAL, thresholds.success_marginal
    if share < thresholds.success_no_go:
        verdict, threshold = JumpVerdict.NO_GO, thresholds.success_no_go
        text += f", a part of {share:.3f} < {threshold:g}"
    elif low >= threshold:
        return
    elif successes == count:
        text += f", too few to decide: lower Clopper-Pearson bound {low:.3f} < {threshold:g}"
    else:
        text += f": lower Clopper-Pearson bound {low:.3f} < {threshold:g}"
    yield Reason(verdict, "success", text, share, spread_low=low, spread_high=high, threshold=threshold, unit="1")


def _sentence(
    verdict: JumpVerdict, reasons: Sequence[Reason], by_key: Mapping[str, Estimate], robustness: Robustness | None
) -> str:
    """The judgement in one line."""
    if reasons:
        more = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
        return f"{verdict}: {reasons[0].text}{more}"
    uses = [f"{word} {by_key[key].highest:.2f}" for word, key in USES if key in by_key]
    varied = f"; {robustness.successes} of {robustness.count} varied jumps succeed" if robustness is not None else ""
    return (
        f"{verdict}: used at most, of 1: {', '.join(uses)}{varied}" if uses else f"{verdict}: nothing is near its limit{varied}"
    )


STOPPED = "check the controller and the gains where the run stopped; use a smaller time step if it diverged"

OTHER_REMEDIES = {
    "run": STOPPED,
    "time step": "run at two or more step sizes: dt, dt/2, dt/4",
    "flight_time": "simulate longer, until the robot has landed and come to rest",
    "ledger": "use a smaller time step, or leave out the simulators whose ledgers do not balance: their numbers do not add up",
    "take_off_speed": "push harder or longer: the legs must give more than the robot's weight until they leave the ground",
}
"""What may help against reasons that no figure measures."""


def _remedies(reason: Reason, by_key: Mapping[str, Estimate], thresholds: Thresholds, drives: Drives | None) -> Iterator[str]:
    """What may help against one reason."""
    if reason.item in REMEDIES:
        yield from (STOPPED,) if math.isnan(reason.value) else REMEDIES[reason.item](by_key, thresholds, drives)
    elif reason.item == "success":
        needed = runs_without_failure(thresholds.success_marginal)
        if reason.value < 1.0:
            yield f"remove the causes of failure, ranked in the Monte Carlo; the bound itself needs {needed} jumps or more"
        else:
            yield f"vary more jumps: --monte-carlo {needed} without a failure would do"
    elif reason.item == "simulator":
        yield f"fix what kept {reason.simulator} from running, or leave it out of the study"
    elif reason.item in OTHER_REMEDIES:
        yield OTHER_REMEDIES[reason.item]


def _settling_remedy(reason: Reason) -> str:
    """What tells on which side of its threshold a figure is."""
    narrow = reason.spread_high - reason.spread_low <= 2.0 * reason.error  # NaN: an event that some simulators do not have
    return "smaller time steps: the error bar decides the verdict" if narrow else WIDE
