"""The versions of a package that pip can install here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from leapcheck.engines.other_version import RegistryOutOfReach, pip_environment

LIST = re.compile(r"^Available versions: (.+)$", re.MULTILINE)


def released(package: str, python: Path) -> tuple[str, ...]:
    """The versions that pip of this Python sees, oldest first; RegistryOutOfReach where it names none."""
    command = [str(python), "-m", "pip", "index", "versions", package, "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=pip_environment())
    try:
        return named(done.stdout)
    except ValueError as error:
        words = " ".join(done.stderr.split())[-300:]
        raise RegistryOutOfReach(f"pip names no released versions of {package} ({words}): is the registry in reach?") from error


def named(text: str) -> tuple[str, ...]:
    """The versions in what `pip index versions` prints, oldest first; ValueError where there is no such line."""
    found = LIST.search(text)
    if not found:
        raise ValueError("pip has listed no versions: use pip 21.2 or later")
    return tuple(reversed([version.strip() for version in found[1].split(",")]))
