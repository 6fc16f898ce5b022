"""Each rule on a planted defect, and silent on the clean robot."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from leapcheck_models.lint import RULES, Finding, lint
from leapcheck_models.lint.mirror import right_name
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import (
    Actuator,
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
    add_contact_point,
)

pytestmark = pytest.mark.quick

MOTOR = Motor(6.0, 0.05, 0.173, 24.0, 3.0)
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
HALF = 0.7071067811865476
TURNS = {  # of the right leg's frames: whatever they are, the mass lies where it lies
    "as the left": (1.0, 0.0, 0.0, 0.0),
    "half a turn about x": (0.0, 1.0, 0.0, 0.0),
    "a quarter about z": (HALF, 0.0, 0.0, HALF),
    "askew": (0.5, 0.5, -0.1, 0.7),
}


def clean(turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> RobotSpec:
    """Two-legged robot without a defect; the right leg's frames are turned, its figures turned back."""
    spec = RobotSpec("clean")
    trunk = Inertia(5.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    spec = add_body(spec, "trunk", joint=Joint("float", JointType.FREE), inertia=trunk, shapes=(Shape("box", (0.4, 0.2, 0.1)),))
    for side, left, q in (("left", 1.0, (1.0, 0.0, 0.0, 0.0)), ("right", -1.0, tuple(np.array(turn) / np.linalg.norm(turn)))):
        R = rotation(q)
        com, axis, foot = (
            tuple(map(float, R.T @ p)) for p in ((0.02, 0.01 * left, -0.1), (left, 0.0, 0.0), (0.0, 0.02 * left, -0.3))
        )
        m = R.T @ np.array([[2e-2, left * 1e-3, 2e-3], [left * 1e-3, 2e-2, left * 3e-3], [2e-3, left * 3e-3, 1.5e-2]]) @ R
        entries = tuple(float(m[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        spec = add_body(
            spec,
            f"{side}_leg",
            parent="trunk",
            joint=Joint(f"{side}_hip", JointType.REVOLUTE, axis, limits=(-0.5, 1.5)),
            placement=Placement((0.0, 0.1 * left, 0.0), tuple(map(float, q))),
            inertia=Inertia(1.0, com, entries),
            rotor=Rotor(
                f"{side}_rotor", 6.0 * left, Inertia(0.1, rotational=(1e-4, 0.0, 0.0, 5e-5, 0.0, 5e-5)),
                Placement((0.0, 0.05 * left, 0.0)), X,
            ),
            shapes=(Shape("capsule", (0.02, 0.3), Placement((0.0, 0.0, -0.15))),) if q[0] == 1.0 else (),
        )  # fmt: skip
        below = tuple(map(float, R.T @ (0.0, 0.0, -0.3)))
        toe = Inertia(0.5, rotational=(1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3))
        fixed = Joint(f"{side}_ankle", JointType.FIXED)
        spec = add_body(spec, f"{side}_toe", parent=f"{side}_leg", joint=fixed, placement=Placement(below), inertia=toe)
        spec = add_contact_point(spec, f"{side}_foot", f"{side}_leg", foot, is_foot=True, radius=0.02)
    drives = tuple(Actuator(f"{side}_drive", f"{side}_hip", 18.0, motor=MOTOR) for side in ("left", "right"))
    home = Pose("home", (0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5))
    return dataclasses.replace(spec, actuators=drives, poses=(home,))


def rotation(q: tuple[float, ...]) -> np.ndarray:
    """Matrix of a quaternion by Rodrigues' formula, apart from the code under test."""
    w, u = q[0], np.array(q[1:])
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def with_body(name: str, **changes: Any) -> RobotSpec:
    spec = clean()
    bodies = tuple(dataclasses.replace(b, **changes) if b.name == name else b for b in spec.bodies)
    return dataclasses.replace(spec, bodies=bodies)


def with_part(name: str, part: str, **changes: Any) -> RobotSpec:
    """The clean robot with one field of a body's joint, inertia, rotor or placement changed."""
    body = clean().bodies[clean().body_index(name)]
    return with_body(name, **{part: dataclasses.replace(getattr(body, part), **changes)})


def with_rotor_inertia(**changes: Any) -> RobotSpec:
    rotor = clean().bodies[1].rotor
    assert rotor is not None
    return with_part("left_leg", "rotor", inertia=dataclasses.replace(rotor.inertia, **changes))


def changed(**changes: Any) -> RobotSpec:
    return dataclasses.replace(clean(), **changes)


def with_link(name: str = "tail", parent: str = "trunk", **changes: Any) -> RobotSpec:
    """The clean robot with one more link, whose joint comes last in the alphabet."""
    link = {
        "joint": Joint("z_joint", JointType.REVOLUTE, Y),
        "inertia": Inertia(1.0, rotational=(1e-2, 0.0, 0.0, 1e-2, 0.0, 1e-2)),
    }
    return add_body(changed(poses=()), name, parent=parent, **(link | changes))


def without_feet() -> RobotSpec:
    return changed(contact_points=())


def with_foot(**changes: Any) -> RobotSpec:
    left, right = clean().contact_points
    return changed(contact_points=(dataclasses.replace(left, **changes), right))


def with_drive(**changes: Any) -> RobotSpec:
    left, right = clean().actuators
    return changed(actuators=(dataclasses.replace(left, **changes), right))


NO_MASS = Inertia(0.0)
UNREAL = {"realisable": False, "source": "a paper"}
FLAT, NEAREST_FLAT = (1e-2, 0.0, 0.0, 1e-2, 0.0, 2.6e-2), (1.2e-2, 0.0, 0.0, 1.2e-2, 0.0, 2.4e-2)
PAIR = "body 'left_leg' and body 'right_leg'"

DEFECTS: list[tuple[str, str, str, str, Callable[[], RobotSpec]]] = [
    ("realisability", "error", "body 'trunk'", "the triangle inequality fails by 0.006 kg m^2",
     lambda: with_part("trunk", "inertia", rotational=FLAT, nearest=NEAREST_FLAT, **UNREAL)),
    ("realisability", "warning", "body 'trunk'", "the inertia declared as the nearest realisable one is not the nearest",
     lambda: with_part("trunk", "inertia", rotational=FLAT, nearest=(1.6e-2, 0.0, 0.0, 1.6e-2, 0.0, 1.6e-2), **UNREAL)),
    ("realisability", "error", "body 'trunk'", "a principal moment is negative",
     lambda: with_part("trunk", "inertia", rotational=(-0.1, 0.0, 0.0, 0.1, 0.0, 0.1), nearest=NEAREST_FLAT, **UNREAL)),
    ("mirror symmetry", "warning", PAIR, "the masses 1.1 and 1 kg differ", lambda: with_part("left_leg", "inertia", mass=1.1)),
    ("mirror symmetry", "warning", PAIR, "the coms (0.02, 0.11, -0.1) and (0.02, -0.09, -0.1)",
     lambda: with_part("right_leg", "inertia", com=(0.02, 0.01, -0.1))),
    ("mirror symmetry", "warning", PAIR, "the inertias are not mirror images: an entry differs by 0.002",
     lambda: with_part("right_leg", "inertia", rotational=(2e-2, 1e-3, 2e-3, 2e-2, -3e-3, 1.5e-2))),
    ("mirror symmetry", "warning", PAIR, "the joints (0, 0.1, 0) and (0.01, -0.1, 0)",
     lambda: with_part("right_leg", "placement", p=(0.01, -0.1, 0.0))),
    ("mirror symmetry", "warning", PAIR, "the joint axes are not mirror images", lambda: with_part("right_leg", "joint", axis=Y)),
    ("mirror symmetry", "warning", PAIR, "the joint limits (-0.5, 1.5) and (-1.5, 0.5) are not mirror images",
     lambda: with_part("right_leg", "joint", limits=(-1.5, 0.5))),
    ("mirror symmetry", "warning", PAIR, "only one of their joints has limits",
     lambda: with_part("right_leg", "joint", limits=None)),
    ("mirror symmetry", "warning", PAIR, "the gear ratios 6.5 and -6 differ",
     lambda: with_part("left_leg", "rotor", gear_ratio=6.5)),
    ("mirror symmetry", "warning", PAIR, "the rotor masses 0.2 and 0.1 kg differ", lambda: with_rotor_inertia(mass=0.2)),
    ("mirror symmetry", "warning", PAIR, "only one of them has a rotor", lambda: with_body("left_leg", rotor=None)),
    ("mirror symmetry", "warning", PAIR, "the joints are revolute and prismatic",
     lambda: with_part("right_leg", "joint", type=JointType.PRISMATIC)),
    ("mirror symmetry", "warning", "contact point 'left_foot' and contact point 'right_foot'", "their positions (0, 0.13, -0.3)",
     lambda: with_foot(position=(0.0, 0.03, -0.3))),
    ("mirror symmetry", "warning", "body 'left_ear'", "it has no counterpart 'right_ear'", lambda: with_link("left_ear")),
    ("total mass", "warning", "robot 'clean'", "the rotors weigh more than the links", lambda: with_rotor_inertia(mass=10.0)),
    ("tiny inertia", "warning", "body 'left_leg'", "its mass is 1e-05 kg", lambda: with_part("left_leg", "inertia", mass=1e-5)),
    ("tiny inertia", "warning", "body 'left_leg'", "its radius of gyration is 0 m",
     lambda: with_part("left_leg", "inertia", rotational=(0.0,) * 6)),
    ("tiny inertia", "warning", "rotor 'left_rotor'", "its radius of gyration is 31.6 m",
     lambda: with_rotor_inertia(rotational=(100.0, 0.0, 0.0, 50.0, 0.0, 50.0))),
    ("tiny inertia", "warning", "body 'left_leg'", "it has a rotational inertia and no mass",
     lambda: with_part("left_leg", "inertia", mass=0.0)),
    ("massless links", "error", "body 'tail'", "neither it nor any link behind it has mass", lambda: with_link(inertia=NO_MASS)),
    ("massless links", "warning", "body 'trunk'", "it moves and has no mass", lambda: with_body("trunk", inertia=NO_MASS)),
    ("com", "warning", "body 'trunk'", "lies 9.8 m outside", lambda: with_part("trunk", "inertia", com=(10.0, 0.0, 0.0))),
    ("com", "warning", "body 'trunk'", "lies 0.3 m outside", lambda: with_part("trunk", "inertia", com=(0.5, 0.0, 0.0))),
    ("com", "warning", "body 'left_leg'", "lies 0.28 m outside",
     lambda: with_part("left_leg", "inertia", com=(0.02, 0.01, -0.6))),
    ("gears", "warning", "joint 'left_hip'", "armature 0.01 and rotor 'left_rotor'",
     lambda: with_part("left_leg", "joint", armature=0.01)),
    ("gears", "warning", "joint 'left_hip'", "the gear ratio is 0", lambda: with_part("left_leg", "rotor", gear_ratio=0.0)),
    ("gears", "warning", "joint 'left_hip'", "the gear ratio -0.1667 is below 1",
     lambda: with_part("left_leg", "rotor", gear_ratio=-1 / 6)),
    ("actuators", "warning", "actuator 'left_drive'", "the motor's gear ratio 9 is not that of rotor 'left_rotor', 6",
     lambda: with_drive(motor=dataclasses.replace(MOTOR, gear_ratio=9.0))),
    ("actuators", "warning", "actuator 'left_drive'", "its torque limit 18.1 exceeds the motor's torque times the gear ratio, 18",
     lambda: with_drive(torque_limit=18.1)),
    ("actuators", "warning", "actuator 'left_drive'", "its torque limit is 0", lambda: with_drive(torque_limit=0.0)),
    ("actuators", "warning", "actuator 'right_drive'", "actuator 'left_drive' drives the joint 'right_hip' too",
     lambda: with_drive(joint="right_hip")),
    ("limits", "note", "joint 'left_hip'", "it is actuated and has no limits",
     lambda: with_part("left_leg", "joint", limits=None)),
    ("limits", "note", "joint 'left_hip'", "its range is 180 rad", lambda: with_part("left_leg", "joint", limits=(-90.0, 90.0))),
    ("limits", "warning", "pose 'home'", "joint 'right_hip' is at 0.5, outside its limits (0.6, 1.5)",
     lambda: with_part("right_leg", "joint", limits=(0.6, 1.5))),
    ("names", "warning", "body 'my link'", "more than ASCII letters", lambda: with_link("my link")),
    ("names", "warning", "body 'a/b'", "more than ASCII letters", lambda: with_link("a/b")),
    ("names", "warning", "body '<b>'", "more than ASCII letters", lambda: with_link("<b>")),
    ("names", "warning", "body '2nd'", "or begins with a digit", lambda: with_link("2nd")),
    ("names", "warning", "body 'Trunk'", "differs from 'trunk' only in case", lambda: with_link("Trunk")),
    ("names", "warning", "body 'leftleg'", "differs from 'left_leg' only in case", lambda: with_link("leftleg")),
    ("order", "note", "children of 'trunk'", "joints left_hip, right_hip, a_joint are not in alphabetical order",
     lambda: with_link(joint=Joint("a_joint", JointType.REVOLUTE, Y))),
    ("feet", "note", "robot 'clean'", "it floats and has no foot", without_feet),
    ("feet", "note", "contact point 'left_foot'", "a foot of radius 0", lambda: with_foot(radius=0.0)),
    ("feet", "warning", "contact point 'left_foot'", "left out of the contact quantities", lambda: with_foot(computed=False)),
    ("gravity", "note", "robot 'clean'", "gravity is (0.0, 0.0, -1.62)", lambda: changed(gravity=(0.0, 0.0, -1.62))),
    ("gravity", "note", "robot 'clean'", "gravity is (0.0, -9.81, 0.0)", lambda: changed(gravity=(0.0, -9.81, 0.0))),
    ("gravity", "warning", "robot 'clean'", "upward", lambda: changed(gravity=(0.0, 0.0, 9.81))),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "severity", "place", "message", "build"), DEFECTS, ids=[f"{d[0]}: {d[3]:.40}" for d in DEFECTS])
def test_planted_defect_is_found(rule: str, severity: str, place: str, message: str, build: Callable[[], RobotSpec]) -> None:
    findings = lint(build())
    found = [f for f in findings if (f.rule, f.severity, f.place) == (rule, severity, place) and message in f.message]
    assert len(found) == 1, findings
    assert found[0].remedy
    assert "\n" not in found[0].message + found[0].remedy


def test_every_rule_has_a_planted_defect() -> None:
    assert len({defect[0] for defect in DEFECTS}) == len(RULES)


@pytest.mark.parametrize("turn", TURNS.values(), ids=list(TURNS))
def test_clean_robot_gives_its_mass_and_nothing_else(turn: tuple[float, ...]) -> None:
    (finding,) = lint(clean(turn))
    message = "total mass 8.2 kg: links 8, rotors 0.2"
    assert finding == Finding("total mass", "note", "robot 'clean'", message, "compare it with the scales")


def test_parts_that_are_in_order_stay_unmentioned() -> None:
    """A massless frame fixed to a link, a massless link with a massive one fixed to it, limits mirrored with the axes."""
    frame = with_link("camera", joint=Joint("z_joint", JointType.FIXED), inertia=NO_MASS)
    dummy = with_link("dummy", inertia=NO_MASS)
    dummy = add_body(
        dummy,
        "payload",
        parent="dummy",
        joint=Joint("fix", JointType.FIXED),
        inertia=Inertia(1.0, rotational=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1)),
    )
    opposite = clean()
    right = opposite.bodies[3]
    joint = dataclasses.replace(right.joint, axis=X, limits=(-1.5, 0.5))
    bodies = (*opposite.bodies[:3], dataclasses.replace(right, joint=joint), opposite.bodies[4])
    pose = Pose("home", (*opposite.poses[0].q[:8], -0.5))
    opposite = dataclasses.replace(opposite, bodies=bodies, poses=(pose,))
    for spec in (frame, dummy, opposite):
        assert [finding.rule for finding in lint(spec)] == ["total mass"]


def test_frames_of_sensors_and_links_between_joints_are_no_mistakes() -> None:
    """Cameras need no mirror image, a massless link has no com, and several joints of a link are what a file may hold."""
    fixed = Joint("z_joint", JointType.FIXED)
    frame = with_link("left_camera", joint=fixed, inertia=NO_MASS, placement=Placement((0.1, 0.03, 0.0)))
    frame = add_body(frame, "left_ir", parent="left_camera", joint=dataclasses.replace(fixed, name="ir"), inertia=NO_MASS)
    frame = add_body(frame, "right_camera", parent="trunk", joint=dataclasses.replace(fixed, name="zz_joint"), inertia=NO_MASS)
    empty = Inertia(0.0, com=(0.0, 0.0, -0.5))
    shape = Shape("sphere", (0.02,))
    foot = with_link("heel", joint=fixed, inertia=empty, shapes=(shape,))
    chain = with_link("z_wrist_roll", joint=Joint("z_roll", JointType.REVOLUTE, X), inertia=NO_MASS)
    solid = Inertia(1.0, rotational=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    chain = add_body(chain, "z_wrist", parent="z_wrist_roll", joint=Joint("z_pitch", JointType.REVOLUTE, Y), inertia=solid)
    for spec in (frame, foot, chain):
        assert [finding.rule for finding in lint(spec)] == ["total mass"]


def test_names_of_a_kind_are_one_finding() -> None:
    spec = with_link("my link", joint=Joint("z_joint", JointType.FIXED))
    for i in range(60):
        joint = Joint(f"z_joint_{i}", JointType.FIXED)
        spec = add_body(spec, f"cam/{i}", parent="my link", joint=joint, inertia=NO_MASS)
    (finding,) = (finding for finding in lint(spec) if finding.rule == "names")
    assert finding.place == "body 'my link'"
    assert finding.message.endswith("; 60 more body names are like it")


def test_mini_cheetah_gives_its_four_hips_and_notes() -> None:
    findings = lint(load("mini_cheetah"))
    legs = ("FR", "FL", "HR", "HL")
    errors = [f for f in findings if f.severity != "note"]
    assert [(f.rule, f.severity, f.place) for f in errors] == [("realisability", "error", f"body '{leg}_hip'") for leg in legs]
    assert all("fails by 9.657e-05 kg m^2" in f.message for f in errors)
    assert (
        "nearest realisable one is (0.00199065, 0.000213733, 1.28061e-05, 0.00209535, 1.25296e-06, 0.000440188)"
        in errors[1].remedy
    )
    notes = [(f.rule, f.place) for f in findings if f.severity == "note"]
    knees = [("limits", f"joint '{leg}_knee_joint'") for leg in legs]
    assert notes == [("total mass", "robot 'mini_cheetah'"), *knees, ("order", "children of 'trunk'")]


def test_one_leg_with_left_signs_is_seen() -> None:
    """The classical mistake: the right hip's inertia copied from the left without mirroring."""
    spec = load("mini_cheetah")
    left = spec.bodies[spec.body_index("FL_hip")].inertia
    bodies = tuple(dataclasses.replace(b, inertia=left) if b.name == "FR_hip" else b for b in spec.bodies)
    found = [f for f in lint(dataclasses.replace(spec, bodies=bodies)) if f.rule == "mirror symmetry"]
    assert [f.place for f in found] == ["body 'FL_hip' and body 'FR_hip'"] * 2
    assert "the coms" in found[0].message
    assert "the inertias" in found[1].message


def test_lumped_robot_keeps_its_symmetry() -> None:
    assert {f.rule for f in lint(with_lumped_rotors(load("mini_cheetah")))} == {"realisability", "total mass", "limits", "order"}


@pytest.mark.parametrize("name", [name for name in ROBOTS if not name.startswith("mini_cheetah")])
def test_other_named_robots_have_no_more_than_notes(name: str) -> None:
    assert {f.severity for f in lint(load(name))} == {"note"}


def test_rules_cope_with_any_tree() -> None:
    for seed in range(20):
        assert "total mass" in {f.rule for f in lint(load(f"random:{seed}"))}
    assert lint(RobotSpec("empty"))[0].message == "total mass 0 kg: links 0, rotors 0"


def test_names_of_counterparts() -> None:
    expected = {
        "FL_hip": "FR_hip",
        "HL_knee_point": "HR_knee_point",
        "arm-left": "arm-right",
        "Left_arm": "Right_arm",
        "wrist_l": "wrist_r",
        "RL_foot": "RR_foot",
        "FR_hip": None,
        "lever": None,
        "leftover": None,
    }
    assert {name: right_name(name) for name in expected} == expected


def test_points_of_a_missing_side_are_let_be() -> None:
    spec = changed(contact_points=(ContactPoint("left_foot", "left_leg", (0.0, 0.0, -0.3), is_foot=True, radius=0.02),))
    assert [f.rule for f in lint(spec)] == ["total mass"]
