"""Environments of other versions, made once for all tests and processes of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from leapcheck.engines.other_version.engine import Package, RegistryOutOfReach, environment

MakeEnvironment = Callable[[Package, str], Path]


@pytest.fixture(scope="session")
def python_with() -> MakeEnvironment:
    """The Python of an environment with one version of a package; the test is skipped only where the registry is out of reach.

    They stand in the folder of what the tests compile, which all processes of a run share and which goes with the run unless
    LEAPCHECK_CACHE keeps it: 200 MB and half a minute each.
    """
    folder = Path(os.environ["LEAPCHECK_CACHE"]) / "environments"

    def made(package: Package, version: str) -> Path:
        try:
            return environment(package, version, folder)
        except RegistryOutOfReach as error:
            pytest.skip(str(error))

    return made
