"""Before NumPy is loaded: one thread per process, since the matrices are small and the tests run side by side.

What the tests compile goes into a folder of this run, so that none of it stays in the user's cache, and no earlier run's is
found; LEAPCHECK_CACHE set to a folder keeps it, which saves half a minute.
"""

import os
import tempfile

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Names the folder before any process of the tests is started: they all inherit it."""
    if "LEAPCHECK_CACHE" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="leapcheck_tests_")
        os.environ["LEAPCHECK_CACHE"] = folder.name
        config.add_cleanup(folder.cleanup)
