"""A plan that is written for the robot is read back to the same jump."""

from pathlib import Path

import numpy as np
import pytest

import leapcheck as lc

SAME = 1e-12  # rad, m, rad/s, m/s: times of ticks differ in the last bit; largest seen 0


def test_an_exported_plan_is_the_same_jump(tmp_path: Path) -> None:
    one = {"engines": ("spring-damper",), "levels": 1, "workers": 1}
    planned = lc.jump("mini_cheetah", height=0.1, **one).write_trajectory(tmp_path / "jump.csv")
    again = lc.jump("mini_cheetah", trajectory=tmp_path / "jump.csv", **one)
    logs = [jump.study.logs["spring-damper"] for jump in (planned, again)]
    assert len(logs[0].time) - len(logs[1].time) in (0, 1)
    steps = min(len(log.time) for log in logs)
    assert np.abs(logs[0].q[:steps] - logs[1].q[:steps]).max() <= SAME
    assert np.abs(logs[0].v[:steps] - logs[1].v[:steps]).max() <= SAME


def test_a_start_that_is_no_configuration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    lc.jump("mini_cheetah", plan="mit-flip", duration=0.05, engines=("spring-damper",), levels=1).write_trajectory(path)
    rows = path.read_text().splitlines()
    for start, says in (("[1.0]", "give 19 numbers"), ("jump", "no list of numbers")):
        path.write_text("\n".join([f"# start = {start}", *rows[1:]]))
        with pytest.raises(ValueError, match=says):
            lc.jump("mini_cheetah", trajectory=path, engines=("spring-damper",), levels=1)
