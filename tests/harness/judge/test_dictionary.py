"""Each convention of the dictionary, kept by an engine: believing in it makes all of the engine's answers right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck.judge import dictionary
from leapcheck.judge.belief import Belief
from leapcheck.judge.evidence import evidence
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_lumped_rotors
from tests.harness.judge import planted_base_velocities as b
from tests.harness.judge import planted_conventions as c
from tests.harness.judge import planted_faults as p
from tests.harness.judge.dictionary_case import (
    ALL,
    ARMATURES,
    BALL,
    BALLS,
    BASES,
    CHEETAH,
    COUNT,
    DEGREE,
    DOWN,
    FLOATING,
    FREE,
    GEARED,
    JOINTS,
    KINDS,
    MOST,
    READ,
    REVOLUTE,
    TURNED,
    clean,
    hypotheses,
    is_meant,
    is_right,
    on,
    wrong,
)

FAULTS: dict[str, tuple[tuple[str, ...], p.Fault]] = {
    "quaternion/read-xyzw": (BASES, c.quaternions(READ, 1.0, FREE, BALL)),
    "quaternion/turned-xyzw": (BASES, c.quaternions(TURNED, 1.0, FREE, BALL)),
    "quaternion/conjugated": (BASES, c.quaternions((0, 1, 2, 3), -1.0, FREE, BALL)),
    "quaternion/conjugated-read-xyzw": (BASES, c.quaternions(READ, -1.0, FREE, BALL)),
    "quaternion/conjugated-turned-xyzw": (BASES, c.quaternions(TURNED, -1.0, FREE, BALL)),
    "quaternion/read-xyzw:free": (BALLS, c.quaternions(READ, 1.0, FREE)),
    "quaternion/read-xyzw:ball": (BALLS, c.quaternions(READ, 1.0, BALL)),
    "base-velocity/tdot-missing": (BASES, b.tdot(0.0)),
    "base-velocity/tdot-sign": (BASES, b.tdot(-1.0)),
    "base-velocity/tdot-twice": (BASES, b.tdot(2.0)),
    **{f"base-velocity/answers:{kind}": (BASES, b.foreign(kind, True, False)) for kind in KINDS},
    **{f"base-velocity/both:{kind}": (BASES, b.foreign(kind, False, False)) for kind in KINDS},
    **{f"base-velocity/inputs:{kind}": (BASES, b.foreign(kind, False, True, consistent=True)) for kind in KINDS},
    **{
        f"base-velocity/no-tdot:{kind}": (BASES, b.foreign(kind, False, True)) for kind in KINDS if "v_W" in kind or "v_H" in kind
    },
    "base-velocity/turned-by-heading:inputs": (BASES, b.turned_by_heading),
    "base-origin/com:answers": (BASES[:3], p.answering(b.about_com)),
    "base-origin/com:inputs": (BASES[:3], b.other_zero(com=True, position=False)),
    "base-origin/com:position": (BASES[:3], b.other_zero(com=False, position=True)),
    "order/read:alphabetical": ((CHEETAH,), p.reading_legs(False)),
    "order/state-and-answers:alphabetical": ((CHEETAH,), p.reading_legs(True)),
    "order/read:breadth-first": ((CHEETAH,), p.reading_legs(False, p.LEVELS)),
    "order/state-and-answers:breadth-first": ((CHEETAH,), p.reading_legs(True, p.LEVELS)),
    "order/rows": (JOINTS, c.exchange(answers_too=True, answers_only=True)),
    "order/read:*": (DOWN, c.exchange(answers_too=False)),
    "order/state-and-answers:*": (DOWN, c.exchange(answers_too=True)),
    "order/points": (BASES, p.answering(c.points_reversed)),
    "sign/all": (ALL, c.signs("")),
    "sign/all:read": (ALL, c.signs("read")),
    "sign/all:q": (ALL, c.signs("q")),
    "sign/all:v": (ALL, c.signs("v")),
    "sign/all:answers": (ALL, c.signs("answers")),
    "sign/*": (ALL, c.signs("", c.last_joint)),
    "sign/*:read": (JOINTS, c.signs("read", c.last_joint)),
    "sign/*:q": (DOWN, c.signs("q", c.last_joint)),
    "sign/*:v": (JOINTS, c.signs("v", c.last_joint)),
    "sign/*:answers": (JOINTS, c.signs("answers", c.last_joint)),
    "axes/link": (ALL, c.in_axes(False, 1)),
    "axes/base": (ALL, c.in_axes(True, 1)),
    "axes/transposed-rotation": (ALL, c.in_axes(False, 2)),
    "axes/link:jacobians": (ALL, c.in_axes(False, 1, ("contact_jacobians",))),
    "points/from-base": (ALL, c.from_base(False)),
    "points/from-base:its-axes": (ALL, c.from_base(True)),
    "acceleration/spatial": (ALL, c.point_acceleration(True, 0.0)),
    "acceleration/spatial:link": (ALL, c.point_acceleration(True, 0.0, "link")),
    "acceleration/spatial:base": (ALL, c.point_acceleration(True, 0.0, "base")),
    "acceleration/gravity-added": (ALL, c.point_acceleration(False, 1.0)),
    "acceleration/gravity-taken-off": (ALL, c.point_acceleration(False, -1.0)),
    "acceleration/gravity-taken-off:spatial": (ALL, c.point_acceleration(True, -1.0)),
    "gravity/left-out": (ALL, p.with_gravity(0.0, 0.0, 0.0)),
    "gravity/sign": (DOWN, p.with_gravity(0.0, 0.0, 9.81)),
    "gravity/size": (DOWN, p.with_gravity(0.0, 0.0, -9.80665)),
    "gravity/direction": (ALL, p.with_gravity(1.0, -9.7, 0.5)),
    "force/coriolis-only": (ALL, c.instead(bias_force="coriolis_force")),
    "force/gravity-only": (ALL, c.instead(bias_force="gravity_force")),
    "force/sum:coriolis": (ALL, c.instead(coriolis_force="bias_force")),
    "force/sum": (ALL, c.instead(coriolis_force="bias_force", gravity_force="bias_force")),
    "armature/left-out": (ARMATURES, p.with_armature(0.0)),
    "armature/doubled": (ARMATURES, p.with_armature(2.0)),
    "rotor/coupling-missing": (GEARED, lambda s: p.Planted(with_lumped_rotors(s))),
    "rotor/left-out": (GEARED, p.with_bodies(lambda b: replace(b, rotor=None))),
    "rotor/not-turning": ((FLOATING, CHEETAH), c.rotors_that_do_not_turn),
    "rotor/massless": (GEARED, c.rotors_as_armature_only),
    "rotor/reversed": (GEARED, p.with_bodies(c.with_gears_reversed)),
    "inertia/nearest": ((CHEETAH,), p.with_inertia(p.nearest)),
    "damping/other": (ALL, c.with_losses(0.02, 0.3)),
    "damping/own": ((CHEETAH,), c.with_losses(0.01, 0.0)),
    "unit/degrees-read": (ALL, c.joint_factors(REVOLUTE, DEGREE, 1.0)),
    "unit/degrees-given:both": (ALL, c.joint_factors(REVOLUTE, 1.0 / DEGREE, 1.0 / DEGREE)),
    "unit/degrees-read:rates": (ALL, c.joint_factors(REVOLUTE, 1.0, DEGREE)),
    "unit/degrees-answered": (ALL, c.only(("forward_dynamics",), c.revolute_accelerations_in_degrees)),
    "unit/length-mm": (ALL, p.in_units(1.0, 1e3)),
    "unit/length-inch": (ALL, p.in_units(1.0, 1.0 / 0.0254)),
    "unit/mass-g": (ALL, p.in_units(1e3, 1.0)),
    "unit/torque-N-mm": (BASES, c.torques_times(1e3)),
    "storage/upper-only": (ALL, c.only(("mass_matrix",), lambda _s, _n, x, _: np.triu(x))),
    "storage/lower-only": (ALL, c.only(("mass_matrix",), lambda _s, _n, x, _: np.tril(x))),
    "factor/kinetic_energy": (ALL, c.only(("kinetic_energy",), lambda _s, _n, x, _: 2.0 * x)),
    "factor/masses": (ALL, p.in_units(1.1, 1.0)),
    "energy/zero": (ALL, c.only(("potential_energy",), lambda _s, _n, x, _: x + 3.0)),
    "offset/*": (ALL, c.offset(0.3)),
}

CASES = [
    pytest.param(name, robot, fault, id=f"{name}-{robot}", marks=[] if robot == robots[0] else [pytest.mark.slow])
    for name, (robots, fault) in FAULTS.items()
    for robot in robots
]


@pytest.mark.parametrize(("name", "robot", "fault"), CASES)
def test_believing_in_a_convention_makes_all_answers_right(name: str, robot: str, fault: p.Fault) -> None:
    belief = Belief(on(robot, fault))
    assert belief.evidence.deviating
    meant = [belief.plus(h) for h in hypotheses(belief, name) if is_meant(h.name, name)]
    assert any(is_right(held) for held in meant), [wrong(held) for held in meant]


@pytest.mark.parametrize("robot", ALL)
def test_nothing_is_fitted_to_a_right_engine(robot: str) -> None:
    belief = Belief(clean(robot))
    assert [h.name for proposal in dictionary.FITTED for h in proposal(belief)] == []


@pytest.mark.parametrize("robot", ALL)
def test_names_tell_hypotheses_apart(robot: str) -> None:
    names = [h.name for h in hypotheses(Belief(clean(robot)))]
    assert MOST >= len(names) == len(set(names)) > 50


OWN: dict[str, p.Fault] = {
    "storage/qM-as-csr": c.instead(qM="csr"),
    "storage/csr-as-qM": c.instead(csr="qM"),
    "armature/left-out": p.with_armature(0.0),
    "order/bodies": p.answering(lambda _s, name, x, _: x[:, ::-1] if name in ("cinert", "crb") else x),
    "unit/mass-g": p.in_units(1e3, 1.0),
}


@pytest.mark.parametrize("name", OWN)
def test_believing_makes_mujocos_own_quantities_right(name: str) -> None:
    spec = load(FLOATING)
    engine = OWN[name](spec)
    names = [q for q in DEFAULT if q in engine.quantities and QUANTITIES[q].in_mujoco_coordinates]
    belief = Belief(evidence(spec, engine, generated_states(spec, COUNT, 3, 0), names))
    assert wrong(belief)
    assert any(not wrong(belief.plus(h)) for h in hypotheses(belief) if h.name == name)
