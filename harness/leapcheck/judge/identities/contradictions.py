"""Broken laws as discrepancies: an engine that contradicts itself is wrong, whatever quantities were compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from leapcheck.judge.identities.laws import LAWS
from leapcheck.records import ITSELF, CauseClass, Discrepancy, EngineVerdict, Identity, TruthVerdict
from leapcheck.rounding import SINGLE_RATIO

EngineQuantity = tuple[str, str]

ORDER = {law.words: law.quantities for law in LAWS}
"""The quantities of each law, the one that it is about first."""


def contradictions(
    laws: Sequence[Identity], verdicts: Sequence[EngineVerdict], discrepancies: Sequence[Discrepancy], command: str
) -> tuple[Discrepancy, ...]:
    """A discrepancy for each quantity by which an engine breaks laws that no error found in the comparison touches.

    `verdicts` and `discrepancies` are what the comparison showed; `command` repeats the run. An engine that was found to compute
    with few digits may miss its laws by what single precision explains.
    """
    wrong = {(row.engine, row.quantity) for row in discrepancies}
    right = {(row.engine, row.quantity) for row in verdicts if row.verdict is TruthVerdict.RIGHT}
    imprecise = {row.engine for row in verdicts if row.verdict is TruthVerdict.IMPRECISE and row.margin < 1.0}
    laws = [law for law in laws if not (law.engine in imprecise and law.allowed < law.error <= SINGLE_RATIO * law.allowed)]
    engines = dict.fromkeys(law.engine for law in laws)
    return tuple(
        _discrepancy(engine, quantity, broken, command)
        for engine in engines
        for quantity, broken in _by_quantity([law for law in laws if law.engine == engine], wrong, right)
    )


def _by_quantity(
    laws: Sequence[Identity], wrong: Collection[EngineQuantity], right: Collection[EngineQuantity]
) -> Iterator[tuple[str, list[Identity]]]:
    """The quantity that most of an engine's broken laws have in common, and fewest of those that hold, with these laws; then the
    same for the laws that are left.
    """
    holding = [law for law in laws if law.holds]
    left = [law for law in laws if not law.holds and not any((law.engine, q) in wrong for q in law.quantities)]
    while left:
        quantities = list(dict.fromkeys(q for law in left for q in (*ORDER.get(law.law, ()), *law.quantities)))
        doubtful = [q for q in quantities if (left[0].engine, q) not in right] or quantities
        shares = {q: (_count(left, q), -_count(holding, q)) for q in doubtful}
        blamed = max(doubtful, key=lambda q: shares[q])
        yield blamed, [law for law in left if blamed in law.quantities]
        left = [law for law in left if blamed not in law.quantities]


def _count(laws: Sequence[Identity], quantity: str) -> int:
    return sum(quantity in law.quantities for law in laws)


def _discrepancy(engine: str, quantity: str, broken: Sequence[Identity], command: str) -> Discrepancy:
    words = "; ".join(f'"{law.law}"' for law in broken)
    misses = "; ".join(f"{law.law}: off by {law.error:.2g}, rounding explains {law.allowed:.2g}" for law in broken)
    return Discrepancy(
        quantity=quantity,
        engine=engine,
        against=ITSELF,
        cause_class=CauseClass.ENGINE,
        cause=f"Its own answers contradict each other: they break the law{'s' * (len(broken) > 1)} {words}.",
        evidence=f"{misses}; over {broken[0].states} states, scale-free.",
        who_is_wrong=f"{engine} is wrong: the answers of any robot obey this law.",
        command=command,
    )
