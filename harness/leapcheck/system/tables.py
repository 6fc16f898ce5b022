"""Tables as files, each whole or not at all: CSV for spreadsheets, Parquet with the columns' units in its metadata."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.system.text import printable
from leapcheck.system.whole_file import write_whole

if TYPE_CHECKING:
    from pandas import DataFrame

FORMULA = ("=", "+", "-", "@")  # OWASP, "CSV Injection": a cell that begins so is a formula to a spreadsheet

UNITS = "units"
"""Key of `frame.attrs` under which a frame has its columns' units, by column; pandas keeps `attrs` in Parquet."""


def write_table(frame: DataFrame, path: Path) -> None:
    """Write the frame as .csv or .parquet, by the suffix of `path`; ValueError for any other suffix."""
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"cannot write a table to '{path}': give it the suffix .csv or .parquet")
    write_whole(path, csv_bytes(frame) if path.suffix == ".csv" else parquet_bytes(frame))


def csv_bytes(frame: DataFrame) -> bytes:
    """The frame as CSV, texts without control characters; what a spreadsheet would run gets an apostrophe before it."""
    safe = frame.copy()
    for name in frame.columns:
        if frame[name].dtype.kind not in "iufb":
            safe[name] = [_no_formula(text) if isinstance(text, str) else text for text in frame[name]]
    return safe.to_csv(index=False, lineterminator="\n").encode()


def parquet_bytes(frame: DataFrame) -> bytes:
    """The frame as Parquet, its texts as they are."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _no_formula(text: str) -> str:
    text = printable(text)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
