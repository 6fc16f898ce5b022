"""Planted faults change what they say and nothing else: held against specs changed by other means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.sampling import generated_states
from leapcheck_evidence.score.planting import parameters, readings, structures, whole_models
from leapcheck_evidence.score.planting.base_velocities import COORDINATES, coordinates, tdot
from leapcheck_evidence.score.planting.catalogue import draw_defect, places
from leapcheck_evidence.score.planting.effect import differences, effect
from leapcheck_evidence.score.planting.engines import Planted, base_quantities
from leapcheck_evidence.score.planting.fault import Defect, Drawer, Fault, Setting
from leapcheck_evidence.score.planting.kinds import KINDS, WHOLE
from leapcheck_evidence.score.planting.mjcf_file import MjcfFile
from leapcheck_evidence.score.planting.own_dynamics import OwnDynamics
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.urdf_file import UrdfFile
from leapcheck_models.changes import with_changes
from leapcheck_models.robots import load
from leapcheck_models.spec import JointType, RobotSpec

EXACT = 1e-11
"""Largest scale-free difference by rounding; measured: 2e-13."""

SINGLE = (1e-8, 1e-3)
"""What single precision makes of M; measured: 4e-7 to 2e-6."""

TELLING = ("mass_matrix", "bias_force", "gravity_force", "contact_positions", "kinetic_energy", "potential_energy")

FLOATING, FIXED, BALLS = "random:30", "tree4_7", "random:20"


def defect(robot: str, base: str, *faults: Fault) -> Defect:
    spec = load(robot)
    return Defect(0, "", "", robot, spec, base, faults, TELLING)


def drawn(drawer: Drawer, robot: str, base: str, seed: int = 0) -> Fault:
    return drawer(np.random.default_rng(seed), Setting(robot, load(robot), base))


def largest_difference(planted_defect: Defect, held: RobotSpec) -> float:
    """The engine with the defect against the in-house code on a robot changed by other means."""
    engine = Planted(planted_defect)
    return max(effect_on(held, engine).values())


def effect_on(held: RobotSpec, engine: object) -> dict[str, float]:
    return {name: error for name, error in effect(held, engine).items() if name != "coriolis_force"}


@pytest.mark.parametrize("robot", ["mini_cheetah", FLOATING, FIXED, BALLS])
@pytest.mark.parametrize("base", ["mujoco", "pinocchio", "reference", "own"])
def test_an_engine_without_a_fault_is_right(robot: str, base: str) -> None:
    if base == "pinocchio" and robot == BALLS:
        with pytest.raises(NotHereError, match="ball"):
            Planted(defect(robot, "pinocchio"))
        return
    everything = replace(defect(robot, base), quantities=tuple(base_quantities(base, load(robot))))
    assert largest_difference(everything, load(robot)) < EXACT


def test_single_precision_is_off_by_single_precision() -> None:
    spec = load(FLOATING)
    states = generated_states(spec, 16, 0, 0)
    right, single = (
        engine.evaluate(states, ("mass_matrix",)) for engine in (ReferenceEngine(spec), OwnDynamics(spec, np.float32))
    )
    error = differences("mass_matrix", single["mass_matrix"], right["mass_matrix"])
    assert SINGLE[0] < error.max() < SINGLE[1]


Write = Callable[[MjcfFile | UrdfFile], None]
NUMBERS: dict[str, tuple[Write, str]] = {
    "mass": (lambda f: f.set_mass("FR_hip", 0.7), "FR_hip.mass=0.7"),
    "com": (lambda f: f.set_com("FR_hip", (0.01, -0.016, -0.02)), "FR_hip.com.x=0.01"),
    "inertia": (
        lambda f: f.set_rotational("FR_hip", (0.001983, -0.0003, 1.3e-5, 0.002103, -1.5e-06, 0.000408)),
        "FR_hip.rotational.xy=-0.0003",
    ),
    "inertia of a link that is a body": (
        lambda f: f.set_rotational("FR_abad", (0.000381, -6e-05, 4.5e-07, 0.00056, -9.5e-07, 0.000444)),
        "FR_abad.rotational.xy=-6e-05",
    ),
    "armature": (lambda f: f.set_armature("FR_hip", 0.01), "FR_hip_joint.armature=0.01"),
    "gear": (lambda f: f.set_gear("FR_hip", 6.5), "FR_hip_rotor.gear_ratio=6.5"),
    "place": (lambda f: f.set_place("FR_hip", (0.0, -0.07, 0.0), f.place("FR_hip")[1]), "FR_hip.placement.p.y=-0.07"),
    "point": (lambda f: f.set_point("FR_foot", (0.01, 0.004, -0.195)), "FR_foot.position.x=0.01"),
    "gravity": (lambda f: setattr(f, "gravity", (0.0, 0.0, -9.8)), "gravity.z=-9.8"),
}


@pytest.mark.parametrize("base", ["mujoco", "pinocchio"])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_written_into_the_file_is_held_by_the_engine(name: str, base: str) -> None:
    """The Mini Cheetah's hip: its inertia is one that MuJoCo's compiler refuses."""
    write, assignment = NUMBERS[name]
    fault = Fault(name, (), write)
    spec = load("mini_cheetah")
    assert largest_difference(defect("mini_cheetah", base, fault), with_changes(spec, [assignment])) < EXACT
    assert largest_difference(defect("mini_cheetah", base, fault), spec) > 1e-6


@pytest.mark.parametrize("kind", [MjcfFile, UrdfFile])
def test_a_file_reads_back_what_is_written(kind: type[MjcfFile | UrdfFile]) -> None:
    file, (x, y, z) = kind(load("mini_cheetah")), (0.1, 1.0 / 3.0, -1e-7)
    file.set_axis("FR_knee", (x, y, z))
    file.set_place("FR_knee", (x, y, z), (0.5, 0.5, 0.5, 0.5))
    position, quaternion = file.place("FR_knee")
    assert file.axis("FR_knee") == position == (x, y, z)
    assert np.abs(np.abs(quaternion) - 0.5).max() < 1e-15
    with pytest.raises(NotHereError, match="tail"):
        file.mass("tail")


@pytest.mark.parametrize("base", ["mujoco", "pinocchio"])
def test_a_turned_frame_and_a_tilted_axis(base: str) -> None:
    spec = load(FIXED)
    for seed, drawer in enumerate((parameters.turn_fault(1e-2), parameters.axis_fault(1e-2))):
        fault = drawn(drawer, FIXED, base, seed)
        assert 1e-6 < largest_difference(defect(FIXED, base, fault), spec) < 10.0


def test_a_wrong_parent_is_that_parent() -> None:
    """Link 4 hangs on link 1 in one tree and on link 3 in another, which is the same robot otherwise."""
    file_fault = Fault("", (), lambda file: file.hang("link_4", "link_1"))
    assert load("tree4_9").bodies[3].parent == "link_3"
    held = replace(
        load("tree4_9"), bodies=tuple(replace(b, parent="link_1") if b.name == "link_4" else b for b in load("tree4_9").bodies)
    )
    for base in ("mujoco", "pinocchio"):
        assert largest_difference(defect("tree4_9", base, file_fault), held) < EXACT


def test_a_locked_joint_answers_zero() -> None:
    """The second of four in a chain; the other rows are those of the joint at zero."""
    fault = Fault("", (), lambda file: file.set_joint_type("link_2", JointType.FIXED))
    spec, others = load("tree4_9"), [0, 2, 3]
    states = generated_states(spec, 4, 0, 0)
    at_zero = replace(states, q=states.q * [1.0, 0.0, 1.0, 1.0])
    right = ReferenceEngine(spec).evaluate(at_zero, ("mass_matrix",))["mass_matrix"][:, others][:, :, others]
    for base in ("mujoco", "pinocchio"):
        engine = Planted(defect("tree4_9", base, fault))
        M = engine.evaluate(states, ("mass_matrix",))["mass_matrix"]
        assert not M[:, 1].any()
        assert differences("mass_matrix", M[:, others][:, :, others], right).max() < EXACT
        assert "contact_positions" not in engine.quantities


@pytest.mark.parametrize("kind", whole_models.ROTOR_EDITS)
def test_both_files_make_the_same_robot_of_a_wrong_rotor(kind: str) -> None:
    fault = drawn(whole_models.rotors(kind), "mini_cheetah", "")
    spec = load("mini_cheetah")
    states = generated_states(spec, 4, 0, 0)
    if kind == "massless":  # MuJoCo takes no body without mass that moves
        with pytest.raises(NotHereError, match="mass"):
            Planted(defect("mini_cheetah", "mujoco", fault))
        return
    M = [Planted(defect("mini_cheetah", base, fault)).evaluate(states, ("mass_matrix",)) for base in ("mujoco", "pinocchio")]
    assert differences("mass_matrix", M[0]["mass_matrix"], M[1]["mass_matrix"]).max() < EXACT
    right = ReferenceEngine(spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
    assert differences("mass_matrix", M[0]["mass_matrix"], right).max() > 1e-4


@pytest.mark.parametrize("name", COORDINATES)
def test_coordinates_taken_and_left_keep_the_energy(name: str) -> None:
    """v^T M v with M left in u and v given in u: the inputs then are what they are taken for."""
    engine = Planted(defect(FLOATING, "own", drawn(coordinates("both", name), FLOATING, "own")))
    states = generated_states(load(FLOATING), 8, 0, 0)
    answers = engine.evaluate(states, ("mass_matrix", "kinetic_energy"))
    energy = np.einsum("ni,nij,nj->n", states.v, answers["mass_matrix"], states.v) / 2.0
    assert np.abs(energy - answers["kinetic_energy"]).max() < EXACT * energy.max()


def test_tdot_is_power_free() -> None:
    """v^T M Tdot v / v^T M v does not vanish, but for one body about its com it does: w x v stands across v."""
    spec = load("box")
    fault = drawn(tdot("missing"), "box", "own")
    states = generated_states(spec, 8, 0, 0)
    right = ReferenceEngine(spec).evaluate(states, ("bias_force",))["bias_force"]
    off = Planted(defect("box", "own", fault)).evaluate(states, ("bias_force",))["bias_force"] - right
    assert np.abs(off[:, 3:]).max() > 1.0
    assert np.abs(np.einsum("ni,ni->n", off, states.v)).max() < EXACT * np.abs(off).max() * np.abs(states.v).max()


def test_signs_and_orders_of_both_ends_are_another_naming_of_the_same_robot() -> None:
    """M's eigenvalues stay; those of a state misread alone do not."""
    spec = load("mini_cheetah_armature")
    states = generated_states(spec, 8, 0, 0)
    for drawer, same in (
        (readings.sign_of_all, False),
        (readings.joint_order("state-and-answers"), False),
        (readings.joint_order("rows"), True),
    ):
        engine = Planted(defect("mini_cheetah_armature", "own", drawn(drawer, "mini_cheetah_armature", "own")))
        M, right = (e.evaluate(states, ("mass_matrix",))["mass_matrix"] for e in (engine, ReferenceEngine(spec)))
        apart = np.abs(np.linalg.eigvalsh(M) - np.linalg.eigvalsh(right)).max()
        assert bool(apart < 1e-12) is same


def test_a_defect_is_planted_again_on_a_smaller_robot_or_not_at_all() -> None:
    spec = load("tree4_1")
    fault = drawn(parameters.mass_fault(1e-2), "tree4_1", "mujoco")
    link = fault.names[0].partition("/")[2]
    kept, gone = (
        replace(spec, bodies=tuple(b for b in spec.bodies if (b.name == link) is same), contact_points=())
        for same in (True, False)
    )
    whole = defect("tree4_1", "mujoco", fault)
    assert Planted(whole, kept).evaluate(generated_states(kept, 2, 0, 0), ("mass_matrix",))["mass_matrix"].shape == (2, 1, 1)
    with pytest.raises(NotHereError, match=link):
        Planted(whole, gone)


def test_noise_is_noise() -> None:
    number = next(i for i, (kind, _) in enumerate(places(WHOLE)) if kind.name == "noise")
    assert 0.0 < max(draw_defect(0, number).effect.values()) < EXACT


def test_the_catalogue_has_what_is_asked_for() -> None:
    every = places(WHOLE)
    assert len(every) == WHOLE >= 400
    assert sum(kind.name == "pairs" for kind, _ in every) >= 80
    assert {len(kind.drawers) for kind in KINDS} == {0, 1, 2}
    assert len(places(40)) < 200


def test_a_seed_gives_the_same_defects_and_another_seed_others() -> None:
    labels = ("wrong type", "turn 0.01", "gear 0.01", "spatial")
    numbers = [next(i for i, (kind, _) in enumerate(places(WHOLE)) if kind.label == label) for label in labels]
    first, again, other = ([draw_defect(seed, i).label for i in numbers] for seed in (0, 0, 1))
    assert first == again
    assert sum(a != b for a, b in zip(first, other, strict=True)) > len(numbers) / 2


def test_structure_faults_say_where_they_cannot_be() -> None:
    for drawer in (structures.mirrored_branch, structures.rotor_on_link, structures.missing_subtree):
        with pytest.raises(NotHereError):
            drawn(drawer, "box", "mujoco")
