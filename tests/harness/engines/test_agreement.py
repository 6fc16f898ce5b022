"""Every engine against the reference on every kind of robot: what is under test is the adapters, not the engines' inside."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from leapcheck.engines.errors import NotApplicable
from leapcheck.engines.protocol import Answers
from leapcheck.engines.registry import ENGINE_NAMES, make_engine
from leapcheck.quantities import CORE, DEFAULT, QUANTITIES, sizes
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.spec import JointType, RobotSpec
from tests.harness.engines.engine_cases import STORAGE, error, near_states

FOREIGN = ENGINE_NAMES[1:]
NAMED = (
    "mini_cheetah",
    "mini_cheetah_armature",
    "pupper_leg",
    "two_link_arm",
    "tree4_1",
    "tree4_5",
    "tree4_9",
    "box",
    "falling_rod",
)
RANDOM = ("random:1", "random:6", "random:10", "random:22", "random:36", "random:41")
# 1: balls; 6: badly conditioned; 10: three free bases, balls, rotors; 22: fixed root; 36: gear and armature; 41: fixed on fixed.

# Scale-free tolerance (named robots, random trees), and the measured worst of each.
TOLERANCES = {
    "mass_matrix": (5e-13, 5e-12),  # 1.5e-13 (falling_rod's thin axis, mujoco-urdf; else 2e-14), 2.2e-13
    "bias_force": (1e-12, 1e-12),  # 5.9e-14, 4.6e-14
    "inverse_dynamics": (1e-12, 1e-12),
    "gravity_force": (1e-12, 1e-12),  # 4.3e-14, 3.0e-14
    "coriolis_force": (5e-14, 2e-12),  # 2.4e-15, 9.3e-14
    "forward_dynamics": (2e-12, 1e-10),  # 1.5e-13, 5.3e-12
    "contact_positions": (5e-14, 2e-13),  # 2.4e-15, 1.9e-14
    "contact_velocities": (5e-14, 4e-13),  # 5.1e-15, 4.0e-14
    "contact_jacobians": (5e-14, 3e-13),  # 1.8e-15, 2.5e-14
    "contact_bias_accelerations": (1e-13, 1e-12),  # 1.1e-14, 9.5e-14
    "contact_inertia": (1e-13, 1e-10),  # 7.6e-15, 5.2e-12
    "kinetic_energy": (5e-14, 5e-14),  # 3.8e-15, 4.0e-15
    "potential_energy": (1e-12, 2e-12),  # 5.6e-14, 1.9e-13
    "qM": (5e-14, 5e-14),  # 3.2e-15, 3.7e-15
    "csr": (5e-14, 5e-14),  # 3.2e-15, 3.7e-15
    "cinert": (1e-14, 2e-14),  # 3.1e-16, 2.0e-15
    "crb": (1e-14, 1e-14),  # 3.4e-16, 6.0e-16
    "cdof": (2e-14, 4e-14),  # 2.1e-15, 3.9e-15
}


@cache
def expected(robot: str) -> tuple[RobotSpec, States, Answers]:
    spec = load(robot)
    states = near_states(spec)
    return spec, states, make_engine("reference", spec).evaluate(states, DEFAULT)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("robot", [*NAMED, *RANDOM])
def test_engine_agrees_with_the_reference(robot: str, name: str) -> None:
    spec, states, reference = expected(robot)
    try:
        engine = make_engine(name, spec)
    except NotApplicable:
        assert cannot_hold(name, spec)
        return
    assert not cannot_hold(name, spec)
    lost = lost_energy(engine, spec, states)
    able = {*CORE, "inverse_dynamics", *(STORAGE if name == "mujoco" else ())}
    assert engine.quantities & {*DEFAULT} == able - ({"kinetic_energy"} if lost.any() else set())
    # Asked all the same: the day that Pinocchio mends its energy, this fails, and the quantity need no more be left out.
    answers = engine.evaluate(states, sorted(able))
    reference = {**reference, "kinetic_energy": reference["kinetic_energy"] - lost}
    for quantity, found in answers.items():
        tolerance = TOLERANCES[quantity][robot.startswith("random")]
        assert error(quantity, found, reference[quantity], reference["mass_matrix"], states.v) < tolerance, quantity


def cannot_hold(name: str, spec: RobotSpec) -> bool:
    """What a file format or its reader cannot express: ball joints in URDF, free joints beside other roots."""
    kinds = [body.joint.type for body in spec.bodies]
    several_free = JointType.FREE in kinds and sum(body.parent == "world" for body in spec.bodies) > 1
    return (name == "mujoco-urdf" and (JointType.BALL in kinds or several_free)) or (name == "pinocchio-mjcf" and several_free)


def lost_energy(engine: object, spec: RobotSpec, states: States) -> np.ndarray:
    """Armature's energy (n,) on joints of one class, which Pinocchio 4.1.0's computeKineticEnergy leaves out.

    Its joints about a generic axis (JointModelRevoluteUnaligned), and only those; its M has the armature.
    """
    energy = np.zeros(len(states))
    model = getattr(engine, "_model", None)
    for body, column in zip(spec.bodies, velocity_columns(spec), strict=True):
        if model is None or not body.joint.armature:
            continue
        if model.joints[model.getJointId(body.joint.name)].shortname() == "JointModelRevoluteUnaligned":
            energy += body.joint.armature * states.v[:, column] ** 2 / 2
    return energy


def velocity_columns(spec: RobotSpec) -> list[int]:
    sizes_ = [{"free": 6, "ball": 3, "fixed": 0}.get(body.joint.type, 1) for body in spec.bodies]
    return [0, *np.cumsum(sizes_)[:-1].tolist()]


def test_a_robot_of_this_file_shows_the_energy_that_pinocchio_loses() -> None:
    spec, states, _ = expected("random:36")
    assert lost_energy(make_engine("pinocchio", spec), spec, states).max() > 0.1


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("robot", ["mini_cheetah", "mini_cheetah_armature"])
def test_quantities_do_not_depend_on_what_else_is_asked(robot: str, name: str) -> None:
    """Engines keep state between calls: each quantity alone, and the block in two halves, give the same bits."""
    spec, states, _ = expected(robot)
    engine = make_engine(name, spec)
    together = engine.evaluate(states, sorted(engine.quantities & {*DEFAULT}))
    for quantity, answers in together.items():
        halves = [engine.evaluate(half, (quantity,))[quantity] for half in (states[:7], states[7:])]
        np.testing.assert_array_equal(np.concatenate(halves), answers, err_msg=quantity)


@pytest.mark.parametrize("name", FOREIGN)
def test_shapes_are_those_of_the_quantities_also_for_no_state(name: str) -> None:
    spec, states, _ = expected("mini_cheetah")
    answers = make_engine(name, spec).evaluate(states[:0], CORE)
    for quantity, values in answers.items():
        shape = QUANTITIES[quantity].shape
        assert shape is not None
        assert values.shape == (0, *shape(sizes(spec))), quantity
        assert values.dtype == np.float64
