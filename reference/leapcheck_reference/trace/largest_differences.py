"""Largest differences between arrays of answers, over ranges of their entries, at every state: one compiled pass for all pairs.

Plain NumPy takes 35 times as long, and a comparison of the Mini Cheetah 1.8 times as long.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

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
FUNCTION = ctypes.CFUNCTYPE(None, ADDRESS, ADDRESS, WHOLE, ADDRESS, WHOLE, WHOLE, ADDRESS, WHOLE, ADDRESS)


def largest_differences(
    participants: Sequence[Floats], ranges: Sequence[slice], pairs: Sequence[Pair], weights: Floats | None = None
) -> Floats:
    """For each range of slots, pair and state the largest |a - b|, (ranges, pairs, blocks * lanes); NaN where one is.

    `participants` are blocks (blocks, slots, lanes), all with the slots at the same numbers. With `weights` (blocks, any,
    lanes) each difference is multiplied by its slot's weight; there is then one range, whose first slot has the first weight.
    """
    blocks, _, lanes = participants[0].shape
    largest = np.zeros((len(ranges), len(pairs), blocks * lanes))
    if not largest.size:
        return largest
    if lanes == native.vector_width():
        for first in range(0, len(pairs), MOST):
            _compiled_pass(participants, ranges, tuple(pairs[first : first + MOST]), weights, largest[:, first:])
        return largest
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, slots in zip(largest, ranges, strict=True):
            for row, (i, j) in zip(rows, pairs, strict=True):
                a = participants[i][:, slots]
                off = np.abs(a - participants[j][:, slots] if j >= 0 else a)
                row[:] = (off if weights is None else off * weights).max(axis=1, initial=0.0).ravel()
    return largest


def _compiled_pass(
    participants: Sequence[Floats], ranges: Sequence[slice], pairs: tuple[Pair, ...], weights: Floats | None, largest: Floats
) -> None:
    """One pass of at most `MOST` pairs into the first of `largest`."""
    used = sorted({i for pair in pairs for i in pair if i >= 0})
    number = {i: k for k, i in enumerate(used)} | {-1: -1}
    renumbered = tuple((number[i], number[j]) for i, j in pairs)
    call, _ = _code(len(used), renumbered, weights is not None)
    pointers = (WHOLE * len(used))(*(address(participants[i]) for i in used))
    strides = (WHOLE * len(used))(*(participants[i].strides[0] for i in used))
    table = (WHOLE * (2 * len(ranges)))(*chain.from_iterable((slots.start, slots.stop - slots.start) for slots in ranges))
    at = (0, 0) if weights is None else (address(weights), weights.strides[0])
    call(pointers, strides, len(ranges), table, len(participants[0]), largest.strides[0], *at, address(largest))


@lru_cache(maxsize=64)
def _code(participants: int, pairs: tuple[Pair, ...], weighted: bool) -> tuple[Callable[..., None], native.Library]:
    """The compiled pass, and the library that has to live as long as it."""
    ir = _module(participants, pairs, weighted, native.vector_width())
    library = native.Library(load_or_make(ir.encode() + native.target_key(), lambda: native.object_code(ir)))
    return FUNCTION(library.address("distances")), library


def _module(participants: int, pairs: Sequence[Pair], weighted: bool, lanes: int) -> str:
    """LLVM IR of the pass. Distances are compared as integers: the order of doubles that are not negative, NaN above all."""
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
    rows = chain.from_iterable(
        (
            f"  %skip{k} = mul i64 %block, %stride{k}",
            f"  %begin{k} = getelementptr i8, ptr %base{k}, i64 %skip{k}",
            f"  %row{k} = getelementptr i8, ptr %begin{k}, i64 %start",
        )
        for k in range(participants)
    )
    loads = chain.from_iterable(
        (f"  %at{k} = getelementptr i8, ptr %row{k}, i64 %byte", f"  %a{k} = load {D}, ptr %at{k}, align 8")
        for k in range(participants)
    )
    most = [f"  %most{p} = phi {I} [zeroinitializer, %block_begins], [%more{p}, %inner]" for p in range(len(pairs))]
    last = [f"  %last{p} = phi {I} [zeroinitializer, %block_begins], [%more{p}, %inner]" for p in range(len(pairs))]
    stores = chain.from_iterable(
        (
            f"  %row_of{p} = mul i64 %blocks, {p}",
            f"  %number{p} = add i64 %row_of{p}, %block",
            f"  %byte_of{p} = mul i64 %number{p}, {size}",
            f"  %to{p} = getelementptr i8, ptr %page, i64 %byte_of{p}",
            f"  store {I} %last{p}, ptr %to{p}, align 8",
        )
        for p in range(len(pairs))
    )
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
        "ptr %weights, i64 %weight_stride, ptr %largest"
    )
    return "\n".join(
        [
            f"declare {D} @llvm.fabs.v{lanes}f64({D})",
            f"declare {I} @llvm.umax.v{lanes}i64({I}, {I})",
            f"define void @distances({parameters}) {{",
            "entry:",
            *before,
            "  br label %range_begins",
            "range_begins:",
            "  %range = phi i64 [0, %entry], [%next_range, %range_ends]",
            "  %entry_number = mul i64 %range, 2",
            "  %start_at = getelementptr i64, ptr %table, i64 %entry_number",
            "  %first = load i64, ptr %start_at",
            f"  %start = mul i64 %first, {size}",
            "  %count_at = getelementptr i64, ptr %start_at, i64 1",
            "  %slots = load i64, ptr %count_at",
            "  %page_skip = mul i64 %range, %page_size",
            "  %page = getelementptr i8, ptr %largest, i64 %page_skip",
            "  br label %block_begins",
            "block_begins:",
            "  %block = phi i64 [0, %range_begins], [%next_block, %block_ends]",
            *rows,
            *(weight_row if weighted else []),
            "  %any = icmp ugt i64 %slots, 0",
            "  br i1 %any, label %inner, label %block_ends",
            "inner:",
            "  %slot = phi i64 [0, %block_begins], [%next_slot, %inner]",
            *most,
            f"  %byte = mul i64 %slot, {size}",
            *loads,
            *(weight if weighted else []),
            *chain.from_iterable(_pair(p, pair, weighted, lanes) for p, pair in enumerate(pairs)),
            "  %next_slot = add i64 %slot, 1",
            "  %again = icmp ult i64 %next_slot, %slots",
            "  br i1 %again, label %inner, label %block_ends",
            "block_ends:",
            *last,
            *stores,
            "  %next_block = add i64 %block, 1",
            "  %go = icmp ult i64 %next_block, %blocks",
            "  br i1 %go, label %block_begins, label %range_ends",
            "range_ends:",
            "  %next_range = add i64 %range, 1",
            "  %on = icmp ult i64 %next_range, %ranges",
            "  br i1 %on, label %range_begins, label %end",
            "end:",
            "  ret void",
            "}",
        ]
    )


def _pair(p: int, pair: Pair, weighted: bool, lanes: int) -> list[str]:
    D, I = f"<{lanes} x double>", f"<{lanes} x i64>"
    i, j = pair
    lines = [f"  %off{p} = fsub {D} %a{i}, %a{j}" if j >= 0 else f"  %off{p} = fadd {D} %a{i}, zeroinitializer"]
    scaled = f"%off{p}"
    if weighted:
        lines.append(f"  %scaled{p} = fmul {D} %off{p}, %weight")
        scaled = f"%scaled{p}"
    return [
        *lines,
        f"  %abs{p} = call {D} @llvm.fabs.v{lanes}f64({D} {scaled})",
        f"  %bits{p} = bitcast {D} %abs{p} to {I}",
        f"  %more{p} = call {I} @llvm.umax.v{lanes}i64({I} %most{p}, {I} %bits{p})",
    ]
