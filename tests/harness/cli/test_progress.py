"""What a long run says while it runs: a line now and then without a terminal, and what is done after the comparing."""

from __future__ import annotations

import re

import pytest

from leapcheck.cli.progress import Heartbeat, progress_bar
from leapcheck.comparison.plan import Plan
from leapcheck.robots.load import NamedRobot
from leapcheck.study import run_comparison
from leapcheck_models.robots import load
from tests.harness.comparison.wrapped import Wrapped

pytestmark = pytest.mark.quick


def test_a_short_run_says_nothing_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("comparing") as progress:
        assert progress is not None
        progress(1, 2)
        progress(0, 0, "judging own")
    assert capsys.readouterr() == ("", "")


def test_a_long_run_says_how_long_it_may_take(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 70.0, 71.0, 110.0, 120.0, 180.0])
    monkeypatch.setattr("leapcheck.cli.progress.monotonic", lambda: next(clock))
    progress = Heartbeat("comparing")
    progress(1, 40)
    progress(5, 40)
    progress(6, 40)
    progress(0, 0, "judging own")
    progress(0, 4, "trying")
    progress(2, 4, "trying")
    assert capsys.readouterr().err.splitlines() == [
        "leapcheck: comparing, 1:10 min so far, 5 of 40 parts, about 7:00 min left",
        "leapcheck: judging own, 1:50 min so far",
        "leapcheck: trying, 3:00 min so far, 2 of 4 parts, about 1:00 min left",
    ]


def test_nothing_is_shown_where_it_shall_be_quiet() -> None:
    with progress_bar("comparing", quiet=True) as progress:
        assert progress is None


@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_the_stages_of_a_comparison(factor: float) -> None:
    spec, stages = load("two_link_arm"), list[str]()
    engine = Wrapped(spec, lambda _name, M, _states: factor * M, ("mass_matrix",))
    run_comparison(Plan(NamedRobot(spec), ("mujoco", engine), ("mass_matrix",), 16), stage=stages.append)
    wrong = ["judging own", "shrinking what own differs in"] if factor != 1.0 else []
    assert stages == [*wrong, "checking laws"]
    assert not [words for words in stages if not re.fullmatch(r"[a-z ]+", words)]
