"""Hostile robot files on the command line: status 2 and one line that names file, element and remedy; nothing is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leapcheck.cli import main
from tests.harness.robots.hostile import HOSTILE

SEEDS = range(8)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_in_one_line(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = HOSTILE[name].write(np.random.default_rng(seed), folder)
        before = sorted(folder.iterdir())
        status = main(["lint", str(path)])
        said = capfd.readouterr()
        assert (status, said.out) == (2, ""), (seed, said)
        assert said.err.count("\n") == 1, (seed, said.err)
        assert said.err.startswith("leapcheck: file '"), (seed, said.err)
        assert str(folder) in said.err, (seed, said.err)
        assert said.err.count(": ") >= 2, (seed, said.err)  # cause and remedy behind the file
        assert len(said.err) < 2000, seed
        for word in HOSTILE[name].words:
            assert word in said.err, (seed, said.err)
        assert sorted(folder.iterdir()) == before


def test_there_are_enough() -> None:
    assert len(HOSTILE) >= 25
    assert len(HOSTILE) * len(SEEDS) >= 200
