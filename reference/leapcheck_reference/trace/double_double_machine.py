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


def interpreter(lanes: int, chunk: int, fused: bool) -> str:
    """IR of `interpret(program, memory)`, which runs a program on the memory of one block of `lanes` states.

    An instruction does its whole work on `chunk` lanes after the other: as many as the registers hold without spilling. Each
    instruction jumps to the next one itself (LLVM copies the block "dispatch" to their ends).
    """
    code = Code(chunk, fused)
    body = _Body(code, lanes)
    sums = {number: body.instruction(instruction, number) for instruction, number in instructions().items()}
    vector, names = code.vector, [f"%do{number}" for number in sums]
    jumps = {number: total for number, total in sums.items() if number != instructions()[STOP]}
    addresses = ", ".join(f"ptr blockaddress(@interpret, {name})" for name in names)
    phis = ["  %ip = phi ptr [%program, %entry], " + ", ".join(f"[%next{number}, %do{number}]" for number in jumps)]
    for k, registers in enumerate(body.registers):
        for part, register in enumerate(registers):
            values = ", ".join(f"[{total[k][part]}, %do{number}]" for number, total in jumps.items())
            phis.append(f"  {register} = phi {vector} [zeroinitializer, %entry], {values}")
    declarations = [f"declare {vector} @llvm.{name}.v{chunk}f64({vector})" for name in ("sqrt", "fabs")]
    lines = [
        *declarations,
        f"declare {vector} @llvm.fma.v{chunk}f64({vector}, {vector}, {vector})",
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


class _Body:
    """Emits the blocks of instructions; `registers` are where a sum is built up, for each chunk of lanes."""

    def __init__(self, code: Code, lanes: int) -> None:
        self._code, self._lanes = code, lanes
        self.registers: list[Pair] = [(f"%hi{k}", f"%lo{k}") for k in range(lanes // code.lanes)]

    def instruction(self, instruction: Instruction, number: int) -> list[Pair]:
        """Emits an instruction; returns the sums that are in the registers after it."""
        self._code.label(f"do{number}")
        if instruction == STOP:
            self._code.effect("ret void")
            return self.registers
        places = [self._place(word) for word in range(1, instruction.words)]
        totals = []
        for k, total in enumerate(self.registers):
            if isinstance(instruction, SumInstruction):
                totals.append(self._sum(instruction, places, k))
            else:
                self._function(instruction, places, k)
                totals.append(total)
        self._code.effect(f"%next{number} = getelementptr i32, ptr %ip, i64 {instruction.words}")
        self._code.effect("br label %dispatch")
        return totals

    def _function(self, function: FunctionInstruction, places: list[str], k: int) -> None:
        code, x = self._code, self._load(places[0], k)
        if function == QUOTIENT:
            self._store(places[2], k, code.quotient(x, self._load(places[1], k)))
        elif function == ROOT:
            self._store(places[1], k, code.root(x))
        else:
            for place, result in zip(places[1:], sine_cosine(code, x), strict=True):
                self._store(place, k, result)

    def _sum(self, instruction: SumInstruction, places: list[str], k: int) -> Pair:
        """The sum after the instruction for chunk k; stored where it ends."""
        code, rest = self._code, iter(places)
        total = None if instruction.begins else self.registers[k]
        for kind in instruction.terms:
            value = self._load_constant(next(rest)) if kind is Kind.CONSTANT else self._load(next(rest), k)
            if kind.is_product:
                value = code.product(value, self._load_constant(next(rest)) if kind is Kind.SCALED else self._load(next(rest), k))
            negative = kind in (Kind.MINUS_PRODUCT, Kind.MINUS_VALUE)
            if total is not None:
                total = code.sum(total, value, negative)
            else:
                total = (code.neg(value[0]), code.neg(value[1])) if negative else value
        assert total is not None
        if instruction.ends:
            total = code.normalise(total)
            self._store(next(rest), k, total)
        return total

    def _place(self, word: int) -> str:
        """Pointer that a word of the instruction gives."""
        code = self._code
        field = code.emit(f"getelementptr i32, ptr %ip, i64 {word}")
        offset = code.emit(f"zext i32 {code.emit(f'load i32, ptr {field}, align 4')} to i64")
        return code.emit(f"getelementptr i8, ptr %memory, i64 {offset}")

    def _parts(self, place: str, k: int) -> Pair:
        """Pointers to hi and lo of chunk k."""
        first = k * self._code.lanes
        high, low = (self._code.emit(f"getelementptr double, ptr {place}, i64 {lane}") for lane in (first, self._lanes + first))
        return high, low

    def _load(self, place: str, k: int) -> Pair:
        vector = self._code.vector
        high, low = (self._code.emit(f"load {vector}, ptr {part}, align {ALIGNMENT}") for part in self._parts(place, k))
        return high, low

    def _load_constant(self, place: str) -> Pair:
        code, pair = self._code, []
        for pointer in (place, code.emit(f"getelementptr double, ptr {place}, i64 1")):
            number = code.emit(f"load double, ptr {pointer}, align 8")
            first = code.emit(f"insertelement {code.vector} poison, double {number}, i64 0")
            order = f"<{code.lanes} x i32> zeroinitializer"
            pair.append(code.emit(f"shufflevector {code.vector} {first}, {code.vector} poison, {order}"))
        return pair[0], pair[1]

    def _store(self, place: str, k: int, value: Pair) -> None:
        for vector, pointer in zip(value, self._parts(place, k), strict=True):
            self._code.effect(f"store {self._code.vector} {vector}, ptr {pointer}, align {ALIGNMENT}")
