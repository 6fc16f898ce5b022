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


def random_robot(rng: Rng) -> str:
    """Name of a robot as `load` takes it."""
    kind = str(rng.choice([name for name, _ in POOL], p=[share for _, share in POOL]))
    if kind == "tree4":
        return f"tree4_{int(rng.integers(1, 10))}"
    return _tree(rng) if kind == "random" else kind


def random_tree(seed: int, number: int) -> str:
    """Name of a random tree of the seed."""
    return _tree(np.random.default_rng([seed, number]))


def _tree(rng: Rng) -> str:
    while True:
        name = f"random:{int(rng.integers(1_000_000))}"
        if LEAST_DOF <= robot(name).nv <= MOST_DOF:
            return name


@lru_cache(maxsize=64)
def robot(name: str) -> RobotSpec:
    """The spec of that name."""
    return load(name)
