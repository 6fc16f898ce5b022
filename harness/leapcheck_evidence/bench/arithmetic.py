"""The arithmetic bound: how many additions and multiplications this CPU does in a second, measured, not looked up.

A generated function keeps independent chains of additions and of multiplications in vector registers, as many of the one as
of the other, and touches no memory in its loop. Nothing but the arithmetic units can bound it: a kernel that mixes the two
kinds without fusing them cannot do more operations in the same time.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from leapcheck_evidence.bench.measure import Contender, interleave
from leapcheck_reference.trace import native

CHAINS = (2, 4, 6, 8, 10, 12, 14)
"""Numbers of chains of each kind that are tried: too few wait for results, too many leave the registers."""

UNROLLED = 16
"""Steps of every chain in one turn of the loop."""

TURNS = 2_000

FUNCTION = "arithmetic"

STATEMENT = (
    "{kinds} independent chains of vector additions and as many of multiplications, {lanes} doubles wide, in registers, "
    "{unrolled} steps unrolled; no memory, no fused operations"
)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The microbenchmark with a number of chains of each kind; keeps its machine code."""

    chains: int
    lanes: int
    library: native.Library

    @property
    def operations(self) -> int:
        """Additions and multiplications of one run, lanes counted one by one."""
        return operations(self.chains, self.lanes, TURNS)

    @property
    def statement(self) -> str:
        """What is measured, in words."""
        return STATEMENT.format(kinds=self.chains, lanes=self.lanes, unrolled=UNROLLED)

    def run(self, turns: int = TURNS, addend: float = 1e-9, factor: float = 1.0 - 1e-9) -> tuple[float, float]:
        """Runs the loop; one lane of the sum of all addition chains (from 0), and of all multiplication chains (from 1)."""
        kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)
        sums = np.zeros((2, self.lanes))
        kind(self.library.address(FUNCTION))(turns, addend, factor, sums.ctypes.data)
        return float(sums[0, -1]), float(sums[1, -1])


def arithmetic(chains: int, lanes: int) -> Arithmetic:
    """The compiled microbenchmark."""
    return Arithmetic(chains, lanes, native.Library(native.object_code(arithmetic_ir(chains, lanes), lanes)))


def operations(chains: int, lanes: int, turns: int) -> int:
    """Additions and multiplications in that many turns of the loop."""
    return 2 * chains * lanes * UNROLLED * turns


def best_arithmetic(lanes: int, seconds: float = 1.0) -> Arithmetic:
    """The microbenchmark with the number of chains that does the most operations in a second."""
    tried = [arithmetic(chains, lanes) for chains in CHAINS]
    times = interleave([contender(one, str(one.chains)) for one in tried], seconds)
    return min(tried, key=lambda one: times[str(one.chains)].minimum)


def contender(one: Arithmetic, name: str) -> Contender:
    """The microbenchmark as something to be timed, per operation: 1 / (GFLOP/s)."""
    return Contender(name, one.run, one.operations)


def arithmetic_ir(chains: int, lanes: int) -> str:
    """LLVM IR of `arithmetic(turns, addend, factor, sums)`; the sums keep every chain alive."""
    vector = f"<{lanes} x double>"
    names = [f"{kind}{i}" for i in range(chains) for kind in ("a", "m")]  # in turns, as a kernel mixes them
    start = {"a": "0.0", "m": "1.0"}
    heads = [
        f"  %{name}.0 = phi {vector} [ {_splat(start[name[0]], lanes)}, %entry ], [ %{name}.{UNROLLED}, %loop ]" for name in names
    ]
    steps = [
        f"  %{name}.{step + 1} = {'fadd' if name[0] == 'a' else 'fmul'} {vector} %{name}.{step}, %by.{name[0]}"
        for step in range(UNROLLED)
        for name in names
    ]
    return f"""define void @{FUNCTION}(i64 %turns, double %addend, double %factor, ptr %sums) {{
entry:
{_broadcast("a", "addend", vector)}
{_broadcast("m", "factor", vector)}
  br label %loop
loop:
  %turn = phi i64 [ 0, %entry ], [ %next, %loop ]
{chr(10).join(heads)}
{chr(10).join(steps)}
  %next = add i64 %turn, 1
  %more = icmp ult i64 %next, %turns
  br i1 %more, label %loop, label %done
done:
{_add_chains("a", 0, chains, vector)}
{_add_chains("m", 1, chains, vector)}
  ret void
}}
"""


def _splat(value: str, lanes: int) -> str:
    return f"<{', '.join([f'double {value}'] * lanes)}>"


def _broadcast(kind: str, scalar: str, vector: str) -> str:
    mask = vector.replace("double", "i32")
    return (
        f"  %one.{kind} = insertelement {vector} poison, double %{scalar}, i32 0\n"
        f"  %by.{kind} = shufflevector {vector} %one.{kind}, {vector} poison, {mask} zeroinitializer"
    )


def _add_chains(kind: str, row: int, chains: int, vector: str) -> str:
    """Adds the chains of a kind and stores the sum in its row."""
    lines = [f"  %{kind}.sum0 = fadd {vector} %{kind}0.{UNROLLED}, zeroinitializer"]
    lines += [f"  %{kind}.sum{i} = fadd {vector} %{kind}.sum{i - 1}, %{kind}{i}.{UNROLLED}" for i in range(1, chains)]
    lines.append(f"  %{kind}.place = getelementptr {vector}, ptr %sums, i64 {row}")
    lines.append(f"  store {vector} %{kind}.sum{chains - 1}, ptr %{kind}.place, align 8")
    return "\n".join(lines)
