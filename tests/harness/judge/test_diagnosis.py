"""Faults planted one by one: the judge names each, and names nothing where there is nothing to name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from leapcheck.judge.diagnosis import diagnose
from leapcheck.quantities import DEFAULT
from leapcheck.records import Diagnosis
from leapcheck.sampling import States, generated_states
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import Inertia, RobotSpec
from tests.harness.judge import planted_faults as p
from tests.harness.judge.few_legs import robot_of

CHEETAH = "mini_cheetah"
FR, FL, HL = (f"{leg} mini_cheetah" for leg in ("FR", "FL", "HL"))  # with one of its legs: the same in less time
FLOATING = "random:30"  # one base, 10 dof, a rotor, armature
FIXED = "random:29"  # two roots without a base, 3 dof, a rotor, armature, tilted gravity
TWO_BASES = "random:27"  # 28 dof
RIGID = "random:20"  # a base, a ball joint, a link rigid with another, tilted gravity

COUNT = 48
"""States of a block, all kinds among them."""

Case = tuple[str, str, str, str, p.Fault]

MODELS: list[Case] = [
    # robot, quantities, class, words of cause or evidence (each part between the bars), fault
    (FLOATING, "mass_matrix kinetic_energy qM", "model", "armature is left out|joint_1 -0.049943", p.with_armature(0.0)),
    (FLOATING, "contact_inertia", "model", "armature of every joint is left out", p.with_armature(0.0)),
    (FIXED, "forward_dynamics csr", "model", "counted twice|joint_2 +0.360531", p.with_armature(2.0)),
    (FR, "mass_matrix", "model", "neither|FR_hip_joint +0.0123", p.with_armature(1.0, 0.0123, "FR_hip")),
    (FL, "mass_matrix", "model", "gear ratio^2|counted twice|FL_hip_joint", p.with_armature(1.0, 36 * 63e-6, "FL_hip")),
    (FR, "mass_matrix bias_force", "model", "coupling gear ratio x inertia", lambda s: p.Planted(with_lumped_rotors(s))),
    (FIXED, "forward_dynamics", "model", "rotors are left out", p.with_bodies(lambda b: replace(b, rotor=None))),
    (FR, "forward_dynamics", "model", "nearest realisable|FR_hip", p.with_inertia(p.nearest)),
    (FLOATING, "bias_force", "model", "masses|multiplied by 1000: g for kg", p.in_units(1e3, 1.0)),
    (FLOATING, "mass_matrix contact_positions", "model", "mm read as m", p.in_units(1.0, 1e3)),
    (FLOATING, "bias_force", "model", "gravity is 9.80665 instead of 9.81", p.with_gravity(0.0, 0.0, -9.80665)),
    (FLOATING, "gravity_force", "model", "gravity is 9.8 instead of 9.81", p.with_gravity(0.0, 0.0, -9.8)),
    (FLOATING, "forward_dynamics", "convention", "gravity has the opposite sign", p.with_gravity(0.0, 0.0, 9.81)),
    (FIXED, "bias_force", "convention", "gravity is left out", p.with_gravity(0.0, 0.0, 0.0)),
    (RIGID, "potential_energy", "model", "gravity is (0, -9.81, 0)", p.with_gravity(0.0, -9.81, 0.0)),
    (HL, "mass_matrix", "model", "link HL_hip|inertial rpy", p.with_inertia(p.turned(0.7), "HL_hip")),
    (FLOATING, "kinetic_energy", "model", "link link_3|inertial rpy", p.with_inertia(p.turned(0.7), "link_3")),
    (FLOATING, "bias_force", "model", "link link_4: its mass is", p.with_inertia(lambda i: p.heavier(i, 1.3), "link_4")),
    (
        RIGID,
        "mass_matrix",
        "model",
        "link_2 is left out|rigid with link_3",
        p.with_inertia(lambda _: Inertia(0.0), "link_2"),
    ),
    (FLOATING, "bias_force contact_jacobians", "model", "joint joint_4 is at", p.with_bodies(p.shifted, "link_4")),
    (FLOATING, "contact_velocities", "model", "joint_4 has the axis", p.with_bodies(p.with_reversed_axis, "link_4")),
    (FIXED, "bias_force", "model", "six digits", p.with_bodies(p.six_digits)),
    (FLOATING, "mass_matrix", "model", "rotational inertias alone|1e-8", p.with_inertia(p.turned(1e-8))),
]

CONVENTIONS: list[Case] = [
    (FLOATING, "bias_force", "convention", "Tdot term|is missing", p.answering(p.without_tdot)),
    (FLOATING, "forward_dynamics contact_bias_accelerations", "convention", "Tdot term", p.answering(p.without_tdot)),
    (TWO_BASES, "coriolis_force", "convention", "Tdot term", p.answering(p.without_tdot)),
    (FLOATING, "mass_matrix", "convention", "answers are left|linear part in world", p.answering(p.in_world_velocity)),
    (FLOATING, "gravity_force contact_jacobians", "convention", "linear part in world", p.answering(p.in_world_velocity)),
    (FLOATING, "contact_velocities kinetic_energy", "convention", "linear part in world", p.reading_world_velocity),
    (FLOATING, "mass_matrix bias_force", "convention", "linear before angular", p.answering(p.linear_first)),
    (FLOATING, "bias_force", "convention", "in the order x, y, z, w", p.reading_quaternion(3, 0, 1, 2)),
    (FLOATING, "contact_positions qM", "convention", "turned to x, y, z, w", p.reading_quaternion(1, 2, 3, 0)),
    (RIGID, "gravity_force", "convention", "conjugated|free joints only", p.reading_quaternion(0, 1, 2, 3, sign=-1.0)),
    (FLOATING, "bias_force mass_matrix", "convention", "joint_4 in the place of joint_3", p.answering(p.last_two_dofs_exchanged)),
    (CHEETAH, "mass_matrix", "convention", "read in the order FL_abad_joint|URDF", p.reading_legs(False)),
    (CHEETAH, "gravity_force", "convention", "state and answers|FL_abad_joint", p.reading_legs(True)),
    (FLOATING, "contact_positions", "convention", "point_3 in the place of point_0", p.entrywise(lambda x: x[:, ::-1])),
    (FLOATING, "qM", "convention", "in the order of csr", p.other_quantity("csr")),
    (FIXED, "bias_force", "convention", "gravity only", p.other_quantity("gravity_force")),
    (FIXED, "coriolis_force", "convention", "gravity and Coriolis force together", p.other_quantity("bias_force")),
    (FLOATING, "kinetic_energy", "convention", "multiplied by 2: a factor 1/2", p.entrywise(lambda x: 2.0 * x)),
    (FLOATING, "potential_energy", "convention", "another zero: +3 J", p.entrywise(lambda x: x + 3.0)),
    (FR, "bias_force", "convention", "damping|the robot's own|FR_knee_joint +0.01", p.answering(p.damped)),
    (FLOATING, "forward_dynamics", "model", "dry friction|not the robot's own|joint_2 +0.01, +0.2", p.answering(p.damped)),
    (FLOATING, "contact_jacobians", "convention", "axes of the link", p.answering(p.in_link_axes)),
    (FLOATING, "contact_bias_accelerations", "convention", "spatial acceleration", p.answering(p.spatial_acceleration)),
    (FLOATING, "gravity_force contact_velocities", "convention", "read as degrees", p.reading_degrees),
]

WHOLE_ROBOT: list[Case] = [(CHEETAH, *case[1:]) for case in (*MODELS, *CONVENTIONS) if case[0] in (FR, FL, HL)]


def diagnosis(robot: str, quantity: str, fault: p.Fault) -> Diagnosis | None:
    spec = robot_of(robot)
    found = diagnose(spec, fault(spec), generated_states(spec, COUNT, 3, 0), (quantity,))
    return found[0] if found else None


def in_each_quantity(case: Case, *marks: pytest.MarkDecorator) -> list[Any]:
    """Its first quantity; the others are slow."""
    robot, quantities, *rest = case
    return [
        pytest.param(robot, quantity, *rest, marks=(*marks, *([pytest.mark.slow] if k else [])))
        for k, quantity in enumerate(quantities.split())
    ]


@pytest.mark.parametrize(
    ("robot", "quantity", "kind", "words", "fault"),
    [
        *(param for case in (*MODELS, *CONVENTIONS) for param in in_each_quantity(case)),
        *(param for case in WHOLE_ROBOT for param in in_each_quantity(case, pytest.mark.slow)),
    ],
)
def test_a_planted_fault_is_named(robot: str, quantity: str, kind: str, words: str, fault: p.Fault) -> None:
    found = diagnosis(robot, quantity, fault)
    assert found is not None
    assert found.unexplained == ()
    told = [*found.causes, *(cause for others in found.alternatives for cause in others)]
    text = "; ".join(f"{cause.words} ({cause.details})" for cause in told)
    assert kind in {cause.cause_class for cause in told}, text
    assert all(part in text for part in words.split("|")), text


@pytest.mark.parametrize("quantity", DEFAULT)
def test_rounding_is_no_discrepancy(quantity: str) -> None:
    """Noise of 10 ulp on every answer, against an expected rounding of a few."""
    rng = np.random.default_rng(0)
    noise = p.entrywise(lambda x: x * (1.0 + 10 * np.finfo(float).eps * rng.uniform(-1.0, 1.0, x.shape)))
    assert diagnosis(FLOATING, quantity, noise) is None


@pytest.mark.parametrize(("floor", "is_right"), [(0.0, True), (1e4, False)])
def test_cancellation_is_excused_far_from_the_origin_only(floor: float, is_right: bool) -> None:
    """An error of 1e-15 per metre of the base's distance, or as large everywhere as 10 km away."""
    rng = np.random.default_rng(2)

    def off(_spec: RobotSpec, _name: str, values: p.Array, states: States) -> p.Array:
        distance = np.linalg.norm(states.q[:, :3], axis=1)[:, None, None]
        return values * (1.0 + 1e-15 * np.maximum(distance, floor) * rng.uniform(-1.0, 1.0, values.shape))

    assert (diagnosis("box", "mass_matrix", p.answering(off)) is None) == is_right


UNRELATED = [
    *(
        pytest.param(FIXED, quantity, size, marks=[] if often == size else pytest.mark.slow)
        for quantity, often in (("mass_matrix", 1e-2), ("bias_force", 1e-7), ("csr", 1e-10))
        for size in (1e-2, 1e-7, 1e-10)
    ),
    (FLOATING, "contact_jacobians", 1e-2),
    pytest.param(FIXED, "forward_dynamics", 1e-2, marks=pytest.mark.slow),
    pytest.param(FLOATING, "cinert", 1e-2, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("robot", "quantity", "size"), UNRELATED)
def test_an_unrelated_error_is_not_named(robot: str, quantity: str, size: float) -> None:
    """Random errors, the same whenever the same states are asked for."""

    def off(_spec: RobotSpec, _name: str, values: p.Array, states: States) -> p.Array:
        rng = np.random.default_rng(abs(int(1e3 * states.q.sum())))
        return values * (1.0 + size * rng.normal(size=values.shape))

    found = diagnosis(robot, quantity, p.answering(off))
    assert found is not None
    assert found.unexplained == (quantity,) or found.causes[0].name.startswith("precision/"), found
    assert "Largest at state" in found.pattern


def test_a_search_that_ends_early_says_what_was_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(_spec: RobotSpec, _name: str, values: p.Array, states: States) -> p.Array:
        return values * (1.0 + 0.1 * np.cos(7.0 * states.q.sum(axis=1)))[:, None]

    monkeypatch.setattr("leapcheck.judge.solver.SECONDS", 0.0)
    found = diagnosis(FIXED, "bias_force", p.answering(off))
    assert found is not None
    assert found.unexplained == ("bias_force",)
    assert "the search ended after 0 s of CPU, not tried: several numbers of the robot;" in found.pattern, found.pattern


def test_the_pattern_of_an_unknown_error_names_rows_link_and_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two dofs of one root's tree are off at speed, by something that no model does: what a search does not change."""
    monkeypatch.setattr("leapcheck.judge.solver.SECONDS", 0.0)

    def off(_spec: RobotSpec, _name: str, values: p.Array, states: States) -> p.Array:
        values[:, 1:] += 0.1 * np.abs(states.v[:, 1:]) ** 1.5
        return values

    found = diagnosis(FIXED, "bias_force", p.answering(off))
    assert found is not None
    assert found.unexplained == ("bias_force",)
    assert "2 of 3 entries are wrong" in found.pattern, found
    assert "rows of joint_1, joint_2" in found.pattern, found


def test_numbers_that_are_not_finite_are_the_engines_fault() -> None:
    found = diagnosis(FIXED, "bias_force", p.entrywise(lambda x: np.where(np.arange(3) == 1, np.nan, x)))
    assert found is not None
    assert found.causes[0].cause_class == "engine"
    assert f"{COUNT} of {3 * COUNT} numbers" in f"{found.causes[0].words} {found.causes[0].details}"
