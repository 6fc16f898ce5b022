"""Kernels: the readable algorithms of any tree and any quantities, as one function of a batch of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.quantities import SIZES, arguments
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.compiled_program import CompiledProgram, compile_program
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.interpreted_program import InterpretedProgram
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.record import record
from leapcheck_reference.trace.register_program import register_program
from leapcheck_reference.trace.validity import (
    LIMIT,
    VALIDITY,
    batch,
    quaternion_places,
    raise_invalid,
    with_validity,
    writable_outputs,
)
from leapcheck_reference.tree import Tree

Program: TypeAlias = CompiledProgram | InterpretedProgram


def kernel(tree: Tree, quantities: Sequence[str], lanes: int | None = None, compile_code: bool = True) -> Kernel:
    """The quantities of a tree as one function of batches of states, in NumPy layout.

        tree = build(load("mini_cheetah"))
        dynamics = kernel(tree, ("mass_matrix", "bias_force"))
        answers = dynamics(q, v)  # q (n, 19), v (n, 18): answers["mass_matrix"] (n, 18, 18), answers["bias_force"] (n, 18)

    Quantities are keys of `leapcheck_reference.quantities.QUANTITIES`. The function is compiled for this CPU (`lanes` states at
    once, by default as many as its widest vector holds) and kept in the user's cache; a record that is too long to be compiled
    is interpreted. Both give the same bits, and so does the C99 source of `leapcheck generate`. Without `compile_code` any is
    interpreted: ready at once, for up to some ten thousand states. `leapcheck_reference.trace.truth.truth_kernel` gives the
    same quantities in double-double. Raises ValueError for an unknown quantity.
    """
    if not quantities:
        raise ValueError("no quantities: give names, e.g. mass_matrix")
    if not arguments(quantities):  # an unknown name is refused before anything is compiled
        raise ValueError(f"{', '.join(quantities)} of '{tree.name}' depend on no state: call them without a kernel")

    def graph() -> Graph:
        return with_validity(record(tree, quantities), quaternion_places(tree) if "q" in arguments(quantities) else ())

    return Kernel(tree, tuple(quantities), program(key_of(tree, tuple(quantities)), graph, lanes, compile_code))


def program(
    key: bytes,
    make: Callable[[], Graph],
    lanes: int | None = None,
    compile_code: bool = True,
    level: int = native.THOROUGH,
) -> Program:
    """The record that `make` gives, executable: compiled if wanted and not too long, else interpreted; `lanes` and `level` as of
    `compile_program`.

    All give the same bits; what was made once under a key is kept in the user's cache.
    """
    if compile_code:
        code = compile_program(key, make, lanes, level)
        if code is not None:
            return code
    content = load_or_make(b"registers " + key, lambda: register_program(lower(make())).as_bytes())
    return InterpretedProgram(MachineProgram.from_bytes(content))


class Kernel:
    """Quantities of one tree as a function of batches of states; `block` is its compact interface for inner loops.

    The block interface (`block.blocks`, `block.evaluate_blocks`, `block.entries`, `block.expanded`) works on the distinct
    entries that depend on the state, states in blocks of `block.lanes`; it takes the states as valid.
    """

    def __init__(self, tree: Tree, quantities: tuple[str, ...], program: Program) -> None:
        self._tree = tree
        self._program = program
        self.quantities = quantities

    def __repr__(self) -> str:
        return f"<Kernel {self._tree.name}: {', '.join(self.quantities)}>"

    def __call__(
        self,
        q: Any,
        v: Any = None,
        tau: Any = None,
        vdot: Any = None,
        out: Mapping[str, Floats] | None = None,
        contact_forces: Any = None,
    ) -> dict[str, Floats]:
        """Each quantity as an array (n, *shape), canonical, at q (n, nq), v, tau, vdot (n, nv), contact_forces (n, 3 points);
        all C-ordered.

        What no quantity needs may be left out. `out` are arrays to write into, of the right shapes, e.g. `arrays(n)`.
        Raises ValueError for a wrong shape, NaN or infinity, or a quaternion off unit norm, naming the first such state.
        """
        given = {"q": q, "v": v, "tau": tau, "vdot": vdot, "contact_forces": contact_forces}
        inputs = {name: self._input(name, given[name]) for name in self._program.inputs}
        n = self._count(inputs)
        answers = self.arrays(n) if out is None else self._writable(out, n)
        validity = np.empty(n)
        self._program(inputs, {**answers, VALIDITY: validity})
        self._raise_invalid(inputs, validity)
        return answers

    def bound(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats]) -> Callable[[], None]:
        """A call without arguments for inner loops: evaluates the states that `inputs` then hold into `out`.

        Entries that are the same at every state, structural zeros among them, are written once, here. `inputs` are arrays by
        name, "q", "v", ..., C-ordered and of doubles: they are not copied. Shapes are looked at once, here; the call raises
        ValueError for a state that is not valid.
        """
        taken = {name: self._input(name, inputs.get(name)) for name in self._program.inputs}
        for name, values in taken.items():
            if values is not inputs[name]:
                raise ValueError(f"{name} of '{self._tree.name}' would be copied: give a C-ordered array of doubles")
        n = self._count(taken)
        validity = np.empty(n)
        evaluate = self._program.bound(taken, {**self._writable(out, n), VALIDITY: validity})

        def run() -> None:
            evaluate()
            self._raise_invalid(taken, validity)

        return run

    def _raise_invalid(self, inputs: dict[str, Floats], validity: Floats) -> None:
        if len(validity) and not validity.item(validity.argmax()) <= LIMIT:  # a third of the time of max(); NaN is the largest
            raise_invalid(self._tree, inputs, np.flatnonzero(~(validity <= LIMIT)))

    @property
    def operations(self) -> int:
        """Operations + - * / sqrt of one state, those of sines, cosines and of the checks of the input included."""
        return self._program.operations

    @property
    def block(self) -> CompiledProgram:
        """The compact interface; RuntimeError where there is no compiled code."""
        if not isinstance(self._program, CompiledProgram):
            raise RuntimeError(
                "the block interface needs compiled code, and this record is too long for it: ask for fewer quantities"
            )
        return self._program

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for `out`."""
        return {name: array for name, array in self._program.arrays(n).items() if name != VALIDITY}

    def _input(self, name: str, values: Any) -> Floats:
        if values is None:
            raise ValueError(f"{name} of '{self._tree.name}' is missing: {', '.join(self.quantities)} need it")
        return batch(f"{name} of '{self._tree.name}'", values, SIZES[name](self._tree))

    def _count(self, inputs: Mapping[str, Floats]) -> int:
        """The number of states, the same for all inputs."""
        n = len(next(iter(inputs.values())))
        for name, values in inputs.items():
            if len(values) != n:
                raise ValueError(f"{name} of '{self._tree.name}' holds {len(values)} states, {next(iter(inputs))} {n}")
        return n

    def _writable(self, out: Mapping[str, Floats], n: int) -> dict[str, Floats]:
        """The arrays of `out` that the quantities are written to."""
        return writable_outputs({name: self._program.outputs[name] for name in self.quantities}, out, n)
