"""Contact forces in a user's inverse dynamics: sign, axes, points of attack and their order, each named by the judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.identities import identities
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from tests.examples.engines.whole_robot import WholeRobot
from tests.harness.judge.few_legs import robot_of

CONTACTS = "inverse_dynamics_with_contacts"
NAMES = ("mass_matrix", "bias_force", "contact_jacobians", "inverse_dynamics", CONTACTS)
WHOLE = "mini_cheetah_armature"
TWO_LEGS = f"FR+FL {WHOLE}"  # the same in less time
COUNT = 32

Forces = Callable[[WholeRobot, Any, Floats], Any]


def opposite(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    return robot.wrenches(q, -forces)


def forgotten(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    return robot.wrenches(q, np.zeros_like(forces))


def in_link_axes(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    """Each force handed to Pinocchio as it is, in the axes of its joint."""
    wrenches = [pin.Force.Zero() for _ in range(robot.model.njoints)]
    for number, force in zip(robot.frames[-robot.points :], forces, strict=True):
        frame = robot.model.frames[number]
        wrenches[frame.parentJoint] += frame.placement.act(pin.Force(force, np.zeros(3)))
    return listed(wrenches)


def two_feet_exchanged(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    FR, FL = feet(robot, "FR", "FL")
    forces[[FR, FL]] = forces[[FL, FR]]
    return robot.wrenches(q, forces)


def one_foot_forgotten(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    forces[feet(robot, "FL")] = 0.0
    return robot.wrenches(q, forces)


def sides_exchanged(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    """Left legs first, as many controllers have it."""
    forces[feet(robot, "FR", "FL", "HR", "HL")] = forces[feet(robot, "FL", "FR", "HL", "HR")]
    return robot.wrenches(q, forces)


def without_moments(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    """At the origins of the joints: the moment p x f is forgotten."""
    wrenches = [pin.Force(wrench.linear, np.zeros(3)) for wrench in robot.wrenches(q, forces)]
    return listed(wrenches)


def unrotated_arms(robot: WholeRobot, q: Any, forces: Floats) -> Any:
    """The moment p x f with p in the axes of the link and f in the world's."""
    wrenches = [pin.Force.Zero() for _ in range(robot.model.njoints)]
    for number, force in zip(robot.frames[-robot.points :], forces, strict=True):
        frame = robot.model.frames[number]
        R = robot.data.oMi[frame.parentJoint].rotation
        moment = np.cross(frame.placement.translation, force)
        wrenches[frame.parentJoint] += pin.Force(R.T @ force, R.T @ moment)
    return listed(wrenches)


def feet(robot: WholeRobot, *legs: str) -> list[int]:
    """Where the points of these legs stand among all points."""
    points = [robot.model.frames[number].name for number in robot.frames[-robot.points :]]
    return [points.index(f"{leg}_foot") for leg in legs]


def listed(wrenches: list[Any]) -> Any:
    vector = pin.StdVec_Force()
    vector.extend(wrenches)
    return vector


FAULTS: dict[str, tuple[Forces, set[str]]] = {
    "sign": (opposite, {"contact-forces/sign"}),
    "forgotten": (forgotten, {"contact-forces/left-out"}),
    "link axes": (in_link_axes, {"contact-forces/link"}),
    "exchanged": (two_feet_exchanged, {"contact-forces/exchanged:FR_foot,FL_foot"}),
    "one forgotten": (one_foot_forgotten, {"contact-forces/left-out:FL_foot"}),
    "sides": (sides_exchanged, {"contact-forces/exchanged:FR_foot,FL_foot", "contact-forces/exchanged:HR_foot,HL_foot"}),
    "at the origin": (without_moments, {"contact-forces/at-origin"}),
    "unrotated arms": (unrotated_arms, {"contact-forces/unrotated-arm"}),
}


@cache
def engine_of(robot: str) -> WholeRobot:
    return WholeRobot(robot_of(robot))


def engine(forces: Forces, robot: str = TWO_LEGS) -> dict[str, Any]:
    whole = engine_of(robot)

    def with_contacts(q: Any, v: Any, vdot: Any, contact_forces: Any) -> Any:
        pin.framesForwardKinematics(whole.model, whole.data, q)
        wrenches = forces(whole, q, contact_forces)
        return pin.rnea(whole.model, whole.data, q, v, vdot, wrenches)

    functions = {name: getattr(whole, name) for name in NAMES if name != CONTACTS}
    return functions | {CONTACTS: with_contacts, "conventions": whole.conventions}


def causes(forces: Forces, names: tuple[str, ...] = NAMES, robot: str = TWO_LEGS) -> set[str]:
    spec = robot_of(robot)
    found = diagnose(spec, user_engine(engine(forces, robot), spec), generated_states(spec, COUNT, 4, 0), names)
    return {cause.name for diagnosis in found for cause in diagnosis.causes}


def test_a_right_engine_has_no_cause() -> None:
    assert causes(WholeRobot.wrenches) == set()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(fault: str) -> None:
    """On two legs, but for both pairs of legs."""
    forces, names = FAULTS[fault]
    assert causes(forces, robot=WHOLE if fault == "sides" else TWO_LEGS) == names


def test_the_quantity_alone_tells_as_much() -> None:
    assert causes(opposite, (CONTACTS,)) == {"contact-forces/sign"}


def test_a_part_left_out_of_it_alone_is_named() -> None:
    whole, spec = engine_of(TWO_LEGS), robot_of(TWO_LEGS)

    def weightless(q: Any, v: Any, vdot: Any, contact_forces: Any) -> Any:
        return pin.rnea(whole.weightless, whole.data, q, v, vdot, whole.wrenches(q, contact_forces))

    own = user_engine(engine(opposite) | {CONTACTS: weightless}, spec)
    (diagnosis,) = diagnose(spec, own, generated_states(spec, COUNT, 4, 0), NAMES)
    assert [cause.name for cause in diagnosis.causes] == ["inverse-dynamics/no-gravity:contacts"]


def test_a_contradiction_breaks_its_law() -> None:
    law, spec = "inverse dynamics - that with contacts = sum J^T f", robot_of(TWO_LEGS)
    for forces, holds in ((WholeRobot.wrenches, True), (opposite, False)):
        own = user_engine(engine(forces), spec, "own")
        engines = make_engine_set(spec, ["reference", own], NAMES, False)
        found = identities(engines, generated_states(spec, COUNT, 4, 0)).identities
        assert {row.engine: row.holds for row in found if row.law == law} == {"reference": True, "own": holds}
