"""Parts of a robot by the whole robot's programs: the values that the readable code gives for the part alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.judge.draws import draws_of
from leapcheck.judge.edits import edit_bodies, subtree
from leapcheck.judge.evidence import in_rotor_coordinates, worst_errors
from leapcheck.judge.robot_rows import value
from leapcheck.judge.shrinking.models import part_of
from leapcheck.judge.shrinking.parts import WholeRobot, robot_in_whole
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec

CLOSE = 1.0  # in units of what rounding explains; measured worst 0.007
ROBOTS = ("mini_cheetah", "random:20", "random:27", "tree4_5")


def parts(spec: RobotSpec) -> list[RobotSpec]:
    """Subtrees alone, the robot without each, and one with less in it."""
    names = [body.name for body in spec.bodies]
    cuts = [subtree(spec, name) for name in (names[1], names[-1], names[len(names) // 2])]
    alone = [part_of(spec, cut) for cut in cuts]
    rest = [part_of(spec, [name for name in names if name not in cut]) for cut in cuts]
    bare = edit_bodies(lambda body: replace(body, rotor=None, joint=replace(body.joint, armature=0.0)), names[::2])(spec)
    return [part for part in (*alone, *rest, replace(bare, gravity=(0.0, 0.1, -9.81))) if part.nv]


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_part_has_the_values_that_it_has_alone(robot: str) -> None:
    whole = load(robot)
    for part in parts(whole):
        states = generated_states(part, 4, 1, 0)
        for quantity, row in ((name, QUANTITIES[name]) for name in DEFAULT):
            own = with_rotor_bodies(part).spec if row.in_mujoco_coordinates else part
            read = in_rotor_coordinates(part, states) if row.in_mujoco_coordinates else states
            expected = value(quantity, reference.build(own), read)
            robot = robot_in_whole(whole, part, quantity)
            found = robot.rows([read]).pair(quantity)[0]
            assert found.shape == expected.shape
            error = worst_errors(quantity, found, expected) / robot.draws(read).allowed_error(quantity)
            assert error.max(initial=0.0) <= CLOSE, (part.bodies[0].name, quantity)


def test_its_rounding_is_that_of_the_part_alone() -> None:
    whole = load("mini_cheetah")
    part = part_of(whole, subtree(whole, "FR_abad"))
    states, tree = generated_states(part, 16, 1, 0), reference.build(part)
    for quantity in ("mass_matrix", "bias_force", "contact_positions"):
        robot = robot_in_whole(whole, part, quantity)
        ratio = robot.draws(states).rounding(quantity) / draws_of(part, tree, states).rounding(quantity)
        assert 0.2 < np.median(ratio) < 5.0


def test_what_is_no_part_is_none() -> None:
    spec = load("mini_cheetah")
    whole = WholeRobot(spec)
    knee = spec.body_index("FR_knee")
    other = replace(spec.bodies[knee], parent="FR_abad")
    renamed = replace(spec.bodies[knee], name="other", parent="FR_hip")
    sliding = replace(spec.bodies[knee], joint=replace(spec.bodies[knee].joint, type=JointType.PRISMATIC), rotor=None)
    assert whole.part(spec) is not None
    for body in (other, renamed, sliding):
        bodies = tuple(body if i == knee else old for i, old in enumerate(spec.bodies))
        assert whole.part(replace(spec, bodies=bodies, contact_points=())) is None
