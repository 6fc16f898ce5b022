"""What may deviate from the plan when a robot jumps, by how much, and its draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.judging.thresholds import numbers
from leapcheck.simulators.protocol import Draws
from leapcheck_models.arrays import Floats

SIGNED = ("friction", "ground_height", "com_x", "com_y", "com_z", "strength", "voltage", "pitch", "roll", "dry_friction", "gains")
"""Drawn from -width to width; all else of `Draws` from 0 to width."""

FACTORS = ("strength", "voltage", "dry_friction", "gains")
"""Drawn as 1 + deviation."""


@dataclass(frozen=True, slots=True)
class Variation:
    """How wide each quantity varies; 0 switches it off and leaves the draws of the others as they are.

    Uniform in +- width: `friction` about the ground's coefficient; `ground_height` m, of the ground where the robot lands
    against where it starts; `com_offset` m, of the trunk's com along each axis; `strength` of the motors, `voltage` of the
    battery, `dry_friction` of the joints and `gains` of the controller, each relative (0.05: 5 %); `pitch` and `roll` rad, of
    the robot at the start. Uniform from 0 to width: `payload` kg at the trunk's com, `latency` s on top of the controller's own,
    and the standard deviations `joint_noise` rad and `speed_noise` rad/s of what the controller measures.
    """

    friction: float = 0.2
    ground_height: float = 0.01
    payload: float = 0.5
    com_offset: float = 0.01
    strength: float = 0.05
    voltage: float = 0.05
    latency: float = 0.002
    joint_noise: float = 0.002
    speed_noise: float = 0.05
    pitch: float = 0.02
    roll: float = 0.02
    dry_friction: float = 0.5
    gains: float = 0.1

    def __post_init__(self) -> None:
        for field in fields(self):
            width = getattr(self, field.name)
            if not (math.isfinite(width) and width >= 0.0):
                raise ValueError(f"variation {field.name} is {width}: give its half-width, 0 or more")
            if field.name in FACTORS and width >= 1.0:
                raise ValueError(f"variation {field.name} is {width}: it is relative, give less than 1")


def variation_from(given: Mapping[str, str]) -> Variation:
    """The default widths with those given as text in their places; ValueError for an unknown name or no number."""
    return Variation(**numbers(Variation, "variation", given))


NOTHING = Variation(*[0.0] * len(fields(Variation)))
"""Everything as planned."""


PARAMETERS = tuple(field.name for field in fields(Draws) if field.name != "index")
"""Names of what is drawn, in the order of drawing."""


def draw(variation: Variation, seed: int, index: Sequence[int] | NDArray[np.int64]) -> Draws:
    """The draws of the simulations numbered `index`: each from its own stream, so that any part of them is the same part."""
    unit = np.array([_stream(seed, int(i)).uniform(size=len(PARAMETERS)) for i in index]).reshape(-1, len(PARAMETERS))
    columns = {}
    for name, column in zip(PARAMETERS, unit.T, strict=True):
        width = variation.com_offset if name.startswith("com_") else getattr(variation, name)
        deviation = width * (2.0 * column - 1.0) if name in SIGNED else width * column
        columns[name] = 1.0 + deviation if name in FACTORS else deviation
    return Draws(index=np.asarray(index, dtype=np.int64), **columns)


def measurement_noise(draws: Draws, seed: int, ticks: int, joints: int) -> Floats | None:
    """Noise (ticks, 2, n, joints) on the measured joint angles (rad) and speeds (rad/s); None where nothing is noisy."""
    if not (draws.joint_noise.any() or draws.speed_noise.any()):
        return None
    noise = np.empty((ticks, 2, len(draws.index), joints))
    for i, number in enumerate(draws.index.tolist()):
        noise[:, :, i] = _stream(seed, number, 1).standard_normal((ticks, 2, joints))
    noise[:, 0] *= draws.joint_noise[:, None]
    noise[:, 1] *= draws.speed_noise[:, None]
    return noise


def _stream(seed: int, index: int, use: int = 0) -> np.random.Generator:
    """The random numbers of one simulation; `use` 0 are its draws, 1 its measurement noise."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, use)))
