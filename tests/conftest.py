"""One thread per process, a cache folder of this run, and the quick tier.

The thread count is set before NumPy is loaded: the matrices are small and the tests run side by side. What the tests compile
goes into a folder of this run, so that nothing stays in the user's cache and nothing of an earlier run is used; LEAPCHECK_CACHE
set to a folder keeps it, which saves half a minute.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No jump of a test draws pictures, in software for seconds, and no process looks for a screen: `test_render.py` does.
os.environ["MUJOCO_GL"] = "off"

QUICK = "quick and not slow"
"""The selection of `make quick`: modules that say `pytestmark = pytest.mark.quick`, or tests with that marker."""


def pytest_configure(config: pytest.Config) -> None:
    """Names the cache folder before any process of the tests is started: they all inherit it."""
    if "LEAPCHECK_CACHE" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="leapcheck_tests_")
        os.environ["LEAPCHECK_CACHE"] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests and all modules stay to the end: no search for cyclic garbage goes through them, now or later.

    Numbers make no cycles: the rest is searched a tenth as often as Python would.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(10 * gc.get_threshold()[0], *gc.get_threshold()[1:])
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves modules that are not quick unread in the quick tier: to import them all takes longer than its tests."""
    if config.getoption("markexpr") != QUICK or collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    return "mark.quick" not in collection_path.read_text(encoding="utf-8") or None
