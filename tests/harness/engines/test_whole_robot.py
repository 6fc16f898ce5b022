"""Quantities beyond the core: each engine that answers them against the reference, near the origin, rotors included."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from leapcheck.engines.errors import NotApplicable
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import quantity_names
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec
from tests.harness.engines.engine_cases import near_states

pytestmark = pytest.mark.quick

FOREIGN = ("mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
ROBOTS = ("mini_cheetah", "two_link_arm", "tree4_9", "random:2", "random:27")  # rotors; no base; fixed links; balls; two roots
# Of a quantity's scale; measured worst 4.2e-15, 2e-14, 6.2e-15.
ROUNDING = {"centroidal": 5e-14, "dynamics": 5e-13, "derivatives": 1e-10, "kinematics": 1e-13, "regressors": 1e-13}
NOT_BY_MUJOCO = {
    "centroidal_momentum_rate",
    "coriolis_matrix",
    "christoffel_matrix",
    *quantity_names(("derivatives", "regressors")),
}
NOT_ANSWERED = {"mujoco": NOT_BY_MUJOCO, "mujoco-urdf": NOT_BY_MUJOCO}

VANISHING = ("coriolis_matrix", "christoffel_matrix", "inverse_dynamics_derivative_v")


@cache
def case(robot: str) -> tuple[RobotSpec, States, Answers]:
    spec = load(robot)
    states = near_states(spec, 12)
    return spec, states, make_engine("reference", spec).evaluate(states, quantity_names(tuple(ROUNDING)))


def engine_of(name: str, spec: RobotSpec) -> Engine:
    try:
        return make_engine(name, spec)
    except NotApplicable as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("group", ROUNDING)
@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("robot", ROBOTS)
def test_an_engine_agrees_with_the_reference(robot: str, name: str, group: str) -> None:
    spec, states, expected = case(robot)
    engine = engine_of(name, spec)
    wanted = set(quantity_names((group,)))
    several = sum(body.parent == "world" for body in spec.bodies) > 1
    inertia = {"centroidal_inertia"} if several and name.startswith("mujoco") else set()
    assert wanted - engine.quantities == (NOT_ANSWERED.get(name, set()) | inertia) & wanted
    for quantity, values in engine.evaluate(states, sorted(wanted & engine.quantities)).items():
        scale = scales(quantity, expected[quantity])
        if quantity in VANISHING:  # they vanish in a stretched arm, M and v do not
            inverse, v = case(robot)[2]["minverse"], states.v
            scale = scale + (np.abs(v).max(axis=1) / np.abs(inverse).max(axis=(1, 2)))[:, None, None]
        off = scale_free(values - expected[quantity], scale)
        assert off.max(initial=0.0) <= ROUNDING[group], quantity


def test_pinocchio_leaves_out_what_is_fixed_to_the_world_and_is_not_asked() -> None:
    spec = next(spec for spec in map(load, (f"random:{seed}" for seed in range(40))) if holds_mass_still(spec))
    assert not make_engine("pinocchio", spec).quantities & set(quantity_names(("centroidal",)))
    states, name = near_states(spec, 4), "com_position"
    found, expected = (make_engine(engine, spec).evaluate(states, (name,))[name] for engine in ("mujoco", "reference"))
    np.testing.assert_allclose(found, expected, atol=1e-14)


def holds_mass_still(spec: RobotSpec) -> bool:
    bodies = with_rotor_bodies(spec).spec.bodies
    return any(b.parent == "world" and b.joint.type is JointType.FIXED and b.inertia.mass for b in bodies)
