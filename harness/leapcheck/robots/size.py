"""How large a robot may be for a comparison, whose time and memory grow with the entries of M."""

from __future__ import annotations

from leapcheck_models.spec import VELOCITY_SIZE, WORLD, RobotSpec

MOST_DOFS = 256
"""Blocks of 256 dense matrices stay below 150 MB, and Pinocchio's data, which grows with the cube, below 1 GiB."""

MOST_PAIRS = 5000
"""A chain of 99 joints. 256 states in seven engines take 15 ms of CPU and 0.4 MB for each pair."""


def excess_size(spec: RobotSpec) -> str:
    """In which way a robot is too large to be compared, in words; "" where it is not."""
    if spec.nv > MOST_DOFS:
        return f"it has {spec.nv} degrees of freedom, and a comparison takes at most {MOST_DOFS}"
    if (count := coupled_pairs(spec)) > MOST_PAIRS:
        return f"{count} pairs of its degrees of freedom are coupled in M, and a comparison takes at most {MOST_PAIRS}"
    return ""


def coupled_pairs(spec: RobotSpec) -> int:
    """Number of entries in the lower triangle of M that are not zero for every robot of that topology."""
    carried = {WORLD: 0}  # dofs from the world to a body
    pairs = 0
    for body in spec.bodies:
        own = VELOCITY_SIZE[body.joint.type]
        pairs += own * carried[body.parent] + own * (own + 1) // 2
        carried[body.name] = carried[body.parent] + own
    return pairs
