"""The marker `leapcheck` and the plugin's options in projects of a user's, run by pytest.

In this process, which saves seconds a session, but for the sessions in several processes.
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from leapcheck.baseline.update import Acceptance
from leapcheck.comparison.plan import Plan
from leapcheck.engines.outside.user import user_engine
from leapcheck.pytest_support.request import comparison_request
from leapcheck.pytest_support.session import Session, SessionOptions
from leapcheck.report.comparison.files import write_report
from leapcheck.robots.load import NamedRobot
from leapcheck.study import run_comparison
from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec

pytest_plugins = "pytester"

ENGINE = """
import leapcheck_reference as reference

GRAVITY = {gravity}

class Own:
    def __init__(self, spec):
        self.tree = reference.build(spec)
    def mass_matrix(self, q):
        return reference.mass_matrix(self.tree, q)
    def gravity_force(self, q):
        return GRAVITY * reference.gravity_force(self.tree, q)
"""

TESTS = """
import pathlib
import pytest

marked = pytest.mark.leapcheck("engine:Own", robot="two_link_arm", states=20)

@marked
def test_each(leapcheck_quantity):
    assert leapcheck_quantity in ("mass_matrix", "gravity_force")

@marked
def test_run(leapcheck_run):
    pathlib.Path("ran").touch()
    assert leapcheck_run.provenance.states == 20

class TestClass:
    @pytest.mark.leapcheck("engine:Own", robot="two_link_arm", states=20, quantities="mass_matrix")
    def test_one_quantity(self):
        pass
"""


def project(pytester: pytest.Pytester, gravity: float = 1.0, tests: str = TESTS) -> None:
    pytester.makepyfile(engine=ENGINE.format(gravity=gravity), test_own=tests)


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Everything is imported once: pytester forgets what a session imports, and compiled modules cannot come twice."""
    spec = load("two_link_arm")
    wrong = user_engine({"gravity_force": lambda q: q}, spec, "wrong")
    write_report(
        run_comparison(Plan(NamedRobot(spec), ("reference", wrong), ("gravity_force",), 8)), tmp_path_factory.mktemp("run")
    )
    Session(SessionOptions(reason="none")).outcome(comparison_request("nowhere:Own", "two_link_arm"))
    assert Acceptance().reason == ""


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    if "-n" in words:
        return pytester.runpytest_subprocess("-W", "error", *words)
    return pytester.runpytest_inprocess("-W", "error", "-p", "no:xdist", *words)


def test_each_quantity_is_a_test_and_the_body_runs_after_the_check(pytester: pytest.Pytester) -> None:
    project(pytester)
    result = run(pytester, "-v", "--strict-markers")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["*test_each?mass_matrix? PASSED*", "*test_each?gravity_force? PASSED*", "*test_one_quantity PASSED*"]
    )
    assert Path("ran").exists()


def test_a_fault_fails_its_own_quantity_alone_and_is_named(pytester: pytest.Pytester) -> None:
    project(pytester, gravity=1.01)
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=2)
    text = result.stdout.str()
    assert "Traceback" not in text
    assert not Path("ran").exists()
    assert re.search(r"^gravity_force: \w+: .*Gravity", text, re.MULTILINE)
    for words in (
        "test_each[gravity_force]",
        "worst: state ",
        "    q = [",
        "smallest: ",
        "repeat: leapcheck compare two_link_arm",
    ):
        assert words in text, words
    folder = Path(".pytest_cache/d/leapcheck/two_link_arm-engine_Own")
    assert f"why: leapcheck explain {folder}" in text
    assert f"reproducer: {folder}/reproducers/engine_Own_gravity_force.py" in text
    assert (folder / "report.html").stat().st_size > 10_000
    assert (folder / "reproducers" / "engine_Own_gravity_force.py").exists()


def test_without_a_cache_the_reproducer_is_printed(pytester: pytest.Pytester) -> None:
    project(pytester, gravity=1.01)
    text = run(pytester, "-p", "no:cacheprovider", "-k", "each").stdout.str()
    assert "reproducer:\n" in text
    assert "import numpy as np" in text
    assert "report: " not in text


def test_the_command_line_chooses_states_seed_and_the_folder_of_reports(pytester: pytest.Pytester) -> None:
    project(pytester, gravity=1.01)
    result = run(pytester, "--leapcheck-states", "30", "--leapcheck-seed", "7", "--leapcheck-report", "out", "-k", "each")
    result.assert_outcomes(passed=1, failed=1, deselected=2)
    made = json.loads(Path("out/two_link_arm-engine_Own/results.json").read_text())["provenance"]
    assert (made["states"], made["seed"]) == (30, 7)


def test_what_is_asked_wrongly_fails_with_one_line(pytester: pytest.Pytester) -> None:
    tests = """
    import pytest

    @pytest.mark.leapcheck("engine:Own", robot="two_link_arm", state=20)
    def test_argument(leapcheck_run): pass

    @pytest.mark.leapcheck("engine:Own", robot="nobody")
    def test_robot(leapcheck_quantity): pass

    @pytest.mark.leapcheck("nowhere:Own", robot="two_link_arm")
    def test_module(leapcheck_quantity): pass

    @pytest.mark.leapcheck("engine:Own", robot="two_link_arm", quantities=("bias_force",))
    def test_unanswered(): pass

    @pytest.mark.leapcheck("engine:Own", robot="two_link_arm", states=0)
    def test_states(): pass

    def test_unmarked(leapcheck_run): pass

    def test_unmarked_too(leapcheck_quantity): pass
    """
    project(pytester, tests=tests)
    result = run(pytester)
    result.assert_outcomes(failed=5, errors=2)
    text = result.stdout.str()
    assert "During handling" not in text
    for words in (
        "marker leapcheck: comparison_request() got an unexpected keyword argument 'state': write leapcheck(engine, robot=",
        "marker leapcheck: unknown robot 'nobody': use one of",
        "cannot import module 'nowhere'",
        "engine 'engine:Own' cannot answer bias_force: give it that function, or do not ask for it",
        "marker leapcheck: 0 states: give at least 1",
        "leapcheck_run is for tests with the marker: write",
        "leapcheck_quantity is for tests with the marker: write",
    ):
        assert words in text, words


def test_what_the_robot_does_not_have_is_skipped_with_the_reason(pytester: pytest.Pytester) -> None:
    spec = load("two_link_arm")
    write_spec(dataclasses.replace(spec, contact_points=()), "arm.json")
    points = "    def contact_positions(self, q):\n        return reference.contact_positions(self.tree, q)\n"
    tests = EACH.replace("two_link_arm", "arm.json")
    pytester.makepyfile(engine=ENGINE.format(gravity=1) + points, test_own=tests)
    result = run(pytester, "-rs")
    result.assert_outcomes(passed=2, skipped=1)
    assert "contact positions: the robot has no computed contact points" in " ".join(result.stdout.str().split())


EACH = """
import pytest

@pytest.mark.leapcheck("engine:Own", robot="two_link_arm", states=20)
def test_each(leapcheck_quantity): pass
"""


@pytest.mark.slow
def test_discrepancies_are_accepted_with_a_reason_and_gone_when_they_are(pytester: pytest.Pytester) -> None:
    project(pytester, 1.01, EACH)
    option = ("--leapcheck-baseline", "baseline.json")
    update = (*option, "--leapcheck-update-baseline")
    run(pytester, *update).assert_outcomes(passed=1, failed=1)  # nothing new is accepted without a reason
    assert json.loads(Path("baseline.json").read_text())["robots"][0]["known"] == []
    result = run(pytester, *update, "--leapcheck-reason", "issue 12", "--leapcheck-expires", "2999-12-31")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["baseline.json is up to date with 1 comparison"])
    (part,) = json.loads(Path("baseline.json").read_text())["robots"]
    assert [(k["quantity"], k["reason"], k["expires"]) for k in part["known"]] == [("gravity_force", "issue 12", "2999-12-31")]
    run(pytester, *option).assert_outcomes(passed=2)
    project(pytester, 1.0, EACH)
    gone = run(pytester, *option)
    gone.assert_outcomes(passed=2)
    gone.stdout.fnmatch_lines(["*gravity_force: Gone: *Remove it with*"])
    run(pytester, *update).assert_outcomes(passed=2)
    assert json.loads(Path("baseline.json").read_text())["robots"][0]["known"] == []


def test_a_baseline_is_written_and_a_function_that_is_left_out_later_fails(pytester: pytest.Pytester) -> None:
    project(pytester, 1.0, EACH)
    option = ("--leapcheck-baseline", "baseline.json")
    run(pytester, *option, "--leapcheck-update-baseline").assert_outcomes(passed=2)
    run(pytester, *option).assert_outcomes(passed=2)
    # Twice a letter more: a file of the same length within the same second would run from the old one's bytecode.
    pytester.makepyfile(engine=ENGINE.format(gravity=1.0).replace("gravity_force(self", "gravity_fource(self"))
    lost = run(pytester, *option)
    lost.assert_outcomes(passed=1, failed=1)
    lost.stdout.fnmatch_lines(["*unanswered: The engine answered it when the baseline was written*"])


COMPARED = """
from engine import Own

class Wrong(Own):
    def gravity_force(self, q):
        return 1.01 * super().gravity_force(q)

def test_wrong(leapcheck_compare):
    leapcheck_compare(Wrong, "two_link_arm", states=20)

def test_wrong_but_not_asked(leapcheck_compare):
    leapcheck_compare(Wrong, "two_link_arm", states=20, quantities=("mass_matrix",))
"""


def test_workers_write_one_baseline_together_and_compare_as_one_process_does(pytester: pytest.Pytester) -> None:
    names = ("pupper_leg", "two_link_arm")
    tests = "import pytest\n" + "".join(
        f'@pytest.mark.leapcheck("engine:Own", robot="{name}", states=8)\ndef test_{name}(leapcheck_quantity): pass\n'
        for name in names
    )
    project(pytester, tests=tests)
    pytester.makepyfile(test_compared=COMPARED)
    update = ("--leapcheck-baseline", "baseline.json", "--leapcheck-update-baseline")
    result = run(pytester, "-n", "2", "--dist", "load", *update)
    result.assert_outcomes(passed=5, failed=1)
    assert re.search(
        r"^baseline.json is up to date with [2-4] comparisons$", result.stdout.str(), re.MULTILINE
    )  # by the controller
    together = Path("baseline.json").read_text()
    assert [part["robot"] for part in json.loads(together)["robots"]] == sorted(names)
    Path("baseline.json").unlink()
    run(pytester, *update).assert_outcomes(passed=5, failed=1)
    assert Path("baseline.json").read_text() == together


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--leapcheck-states", "0"), "--leapcheck-states is 0: give a whole number from 1"),
        (("--leapcheck-seed", "-1"), "--leapcheck-seed is -1: give a whole number from 0"),
        (("--leapcheck-update-baseline",), "--leapcheck-update-baseline: name the file too"),
        (("--leapcheck-baseline", "nowhere.json"), "no baseline at 'nowhere.json': write one with"),
        (("--leapcheck-baseline", "test_own.py"), "'test_own.py' is not a baseline"),
        (("--leapcheck-expires", "soon"), "'soon' is not a day: write it as YYYY-MM-DD"),
    ],
)
def test_options_that_cannot_be_met_are_refused_at_once(words: tuple[str, ...], said: str, pytester: pytest.Pytester) -> None:
    project(pytester)
    result = run(pytester, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {said}" in result.stderr.str()
