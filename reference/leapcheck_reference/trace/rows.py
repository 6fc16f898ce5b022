"""LLVM IR between the NumPy layout (states, numbers) and the blocks of a kernel: transposition by shuffles in registers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.llvm import loop, offset, vector_constant
from leapcheck_reference.trace.partition import GROUP, Partition

PIECES = 48
"""Pieces of a row (one vector each) that one loop writes: its code, too, has to stay in the cache of decoded instructions."""

ROW_GROUP = GROUP // 2
"""Blocks that are evaluated before their rows are written: results and rows together have to stay in the second-level cache."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A vector's worth of consecutive numbers of a row: first number, and how many count (fewer only in a short row)."""

    first: int
    width: int


def pieces(size: int, lanes: int) -> list[Piece]:
    """A row cut into vectors; the last one overlaps the one before it where the row is no multiple."""
    if size <= lanes:
        return [Piece(0, size)] if size else []
    starts = [*range(0, size - lanes, lanes), size - lanes]
    return [Piece(start, lanes) for start in starts]


def varying_pieces(is_constant: Sequence[bool], lanes: int) -> list[Piece]:
    """As few vectors as cover all numbers of a row that are not the same at every state."""
    size = len(is_constant)
    if size <= lanes:
        return [] if all(is_constant) else pieces(size, lanes)
    cuts: list[Piece] = []
    covered = 0
    for i in (i for i in range(size) if not is_constant[i]):
        if i >= covered:
            cuts.append(Piece(min(i, size - lanes), lanes))
            covered = cuts[-1].first + lanes
    return cuts


class Way(StrEnum):
    """How a row is written: whole, or only what is not the same at every state (some of the rest may be written again)."""

    ROWS = "rows"
    VARYING = "varying"


def results_module(graph: Graph, lanes: int, parts: Partition) -> str:
    """IR of `evaluate_results(inputs, results, scratch, blocks)` to stand behind `blocks_module`: results are left in blocks.

    `inputs` is a table of pointers to the C-ordered arrays (states, numbers) of each input of the graph, states =
    blocks * lanes. `scratch` holds GROUP blocks of inputs, results and carried values.
    """
    return "\n\n".join([_mask_declarations(lanes), *_readers(graph, lanes), _evaluate_results(graph, lanes, parts)]) + "\n"


def rows_module(graph: Graph, lanes: int, parts: Partition, way: Way) -> str:
    """IR of `evaluate_rows`, or `evaluate_varying`, `(inputs, outputs, scratch, blocks)`: a module of its own, linked to
    `blocks_module`.

    Like `evaluate_results`; `outputs` is a table of pointers to the C-ordered arrays of each output.
    """
    rows = {name: _pieces_of(graph, places.ravel().tolist(), lanes, way) for name, places in graph.outputs.items()}
    writers = [
        _writer(f"{name}_{k}", graph, lanes, parts, graph.outputs[name].ravel().tolist(), part)
        for name, all_pieces in rows.items()
        for k, part in enumerate(_portions(all_pieces))
    ]
    declarations = ["declare void @evaluate_blocks(ptr, ptr, ptr, i64)", _mask_declarations(lanes)]
    entry = _evaluate_rows(f"evaluate_{way}", rows, graph, lanes, parts)
    return "\n\n".join([*declarations, *_readers(graph, lanes), *writers, entry]) + "\n"


def _pieces_of(graph: Graph, nodes: list[int], lanes: int, way: Way) -> list[Piece]:
    if way is Way.ROWS:
        return pieces(len(nodes), lanes)
    return varying_pieces([graph.nodes[i].op is Op.CONSTANT for i in nodes], lanes)


def _readers(graph: Graph, lanes: int) -> list[str]:
    return [_reader(name, size, first, graph, lanes) for name, size, first in input_rows(graph)]


def input_rows(graph: Graph) -> Iterator[tuple[str, int, int]]:
    """(name, numbers, first place among all inputs) of each input."""
    first = 0
    for name, shape in graph.inputs.items():
        size = 1
        for length in shape:
            size *= length
        yield name, size, first
        first += size


def _portions(all_pieces: Sequence[Piece]) -> list[Sequence[Piece]]:
    return [all_pieces[i : i + PIECES] for i in range(0, len(all_pieces), PIECES)]


def _mask_declarations(lanes: int) -> str:
    V, mask = f"<{lanes} x double>", f"<{lanes} x i1>"
    return (
        f"declare {V} @llvm.masked.load.v{lanes}f64.p0(ptr, i32, {mask}, {V})\n"
        f"declare void @llvm.masked.store.v{lanes}f64.p0({V}, ptr, i32, {mask})"
    )


def _mask(width: int, lanes: int) -> str:
    return f"<{lanes} x i1> <{', '.join(f'i1 {int(i < width)}' for i in range(lanes))}>"


class _Lines:
    """Lines of IR with fresh names."""

    def __init__(self, lanes: int) -> None:
        self.lanes, self.vector = lanes, f"<{lanes} x double>"
        self.lines: list[str] = []

    def value(self, text: str) -> str:
        """The name of a new value."""
        name = f"%x{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def pointer(self, base: str, numbers: int) -> str:
        """Pointer that many doubles behind another."""
        return self.value(f"getelementptr i8, ptr {base}, i64 {8 * numbers}")

    def load(self, base: str, numbers: int, width: int) -> str:
        """`width` doubles from there, zeros behind them."""
        pointer = self.pointer(base, numbers)
        if width == self.lanes:
            return self.value(f"load {self.vector}, ptr {pointer}, align 8")
        masked = f"@llvm.masked.load.v{self.lanes}f64.p0(ptr {pointer}, i32 8, {_mask(width, self.lanes)}"
        return self.value(f"call {self.vector} {masked}, {self.vector} zeroinitializer)")

    def store(self, value: str, base: str, numbers: int, width: int) -> None:
        """The first `width` doubles of a vector to there."""
        pointer = self.pointer(base, numbers)
        if width == self.lanes:
            self.lines.append(f"  store {self.vector} {value}, ptr {pointer}, align 8")
            return
        masked = f"@llvm.masked.store.v{self.lanes}f64.p0({self.vector} {value}, ptr {pointer}, i32 8"
        self.lines.append(f"  call void {masked}, {_mask(width, self.lanes)})")

    def transpose(self, vectors: list[str]) -> list[str]:
        """The square of vectors with lanes and vectors exchanged: one butterfly per bit of the lane's number."""
        step = 1
        while step < self.lanes:
            swapped = list(vectors)
            for i in (i for i in range(self.lanes) if not i & step):
                low = [j if not j & step else self.lanes + j - step for j in range(self.lanes)]
                high = [j + step if not j & step else self.lanes + j for j in range(self.lanes)]
                swapped[i] = self._shuffle(vectors[i], vectors[i | step], low)
                swapped[i | step] = self._shuffle(vectors[i], vectors[i | step], high)
            vectors = swapped
            step *= 2
        return vectors

    def _shuffle(self, a: str, b: str, order: list[int]) -> str:
        mask = ", ".join(f"i32 {j}" for j in order)
        return self.value(f"shufflevector {self.vector} {a}, {self.vector} {b}, <{self.lanes} x i32> <{mask}>")


def _reader(name: str, size: int, first: int, graph: Graph, lanes: int) -> str:
    """Function that brings the rows of one input into blocks."""
    out = _Lines(lanes)
    out.lines += [
        offset("row", "%array", "%block", 8 * lanes * size),
        offset("in", "%inputs", "%block", 8 * lanes * graph.input_count),
    ]
    for piece in pieces(size, lanes):
        rows = [out.load("%row", lane * size + piece.first, piece.width) for lane in range(lanes)]
        for number, vector in enumerate(out.transpose(rows)[: piece.width]):
            out.store(vector, "%in", (first + piece.first + number) * lanes, lanes)
    return _function(
        f"read_{name}", "ptr noalias %array, ptr noalias %inputs, i64 %blocks", loop("block", "%blocks", "\n".join(out.lines))
    )


def _writer(name: str, graph: Graph, lanes: int, parts: Partition, nodes: list[int], part: Sequence[Piece]) -> str:
    """Function that writes some pieces of each row of one output out of the blocks of results."""
    out = _Lines(lanes)
    size = len(nodes)
    out.lines += [
        offset("row", "%array", "%block", 8 * lanes * size),
        offset("res", "%results", "%block", 8 * lanes * parts.result_count),
    ]
    for piece in part:
        wanted = nodes[piece.first : piece.first + piece.width]
        if size == 1:  # one number a state: a block of it is a piece of the array
            out.store(_entry(out, graph, parts.results, int(wanted[0])), "%row", 0, lanes)
            continue
        vectors = [_entry(out, graph, parts.results, int(node)) for node in wanted]
        vectors += ["zeroinitializer"] * (lanes - len(vectors))
        constant = all(graph.nodes[int(node)].op is Op.CONSTANT for node in wanted)
        rows = [_constants(graph, wanted, lanes)] * lanes if constant else out.transpose(vectors)
        for lane, row in enumerate(rows):
            out.store(row, "%row", lane * size + piece.first, piece.width)
    body = "\n".join(out.lines)
    return _function(f"write_{name}", "ptr noalias %array, ptr noalias %results, i64 %blocks", loop("block", "%blocks", body))


def _constants(graph: Graph, nodes: Sequence[int], lanes: int) -> str:
    """The vector of a row's consecutive constants."""
    values = [float(graph.nodes[int(node)].value) for node in nodes]  # type: ignore[arg-type]
    values += [0.0] * (lanes - len(values))
    return f"<{', '.join(vector_constant(value, 1)[1:-1] for value in values)}>"


def _entry(out: _Lines, graph: Graph, results: Mapping[int, tuple[int, ...]], node: int) -> str:
    """The vector of one entry of an output: constant, result, or a result with its sign turned."""
    if graph.nodes[node].op is Op.CONSTANT:
        return vector_constant(float(graph.nodes[node].value), out.lanes)  # type: ignore[arg-type]
    vector = out.load("%res", results[graph.without_sign(node)][0] * out.lanes, out.lanes)
    return out.value(f"fneg {out.vector} {vector}") if graph.nodes[node].op is Op.NEG else vector


def _evaluate_rows(function: str, rows: Mapping[str, list[Piece]], graph: Graph, lanes: int, parts: Partition) -> str:
    """The loop over groups of blocks: read rows, run the stages, write rows."""
    results = f"  %results = getelementptr i8, ptr %scratch, i64 {8 * lanes * GROUP * graph.input_count}"
    writes = []
    for k, (name, places) in enumerate(graph.outputs.items()):
        writes += _array(f"output{k}", "%outputs", k, 8 * lanes * places.size)
        for p in range(len(_portions(rows[name]))):
            writes.append(f"  call void @write_{name}_{p}(ptr %output{k}, ptr %results, i64 %count)")
    return _over_groups(function, "ptr %outputs", [results], writes, graph, lanes, parts)


def _evaluate_results(graph: Graph, lanes: int, parts: Partition) -> str:
    """The loop over groups of blocks: read rows, run the stages."""
    results = offset("results", "%all", "%first", 8 * lanes * parts.result_count)
    return _over_groups("evaluate_results", "ptr %all", [results], [], graph, lanes, parts)


def _over_groups(
    name: str, target: str, results: list[str], writes: list[str], graph: Graph, lanes: int, parts: Partition
) -> str:
    size = 8 * lanes * GROUP
    group = ROW_GROUP if writes else GROUP
    lines = [
        f"  %first = mul i64 %group, {group}",
        "  %left = sub i64 %blocks, %first",
        f"  %few = icmp ult i64 %left, {group}",
        f"  %count = select i1 %few, i64 %left, i64 {group}",
        f"  %carried = getelementptr i8, ptr %scratch, i64 {size * (graph.input_count + parts.result_count)}",
        *results,
    ]
    for k, (array, numbers, _) in enumerate(input_rows(graph)):
        lines += _array(f"input{k}", "%inputs", k, 8 * lanes * numbers)
        lines.append(f"  call void @read_{array}(ptr %input{k}, ptr %scratch, i64 %count)")
    lines.append("  call void @evaluate_blocks(ptr %scratch, ptr %results, ptr %carried, i64 %count)")
    rounded = f"  %rounded = add i64 %blocks, {group - 1}\n  %groups = udiv i64 %rounded, {group}\n"
    text = rounded + loop("group", "%groups", "\n".join(lines + writes))
    return f"define void @{name}(ptr %inputs, {target}, ptr %scratch, i64 %blocks) {{\n{text}\n  ret void\n}}"


def _array(name: str, table: str, number: int, block_size: int) -> list[str]:
    """The pointer to the group's first state in one array of a table."""
    return [
        f"  %{name}.slot = getelementptr ptr, ptr {table}, i64 {number}",
        f"  %{name}.array = load ptr, ptr %{name}.slot",
        offset(name, f"%{name}.array", "%first", block_size),
    ]


def _function(name: str, parameters: str, body: str) -> str:
    return f"define internal void @{name}({parameters}) {{\n{body}\n  ret void\n}}"
