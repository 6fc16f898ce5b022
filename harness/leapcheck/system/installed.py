"""Which packages are there, for the records of runs and timings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version


def versions(packages: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Name and version of each package; "not installed" where it is missing."""
    return tuple((package, _version(package)) for package in packages)


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
