from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference import (
    centroidal_momentum,
    centroidal_momentum_matrix,
    com_position,
    forward_dynamics,
    kinetic_energy,
    potential_energy,
)
from leapcheck_reference.energy import total_mass
from tests.reference.generic_states import Case, case, derivative, rate, relative
from tests.reference.world_bodies import com_position as bodies_com
from tests.reference.world_bodies import potential_energy as bodies_potential_energy

pytestmark = pytest.mark.quick

ROUNDING = 3e-13  # of the largest entry; measured worst 2.5e-14
POWER = 1e-13  # of the sum of the powers' sizes; measured worst 6.8e-15
FREE = ["mini_cheetah", "mini_cheetah_armature", "box", "falling_rod", "random:2", "random:19", "random:20"]  # one free root
UNGEARED = ["box", "falling_rod", "random:2", "random:19", "random:20", "mini_cheetah"]


def test_potential_energy_is_the_bodies(case: Case) -> None:
    expected = bodies_potential_energy(case.spec, case.q)
    assert relative(potential_energy(case.tree, case.q), expected) <= ROUNDING


def test_com_and_mass_are_the_bodies(case: Case) -> None:
    assert total_mass(case.tree) == pytest.approx(case.spec.total_mass, rel=ROUNDING)
    assert relative(com_position(case.tree, case.q), bodies_com(case.spec, case.q)) <= ROUNDING


def test_energy_changes_by_the_power_of_tau(case: Case) -> None:
    """d(T + U)/dt = v . tau along the motion that forward dynamics gives."""
    vdot = forward_dynamics(case.tree, case.q, case.v, case.tau)
    qdot = rate(case.spec, case.q, case.v)
    kinetic = derivative(lambda q, v: kinetic_energy(case.tree, q, v), (case.q, qdot), (case.v, vdot))
    potential = derivative(lambda q: potential_energy(case.tree, q), (case.q, qdot))
    scale = np.abs(case.v * case.tau).sum() + abs(potential)
    assert abs(kinetic + potential - case.v @ case.tau) <= POWER * scale


@pytest.mark.parametrize("name", FREE)
def test_a_free_robots_momentum_changes_by_its_weight_alone(name: str) -> None:
    """Whatever the joints do: linear momentum at m g, angular momentum about the com not at all (no armature: no ground)."""
    free = case(name)
    tau = free.tau.copy()
    tau[:6] = 0.0
    vdot = forward_dynamics(free.tree, free.q, free.v, tau)
    qdot = rate(free.spec, free.q, free.v)
    change = derivative(lambda q, v: centroidal_momentum(free.tree, q, v), (free.q, qdot), (free.v, vdot))
    weight = free.spec.total_mass * np.array(free.spec.gravity)
    scale = float(np.abs(centroidal_momentum_matrix(free.tree, free.q) * vdot).max())
    assert relative(change, np.concatenate([np.zeros(3), weight]), scale) <= ROUNDING
