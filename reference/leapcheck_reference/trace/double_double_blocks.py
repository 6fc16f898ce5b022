"""LLVM IR around the interpreter: blocks of states come in from rows of NumPy arrays and go out into such rows.

Nothing in it depends on a robot: tables say where numbers stand. The last block repeats the last state in its idle lanes,
and those write the same numbers to the same row again.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from leapcheck_reference.trace.double_double_arithmetic import Code
from leapcheck_reference.trace.double_double_machine import ALIGNMENT, interpreter

INPUT_FIELDS = 2
"""Of an input's entry in the table of inputs: address of its number of the first state, bytes from state to state."""

GROUP_FIELDS = 3
"""Of a group's entry in the table of groups: the same for its first number, and how many numbers it has."""


def module(width: int, lanes: int, fused: bool) -> str:
    """IR of `evaluate(n, program, memory, inputs, input_table, first, groups, group_table, places, signs)`.

    Runs the program on n states, `lanes` at a time, of which `width` fit into one vector. The numbers of input k come from
    where the table of inputs says and go into the memory of the block at `first` and on, in the order of k. A group is up to
    `width` consecutive numbers of an output's row: `places` (groups, width) says where each stands in the memory, int32
    byte offsets, and `signs` (groups, width) by what it is multiplied.
    """
    code = Code(lanes, fused)
    code.lines += [
        "define void @evaluate(i64 %n, ptr %program, ptr %memory, i64 %inputs, ptr %input_table, i64 %first, "
        "i64 %groups, ptr %group_table, ptr %places, ptr %signs) {",
        "begin:",
        "  %last = sub i64 %n, 1",
        f"  %more = add i64 %n, {lanes - 1}",
        f"  %blocks = udiv i64 %more, {lanes}",
    ]
    with _loop(code, "block", "%blocks"):
        start = code.emit(f"mul i64 %block, {lanes}")
        rows = [_smaller(code, code.emit(f"add i64 {start}, {lane}"), "%last") for lane in range(lanes)]
        with _loop(code, "input", "%inputs"):
            _load_input(code, rows)
        code.effect("call void @interpret(ptr %program, ptr %memory)")
        with _loop(code, "group", "%groups"):
            _store_group(code, rows, width)
    code.lines += ["  ret void", "}"]
    masked = f"declare void @llvm.masked.store.v{width}f64.p0(<{width} x double>, ptr, i32, <{width} x i1>)"
    return interpreter(lanes, fused) + "\n".join([masked, *code.lines]) + "\n"


def _load_input(code: Code, rows: list[str]) -> None:
    """One number of all states into hi; lo is 0."""
    column, stride = _fields(code, "%input_table", "%input", INPUT_FIELDS)
    offset = code.emit(f"add i64 %first, {code.emit(f'mul i64 %input, {16 * code.lanes}')}")
    place = code.emit(f"getelementptr i8, ptr %memory, i64 {offset}")
    for lane, row in enumerate(rows):
        number = code.emit(f"load double, ptr {_row(code, column, stride, row)}, align 8")
        code.effect(f"store double {number}, ptr {code.emit(f'getelementptr double, ptr {place}, i64 {lane}')}, align 8")
    low = code.emit(f"getelementptr {code.vector}, ptr {place}, i64 1")
    code.effect(f"store {code.vector} zeroinitializer, ptr {low}, align {ALIGNMENT}")


def _store_group(code: Code, rows: list[str], width: int) -> None:
    """The numbers of a group into the rows of all states: squares of numbers and states are transposed."""
    vector = f"<{width} x double>"
    column, stride, count = _fields(code, "%group_table", "%group", GROUP_FIELDS)
    entry = code.emit(f"mul i64 %group, {width}")
    signs = code.emit(f"load {vector}, ptr {code.emit(f'getelementptr double, ptr %signs, i64 {entry}')}, align 8")
    mask = _first(code, count, width)
    table = code.emit(f"getelementptr i32, ptr %places, i64 {entry}")
    places = []
    for k in range(width):
        offset = code.emit(f"load i32, ptr {code.emit(f'getelementptr i32, ptr {table}, i64 {k}')}, align 4")
        places.append(code.emit(f"getelementptr i8, ptr %memory, i64 {code.emit(f'zext i32 {offset} to i64')}"))
    for lane in range(0, code.lanes, width):
        parts = [code.emit(f"getelementptr double, ptr {place}, i64 {lane}") for place in places]
        columns = [code.emit(f"load {vector}, ptr {part}, align {8 * width}") for part in parts]
        for values, row in zip(_transpose(code, columns, vector), rows[lane : lane + width], strict=True):
            signed = code.emit(f"fmul {vector} {values}, {signs}")
            target = _row(code, column, stride, row)
            store = f"@llvm.masked.store.v{width}f64.p0({vector} {signed}, ptr {target}, i32 8, <{width} x i1> {mask})"
            code.effect(f"call void {store}")


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
