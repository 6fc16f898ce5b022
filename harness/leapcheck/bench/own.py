"""The in-house kernels as contenders: in NumPy layout, in compact layout, and in double-double."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from leapcheck.engines.peers import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import Tree
from leapcheck_reference.trace import native
from leapcheck_reference.trace.compiled import aligned


class Block(Protocol):
    """The compact layout: distinct, non-constant entries only, `lanes` states side by side."""

    lanes: int
    entry_count: int

    def blocks(self, inputs: Mapping[str, Floats]) -> Floats:
        """The states as (blocks, numbers, lanes)."""

    def evaluate_blocks(self, inputs: Floats, results: Floats) -> None:
        """Writes the entries (blocks, entry_count, lanes)."""


class Kernel(Protocol):
    """A generated kernel of some quantities of one robot."""

    @property
    def operations(self) -> int:
        """Arithmetic operations per state."""

    @property
    def block(self) -> Block:
        """Its compact interface."""

    def __call__(self, q: Floats, v: Floats, *, out: Mapping[str, Floats]) -> object:
        """Writes the quantities of n states in NumPy layout."""


class Truth(Protocol):
    """Quantities of one robot in double-double arithmetic."""

    def __call__(self, q: Floats, v: Floats, *, out: Mapping[str, Floats]) -> object:
        """Writes the nearest doubles of n states in NumPy layout."""


MakeKernel = Callable[[Tree, Sequence[str], int], Kernel]
"""Of the quantities, in vectors of so many doubles."""


class NotAvailable(RuntimeError):  # noqa: N818 - not an error: the table says what is not there, and why
    """Something of ours that cannot be measured here; the message gives the reason."""


def make_kernel(tree: Tree, quantities: Sequence[str], lanes: int) -> Kernel:
    """The kernel in vectors of so many doubles; NotAvailable where this CPU or this version has none."""
    if not native.is_available():
        raise NotAvailable("llvmlite is not installed: pip install llvmlite")
    if lanes > native.vector_width():
        raise NotAvailable(f"this CPU's vectors hold {native.vector_width()} doubles, not {lanes}")
    make = _found("leapcheck_reference.trace.kernel", "kernel")
    try:
        kernel: Kernel = make(tree, quantities) if lanes == native.vector_width() else make(tree, quantities, lanes=lanes)
    except TypeError as error:
        raise NotAvailable(f"kernels of {lanes} lanes cannot be asked for: {error}") from error
    return kernel


def make_truth(spec: RobotSpec, quantities: Sequence[str]) -> Truth:
    """The same quantities in double-double arithmetic; NotAvailable without llvmlite."""
    make = _found("leapcheck_reference.trace.truth", "truth_kernel")
    try:
        truth: Truth = make(spec, quantities)
    except ImportError as error:
        raise NotAvailable(str(error)) from error
    return truth


def compact_run(kernel: Kernel, q: Floats, v: Floats) -> Callable[[], object]:
    """What evaluates the states in compact layout, from inputs that lie in it already."""
    block = kernel.block
    inputs = block.blocks({"q": q, "v": v})
    results = aligned((len(inputs), block.entry_count, block.lanes))
    return lambda: block.evaluate_blocks(inputs, results)


def _found(module: str, name: str) -> Any:
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise NotAvailable(f"{module}.{name} is not there: {error}") from error
