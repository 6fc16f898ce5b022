"""Planned jumps that ship with the robots, by name: CSV files in the format of docs/plans.md."""

from __future__ import annotations

from pathlib import Path

PLANS = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.csv"))}
"""Files by the plan's name."""
