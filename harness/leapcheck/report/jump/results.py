"""results.json of a jump: the records behind the report as strict JSON; the logs themselves are in Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leapcheck.report.jump import view as jump_view
from leapcheck.system.strict_json import dumps, plain

if TYPE_CHECKING:
    from leapcheck.jumping.measures.ledgers import Ledger
    from leapcheck.jumping.study import JumpStudy

SCHEMA_VERSION = 1

SETUP = ("engines", "ground", "timing", "battery", "rating", "thresholds", "dt", "levels")
PLAN = ("request", "phases", "take_off", "touch_down", "duration", "take_off_velocity", "checks")
HARDWARE = ("file", "simulator", "shift", "overlap", "residuals")
MONTE_CARLO = (
    *("count", "seed", "variation", "successes", "interval", "causes", "drivers"),
    *("nominal", "nominal_causes", "armature_cost", "worst"),
)
"""Fields of these records that stand in the file; what is left out are arrays, in files of their own, and functions."""


def jump_json(run: JumpStudy) -> str:
    """Text of results.json; deterministic."""
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
    return dumps(record)


def _fields(record: Any, names: Sequence[str]) -> dict[str, Any] | None:
    return None if record is None else {name: getattr(record, name) for name in names}


def _ledger(ledger: Ledger) -> dict[str, Any]:
    return {**plain(ledger), "relative": ledger.relative, "met": ledger.met}
