"""The soft contact obeys its own definition where that can be solved by hand, and Newton's and Coulomb's laws elsewhere."""

import dataclasses

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import Inertia, Joint, JointType, RobotSpec, add_body, add_contact_point
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import SoftContact, reference_configuration, response, weights
from leapcheck_reference.simulate.soft_rows import gains, impedance

GRAVITY = 9.81
BY_HAND = 1e-13  # relative to the largest term; largest seen 2e-15
NEWTON = 1e-13  # relative to the largest force; largest seen 4e-15
CONTACT = SoftContact(friction=0.5, solref=(0.01, 1.0), solimp=(0.8, 0.95, 0.002, 0.5, 2.0))


def ball(mass: float = 2.0) -> Plant:
    """A body with a contact sphere around its com: J M^-1 J^T is 1/m in every direction but for its turning."""
    spec = RobotSpec("ball")
    spec = add_body(spec, "ball", joint=Joint("free", JointType.FREE), inertia=Inertia(mass, rotational=(1e9, 0, 0, 1e9, 0, 1e9)))
    return Plant(add_contact_point(spec, "middle", "ball", (0.0, 0.0, 0.0), radius=0.1))


def pendulum(**joint: float) -> Plant:
    """One hinge, stopped at +-1 rad."""
    hinge = Joint("hinge", JointType.REVOLUTE, (0.0, 1.0, 0.0), limits=(-1.0, 1.0), **joint)
    inertia = Inertia(1.5, (0.0, 0.0, -0.3), (0.02, 0.0, 0.0, 0.02, 0.0, 0.01))
    return Plant(add_body(RobotSpec("pendulum"), "bob", joint=hinge, inertia=inertia), passive=True)


def standing(name: str = "mini_cheetah", depth: float = 1e-3) -> tuple[Plant, Floats]:
    plant = Plant(load(name))
    q = np.array(plant.spec.pose("home"))
    q[2] -= (plant.at(q, np.zeros(plant.tree.nv)).centres[:, 2] - plant.radii).min() + depth
    return plant, q


@pytest.mark.parametrize("speed", [-1.0, 0.0, 0.01])
def test_a_pressed_ball_accelerates_between_its_own_will_and_the_reference(speed: float) -> None:
    """MuJoCo's definition of the impedance: a1 = (1 - d) a0 + d aref."""
    plant = ball()
    depth = 5e-4
    q, u = np.array([0.0, 0.0, 0.1 - depth, 1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, speed, 0.0, 0.0, 0.0])
    answer = response(plant, CONTACT, weights(plant), q, u, np.zeros(6))
    d, (K, B) = impedance(CONTACT.solimp, depth), gains(CONTACT.solref, CONTACT.solimp, 0.0)
    wanted = (1.0 - d) * -GRAVITY + d * (-B * speed + K * d * depth)
    assert answer.udot[2] == pytest.approx(wanted, abs=BY_HAND * max(abs(B * speed), K * depth))
    assert answer.forces[0, 2] == pytest.approx(2.0 * (wanted + GRAVITY), rel=1e-9)


def test_a_ball_that_leaves_fast_is_not_pulled_back() -> None:
    plant = ball()
    q, u = np.array([0.0, 0.0, 0.0999, 1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    answer = response(plant, CONTACT, weights(plant), q, u, np.zeros(6))
    assert not answer.forces.any()
    assert answer.udot[2] == pytest.approx(-GRAVITY, rel=BY_HAND)


@pytest.mark.parametrize(("angle", "sign"), [(1.002, -1.0), (-1.002, 1.0)])
def test_a_stop_pushes_back_by_its_impedance(angle: float, sign: float) -> None:
    plant = pendulum()
    at = plant.at(np.array([angle]), np.zeros(1))
    pushed = np.array([-8.0 * sign])  # outwards, against gravity
    free = (pushed[0] - at.h[0]) / at.M[0, 0]
    answer = response(plant, CONTACT, weights(plant), np.array([angle]), np.zeros(1), pushed)
    d, (K, _) = impedance(CONTACT.solimplimit, 0.002), gains(CONTACT.solreflimit, CONTACT.solimplimit, 0.0)
    assert answer.udot[0] == pytest.approx((1.0 - d) * free + d * sign * K * d * 0.002, rel=1e-11)
    assert np.sign(answer.limit_torques[0]) == sign
    assert response(plant, CONTACT, weights(plant), np.array([-0.999 * sign]), np.zeros(1), pushed).limit_torques[0] == 0.0


def test_dry_friction_gives_no_more_than_it_has() -> None:
    plant = pendulum(friction=0.4, damping=0.2)
    at_rest = response(plant, CONTACT, weights(plant), np.zeros(1), np.zeros(1), np.array([0.3]))
    assert abs(at_rest.udot[0]) < 0.11 * 0.3 / at_rest.M[0, 0]  # the impedance .9 leaves a tenth
    for speed in (-3.0, 3.0):
        moving = response(plant, CONTACT, weights(plant), np.zeros(1), np.array([speed]), np.zeros(1))
        assert moving.friction_torques[0] == pytest.approx(-0.4 * np.sign(speed), rel=BY_HAND)
        assert moving.udot[0] * moving.M[0, 0] == pytest.approx(-0.2 * speed - 0.4 * np.sign(speed), rel=BY_HAND)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("seed", range(6))
def test_newton_s_and_coulomb_s_laws_hold_on_a_robot_that_slides(cone: str, seed: int) -> None:
    """m (com's acceleration) = weight + ground forces; forces inside the friction cone, against the sliding."""
    plant, q = standing()
    rng = np.random.default_rng(seed)
    u = np.concatenate([[1.0, -0.5, -0.1], 0.1 * rng.standard_normal(15)])
    contact = dataclasses.replace(CONTACT, friction=0.3, cone=cone)
    answer = response(plant, contact, weights(plant), q, u, np.zeros(18))
    at = plant.at(q, u)
    residual = at.M @ answer.udot + at.h - np.einsum("pi,pin->n", answer.forces, at.J)
    levers = (plant.radii + at.centres[:, 2]) / 2.0  # the contact point lies so far below the centre
    moments = np.cross(-levers[:, None] * [0.0, 0.0, 1.0], answer.forces)
    residual -= np.einsum("pi,pin->n", moments, at.J_w)
    assert np.abs(residual).max() <= NEWTON * np.abs(answer.forces).max()
    feet = answer.forces[plant.radii > 0.01]
    assert (feet[:, 2] > 0.0).all()
    bound = 0.3 * feet[:, 2] * (1.0 + 1e-12)
    if cone == "elliptic":
        assert (np.hypot(feet[:, 0], feet[:, 1]) <= bound).all()
    else:
        assert (np.abs(feet[:, 0]) + np.abs(feet[:, 1]) <= bound).all()
    assert (feet[:, 0] * 1.0 + feet[:, 1] * -0.5 < 0.0).all()
    np.testing.assert_allclose(answer.constraint, at.M @ answer.udot + at.h, atol=NEWTON * np.abs(answer.forces).max())


def test_nothing_acts_in_the_air() -> None:
    plant, q = standing(depth=-1e-6)
    answer = response(plant, CONTACT, weights(plant), q, np.zeros(18), np.zeros(18))
    assert not answer.forces.any()
    assert not answer.constraint.any()
    assert answer.udot[2] == pytest.approx(-GRAVITY, rel=BY_HAND)


def test_weights_are_those_of_the_reference_configuration() -> None:
    plant = ball(mass=4.0)
    np.testing.assert_allclose(weights(plant).points, [0.25], rtol=BY_HAND)
    robot, _ = standing()
    home = reference_configuration(robot)
    assert not home[7:].any()
    assert (weights(robot).joints > 0.0).all()
    assert (weights(robot).points[:8] == weights(robot).points[0]).all()  # one link, one weight


def test_a_force_that_is_not_finite_is_refused() -> None:
    plant, q = standing()
    with pytest.raises(ArithmeticError, match="finite"):
        response(plant, CONTACT, weights(plant), q, np.zeros(18), np.full(18, np.nan))
