"""Pinocchio's adapter: its routes, exact rotors by mimic joints against the projection, what its readers cannot do."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from leapcheck.coordinates import conventions
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.pinocchio import build as pinocchio_build
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.registry import make_engine
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import ContactPoint, RobotSpec
from tests.harness.engines.engine_cases import near_states

pytestmark = pytest.mark.quick

MIMIC = 2e-14  # crba and rnea with mimic joints against the projection, relative to the largest entry: measured 1.1e-15
FRAMES = 1e-14  # m, m/s: measured 1.3e-15
MISPLACED = 0.1  # m, by which Pinocchio's reader of MJCF misplaces a site on a link fixed to a fixed link: measured 0.39


def mimic_model(spec: RobotSpec) -> pin.Model:
    """The robot with each rotor as a mimic joint on its parent link, added after the driven joint's whole subtree.

    A mimic joint has the axis of the joint that it mimics, as Mini Cheetah's rotors do.
    """
    full = with_rotor_bodies(spec).spec
    driven = {body.rotor.name: body for body in spec.bodies if body.rotor}
    model = pin.Model()
    numbers = {"world": 0}
    for body in full.bodies:
        joint = pinocchio_build.joint_model(body)
        if body.name in driven:
            link = driven[body.name]
            assert link.rotor.axis == link.joint.axis
            joint = pin.JointModelMimic(model.joints[numbers[link.name]], link.rotor.gear_ratio, 0.0)
        placement = pinocchio_build.pose(body.placement)
        numbers[body.name] = model.addJoint(numbers[body.parent], joint, placement, body.joint.name)
        inertia = pinocchio_build.rigid_inertia(body.inertia)
        model.appendBodyToJoint(numbers[body.name], inertia, pin.SE3.Identity())
    return model


def test_mimic_joints_are_the_projection_with_the_gear_matrix() -> None:
    spec = load("mini_cheetah")
    model = mimic_model(spec)
    data = model.createData()
    assert model.nv == spec.nv
    assert model.check(data)
    names = [body.joint.name for body in spec.bodies]
    places = {n: conventions.Place(model.idx_qs[i], model.idx_vs[i]) for n in names for i in (model.getJointId(n),)}
    plain = replace(spec, bodies=tuple(replace(body, rotor=None) for body in spec.bodies))
    convention = conventions.pinocchio_convention(plain, places)
    states = near_states(spec, 10)
    expected = make_engine("pinocchio", spec).evaluate(states, ("mass_matrix", "bias_force"))
    T = conventions.velocity_map(convention, states.q)
    q, v = conventions.configuration(convention, states.q), conventions.product(T, states.v)
    for i in range(len(states)):
        M_u = pin.crba(model, data, q[i]).copy()
        h_u = pin.rnea(model, data, q[i], v[i], np.zeros(model.nv)).copy()
        M, h = conventions.mass_matrix(T[i], M_u), conventions.force(T[i], h_u)
        for found, projected in ((M, expected["mass_matrix"][i]), (h, expected["bias_force"][i])):
            np.testing.assert_allclose(found, projected, rtol=0, atol=MIMIC * np.abs(projected).max())


@pytest.mark.parametrize(
    ("name", "robot", "route"),
    [
        ("pinocchio", "two_link_arm", "URDF, exact values written"),
        ("pinocchio", "random:1", r"its own API \(joint 'joint_\d+' is a ball joint.*; rotors as bodies"),
        ("pinocchio-mjcf", "two_link_arm", "MJCF, exact values written, contact points placed on its links"),
    ],
)
def test_route_says_how_the_robot_came_in(name: str, robot: str, route: str) -> None:
    engine = make_engine(name, load(robot))
    assert re.match(route, engine.route)
    assert engine.version == pin.__version__


def test_contact_points_of_urdf_are_the_files_own_links() -> None:
    spec = load("mini_cheetah")
    full = with_rotor_bodies(spec).spec
    model = pinocchio_build.model_from_urdf(spec)
    frames = pinocchio_build.contact_frames(full, model, links=True)
    assert [model.frames[i].name for i in frames] == [point.name for point in spec.contact_points]


def test_a_contact_point_may_be_called_like_a_link() -> None:
    spec = load("two_link_arm")
    link = spec.bodies[-1].name
    point = replace(spec.contact_points[0], name=spec.bodies[0].name, body=link, computed=True)
    same = replace(spec, contact_points=(point,))
    states = near_states(spec, 5)
    renamed = replace(spec, contact_points=(replace(point, name="tip"),))
    expected = make_engine("reference", renamed).evaluate(states, ("contact_positions",))["contact_positions"]
    for name in ("mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf"):
        found = make_engine(name, same).evaluate(states, ("contact_positions",))["contact_positions"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=FRAMES)


def test_pinocchio_misplaces_sites_on_a_link_fixed_to_a_fixed_link() -> None:
    """Why contact points are put on MJCF's links by the harness; once this fails, its sites may be used."""
    spec = load("random:7")
    full = with_rotor_bodies(spec).spec
    model = pinocchio_build.model_from_mjcf(spec)
    points = [point for point in spec.contact_points if point.computed]
    right = [model.frames[i].placement.translation for i in pinocchio_build.contact_frames(full, model, links=False)]
    sites = [model.frames[model.getFrameId(p.name, pin.FrameType.OP_FRAME)].placement.translation for p in points]
    off = [np.abs(a - b).max() for a, b in zip(right, sites, strict=True)]
    assert max(off) > MISPLACED
    fixed_twice = {"link_19"}
    assert max(e for e, p in zip(off, points, strict=True) if p.body not in fixed_twice) < FRAMES


def test_mjcf_reader_takes_one_root() -> None:
    with pytest.raises(NotApplicable, match="Pinocchio reads one root body of an MJCF file, 'random_10' has 3"):
        make_engine("pinocchio-mjcf", load("random:10"))


def test_joints_that_are_not_depth_first_are_refused() -> None:
    spec = load("tree4_9")
    model = pin.Model()
    first = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "a")
    second = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "b")
    for parent, name in ((first, "c"), (second, "d")):
        model.addJoint(parent, pin.JointModelRX(), pin.SE3.Identity(), name)
    with pytest.raises(EngineError, match="not depth-first"):
        PinocchioEngine("pinocchio", spec, spec, model, [], "")


def test_a_link_that_the_model_lacks_is_named() -> None:
    spec = load("two_link_arm")
    with pytest.raises(EngineError, match=f"no link '{spec.bodies[0].name}'"):
        pinocchio_build.write_exact_values(spec, pin.Model())


def test_uncomputed_points_are_left_out() -> None:
    spec = load("two_link_arm")
    extra = ContactPoint("aside", spec.bodies[0].name, (0.1, 0.2, 0.3), computed=False)
    states = near_states(spec, 3)
    for name in ("mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf"):
        one, two = (
            make_engine(name, s).evaluate(states, ("contact_positions",))["contact_positions"]
            for s in (spec, replace(spec, contact_points=(extra, *spec.contact_points)))
        )
        np.testing.assert_array_equal(one, two)


def test_the_derivative_of_a_frame_s_acceleration_is_still_wrong_in_world_axes() -> None:
    """Behind a ball that is not the first joint; in LOCAL axes, which the engine asks for, it is right."""
    model = pin.Model()
    first = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "hinge")
    ball = model.addJoint(first, pin.JointModelSpherical(), pin.SE3(np.eye(3), np.array([0.3, 0.2, 0.1])), "ball")
    tip = model.addFrame(pin.Frame("tip", ball, pin.SE3(np.eye(3), np.array([0.1, 0.0, 0.4])), pin.FrameType.OP_FRAME))
    data, rng, h = model.createData(), np.random.default_rng(0), 1e-6
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=4))
    v, vdot = rng.normal(size=(2, 4))

    def acceleration(q: Floats, axes: pin.ReferenceFrame) -> Floats:
        pin.forwardKinematics(model, data, q, v, vdot)
        pin.updateFramePlacements(model, data)
        return np.array(pin.getFrameAcceleration(model, data, tip, axes).vector)

    for axes, right in ((pin.ReferenceFrame.LOCAL, True), (pin.ReferenceFrame.WORLD, False)):
        pin.computeForwardKinematicsDerivatives(model, data, q, v, vdot)
        found = pin.getFrameAccelerationDerivatives(model, data, tip, axes)[1].copy()
        steps = [[acceleration(pin.integrate(model, q, s * h * e), axes) for s in (1.0, -1.0)] for e in np.eye(4)]
        expected = np.stack([(after - before) / (2.0 * h) for after, before in steps], axis=-1)
        assert (np.abs(found - expected).max() < 1e-7) == right, axes
