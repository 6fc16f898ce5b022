"""Every robot of the example-robot-data wheel is read and right, or refused by name (pip install 'leapcheck[robots-test]')."""

from __future__ import annotations

import pytest

from leapcheck_evidence.file_table import ENGINES, file_row
from tests.harness.robots.example_robots import robots

REFUSED = {
    "romeo": "moves no inertia",
    "romeo_laas_small": "moves no inertia",
    "ur3": "<robot> has 0 links",
}
"""Faults of the files."""

LARGEST = 256.0
"""Units of rounding that count as agreement, what the comparison allows; measured: 36 (icub in pinocchio-mjcf)."""

LARGEST_OF_MUJOCO = 1000.0
"""MuJoCo loses digits where light links stand far from the com of a heavy robot; measured: 800 (tiago_no_hand, far states)."""

SINGULAR = ("icub",)
"""A sampled state makes M singular to rounding (links without inertia): MuJoCo's forward dynamics is not finite there."""

FILES = robots()


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="example-robot-data is not installed: pip install 'leapcheck[robots-test]'")
@pytest.mark.parametrize("name", FILES or ["none"])
def test_a_robot_is_read_and_right_or_refused_by_name(name: str) -> None:
    row = file_row(name, states=32)
    if row.name in REFUSED:
        assert REFUSED[row.name] in row.refused[""]
        return
    assert "" not in row.refused
    assert set(ENGINES) <= row.errors.keys()
    for engine in (*ENGINES, "pinocchio-file"):  # Pinocchio takes a URDF's numbers as they are
        if "mujoco" not in engine:
            assert row.errors.get(engine, 0.0) < LARGEST, engine
        elif row.name not in SINGULAR:
            assert row.errors[engine] < LARGEST_OF_MUJOCO, engine
