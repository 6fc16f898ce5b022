"""Scale-free errors: invariant under another choice of units, and never silent about what is no number."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import make_engine
from leapcheck.judge.evidence import evidence
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

pytestmark = pytest.mark.quick

ROUNDING = 4e-16  # of a root and two products: measured 2.2e-16


def test_m_is_scaled_by_the_roots_of_its_diagonal() -> None:
    M = np.array([[[4.0, 1.0], [1.0, 9.0]], [[1.0, 0.5], [0.5, 100.0]]])
    assert np.array_equal(scales("mass_matrix", M), [[[4.0, 6.0], [6.0, 9.0]], [[1.0, 10.0], [10.0, 100.0]]])


@pytest.mark.parametrize("quantity", [name for name in QUANTITIES if QUANTITIES[name].scale is Scale.LARGEST])
def test_the_rest_by_the_largest_entry_of_each_state(quantity: str) -> None:
    values = np.array([[1.0, -8.0, 0.5], [0.25, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert np.array_equal(scales(quantity, values), [[8.0], [0.25], [1.0]])  # nothing to divide by: absolute


def test_numbers_and_jacobians() -> None:
    assert np.array_equal(scales("kinetic_energy", np.array([-2.0, 0.0])), [2.0, 1.0])
    J = np.full((2, 4, 3, 6), 50.0)
    assert np.array_equal(np.broadcast_to(scales("contact_jacobians", J), J.shape), np.ones(J.shape))


def test_the_error_of_m_does_not_depend_on_the_units_of_its_dofs() -> None:
    spec = load("mini_cheetah")
    M = ReferenceEngine(spec).evaluate(generated_states(spec, 4, 0, 0), ("mass_matrix",))["mass_matrix"]
    off = M * (1.0 + 1e-6 * np.random.default_rng(0).normal(size=M.shape))
    units = 10.0 ** np.linspace(-6, 6, spec.nv)
    other, other_off = (units[:, None] * each * units for each in (M, off))
    error, other_error = (scale_free(b - a, scales("mass_matrix", a)) for a, b in ((M, off), (other, other_off)))
    assert error.max() > 5e-7
    assert np.abs(error - other_error).max() <= ROUNDING


def test_what_is_no_number_is_infinitely_wrong() -> None:
    assert np.array_equal(scale_free(np.array([np.nan, np.inf, -np.inf, -3.0]), np.array(2.0)), [np.inf, np.inf, np.inf, 1.5])


@pytest.mark.parametrize("quantity", ["frame_bias_accelerations", "frame_acceleration_derivative_q"])
def test_motions_that_vanish_are_as_coarse_as_what_they_are_made_of(quantity: str) -> None:
    """The origin of this robot's one link lies on its axis: what Pinocchio gives there is rounding alone, and no discrepancy."""
    spec = load("random:34")
    seen = evidence(spec, make_engine("pinocchio", spec), generated_states(spec, 64, 0, 0), (quantity,))
    assert seen.worst_error(quantity) > 0.0
    assert not seen.deviating
