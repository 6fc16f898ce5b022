"""Readers of robot files under fuzzing: a spec, or one line that names the file; nothing else, whatever the bytes.

Found and mended, kept as examples: a mass of 1e300 that MuJoCo compiles and that overflows afterwards.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leapcheck.robots.load import load
from leapcheck_models import robots
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import RobotSpec, as_json
from leapcheck_models.urdf import urdf_text

SPEC = robots.load("tree4_3")
GOOD = {"urdf": urdf_text(SPEC), "xml": mjcf_text(SPEC), "json": as_json(SPEC)}

TOKENS = (
    '"0"', '"-1"', '"1e308"', '"nan"', '"1e-320"', '""', '"0 0 0"', "<", ">", "/>", '"free"', '"ball"', '"mesh"', '"planar"',
    '"floating"', "<joint/>", "<body>", "</body>", "null", "[]", "{}", "1e999", "\x00", "\u202e", "<freejoint/>", "&x;",
    "<!DOCTYPE a>", '<include file="x.xml"/>', '<geom size="1"/>', '"world"', "-",
)  # fmt: skip

VALUES = (
    "0",
    "-1",
    "1e300",
    "1e-300",
    "nan",
    "",
    "0 0 0",
    "1 1 1",
    "free",
    "ball",
    "planar",
    "world",
    "link_1",
    "link_2",
    "true",
)

shares = st.floats(0.0, 1.0, exclude_max=True)
edits = st.lists(st.tuples(shares, st.integers(0, 40), st.sampled_from(TOKENS) | st.text(max_size=6)), min_size=1, max_size=4)
values = st.lists(st.tuples(shares, st.sampled_from(VALUES)), min_size=1, max_size=4)
fuzzing = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def edited(text: str, changes: list[tuple[float, int, str]]) -> bytes:
    """The text with stretches replaced, each from a share of its length on."""
    for share, length, token in changes:
        start = int(share * len(text))
        text = text[:start] + token + text[start + length :]
    return text.encode("utf-8", "surrogatepass")


def revalued(kind: str, changes: list[tuple[float, str]]) -> bytes:
    """The good XML file with values of attributes replaced, each at a share of their number: XML it stays."""
    text = GOOD[kind]
    for share, value in changes:
        places = [match.span(1) for match in re.finditer('="([^"]*)"', text)]
        start, end = places[int(share * len(places))]
        text = text[:start] + value + text[end:]
    return text.encode()


def check(kind: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"robot.{kind}"
        path.write_bytes(content)
        refusal = ""
        try:
            assert isinstance(load(str(path)), RobotSpec)
        except (ValueError, OSError) as error:
            refusal = str(error)
        assert not refusal or (str(path) in refusal and "\n" not in refusal), refusal


@pytest.mark.parametrize("kind", GOOD)
def test_bytes_of_any_kind(kind: str) -> None:
    @fuzzing
    @given(st.binary(max_size=200))
    def bytes_of_any_kind(content: bytes) -> None:
        check(kind, content)

    bytes_of_any_kind()


@fuzzing
@example([(0.5, 0, '"1e308"')])
@given(edits)
def test_urdf_that_is_nearly_good(changes: list[tuple[float, int, str]]) -> None:
    check("urdf", edited(GOOD["urdf"], changes))


@fuzzing
@example([(0.3, 3, '"nan"')])
@given(edits)
def test_mjcf_that_is_nearly_good(changes: list[tuple[float, int, str]]) -> None:
    check("xml", edited(GOOD["xml"], changes))


@fuzzing
@example([(0.9, 3, "1e999")])
@given(edits)
def test_spec_that_is_nearly_good(changes: list[tuple[float, int, str]]) -> None:
    check("json", edited(GOOD["json"], changes))


@pytest.mark.parametrize("kind", ["urdf", "xml"])
def test_values_of_any_kind(kind: str) -> None:
    @fuzzing
    @given(values)
    def values_of_any_kind(changes: list[tuple[float, str]]) -> None:
        check(kind, revalued(kind, changes))

    values_of_any_kind()


def test_a_mass_that_overflows_is_refused() -> None:
    check("xml", GOOD["xml"].replace('mass="', 'mass="1e300', 1).encode())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text('<mujoco><worldbody><body><joint/><geom size="1" mass="1e300"/></body></worldbody></mujoco>')
        with pytest.raises(ValueError, match="body_mass is 1e\\+300: give a finite number"):
            load(str(path))
