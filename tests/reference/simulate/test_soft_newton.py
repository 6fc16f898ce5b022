"""The contact solver finds the minimum of a convex function that is written down here anew, from any start."""

import json
from pathlib import Path

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.soft_newton import FREE, HELD, SLIDING, minimiser, row_pull
from leapcheck_reference.simulate.soft_rows import Cone, SoftRows

NV = 10
SEEDS = range(40)
GRADIENT = 1e-17  # of the sum of the absolute terms that J x and M x are made of; largest seen 6e-19
SAME = 2e-13  # minima from different starts, relative; largest seen 2.4e-14
CYCLED_GRADIENT = 1e-12  # of the forces of the case that cycled; 5e-14
CYCLING = Path(__file__).with_name("cycling_contact.json")
STEP = 1e-6
DIFFERENCE = 1e-7  # of central differences with that step, relative; largest seen 5e-9


def problem(seed: int) -> tuple[Floats, Floats, SoftRows]:
    """M, x0 and rows: four one-sided boxes, two with dry friction, three cones."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((NV, NV))
    lower = np.array([0.0, 0.0, 0.0, 0.0, -0.3, -0.3])
    upper = np.array([np.inf, np.inf, np.inf, np.inf, 0.3, 0.3])
    cones = [
        Cone(i, normal, normal * ratio, friction / np.sqrt(ratio), friction)
        for i, (normal, ratio, friction) in enumerate([(10.0, 1.0, 0.7), (100.0, 10.0, 0.05), (1000.0, 100.0, 0.8)])
    ]
    rows = SoftRows(
        J=rng.standard_normal((6 + 9, NV)),
        aref=10.0 * rng.standard_normal(6 + 9),
        D=10.0 ** rng.uniform(-1, 3, 6),
        lower=lower,
        upper=upper,
        cones=cones,
        edged=[],
        stopped=np.empty(0, dtype=np.intp),
    )
    return A @ A.T + 0.1 * np.eye(NV), 10.0 * rng.standard_normal(NV), rows


def cost(rows: SoftRows, j: Floats) -> float:
    """s(j), row by row as in MuJoCo's documentation."""
    total = 0.0
    for D, value, low, high in zip(rows.D, j, rows.lower, rows.upper, strict=False):
        if low == 0.0:
            total += 0.5 * D * value**2 if value < 0.0 else 0.0
        else:
            total += 0.5 * D * value**2 if abs(value) < high / D else high * abs(value) - 0.5 * high**2 / D
    for i, cone in enumerate(rows.cones):
        normal, *tangent = j[len(rows.D) + 3 * i : len(rows.D) + 3 * i + 3]
        N, T, mu = cone.mu * normal, cone.friction * np.hypot(*tangent), cone.mu
        if mu * T <= N:
            continue
        if mu * N + T <= 0.0:
            total += 0.5 * cone.normal * normal**2 + 0.5 * cone.tangent * np.hypot(*tangent) ** 2
        else:
            total += 0.5 * cone.normal / (mu**2 * (1.0 + mu**2)) * (N - mu * T) ** 2
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_at_the_minimum_motion_and_constraints_agree(seed: int) -> None:
    M, x0, rows = problem(seed)
    x, forces = minimiser(M, x0, rows)
    stiffness = np.concatenate([rows.D, *([cone.tangent] * 3 for cone in rows.cones)])
    terms = np.abs(M) @ (np.abs(x) + np.abs(x0))
    terms += np.abs(rows.J).T @ (stiffness * (np.abs(rows.J) @ np.abs(x) + np.abs(rows.aref)))
    assert (np.abs(M @ (x - x0) - forces @ rows.J) <= GRADIENT * terms).all()
    for i, cone in enumerate(rows.cones):
        normal, *tangent = forces[6 + 3 * i : 9 + 3 * i]
        assert normal >= 0.0
        assert np.hypot(*tangent) <= cone.friction * normal * (1.0 + 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_start_leads_to_the_same_minimum(seed: int) -> None:
    M, x0, rows = problem(seed)
    x, _ = minimiser(M, x0, rows)
    for warm in (x, np.zeros(NV), 100.0 * np.random.default_rng(seed).standard_normal(NV)):
        again, _ = minimiser(M, x0, rows, warm)
        assert np.abs(again - x).max() <= SAME * np.abs(x).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_neighbour_costs_less(seed: int) -> None:
    M, x0, rows = problem(seed)
    x, _ = minimiser(M, x0, rows)

    def whole(y: Floats) -> float:
        return float(0.5 * (y - x0) @ M @ (y - x0) + cost(rows, rows.J @ y - rows.aref))

    lowest = whole(x)
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-2, 1.0, 100.0):
        for _ in range(5):
            assert whole(x + size * rng.standard_normal(NV)) > lowest


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_and_curvatures_are_the_cost_s_derivatives(seed: int) -> None:
    _, _, rows = problem(seed)
    j = 3.0 * np.random.default_rng(seed).standard_normal(15)
    pull = row_pull(rows, j)
    curvature = np.zeros((15, 15))
    curvature[:6, :6] = np.diag(np.where(pull.between_bounds, rows.D, 0.0))
    for i, block in enumerate(pull.curvatures):
        curvature[6 + 3 * i : 9 + 3 * i, 6 + 3 * i : 9 + 3 * i] = block
    for i, e in enumerate(STEP * np.eye(15)):
        slope = (cost(rows, j + e) - cost(rows, j - e)) / (2.0 * STEP)
        assert -slope == pytest.approx(pull.forces[i], abs=DIFFERENCE * np.abs(pull.forces).max())
        bend = (row_pull(rows, j + e).forces - row_pull(rows, j - e).forces) / (2.0 * STEP)
        np.testing.assert_allclose(-bend, curvature[i], atol=DIFFERENCE * np.abs(curvature).max())


def test_the_problems_meet_every_zone() -> None:
    zones = set()
    sides = set()
    for seed in SEEDS:
        M, x0, rows = problem(seed)
        x, _ = minimiser(M, x0, rows)
        pull = row_pull(rows, rows.J @ x - rows.aref)
        zones |= set(pull.zones)
        sides |= set(pull.sides.tolist())
    assert zones == {FREE, HELD, SLIDING}
    assert sides == {-1, 0, 1}


def test_short_steps_that_go_round_and_round_are_left_for_a_line_search() -> None:
    """Two feet of a Mini Cheetah that stop sliding, 0.4 s after touch-down: each full step was short, and none led further."""
    case = json.loads(CYCLING.read_text())
    M, x0, J, aref, warm = (np.array(case[name]) for name in ("M", "x0", "J", "aref", "warm"))
    none = np.empty(0)
    rows = SoftRows(J, aref, none, none, none, [Cone(**cone) for cone in case["cones"]], [], none.astype(np.intp))
    x, forces = minimiser(M, x0, rows, warm)
    assert np.abs(M @ (x - x0) - forces @ J).max() <= CYCLED_GRADIENT * np.abs(forces @ J).max()
    assert np.abs(minimiser(M, x0, rows)[0] - x).max() <= SAME * np.abs(x).max()


def test_a_mass_matrix_that_is_none_is_refused() -> None:
    M, x0, rows = problem(0)
    with pytest.raises(ArithmeticError, match="not positive definite"):
        minimiser(-M, x0, rows)
