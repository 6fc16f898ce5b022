"""Names that would steer whoever reads them, through what pytest prints and writes of a test with the marker."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.harness.cli.hostile_names import SEEN, UNSEEN, check_page, check_shown, robot

pytest_plugins = "pytester"

ENGINE = f"""
from leapcheck_reference import build, gravity_force, mass_matrix

class Mine:
    name = version = {UNSEEN!r}

    def __init__(self, spec):
        self.tree = build(spec)

    def mass_matrix(self, q):
        raise ValueError({UNSEEN!r})

    def gravity_force(self, q):
        return 1.01 * gravity_force(self.tree, q)

def absent(spec):
    raise ValueError({UNSEEN!r})
"""

TESTS = """
import pytest
from hostile import Mine

@pytest.mark.leapcheck(Mine, robot=ROBOT, states=8)
def test_object(leapcheck_quantity): ...

@pytest.mark.leapcheck("hostile:absent", robot=ROBOT, states=8)
def test_absent(leapcheck_quantity): ...

@pytest.mark.leapcheck(NAME, robot=ROBOT, states=8)
def test_unknown(): ...

@pytest.mark.leapcheck(Mine, robot=NAME + ".urdf", states=8)
def test_no_robot(): ...

@pytest.mark.leapcheck(Mine, NAME, NAME)
def test_marker(): ...
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tests of engines and a robot with hostile names."""
    monkeypatch.syspath_prepend(pytester.path)
    (pytester.path / "hostile.py").write_text(ENGINE, encoding="utf-8")
    tests = TESTS.replace("NAME", repr(UNSEEN)).replace("ROBOT", repr(robot("json", pytester.path)))
    (pytester.path / "test_hostile.py").write_text(tests, encoding="utf-8")
    return pytester.path


def test_failures_show_names_and_obey_none(project: Path, pytester: pytest.Pytester) -> None:
    words = ("-p", "no:cacheprovider", "--leapcheck-report", "reports", "--junitxml", "junit.xml")
    result = pytester.run(sys.executable, "-m", "pytest", *words)
    assert result.parseoutcomes() == {"failed": 6}
    check_shown(result.stdout.str() + result.stderr.str())
    ET.parse(project / "junit.xml")
    (page,) = project.glob("reports/*/report.html")
    check_page(page)


def test_a_baseline_shows_names_and_obeys_none(project: Path, pytester: pytest.Pytester) -> None:
    baseline = project / "accepted.json"
    baseline.write_text(json.dumps({SEEN + "\u202e": 1}), encoding="utf-8")
    result = pytester.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--leapcheck-baseline", baseline.name)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    check_shown(result.stdout.str() + result.stderr.str())
