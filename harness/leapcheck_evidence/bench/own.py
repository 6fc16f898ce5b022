"""The in-house kernels as contenders: in NumPy layout, in compact layout, and in double-double."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import Tree
from leapcheck_reference.trace import native
from leapcheck_reference.trace.kernel import Kernel, kernel
from leapcheck_reference.trace.native import aligned_array
from leapcheck_reference.trace.truth import TruthKernel, truth_kernel

MakeKernel = Callable[[Tree, Sequence[str], int], Kernel]
"""Of the quantities, in vectors of so many doubles."""


class NotAvailable(RuntimeError):  # noqa: N818 - not an error: the table says what is not there, and why
    """Something of ours that cannot be measured here; the message gives the reason."""


def make_kernel(tree: Tree, quantities: Sequence[str], lanes: int) -> Kernel:
    """The kernel in vectors of so many doubles; NotAvailable where this CPU or this version has none."""
    check_width(lanes)
    return kernel(tree, quantities, lanes=lanes)


def make_truth(spec: RobotSpec, quantities: Sequence[str], lanes: int) -> TruthKernel:
    """The same quantities in double-double arithmetic."""
    check_width(lanes)
    return truth_kernel(spec, quantities, lanes)


def check_width(lanes: int) -> None:
    """Raises NotAvailable where this CPU's vectors hold fewer doubles."""
    if lanes > native.vector_width():
        raise NotAvailable(f"this CPU's vectors hold {native.vector_width()} doubles, not {lanes}")


def rows_run(kernel: Kernel, q: Floats, v: Floats, out: Mapping[str, Floats]) -> Callable[[], None]:
    """What evaluates the states in NumPy layout, from and into arrays that are bound to it once."""
    return kernel.bound({"q": q, "v": v}, out)


def compact_run(kernel: Kernel, q: Floats, v: Floats) -> Callable[[], None]:
    """What evaluates the states in compact layout, from inputs that lie in it already."""
    block = kernel.block
    inputs = block.blocks({"q": q, "v": v})
    return block.bound_blocks(inputs, aligned_array((len(inputs), block.entry_count, block.lanes)))
