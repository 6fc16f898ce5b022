"""The comparisons and the accuracies as tables, and as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leapcheck.records import Accuracy, Comparison, Run
from leapcheck.system.strict_json import dumps_line
from leapcheck.system.tables import Column, Table, pandas_frame

if TYPE_CHECKING:
    from pandas import DataFrame

STATES = ("worst_q", "worst_v", "worst_tau")
COMPARISON_TYPES = {
    **dict.fromkeys(("quantity", "engine", "against"), "string"),
    "states": "int64",
    **dict.fromkeys(("error", "absolute"), "float64"),
    **dict.fromkeys(("unit", "scale"), "string"),
    **dict.fromkeys(("rounding", "tolerance", "margin"), "float64"),
    "verdict": "string",
    "worst_index": "Int64",
    **dict.fromkeys(("worst_kind", "worst_entry"), "string"),
    **dict.fromkeys(("worst_value", "worst_against_value", "worst_truth"), "float64"),
    **dict.fromkeys(STATES, "string"),
}
ACCURACY_TYPES = {
    **dict.fromkeys(("quantity", "engine"), "string"),
    **dict.fromkeys(("states", "sampled"), "int64"),
    **dict.fromkeys(("median", "worst", "rounding"), "float64"),
    "worst_index": "int64",
}


def comparison_table(run: Run) -> Table:
    """A row per comparison in the run's order: the record's fields, then its worst state as `worst_...`.

    `worst_q`, `worst_v` and `worst_tau` are JSON arrays as text; what a comparison lacks is missing (NA, NaN).
    """
    return _table(COMPARISON_TYPES, [_row(c) for c in run.comparisons])


def accuracy_table(run: Run) -> Table:
    """A row per engine and quantity compared with the truth, in the run's order: the record's fields, scale-free.

    `worst_index` is the state with the largest error in units of the expected `rounding`; `median` is missing where no state
    of the sample counts. No rows where no truth was at hand.
    """
    return _table(ACCURACY_TYPES, [_accuracy_row(a) for a in run.accuracies])


def comparison_frame(run: Run) -> DataFrame:
    """`comparison_table` as a frame."""
    return pandas_frame(comparison_table(run))


def accuracy_frame(run: Run) -> DataFrame:
    """`accuracy_table` as a frame."""
    return pandas_frame(accuracy_table(run))


def run_frame(run: Run) -> DataFrame:
    """A row per comparison in the run's order, its worst state in columns q_0, ..., v_0, ..., tau_0, ...; units in `attrs`."""
    import pandas

    rows = comparison_frame(run)
    columns: dict[str, list[float]] = {}
    for name in ("q", "v", "tau"):
        size = max((len(getattr(c.worst, name)) for c in run.comparisons if c.worst is not None), default=0)
        for i in range(size):
            columns[f"{name}_{i}"] = [float("nan") if c.worst is None else getattr(c.worst, name)[i] for c in run.comparisons]
    rows = pandas.concat([rows.drop(columns=list(STATES)), pandas.DataFrame(columns, dtype="float64")], axis=1)
    units = {"q": "m, 1, rad", "v": "rad/s, m/s", "tau": "N m, N"}
    scale_free = dict.fromkeys(("error", "tolerance", "margin", "rounding"), "1")
    in_unit = dict.fromkeys(("absolute", "worst_value", "worst_against_value", "worst_truth"), "as in column 'unit'")
    rows.attrs["units"] = scale_free | in_unit | {name: units[name.partition("_")[0]] for name in columns}
    return rows


def _table(types: dict[str, str], rows: list[list[Any]]) -> Table:
    """The columns of rows that have a value for each of the types."""
    return {name: Column(dtype, [row[i] for row in rows]) for i, (name, dtype) in enumerate(types.items())}


def _row(comparison: Comparison) -> list[Any]:
    c, w = comparison, comparison.worst
    row = [c.quantity, c.engine, c.against, c.states, c.error, c.absolute, c.unit, c.scale, c.rounding, c.tolerance, c.margin]
    row.append(str(c.verdict))
    if w is None:
        return [*row, *[None] * 9]
    return [*row, w.index, w.kind, w.entry, w.value, w.against_value, w.truth, *(dumps_line(x) for x in (w.q, w.v, w.tau))]


def _accuracy_row(a: Accuracy) -> list[Any]:
    return [a.quantity, a.engine, a.states, a.sampled, a.median if a.sampled else None, a.worst, a.rounding, a.index]
