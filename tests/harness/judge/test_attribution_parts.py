"""The parts of the attribution: every kind of change, its rate, and how a fitted change moves other trees."""

from __future__ import annotations

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.judge.attribution.blocks import blocks_of
from leapcheck.judge.attribution.descent import Fit, descend, solution
from leapcheck.judge.attribution.moves import MOVES, central, com
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.tree_change import change
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.parametric import Part, numbers, places
from leapcheck_reference.tree import Tree
from tests.harness.judge import planted_parameters as p

STEP, CLOSE = 1e-5, 1e-8
"""Step of a central difference, and how far it may be from a rate, relative to the larger: measured 2e-10."""


def robot(name: str = "random:30") -> tuple[Tree, dict[str, Parameter]]:
    """A tree and its parameters by name, those of blocks among them."""
    spec = p.robot(name)
    tree = reference.build(spec)
    single = parameters(spec, tree)
    of_blocks = [parameter for block in blocks_of(spec, tree, single) for parameter in block.parameters]
    return tree, {parameter.name: parameter for parameter in (*single, *of_blocks)}


def named(found: dict[str, Parameter], kind: str) -> list[Parameter]:
    return [parameter for parameter in found.values() if parameter.kind == kind]


@pytest.mark.parametrize("kind", MOVES)
def test_rates_are_those_of_the_changes(kind: str) -> None:
    tree, found = robot()
    x = numbers(tree)
    for parameter in named(found, kind):
        at = parameter.apply(x, 0.2)
        difference = (parameter.apply(at, STEP) - parameter.apply(at, -STEP)) / (2.0 * STEP)
        rate = parameter.rate(at)
        assert np.abs(difference - rate).max() < CLOSE * max(1.0, np.abs(rate).max()), parameter.name


@pytest.mark.parametrize("kind", MOVES)
def test_one_change_after_another_is_one_change(kind: str) -> None:
    tree, found = robot()
    x = numbers(tree)
    for parameter in named(found, kind):
        twice = parameter.apply(parameter.apply(x, 0.3), -0.7)
        np.testing.assert_allclose(twice, parameter.apply(x, parameter.combined_amount(0.3, -0.7)), rtol=1e-12, atol=1e-12)


def test_a_change_leaves_what_it_should() -> None:
    """Mass and com at the same rotational inertia about the com; a turned inertia has the same moments, mass and com."""
    tree, found = robot()
    x = numbers(tree)
    place = places(tree)[Part("inertia", 3)]
    heavier, moved, turned = (found[f"{kind}/link_3"].apply(x, 0.5)[place] for kind in ("mass", "com-y", "turned-inertia-x"))
    before = x[place]
    np.testing.assert_allclose([heavier[0], *com(heavier)], [before[0] + 0.5, *com(before)], rtol=1e-14)
    np.testing.assert_allclose(com(moved) - com(before), [0.0, 0.5, 0.0], atol=1e-15)
    for same in (heavier, moved):
        np.testing.assert_allclose(central(same), central(before), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.linalg.eigvalsh(central(turned)), np.linalg.eigvalsh(central(before)), rtol=1e-12)
    np.testing.assert_array_equal(turned[:4], before[:4])


def test_every_number_that_shows_can_be_moved() -> None:
    """By some single parameter: but not rotations, of which only turns are left."""
    tree, found = robot("random:29")
    x = numbers(tree)
    reached = sum(parameter.apply(x, 0.1) != x for parameter in found.values())
    hidden = {part for part, place in places(tree).items() if not np.any(np.asarray(reached)[place])}
    assert hidden == set()


def test_a_change_moves_another_tree_as_much() -> None:
    """Numbers are added to, turns multiplied; a tree without the part is left as it is."""
    tree, found = robot()
    x = numbers(tree)
    after = found["turn-x/joint_4"].apply(found["mass/link_3"].apply(x, 0.5), 0.3)
    moved = change(tree, x, after)
    np.testing.assert_array_equal(numbers(moved(tree)), after)
    other = change(tree, x, found["turn-y/joint_4"].apply(found["mass/link_3"].apply(x, 1.0), 1.0))(tree)
    both = numbers(moved(other))
    expected = found["turn-x/joint_4"].apply(numbers(other), 0.3)
    np.testing.assert_allclose(both[places(tree)[Part("placement", 4)]], expected[places(tree)[Part("placement", 4)]], atol=1e-15)
    assert both[places(tree)[Part("inertia", 3)]][0] == pytest.approx(x[places(tree)[Part("inertia", 3)]][0] + 1.5)
    alone, _ = robot("random:29")
    small = change(tree, x, found["place-z/joint_4"].apply(x, 1.0))(alone)
    np.testing.assert_array_equal(numbers(small), numbers(alone))


def test_a_step_is_of_least_norm_and_says_what_shows() -> None:
    columns = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1e-6, 0.0]])
    step, rank = solution(columns, np.array([4.0, 3e-6, 0.0]))
    np.testing.assert_allclose(step, [2.0, 1.0, 3.0], rtol=1e-12)
    assert rank == 2
    step, _ = solution(columns, np.array([np.nan, 0.0, 0.0]))
    np.testing.assert_array_equal(step, np.zeros(3))


class Flat:
    """A problem whose residual is -atan x: a full step from beyond 1.39 goes further away than it came from."""

    def linearize(self, X: Floats, _rates: Floats) -> tuple[Floats, Floats]:
        return -1e3 * np.arctan(X), 1e3 / (1.0 + X**2)


def test_a_step_that_is_too_long_is_halved() -> None:
    x = Parameter("x", "gear", "x", Part("gear", 0), slice(0, 1), (1.0,))
    (fit,) = descend(Flat(), [Fit((x,), np.array([2.0]), np.array([0.0]))])
    np.testing.assert_allclose([*fit.x, *fit.amounts], [0.0, -2.0], atol=1e-3)


class Hopeless:
    """A problem that no step brings nearer."""

    def linearize(self, X: Floats, _rates: Floats) -> tuple[Floats, Floats]:
        return 1e3 * np.hstack([np.ones_like(X), X]), 1e3 * np.hstack([np.zeros_like(X), -np.ones_like(X)])


def test_what_cannot_be_explained_is_given_up() -> None:
    x = Parameter("x", "gear", "x", Part("gear", 0), slice(0, 1), (1.0,))
    assert descend(Hopeless(), [Fit((x,), np.array([5.0]), np.array([0.0]))]) == []
