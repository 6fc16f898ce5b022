"""Laws of the in-house code on balls: as many bits as a robot needs, and a law that is broken is found at any number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import arb

from leapcheck.judge.identities.in_house import EXACT, EXACT_LAWS, BallPrecisions, BallStates, error_bounds, law_sides
from leapcheck.judge.truth import BITS
from leapcheck.sampling import generated_states
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, add_body

LINKS = 80
"""Of 66 links the balls of forward dynamics in 256 bits are as wide as what is allowed; of 99 they are 10^15."""


@pytest.fixture(scope="module")
def precise() -> BallPrecisions:
    spec = RobotSpec("chain")
    for i in range(LINKS):
        axis = tuple(np.eye(3)[i % 3].tolist())
        inertia = Inertia(0.5, (0.05, 0.01, 0.0), (1e-3, 0.0, 0.0, 2e-3, 0.0, 1.5e-3))
        joint = Joint(f"joint_{i}", JointType.REVOLUTE, axis)
        parent = {"parent": f"link_{i - 1}", "placement": Placement((0.1, 0.0, 0.0))} if i else {}
        spec = add_body(spec, f"link_{i}", joint=joint, inertia=inertia, **parent)
    return BallPrecisions(spec, generated_states(spec, 1, 0, 0))


def forward_and_inverse(states: BallStates) -> tuple[Any, Any]:
    return next(law for words, _, law in EXACT_LAWS if words.startswith("forward dynamics"))(states)


def test_a_long_chain_gets_the_bits_that_it_needs(precise: BallPrecisions) -> None:
    bits, sides = law_sides(precise, forward_and_inverse, EXACT)
    assert bits == 2 * BITS
    assert sides is not None
    assert error_bounds(*sides)[1] <= EXACT


def test_a_law_that_is_broken_by_little_is_found(precise: BallPrecisions) -> None:
    def broken(states: BallStates) -> tuple[Any, Any]:
        left, right = forward_and_inverse(states)
        return left, right + arb(1e-25)

    _, sides = law_sides(precise, broken, EXACT)
    assert sides is not None
    lower, upper = error_bounds(*sides)
    assert EXACT < lower <= upper < 1e-24


def test_what_no_bits_decide_is_left_out(precise: BallPrecisions) -> None:
    unknown = np.array([[arb(0.0, 1.0)]])
    assert law_sides(precise, lambda states: (unknown, unknown), EXACT)[1] is None
