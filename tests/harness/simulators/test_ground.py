"""Robots that fall on boxes and slopes: the twin against MuJoCo, rigid contact against Pinocchio's solver."""

from functools import cache

import numpy as np
import pytest

from leapcheck.simulators.protocol import Simulator
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_evidence.studies.twin_terrain import DROP_FRICTION, DROP_TERRAIN, drop
from leapcheck_models.robots import load
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.terrain import Box, Terrain

TWIN = 1e-11  # rad, m to rounding; largest seen 3e-14 in 20 drops of 0.4 s each of the three pairs
RIGID = 1e-9  # largest seen 7e-14
ROBOT = load("mini_cheetah")
HOME = np.array(ROBOT.pose("home"))
GROUND = Ground(DROP_FRICTION, terrain=DROP_TERRAIN)


@cache
def plant() -> Plant:
    return Plant(ROBOT, terrain=DROP_TERRAIN)


def largest_difference(names: tuple[str, str], seed: int, steps: int) -> tuple[float, set[str]]:
    """(largest |dq| of a drop in two simulators, each loop closed in its own; what was touched: face, edge or corner)."""
    pair: list[Simulator] = [make_simulator(name, ROBOT, GROUND, 1e-3) for name in names]
    worst, touched = 0.0, set()
    for simulator in pair:
        simulator.start(*drop(ROBOT, seed))
    for _ in range(steps):
        for simulator in pair:
            simulator.step(np.clip(30.0 * (HOME - simulator.q)[7:] - simulator.v[6:], -17.0, 17.0))
        worst = max(worst, float(np.abs(pair[0].q - pair[1].q).max()))
        beside = plant().touch(plant().at(pair[0].q, np.zeros(ROBOT.nv)))
        for normal in beside.axes[beside.gaps < 1e-4, 2] @ DROP_TERRAIN.R:
            touched.add({1: "face", 2: "edge", 3: "corner"}[int((np.abs(normal) > 1e-6).sum())])
    return worst, touched


@pytest.mark.parametrize("names", [("mujoco", "soft"), ("mujoco-rk4", "soft-rk4"), ("mujoco-pyramidal", "soft-pyramidal")])
def test_the_twin_goes_mujocos_way_over_faces_and_edges(names: tuple[str, str]) -> None:
    worst, touched = largest_difference(names, seed=2, steps=250)
    assert worst < TWIN
    assert {"face", "edge"} <= touched


def test_the_twin_goes_mujocos_way_over_a_corner() -> None:
    """A foot beside the corner of a small box, from above."""
    q, v = HOME.copy(), np.zeros(ROBOT.nv)
    at = plant().at(q, v).centres[plant().point_names.index("FR_foot")]
    ground = Ground(0.7, terrain=Terrain((Box((at[0] + 0.058, at[1] + 0.055, 0.02), (0.05, 0.05, 0.04)),)))
    q[2] += 0.065
    pair = [make_simulator(name, ROBOT, ground, 1e-3) for name in ("mujoco", "soft")]
    own, corner = Plant(ROBOT, terrain=ground.terrain), 0
    for simulator in pair:
        simulator.start(q, v)
    for _ in range(200):
        for simulator in pair:
            simulator.step(np.clip(30.0 * (HOME - simulator.q)[7:] - simulator.v[6:], -17.0, 17.0))
        assert np.abs(pair[0].q - pair[1].q).max() < TWIN
        beside = own.touch(own.at(pair[0].q, v))
        corner += int((np.abs(beside.axes[beside.gaps < 0.0, 2]) > 1e-6).all(axis=1).sum())
    assert corner > 5


def test_rigid_contact_goes_pinocchios_way_on_boxes() -> None:
    worst, touched = largest_difference(("rigid", "pinocchio-admm"), seed=2, steps=250)
    assert worst < RIGID
    assert {"face", "edge"} <= touched
