"""What is said about errors that nothing explains: where they sit and what they grow with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.evidence import evidence
from leapcheck.judge.pattern import inertia_suspects, pattern, placement_suspects
from leapcheck.quantities import DEFAULT
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_models.spec import JointType, RobotSpec
from tests.harness.judge import planted_faults as p

CHEETAH = "mini_cheetah"
FLOATING = "random:30"  # one base, 10 dof: joints 1 to 4
FIXED = "random:29"  # two roots without a base: link_0; link_1 with link_2 on a slide

EXCLUDED = "tried and excluded: all else"

COUNT = 32
"""States of a block, all kinds among them."""


def said(robot: str, change: Callable[[Array, States], Array], quantities: Sequence[str], only: str = "") -> str:
    """The pattern of answers (to one quantity alone, if named) that are changed."""

    def off(_spec: RobotSpec, name: str, values: Array, states: States) -> Array:
        return change(values, states) if only in ("", name) else values

    spec = load(robot)
    at = evidence(spec, p.answering(off)(spec), generated_states(spec, COUNT, 3, 0), quantities)
    return pattern(at, at.deviating, EXCLUDED)


def at_rows(*rows: int) -> Callable[[Array, States], Array]:
    def change(values: Array, states: States) -> Array:
        values[:, list(rows)] += 0.1 * np.abs(states.v[:, list(rows)]) ** 1.5
        return values

    return change


def test_rows_link_and_states_of_an_unknown_error() -> None:
    """The two dofs of one root's tree are off at speed, by something that no model does."""
    text = said(FIXED, at_rows(1, 2), ("bias_force",))
    assert text.startswith("Largest at state ")
    assert " of largest entry of that state in [joint_" in text
    assert "2 of 3 entries are wrong. Only rows of joint_1, joint_2" in text
    assert "the link link_2 and its relatives are enough to account for them" in text
    assert "none in states of the kind rest" in text
    assert "it vanishes at rest" in text


@pytest.mark.parametrize(
    ("robot", "rows", "words"),
    [
        (CHEETAH, (7, 8), "only dofs of the subtree from FR_hip (FR_hip_joint) on"),
        (CHEETAH, (9, 10, 11), "Only rows of all joints of the limb from FL_abad on"),
        (CHEETAH, (9, 10, 11, 15, 16, 17), "Only rows of all joints of the left limbs (from FL_abad, HL_abad on)"),
        (CHEETAH, (8, 11), "Only rows of FR_knee_joint, FL_knee_joint"),
        (CHEETAH, (0, 1, 2, 3, 4, 5, 8), "Only rows of the base trunk and FR_knee_joint"),
        (FIXED, (2,), "only prismatic joints, and all of them"),
    ],
)
def test_what_the_wrong_rows_have_in_common(robot: str, rows: tuple[int, ...], words: str) -> None:
    spec = load(robot)
    assert any(body.joint.type is JointType.PRISMATIC for body in spec.bodies) == (robot == FIXED)
    assert words in re.split("[;.] ", said(robot, at_rows(*rows), ("bias_force",)))


def test_a_single_coupling_and_the_diagonal() -> None:
    def coupled(values: Array, _states: States) -> Array:
        values[:, 7, 8] += 0.01
        values[:, 8, 7] += 0.01
        return values

    text = said(FLOATING, coupled, ("mass_matrix",))
    assert "only the coupling of joint_2 and joint_3" in text, text
    assert "the difference is the same at all states" in text
    text = said(FLOATING, lambda x, _: x + 0.1 * np.eye(10), ("mass_matrix",))
    assert "Only the diagonal" in text
    text = said(FLOATING, lambda x, s: x + 0.1 * np.sin(s.q[:, :1, None]) * (1.0 - np.eye(10)), ("mass_matrix",))
    assert "Only couplings, the diagonal is right" in text


@pytest.mark.parametrize(
    ("added", "words"),
    [
        (lambda s: s.v, "the error is linear in v"),
        (lambda s: s.v**2, "the error is quadratic in v"),
        (lambda s: np.cos(s.q[:, :3]), "the error is independent of v"),
    ],
)
def test_the_power_of_the_velocities(added: Callable[[States], Array], words: str) -> None:
    text = said(FIXED, lambda x, s: x + added(s), ("bias_force",))
    assert words in text
    assert ("it vanishes at rest" in text) == ("independent" not in words)
    text = said(FIXED, lambda x, s: x + s.v + s.v**2, ("bias_force",))
    assert "the error is a sum of parts that are linear in v and quadratic in v" in text


def test_an_error_that_vanishes_with_the_base_upright_or_the_joints_at_zero() -> None:
    text = said(FLOATING, lambda x, s: x + s.q[:, 4, None, None] * np.eye(10), ("mass_matrix",))
    assert "the error vanishes with the base upright" in text
    assert "joints at zero" not in text
    text = said(FIXED, lambda x, s: x + np.sin(s.q).prod(axis=1)[:, None], ("gravity_force",))
    assert "the error vanishes with all joints at zero" in text
    assert "upright" not in text


def test_all_quantities_are_spoken_of_together() -> None:
    quantities = ("mass_matrix", "bias_force", "gravity_force", "contact_positions")
    text = said(FLOATING, lambda x, s: x + 1e-3 * s.v, quantities, only="bias_force")
    assert text.startswith("Off: bias force h; right: mass matrix M, gravity force, contact positions; largest at state")


def test_a_size_of_six_digits_is_remarked() -> None:
    text = said(FIXED, lambda x, _: x * (1.0 + 1e-7 * np.sin(x)), ("gravity_force",))
    assert "n error of this size is left by numbers written with six digits" in text


@pytest.mark.parametrize("quantity", DEFAULT)
def test_every_quantity_has_a_pattern(quantity: str) -> None:
    spec = load(FLOATING)
    engine = p.entrywise(lambda x: x * (1.0 + 1e-2 * np.sin(x)))(spec)
    at = evidence(spec, engine, generated_states(spec, COUNT, 3, 0), [quantity])
    assert pattern(at, at.deviating).startswith("Largest at state ")
    right = evidence(spec, ReferenceEngine(spec), generated_states(spec, COUNT, 3, 0), [quantity])
    assert pattern(right, right.deviating) == ""


def test_suspects_are_the_links_that_could_do_it() -> None:
    spec = load(CHEETAH)
    states = generated_states(spec, COUNT, 3, 0)
    names = [body.name for body in spec.bodies]

    def suspects(fault: p.Fault, quantity: str, of: Callable[..., list[int]]) -> list[str]:
        return [names[i] for i in of(evidence(spec, fault(spec), states, [quantity]), quantity)]

    heavier = p.with_inertia(lambda i: p.heavier(i, 1.3), "FL_hip")
    for quantity in ("mass_matrix", "bias_force", "forward_dynamics"):
        assert suspects(heavier, quantity, inertia_suspects) == ["FL_hip", "FL_knee"]
    moved = p.with_bodies(p.shifted, "HR_knee")
    assert suspects(moved, "contact_positions", placement_suspects)[0] == "HR_knee"
