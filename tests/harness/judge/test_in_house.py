"""In-house values by a comparison's programs are those of the readable code, in all their entries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.draws import PerturbedRobot, readable_rows, state_factors
from leapcheck.judge.in_house import InHouseAnswers, distinct
from leapcheck.quantities import CORE, DEFAULT
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States, generated_states, join_states
from leapcheck_models.robots import load

ROUNDING = 2.0  # largest difference of values in units of the expected rounding; measured worst 1.0


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:2", "two_link_arm"])
def test_programs_and_readable_code_give_the_same(robot: str) -> None:
    spec = load(robot)
    states = generated_states(spec, 16, 0, 0)[:6]
    sides = [portion.in_house for portion in make_engine_set(spec, ["reference"], DEFAULT, False).portions]
    fast = InHouseAnswers(spec, sides).evaluate(dict.fromkeys(DEFAULT, states))
    readable = ReferenceEngine(spec).evaluate(states, DEFAULT)
    assert fast.keys() == set(DEFAULT)
    for name, (values, rounding) in fast.items():
        assert values.shape == readable[name].shape
        error = scale_free(values - readable[name], scales(name, readable[name])).reshape(len(states), -1)
        assert (error.max(axis=1) <= ROUNDING * rounding).all()


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:2", "two_link_arm"])
def test_both_perturb_in_the_same_way(robot: str) -> None:
    """Most units are the same to the last bit; with other draws the median differs by 18 % and more."""
    spec = load(robot)
    states = generated_states(spec, 16, 0, 0)[:6]
    programs = InHouseAnswers(spec).evaluate(dict.fromkeys(CORE, states))
    readable = PerturbedRobot(spec, states, readable_rows(spec, reference.build(spec)), state_factors(spec))
    assert np.median([programs[name].rounding / readable.rounding(name) for name in CORE]) == 1.0


def test_each_quantity_has_its_own_states() -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 16, 0, 0)
    sides = [portion.in_house for portion in make_engine_set(spec, ["reference"], ("mass_matrix", "bias_force"), False).portions]
    states_of = {"bias_force": states[3:5], "mass_matrix": states[:4], "kinetic_energy": states[7:9]}
    answers = InHouseAnswers(spec, sides).evaluate(states_of)
    for name, own in states_of.items():
        readable = ReferenceEngine(spec).evaluate(own, (name,))[name]
        assert np.allclose(answers[name].values, readable, rtol=1e-13, atol=1e-13)
        assert answers[name].rounding.shape == (len(own),)


def test_states_that_repeat_are_taken_once() -> None:
    states = generated_states(load("two_link_arm"), 16, 0, 0)[:3]
    tired = replace(states, v=2.0 * states.v)
    many = join_states([states, tired, states])
    once, rows = distinct(many)
    assert len(once) == 6
    for part in ("q", "v", "tau", "index"):
        assert np.array_equal(getattr(once, part)[rows], getattr(many, part))
    assert isinstance(once, States)
