"""Machines with other CPUs: leapcheck's own code gives the same bits; where libraries do not, parts are not mixed."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leapcheck.comparison.plan import LONG_FROM

ROOT = Path(__file__).parents[3]
WORDS = ("compare", "two_link_arm", "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--states", str(LONG_FROM))
IS_X86 = platform.machine() in ("x86_64", "AMD64")


def printed(words: tuple[str, ...], **more: str) -> str:
    """Standard output of a Python program with these environment variables."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | more
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("robot", ["pupper_leg", pytest.param("mini_cheetah", marks=pytest.mark.slow)])
def test_every_width_of_vectors_gives_the_same_bits(robot: str, tmp_path: Path) -> None:
    """SSE2, AVX2 and AVX-512 out of one cache, in which each has code of its own."""
    words = ("-m", "tests.harness.comparison.part_digest", robot)
    digests = {printed(words, LEAPCHECK_VECTOR_WIDTH=width, LEAPCHECK_CACHE=str(tmp_path)) for width in ("8", "4", "2")}
    assert len(digests) == 1
    assert re.fullmatch("[0-9a-f]{64}\n[0-9a-f]{64}", digests.pop())


DIGEST = ("-c", "from leapcheck.system.arithmetic import arithmetic_digest as digest; print(digest())")


def test_a_machine_rounds_the_same_in_every_process() -> None:
    assert {printed(DIGEST), printed(DIGEST, OPENBLAS_NUM_THREADS="2")} == {printed(DIGEST)}


@pytest.mark.skipif(not IS_X86, reason="BLAS takes the name of another core on x86 alone")
def test_parts_of_a_machine_that_rounds_otherwise_are_refused_by_name(tmp_path: Path) -> None:
    """BLAS is made to take the code of an old core."""
    old = {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"}
    here = printed(DIGEST)
    assert printed(DIGEST, **old) != here
    words = ["-m", "leapcheck", *WORDS, "--workers", "1", "--out", str(tmp_path)]
    subprocess.run([sys.executable, *words, "--shard", "1/2"], env=os.environ | old, check=True, capture_output=True)
    done = subprocess.run([sys.executable, *words, "--resume"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "belong to another run: rounding of NumPy, BLAS and C library on this CPU: '" in done.stderr
    assert done.stderr.count("\n") == 1
