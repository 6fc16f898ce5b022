"""A record as LLVM IR: the same operation on a vector of states at once, loops over blocks of states around it.

The module has one function per stage and `evaluate_blocks`, which runs all stages over a group of blocks. Memory is laid
out in blocks: (blocks, numbers, lanes), the lanes being consecutive states. Nothing is contracted or reordered, so that
every target of a record gives the same bits.
"""

import struct
from collections.abc import Iterator

from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.trace.partition import GROUP, MEMORY, Partition

BINARY = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
INTRINSICS = {Op.SQRT: "llvm.sqrt", Op.ABS: "llvm.fabs", Op.ROUND: "llvm.roundeven"}
WHOLE = 6755399441055744.0
"""1.5 * 2^52: added to a whole number below 2^51 it leaves that number in the low bits."""


def blocks_module(graph: Graph, lanes: int, parts: Partition) -> str:
    """IR of `evaluate_blocks(inputs, results, carried, blocks)` for a lowered graph.

    `inputs` (blocks, input_count, lanes) and `results` (blocks, result_count, lanes) are arrays of doubles aligned to a
    vector; `carried` is scratch memory for `GROUP` blocks of `partition.carried_count` vectors.
    """
    unsigned = graph.nonnegative_nodes()
    bodies = [_stage(graph, lanes, parts, number, unsigned) for number in range(len(parts.stages))]
    return "\n\n".join([*_declarations(lanes), *bodies, _all_stages(graph, lanes, parts)]) + "\n"


def vector_constant(value: float, lanes: int) -> str:
    """A vector of one number, exactly."""
    return f"<{', '.join([f'double {hexadecimal(value)}'] * lanes)}>"


def loop(name: str, count: str, body: str) -> str:
    """A counted loop around a body that uses %{name} as its number; `count` is at least 1."""
    return (
        f"  br label %{name}.enter\n{name}.enter:\n  br label %{name}.loop\n{name}.loop:\n"
        f"  %{name} = phi i64 [0, %{name}.enter], [%{name}.next, %{name}.loop]\n{body}\n"
        f"  %{name}.next = add i64 %{name}, 1\n  %{name}.more = icmp ult i64 %{name}.next, {count}\n"
        f"  br i1 %{name}.more, label %{name}.loop, label %{name}.end\n{name}.end:"
    )


def offset(result: str, pointer: str, number: str, size: int) -> str:
    """Pointer to part `number` of an array of parts of `size` bytes."""
    return f"  %{result}.at = mul i64 {number}, {size}\n  %{result} = getelementptr i8, ptr {pointer}, i64 %{result}.at"


def _declarations(lanes: int) -> Iterator[str]:
    V = f"<{lanes} x double>"
    for name in INTRINSICS.values():
        yield f"declare {V} @{name}.v{lanes}f64({V})"
    for order in ("umax", "smax"):
        yield f"declare <{lanes} x i64> @llvm.{order}.v{lanes}i64(<{lanes} x i64>, <{lanes} x i64>)"


def _stage(graph: Graph, lanes: int, parts: Partition, number: int, unsigned: frozenset[int]) -> str:
    body = "\n".join(_StageBody(graph, lanes, parts, number, unsigned).lines())
    return (
        f"define internal void @stage{number}(ptr noalias %inputs, ptr noalias %results, ptr noalias %carried, i64 %blocks) {{\n"
        f"{loop('block', '%blocks', body)}\n  ret void\n}}"
    )


def _all_stages(graph: Graph, lanes: int, parts: Partition) -> str:
    size = 8 * lanes
    calls = "\n".join(f"  call void @stage{i}(ptr %in, ptr %out, ptr %carried, i64 %count)" for i in range(len(parts.stages)))
    first = f"  %first = mul i64 %group, {GROUP}\n  %left = sub i64 %blocks, %first\n"
    count = f"  %few = icmp ult i64 %left, {GROUP}\n  %count = select i1 %few, i64 %left, i64 {GROUP}\n"
    ends = (
        offset("in", "%inputs", "%first", size * graph.input_count)
        + "\n"
        + offset("out", "%results", "%first", size * parts.result_count)
    )
    body = f"{first}{count}{ends}\n{calls}"
    return (
        "define void @evaluate_blocks(ptr %inputs, ptr %results, ptr %carried, i64 %blocks) {\n"
        f"  %rounded = add i64 %blocks, {GROUP - 1}\n  %groups = udiv i64 %rounded, {GROUP}\n"
        f"{loop('group', '%groups', body)}\n  ret void\n}}"
    )


class _StageBody:
    """The lines of one stage's loop body; every value is read from memory or computed once."""

    def __init__(self, graph: Graph, lanes: int, parts: Partition, number: int, unsigned: frozenset[int]) -> None:
        self._graph, self._lanes, self._parts, self._unsigned = graph, lanes, parts, unsigned
        self._steps = parts.stages[number]
        self._vector = f"<{lanes} x double>"
        self._negative = {graph.without_sign(i): i for i in parts.results if graph.nodes[i].op is Op.NEG}
        self._known: dict[int, str] = {}
        self._lines: list[str] = []

    def lines(self) -> list[str]:
        """LLVM IR of the stage for block %block."""
        size = 8 * self._lanes
        self._lines.append(offset("in", "%inputs", "%block", size * self._graph.input_count))
        self._lines.append(offset("out", "%results", "%block", size * self._parts.result_count))
        self._lines.append(offset("via", "%carried", "%block", size * self._parts.carried_count))
        first = self._steps == self._parts.stages[0]
        for i in self._parts.results if first else ():
            if self._graph.nodes[self._graph.without_sign(i)].op in MEMORY:  # a result that is an input or a constant
                self._store(i)
        for i in self._steps:
            self._known[i] = self._operation(i, self._graph.nodes[i])
            self._store(i)
            if i in self._negative:
                self._store(self._negative[i])
        return self._lines

    def _operation(self, i: int, node: Node) -> str:
        V, result = self._vector, f"%t{i}"
        arguments = [self._value(a) for a in node.arguments]
        if node.op in BINARY:
            self._lines.append(f"  {result} = {BINARY[node.op]} {V} {arguments[0]}, {arguments[1]}")
        elif node.op in INTRINSICS:
            operands = ", ".join(f"{V} {a}" for a in arguments)
            self._lines.append(f"  {result} = call {V} @{INTRINSICS[node.op]}.v{self._lanes}f64({operands})")
        elif node.op is Op.MAX:
            self._larger(result, arguments, "smax" if self._unsigned.issuperset(node.arguments) else "umax")
        elif node.op in (Op.ODD, Op.FLIP):
            self._by_quadrant(result, node.op, arguments)
        else:
            raise ValueError(f"'{node.op}' cannot be generated: lower the graph first")
        return result

    def _larger(self, result: str, arguments: list[str], order: str) -> None:
        """MAX by integers: the order of doubles that are not negative, with what is no number above all, even if it has a sign.

        Where none has, signed integers will do: AVX2 compares these alone in one instruction.
        """
        V, W = self._vector, f"<{self._lanes} x i64>"
        for name, argument in zip("ab", arguments, strict=True):
            self._lines.append(f"  {result}.{name} = bitcast {V} {argument} to {W}")
        self._lines.append(f"  {result}.bits = call {W} @llvm.{order}.v{self._lanes}i64({W} {result}.a, {W} {result}.b)")
        self._lines.append(f"  {result} = bitcast {W} {result}.bits to {V}")

    def _by_quadrant(self, result: str, op: Op, arguments: list[str]) -> None:
        """ODD and FLIP by the low two bits of the whole number."""
        V, W = self._vector, f"<{self._lanes} x i64>"
        bits = f"{result}.bits"
        self._lines.append(f"  {result}.sum = fadd {V} {arguments[0]}, {vector_constant(WHOLE, self._lanes)}")
        self._lines.append(f"  {bits} = bitcast {V} {result}.sum to {W}")
        if op is Op.ODD:
            self._lines.append(f"  {result}.odd = trunc {W} {bits} to <{self._lanes} x i1>")
            self._lines.append(f"  {result} = select <{self._lanes} x i1> {result}.odd, {V} {arguments[2]}, {V} {arguments[1]}")
            return
        self._lines.append(f"  {result}.up = shl {W} {bits}, splat (i64 62)")
        self._lines.append(f"  {result}.sign = and {W} {result}.up, splat (i64 {-(1 << 63)})")
        self._lines.append(f"  {result}.raw = bitcast {V} {arguments[1]} to {W}")
        self._lines.append(f"  {result}.turned = xor {W} {result}.raw, {result}.sign")
        self._lines.append(f"  {result} = bitcast {W} {result}.turned to {V}")

    def _value(self, i: int) -> str:
        """The operand that holds node i: a constant, a value of this stage, or one read from memory."""
        node = self._graph.nodes[i]
        if node.op is Op.CONSTANT:
            return vector_constant(float(node.value), self._lanes)  # type: ignore[arg-type]
        if i not in self._known:
            if node.op is Op.NEG:
                argument = self._value(node.arguments[0])
                self._lines.append(f"  %t{i} = fneg {self._vector} {argument}")
            else:
                self._lines.append(f"  %p{i} = getelementptr i8, ptr {self._address(i)}")
                self._lines.append(f"  %t{i} = load {self._vector}, ptr %p{i}, align {8 * self._lanes}")
            self._known[i] = f"%t{i}"
        return self._known[i]

    def _address(self, i: int) -> str:
        node, size = self._graph.nodes[i], 8 * self._lanes
        if node.op is Op.INPUT:
            return f"%in, i64 {int(node.value or 0) * size}"
        if i in self._parts.results:
            return f"%out, i64 {self._parts.results[i][0] * size}"
        return f"%via, i64 {self._parts.carried[i] * size}"

    def _store(self, i: int) -> None:
        """Writes node i to its places among the results, or to where a later stage finds it."""
        size = 8 * self._lanes
        targets = [f"%out, i64 {place * size}" for place in self._parts.results.get(i, ())]
        if not targets and i in self._parts.carried:
            targets = [f"%via, i64 {self._parts.carried[i] * size}"]
        for number, target in enumerate(targets):
            value = self._value(i)
            self._lines.append(f"  %s{i}.{number} = getelementptr i8, ptr {target}")
            self._lines.append(f"  store {self._vector} {value}, ptr %s{i}.{number}, align {size}")


def hexadecimal(value: float) -> str:
    """A double as LLVM writes it, bit by bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
