"""Defects of MuJoCo 3.10.0, run in an environment of its own: found and named from its answers; later versions are right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from leapcheck.engines.other_version.engine import Kind, OtherVersion
from leapcheck.versions.routes import fuse_fixed_links, with_turned_inertials
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_text
from tests.real_defects.conftest import MakeEnvironment
from tests.real_defects.full_diagnosis import FullDiagnosis, assert_named, diagnose_all
from tests.real_defects.mjcf_features import floating
from tests.real_defects.urdf_files import principal, with_fixed_link

pytestmark = pytest.mark.slow

WRONG, RIGHT = "3.10.0", "3.14.0"


def judgement(python_with: MakeEnvironment, version: str, spec: RobotSpec, text: str, kind: Kind) -> FullDiagnosis:
    with mujoco(python_with, version, spec, text, kind) as engine:
        return diagnose_all(spec, engine)


@contextmanager
def mujoco(python_with: MakeEnvironment, version: str, spec: RobotSpec, text: str, kind: Kind) -> Iterator[OtherVersion]:
    engine = OtherVersion(spec, python_with("mujoco", version), "mujoco", text, kind)
    assert engine.version == version
    yield engine
    engine.close()


@pytest.mark.parametrize("version", ["3.10.0", "3.13.0"])
def test_inertial_rpy_of_one_link(python_with: MakeEnvironment, version: str) -> None:
    """google-deepmind/mujoco#3559: a URDF's inertia stays in the axes that its rpy should have turned."""
    spec = principal()
    found = judgement(python_with, version, spec, with_turned_inertials(spec, ("link_1",)), "urdf")
    assert_named(found, ("turned-inertia/link_1",), "link_1", "rotational inertia is turned", "rpy")


def test_inertial_rpy_of_all_links(python_with: MakeEnvironment) -> None:
    spec = principal()
    found = judgement(python_with, WRONG, spec, with_turned_inertials(spec, tuple(b.name for b in spec.bodies)), "urdf")
    assert_named(found, ("inertia/all",), "the rotational inertias of several links are off", "the inertial rpy")


def test_inertial_rpy_beside_lost_digits(python_with: MakeEnvironment) -> None:
    """With inertias of any axes all of them are off by 1e-8 besides: the link whose rpy counts is named all the same."""
    spec = floating()
    found = judgement(python_with, WRONG, spec, with_turned_inertials(spec, ("link_1",)), "urdf")
    assert_named(found, ("turned-inertia/all",), "the rotational inertias of link_1 are turned", "the inertial rpy")


def test_fused_links(python_with: MakeEnvironment) -> None:
    """google-deepmind/mujoco#2982 and #3250: link 3 is fused into link 2 in the wrong place."""
    spec = with_fixed_link()
    found = judgement(python_with, WRONG, spec, fuse_fixed_links(urdf_text(spec)), "urdf")
    assert_named(found, found.names, "fused")
    assert {name.split("/")[1] for name in found.names} <= {"link_2", "link_3", "weld"}, found


def test_full_inertia(python_with: MakeEnvironment) -> None:
    """Before 3.14 principal axes were found to 1e-8 or so."""
    spec = floating()
    found = judgement(python_with, WRONG, spec, mjcf_text(spec), "mjcf")
    assert_named(found, ("digits/axes",), "principal axes", "1e-8")


@pytest.mark.parametrize("case", ["rpy", "fused", "full"])
def test_a_later_version_is_right(python_with: MakeEnvironment, case: str) -> None:
    spec = with_fixed_link() if case == "fused" else floating()
    text = mjcf_text(spec) if case == "full" else with_turned_inertials(spec, ("trunk", "link_1", "link_2"))
    text = fuse_fixed_links(text) if case == "fused" else text
    assert not judgement(python_with, RIGHT, spec, text, "mjcf" if case == "full" else "urdf").deviating


def test_rates_of_jacobians_before_3_3_1(python_with: MakeEnvironment) -> None:
    """mj_jacDot took the point for one that does not move with its body: "missing a term", says 3.3.1's changelog."""
    spec = principal()
    found = judgement(python_with, "3.3.0", spec, mjcf_text(spec), "mjcf")
    assert_named(found, ("acceleration/spatial",), "w x pdot is missing")
    assert found.deviating == {"contact_bias_accelerations"}
