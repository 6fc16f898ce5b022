"""Real C++ with one programmer's mistake at a time: what the judge says names the line.

`pytest -m slow tests/harness/judge/test_programmers_faults.py -rA` shows what was said, and the CPU seconds of each judgement.
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

LEAST_NAMED = 19
"""Of the 20 mistakes."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None or not EIGEN.is_dir(), reason="no g++, or no Eigen (libeigen3-dev)"),
]


def diagnoses(folder: Path, text: str) -> tuple[Diagnosis, ...]:
    """What the judge says of the code."""
    folder.mkdir(exist_ok=True)  # one for each code: a library of the same name would not be loaded anew
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


def is_named(said: tuple[Diagnosis, ...], words: str) -> bool:
    """Whether the words of a right diagnosis are there, and nothing is unexplained."""
    return not any(one.unexplained for one in said) and any(re.search(words, sentence) for sentence in sentences(said))


def test_programmers_mistakes_are_named(tmp_path: Path) -> None:
    missed = {}
    for number, (name, mistake) in enumerate(MISTAKES.items()):
        said = diagnoses(tmp_path / str(number), source_with(mistake))
        assert said, f"not seen: {name}"
        if not is_named(said, mistake.words):
            missed[name] = list(sentences(said))
            print(f"missed: {name}: {missed[name]}")
    assert len(MISTAKES) - len(missed) >= LEAST_NAMED, missed
