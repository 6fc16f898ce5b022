"""Robots to plant in: mostly the Mini Cheetah, else random trees and small arms, so that no judge can be made for one."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from leapcheck_evidence.score.planting.fault import Rng
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

POOL = (
    ("mini_cheetah", 0.42),
    ("mini_cheetah_armature", 0.10),
    ("random", 0.34),
    ("tree4", 0.10),
    ("two_link_arm", 0.02),
    ("pupper_leg", 0.02),
)
"""Names, or kinds of robots by seed, and how often each is drawn."""

LEAST_DOF, MOST_DOF = 3, 16
"""Of random trees: small ones have little to tell, large ones take long."""

SHARES, MOST_SMALL, SMALL_TREES = (0.1, 0.25), 10, 100
"""Of small robots: up to where Mini Cheetahs and small arms are drawn, else random trees; their most dofs, and how many seeds
there are: few, as kernels of a robot are kept."""


def random_robot(rng: Rng) -> str:
    """Name of a robot as `load` takes it."""
    kind = str(rng.choice([name for name, _ in POOL], p=[share for _, share in POOL]))
    if kind == "tree4":
        return f"tree4_{int(rng.integers(1, 10))}"
    return _tree(rng) if kind == "random" else kind


def random_small_robot(rng: Rng) -> str:
    """Name of a robot of which every quantity, derivatives and regressors too, takes a moment."""
    kind = rng.random()
    if kind < SHARES[0]:
        return "mini_cheetah" if rng.random() < 0.5 else "mini_cheetah_armature"
    if kind < SHARES[1]:
        return f"tree4_{int(rng.integers(1, 10))}"
    return _tree(rng, MOST_SMALL, SMALL_TREES)


def random_tree(seed: int, number: int) -> str:
    """Name of a random tree of the seed."""
    return _tree(np.random.default_rng([seed, number]))


def _tree(rng: Rng, most: int = MOST_DOF, seeds: int = 1_000_000) -> str:
    while True:
        name = f"random:{int(rng.integers(seeds))}"
        if LEAST_DOF <= robot(name).nv <= most:
            return name


@lru_cache(maxsize=64)
def robot(name: str) -> RobotSpec:
    """The spec of that name."""
    return load(name)
