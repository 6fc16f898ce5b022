"""The studies of rigid contact: the exact solution, and the own solver against Pinocchio's over whole jumps."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.jumping.planning.stance import push
from leapcheck.simulators.pinocchio.simulator import PinocchioSimulator
from leapcheck_evidence.studies import exact_solution, rigid_solvers
from leapcheck_models.robots import load
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator

WHOLE_JUMP = 1e-11
"""Largest difference of a coordinate over a whole jump; measured 1.4e-13."""

AFTER_ONE, AFTER_TWO = 2e-5, 2e-6
"""Relative errors of the take-off speed after Richardson's steps down to 0.5 ms; measured 1.05e-5 and 1.07e-6."""


def test_the_rigid_stepper_tends_to_the_exact_solution() -> None:
    plan = exact_solution.exact(load("mini_cheetah"))
    ends = np.array([exact_solution.take_off(plan, dt) for dt in exact_solution.STEPS[:4]])
    order = exact_solution.orders(ends[:, 2], plan.velocity)
    once, twice = exact_solution.errors(ends[:, 2], plan.velocity)
    assert ((order > 0.95) & (order < 1.05)).all()
    assert once < AFTER_ONE
    assert twice < AFTER_TWO


def test_the_force_on_the_ground_is_the_planned_one() -> None:
    """m (g + a) to the order of the step, all the way, and no foot slides or lifts."""
    plan = exact_solution.exact(load("mini_cheetah"))
    dt = 2.5e-4
    ticks = dt * np.arange(round(exact_solution.DURATION / dt), dtype=float)
    motion = push(plan.robot, plan.start, np.array([0, 0, plan.velocity]), exact_solution.DURATION).at(ticks)
    simulator = RigidSimulator(Plant(plan.spec, smallest_radius=0.0), dt)
    simulator.start(plan.start, np.zeros(18))
    weight = plan.spec.total_mass * (plan.robot.gravity + plan.acceleration)
    for torque in motion.torque:
        simulator.step(torque)
        assert abs(simulator.forces[:, 2].sum() / weight - 1.0) < 0.01
        assert (simulator.forces[:, 2] > 0.0).sum() == 4
    assert abs(simulator.v[1]) < 2e-3


def test_a_whole_sliding_jump_is_the_same_with_admm() -> None:
    case = rigid_solvers.CASES[1]
    spec = load("mini_cheetah")
    own = rigid_solvers.jump(spec, RigidSimulator(Plant(spec), rigid_solvers.DT, case.friction), case)
    theirs = rigid_solvers.jump(spec, PinocchioSimulator(spec, rigid_solvers.DT, case.friction), case)
    assert rigid_solvers.difference(own, theirs) < WHOLE_JUMP
    assert (own.forces[..., 2].sum(axis=1) == 0.0).sum() * rigid_solvers.DT > 0.35  # it has flown
    assert own.q[-1, 2] > 0.25  # and stands again
    assert rigid_solvers.sliding(own, case) > 20


@pytest.mark.slow
def test_the_rows_are_met() -> None:
    rows = exact_solution.rows() + rigid_solvers.rows()
    assert [row.what for row in rows if not row.met] == []
