"""LLVM IR around a machine's interpreter: blocks of states come in from rows of NumPy arrays, and go out into such rows or as
vectors of states.

Nothing in it depends on a robot: tables say where numbers stand. The last block repeats the last state in its idle lanes,
and those write the same numbers to the same row again.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from leapcheck_reference.trace.double_double_arithmetic import Code
from leapcheck_reference.trace.native import ALIGNMENT

INPUT_FIELDS = 2
"""Of an input's entry in the table of inputs: address of its number of the first state, bytes from state to state."""

GROUP_FIELDS = 3
"""Of a group's entry in the table of groups: the same for its first number, and how many numbers it has."""

PARAMETERS = "i64 %n, ptr %program, ptr %memory, i64 %inputs, ptr %input_table, i64 %first"
"""Of both functions: the number of states, the program, the memory of a block, the inputs and the place of the first."""


def module(interpreter: str, width: int, lanes: int, parts: int) -> str:
    """IR of `evaluate_rows` and `evaluate_vectors` around the `interpreter` of a machine whose numbers have so many parts.

    Both run the program on n states, `lanes` at a time, of which `width` fit into one vector. The numbers of input k come from
    where the table of inputs says and go into the memory of the block at `first` and on, in the order of k.

    `evaluate_rows(..., groups, group_table, places, signs)`: a group is up to `width` consecutive numbers of an output's row:
    `places` (groups, width) says where each stands in the memory, int32 byte offsets, and `signs` (groups, width) by what it
    is multiplied. `evaluate_vectors(..., entries, places, signs, results)` writes the same of each entry to aligned `results`
    (vectors, entries, width).
    """
    rows, vectors = Code(lanes, fused=False), Code(lanes, fused=False)
    _rows_function(rows, width, parts)
    _vectors_function(vectors, width, parts)
    masked = f"declare void @llvm.masked.store.v{width}f64.p0(<{width} x double>, ptr, i32, <{width} x i1>)"
    return interpreter + "\n".join([masked, *rows.lines, *vectors.lines]) + "\n"


def _rows_function(code: Code, width: int, parts: int) -> None:
    code.lines += [
        f"define void @evaluate_rows({PARAMETERS}, i64 %groups, ptr %group_table, ptr %places, ptr %signs) {{",
        "begin:",
    ]
    with _blocks(code, parts) as rows, _loop(code, "group", "%groups"):
        _store_group(code, rows, width)
    code.lines += ["  ret void", "}"]


def _vectors_function(code: Code, width: int, parts: int) -> None:
    code.lines += [
        f"define void @evaluate_vectors({PARAMETERS}, i64 %entries, ptr %places, ptr %signs, ptr %results) {{",
        "begin:",
        f"  %more.vectors = add i64 %n, {width - 1}",
        f"  %vectors = udiv i64 %more.vectors, {width}",
    ]
    with _blocks(code, parts):
        first = code.emit(f"mul i64 %block, {code.lanes // width}")
        count = _smaller(code, code.emit(f"sub i64 %vectors, {first}"), str(code.lanes // width))
        with _loop(code, "entry", "%entries"):
            _store_entry(code, width, first, count)
    code.lines += ["  ret void", "}"]


def _store_entry(code: Code, width: int, first: str, count: str) -> None:
    """An entry's vectors into the results."""
    vector, size = f"<{width} x double>", 8 * width
    place = code.emit(f"load i32, ptr {code.emit('getelementptr i32, ptr %places, i64 %entry')}, align 4")
    source = code.emit(f"getelementptr i8, ptr %memory, i64 {code.emit(f'zext i32 {place} to i64')}")
    number = code.emit(f"load double, ptr {code.emit('getelementptr double, ptr %signs, i64 %entry')}, align 8")
    one = code.emit(f"insertelement {vector} poison, double {number}, i64 0")
    sign = code.emit(f"shufflevector {vector} {one}, {vector} poison, <{width} x i32> zeroinitializer")
    with _loop(code, "vector", count):
        part = code.emit(f"getelementptr i8, ptr {source}, i64 {code.emit(f'mul i64 %vector, {size}')}")
        signed = code.emit(f"fmul {vector} {code.emit(f'load {vector}, ptr {part}, align {size}')}, {sign}")
        row = code.emit(f"mul i64 {code.emit(f'add i64 {first}, %vector')}, %entries")
        offset = code.emit(f"mul i64 {code.emit(f'add i64 {row}, %entry')}, {size}")
        code.effect(f"store {vector} {signed}, ptr {code.emit(f'getelementptr i8, ptr %results, i64 {offset}')}, align {size}")


@contextmanager
def _blocks(code: Code, parts: int) -> Iterator[list[str]]:
    """A loop over the blocks in which inputs are loaded and the program is run; yields the numbers of the lanes' states."""
    code.lines += [
        "  %last = sub i64 %n, 1",
        f"  %more = add i64 %n, {code.lanes - 1}",
        f"  %blocks = udiv i64 %more, {code.lanes}",
    ]
    with _loop(code, "block", "%blocks"):
        start = code.emit(f"mul i64 %block, {code.lanes}")
        rows = [_smaller(code, code.emit(f"add i64 {start}, {lane}"), "%last") for lane in range(code.lanes)]
        with _loop(code, "input", "%inputs"):
            _load_input(code, rows, parts)
        code.effect("call void @interpret(ptr %program, ptr %memory)")
        yield rows


def _load_input(code: Code, rows: list[str], parts: int) -> None:
    """One number of all states into its first part; a second one is 0."""
    column, stride = _fields(code, "%input_table", "%input", INPUT_FIELDS)
    offset = code.emit(f"add i64 %first, {code.emit(f'mul i64 %input, {8 * parts * code.lanes}')}")
    place = code.emit(f"getelementptr i8, ptr %memory, i64 {offset}")
    for lane, row in enumerate(rows):
        number = code.emit(f"load double, ptr {_row(code, column, stride, row)}, align 8")
        code.effect(f"store double {number}, ptr {code.emit(f'getelementptr double, ptr {place}, i64 {lane}')}, align 8")
    for part in range(1, parts):
        low = code.emit(f"getelementptr {code.vector}, ptr {place}, i64 {part}")
        code.effect(f"store {code.vector} zeroinitializer, ptr {low}, align {ALIGNMENT}")


def _store_group(code: Code, rows: list[str], width: int) -> None:
    """The numbers of a group into the rows of all states: squares of numbers and states are transposed."""
    vector = f"<{width} x double>"
    column, stride, count = _fields(code, "%group_table", "%group", GROUP_FIELDS)
    entry = code.emit(f"mul i64 %group, {width}")
    signs = code.emit(f"load {vector}, ptr {code.emit(f'getelementptr double, ptr %signs, i64 {entry}')}, align 8")
    table = code.emit(f"getelementptr i32, ptr %places, i64 {entry}")
    places = []
    for k in range(width):
        offset = code.emit(f"load i32, ptr {code.emit(f'getelementptr i32, ptr {table}, i64 {k}')}, align 4")
        places.append(code.emit(f"getelementptr i8, ptr %memory, i64 {code.emit(f'zext i32 {offset} to i64')}"))
    values = [row for lane in range(0, code.lanes, width) for row in _rows_of_square(code, places, lane, vector)]
    signed = [code.emit(f"fmul {vector} {value}, {signs}") for value in values]
    targets = [_row(code, column, stride, row) for row in rows]
    code.effect(f"br i1 {code.emit(f'icmp eq i64 {count}, {width}')}, label %whole, label %part")
    code.label("whole")
    for value, target in zip(signed, targets, strict=True):
        code.effect(f"store {vector} {value}, ptr {target}, align 8")
    code.effect("br label %stored")
    code.label("part")  # apart: masked stores of AVX2 take ten times as long on some CPUs
    mask = f"<{width} x i1> {_first(code, count, width)}"
    for value, target in zip(signed, targets, strict=True):
        code.effect(f"call void @llvm.masked.store.v{width}f64.p0({vector} {value}, ptr {target}, i32 8, {mask})")
    code.effect("br label %stored")
    code.label("stored")


def _rows_of_square(code: Code, places: list[str], lane: int, vector: str) -> list[str]:
    """The numbers at the places of as many states from `lane` on: a vector per state."""
    parts = [code.emit(f"getelementptr double, ptr {place}, i64 {lane}") for place in places]
    return _transpose(code, [code.emit(f"load {vector}, ptr {part}, align {8 * len(places)}") for part in parts], vector)


def _transpose(code: Code, vectors: list[str], vector: str) -> list[str]:
    """A square of numbers, rows for columns: halves, quarters, ... of vectors change places."""
    width = len(vectors)
    half = width // 2
    while half:
        low = [j - half + width if j & half else j for j in range(width)]
        high = [j + width if j & half else j + half for j in range(width)]
        swapped = list(vectors)
        for i in (i for i in range(width) if not i & half):
            for place, order in ((i, low), (i + half, high)):
                mask = f"<{width} x i32> <{', '.join(f'i32 {j}' for j in order)}>"
                swapped[place] = code.emit(f"shufflevector {vector} {vectors[i]}, {vector} {vectors[i + half]}, {mask}")
        vectors, half = swapped, half // 2
    return vectors


def _first(code: Code, count: str, width: int) -> str:
    """Mask of the first `count` of a vector's places."""
    whole = f"<{width} x i64>"
    one = code.emit(f"insertelement {whole} poison, i64 {count}, i64 0")
    all_ = code.emit(f"shufflevector {whole} {one}, {whole} poison, <{width} x i32> zeroinitializer")
    return code.emit(f"icmp ult {whole} <{', '.join(f'i64 {k}' for k in range(width))}>, {all_}")


def _fields(code: Code, table: str, entry: str, count: int) -> list[str]:
    """The whole numbers of an entry of a table."""
    start = code.emit(f"mul i64 {entry}, {count}")
    first = code.emit(f"getelementptr i64, ptr {table}, i64 {start}")
    return [code.emit(f"load i64, ptr {code.emit(f'getelementptr i64, ptr {first}, i64 {k}')}, align 8") for k in range(count)]


def _row(code: Code, column: str, stride: str, row: str) -> str:
    """Pointer to a number of a state."""
    address = code.emit(f"add i64 {column}, {code.emit(f'mul i64 {row}, {stride}')}")
    return code.emit(f"inttoptr i64 {address} to ptr")


def _smaller(code: Code, a: str, b: str) -> str:
    is_smaller = code.emit(f"icmp ult i64 {a}, {b}")
    return code.emit(f"select i1 {is_smaller}, i64 {a}, i64 {b}")


@contextmanager
def _loop(code: Code, name: str, count: str) -> Iterator[None]:
    """A loop over %name = 0, 1, ... below count around what is emitted inside."""
    code.effect(f"br label %{name}.enter")
    code.label(f"{name}.enter")
    code.effect(f"br label %{name}.head")
    code.label(f"{name}.head")
    code.effect(f"%{name} = phi i64 [0, %{name}.enter], [%{name}.next, %{name}.end]")
    code.effect(f"%{name}.more = icmp ult i64 %{name}, {count}")
    code.effect(f"br i1 %{name}.more, label %{name}.body, label %{name}.done")
    code.label(f"{name}.body")
    yield
    code.effect(f"br label %{name}.end")
    code.label(f"{name}.end")
    code.effect(f"%{name}.next = add i64 %{name}, 1")
    code.effect(f"br label %{name}.head")
    code.label(f"{name}.done")
