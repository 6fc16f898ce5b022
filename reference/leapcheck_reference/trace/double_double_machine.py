"""The machine that runs programs of double-double arithmetic on blocks of states: an interpreter in LLVM IR.

It is the same for every robot, so it is compiled once and its code stays in the instruction cache. A robot's straight-line
code was tried: 33 000 instructions, 1.7 to 4.5 s to compile and 640 to 750 ns per state, where this takes 0.15 s and 500 ns.

A program is a list of 32-bit words. An instruction is its number and then the places of its operands and of its result: byte
offsets into the memory of a block, where a number is hi and lo, each `lanes` doubles, and a constant is two doubles. A sum is
built up in registers: an instruction begins it or goes on with it by one or two terms; the last one stores it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations_with_replacement, product

from leapcheck_reference.trace.double_double_arithmetic import Code, Pair, sine_cosine
from leapcheck_reference.trace.native import ALIGNMENT


class Kind(StrEnum):
    """What a term is; a constant's sign is its own. Terms of a sum come in this order."""

    PRODUCT = "product"
    SCALED = "scaled"
    VALUE = "value"
    CONSTANT = "constant"
    MINUS_PRODUCT = "minus_product"
    MINUS_VALUE = "minus_value"

    @property
    def is_product(self) -> bool:
        """Whether it has two factors; the second one of SCALED is a constant."""
        return self in (Kind.PRODUCT, Kind.SCALED, Kind.MINUS_PRODUCT)


@dataclass(frozen=True, slots=True)
class SumInstruction:
    """An instruction that begins a sum with one or two terms or adds them; where it `ends` the sum it stores it."""

    begins: bool
    terms: tuple[Kind, ...]
    ends: bool

    @property
    def words(self) -> int:
        """Length of the instruction."""
        return 1 + sum(2 if kind.is_product else 1 for kind in self.terms) + self.ends


@dataclass(frozen=True, slots=True)
class FunctionInstruction:
    """An instruction that stores functions of values."""

    name: str
    words: int


STOP, QUOTIENT, ROOT = FunctionInstruction("stop", 1), FunctionInstruction("quotient", 4), FunctionInstruction("root", 3)
SINE_COSINE = FunctionInstruction("sine_cosine", 4)

Instruction = FunctionInstruction | SumInstruction


def instructions() -> Mapping[Instruction, int]:
    """All instructions and their numbers."""
    terms = [(kind,) for kind in Kind] + list(combinations_with_replacement(Kind, 2))
    sums = [SumInstruction(*parts) for parts in product((True, False), terms, (True, False))]
    all_instructions: list[Instruction] = [STOP, QUOTIENT, ROOT, SINE_COSINE, *sums]
    return {instruction: number for number, instruction in enumerate(all_instructions)}


def interpreter(lanes: int, fused: bool) -> str:
    """IR of `interpret(program, memory)`, which runs a program on the memory of one block of `lanes` states.

    Each instruction jumps to the next one itself (LLVM copies the block "dispatch" to their ends).
    """
    code = Code(lanes, fused)
    sums = {number: _instruction(code, instruction, number) for instruction, number in instructions().items()}
    vector, names = code.vector, [f"%do{number}" for number in sums]
    jumps = {number: total for number, total in sums.items() if number != instructions()[STOP]}
    addresses = ", ".join(f"ptr blockaddress(@interpret, {name})" for name in names)
    phis = [
        "  %ip = phi ptr [%program, %entry], " + ", ".join(f"[%next{number}, %do{number}]" for number in jumps),
        *(
            f"  {register} = phi {vector} [zeroinitializer, %entry], "
            + ", ".join(f"[{total[part]}, %do{number}]" for number, total in jumps.items())
            for part, register in enumerate(REGISTERS)
        ),
    ]
    declarations = [f"declare {vector} @llvm.{name}.v{lanes}f64({vector})" for name in ("sqrt", "fabs")]
    lines = [
        *declarations,
        f"declare {vector} @llvm.fma.v{lanes}f64({vector}, {vector}, {vector})",
        f"@instructions = internal constant [{len(names)} x ptr] [{addresses}]",
        "define internal void @interpret(ptr %program, ptr %memory) {",
        "entry:",
        "  br label %dispatch",
        "dispatch:",
        *phis,
        "  %number = load i32, ptr %ip, align 4",
        "  %number.wide = zext i32 %number to i64",
        "  %entry.of = getelementptr ptr, ptr @instructions, i64 %number.wide",
        "  %target = load ptr, ptr %entry.of, align 8",
        f"  indirectbr ptr %target, [{', '.join(f'label {n}' for n in names)}]",
        *code.lines,
        "}",
    ]
    return "\n".join(lines) + "\n"


REGISTERS: Pair = ("%hi", "%lo")
"""Where a sum is built up."""


def _instruction(code: Code, instruction: Instruction, number: int) -> Pair:
    """Emits the block of an instruction; returns the sum that is in the registers after it."""
    code.label(f"do{number}")
    if instruction == STOP:
        code.effect("ret void")
        return REGISTERS
    total = _sum(code, instruction) if isinstance(instruction, SumInstruction) else _function(code, instruction)
    code.effect(f"%next{number} = getelementptr i32, ptr %ip, i64 {instruction.words}")
    code.effect("br label %dispatch")
    return total


def _function(code: Code, function: FunctionInstruction) -> Pair:
    x = _load(code, 1)
    if function == QUOTIENT:
        _store(code, 3, code.quotient(x, _load(code, 2)))
    elif function == ROOT:
        _store(code, 2, code.root(x))
    else:
        for word, result in enumerate(sine_cosine(code, x), start=2):
            _store(code, word, result)
    return REGISTERS


def _sum(code: Code, instruction: SumInstruction) -> Pair:
    total = None if instruction.begins else REGISTERS
    word = 1
    for kind in instruction.terms:
        value = _load_constant(code, word) if kind is Kind.CONSTANT else _load(code, word)
        if kind.is_product:
            word += 1
            value = code.product(value, _load_constant(code, word) if kind is Kind.SCALED else _load(code, word))
        word += 1
        negative = kind in (Kind.MINUS_PRODUCT, Kind.MINUS_VALUE)
        if total is not None:
            total = code.sum(total, value, negative)
        else:
            total = (code.neg(value[0]), code.neg(value[1])) if negative else value
    assert total is not None
    if instruction.ends:
        total = code.normalise(total)
        _store(code, word, total)
    return total


def _place(code: Code, word: int) -> str:
    """Pointer that a word of the instruction gives."""
    field = code.emit(f"getelementptr i32, ptr %ip, i64 {word}")
    offset = code.emit(f"zext i32 {code.emit(f'load i32, ptr {field}, align 4')} to i64")
    return code.emit(f"getelementptr i8, ptr %memory, i64 {offset}")


def _parts(code: Code, word: int) -> Pair:
    """Pointers to hi and lo."""
    high = _place(code, word)
    return high, code.emit(f"getelementptr {code.vector}, ptr {high}, i64 1")


def _load(code: Code, word: int) -> Pair:
    high, low = (code.emit(f"load {code.vector}, ptr {part}, align {ALIGNMENT}") for part in _parts(code, word))
    return high, low


def _load_constant(code: Code, word: int) -> Pair:
    place = _place(code, word)
    pair = []
    for pointer in (place, code.emit(f"getelementptr double, ptr {place}, i64 1")):
        number = code.emit(f"load double, ptr {pointer}, align 8")
        first = code.emit(f"insertelement {code.vector} poison, double {number}, i64 0")
        pair.append(code.emit(f"shufflevector {code.vector} {first}, {code.vector} poison, <{code.lanes} x i32> zeroinitializer"))
    return pair[0], pair[1]


def _store(code: Code, word: int, value: Pair) -> None:
    for vector, pointer in zip(value, _parts(code, word), strict=True):
        code.effect(f"store {code.vector} {vector}, ptr {pointer}, align {ALIGNMENT}")
