"""Other names of a fault count only where the in-house code cannot tell the two apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import CORE
from leapcheck_evidence.score.planting import same
from leapcheck_evidence.score.planting.effect import effect
from leapcheck_models.changes import with_changes
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

EXACT = 1e-11
X, Y, Z = np.eye(3)


def apart(one: RobotSpec, other: RobotSpec) -> float:
    """By the core quantities: cinert, crb and what concerns the centroid hold inertias and know no armature."""
    sizes = effect(one, ReferenceEngine(other))
    return max(sizes[name] for name in CORE)


def test_the_axial_inertia_of_a_root_is_armature() -> None:
    spec = load("two_link_arm")
    assert "armature/shoulder" in same.as_inertia(spec, "upper_arm")
    assert apart(with_changes(spec, ["upper_arm.rotational.yy=0.0401"]), with_changes(spec, ["shoulder.armature=0.0001"])) < EXACT


def test_in_a_plane_one_moment_shows() -> None:
    assert same.as_inertia(load("two_link_arm"), "forearm") == ("inertia(-[xyz]+)?/forearm",)
    arm = load("two_link_arm")
    turned = replace(arm.bodies[1], placement=replace(arm.bodies[1].placement, quaternion=(0.6, 0.8, 0.0, 0.0)))
    upright = replace(arm, bodies=(arm.bodies[0], turned))
    assert same.as_inertia(upright, "forearm") == ()
    assert same.as_inertia(load("mini_cheetah"), "FR_knee") == ()
    assert same.as_inertia(load("tree4_9"), "link_2") == ()


def test_a_bare_link_may_be_moved_or_its_com() -> None:
    """The arm without its tip: along the elbow's axis the forearm and its com move alike."""
    spec = replace(load("two_link_arm"), contact_points=())
    assert same.as_place(spec, "forearm", Y) == ("com/forearm", "com-y/forearm")
    assert same.as_place(spec, "forearm", X) == ()
    assert same.as_place(load("two_link_arm"), "forearm", Y) == ()
    assert apart(with_changes(spec, ["forearm.placement.p.y=0.1"]), with_changes(spec, ["forearm.com.y=0.1"])) < EXACT
    assert apart(with_changes(spec, ["forearm.placement.p.x=0.6"]), with_changes(spec, ["forearm.com.x=0.3"])) > 1e-3


def test_a_turn_about_the_axis_is_an_offset() -> None:
    spec = load("mini_cheetah")
    assert same.as_turn(spec, "FR_knee", Y) == ("offset/FR_knee_joint",)
    assert same.as_turn(spec, "FR_knee", Z) == ()
