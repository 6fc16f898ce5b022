"""The comparisons and the accuracies as tables: data frames, CSV and Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leapcheck.compare.records import Accuracy, Comparison, Run
from leapcheck.report.words import printable

if TYPE_CHECKING:
    from pandas import DataFrame

FORMULA = ("=", "+", "-", "@")  # OWASP, "CSV Injection": a cell that begins so is a formula to a spreadsheet
TEXTS = ("quantity", "engine", "against", "unit", "scale", "verdict", "worst_kind", "worst_entry")
NUMBERS = ("error", "absolute", "rounding", "tolerance", "margin", "worst_value", "worst_against_value", "worst_truth")
STATES = ("worst_q", "worst_v", "worst_tau")


def comparison_frame(run: Run) -> DataFrame:
    """A row per comparison in the run's order: the record's fields, then its worst state as `worst_...`.

    `worst_q`, `worst_v` and `worst_tau` are JSON arrays as text; what a comparison lacks is missing (NA, NaN).
    """
    import pandas

    columns = ("quantity", "engine", "against", "states", "error", "absolute", "unit", "scale", "rounding", "tolerance", "margin")
    worst = ("index", "kind", "entry", "value", "against_value", "truth", "q", "v", "tau")
    names = [*columns, "verdict", *(f"worst_{name}" for name in worst)]
    frame = pandas.DataFrame([_row(c) for c in run.comparisons], columns=names)
    types = dict.fromkeys(NUMBERS, "float64") | dict.fromkeys((*TEXTS, *STATES), "string")
    return frame.astype(types | {"states": "int64", "worst_index": "Int64"})


def accuracy_frame(run: Run) -> DataFrame:
    """A row per engine and quantity held against the truth, in the run's order: the record's fields, scale-free.

    `worst_index` is the state with the largest error in units of the expected `rounding`; `median` is missing where no state
    of the sample counts. No rows where no truth was at hand.
    """
    import pandas

    names = ("quantity", "engine", "states", "sampled", "median", "worst", "rounding", "worst_index")
    frame = pandas.DataFrame([_accuracy_row(a) for a in run.accuracies], columns=names)
    types = dict.fromkeys(("quantity", "engine"), "string") | dict.fromkeys(("median", "worst", "rounding"), "float64")
    return frame.astype(types | dict.fromkeys(("states", "sampled", "worst_index"), "int64"))


def write_csv(frame: DataFrame, path: Path) -> None:
    """Write the frame as CSV, texts without control characters; what a spreadsheet would run gets an apostrophe before it."""
    safe = frame.copy()
    for name in frame.columns:
        if name in TEXTS:
            safe[name] = [_no_formula(text) if isinstance(text, str) else text for text in frame[name]]
    safe.to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


def _no_formula(text: str) -> str:
    text = printable(text)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def write_parquet(frame: DataFrame, path: Path) -> None:
    """Write the frame as Parquet, its texts as they are."""
    frame.to_parquet(path, index=False)


def _row(comparison: Comparison) -> list[Any]:
    c, w = comparison, comparison.worst
    row = [c.quantity, c.engine, c.against, c.states, c.error, c.absolute, c.unit, c.scale, c.rounding, c.tolerance, c.margin]
    row.append(str(c.verdict))
    if w is None:
        return [*row, *[None] * 9]
    return [*row, w.index, w.kind, w.entry, w.value, w.against_value, w.truth, *(_json(x) for x in (w.q, w.v, w.tau))]


def _accuracy_row(a: Accuracy) -> list[Any]:
    return [a.quantity, a.engine, a.states, a.sampled, a.median if a.sampled else None, a.worst, a.rounding, a.index]


def _json(values: tuple[float, ...]) -> str:
    return json.dumps([float(x) for x in values])
