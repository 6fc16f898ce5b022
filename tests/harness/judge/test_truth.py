"""The truth against exact rationals and against the in-house values in double; and who is wrong by it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.truth import truth
from leapcheck.quantities import DEFAULT
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import STATE_PARTS, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import Inertia

# Worst over three robots, 12 states of all kinds each, scale-free: 1.1e-14 for forward dynamics, 2.9e-15 for all others.
DOUBLE = 1e-13


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:30", "random:29"])
@pytest.mark.parametrize("quantity", DEFAULT)
def test_truth_is_near_the_in_house_values_in_double(robot: str, quantity: str) -> None:
    spec = load(robot)
    states = generated_states(spec, 16, 1, 0)[4:]
    values = ReferenceEngine(spec).evaluate(states, (quantity,))[quantity]
    true = np.array(
        [truth(spec, quantity, *state) for state in zip(*(getattr(states, part) for part in STATE_PARTS), strict=True)]
    )
    assert true.shape == values.shape
    assert scale_free(values - true, scales(quantity, true)).max(initial=0.0) <= DOUBLE


def test_truth_is_the_nearest_double_of_an_exact_rational() -> None:
    """The stretched two-link arm (links along x, axes along -y), its M in fractions of integers."""
    spec = load("two_link_arm")
    first, second = (body.inertia for body in spec.bodies)
    m1, c1, I1 = (Fraction(x) for x in (first.mass, first.com[0], first.rotational[3]))
    m2, c2, I2 = (Fraction(x) for x in (second.mass, second.com[0], second.rotational[3]))
    l = Fraction(spec.bodies[1].placement.p[0])
    M22 = I2 + m2 * c2**2
    M12 = M22 + m2 * l * c2
    M11 = I1 + m1 * c1**2 + M22 + m2 * l**2 + 2 * m2 * l * c2
    M = truth(spec, "mass_matrix", [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    assert M.tolist() == [[float(M11), float(M12)], [float(M12), float(M22)]]


def test_a_long_chain_gets_the_precision_that_it_needs() -> None:
    """The balls of its forward dynamics grow with each link, beyond 256 bits from the 40th or so."""
    arm = load("two_link_arm")
    first, last = (replace(body, rotor=None) for body in arm.bodies)
    links = [first]
    for k in range(60):
        links.append(replace(last, name=f"link_{k}", parent=links[-1].name, joint=replace(last.joint, name=f"joint_{k}")))
    chain = replace(arm, bodies=tuple(links), contact_points=(), actuators=(), poses=())
    q, tau = np.linspace(0.1, 2.0, chain.nq), np.ones(chain.nv)
    vdot = truth(chain, "forward_dynamics", q, 0.0 * tau, tau)
    M, h = (truth(chain, name, q, 0.0 * tau, tau) for name in ("mass_matrix", "gravity_force"))
    assert np.abs(M @ vdot + h - tau).max() < 1e-12 * np.abs(M @ np.abs(vdot)).max()


def test_a_singular_state_has_no_truth() -> None:
    spec = load("two_link_arm")
    last = replace(spec.bodies[1], inertia=Inertia(0.0), rotor=None)
    massless = replace(spec, bodies=(spec.bodies[0], last))
    with pytest.raises(ArithmeticError, match="forward_dynamics is not known to 30 digits"):
        truth(massless, "forward_dynamics", [0.0, 1.0], [0.0, 0.0], [1.0, 1.0])
