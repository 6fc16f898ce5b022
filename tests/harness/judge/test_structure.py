"""Structure faults planted one by one: the fault itself is among what is proposed, and explains all the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.engines.protocol import Engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge import consistency, structure
from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.evidence import evidence
from leapcheck.judge.structure.extra import is_of_a_body
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import ContactPoint, Inertia, Joint, JointType, RobotSpec
from leapcheck_reference.spatial import RigidInertia
from tests.harness.judge import planted_faults
from tests.harness.judge import structure_plants as p
from tests.harness.judge.few_legs import robot_of

CHEETAH = "mini_cheetah"
BIPED = "FL+HL mini_cheetah"  # the same in less time
FLOATING = "random:30"  # one base, 10 dof, a rotor, armature
FIXED = "random:29"  # two roots without a base, 3 dof, a rotor

COUNT = 24
"""States of a block, all kinds among them."""

DYNAMICS = ("mass_matrix", "bias_force")
KINEMATICS = ("contact_positions", "contact_jacobians")
FIRST_MOMENTS = (*DYNAMICS, "potential_energy")

Fault = Callable[[RobotSpec], Engine]


def proposed(robot: str, fault: Fault, quantities: Sequence[str]) -> list[Hypothesis]:
    """The proposals that explain all of the answers."""
    spec = robot_of(robot)
    at = evidence(spec, fault(spec), generated_states(spec, COUNT, 3, 0), quantities)
    assert at.deviating, "the fault does not show"
    belief = Belief(at)
    found = list(structure.proposals(belief))
    return [h for h in found if all(belief.plus(h).explains(name) for name in quantities)]


def bodies(names: str, change: Callable[..., object], whole_branch: bool = False) -> Fault:
    def fault(spec: RobotSpec) -> Engine:
        chosen = p.branch(spec, names) if whole_branch else names.split()
        return p.Held(spec, p.changed(spec, chosen, change))

    return fault


def points(name: str, change: Callable[[ContactPoint], ContactPoint]) -> Fault:
    def fault(spec: RobotSpec) -> Engine:
        changed = tuple(change(point) if point.name == name else point for point in spec.contact_points)
        return p.Held(spec, replace(spec, contact_points=changed))

    return fault


def exchanged(a: str, b: str, part: str) -> Fault:
    """A part of two bodies exchanged."""

    def fault(spec: RobotSpec) -> Engine:
        one, other = (getattr(spec.bodies[spec.body_index(name)], part) for name in (a, b))
        if part == "joint":
            one, other = replace(one, axis=other.axis), replace(other, axis=one.axis)
            one, other = other, one
        held = p.changed(
            p.changed(spec, [a], lambda body: replace(body, **{part: other})), [b], lambda body: replace(body, **{part: one})
        )
        return p.Held(spec, held)

    return fault


def other_side(body):
    return body if body.name == "trunk" else replace(body, inertia=p.mirrored(body.inertia))


def whole_side(body):
    rotor = body.rotor and replace(body.rotor, placement=p.on_the_other_side(body.rotor.placement))
    return replace(body, inertia=p.mirrored(body.inertia), placement=p.on_the_other_side(body.placement), rotor=rotor)


def transposed(body):
    w, x, y, z = body.placement.quaternion
    return replace(body, placement=replace(body.placement, quaternion=(w, -x, -y, -z)))


NO_INERTIA = Inertia(0.0)

FAULTS: list[tuple[str, str, Fault, tuple[str, ...]]] = [
    # name that is wanted, robot, fault, quantities
    ("missing/FL_hip", BIPED, bodies("FL_hip", lambda b: replace(b, inertia=NO_INERTIA)), DYNAMICS),
    ("missing-subtree/HL_hip", BIPED, bodies("HL_hip", lambda b: replace(b, inertia=NO_INERTIA), True), DYNAMICS),
    (
        "missing-subtree/link_3 (massless, rotors too)",
        FLOATING,
        bodies("link_3", lambda b: replace(b, inertia=NO_INERTIA, rotor=None, joint=replace(b.joint, armature=0.0)), True),
        DYNAMICS,
    ),
    ("twice/link_4", FLOATING, bodies("link_4", lambda b: replace(b, inertia=p.doubled(b.inertia))), ("kinetic_energy",)),
    ("twice/FL_knee", BIPED, bodies("FL_knee", lambda b: replace(b, inertia=p.doubled(b.inertia))), DYNAMICS),
    ("extra/HL_hip", BIPED, lambda s: p.Held(s, p.with_payload(s, "HL_hip", 0.4, (0.02, -0.05, 0.03))), DYNAMICS),
    (
        "extra/link_1",
        FIXED,
        lambda s: p.Held(s, p.with_payload(s, "link_1", 0.4, (0.02, -0.05, 0.03))),
        (*DYNAMICS, "potential_energy"),
    ),
    ("parent/FL_knee:trunk", BIPED, lambda s: p.Held(s, p.hung(s, "FL_knee", "trunk")), ("gravity_force",)),
    ("parent/FL_knee:HL_hip", BIPED, lambda s: p.Held(s, p.hung(s, "FL_knee", "HL_hip")), (*DYNAMICS, "forward_dynamics")),
    ("parent/HL_hip:FL_knee", BIPED, lambda s: p.Held(s, p.hung(s, "HL_hip", "FL_knee")), DYNAMICS),
    ("parent/link_4:link_2", FLOATING, lambda s: p.Held(s, p.hung(s, "link_4", "link_2")), KINEMATICS),
    ("parent/link_0:link_2", FIXED, lambda s: p.Held(s, p.hung(s, "link_0", "link_2")), DYNAMICS),
    (
        "type/FL_hip_joint:prismatic",
        BIPED,
        bodies("FL_hip", lambda b: replace(b, joint=replace(b.joint, type=JointType.PRISMATIC))),
        DYNAMICS,
    ),
    ("exchanged/FL_abad:HL_abad", BIPED, exchanged("FL_abad", "HL_abad", "placement"), DYNAMICS),
    ("exchanged/FL_hip:FL_knee (inertias)", BIPED, exchanged("FL_hip", "FL_knee", "inertia"), DYNAMICS),
    ("exchanged/HL_abad_joint:HL_hip_joint", BIPED, exchanged("HL_abad", "HL_hip", "joint"), DYNAMICS),
    (
        "mirrored/FL_abad (y: inertias)",
        BIPED,
        bodies("FL_abad", lambda b: replace(b, inertia=p.mirrored(b.inertia)), True),
        DYNAMICS,
    ),
    (
        "mirrored/all (y: inertias)",
        BIPED,
        lambda s: p.Held(s, p.changed(s, [b.name for b in s.bodies[1:]], other_side)),
        DYNAMICS,
    ),
    (
        "mirrored/FR_abad+HR_abad (y: inertias)",
        CHEETAH,
        lambda s: p.Held(s, p.changed(s, [b.name for b in s.bodies if b.name[1] == "R"], other_side)),
        DYNAMICS,
    ),
    ("mirrored/HL_abad (y: placements, inertias, points)", BIPED, bodies("HL_abad", whole_side, True), DYNAMICS),
    ("placement-transposed/joint_4", FLOATING, bodies("link_4", transposed), DYNAMICS),
    (
        "placement-after-joint/all",
        BIPED,
        lambda s: p.Held(s, p.placed_after_joints(s, [b.name for b in s.bodies[1:]])),
        ("mass_matrix", *KINEMATICS),
    ),
    ("placement-after-joint/joint_3", FLOATING, lambda s: p.Held(s, p.placed_after_joints(s, ["link_3"])), DYNAMICS),
    ("rotor-left-out/HL_knee_joint", BIPED, bodies("HL_knee", lambda b: replace(b, rotor=None)), DYNAMICS),
    (
        "rotor-reversed/FL_abad_joint",
        BIPED,
        bodies("FL_abad", lambda b: replace(b, rotor=replace(b.rotor, gear_ratio=-b.rotor.gear_ratio))),
        DYNAMICS,
    ),
    (
        "rotor-on-link/FL_hip_joint",
        BIPED,
        lambda s: p.RotorElsewhere(s, "FL_hip_rotor", "FL_hip"),
        ("bias_force", "kinetic_energy"),
    ),
    ("rotor-on-link/FL_hip_joint (trunk)", BIPED, lambda s: p.RotorElsewhere(s, "FL_hip_rotor", "trunk"), DYNAMICS),
    ("point-on-link/FL_foot:FL_hip", BIPED, points("FL_foot", lambda x: replace(x, body="FL_hip")), KINEMATICS),
    (
        "point-as/FL_foot:HL_foot",
        BIPED,
        points("FL_foot", lambda x: replace(x, body="HL_knee", position=(0.0, -0.004, -0.195))),
        KINEMATICS,
    ),
]


@pytest.mark.parametrize(("name", "robot", "fault", "quantities"), FAULTS, ids=[f"{case[1]} {case[0]}" for case in FAULTS])
def test_a_planted_fault_is_proposed(name: str, robot: str, fault: Fault, quantities: tuple[str, ...]) -> None:
    found = [h.name for h in proposed(robot, fault, quantities)]
    assert name in found, found


def test_a_locked_joint_has_no_rows() -> None:
    """The engine's robot has one dof less, which answers zero; the joint's rotor is a fixed part of the link that carries it."""

    def fault(spec: RobotSpec) -> Engine:
        rotor = spec.bodies[spec.body_index("FL_knee")].rotor
        assert rotor is not None
        fixed = Joint("FL_knee_fixed", JointType.FIXED)
        held = p.changed(spec, ["FL_knee"], lambda b: replace(b, rotor=None, joint=fixed))
        held = p.with_payload(held, "FL_hip", rotor.inertia.mass, rotor.placement.p)
        return Shrunk(spec, p.changed(held, ["payload"], lambda b: replace(b, inertia=rotor.inertia)))

    found = [h.name for h in proposed(BIPED, fault, (*DYNAMICS, "forward_dynamics"))]
    assert "locked/FL_knee_joint" in found, found


def test_a_branch_that_is_missing_has_no_rows() -> None:
    def fault(spec: RobotSpec) -> Engine:
        gone = p.branch(spec, "HL_hip")
        points = tuple(point for point in spec.contact_points if point.body not in gone)
        bodies = tuple(body for body in spec.bodies if body.name not in gone)
        return Shrunk(spec, replace(spec, bodies=bodies, contact_points=points))

    found = [h.name for h in proposed(BIPED, fault, (*DYNAMICS, "forward_dynamics"))]
    assert "missing-subtree/HL_hip (rotors)" in found, found


class Shrunk(p.Held):
    """One that lacks some of the joints."""

    quantities = frozenset((*DYNAMICS, "forward_dynamics"))

    def __init__(self, spec: RobotSpec, held: RobotSpec) -> None:
        super().__init__(spec, held)
        self._nv = spec.nv

    def evaluate(self, states, quantities):
        read = replace(states, q=states.q[:, self._q], v=states.v[:, self._v], tau=states.tau[:, self._v])
        answers = {}
        for name, x in self._engine.evaluate(read, quantities).items():
            whole = np.zeros((len(x), *(self._nv,) * (x.ndim - 1)))
            whole[(slice(None), *np.ix_(*[self._v] * (x.ndim - 1)))] = x
            answers[name] = whole
        return answers


def test_a_fault_beside_another_one_is_proposed() -> None:
    """Under the belief in the first fault, which is not of the structure, the second is found; and before it, as one of two."""
    spec = robot_of(BIPED)
    heavy = model_fault("mass/HL_hip", "", lambda s: p.changed(s, ["HL_hip"], heavier))
    engine = p.Held(spec, p.changed(p.hung(spec, "FL_knee", "trunk"), ["HL_hip"], heavier))
    at = evidence(spec, engine, generated_states(spec, COUNT, 3, 0), ("mass_matrix",))
    belief = Belief(at).plus(heavy)
    assert [h.name for h in structure.proposals(belief) if belief.plus(h).explains("mass_matrix")] == ["parent/FL_knee:trunk"]
    assert "parent/FL_knee:trunk" in [h.name for h in structure.proposals(Belief(at))]


def heavier(body):
    return replace(body, inertia=replace(body.inertia, mass=1.07 * body.inertia.mass))


def test_nothing_is_proposed_for_an_engine_that_is_right() -> None:
    rng = np.random.default_rng(0)
    noise = planted_faults.entrywise(lambda x: x * (1.0 + 10 * np.finfo(float).eps * rng.uniform(-1.0, 1.0, x.shape)))
    for robot in (FLOATING, FIXED):
        spec = load(robot)
        for engine in (ReferenceEngine(spec), noise(spec)):
            at = evidence(spec, engine, generated_states(spec, COUNT, 3, 0), p.CANONICAL)
            assert not [h.name for h in structure.proposals(Belief(at))]
            assert not [h.name for h in consistency.self_contradictions(Belief(at))]


def test_nothing_explains_an_error_of_no_structure() -> None:
    wave = planted_faults.entrywise(lambda x: x * (1.0 + 0.01 * np.sin(100.0 * x)))
    assert not proposed(FLOATING, wave, ("mass_matrix",))


def test_a_body_is_told_from_what_is_none() -> None:
    ball = np.eye(3) * 1e-3
    assert is_of_a_body(RigidInertia(1.0, np.zeros(3), ball))
    assert is_of_a_body(RigidInertia(1.0, np.array([0.1, 0.0, 0.0]), np.diag([1e-3, 1.1e-2, 1.1e-2])))
    assert not is_of_a_body(RigidInertia(-1.0, np.zeros(3), -ball))  # a body too few
    assert not is_of_a_body(RigidInertia(1.0, np.array([0.1, 0.0, 0.0]), ball))  # less inertia than the mass there has
    assert not is_of_a_body(RigidInertia(1.0, np.zeros(3), np.diag([3e-3, 1e-3, 1e-3])))  # no triangle


def test_lost_couplings_are_the_order_of_the_joints() -> None:
    """Couplings of one branch lost, with the engine's own h and vdot, and without; other errors of M are none."""
    spec = load(FLOATING)
    states = generated_states(spec, COUNT, 3, 0)

    def lost(_spec: RobotSpec, name: str, values, _states):
        if name == "mass_matrix":
            values[:, 6, 8] = values[:, 8, 6] = 0.0
        return values

    engine = planted_faults.answering(lost)(spec)
    for quantities, prior in ((("mass_matrix", "bias_force", "forward_dynamics"), 1.0), (("mass_matrix",), 3.0)):
        engine.quantities = frozenset(quantities)
        belief = Belief(evidence(spec, engine, states, quantities))
        [found] = consistency.self_contradictions(belief)
        assert (found.name, found.cause_class, found.prior) == ("engine/depth-first", "engine", prior)
        assert "depth-first" in found.words
        assert belief.plus(found).explains("mass_matrix")
    other = planted_faults.entrywise(lambda x: x * (1.0 + 1e-3 * np.sin(x)))(spec)
    assert not list(consistency.self_contradictions(Belief(evidence(spec, other, states, ("mass_matrix",)))))

    def lost_inertia(_spec: RobotSpec, name: str, values, _states):
        values[:, 7, 7] = 0.0  # no coupling
        return lost(_spec, name, values, _states)

    other = planted_faults.answering(lost_inertia)(spec)
    assert not list(consistency.self_contradictions(Belief(evidence(spec, other, states, ("mass_matrix",)))))


def test_a_coriolis_force_that_is_not_the_bias_force_less_gravity() -> None:
    spec = load(FLOATING)

    def doubled(_spec: RobotSpec, name: str, values, _states):
        return values * 1.5 if name == "coriolis_force" else values

    engine = planted_faults.answering(doubled)(spec)
    forces = ("bias_force", "gravity_force", "coriolis_force")
    belief = Belief(evidence(spec, engine, generated_states(spec, COUNT, 3, 0), forces))
    [found] = consistency.self_contradictions(belief)
    assert found.name == "engine/coriolis-matrix"
    assert all(belief.plus(found).explains(name) for name in forces)
