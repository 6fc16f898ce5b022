"""Real C++ with one programmer's mistake at a time: what the judge says names the line.

`pytest -m slow tests/harness/judge/test_programmers_faults.py -rA` lists all; the CPU seconds of each judgement are printed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from leapcheck.engines.outside.load import load_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.records import Diagnosis
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from tests.planted.programmers_faults import MISTAKES, SOURCE, source_with

HEADERS = Path(__file__).parents[3] / "harness" / "leapcheck" / "engines" / "outside"
EIGEN = Path("/usr/include/eigen3")
COUNT = 56

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None or not EIGEN.is_dir(), reason="no g++, or no Eigen (libeigen3-dev)"),
]


def diagnoses(folder: Path, text: str) -> tuple[Diagnosis, ...]:
    """What the judge says of the code."""
    (folder / "code.cpp").write_text(text, encoding="utf-8")
    flags = ("-std=c++17", "-O1", "-shared", "-fPIC", f"-I{HEADERS}", f"-isystem{EIGEN}")
    subprocess.run(["g++", *flags, "code.cpp", "-o", "libcode.so"], cwd=folder, check=True)
    spec = load("mini_cheetah")
    engine = load_engine(str(folder / "libcode.so"), spec)
    before = sum(os.times()[:2])
    said = diagnose(spec, engine, generated_states(spec, COUNT, 0, 0), tuple(sorted(engine.quantities)))
    print(f"{sum(os.times()[:2]) - before:.1f} s of CPU: {[cause.words for one in said for cause in one.causes]}")
    return said


def sentences(said: tuple[Diagnosis, ...]) -> Iterator[str]:
    """The words of the causes, and of each set of alternatives."""
    for one in said:
        for causes in (one.causes, *one.alternatives):
            yield "; ".join(cause.words for cause in causes)


def test_the_code_is_right_without_a_mistake(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, SOURCE.read_text(encoding="utf-8")) == ()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_programmer_s_mistake_is_named(tmp_path: Path, mistake: str) -> None:
    said = diagnoses(tmp_path, source_with(MISTAKES[mistake]))
    assert not any(one.unexplained for one in said)
    assert any(re.search(MISTAKES[mistake].words, sentence) for sentence in sentences(said)), list(sentences(said))
