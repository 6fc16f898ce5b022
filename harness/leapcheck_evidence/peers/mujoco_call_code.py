"""Calls of a library's C functions as straight machine code for one robot: no table is read between them.

`call_table` runs any program with one small loop that is compiled once. Here the program itself is compiled, with every
address that stays written into the code: the most direct call there is, for timing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from leapcheck.engines.mujoco.call_table import NUMBER_SIZE, Address, Argument, Call

FUNCTION = "call_all"


def calls_ir(calls: Sequence[Call], functions: Callable[[str], int], fixed: Mapping[str, int], rows: Mapping[str, int]) -> str:
    """LLVM IR of `call_all(states, *arrays)`: the calls for one state after the other.

    `fixed` holds the addresses of the arrays that stay; `rows`, in the order of the arguments, how many numbers a state's row
    has in each array that has one per state.
    """
    parameters = ", ".join(f"ptr %array{i}" for i in range(len(rows)))
    places = [
        f"  %at{i} = mul i64 %state, {size}\n  %row{i} = getelementptr double, ptr %array{i}, i64 %at{i}"
        for i, size in enumerate(rows.values())
    ]
    numbers = {name: i for i, name in enumerate(rows)}
    lines = [line for k, made in enumerate(calls) for line in _call(k, made, functions, fixed, numbers)]
    return f"""define void @{FUNCTION}(i64 %states, {parameters}) {{
entry:
  br label %loop
loop:
  %state = phi i64 [ 0, %entry ], [ %next, %loop ]
{chr(10).join(places)}
{chr(10).join(lines)}
  %next = add i64 %state, 1
  %more = icmp ult i64 %next, %states
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _call(k: int, made: Call, functions: Callable[[str], int], fixed: Mapping[str, int], numbers: Mapping[str, int]) -> list[str]:
    """One call, with the places of its arguments before it."""
    lines, arguments = [], []
    for i, argument in enumerate(made.arguments):
        name, offset = _place(argument)
        if not name:
            arguments.append(f"i64 {argument}")  # an integer or the null pointer: C hands both over alike
        elif name in numbers:
            lines.append(f"  %place{k}.{i} = getelementptr double, ptr %row{numbers[name]}, i64 {offset}")
            arguments.append(f"ptr %place{k}.{i}")
        else:
            arguments.append(f"i64 {fixed[name] + NUMBER_SIZE * offset}")
    return [*lines, f"  call void inttoptr (i64 {functions(made.function)} to ptr)({', '.join(arguments)})"]


def _place(argument: Argument) -> tuple[str, int]:
    """Name of the array that an argument points into, empty for an integer, and how many numbers behind its begin."""
    if isinstance(argument, Address):
        return argument.array, argument.offset
    return (argument, 0) if isinstance(argument, str) else ("", 0)
