"""Tables: the files and the frame hold the same values, and no pandas is needed to write them."""

from __future__ import annotations

import io
import subprocess
import sys

import pandas
import pytest

from leapcheck.system.tables import Column, Table, csv_bytes, pandas_frame, parquet_bytes

pytestmark = pytest.mark.quick

TABLE: Table = {
    "engine": Column("string", ["mujoco", None, 'a "b", c\nd', "=1+1"]),
    "kind": Column("str", ["file", "far", "é", ""]),
    "states": Column("int64", [0, -1, 2**62, 3]),
    "index": Column("Int64", [7, None, 2**53 + 1, 0]),
    "error": Column("float64", [0.1 + 0.2, float("nan"), float("inf"), None]),
}


@pytest.mark.parametrize("table", [TABLE, {name: Column(c.dtype, []) for name, c in TABLE.items()}], ids=["rows", "no rows"])
def test_parquet_holds_the_frame(table: Table) -> None:
    pandas.testing.assert_frame_equal(pandas.read_parquet(io.BytesIO(parquet_bytes(table))), pandas_frame(table))


def test_csv_is_what_pandas_writes_but_for_formulas_and_control_characters() -> None:
    text = pandas_frame(TABLE).to_csv(index=False, lineterminator="\n")
    assert csv_bytes(TABLE).decode() == text.replace("=1+1", "'=1+1").replace("c\nd", "c d")


def test_files_are_written_without_pandas() -> None:
    code = (
        "import sys; from leapcheck.system.tables import *; t = {'x': Column('float64', [1.0])}; "
        "csv_bytes(t), parquet_bytes(t); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
