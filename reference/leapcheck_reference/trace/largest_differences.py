"""Largest differences between arrays of answers, over ranges of their entries, at every state: one compiled pass for all pairs.

Plain NumPy takes 35 times as long, and a comparison of the Mini Cheetah 1.8 times as long.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.native import address

Pair = tuple[int, int]
"""Numbers of two participants; -1 for zero in the second place."""

MOST = 16
"""Pairs of one compiled pass: their largest differences have to stay in registers."""

WHOLE, ADDRESS = ctypes.c_int64, ctypes.c_void_p
FUNCTION = ctypes.CFUNCTYPE(None, ADDRESS, ADDRESS, WHOLE, ADDRESS, WHOLE, WHOLE, ADDRESS, WHOLE, ADDRESS, ADDRESS)


class EntryRange(NamedTuple):
    """Slots that are compared together, and the slot that says by how much a participant's other entries deviate, if any: the
    larger such number of two participants counts as one more difference between them.
    """

    slots: slice
    remainder: int | None = None


def largest_differences(participants: Sequence[Floats], ranges: Sequence[EntryRange], pairs: Sequence[Pair]) -> Floats:
    """For each range, pair and state the largest |a - b|, (ranges, pairs, blocks * lanes); NaN where one is.

    `participants` are blocks (blocks, slots, lanes), all with the slots at the same numbers. All ranges have a remainder or none.
    """
    blocks, _, lanes = participants[0].shape
    largest = np.empty((len(ranges), len(pairs), blocks * lanes))
    if largest.size and lanes == native.vector_width():
        for first in range(0, len(pairs), MOST):
            _compiled_pass(participants, ranges, tuple(pairs[first : first + MOST]), largest[:, first:])
        return largest
    for rows, entries in zip(largest, ranges, strict=True):
        for row, pair in zip(rows, pairs, strict=True):
            row[:] = np.maximum(_largest(participants, entries.slots, pair, 1.0), _remainder(participants, entries, pair)).ravel()
    return largest


def weighted_differences(
    participants: Sequence[Floats], entries: EntryRange, pairs: Sequence[Pair], weights: Floats
) -> tuple[Floats, Floats]:
    """For each pair and state the largest |a - b| of a range, and the largest |a - b| times its slot's weight, (pairs, blocks *
    lanes) each; NaN where one is. `weights` (blocks, any, lanes) begin with that of the first slot; the remainder has its own.
    """
    blocks, _, lanes = participants[0].shape
    plain, weighted = np.empty((2, len(pairs), blocks * lanes))
    if plain.size and lanes == native.vector_width():
        for first in range(0, len(pairs), MOST // 2):
            some = tuple(pairs[first : first + MOST // 2])
            _compiled_pass(participants, [entries], some, plain[None, first:], (weights, weighted[first:]))
        return plain, weighted
    for pair, row, weighted_row in zip(pairs, plain, weighted, strict=True):
        row[:] = _largest(participants, entries.slots, pair, 1.0).ravel()
        largest = _largest(participants, entries.slots, pair, weights)
        weighted_row[:] = np.maximum(largest, _remainder(participants, entries, pair)).ravel()
    return plain, weighted


def _largest(participants: Sequence[Floats], slots: slice, pair: Pair, weights: Floats | float) -> Floats:
    """The largest |a - b| times its weight, (blocks, lanes)."""
    a, b = (participants[i][:, slots] if i >= 0 else 0.0 for i in pair)
    with np.errstate(over="ignore", invalid="ignore"):
        largest: Floats = np.abs((a - b) * weights).max(axis=1, initial=0.0)
    return largest


def _remainder(participants: Sequence[Floats], entries: EntryRange, pair: Pair) -> Floats:
    """The larger of both remainders, (blocks, lanes); 0 where there are none."""
    if entries.remainder is None:
        return np.zeros(participants[0].shape[::2])
    largest: Floats = np.abs([participants[i][:, entries.remainder] for i in pair if i >= 0]).max(axis=0)
    return largest


def _compiled_pass(
    participants: Sequence[Floats],
    ranges: Sequence[EntryRange],
    pairs: tuple[Pair, ...],
    largest: Floats,
    weighted: tuple[Floats, Floats] | None = None,
) -> None:
    """One pass of at most `MOST` pairs into the first of `largest`; `weighted` are weights, and where the largest of what is
    weighted by them goes.
    """
    used = sorted({i for pair in pairs for i in pair if i >= 0})
    number = {i: k for k, i in enumerate(used)} | {-1: -1}
    renumbered = tuple((number[i], number[j]) for i, j in pairs)
    call, _ = _code(len(used), renumbered, weighted is not None, ranges[0].remainder is not None)
    pointers = (WHOLE * len(used))(*(address(participants[i]) for i in used))
    strides = (WHOLE * len(used))(*(participants[i].strides[0] for i in used))
    rows = ((slots.start, slots.stop - slots.start, remainder or 0) for slots, remainder in ranges)
    table = (WHOLE * (3 * len(ranges)))(*chain.from_iterable(rows))
    weights = (0, 0) if weighted is None else (address(weighted[0]), weighted[0].strides[0])
    targets = address(largest), 0 if weighted is None else address(weighted[1])
    call(pointers, strides, len(ranges), table, len(participants[0]), largest.strides[0], *weights, *targets)


@lru_cache(maxsize=64)
def _code(
    participants: int, pairs: tuple[Pair, ...], weighted: bool, remainders: bool
) -> tuple[Callable[..., None], native.Library]:
    """The compiled pass, and the library that has to live as long as it."""
    ir = _module(participants, pairs, weighted, remainders, native.vector_width())
    library = native.Library(load_or_make(ir.encode() + native.target_key(), lambda: native.object_code(ir)))
    return FUNCTION(library.address("distances")), library


def _module(participants: int, pairs: Sequence[Pair], weighted: bool, remainders: bool, lanes: int) -> str:
    """LLVM IR of the pass, block after block, so that memory is read in its order.

    Distances are compared as integers: the order of doubles without a sign, NaN above all. AVX2 has that of signed ones alone.
    """
    D, I = f"<{lanes} x double>", f"<{lanes} x i64>"
    size = 8 * lanes
    before = [
        line
        for k in range(participants)
        for line in (
            f"  %slot{k} = getelementptr i64, ptr %pointers, i64 {k}",
            f"  %base{k} = load ptr, ptr %slot{k}",
            f"  %place{k} = getelementptr i64, ptr %strides, i64 {k}",
            f"  %stride{k} = load i64, ptr %place{k}",
        )
    ]
    begins = chain.from_iterable(
        (f"  %skip{k} = mul i64 %block, %stride{k}", f"  %begin{k} = getelementptr i8, ptr %base{k}, i64 %skip{k}")
        for k in range(participants)
    )
    rows = [f"  %row{k} = getelementptr i8, ptr %begin{k}, i64 %start" for k in range(participants)]
    loads = chain.from_iterable(
        (f"  %at{k} = getelementptr i8, ptr %row{k}, i64 %byte", f"  %a{k} = load {D}, ptr %at{k}, align 8")
        for k in range(participants)
    )
    kinds = ("plain", "weighted") if weighted else ("plain",)
    numbers = [f"{kind}{p}" for kind in kinds for p in range(len(pairs))]
    most = [f"  %most.{n} = phi {I} [zeroinitializer, %range_begins], [%more.{n}, %inner]" for n in numbers]
    last = [f"  %last.{n} = phi {I} [zeroinitializer, %range_begins], [%more.{n}, %inner]" for n in numbers]
    stores = chain.from_iterable(
        (
            f"  %row_of.{kind}{p} = mul i64 %blocks, {p}",
            f"  %number.{kind}{p} = add i64 %row_of.{kind}{p}, %block",
            f"  %byte_of.{kind}{p} = mul i64 %number.{kind}{p}, {size}",
            f"  %page.{kind}{p} = getelementptr i8, ptr %{kind}, i64 %page_skip",
            f"  %to.{kind}{p} = getelementptr i8, ptr %page.{kind}{p}, i64 %byte_of.{kind}{p}",
            f"  store {I} %{'whole' if remainders and kind == kinds[-1] else 'last'}.{kind}{p}, ptr %to.{kind}{p}, align 8",
        )
        for kind in kinds
        for p in range(len(pairs))
    )
    whole = _with_remainders(participants, pairs, kinds[-1], lanes) if remainders else []
    weight_row = [
        "  %weight_skip = mul i64 %block, %weight_stride",
        "  %weight_row = getelementptr i8, ptr %weights, i64 %weight_skip",
    ]
    weight = [
        "  %weight_at = getelementptr i8, ptr %weight_row, i64 %byte",
        f"  %weight = load {D}, ptr %weight_at, align 8",
    ]
    parameters = (
        "ptr %pointers, ptr %strides, i64 %ranges, ptr %table, i64 %blocks, i64 %page_size, "
        "ptr %weights, i64 %weight_stride, ptr %plain, ptr %weighted"
    )
    return "\n".join(
        [
            f"declare {D} @llvm.fabs.v{lanes}f64({D})",
            f"declare {I} @llvm.smax.v{lanes}i64({I}, {I})",
            f"define void @distances({parameters}) {{",
            "entry:",
            *before,
            "  br label %block_begins",
            "block_begins:",
            "  %block = phi i64 [0, %entry], [%next_block, %block_ends]",
            *begins,
            *(weight_row if weighted else []),
            "  br label %range_begins",
            "range_begins:",
            "  %range = phi i64 [0, %block_begins], [%next_range, %range_ends]",
            "  %entry_number = mul i64 %range, 3",
            "  %start_at = getelementptr i64, ptr %table, i64 %entry_number",
            "  %first = load i64, ptr %start_at",
            f"  %start = mul i64 %first, {size}",
            "  %count_at = getelementptr i64, ptr %start_at, i64 1",
            "  %slots = load i64, ptr %count_at",
            "  %page_skip = mul i64 %range, %page_size",
            *rows,
            "  %any = icmp ugt i64 %slots, 0",
            "  br i1 %any, label %inner, label %range_ends",
            "inner:",
            "  %slot = phi i64 [0, %range_begins], [%next_slot, %inner]",
            *most,
            f"  %byte = mul i64 %slot, {size}",
            *loads,
            *(weight if weighted else []),
            *chain.from_iterable(_pair(p, pair, weighted, lanes) for p, pair in enumerate(pairs)),
            "  %next_slot = add i64 %slot, 1",
            "  %again = icmp ult i64 %next_slot, %slots",
            "  br i1 %again, label %inner, label %range_ends",
            "range_ends:",
            *last,
            *whole,
            *stores,
            "  %next_range = add i64 %range, 1",
            "  %on = icmp ult i64 %next_range, %ranges",
            "  br i1 %on, label %range_begins, label %block_ends",
            "block_ends:",
            "  %next_block = add i64 %block, 1",
            "  %go = icmp ult i64 %next_block, %blocks",
            "  br i1 %go, label %block_begins, label %end",
            "end:",
            "  ret void",
            "}",
        ]
    )


def _with_remainders(participants: int, pairs: Sequence[Pair], kind: str, lanes: int) -> list[str]:
    """The largest of each pair, and of their remainders."""
    D, I = f"<{lanes} x double>", f"<{lanes} x i64>"
    lines = [
        "  %remainder_at = getelementptr i64, ptr %start_at, i64 2",
        "  %remainder = load i64, ptr %remainder_at",
        f"  %remainder_byte = mul i64 %remainder, {8 * lanes}",
    ]
    for k in range(participants):
        lines += [
            f"  %rest_at{k} = getelementptr i8, ptr %begin{k}, i64 %remainder_byte",
            f"  %rest_raw{k} = load {D}, ptr %rest_at{k}, align 8",
            f"  %rest_abs{k} = call {D} @llvm.fabs.v{lanes}f64({D} %rest_raw{k})",
            f"  %rest{k} = bitcast {D} %rest_abs{k} to {I}",
        ]
    larger = f"call {I} @llvm.smax.v{lanes}i64({I}"
    for p, (i, j) in enumerate(pairs):
        lines += [
            f"  %rests{p} = {larger} %rest{i}, {I} %rest{j if j >= 0 else i})",
            f"  %whole.{kind}{p} = {larger} %last.{kind}{p}, {I} %rests{p})",
        ]
    return lines


def _pair(p: int, pair: Pair, weighted: bool, lanes: int) -> list[str]:
    D = f"<{lanes} x double>"
    i, j = pair
    lines = [f"  %off{p} = fsub {D} %a{i}, %a{j}" if j >= 0 else f"  %off{p} = fadd {D} %a{i}, zeroinitializer"]
    lines += _larger(f"plain{p}", f"%off{p}", lanes)
    if weighted:
        lines.append(f"  %scaled{p} = fmul {D} %off{p}, %weight")
        lines += _larger(f"weighted{p}", f"%scaled{p}", lanes)
    return lines


def _larger(name: str, off: str, lanes: int) -> list[str]:
    """The largest so far, and |off|."""
    D, I = f"<{lanes} x double>", f"<{lanes} x i64>"
    return [
        f"  %abs.{name} = call {D} @llvm.fabs.v{lanes}f64({D} {off})",
        f"  %bits.{name} = bitcast {D} %abs.{name} to {I}",
        f"  %more.{name} = call {I} @llvm.smax.v{lanes}i64({I} %most.{name}, {I} %bits.{name})",
    ]
