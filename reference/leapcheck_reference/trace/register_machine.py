"""The machine that runs a record of doubles on blocks of states: an interpreter in LLVM IR, compiled once for all records.

What a record compiled for itself computes, it computes too, bit for bit, at a fifth of the speed and without a compiler's
seconds. A program is a list of 32-bit words: an instruction is its number and then the places of its operands and of its
result: byte offsets into the memory of a block, where a number is `LANES` doubles and a constant is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.double_double_arithmetic import Code
from leapcheck_reference.trace.graph import Op
from leapcheck_reference.trace.llvm import BINARY, WHOLE
from leapcheck_reference.trace.machine import Machine
from leapcheck_reference.trace.machine_batches import module
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.native import ALIGNMENT

LANES = 32
"""States in a block: enough that finding the next instruction costs little beside it."""


class Instruction(NamedTuple):
    """An operation, and which of its operands are constants."""

    op: Op
    constant: tuple[bool, ...]


UNARY = {Op.SQRT: "sqrt", Op.ABS: "fabs", Op.ROUND: "roundeven"}
"""LLVM's names of functions of one argument."""

FREE = {**dict.fromkeys((*UNARY, Op.NEG), 1), Op.MAX: 2, Op.FLIP: 2, Op.ODD: 3}
"""Operations whose operands are never constants, and how many they have."""

INSTRUCTIONS: Mapping[Instruction, int] = {
    instruction: number
    for number, instruction in enumerate(
        [
            *(Instruction(op, places) for op in BINARY for places in ((False, False), (False, True), (True, False))),
            *(Instruction(op, (False,) * count) for op, count in FREE.items()),
        ],
        start=1,
    )
}
"""The number of each instruction; `STOP` is the first one."""

STOP = 0


def register_machine(program: MachineProgram) -> Machine:
    """The machine with a program."""
    return Machine(program, _library(), LANES, native.vector_width())


@lru_cache(maxsize=1)
def _library() -> native.Library:
    """The machine, kept in the user's cache."""

    def make() -> bytes:
        return native.object_code(module(interpreter(), native.vector_width(), LANES, parts=1))

    return native.Library(load_or_make(b"register machine" + native.target_key(), make))


def interpreter() -> str:
    """IR of `interpret(program, memory)`, which runs a program on the memory of one block.

    Each instruction jumps to the next one itself (LLVM copies the block "dispatch" to their ends).
    """
    code = Code(LANES, fused=False)
    for instruction, number in INSTRUCTIONS.items():
        _emit(code, instruction, number)
    vector, names = code.vector, [f"%do{number}" for number in (STOP, *INSTRUCTIONS.values())]
    whole = vector.replace("double", "i64")
    return "\n".join(
        [
            *(f"declare {vector} @llvm.{name}.v{LANES}f64({vector})" for name in UNARY.values()),
            f"declare {whole} @llvm.umax.v{LANES}i64({whole}, {whole})",
            f"@instructions = internal constant [{len(names)} x ptr] "
            f"[{', '.join(f'ptr blockaddress(@interpret, {name})' for name in names)}]",
            "define internal void @interpret(ptr %program, ptr %memory) {",
            "entry:",
            "  br label %dispatch",
            "dispatch:",
            f"  %ip = phi ptr [%program, %entry], {', '.join(f'[%next{n}, %do{n}]' for n in INSTRUCTIONS.values())}",
            "  %number = load i32, ptr %ip, align 4",
            "  %number.wide = zext i32 %number to i64",
            "  %entry.of = getelementptr ptr, ptr @instructions, i64 %number.wide",
            "  %target = load ptr, ptr %entry.of, align 8",
            f"  indirectbr ptr %target, [{', '.join(f'label {name}' for name in names)}]",
            f"do{STOP}:",
            "  ret void",
            *code.lines,
            "}\n",
        ]
    )


def _emit(code: Code, instruction: Instruction, number: int) -> None:
    """The block of an instruction."""
    code.label(f"do{number}")
    count = len(instruction.constant)
    operands = [_operand(code, word, constant) for word, constant in enumerate(instruction.constant, start=1)]
    result = _result(code, instruction.op, operands)
    code.effect(f"store {code.vector} {result}, ptr {_place(code, count + 1)}, align {ALIGNMENT}")
    code.effect(f"%next{number} = getelementptr i32, ptr %ip, i64 {count + 2}")
    code.effect("br label %dispatch")


def _result(code: Code, op: Op, operands: list[str]) -> str:
    if op in BINARY:
        return code.emit(f"{BINARY[op]} {code.vector} {', '.join(operands)}")
    if op in UNARY:
        return code.unary(UNARY[op], *operands)
    return SPECIAL[op](code, *operands)


def _larger(code: Code, a: str, b: str) -> str:
    """By integers: the order of doubles that are not negative, with what is no number above all."""
    whole = code.vector.replace("double", "i64")
    bits = [code.emit(f"bitcast {code.vector} {x} to {whole}") for x in (a, b)]
    larger = code.emit(f"call {whole} @llvm.umax.v{code.lanes}i64({whole} {bits[0]}, {whole} {bits[1]})")
    return code.emit(f"bitcast {whole} {larger} to {code.vector}")


def _odd(code: Code, k: str, a: str, b: str) -> str:
    whole = _whole(code, k)
    odd = code.emit(f"trunc {code.vector.replace('double', 'i64')} {whole} to <{code.lanes} x i1>")
    return code.emit(f"select <{code.lanes} x i1> {odd}, {code.vector} {b}, {code.vector} {a}")


def _flip(code: Code, k: str, a: str) -> str:
    whole = code.vector.replace("double", "i64")
    up = code.emit(f"shl {whole} {_whole(code, k)}, splat (i64 62)")
    sign = code.emit(f"and {whole} {up}, splat (i64 {-(1 << 63)})")
    turned = code.emit(f"xor {whole} {code.emit(f'bitcast {code.vector} {a} to {whole}')}, {sign}")
    return code.emit(f"bitcast {whole} {turned} to {code.vector}")


def _whole(code: Code, k: str) -> str:
    """Bits whose lowest ones are those of a whole number."""
    return code.emit(f"bitcast {code.vector} {code.add(k, code.number(WHOLE))} to {code.vector.replace('double', 'i64')}")


SPECIAL: Mapping[Op, Callable[..., str]] = {Op.NEG: Code.neg, Op.MAX: _larger, Op.ODD: _odd, Op.FLIP: _flip}


def _place(code: Code, word: int) -> str:
    """Pointer that a word of the instruction gives."""
    field = code.emit(f"getelementptr i32, ptr %ip, i64 {word}")
    offset = code.emit(f"zext i32 {code.emit(f'load i32, ptr {field}, align 4')} to i64")
    return code.emit(f"getelementptr i8, ptr %memory, i64 {offset}")


def _operand(code: Code, word: int, constant: bool) -> str:
    place = _place(code, word)
    if not constant:
        return code.emit(f"load {code.vector}, ptr {place}, align {ALIGNMENT}")
    number = code.emit(f"load double, ptr {place}, align 8")
    first = code.emit(f"insertelement {code.vector} poison, double {number}, i64 0")
    return code.emit(f"shufflevector {code.vector} {first}, {code.vector} poison, <{code.lanes} x i32> zeroinitializer")
