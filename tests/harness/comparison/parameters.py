"""Every number of a robot spec by its path, and the spec with one or all of them changed a little."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck_models.spec import RobotSpec

Path = tuple[str | int, ...]

NOT_DYNAMICS = {"realisable", "nearest", "limits", "damping", "friction", "shapes", "poses", "actuators", "_index"}
UNIT_VECTORS = {"quaternion", "axis"}


def parameters(record: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of the numbers that the dynamics depend on and that are not zero; directions left out."""
    if dataclasses.is_dataclass(record):
        for field in dataclasses.fields(record):
            if field.name not in NOT_DYNAMICS | UNIT_VECTORS:
                yield from parameters(getattr(record, field.name), (*path, field.name))
    elif isinstance(record, tuple):
        for i, item in enumerate(record):
            yield from parameters(item, (*path, i))
    elif isinstance(record, float) and record != 0.0:
        yield path


def changed(record: Any, path: Path, change: Callable[[float], float]) -> Any:
    """The record with the number at `path` changed."""
    if not path:
        return change(record)
    head, *rest = path
    if isinstance(head, int):
        return (*record[:head], changed(record[head], tuple(rest), change), *record[head + 1 :])
    return replace(record, **{head: changed(getattr(record, head), tuple(rest), change)})


def name_of(spec: RobotSpec, path: Path) -> str:
    """The path in words, bodies by their name."""
    words = [spec.bodies[word].name if path[i - 1] == "bodies" and isinstance(word, int) else word for i, word in enumerate(path)]
    return ".".join(str(word) for word in words[1:] or words)


def with_noise(spec: RobotSpec, ulps: float, seed: int) -> RobotSpec:
    """The spec with every number off by up to `ulps` units in the last place."""
    rng = np.random.default_rng(seed)
    for path in list(parameters(spec)):
        factor = 1.0 + ulps * np.finfo(float).eps * rng.uniform(-1.0, 1.0)
        spec = changed(spec, path, lambda value, factor=factor: float(value * factor))
    return spec
