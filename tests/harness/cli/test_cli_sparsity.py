"""`leapcheck sparsity`: the pattern of M in the terminal and as a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.registry import make_engine
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from tests.harness.cli.command_line import ANSI, Leapcheck


@pytest.mark.parametrize(("robot", "entries"), [("mini_cheetah", 216), ("tree4_5", 10), ("tree4_1", 4), ("random:29", 5)])
def test_the_pattern_is_that_of_mujocos_numbers(leapcheck: Leapcheck, robot: str, entries: int) -> None:
    spec = load(robot)
    M = make_engine("mujoco", spec).evaluate(generated_states(spec, 6, 0, 0), ("mass_matrix",))["mass_matrix"]
    filled = np.abs(M).max(axis=0) > 1e-13 * np.abs(M).max()
    result = leapcheck("sparsity", robot)
    assert (result.status, result.err) == (0, "")
    rows = [line.split()[-1] for line in result.out.splitlines() if set(line.split()[-1]) <= {"#", "."}]
    shown = np.array([[cell == "#" for cell in row[:: len(row) // spec.nv]] for row in rows])
    assert not (filled & ~shown).any()
    assert shown.sum() == entries  # with those that only this robot's symmetry makes zero
    assert np.array_equal(shown, filled) or robot == "mini_cheetah"
    assert f"{entries} of {spec.nv**2} entries are not zero by structure" in result.out
    assert ANSI not in result.out


def test_pictures(leapcheck: Leapcheck, tmp_path: Path) -> None:
    assert leapcheck("sparsity", "mini_cheetah", "--picture", "m.svg").out.endswith("picture: m.svg\n")
    assert ET.parse(tmp_path / "m.svg").getroot().tag.endswith("svg")
    assert "FR_hip_joint" in (tmp_path / "m.svg").read_text()
    assert leapcheck("sparsity", "mini_cheetah", "--picture", "m.png").status == 0
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
