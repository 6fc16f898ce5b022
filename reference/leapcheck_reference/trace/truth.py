"""The truth on every state: quantities in double-double from the exact record, rounded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import cached
from leapcheck_reference.trace.double_double_native import Machine, lanes
from leapcheck_reference.trace.double_double_program import Program, program
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.memory import aligned
from leapcheck_reference.trace.record import arguments, exact_record
from leapcheck_reference.trace.validity import batch

Floats = NDArray[np.float64]


def truth_kernel(spec: RobotSpec, quantities: Sequence[str]) -> TruthKernel:
    """The quantities of a robot in double-double as one function of batches: `truth_kernel(spec, ("mass_matrix",))(q)`.

    Quantities are names of functions of `leapcheck_reference` that take a tree and q, v, vdot or tau. What was prepared
    once is kept in the user's cache. Raises ValueError for an unknown quantity, ImportError without llvmlite.
    """
    if not arguments(quantities):  # this refuses unknown names, too
        raise ValueError(f"{list(quantities)} depend on no state: give names of functions of a state, e.g. mass_matrix")
    key = f"{spec_hash(spec)} {' '.join(quantities)}".encode()
    return truth_program(spec.name, key, lambda: exact_record(spec, quantities))


def truth_program(robot: str, key: bytes, make: Callable[[], Graph]) -> TruthKernel:
    """The exact record of a robot that `make` gives as a function of batches, in double-double; ImportError without llvmlite."""
    if not native.is_available():
        raise ImportError("the truth on every state needs llvmlite: pip install llvmlite")
    content = cached(f"truth {lanes()} ".encode() + key, lambda: program(make(), lanes()).as_bytes())
    return TruthKernel(robot, Program.from_bytes(content))


class TruthKernel:
    """Quantities of one robot as a function of batches of states; it may be called from several threads.

    An error is a few 1e-32 of the magnitude of the terms that the value is made of; the double nearest to that is
    returned. States are taken as valid: finite, angles up to `double_double_sine.LARGEST` (beyond it answers are NaN);
    quaternions are normalised in double-double. An answer does not depend on the batch that its state is in.
    """

    def __init__(self, name: str, program: Program) -> None:
        """Takes the robot's name and a program for `lanes()` states in a block."""
        self._name = name
        self._inputs = {argument: prod(shape) for argument, shape in program.inputs.items()}
        self._outputs = program.outputs
        self._machine = Machine(program)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments of a call, in their order."""
        return tuple(self._inputs)

    def __call__(self, *states: ArrayLike, out: Mapping[str, Floats] | None = None) -> dict[str, Floats]:
        """Each quantity as an array (n, *shape), canonical, C-ordered; `states` are q (n, nq), v (n, nv), ...: see `arguments`.

        `out` are arrays to write into, e.g. `arrays(n)`. Raises ValueError for a wrong number of arguments or wrong shapes.
        """
        inputs = self._checked(states)
        answers = self.arrays(len(inputs[0])) if out is None else self._checked_out(out, len(inputs[0]))
        self._machine.evaluate(inputs, list(answers.values()))
        return answers

    def pairs(self, *states: ArrayLike) -> dict[str, tuple[Floats, Floats]]:
        """Each quantity as (nearest double, rest): their sum is the double-double value."""
        inputs = self._checked(states)
        high, low = (self.arrays(len(inputs[0])) for _ in range(2))
        self._machine.evaluate(inputs, [*high.values(), *low.values()])
        return {name: (high[name], low[name]) for name in high}

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for `out`."""
        return {name: aligned((n, *shape)) for name, shape in self._outputs.items()}

    def _checked(self, states: Sequence[ArrayLike]) -> list[Floats]:
        if len(states) != len(self._inputs):
            raise ValueError(f"the truth of '{self._name}' takes {', '.join(self._inputs)}: {len(states)} arrays were given")
        inputs = [
            batch(f"{name} of '{self._name}'", values, width)
            for (name, width), values in zip(self._inputs.items(), states, strict=True)
        ]
        if len({len(values) for values in inputs}) != 1:
            raise ValueError(f"numbers of states of '{self._name}' differ: {[len(values) for values in inputs]}")
        return inputs

    def _checked_out(self, out: Mapping[str, Floats], n: int) -> dict[str, Floats]:
        for name, shape in self._outputs.items():
            array = out.get(name)
            if array is None or array.shape != (n, *shape) or array.dtype != np.float64 or not array.flags.carray:
                raise ValueError(
                    f"out['{name}'] is no writeable C-ordered array {(n, *shape)} of doubles: take it from arrays({n})"
                )
        return {name: out[name] for name in self._outputs}
