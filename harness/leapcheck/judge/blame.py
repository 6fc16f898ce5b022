"""Who is wrong where two engines differ: the truth says it at every state, the worst entry only where the truth clears both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leapcheck.quantities import QUANTITIES
from leapcheck.records import UNANSWERED, UNSEEN, Comparison, EngineVerdict, TruthVerdict, Verdict, WorstState

VerdictOf = Mapping[tuple[str, str], EngineVerdict]
"""The verdict by the truth over each engine and quantity."""


class WrongQuantity(NamedTuple):
    """A row that shows that `engine` is wrong, against one that is right if there is any, and the state where it shows most."""

    engine: str
    against: str
    row: Comparison
    worst: WorstState


def verdict_of(verdicts: Iterable[EngineVerdict]) -> VerdictOf:
    """The verdicts by engine and quantity."""
    return {(row.engine, row.quantity): row for row in verdicts}


def wrong_quantities(rows: Sequence[Comparison], verdicts: VerdictOf) -> list[WrongQuantity]:
    """Each quantity of each wrong engine, in the order of the rows, with the row that shows it best."""
    wrong: dict[tuple[str, str], WrongQuantity] = {}
    for row in rows:
        if row.verdict is Verdict.DISCREPANCY and row.worst is not None:
            for engine in _wrong_engines(row, row.worst, verdicts):
                against = row.against if engine == row.engine else row.engine
                shown = wrong.setdefault((row.quantity, engine), WrongQuantity(engine, against, row, row.worst))
                if _is_wrong(shown.against, row.quantity, verdicts) and not _is_wrong(against, row.quantity, verdicts):
                    wrong[row.quantity, engine] = WrongQuantity(engine, against, row, row.worst)
    return list(wrong.values())


def who_is_wrong(wrong: WrongQuantity, verdicts: VerdictOf) -> str:
    """In words how far both are off the truth: at the worst entry, or in the comparison where that is not seen again."""
    row, worst, label = wrong.row, wrong.worst, QUANTITIES[wrong.row.quantity].label
    judged = verdicts.get((wrong.engine, row.quantity))
    if judged is not None and worst.entry in (UNANSWERED, UNSEEN):
        return (
            f"{wrong.engine} is wrong: its {label} was off the extended-precision values by {judged.rounding:.3g} times the "
            f"expected rounding at state {judged.index}; asked again, it {'fails' if worst.entry == UNANSWERED else 'is right'}."
        )
    if worst.truth is None:
        return "Who is wrong was not judged."
    off = {row.engine: abs(worst.value - worst.truth), row.against: abs(worst.against_value - worst.truth)}
    return (
        f"{wrong.engine} is wrong: its {label} entry [{worst.entry}] is off the extended-precision value {worst.truth!r} by "
        f"{off[wrong.engine]:.3g}, {wrong.against}'s by {off[wrong.against]:.3g}."
    )


def _wrong_engines(row: Comparison, worst: WorstState, verdicts: VerdictOf) -> list[str]:
    """Those of the pair that the truth calls wrong; where it calls none so, the one that is farther off at the worst entry."""
    wrong = [engine for engine in (row.engine, row.against) if _is_wrong(engine, row.quantity, verdicts)]
    return wrong or [_farther_engine(row, worst)]


def _is_wrong(engine: str, quantity: str, verdicts: VerdictOf) -> bool:
    judged = verdicts.get((engine, quantity))
    return judged is not None and judged.verdict is TruthVerdict.WRONG


def _farther_engine(row: Comparison, worst: WorstState) -> str:
    """The side that lies farther from the true value of the worst entry; the first where that is not known."""
    if worst.truth is None or not np.isfinite(worst.value):
        return row.engine
    return row.engine if abs(worst.value - worst.truth) >= abs(worst.against_value - worst.truth) else row.against
