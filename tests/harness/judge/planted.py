"""An engine with a fault: the reference on a robot that may be another, with states and answers that may be altered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.states import States
from leapcheck_models.spec import Body, RobotSpec
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[Any]


class Planted:
    """The protocol around the reference that holds `held`, reads `inputs(states)` and answers `outputs(name, values, states)`."""

    name = "planted"
    version = "0"
    route = "the reference with a fault"

    def __init__(
        self,
        held: RobotSpec,
        inputs: Callable[[States], States] = lambda states: states,
        outputs: Callable[[str, Array, States], Array] = lambda _name, values, _states: values,
    ) -> None:
        self._engine, self._inputs, self._outputs = ReferenceEngine(held), inputs, outputs
        self.quantities = self._engine.quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        answers = self._engine.evaluate(self._inputs(states), quantities)
        return {name: self._outputs(name, values.copy(), states) for name, values in answers.items()}


def with_bodies(spec: RobotSpec, changed: Callable[[Body], Body]) -> RobotSpec:
    return replace(spec, bodies=tuple(changed(body) for body in spec.bodies))


def with_body(spec: RobotSpec, name: str, changed: Callable[[Body], Body]) -> RobotSpec:
    return with_bodies(spec, lambda body: changed(body) if body.name == name else body)


def base_rotations(q: Array, start: int = 3) -> Array:
    """R_WB (n, 3, 3) of the first free joint."""
    return Rotation.from_quat(q[:, [start + 1, start + 2, start + 3, start]]).as_matrix()
