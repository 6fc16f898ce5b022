"""How close the in-house twin of MuJoCo's contact is to MuJoCo on boxes, gaps, stairs and slopes: whole jumps, and drops."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from leapcheck.jumping.act import act_on_ground
from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.setup import JumpSetup, jump_setup
from leapcheck.jumping.simulation import simulate
from leapcheck.jumping.study import jump_act
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_evidence.studies.twin import CLEARANCE, DT, Q_GOAL, V_GOAL, difference, twin_row
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.terrain import Box, Terrain

ROBOT = "mini_cheetah"
PAIRS = (
    ("mujoco", "soft"),
    ("mujoco-implicitfast", "soft-implicitfast"),
    ("mujoco-rk4", "soft-rk4"),
    ("mujoco-pyramidal", "soft-pyramidal"),
)
"""A simulator of MuJoCo's and its twin."""

OF_PAIRS = "Euler, implicitfast and RK4 with elliptic cones, Euler with pyramidal ones"

JUMPS: dict[str, Mapping[str, Any]] = {
    "onto a box of 0.3 m": {"height": 0.48, "distance": 0.55, "landing_height": 0.3, "box": ("0.3,0.53",)},
    "onto the edge of a step of 0.1 m": {"height": 0.3, "distance": 0.3, "landing_height": 0.1, "box": ("0.1,0.215",)},
    "over the edge of a gap": {"height": 0.2, "distance": 0.3, "gap": ("0.21,0.045",)},
    "up stairs, on their edges": {"height": 0.3, "distance": 0.4, "landing_height": 0.1, "stairs": "0.05,0.3,0.373"},
    "up a slope of 10 deg": {"height": 0.2, "slope": 10.0},
    "down a slope of 10 deg": {"height": 0.2, "slope": -10.0},
    "MIT's flip on a slope of 5 deg": {"plan": "mit-flip", "slope": 5.0},
    "MIT's front jump to a box of 0.4 m": {"plan": "mit-front-jump", "box": ("0.40,0.45",)},
}
"""The jumps by what they are; not all of them land on their feet, and those that do not are harder for the twin."""

DROPS, DROP_TIME = 20, 0.4
DROP_FRICTION = 0.7
DROP_TERRAIN = Terrain((Box((0.6, 0.05, 0.1), (0.45, 0.3, 0.1)), Box((-0.5, -0.2, 0.05), (0.3, 0.5, 0.05))), slope=0.2)
"""Two boxes on a slope, so near that most drops meet faces and edges."""

STONES = Terrain(
    tuple(
        Box((0.16 * i, 0.16 * j, 0.02), (0.05, 0.05, 0.02 + 0.005 * ((i + j) % 3))) for i in range(-8, 10) for j in range(-5, 6)
    ),
    slope=0.1,
)
"""Small boxes of unequal heights with gaps between, whose edges and corners feet and knees meet."""

DROPPED_ON = {"boxes on a slope": DROP_TERRAIN, "stepping stones": STONES}

NEAR, FLAT = 1e-4, 1e-6
"""A sphere nearer (m) than this touches; parts of a normal below this vanish."""

PARTS = {1: "face", 2: "edge", 3: "corner"}
"""What a sphere touches, by how many parts of the normal in the ground's axes do not vanish."""

TITLE = "in-house twin against MuJoCo, to rounding"


def rows() -> list[StudyRow]:
    """The rows of the table: whole jumps, then drops."""
    jumped, met = [], Counter[str]()
    for what in JUMPS:
        of_jump = [terrain_jump_logs(what, names) for names in PAIRS]
        jumped += [difference(*logs) for logs in of_jump]
        met += touched_parts(of_jump[0][1], jump_terrain(what))
    return [
        twin_row(
            f"{TITLE}, whole jumps on boxes, gaps, stairs, slopes",
            jumped,
            (Q_GOAL, V_GOAL),
            f"{len(jumped)} jumps at {DT * 1e3:g} ms, start to end, loops closed separately, exact rotors: "
            f"{'; '.join(JUMPS)}; each by "
            f"{OF_PAIRS}; touches of boxes or of turned ground (spheres times steps): {_counts(met)}",
        ),
        *(_drop_row(where) for where in DROPPED_ON),
    ]


def _drop_row(where: str) -> StudyRow:
    dropped, struck = [], Counter[str]()
    for seed in range(DROPS):
        of_drop = [drop_logs(seed, names, DROPPED_ON[where]) for names in PAIRS]
        dropped += [difference(*logs) for logs in of_drop]
        struck += touched_parts(of_drop[0][1], DROPPED_ON[where])
    return twin_row(
        f"{TITLE}, random drops on {where}",
        dropped,
        (Q_GOAL, V_GOAL),
        f"{DROPS} drops of {DROP_TIME} s (seeds 0 to {DROPS - 1}), tilted, moving, legs bent otherwise, "
        f"each by {OF_PAIRS}; touches: {_counts(struck)}",
    )


def terrain_jump_logs(what: str, names: tuple[str, str]) -> tuple[JumpLog, JumpLog]:
    """The logs of one of `JUMPS` in two simulators."""
    setup = _setup(what)
    assert setup.act is not None
    act, spec = setup.act, setup.spec
    one, other = (
        simulate(spec, make_simulator(name, spec, setup.ground, DT), act.policy, drives(spec), act.start, act.duration)
        for name in names
    )
    return one, other


def jump_terrain(what: str) -> Terrain:
    """The ground of one of `JUMPS`."""
    return _setup(what).ground.terrain


@lru_cache(maxsize=1)
def _setup(what: str) -> JumpSetup:
    options = JumpOptions(**JUMPS[what])
    setup = jump_setup(load(ROBOT), options)
    act = act_on_ground(setup.spec, jump_act(setup, options), setup.ground.terrain)
    q = act.start[0].copy()
    q[:3] += CLEARANCE * setup.ground.terrain.R[:, 2]
    return dataclasses.replace(setup, act=dataclasses.replace(act, start=(q, act.start[1])))


def drop_logs(seed: int, names: tuple[str, str], terrain: Terrain = DROP_TERRAIN) -> tuple[JumpLog, JumpLog]:
    """The logs of a drop in two simulators."""
    spec, ground, start = load(ROBOT), Ground(DROP_FRICTION, terrain=terrain), drop(load(ROBOT), seed, terrain)
    home = np.array(spec.pose("home"))[7:]
    zero, gains = np.zeros(len(home)), (np.full(len(home), 30.0), np.full(len(home), 1.0))

    def hold(t: float, q: Floats, v: Floats) -> JointCommand:
        del t, q, v
        return JointCommand(zero, home, zero, *gains)

    one, other = (simulate(spec, make_simulator(name, spec, ground, DT), hold, drives(spec), start, DROP_TIME) for name in names)
    return one, other


def drop(spec: RobotSpec, seed: int, terrain: Terrain = DROP_TERRAIN) -> tuple[Floats, Floats]:
    """(q, v) of a tilted, moving robot with bent legs, 1 cm above what is below it."""
    rng, plant = np.random.default_rng(seed), Plant(spec, terrain=terrain)
    q, v, axis, angle = np.array(spec.pose("home")), np.zeros(spec.nv), rng.normal(size=3), rng.uniform(0.0, 1.0)
    q[:3] = rng.uniform([-0.6, -0.3, 1.0], [0.8, 0.3, 1.0])
    q[3:7] = np.append(np.cos(angle / 2), np.sin(angle / 2) * axis / np.linalg.norm(axis))
    q[7:] += 0.3 * rng.normal(size=12)
    v[:3], v[3:6] = rng.normal(size=3), 0.5 * rng.normal(size=3)
    for _ in range(20):
        q[2] += 0.01 - plant.touch(plant.at(q, v)).gaps.min()
    return q, v


def touched_parts(log: JumpLog, terrain: Terrain) -> Counter[str]:
    """How many spheres touched a face, an edge or a corner of a solid, summed over the states of a log."""
    spec = load(ROBOT)
    plant, v, parts = Plant(spec, terrain=terrain), np.zeros(spec.nv), Counter[str]()
    for q in log.q:
        beside = plant.touch(plant.at(q, v))
        if beside.axes is not None:
            normals = beside.axes[beside.gaps < NEAR, 2] @ terrain.R
            parts.update(PARTS[int(number)] for number in (np.abs(normals) > FLAT).sum(axis=1))
    return parts


def _counts(parts: Counter[str]) -> str:
    return ", ".join(f"{name} {parts[name]}" for name in PARTS.values())
