"""Ground that is not level: distances to boxes, contact axes, and slopes that are gravity turned the other way."""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_reference.simulate.adaptive_simulator import AdaptiveSimulator
from leapcheck_reference.simulate.compliant import CompliantSimulator
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator
from leapcheck_reference.simulate.soft import SoftSimulator
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.terrain import LEVEL, Box, Terrain, contact_axes, gaps_and_normals, nearest_surface, touch

BOX = Box((0.5, 0.1, 0.2), (0.3, 0.4, 0.2))
ON_BOX = Terrain((BOX,))
SLOPE = 0.3
ROBOT = load("mini_cheetah_armature")
SAME = {"soft": 1e-12, "rigid": 1e-11, "spring-damper": 1e-11, "adaptive": 1e-8}  # largest seen 4e-15, 7e-14, 3e-14, 5e-11

SIMULATORS = {
    "soft": lambda plant: SoftSimulator(plant, SoftContact(friction=0.4), 1e-3, "rk4"),
    "rigid": lambda plant: RigidSimulator(plant, 1e-3, 0.4),
    "spring-damper": lambda plant: CompliantSimulator(plant, 1e-3, friction=0.4),
    "adaptive": lambda plant: AdaptiveSimulator(plant, SoftContact(friction=0.4), 5e-3),
}


def test_distance_to_a_box_is_that_of_its_nearest_point() -> None:
    """Against a search over the box's surface, outside of faces, edges and corners, and inside."""
    rng = np.random.default_rng(1)
    centres = np.array(BOX.centre) + rng.uniform(-0.6, 0.6, (40, 3))
    grid = np.linspace(-1.0, 1.0, 61)
    surface = np.array([p for p in product(grid, grid, grid) if max(map(abs, p)) == 1.0]) * BOX.half + BOX.centre
    gaps, normals = gaps_and_normals(ON_BOX, centres, np.full(40, 0.02))
    inside = (np.abs(centres - BOX.centre) < BOX.half).all(axis=1)
    assert 2 < inside.sum() < 35
    nearest = np.linalg.norm(centres[:, None] - surface, axis=-1).min(axis=1)
    np.testing.assert_allclose(gaps[1] + 0.02, np.where(inside, -nearest, nearest), atol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(normals[1], axis=1), 1.0, atol=1e-15)
    step = 1e-6
    moved = gaps_and_normals(ON_BOX, centres + step * normals[1], np.full(40, 0.02))[0]
    np.testing.assert_allclose((moved - gaps)[1] / step, 1.0, atol=1e-8)


def test_contact_axes_are_right_handed_and_the_worlds_on_level_ground() -> None:
    normals = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, -0.64, 0.48]])
    axes = contact_axes(normals)
    np.testing.assert_array_equal(axes[0], np.eye(3))
    np.testing.assert_allclose(axes @ axes.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (4, 3, 3)), atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0)
    np.testing.assert_array_equal(axes[:, 2], normals)


def test_the_nearest_surface_is_the_plane_or_the_box() -> None:
    centres = np.array([[0.0, 0.0, 0.1], [0.5, 0.0, 0.5], [0.19, 0.0, 0.3]])
    gaps, normals = nearest_surface(ON_BOX, centres, np.full(3, 0.02))
    np.testing.assert_allclose(gaps, [0.08, 0.08, -0.01], atol=1e-15)
    np.testing.assert_allclose(normals, [[0, 0, 1], [0, 0, 1], [-1, 0, 0]], atol=1e-15)
    assert touch(LEVEL, centres, np.full(3, 0.02)).axes is None


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_slope_is_gravity_turned_the_other_way(name: str) -> None:
    """The same drop on the slope, and on level ground under gravity in the slope's axes: the solvers share no axes there."""
    ground = Terrain(slope=SLOPE)
    g = np.linalg.norm(ROBOT.gravity)
    level = dataclasses.replace(ROBOT, gravity=(-g * math.sin(SLOPE), 0.0, -g * math.cos(SLOPE)))
    q = np.array(ROBOT.pose("home"))
    q[2] += 0.003
    turned = q.copy()
    turned[:3] = ground.R @ q[:3]
    turned[3:7] = ground.quaternion
    on_slope, on_level = SIMULATORS[name](Plant(ROBOT, terrain=ground)), SIMULATORS[name](Plant(level))
    on_slope.start(turned, np.zeros(ROBOT.nv))
    on_level.start(q, np.zeros(ROBOT.nv))
    for _ in range(round(0.06 / on_slope.dt)):
        for simulator in (on_slope, on_level):
            simulator.step(np.tile([0.1, -0.4, -2.5], 4))
    back = ground.R.T @ on_slope.q[:3]
    assert np.abs(back - on_level.q[:3]).max() < SAME[name]
    assert np.abs(on_slope.q[7:] - on_level.q[7:]).max() < SAME[name]
    assert on_level.forces[:, 2].sum() > 20.0
    np.testing.assert_allclose(on_slope.forces @ ground.R, on_level.forces, atol=1e5 * SAME[name])


def test_wrong_ground_is_refused() -> None:
    with pytest.raises(ValueError, match="half lengths above 0"):
        Box((0.0, 0.0, 0.0), (1.0, 0.0, 1.0))
    with pytest.raises(ValueError, match="right angle"):
        Terrain(slope=2.0)
