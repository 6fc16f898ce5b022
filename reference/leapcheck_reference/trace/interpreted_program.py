"""A record run by the register machine: ready at once, for short runs and long records; the same bits as the compiled kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.native import aligned_array
from leapcheck_reference.trace.register_machine import register_machine


class InterpretedProgram:
    """Evaluates a record on many states: what `CompiledProgram` does, without its block interface. For several threads too."""

    def __init__(self, program: MachineProgram) -> None:
        """Takes a program of the register machine."""
        self.inputs, self.outputs = program.inputs, program.outputs
        self.operations = program.operations
        self.entry_count = len(program.entry_places)
        self.lanes = native.vector_width()
        self._machine = register_machine(program)

    def __call__(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats] | None = None) -> dict[str, Floats]:
        """Each output (n, *shape) at the n states of inputs (n, *shape); written into C-ordered `out` where given."""
        answers = self.arrays(len(next(iter(inputs.values())))) if out is None else dict(out)
        self._machine.evaluate(self._rows(inputs), [answers[name] for name in self.outputs])
        return answers

    def bound(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats]) -> Callable[[], None]:
        """A call without arguments that evaluates the states which C-ordered `inputs` then hold, into C-ordered `out`."""
        given, answers = [inputs[name] for name in self.inputs], [out[name] for name in self.outputs]
        return partial(self._machine.evaluate, given, answers)

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for the outputs."""
        return {name: aligned_array((n, *shape)) for name, shape in self.outputs.items()}

    def results(self, inputs: Mapping[str, Floats], memory: Floats | None = None) -> Floats:
        """All entries of all outputs in their order (blocks, entry_count, lanes) at the n states of inputs (n, *shape); the last
        block is filled up with its last state. They are written into `memory`, an earlier result, where its shape is right.
        """
        given = self._rows(inputs)
        shape = (-(-len(given[0]) // self.lanes), self.entry_count, self.lanes)
        results = memory if memory is not None and memory.shape == shape else aligned_array(shape)
        self._machine.evaluate_vectors(given, results)
        return results

    def _rows(self, inputs: Mapping[str, Floats]) -> list[Floats]:
        """The inputs as the machine reads them: doubles, each state's side by side; states may be at any distance."""
        given = [inputs[name] for name in self.inputs]
        return [
            array if array.dtype == np.float64 and array[:1].flags.c_contiguous else np.ascontiguousarray(array, dtype=float)
            for array in given
        ]
