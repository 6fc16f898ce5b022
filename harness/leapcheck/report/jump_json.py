"""results.json of a jump: the records behind the report as strict JSON; the logs themselves are in Parquet files."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from leapcheck.report import jump_view

if TYPE_CHECKING:
    from leapcheck.jump.measures.ledgers import Ledger
    from leapcheck.jump.run import JumpRun

SCHEMA_VERSION = 1

SETUP = ("engines", "ground", "timing", "battery", "rating", "thresholds", "dt", "levels")
PLAN = ("request", "phases", "take_off", "touch_down", "duration", "take_off_velocity", "checks")
HARDWARE = ("file", "simulator", "shift", "overlap", "residuals")
MONTE_CARLO = (
    "count",
    "seed",
    "variation",
    "successes",
    "interval",
    "causes",
    "drivers",
    "nominal",
    "nominal_causes",
    "armature_cost",
    "worst",
)
"""Fields of these records that stand in the file; what is left out are arrays, in files of their own, and functions."""


def jump_json(run: JumpRun) -> str:
    """Text of results.json; infinities and NaN are the strings "inf", "-inf" and "nan". Equal runs give equal text."""
    record = {
        "schema_version": SCHEMA_VERSION,
        "verdict": run.judgement.verdict,
        "judgement": run.judgement,
        "provenance": run.provenance,
        "setup": {"duration": jump_view.duration(run)} | (_fields(run.setup, SETUP) or {}),
        "simulators": jump_view.simulators(run),
        "failures": run.failures,
        "plan": _fields(run.setup.plan, PLAN),
        "estimates": run.estimates,
        "ledgers": {name: [_ledger(ledger) for ledger in ledgers] for name, ledgers in run.ledgers.items()},
        "monte_carlo": _fields(run.monte_carlo, MONTE_CARLO),
        "hardware": _fields(run.hardware, HARDWARE),
        "limits": jump_view.limits(run),
    }
    return json.dumps(_plain(record), indent=1, allow_nan=False) + "\n"


def _fields(record: Any, names: tuple[str, ...]) -> dict[str, Any] | None:
    return None if record is None else {name: getattr(record, name) for name in names}


def _ledger(ledger: Ledger) -> dict[str, Any]:
    return {**_plain(ledger), "relative": ledger.relative, "met": ledger.met}


def _plain(value: Any) -> Any:
    """The value as JSON knows it: records as objects, sequences and arrays as arrays, non-finite numbers as strings."""
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
