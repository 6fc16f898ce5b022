"""A tree of doubles is made once for a robot, and nobody can change it."""

from dataclasses import replace

import pytest

from leapcheck_models.robots import load
from leapcheck_reference.tree import build


def test_the_same_robot_has_the_same_tree_and_another_robot_another() -> None:
    spec = load("two_link_arm")
    tree = build(spec)
    assert build(load("two_link_arm")) is tree
    inertia = replace(spec.bodies[0].inertia, mass=2.0 * spec.bodies[0].inertia.mass)
    heavier = build(replace(spec, bodies=(replace(spec.bodies[0], inertia=inertia), *spec.bodies[1:])))
    assert heavier.links[0].inertia.mass == 2.0 * tree.links[0].inertia.mass


def test_the_arrays_of_a_tree_are_read_only() -> None:
    tree = build(load("mini_cheetah"))
    rotor = tree.links[1].rotor
    assert rotor is not None
    for array in (tree.gravity, tree.links[1].placement.R, rotor.inertia.I, tree.regrouped.links[0].mc, tree.points[0].position):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
