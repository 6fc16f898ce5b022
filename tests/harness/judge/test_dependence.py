"""What is said of faults that nothing names is true: of unusual faults, each planted alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.engines.protocol import Answers
from leapcheck.judge.belief import Belief, model_fault
from leapcheck.judge.edits import edit_bodies
from leapcheck.judge.evidence import evidence
from leapcheck.judge.pattern import pattern
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.harness.judge import planted_faults as p

LEG = {name: 6 + i for i, name in enumerate(("FR_abad", "FR_hip", "FR_knee", "FL_abad", "FL_hip", "FL_knee"))}
COUNT = 32

Change = Callable[[RobotSpec, Floats, States], None]
"""Writes the fault into the answers (n, ...) of one quantity."""


class Odd:
    """The reference with one odd fault, for any robot that it is given."""

    name, version, route = "odd", "0", "planted"

    def __init__(self, spec: RobotSpec, change: Change) -> None:
        def spoil(_name: str, values: Floats, states: States) -> Floats:
            change(spec, values, states)
            return values

        self._change, self._engine = change, p.Planted(spec, outputs=spoil)
        self.quantities = self._engine.quantities

    def evaluate(self, states: States, quantities: tuple[str, ...]) -> Answers:
        return self._engine.evaluate(states, quantities)

    def rebuild(self, spec: RobotSpec) -> Odd:
        return Odd(spec, self._change)


def clauses(quantity: str, change: Change, robot: str = "mini_cheetah") -> list[str]:
    """What is said, clause by clause."""
    spec = load(robot)
    seen = evidence(spec, Odd(spec, change), generated_states(spec, COUNT, 3, 0), [quantity])
    text = pattern(seen, seen.deviating, "nothing")
    return [
        clause.lower()
        for clause in re.split(r"[;.] ", text.removesuffix(".").replace("At its worst states the error", "The error"))
    ]


def leg_squared(_spec: RobotSpec, h: Floats, states: States) -> None:
    h[:, 6:9] += 0.01 * states.v[:, 6:9] ** 2


def friction(_spec: RobotSpec, h: Floats, states: States) -> None:
    h[:, 11] += 0.1 * np.abs(states.v[:, 11]) * states.v[:, 11]


def constant(_spec: RobotSpec, h: Floats, _states: States) -> None:
    h[:, 11] += 0.3


def under_gravity(spec: RobotSpec, h: Floats, states: States) -> None:
    h[:, 10] += 1e-3 * spec.gravity[2] * np.cos(3.0 * states.q[:, 11])


def with_and_without_gravity(spec: RobotSpec, h: Floats, states: States) -> None:
    h[:, 10] += 1e-3 * (spec.gravity[2] + 4.0) * np.cos(3.0 * states.q[:, 11])


def spring_and_damper(_spec: RobotSpec, h: Floats, states: States) -> None:
    h[:, 9] += 0.2 * np.sin(states.q[:, 10]) + 0.1 * states.v[:, 9]


def all_else(_spec: RobotSpec, h: Floats, states: States) -> None:
    h[:, 6] += 0.1 * states.v.sum(axis=1) * np.cos(states.q[:, 3:]).sum(axis=1)


def above(_spec: RobotSpec, M: Floats, states: States) -> None:
    M[:, LEG["FR_hip"], LEG["FL_knee"]] += 1e-3 * np.sin(states.q[:, 8])


def below(_spec: RobotSpec, M: Floats, states: States) -> None:
    M[:, LEG["FL_knee"], LEG["FR_hip"]] += 1e-3 * np.sin(states.q[:, 8])


def of_the_base(_spec: RobotSpec, M: Floats, states: States) -> None:
    M[:, :6, :6] += 1e-3 * (1.0 + np.cos(states.q[:, 7]))[:, None, None]


def base_with_joints(_spec: RobotSpec, M: Floats, _states: States) -> None:
    M[:, :6, 6:] *= 0.5
    M[:, 6:, :6] *= 0.5


def of_one_leg(_spec: RobotSpec, M: Floats, states: States) -> None:
    M[:, 9:12, 9:12] += 1e-4 * np.cos(states.q[:, 11])[:, None, None]


def lazy_motor(_spec: RobotSpec, vdot: Floats, states: States) -> None:
    vdot[:, 8] += 3.0 * states.tau[:, 11]


def one_foot(_spec: RobotSpec, positions: Floats, states: States) -> None:
    positions[:, 3, 2] += 1e-3 * np.sin(states.q[:, 7])


COUPLING = "only the coupling of fr_hip_joint and fl_knee_joint"
NOTHING_BUT = "it depends on nothing but"
SAID: list[tuple[str, Change, tuple[str, ...], tuple[str, ...]]] = [
    (
        "bias_force",
        leg_squared,
        (
            "only rows of all joints of the limb from fr_abad on",
            "the error is quadratic in v",
            "it vanishes at rest",
            f"{NOTHING_BUT} the velocities of all joints of the limb from fr_abad on",
            "it is independent of gravity",
        ),
        ("linear", "same at all states"),
    ),
    (
        "bias_force",
        friction,
        ("only rows of fl_knee_joint", "the error is no polynomial of second degree in v", "it changes its sign with v"),
        ("is quadratic", "is linear", "the same for v and -v"),
    ),
    (
        "bias_force",
        constant,
        ("the difference is the same at all states", "the error does not depend on q or v", "it is independent of gravity"),
        ("vanishes", NOTHING_BUT),
    ),
    (
        "bias_force",
        under_gravity,
        (
            "only rows of fl_hip_joint",
            "the error is independent of v",
            f"{NOTHING_BUT} the positions of fl_hip_joint",
            "it is proportional to gravity",
        ),
        ("independent of gravity", "at rest"),
    ),
    ("bias_force", with_and_without_gravity, ("one part of it is proportional to gravity, another independent of it",), ()),
    (
        "bias_force",
        spring_and_damper,
        (
            "the error is a sum of parts that are independent of v and linear in v",
            f"{NOTHING_BUT} the positions of fl_abad_joint, the velocities of fl_abad_joint",
        ),
        ("vanishes", "quadratic"),
    ),
    ("bias_force", all_else, ("the error is linear in v", "only rows of fr_abad_joint"), (NOTHING_BUT,)),
    (
        "mass_matrix",
        above,
        (
            "the matrix is not symmetric: it is wrong above the diagonal alone",
            "only the coupling of fr_hip_joint and fl_knee_joint",
        ),
        ("only the diagonal", "still symmetric"),
    ),
    (
        "mass_matrix",
        below,
        (
            "the matrix is not symmetric: it is wrong below the diagonal alone",
            "only the coupling of fr_hip_joint and fl_knee_joint",
        ),
        ("only the diagonal", "still symmetric"),
    ),
    (
        "mass_matrix",
        of_the_base,
        ("only rows of the base trunk", "only the block of the base", "the matrix is still symmetric"),
        ("times the right ones",),
    ),
    (
        "mass_matrix",
        base_with_joints,
        (
            "only couplings of the base with joints",
            "only couplings, the diagonal is right",
            "the wrong entries are 0.5 times the right ones: a factor 1/2 too many",
        ),
        ("only the diagonal",),
    ),
    (
        "mass_matrix",
        of_one_leg,
        ("only the block of the limb from fl_abad on", f"the error {NOTHING_BUT[3:]} the positions of fl_hip_joint"),
        ("couplings",),
    ),
    (
        "forward_dynamics",
        lazy_motor,
        ("the error is independent of v", f"{NOTHING_BUT} the torques of fl_knee_joint", "it is independent of gravity"),
        ("at rest",),
    ),
    (
        "contact_positions",
        one_foot,
        ("only the points trunk_corner_3", f"{NOTHING_BUT} the positions of fr_abad_joint"),
        (),
    ),
]


@pytest.mark.parametrize(("quantity", "change", "true", "false"), SAID, ids=[change.__name__ for _, change, *_ in SAID])
def test_what_is_said_is_true_and_what_is_false_is_not_said(
    quantity: str, change: Change, true: tuple[str, ...], false: tuple[str, ...]
) -> None:
    said = clauses(quantity, change)
    assert [clause for clause in true if clause not in said] == [], said
    assert [words for words in false if any(words in clause for clause in said)] == [], said


def test_of_errors_near_rounding_nothing_is_said_that_rounding_could_say() -> None:
    def faint(_spec: RobotSpec, h: Floats, states: States) -> None:
        h[:, 11] += 1e-10 * states.v[:, 11] ** 2

    said = clauses("bias_force", faint)
    assert not any("depend" in clause or " in v" in clause or "gravity" in clause for clause in said), said


class OwnRobot(Odd):
    """Takes any robot and stays with its own."""

    def rebuild(self, _spec: RobotSpec) -> Odd:
        return self


def test_gravity_is_left_out_where_the_engine_heeds_no_robot() -> None:
    spec = load("mini_cheetah")
    seen = evidence(spec, OwnRobot(spec, constant), generated_states(spec, COUNT, 3, 0), ["bias_force"])
    assert "it does not depend on q or v" in clauses("bias_force", constant)[-3].replace("the error", "it")
    assert "gravity" not in pattern(seen, seen.deviating, "nothing")


def test_an_explained_error_costs_no_second_asking() -> None:
    spec, asked = load("mini_cheetah"), []

    def counted(_spec: RobotSpec, h: Floats, states: States) -> None:
        asked.append(len(states))
        h[:, 11] += 0.3

    seen = evidence(spec, Odd(spec, counted), generated_states(spec, COUNT, 3, 0), ["bias_force"])
    asked.clear()
    assert "depend" not in pattern(seen, seen.deviating)
    assert asked == []
    assert "depend" in pattern(seen, seen.deviating, "nothing")
    assert sum(asked) > COUNT


def test_what_a_known_part_leaves_is_described_without_that_part() -> None:
    def heavier(spec: RobotSpec) -> RobotSpec:
        return edit_bodies(lambda b: replace(b, inertia=p.heavier(b.inertia, 1.1)), {"forearm"})(spec)

    def damped(_name: str, h: Floats, states: States) -> Floats:
        h[:, 0] += 0.3 * states.v[:, 0]
        return h

    spec = load("two_link_arm")
    seen = evidence(spec, p.Planted(heavier(spec), outputs=damped), generated_states(spec, COUNT, 3, 0), ["bias_force"])
    known = Belief(seen, (model_fault("mass/forearm", "the forearm is too heavy", spec_edit=heavier),))
    left, whole = pattern(seen, ["bias_force"], "nothing", known), pattern(seen, ["bias_force"], "nothing")
    assert left.startswith("Left over: bias force h; largest")
    assert "Only rows of shoulder" in left
    assert "the error is linear in v; it vanishes at rest; it depends on nothing but the velocities of shoulder." in left
    assert "Only rows" not in whole
    assert "depends on nothing but" not in whole


def test_an_error_that_follows_the_contact_forces_alone() -> None:
    def at_one_foot(_spec: RobotSpec, tau: Floats, states: States) -> None:
        tau[:, 6] += 0.1 * np.abs(states.contact_forces[:, -1])

    said = clauses("inverse_dynamics_with_contacts", at_one_foot)
    assert any("it depends on nothing but the contact forces" in clause for clause in said)
