"""The fixture `leapcheck_compare` in test modules of a user's, run by pytest in processes of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = "pytester"

HEAVY = ("mujoco", "pinocchio", "pandas", "numpy", "scipy", "flint", "tyro", "rich", "leapcheck.study")

ENGINE = """
import leapcheck_reference as reference
from leapcheck_models.robots import load

class Right:
    def __init__(self, spec=load("two_link_arm")):
        self.tree = reference.build(spec)
    def mass_matrix(self, q):
        return reference.mass_matrix(self.tree, q)
    def gravity_force(self, q):
        return reference.gravity_force(self.tree, q)

class Wrong(Right):
    def gravity_force(self, q):
        return 1.01 * super().gravity_force(q)

class Broken(Right):
    def mass_matrix(self, q):
        raise KeyError("elbow")
"""

TESTS = """
import pytest
from engine import Broken, Right, Wrong

def test_right(leapcheck_compare):
    run = leapcheck_compare(Right(), "two_link_arm", states=20)
    assert {row.quantity for row in run.comparisons} == {"mass_matrix", "gravity_force"}
    assert run.provenance.states == 20

def test_right_by_name_against_mujoco(leapcheck_compare):
    run = leapcheck_compare("engine:Right", "pupper_leg", against=("reference", "mujoco"), states=20)
    assert [engine.name for engine in run.engines] == ["reference", "mujoco", "engine:Right"]

def test_wrong(leapcheck_compare):
    leapcheck_compare(Wrong(), "two_link_arm", states=20)

def test_wrong_but_not_asked(leapcheck_compare):
    leapcheck_compare(Wrong(), "two_link_arm", states=20, quantities=("mass_matrix",))

def test_broken(leapcheck_compare):
    leapcheck_compare(Broken(), "two_link_arm", states=20)

def test_unanswered(leapcheck_compare):
    leapcheck_compare(Right(), "two_link_arm", quantities=("mass_matrix", "bias_force"))

def test_nothing(leapcheck_compare):
    leapcheck_compare(object(), "two_link_arm")

def test_unknown(leapcheck_compare):
    with pytest.raises(ValueError, match="unknown quantity 'mass'"):
        leapcheck_compare(Right(), "two_link_arm", quantities=("mass",))
"""


def test_right_engines_pass_and_wrong_ones_fail_readably(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(engine=ENGINE, test_own=TESTS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist", "-W", "error")
    result.assert_outcomes(passed=4, failed=4)
    text = result.stdout.str()
    assert "Traceback" not in text
    assert "leapcheck/compare" not in text
    for words in (
        "Wrong differs in gravity force over 20 states of two_link_arm",
        "gravity_force: model: ",
        "error 0.01 of largest entry of that state",
        "worst: state ",
        "    q = [",
        "mass_matrix(q) at state 0 raised KeyError: 'elbow': correct it, or leave the function out",
        "engine 'Right' cannot answer bias_force: give it that function, or do not ask for it",
        "engine 'object': a object with none of the known functions: add one of mass_matrix",
    ):
        assert words in text, words


def test_the_plugin_loads_nothing_heavy() -> None:
    code = f"import sys, leapcheck.pytest_plugin; print([module for module in {HEAVY} if module in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_session_that_asks_for_nothing_loads_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_of_others(): pass")
    ask = f"print('heavy:', [module for module in {HEAVY} if module in sys.modules])"
    pytester.makeconftest(f"import sys\ndef pytest_unconfigure(config): {ask}")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "heavy: []" in result.stdout.str()
