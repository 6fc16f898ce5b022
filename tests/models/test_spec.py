from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_models.spec import (
    Actuator,
    Body,
    ContactPoint,
    Inertia,
    Joint,
    JointType,
    Motor,
    Placement,
    Pose,
    RobotSpec,
    Rotor,
    Shape,
    add_body,
    add_box_contact_points,
    add_contact_point,
    as_json,
    spec_hash,
)
from leapcheck_models.validation import nearest_realisable, realisability_deficit, rotational_matrix

pytestmark = pytest.mark.quick

ROUND_OFF = 1e-15  # of inertias of order 1; measured 4.4e-16
BALL = Inertia(1.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
Y = (0.0, 1.0, 0.0)


def hinge(name: str, **changes: Any) -> Joint:
    return Joint(name, JointType.REVOLUTE, **({"axis": Y} | changes))


def small_robot() -> RobotSpec:
    """Free base, an arm of two links with a rotor, and a tail; one of everything."""
    spec = RobotSpec("small")
    spec = add_body(spec, "base", joint=Joint("float", JointType.FREE), inertia=BALL)
    rotor = Rotor("rotor", 6.0, BALL)
    spec = add_body(spec, "upper", parent="base", joint=hinge("shoulder"), inertia=BALL, rotor=rotor)
    spec = add_body(spec, "lower", parent="upper", joint=hinge("elbow"), inertia=BALL, shapes=(Shape("sphere", (0.1,)),))
    spec = add_body(spec, "tail", parent="base", joint=Joint("wag", JointType.BALL), inertia=BALL)
    spec = add_contact_point(spec, "tip", "lower", (0.0, 0.0, -1.0), is_foot=True)
    home = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.0, 1.0, 0.0, 0.0)
    return dataclasses.replace(spec, actuators=(Actuator("drive", "elbow", 5.0),), poses=(Pose("home", home),))


def with_body(place: int = 1, **changes: Any) -> RobotSpec:
    """The small robot with one body changed."""
    spec = small_robot()
    bodies = list(spec.bodies)
    bodies[place] = dataclasses.replace(bodies[place], **changes)
    return dataclasses.replace(spec, bodies=tuple(bodies))


def with_joint(place: int = 1, **changes: Any) -> RobotSpec:
    return with_body(place, joint=dataclasses.replace(small_robot().bodies[place].joint, **changes))


def with_inertia(**changes: Any) -> RobotSpec:
    return with_body(inertia=dataclasses.replace(BALL, **changes))


def with_rotor(place: int = 1, **changes: Any) -> RobotSpec:
    return with_body(place, rotor=dataclasses.replace(Rotor("rotor", 6.0, BALL), **changes))


def changed(**changes: Any) -> RobotSpec:
    return dataclasses.replace(small_robot(), **changes)


def reordered(*places: int) -> RobotSpec:
    bodies = small_robot().bodies
    return changed(bodies=tuple(bodies[i] for i in places), poses=())


NAN, INF = math.nan, math.inf
FLAT = (1.0, 0.0, 0.0, 1.0, 0.0, 3.0)

BROKEN: list[tuple[Callable[[], RobotSpec], str]] = [
    (lambda: changed(name=""), "the robot has the name ''"),
    (lambda: changed(name="two\nlines"), "1 to 200 printable characters"),
    (lambda: changed(gravity=(0.0, 0.0)), "gravity is (0.0, 0.0): give a tuple of 3 numbers"),
    (lambda: changed(gravity=(0.0, 0.0, NAN)), "gravity is nan: give a finite number"),
    (lambda: with_body(name="tail"), "two elements (body) are called 'tail'"),
    (lambda: with_body(0, name="world"), "a body is called 'world', which is reserved"),
    (lambda: with_joint(name="elbow"), "two elements (joint) are called 'elbow'"),
    (lambda: with_rotor(name="base"), "two elements (body or rotor) are called 'base'"),
    (lambda: changed(contact_points=small_robot().contact_points * 2), "two elements (contact point) are called 'tip'"),
    (lambda: changed(actuators=small_robot().actuators * 2), "two elements (actuator) are called 'drive'"),
    (lambda: changed(poses=small_robot().poses * 2), "two elements (pose) are called 'home'"),
    (lambda: with_body(2, parent="nobody"), "body 'lower': parent 'nobody' does not exist"),
    (lambda: with_body(1, parent="lower"), "body 'upper': its parents form a cycle"),
    (lambda: with_body(1, parent="upper"), "body 'upper': its parents form a cycle"),
    (lambda: reordered(0, 1, 3, 2), "body 'lower': wrong order: its parent 'upper' is neither the body before it"),
    (lambda: reordered(1, 0, 2, 3), "body 'upper': wrong order"),
    (lambda: with_joint(type="screw"), "unknown joint type 'screw': use one of free, revolute, prismatic, ball, fixed"),
    (lambda: with_joint(axis=None), "joint 'shoulder' is revolute and has no axis"),
    (lambda: with_joint(axis=(0.0, 2.0, 0.0)), "the axis of joint 'shoulder' has norm 2: divide it by its norm"),
    (lambda: with_joint(axis=(0.0, INF, 0.0)), "the axis of joint 'shoulder' is inf: give a finite number"),
    (lambda: with_joint(3, axis=Y), "joint 'wag' is ball and has an axis: leave it out"),
    (lambda: with_joint(armature=-1.0), "the armature of joint 'shoulder' is -1.0: give a finite number of at least 0"),
    (lambda: with_joint(3, damping=0.1), "joint 'wag' is ball and has damping: only 1-dof joints carry it"),
    (
        lambda: with_body(1, joint=Joint("f", JointType.FIXED, armature=0.1)),
        "joint 'f' is fixed and has armature: only joints that move carry it",
    ),
    (lambda: with_joint(limits=(1.0, -1.0)), "limits of joint 'shoulder' are (1.0, -1.0): give (lower, upper)"),
    (lambda: with_joint(3, limits=(-1.0, 1.0)), "limits of joint 'wag' are (-1.0, 1.0)"),
    (lambda: with_body(1, joint=Joint("f", JointType.FREE)), "a free joint stands only at a root"),
    (lambda: with_body(0, placement=Placement((1.0, 0.0, 0.0))), "put the base's place into a pose"),
    (lambda: with_body(placement=Placement(quaternion=(0.0,) * 4)), "the quaternion of the placement has norm 0"),
    (lambda: with_inertia(mass=-1.0), "body 'upper': the mass is -1.0: give a finite number of at least 0"),
    (lambda: with_inertia(mass="1"), "the mass is '1': give a finite number"),
    (lambda: with_inertia(mass=True), "the mass is True: give a finite number"),
    (lambda: with_inertia(com=[0.0, 0.0, 0.0]), "the com is [0.0, 0.0, 0.0]: give a tuple of 3 numbers"),
    (lambda: with_inertia(rotational=FLAT), "no physical body has this rotational inertia (misses by 1 kg m^2)"),
    (lambda: with_inertia(rotational=(-1.0, 0.0, 0.0, 1.0, 0.0, 1.0)), "no physical body has this rotational inertia"),
    (lambda: with_inertia(rotational=FLAT, realisable=False), "must give its source and the nearest realisable one"),
    (
        lambda: with_inertia(rotational=FLAT, realisable=False, source="a paper", nearest=FLAT),
        "the inertia given as nearest realisable is not realisable either",
    ),
    (lambda: with_rotor(gear_ratio=NAN), "the gear ratio of rotor 'rotor' is nan"),
    (lambda: with_rotor(axis=(0.0, 0.0, 0.0)), "the axis of rotor 'rotor' has norm 0"),
    (lambda: with_rotor(3, name="second"), "rotor 'second' is on a ball joint"),
    (lambda: with_rotor(inertia=Inertia(1.0, rotational=FLAT)), "rotor 'rotor': no physical body has this"),
    (lambda: with_body(shapes=(Shape("cone", (1.0,)),)), "unknown shape 'cone': use one of box, sphere, capsule, cylinder"),
    (lambda: with_body(shapes=(Shape("box", (1.0,)),)), "the size of a box is (1.0,): give a tuple of 3 numbers"),
    (lambda: with_body(shapes=(Shape("sphere", (0.0,)),)), "the size of a sphere is (0.0,): lengths are positive"),
    (lambda: changed(contact_points=(ContactPoint("p", "x", (0.0, 0.0, 0.0)),)), "contact point 'p': body 'x' does not exist"),
    (lambda: changed(contact_points=(ContactPoint("p", "tail", (0.0, 0.0, INF)),)), "contact point 'p': the position is inf"),
    (lambda: changed(actuators=(Actuator("a", "wag", 1.0),)), "actuator 'a': 'wag' is no revolute or prismatic joint"),
    (lambda: changed(actuators=(Actuator("a", "elbow", -1.0),)), "actuator 'a': the torque limit is -1.0"),
    (lambda: changed(actuators=(Actuator("a", "two\nlines", 1.0),)), "actuator 'a': 'two\\nlines' is no revolute"),
    (
        lambda: changed(actuators=(Actuator("a", "elbow", 1.0, motor=Motor(6.0, 0.05, NAN, 24.0, 3.0)),)),
        "actuator 'a': the motor's resistance is nan",
    ),
    (
        lambda: changed(actuators=(Actuator("a", "elbow", 1.0, motor=Motor(6.0, -0.05, 0.1, 24.0, 3.0)),)),
        "actuator 'a': the motor's torque constant is -0.05: give a finite number of at least 0",
    ),
    (
        lambda: changed(actuators=(Actuator("a", "elbow", 1.0, motor=Motor(6.0, 0.05, 0.0, 24.0, 3.0)),)),
        "actuator 'a': the motor's resistance is 0: give a positive number",
    ),
    (lambda: changed(poses=(Pose("p", (0.0,)),)), "pose 'p': q is (0.0,): give a tuple of 13 numbers"),
    (lambda: changed(poses=(Pose("p", (0.0,) * 13),)), "pose 'p': the quaternion of joint 'float' has norm 0"),
    (lambda: changed(poses=(Pose("p", (0.0,) * 3 + (1.0,) + (0.0,) * 9),)), "the quaternion of joint 'wag' has norm 0"),
]


@pytest.mark.parametrize(("build", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_broken_rule_is_named_in_one_line(build: Callable[[], RobotSpec], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole text is looked at below
        build()
    assert message in str(error.value)
    assert str(error.value).startswith("robot ")
    assert "\n" not in str(error.value)


def test_small_robot_counts() -> None:
    spec = small_robot()
    assert (spec.nq, spec.nv, spec.total_mass) == (13, 11, 5.0)
    assert [spec.parent_index(body) for body in spec.bodies] == [-1, 0, 1, 0]
    assert spec.pose("home")[2] == 1.0
    with pytest.raises(KeyError, match=r"robot 'small' has no pose 'sit': use one of \['home'\]"):
        spec.pose("sit")


def test_building_leaves_the_former_spec_alone() -> None:
    before = RobotSpec("arm")
    after = add_body(before, "link", joint=hinge("j"), inertia=BALL)
    assert before.bodies == ()
    assert after.bodies == (Body("link", hinge("j"), BALL),)
    with pytest.raises(dataclasses.FrozenInstanceError):
        after.name = "other"


def test_box_points_stand_in_the_order_of_cheetah_software() -> None:
    spec = add_box_contact_points(small_robot(), "base", (0.38, 0.098, 0.10), computed=False)
    corners = spec.contact_points[1:]
    signs = [tuple(int(math.copysign(1, x)) for x in c.position) for c in corners]
    assert signs == [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1), (1, 1, -1), (-1, 1, -1), (1, -1, -1), (-1, -1, -1)]
    assert corners[0].position == (0.19, 0.049, 0.05)
    assert [c.name for c in corners][::7] == ["base_corner_0", "base_corner_7"]
    assert not any(c.computed for c in corners)


def test_json_is_canonical_and_the_hash_sees_every_number() -> None:
    spec = load("mini_cheetah")
    record = json.loads(as_json(spec))
    assert list(record)[:2] == ["name", "bodies"]
    assert record["bodies"][2]["inertia"]["rotational"][0] == 1983e-6
    assert as_json(load("mini_cheetah")) == as_json(spec)
    bodies = list(spec.bodies)
    bodies[12] = dataclasses.replace(
        bodies[12], inertia=dataclasses.replace(bodies[12].inertia, mass=np.nextafter(0.064, 1).item())
    )
    assert spec_hash(dataclasses.replace(spec, bodies=tuple(bodies))) != spec_hash(spec)


def test_nearest_realisable_is_on_the_boundary_and_nearer_than_any_other() -> None:
    """First-order condition of the projection onto the cone: <true - nearest, other - nearest> <= 0 for realisable others."""
    rng = np.random.default_rng(5)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    true = axes @ np.diag([1.0, 2.0, 3.6]) @ axes.T
    nearest = nearest_realisable((true[0, 0], true[0, 1], true[0, 2], true[1, 1], true[1, 2], true[2, 2]))
    near = rotational_matrix(nearest)
    assert abs(realisability_deficit(nearest)) <= ROUND_OFF * 4
    for _ in range(200):
        second = rng.normal(size=(3, 5))
        other = np.trace(second @ second.T) * np.eye(3) - second @ second.T
        assert np.sum((true - near) * (other - near)) <= ROUND_OFF * 100
    assert nearest_realisable((1.0, 0.0, 0.0, 1.0, 0.0, 1.5)) == pytest.approx((1.0, 0.0, 0.0, 1.0, 0.0, 1.5), abs=ROUND_OFF)
