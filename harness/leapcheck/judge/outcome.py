"""The outcome of a run: its exit status, and the run in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leapcheck.comparison.engine_set import EngineSet
from leapcheck.comparison.plan import Plan
from leapcheck.engines.protocol import Engine, declared_precision
from leapcheck.quantities import QUANTITIES
from leapcheck.records import ITSELF, CauseClass, Comparison, Discrepancy, Failure, Verdict
from leapcheck_models.words import plural

NAMED = 2
"""Quantities in which an engine contradicts itself that the sentence names; more are counted."""


def exit_status(
    rows: Sequence[Comparison], discrepancies: Sequence[Discrepancy], failures: Sequence[Failure], own: set[str]
) -> int:
    """0 agree; 1 a discrepancy or a failure of the user's own engine; 2 where an engine of ours, or all, could not run."""
    if any(failure.engine not in own for failure in failures) or not (rows or failures):
        return 2
    return int(bool(failures or discrepancies) or any(row.verdict is Verdict.DISCREPANCY for row in rows))


def verdict_sentence(
    plan: Plan,
    engine_set: EngineSet,
    rows: Sequence[Comparison],
    discrepancies: Sequence[Discrepancy],
    failures: Sequence[Failure],
    states: int,
) -> str:
    """The run in one sentence, and one more for failures."""
    over = f"over {plural(states, 'state')} of {plan.spec.name}"
    failing = ", ".join(dict.fromkeys(failure.engine for failure in failures))
    failed = f" {plural(len(failures), 'failure')} of {failing}." if failures else ""
    itself = contradiction_text([d for d in discrepancies if d.against == ITSELF])
    if bad := [row for row in rows if row.verdict is Verdict.DISCREPANCY]:
        what = ", ".join(dict.fromkeys(QUANTITIES[row.quantity].label for row in bad))
        pairs = {(row.quantity, frozenset((row.engine, row.against))) for row in bad}
        who = list(dict.fromkeys(d.engine for d in discrepancies if (d.quantity, frozenset((d.engine, d.against))) in pairs))
        also = f"; {itself}" if itself else ""
        return f"{' and '.join(who)} differ{'s' * (len(who) == 1)} in {what} {over}{also}.{failed}"
    if itself:
        return f"{itself} {over}.{failed}"
    if imprecise := list(dict.fromkeys(d.engine for d in discrepancies)):
        are = "is" if len(imprecise) == 1 else "are"
        declared = dict.fromkeys(declared_precision(e) for e in engine_set.engines if e.name in imprecise)
        why = f"within {' and '.join(declared)}, which --strict does not excuse"
        return f"{' and '.join(imprecise)} {are} right but imprecise {over}: {why}.{failed}"
    if failures:
        return f"Not every engine ran as it should {over}:{failed}"
    if not rows:
        return f"Nothing could be compared {over}."
    tail = _imprecise_text(rows, _declared(engine_set.engines))
    quantities = plural(len({row.quantity for row in rows}), "quantity")
    named = {name for row in rows for name in (row.engine, row.against)}
    answering = sum(engine.name in named for engine in engine_set.engines)
    return f"{plural(answering, 'engine')} {'agree' if answering > 1 else 'agrees'} on {quantities} {over}{tail}."


def _declared(engines: Sequence[Engine]) -> dict[str, str]:
    """The precision below double, in words, of the engines that declare one."""
    return {engine.name: words for engine in engines if (words := declared_precision(engine))}


def _imprecise_text(rows: Sequence[Comparison], declared: Mapping[str, str]) -> str:
    """Who is right but imprecise, and why that is no discrepancy."""
    imprecise = [row for row in rows if row.verdict is Verdict.IMPRECISE]
    own = dict.fromkeys(name for row in imprecise for name in (row.engine, row.against) if name in declared)
    far = any(declared.keys().isdisjoint((row.engine, row.against)) for row in imprecise)
    texts = [f"; {name} is right but imprecise: within {declared[name]}" for name in own]
    return "".join([*texts, "; far from the world's origin some are right but imprecise" if far else ""])


def strict_discrepancies(rows: Sequence[Comparison], engines: Sequence[Engine], command: str) -> tuple[Discrepancy, ...]:
    """A discrepancy for each quantity in which an engine is imprecise by the precision that it declares."""
    declared = _declared(engines)
    sides = ((row, *pair) for row in rows for pair in ((row.engine, row.against), (row.against, row.engine)))
    first = {(row.quantity, me): (row, other) for row, me, other in reversed([*sides]) if me in declared and _is_imprecise(row)}
    return tuple(
        Discrepancy(
            quantity=quantity,
            engine=engine,
            against=other,
            cause_class=CauseClass.ROUND_OFF,
            cause=f"Right but imprecise: within {declared[engine]}, which --strict does not excuse.",
            evidence=f"The error is {row.rounding:.3g} times the rounding that double precision explains.",
            who_is_wrong=f"{engine} is right within {declared[engine]}.",
            command=command,
        )
        for (quantity, engine), (row, other) in reversed(first.items())
    )


def _is_imprecise(row: Comparison) -> bool:
    return row.verdict is Verdict.IMPRECISE and row.margin < 1.0


def contradiction_text(discrepancies: Sequence[Discrepancy]) -> str:
    """Which engines contradict themselves, and in what; empty where none does."""
    parts = []
    for engine in dict.fromkeys(d.engine for d in discrepancies):
        labels = [QUANTITIES[d.quantity].label for d in discrepancies if d.engine == engine]
        more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
        parts.append(f"{engine} contradicts itself in {', '.join(labels[:NAMED])}{more}")
    return "; ".join(parts)
