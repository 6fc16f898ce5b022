"""Names of entries: the entries that a change of the robot moves carry the name of what was changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.entries import dof_names, entry_name, mujoco_dof_names
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import ONE_DOF, Inertia, Joint, JointType, RobotSpec, add_body

pytestmark = pytest.mark.quick

ROBOTS = ("mini_cheetah", "mini_cheetah_armature", "tree4_9", "random:27", "random:29", "box")
POINT = np.array([0.3, -0.2, 0.1])
EXACT = 1e-12


def moved_entries(quantity: str, before: RobotSpec, after: RobotSpec, state: States) -> set[str]:
    """Names of the entries of a quantity that differ between two robots, beyond rounding."""
    a, b = (ReferenceEngine(spec).evaluate(state, (quantity,))[quantity][0] for spec in (before, after))
    moved = np.argwhere(np.abs(a - b) > EXACT * np.abs(a).max())
    return {entry_name(before, quantity, tuple(int(i) for i in place)) for place in moved}


def one_state(spec: RobotSpec) -> States:
    return generated_states(spec, 1, 0, 0)


@pytest.mark.parametrize("robot", ROBOTS)
def test_dof_names_are_unique_and_as_many_as_dofs(robot: str) -> None:
    spec = load(robot)
    assert len(set(dof_names(spec))) == spec.nv
    full = sum(body.rotor is not None for body in spec.bodies) + spec.nv
    assert len(set(mujoco_dof_names(spec))) == full


def test_names_of_the_mini_cheetah() -> None:
    spec = load("mini_cheetah")
    trunk = tuple(f"trunk {part}_{axis}" for part in "wv" for axis in "xyz")
    legs = tuple(f"{leg}_{joint}_joint" for leg in ("FR", "FL", "HR", "HL") for joint in ("abad", "hip", "knee"))
    assert dof_names(spec) == trunk + legs
    assert mujoco_dof_names(spec)[:6] == trunk[3:] + trunk[:3]
    assert entry_name(spec, "mass_matrix", (7, 2)) == "FR_hip_joint, trunk w_z"
    assert entry_name(spec, "contact_jacobians", (9, 1, 8)) == "FR_foot y, FR_knee_joint"
    assert entry_name(spec, "contact_inertia", (47, 0)) == "HL_foot z, trunk_corner_0 x"
    assert entry_name(spec, "kinetic_energy", ()) == "kinetic_energy"


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:29", "tree4_9"])
def test_armature_moves_the_diagonal_entry_of_its_joint(robot: str) -> None:
    spec = load(robot)
    state = one_state(spec)
    for i, body in enumerate(spec.bodies):
        if body.joint.type in ONE_DOF:
            stiffer = replace(body, joint=replace(body.joint, armature=body.joint.armature + 1.0))
            changed = replace(spec, bodies=(*spec.bodies[:i], stiffer, *spec.bodies[i + 1 :]))
            assert moved_entries("mass_matrix", spec, changed, state) == {f"{body.joint.name}, {body.joint.name}"}


@pytest.mark.parametrize(
    "quantity", ["contact_positions", "contact_velocities", "contact_bias_accelerations", "contact_jacobians"]
)
def test_a_moved_point_moves_the_entries_of_its_name(quantity: str) -> None:
    spec = load("mini_cheetah")
    points = [replace(point, computed=i != 3) for i, point in enumerate(spec.contact_points)]  # one is left out
    spec = replace(spec, contact_points=tuple(points))
    state = one_state(spec)
    for i, point in enumerate(points):
        place = tuple(float(x) for x in np.array(point.position) + POINT)
        changed = replace(spec, contact_points=(*points[:i], replace(point, position=place), *points[i + 1 :]))
        names = moved_entries(quantity, spec, changed, state)
        assert {name.split(", ")[0] for name in names} == (
            {f"{point.name} {axis}" for axis in "xyz"} if point.computed else set()
        )


@pytest.mark.parametrize("robot", ["mini_cheetah", "tree4_9", "random:27"])
@pytest.mark.parametrize("quantity", ["bias_force", "gravity_force", "coriolis_force", "forward_dynamics"])
def test_forces_and_accelerations_are_named_by_their_dof(robot: str, quantity: str) -> None:
    spec = load(robot)
    assert tuple(entry_name(spec, quantity, (i,)) for i in range(spec.nv)) == dof_names(spec)


def lone_body() -> RobotSpec:
    return add_body(
        RobotSpec("lone"),
        "stone",
        joint=Joint("stone_joint", JointType.FREE),
        inertia=Inertia(2.0, (0.0, 0.0, 0.0), (3.0, 0.1, 0.2, 4.0, 0.3, 5.0)),
    )


def test_names_of_mujocos_spatial_quantities() -> None:
    spec = lone_body()
    at_home = States(np.eye(1, 7, 3), np.zeros((1, 6)), np.zeros((1, 6)), np.zeros(1, dtype=int), ("file",))
    for quantity in ("cinert", "crb"):
        values = ReferenceEngine(spec).evaluate(at_home, (quantity,))[quantity][0, 0]
        found = {entry_name(spec, quantity, (0, i)): value for i, value in enumerate(values.tolist())}
        expected = {"Ixx": 3.0, "Iyy": 4.0, "Izz": 5.0, "Ixy": 0.1, "Ixz": 0.2, "Iyz": 0.3}
        expected |= {"m dx": 0.0, "m dy": 0.0, "m dz": 0.0, "m": 2.0}
        assert found == {f"stone {part}": value for part, value in expected.items()}
    cdof = ReferenceEngine(spec).evaluate(at_home, ("cdof",))["cdof"][0]
    ones = {entry_name(spec, "cdof", (int(i), int(j))) for i, j in np.argwhere(cdof == 1.0)}
    turning = {f"stone w_{axis}, rotation {axis}" for axis in "xyz"}
    assert ones == turning | {f"stone v_{axis}, translation {axis}" for axis in "xyz"}


def test_rows_of_cinert_are_the_bodies_with_rotors_among_them() -> None:
    spec = load("mini_cheetah")
    state = one_state(spec)
    masses = ReferenceEngine(spec).evaluate(state, ("cinert",))["cinert"][0, :, 9]
    found = {entry_name(spec, "cinert", (i, 9)): mass for i, mass in enumerate(masses)}
    bodies = {f"{body.name} m": body.inertia.mass for body in spec.bodies}
    rotors = {f"{body.rotor.name} m": body.rotor.inertia.mass for body in spec.bodies if body.rotor}
    assert found == bodies | rotors


@pytest.mark.parametrize("robot", ["random:2", "random:29", "tree4_1"])
def test_every_entry_has_a_name_of_its_own(robot: str) -> None:
    spec = load(robot)
    answers = ReferenceEngine(spec).evaluate(one_state(spec), tuple(QUANTITIES))
    for quantity, values in answers.items():
        names = [entry_name(spec, quantity, place) for place in np.ndindex(values.shape[1:])]
        assert len(set(names)) == len(names), quantity


def test_the_pattern_of_m_is_that_of_the_names() -> None:
    """Joints of different legs do not couple, those of one leg and the trunk do."""
    spec = load("mini_cheetah")
    pattern = reference.sparsity_pattern(reference.build(spec))
    for place in np.ndindex(pattern.shape):
        legs = {name[:2] for name in entry_name(spec, "mass_matrix", place).split(", ") if not name.startswith("trunk")}
        assert pattern[place] == (len(legs) < 2)
