"""Memory of a run: that of its blocks, whatever the number of states; `make bench` measures millions of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

FEW, MANY = 20_000, 200_000
LIMIT = 32.0
"""MiB that ten times the states may take more; measured 1. One quantity of one engine kept for all of them would be 60."""

CODE = """
import resource, sys
from leapcheck.comparison.plan import Plan
from leapcheck.robots.load import named_robot
from leapcheck.study import run_comparison
count = int(sys.argv[1])
engines = ("reference", "mujoco", "pinocchio")
quantities = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians")
run = run_comparison(Plan(named_robot("mini_cheetah_armature"), engines, quantities, count))
assert all(row.states == count for row in run.comparisons)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
"""


def peak(count: int) -> float:
    """Largest memory of a run of so many states in a process of its own, MiB."""
    return float(subprocess.run([sys.executable, "-c", CODE, str(count)], check=True, capture_output=True, text=True).stdout)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_states() -> None:
    peak(FEW)  # compiles, which takes more memory than any run
    assert peak(MANY) <= peak(FEW) + LIMIT
