"""Which packages are there, for the records of runs and timings."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version


def versions(packages: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Name and version of each package; "not installed" where it is missing."""
    rows = []
    for package in packages:
        try:
            rows.append((package, version(package)))
        except PackageNotFoundError:
            rows.append((package, "not installed"))
    return tuple(rows)
