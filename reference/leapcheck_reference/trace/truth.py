"""The truth on every state: quantities in double-double from the exact record, rounded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from numpy.typing import ArrayLike

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference.quantities import arguments
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.double_double_native import double_double_machine, lanes
from leapcheck_reference.trace.double_double_program import program
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.native import aligned_array
from leapcheck_reference.trace.record import exact_record
from leapcheck_reference.trace.validity import batch, writable_outputs


def truth_kernel(spec: RobotSpec, quantities: Sequence[str], width: int | None = None) -> TruthKernel:
    """The quantities of a robot in double-double as one function of batches: `truth_kernel(spec, ("mass_matrix",))(q)`.

    Quantities are keys of `leapcheck_reference.quantities.QUANTITIES`. What was prepared
    once is kept in the user's cache. `width` is the number of states in a vector, by default the widest. Raises ValueError for
    an unknown quantity.
    """
    if not arguments(quantities):  # this refuses unknown names, too
        raise ValueError(f"{list(quantities)} depend on no state: give names of functions of a state, e.g. mass_matrix")
    key = f"{spec_hash(spec)} {' '.join(quantities)}".encode()
    return truth_program(spec.name, key, lambda: exact_record(spec, quantities), width)


def truth_program(robot: str, key: bytes, make: Callable[[], Graph], width: int | None = None) -> TruthKernel:
    """The exact record of a robot that `make` gives as a function of batches, in double-double."""
    states = lanes(width)
    content = load_or_make(f"truth {states} ".encode() + key, lambda: program(make(), states).as_bytes())
    return TruthKernel(robot, MachineProgram.from_bytes(content), width)


class TruthKernel:
    """Quantities of one robot as a function of batches of states; it may be called from several threads.

    An error is a few 1e-32 of the magnitude of the terms that the value is made of; the double nearest to that is
    returned. States are taken as valid: finite, angles up to `double_double_arithmetic.LARGEST` (beyond it answers are NaN);
    quaternions are normalised in double-double. An answer does not depend on the batch that its state is in.
    """

    def __init__(self, name: str, program: MachineProgram, width: int | None = None) -> None:
        """Takes the robot's name and a program for `lanes(width)` states in a block."""
        self._name, self._width = name, width or native.vector_width()
        self._inputs = {argument: prod(shape) for argument, shape in program.inputs.items()}
        self._outputs = program.outputs
        self._machine = double_double_machine(program, width)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments of a call, in their order."""
        return tuple(self._inputs)

    def __call__(self, *states: ArrayLike, out: Mapping[str, Floats] | None = None) -> dict[str, Floats]:
        """Each quantity as an array (n, *shape), canonical, C-ordered; `states` are q (n, nq), v (n, nv), ...: see `arguments`.

        `out` are arrays to write into, e.g. `arrays(n)`. Raises ValueError for a wrong number of arguments or wrong shapes.
        """
        inputs = self._check_inputs(states)
        answers = self.arrays(len(inputs[0])) if out is None else writable_outputs(self._outputs, out, len(inputs[0]))
        self._machine.evaluate(inputs, list(answers.values()))
        return answers

    def pairs(self, *states: ArrayLike) -> dict[str, tuple[Floats, Floats]]:
        """Each quantity as (nearest double, rest): their sum is the double-double value."""
        inputs = self._check_inputs(states)
        high, low = (self.arrays(len(inputs[0])) for _ in range(2))
        self._machine.evaluate(inputs, [*high.values(), *low.values()])
        return {name: (high[name], low[name]) for name in high}

    def vectors(self, *states: ArrayLike, memory: Floats | None = None) -> Floats:
        """All entries of all quantities in their order, in vectors of states (-(-n // width), entries, width); the last vector is
        filled up with the last state. They are written into `memory`, an earlier result, where its shape is right.
        """
        inputs = self._check_inputs(states)
        width = self._width
        shape = (-(-len(inputs[0]) // width), sum(prod(shape) for shape in self._outputs.values()), width)
        results = memory if memory is not None and memory.shape == shape else aligned_array(shape)
        self._machine.evaluate_vectors(inputs, results)
        return results

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for `out`."""
        return {name: aligned_array((n, *shape)) for name, shape in self._outputs.items()}

    def _check_inputs(self, states: Sequence[ArrayLike]) -> list[Floats]:
        if len(states) != len(self._inputs):
            raise ValueError(f"the truth of '{self._name}' takes {', '.join(self._inputs)}: {len(states)} arrays were given")
        inputs = [
            batch(f"{name} of '{self._name}'", values, width)
            for (name, width), values in zip(self._inputs.items(), states, strict=True)
        ]
        if len({len(values) for values in inputs}) != 1:
            raise ValueError(f"numbers of states of '{self._name}' differ: {[len(values) for values in inputs]}")
        return inputs
