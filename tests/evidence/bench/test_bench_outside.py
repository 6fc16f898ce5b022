"""The timing of engines in processes of their own: all ways give the same numbers, and each is timed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from leapcheck.engines.outside import framing
from leapcheck_evidence.bench import outside
from leapcheck_models.robots import load

HEADERS = Path(framing.__file__).parent
SOURCE = """
#include "leapcheck_engine.h"
static int calls;
int leapcheck_abi(void) { return LEAPCHECK_ABI; }
const char *leapcheck_describe(void) { return LEAPCHECK_PRECISION "quantities = potential_energy"; }
int leapcheck_evaluate(const char *quantity, size_t n, const double *q, const double *v, const double *tau, double *out)
{
    (void)quantity; (void)v; (void)tau;
    for (size_t i = 0; i < n; i++) out[i] = q[2 * i] + CALLS;
    return 0;
}
"""

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")


def built(folder: Path, calls: str) -> Path:
    (folder / "own.c").write_text(SOURCE, encoding="utf-8")
    words = ["-shared", "-fPIC", f"-I{HEADERS}", f"-DCALLS={calls}", "own.c", "-o", "libown.so"]
    subprocess.run(["gcc", *words], cwd=folder, check=True)
    return folder / "libown.so"


def test_each_way_is_timed(tmp_path: Path) -> None:
    found = outside.time_library(built(tmp_path, "calls"), load("two_link_arm"), 0.1)
    assert list(found) == [outside.DIRECT, *outside.GOALS, "program, plain pipe"]
    assert all(timing.minimum > 0.0 for timing in found.values())


def test_a_library_that_keeps_something_between_calls_is_refused(tmp_path: Path) -> None:
    library = built(tmp_path, "calls + (double)(size_t)&calls")  # elsewhere in each process
    with pytest.raises(RuntimeError, match="potential_energy is not the same by all ways"):
        outside.time_library(library, load("two_link_arm"), 0.1)
