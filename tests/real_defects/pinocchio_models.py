"""Pinocchio's models made as a user might, with what it does silently wrong; each engine holds the robot otherwise right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.pinocchio import build
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import axial_inertia, with_rotor_bodies
from leapcheck_models.spec import RobotSpec


class BreadthFirst:
    """Joints added level by level: crba is silently wrong, rnea and aba are right. For hinges without rotors on the world."""

    name, version, route = "pinocchio", pin.__version__, "its own API, breadth-first"
    quantities = frozenset({"mass_matrix", "bias_force", "forward_dynamics"})

    def __init__(self, spec: RobotSpec) -> None:
        depth = {"world": 0}
        for body in spec.bodies:
            depth[body.name] = depth[body.parent] + 1
        self._order = sorted(range(len(spec.bodies)), key=lambda i: depth[spec.bodies[i].name])
        self._model = pin.Model()
        self._model.gravity = pin.Motion(np.array(spec.gravity), np.zeros(3))
        numbers = {"world": 0}
        for body in (spec.bodies[i] for i in self._order):
            joint = pin.JointModelRevoluteUnaligned(np.array(body.joint.axis))
            numbers[body.name] = self._model.addJoint(numbers[body.parent], joint, build.pose(body.placement), body.name)
            self._model.appendBodyToJoint(numbers[body.name], build.rigid_inertia(body.inertia), pin.SE3.Identity())
        self._data = self._model.createData()

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """M by crba, h by nonLinearEffects, vdot by aba, all put back into the spec's order."""
        m, d, order, back = self._model, self._data, self._order, list(np.argsort(self._order))
        rows = [tuple(x[order] for x in row) for row in zip(states.q, states.v, states.tau, strict=True)]
        answers = {
            "mass_matrix": np.array([pin.crba(m, d, q).copy()[np.ix_(back, back)] for q, _, _ in rows]),
            "bias_force": np.array([pin.nonLinearEffects(m, d, q, v)[back] for q, v, _ in rows]),
            "forward_dynamics": np.array([pin.aba(m, d, q, v, tau)[back] for q, v, tau in rows]),
        }
        return {name: answers[name] for name in quantities}


class MimicRotors:
    """Rotors as mimic joints, exact but for the Coriolis matrix, and the bias force as C v + g of it."""

    name, version, route = "pinocchio", pin.__version__, "its own API, rotors as mimic joints, h = C v + g"
    quantities = frozenset({"mass_matrix", "bias_force", "gravity_force"})

    def __init__(self, spec: RobotSpec) -> None:
        self._model = model = mimic_model(spec)
        assert model.check(model.createData())
        self._data = model.createData()
        without = replace(spec, bodies=tuple(replace(body, rotor=None) for body in spec.bodies))
        self._convention: Convention = conventions.pinocchio_convention(without, build.places(without, model))

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """M by crba, g by computeGeneralizedGravity, h = C v + g with C by computeCoriolisMatrix."""
        m, d = self._model, self._data
        T = conventions.velocity_map(self._convention, states.q)
        q, v = conventions.configuration(self._convention, states.q), conventions.product(T, states.v)
        gravity = np.array([pin.computeGeneralizedGravity(m, d, q_i).copy() for q_i in q])
        coriolis = np.array([pin.computeCoriolisMatrix(m, d, q_i, v_i) @ v_i for q_i, v_i in zip(q, v, strict=True)])
        mass = np.array([pin.crba(m, d, q_i).copy() for q_i in q])
        answers: dict[str, Floats] = {
            "mass_matrix": conventions.mass_matrix(T, mass),
            "gravity_force": conventions.force(T, gravity),
            "bias_force": conventions.force(T, coriolis + gravity),
        }
        return {name: answers[name] for name in quantities}


def mimic_model(spec: RobotSpec) -> pin.Model:
    """The robot with each rotor a mimic joint behind the subtree of the joint that it mimics."""
    full, driven = with_rotor_bodies(spec).spec, {body.rotor.name: body for body in spec.bodies if body.rotor}
    model = pin.Model()
    model.gravity = pin.Motion(np.array(spec.gravity), np.zeros(3))
    numbers = {"world": 0}
    for body in full.bodies:
        joint = build.joint_model(body)
        if body.name in driven:
            of = driven[body.name]
            assert of.rotor is not None
            primary = model.joints[numbers[of.name]]
            spun = pin.JointModelRevoluteUnaligned(np.array(of.rotor.axis))
            spun.setIndexes(primary.id, primary.idx_q, primary.idx_v)
            joint = pin.JointModelMimic(spun, of.rotor.gear_ratio, 0.0)
        number = model.addJoint(numbers[body.parent], joint, build.pose(body.placement), body.joint.name)
        numbers[body.name] = number
        model.appendBodyToJoint(number, build.rigid_inertia(body.inertia), pin.SE3.Identity())
        model.addFrame(pin.Frame(body.name, number, pin.SE3.Identity(), pin.FrameType.BODY))
    return model


def with_rotor_fields(spec: RobotSpec) -> PinocchioEngine:
    """The robot without rotors, their inertia and gear ratio in `rotorInertia` and `rotorGearRatio`, which nothing uses."""
    without = replace(spec, bodies=tuple(replace(body, rotor=None) for body in spec.bodies))
    model = build.model_by_api(without)
    build.write_exact_values(without, model)
    inertias, ratios = np.zeros(model.nv), np.zeros(model.nv)
    for body in spec.bodies:
        if body.rotor:
            dof = model.idx_vs[build.link_frame(model, body.name).parentJoint]
            inertias[dof], ratios[dof] = axial_inertia(body.rotor), body.rotor.gear_ratio
    model.rotorInertia, model.rotorGearRatio = inertias, ratios
    frames = build.contact_frames(without, model, links=False)
    return PinocchioEngine("pinocchio", without, without, model, frames, "its own API, rotorInertia and rotorGearRatio")
