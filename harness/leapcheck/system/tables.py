"""Tables of named columns: CSV for spreadsheets, Parquet, and a pandas frame for those who ask for one.

The files are written without pandas, whose import takes longer than a whole report.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.system.strict_json import dumps_line
from leapcheck.system.text import printable
from leapcheck_models.arrays import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

FORMULA = ("=", "+", "-", "@")  # OWASP, "CSV Injection": a cell that begins so is a formula to a spreadsheet


@dataclass(frozen=True, slots=True)
class Column:
    """The values of a column, None or NaN where one is missing, and pandas' name of their type."""

    dtype: str
    values: Sequence[Any] | Floats

    @property
    def is_text(self) -> bool:
        """Whether the values are texts."""
        return self.dtype in ("string", "str")


Table = Mapping[str, Column]
"""Columns of one length by their names, in their order."""


def pandas_frame(table: Table) -> DataFrame:
    """The table as a pandas frame."""
    import pandas

    return pandas.DataFrame({name: pandas.Series(list(c.values), dtype=c.dtype) for name, c in table.items()})


def csv_bytes(table: Table) -> bytes:
    """The table as CSV, texts without control characters; what a spreadsheet would run gets an apostrophe before it."""
    columns = [[_cell(value) for value in column.values] for column in table.values()]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def parquet_bytes(table: Table) -> bytes:
    """The table as Parquet, its texts as they are; `pandas.read_parquet` gives its `pandas_frame`."""
    import pyarrow as pa
    import pyarrow.parquet

    arrays = [_arrow_array(column) for column in table.values()]
    written = pa.Table.from_arrays(arrays, list(table), metadata={"pandas": _pandas_types(table)})
    texts = [name for name, column in table.items() if column.is_text]
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(written, buffer, use_dictionary=texts)  # hardly a number comes twice
    return buffer.getvalue()


def _arrow_array(column: Column) -> Any:
    """The column as an Arrow array, out of its buffers: `pyarrow.array` would import pandas."""
    import pyarrow as pa

    missing = _missing(column)
    buffers = [pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None]
    if column.is_text:
        kind, texts = pa.large_string(), [(value or "").encode() for value in column.values]
        buffers += [pa.py_buffer(np.cumsum([0, *map(len, texts)], dtype=np.int64)), pa.py_buffer(b"".join(texts))]
    else:
        dtype = np.dtype(column.dtype.lower())
        kind, values = pa.from_numpy_dtype(dtype), column.values if dtype.kind == "f" else [x or 0 for x in column.values]
        buffers.append(pa.py_buffer(np.array(values, dtype=dtype)))
    return pa.Array.from_buffers(kind, len(column.values), buffers, int(missing.sum()))


def _missing(column: Column) -> NDArray[np.bool_]:
    """Where the column has no value."""
    if column.dtype == "float64":
        return np.isnan(np.array(column.values, dtype=np.float64))  # None becomes NaN
    return np.array([value is None for value in column.values], dtype=bool)


def _pandas_types(table: Table) -> str:
    """What pandas reads of its types in a Parquet file's metadata."""
    columns = [
        {
            "name": name,
            "field_name": name,
            "pandas_type": "object" if column.is_text else column.dtype.lower(),
            "numpy_type": column.dtype,
            "metadata": None,
        }
        for name, column in table.items()
    ]
    return dumps_line({"index_columns": [], "column_indexes": [], "columns": columns, "attributes": {}})


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        text = printable(value)
        return f"'{text}" if text.lstrip().startswith(FORMULA) else text
    return value if value == value else None  # NaN: an empty cell, as for None
