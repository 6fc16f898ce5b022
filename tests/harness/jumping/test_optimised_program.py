"""The nonlinear program that jumps are optimised with: its sparse derivatives, and a problem with a published optimum."""

import casadi as ca
import numpy as np
import pytest

from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.optimised.body import body
from leapcheck.jumping.planning.optimised.coordinates import sagittal_coordinates, whole_coordinates
from leapcheck.jumping.planning.optimised.program import Program
from leapcheck_models.robots import load
from tests.harness.jumping.planner_robots import contact_point_jacobians

QUIET = {"ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-10}, "print_time": False}


def test_hock_and_schittkowski_71() -> None:
    """W. Hock, K. Schittkowski, Test Examples for Nonlinear Programming Codes, 1981, problem 71: optimum 17.0140173."""
    program = Program()
    x = program.unknowns(np.array([1.0, 5.0, 5.0, 1.0]), 1.0, 5.0, 2.0)
    y = ca.SX.sym("y", 4)
    program.minimise(y, y[0] * y[3] * (y[0] + y[1] + y[2]), x)
    program.minimise(y, y[2], x)
    program.require(y, y[0] * y[1] * y[2] * y[3], x, 25.0, np.inf)
    program.require(y, ca.sumsqr(y), x, 40.0, 40.0)
    values, report = program.solve(program.solver(QUIET))
    assert report["success"]
    np.testing.assert_allclose(values, [1.0, 4.7429994, 3.8211503, 1.3794082], atol=1e-6)


def test_derivatives_of_blocks_that_share_unknowns() -> None:
    program, rng = Program(), np.random.default_rng(3)
    x = program.unknowns(rng.normal(size=6), scale=3.0)
    y = ca.SX.sym("y", 3)
    places = np.array([[0, 1, 2], [2, 3, 0], [5, 4, 2]])
    program.minimise(y, ca.sin(y[0]) * y[1] * ca.exp(y[2]), x[places])
    program.require(y, ca.vertcat(y[0] * y[1] ** 2, ca.cos(y[1] * y[2])), x[places])
    solver = program.solver(QUIET)
    at, lam, way, step = rng.normal(size=6) / 3.0, rng.normal(size=6), rng.normal(size=6), 1e-6

    def gradient(x: np.ndarray) -> np.ndarray:
        of_f = np.array(solver.get_function("nlp_grad_f")(x, [])[1]).ravel()
        return of_f + (solver.get_function("nlp_jac_g")(x, [])[1].T @ lam).full().ravel()

    def lagrangian(x: np.ndarray) -> float:
        g, _ = solver.get_function("nlp_jac_g")(x, [])
        return float(solver.get_function("nlp_grad_f")(x, [])[0]) + float(lam @ np.array(g).ravel())

    H = solver.get_function("nlp_hess_l")(at, [], 1.0, lam).full()
    H += np.triu(H, 1).T
    np.testing.assert_allclose((gradient(at + step * way) - gradient(at - step * way)) / (2 * step), H @ way, rtol=1e-6)
    slope = (lagrangian(at + step * way) - lagrangian(at - step * way)) / (2 * step)
    assert slope == pytest.approx(gradient(at) @ way, rel=1e-7)


@pytest.mark.parametrize("make", [sagittal_coordinates, whole_coordinates])
def test_torques_and_slip_are_those_of_the_reference(make) -> None:
    """Rates of q by differences; forces and torques by the planner's NumPy kernels."""
    robot, rng, step = legged_robot(load("mini_cheetah"), 0.02), np.random.default_rng(7), 1e-5
    coordinates = make(robot)
    made = body(robot, coordinates)
    state = ca.Function("state", [made.z, made.zd, made.zdd], [made.q, made.v, made.vdot])
    z, zd, zdd = (part * rng.normal(size=coordinates.size) for part in (0.3, 2.0, 5.0))
    q, v, vdot = (np.array(rows).ravel() for rows in state(z, zd, zdd))
    (ahead, fast), (behind, slow) = (
        [np.array(rows).ravel() for rows in state(z + s * zd + s * s / 2 * zdd, zd + s * zdd, zdd)[:2]] for s in (step, -step)
    )
    np.testing.assert_allclose((fast - slow) / (2 * step), vdot, atol=1e-6)
    np.testing.assert_allclose((ahead - behind)[7:] / (2 * step), v[6:], atol=1e-6)
    force = rng.normal(size=made.force.numel())
    outputs = [made.torque, made.slip, made.loads]
    torque, slip, loads = (
        np.array(part) for part in ca.Function("out", [made.z, made.zd, made.zdd, made.force], outputs)(z, zd, zdd, force)
    )
    terms = robot.dynamics(q[None], v[None])
    J, forces = contact_point_jacobians(robot, q[None])[0], np.zeros((4, 3))
    for contact, feet in enumerate(coordinates.feet):
        forces[list(feet)] = loads[contact] * robot.mass * robot.gravity
    needed = terms["mass_matrix"][0] @ vdot + terms["bias_force"][0] - np.einsum("fij,fi->j", J, forces)
    np.testing.assert_allclose(torque.ravel(), needed[robot.joint_v], rtol=1e-10, atol=1e-10)
    first = [feet[0] for feet in coordinates.feet]
    np.testing.assert_allclose(slip.ravel(), ((J @ v)[first] @ coordinates.forces).ravel(), atol=1e-12)
