"""Quantities as functions of all numbers of a robot: held against the algorithms, and their rates against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import leapcheck_reference as reference
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.trace.parametric import ARGUMENTS, Part, numbers, places, values, values_and_rates, with_numbers
from leapcheck_reference.tree import Tree

ROBOTS = ("random:30", "random:29", "random:20")
"""A base with a rotor and armature; two roots with a rotor and tilted gravity; a ball joint and links fixed to others."""

ROTORLESS = ("cinert", "crb", "cdof", "mujoco_mass_matrix")
"""Quantities that are asked of robots with rotors as bodies."""

COUNT = 12

EXACT = 1e-14
"""Largest difference of the values, in the largest of each quantity: measured 4e-16."""

STEP = 1e-6
DIFFERENCE = 2e-8
"""Largest difference of the rates from central differences, in the largest rate: measured 8e-10."""
SOLVED, CURVED = ("constrained_forward_dynamics",), 50.0
"""Accelerations of light links curve more: measured 2e-7."""


def robot(name: str, quantity: str) -> tuple[RobotSpec, States]:
    spec = with_rotor_bodies(load(name)).spec if quantity in ROTORLESS else load(name)
    return spec, generated_states(spec, COUNT, 1, 0)


def direct(spec: RobotSpec, x: Floats, quantity: str, states: States) -> Floats:
    """The quantity by the algorithm itself, of the tree with other numbers."""
    tree = with_numbers(reference.build(spec), x)
    return evaluate_batch(getattr(reference, quantity), tree, *(getattr(states, name) for name in ARGUMENTS[quantity]))


def another_robot(tree: Tree, rng: np.random.Generator) -> Floats:
    """Other numbers throughout: placements turned, axes tilted, all else off by some per cent."""
    x = numbers(tree)
    for part, place in places(tree).items():
        if part.kind == "placement":
            turn = Rotation.from_rotvec(rng.standard_normal(3)).as_matrix()
            x[place][:9] = (turn @ x[place][:9].reshape(3, 3)).ravel()
        elif part.kind == "axis":
            x[place] += 0.3 * rng.standard_normal(3)
            x[place] /= np.linalg.norm(x[place])
        else:
            x[place] *= 1.0 + 0.03 * rng.standard_normal(len(x[place]))
    return x


def off(found: Floats, right: Floats) -> float:
    return float(np.abs(found - right).max(initial=0.0) / (np.abs(right).max(initial=0.0) or 1.0))


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        pytest.param(name, quantity, marks=[] if (i - j) % len(ROBOTS) < 2 else pytest.mark.slow)  # each quantity of two robots
        for i, quantity in enumerate(ARGUMENTS)
        for j, name in enumerate(ROBOTS)
    ],
)
def test_values_and_rates_are_those_of_the_algorithm(name: str, quantity: str) -> None:
    """For a robot whose every number is another one than those of the tree that is given."""
    spec, states = robot(name, quantity)
    tree = reference.build(spec)
    rng = np.random.default_rng(3)
    x = another_robot(tree, rng)
    rates = rng.standard_normal(x.shape) * (np.abs(x) + 0.1)
    rows, moving = np.tile(x, (COUNT, 1)), np.tile(rates, (COUNT, 1))
    at = states.q, states.v, states.tau, states.vdot
    value, rate = values_and_rates(tree, quantity, rows, moving, *at)
    assert off(value, direct(spec, x, quantity, states)) < EXACT
    np.testing.assert_array_equal(values(tree, quantity, rows, *at), value)
    after, before = (values(tree, quantity, rows + sign * STEP * moving, *at) for sign in (1.0, -1.0))
    assert off(rate, (after - before) / (2.0 * STEP)) < DIFFERENCE * (CURVED if quantity in SOLVED else 1.0)


def test_rows_are_robots_of_their_own() -> None:
    spec, states = robot(ROBOTS[0], "mass_matrix")
    tree = reference.build(spec)
    x = numbers(tree)
    heavier = x.copy()
    heavier[places(tree)[Part("inertia", 2)]] *= 2.0
    found = values(tree, "mass_matrix", np.array([x, heavier]), states.q[:2], states.v[:2])
    assert off(found[0], direct(spec, x, "mass_matrix", states)[0]) < EXACT
    assert off(found[1], direct(spec, heavier, "mass_matrix", states)[1]) < EXACT


@pytest.mark.parametrize("name", [*ROBOTS, "mini_cheetah"])
def test_numbers_go_round_and_every_one_has_a_place(name: str) -> None:
    tree = reference.build(load(name))
    x = numbers(tree)
    taken = np.concatenate([np.arange(place.start, place.stop) for place in places(tree).values()])
    np.testing.assert_array_equal(np.sort(taken), np.arange(len(x)))
    other = x + np.arange(len(x))
    np.testing.assert_array_equal(numbers(with_numbers(tree, other)), other)


def test_a_rotor_spins_when_its_numbers_are_others() -> None:
    """One that looks the same at every angle is left unturned by the algorithms: no longer with its com off the axis."""
    tree = reference.build(load("mini_cheetah"))
    i = next(i for i, link in enumerate(tree.links) if link.rotor and not link.rotor.spins)
    x = numbers(tree)
    same = with_numbers(tree, x).links[i].rotor
    x[places(tree)[Part("inertia", i, rotor=True)].start + 1] += 1e-3
    moved = with_numbers(tree, x).links[i].rotor
    assert same is not None
    assert moved is not None
    assert (same.spins, moved.spins) == (False, True)


def test_a_missing_velocity_is_an_error() -> None:
    spec, states = robot(ROBOTS[1], "bias_force")
    tree = reference.build(spec)
    with pytest.raises(ValueError, match="bias_force needs v"):
        values(tree, "bias_force", np.tile(numbers(tree), (COUNT, 1)), states.q)
