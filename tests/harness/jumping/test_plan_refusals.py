"""What a robot cannot do is refused with the reason, and so is what is no request and no robot that jumps."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning import plan
from leapcheck.jumping.planning.bounds import largest_powers, power_at_take_off
from leapcheck.jumping.planning.checks import PULLED, refusal
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import Check, Infeasible, JumpRequest
from leapcheck.jumping.planning.search import lowest_crouch
from leapcheck.jumping.planning.task import task
from leapcheck.jumping.setup import jump_setup
from leapcheck.jumping.study import jump_act
from leapcheck_models.robots import load
from leapcheck_models.spec import Body, Joint, JointType, Pose, RobotSpec
from leapcheck_reference.simulate.actuator import drives, largest_torque
from leapcheck_reference.simulate.battery import Battery
from tests.harness.jumping.planner_robots import with_legs
from tests.reference.simulate.simple_bodies import with_planar_legs

CROUCH_STEP = 0.006
"""m: a little more than between the heights among which the lowest crouch is looked for."""


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (JumpRequest(0.7), "voltage .* V, limit 24.* % too much .*_knee, push.*: jump lower, crouch deeper"),
        (JumpRequest(0.45, crouch=0.22), "voltage .* too much"),
        (JumpRequest(0.2, crouch=0.29, push_time=0.132), "takes a stroke of 0.1307 m and 0.122. m are left from the crouch"),
        (JumpRequest(0.2, push_time=0.4), "takes a stroke of 0.3962 m"),
        (JumpRequest(0.2, crouch=0.6), "cannot crouch with its trunk at 0.6 m: in the stand it is at 0.301 m"),
        (JumpRequest(0.2, crouch=0.01), r"with its trunk at 0\.01 m: the lowest crouch is 0\.080 m, choose more"),
        (JumpRequest(0.2, crouch=0.045), r"from a crouch at 0\.045 m: the lowest crouch is 0\.080 m, choose more"),
        (JumpRequest(0.1, crouch=0.1, push_time=0.1), "leaves the ground too low to land: push longer"),
        (JumpRequest(1e-9), r"1e-09 m is no jump of 'mini_cheetah'.*: jump 0\.0011 m high or more"),
        (JumpRequest(0.2, crouch=0.06), "clearance 0.01.* m, limit 0.028"),
        (JumpRequest(0.2, distance=0.6, friction=0.1), "friction .* limit 0.1"),
        (JumpRequest(0.2, pitch=1.5), "pitched by 1.5 rad: ask for less pitch"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(request_: JumpRequest, why: str) -> None:
    spec = load("mini_cheetah")
    with pytest.raises(Infeasible, match=why):
        plan_jump(spec, request_, drives(spec))


def test_what_no_pose_can_do_is_refused_before_anything_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*given: object) -> None:
        raise AssertionError(f"searched with {given}")

    monkeypatch.setattr(plan, "chosen_push", searched)
    spec = load("mini_cheetah")
    why = "cannot jump 20 m high: mechanical power 1.095e[+]05 W, limit 5996, .* too much .*: jump lower"
    with pytest.raises(Infeasible, match=why):
        plan_jump(spec, JumpRequest(20.0), drives(spec))
    with pytest.raises(Infeasible, match="mechanical power"):  # far less from the push time that is asked for
        plan_jump(spec, JumpRequest(1.0, push_time=0.01), drives(spec))
    with pytest.raises(AssertionError, match="searched"):
        plan_jump(spec, JumpRequest(3.0), drives(spec))


def test_the_bound_on_power_leaves_room_for_what_is_feasible() -> None:
    spec = load("mini_cheetah")
    motors = drives(spec)
    for height, most in ((0.2, 0.1), (0.55, 0.2)):  # 0.55 m is the highest feasible jump
        asked = task(legged_robot(spec), JumpRequest(height), motors, Battery())
        assert power_at_take_off(asked).utilisation < most
    speeds = np.linspace(0.0, 50.0, 5001)[:, None] * np.ones(12)
    power = (largest_torque(motors, speeds, 24.0)[1] * speeds).max(axis=0)
    np.testing.assert_allclose(largest_powers(motors, 24.0), power, rtol=5e-3)
    endless = dataclasses.replace(motors, voltage=np.full(12, np.inf), electrical=np.zeros(12, dtype=bool))
    assert np.isinf(largest_powers(endless, 24.0)).all()


def test_the_lowest_crouch_is_possible_and_a_lower_one_is_not() -> None:
    spec = load("mini_cheetah")
    lowest = lowest_crouch(task(legged_robot(spec), JumpRequest(0.2), drives(spec), Battery()))
    assert plan_jump(spec, JumpRequest(0.2, crouch=lowest), drives(spec)).utilisation <= 1.0
    with pytest.raises(Infeasible):
        plan_jump(spec, JumpRequest(0.2, crouch=lowest - CROUCH_STEP), drives(spec))


def test_a_foot_that_pulls_is_not_told_to_jump_less_far() -> None:
    text = refusal("tiny", JumpRequest(0.2), Check("friction", math.inf, 0.8, "tangential over normal force", "a foot"))
    assert text.endswith(PULLED)


def test_a_weak_battery_is_seen() -> None:
    spec = load("mini_cheetah")
    strong = plan_jump(spec, JumpRequest(0.2), drives(spec), Battery(24.0, 0.01))
    assert strong.checks != plan_jump(spec, JumpRequest(0.2), drives(spec)).checks
    with pytest.raises(Infeasible, match=r"voltage|battery power"):
        plan_jump(spec, JumpRequest(0.2), drives(spec), Battery(24.0, 0.5))


@pytest.mark.parametrize(
    "bad",
    [{"height": -0.1}, {"height": float("nan")}, {"height": 0.2, "friction": 0.0}, {"height": 0.2, "distance": float("inf")}],
)
def test_a_request_that_is_none(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        JumpRequest(**bad)


def _without_feet(spec: RobotSpec) -> RobotSpec:
    return dataclasses.replace(spec, contact_points=tuple(p for p in spec.contact_points if not p.is_foot))


def _without_knee_drive(spec: RobotSpec) -> RobotSpec:
    return dataclasses.replace(spec, actuators=tuple(a for a in spec.actuators if a.name != "HL_knee"))


def _foot_on_the_thigh(spec: RobotSpec) -> RobotSpec:
    points = tuple(dataclasses.replace(p, is_foot="knee_point" in p.name) for p in spec.contact_points)
    return dataclasses.replace(spec, contact_points=points)


def _biped(spec: RobotSpec) -> RobotSpec:
    return with_legs(spec, ("FR", "FL"))


def _with_fixed_abads(spec: RobotSpec) -> RobotSpec:
    """Its legs move in planes: two joints each."""
    bodies = tuple(
        dataclasses.replace(b, joint=Joint(b.joint.name, JointType.FIXED), rotor=None) if b.name.endswith("_abad") else b
        for b in spec.bodies
    )
    q = spec.poses[0].q
    poses = (Pose("home", (*q[:7], *(angle for i, angle in enumerate(q[7:]) if i % 3))),)
    actuators = tuple(a for a in spec.actuators if not a.name.endswith("_abad"))
    return dataclasses.replace(spec, bodies=bodies, poses=poses, actuators=actuators)


def _with_wrists(spec: RobotSpec) -> RobotSpec:
    """A fourth driven joint in each leg, before its foot."""
    bodies, actuators = list[Body](), list(spec.actuators)
    for body in spec.bodies:
        bodies.append(body)
        if body.name.endswith("_knee"):
            name, joint = f"{body.name}_wrist", dataclasses.replace(body.joint, name=f"{body.name}_wrist_joint")
            bodies.append(dataclasses.replace(body, name=name, parent=body.name, joint=joint, rotor=None))
            actuators.append(dataclasses.replace(spec.actuators[0], name=name, joint=joint.name))
    points = tuple(dataclasses.replace(p, body=f"{p.body}_wrist") if p.is_foot else p for p in spec.contact_points)
    q = spec.poses[0].q
    poses = (Pose("home", (*q[:7], *(angle for k in range(7, 19, 3) for angle in (*q[k : k + 3], 0.0)))),)
    return dataclasses.replace(spec, bodies=tuple(bodies), actuators=tuple(actuators), contact_points=points, poses=poses)


def _sideways(spec: RobotSpec) -> RobotSpec:
    return dataclasses.replace(spec, gravity=(1.0, 0.0, -9.0))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_without_feet, "has no feet: mark contact points with is_foot"),
        (_without_knee_drive, "joint 'HL_knee_joint' of foot 'HL_foot' has no actuator"),
        (_foot_on_the_thigh, "foot 'FR_knee_point' has 2 joints: a leg of the planners has 3; bring its motion as --trajectory"),
        (_with_fixed_abads, "foot 'FR_foot' has 2 joints: a leg of the planners has 3; bring its motion as --trajectory"),
        (_with_wrists, "foot 'FR_foot' has 4 joints: a leg of the planners has 3; bring its motion as --trajectory"),
        (_biped, "stands on 2 point feet, which is no stand: bring its motion as --trajectory, or a --policy"),
        (_sideways, "does not point down"),
        (lambda spec: dataclasses.replace(spec, poses=()), "has no pose"),
    ],
)
def test_robots_that_cannot_be_planned_for(change, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        legged_robot(change(load("mini_cheetah")))


def test_legs_that_move_in_planes_are_for_the_optimised_planner() -> None:
    """Three joints with parallel axes: a straight leg's equations in every pose."""
    planar = with_planar_legs(load("mini_cheetah"))
    with pytest.raises(ValueError, match=r"foot 'FR_foot' do not move it in all directions.*: plan with --planner optimised"):
        plan_jump(planar, JumpRequest(0.1), drives(planar))
    for unsuited in (JumpOptions(height=0.1, planner="quick"), JumpOptions(height=0.1, crouch=0.2)):
        with pytest.raises(ValueError, match="plan with --planner optimised"):
            jump_act(jump_setup(planar, unsuited), unsuited)
    act = jump_act(jump_setup(planar, JumpOptions(height=0.1)), JumpOptions(height=0.1))
    assert act.plan is not None
    assert act.plan.utilisation < 1.0
    assert "planned for the most margin" in act.notes[0]
    assert act.notes[1].endswith("as the quick planner needs them to: the optimised planner planned it")


def test_only_robots_with_a_free_trunk() -> None:
    with pytest.raises(ValueError, match="'two_link_arm' has no free trunk"):
        legged_robot(load("two_link_arm"))
