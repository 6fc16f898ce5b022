"""Largest differences between participants over the slots of a quantity, at every state: one pass for all pairs."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np

from leapcheck.states import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import cached
from leapcheck_reference.trace.compiled import address

Pair = tuple[int, int]
"""Numbers of two participants; -1 for zero in the second place."""

MOST = 7
"""Most participants of one compiled pass: their pairs have to stay in registers."""

ADDRESS = ctypes.c_void_p
FUNCTION = ctypes.CFUNCTYPE(None, ADDRESS, ADDRESS, ctypes.c_int64, ctypes.c_int64, ADDRESS, ctypes.c_int64, ADDRESS)


def distances(participants: Sequence[Floats], slots: slice, pairs: Sequence[Pair], weights: Floats | None = None) -> Floats:
    """Per pair and state the largest |a - b| (times weight) over the slots, (pairs, blocks * lanes); NaN where one is.

    `participants` are blocks (blocks, any, lanes) with the slots at the same numbers; `weights` (blocks, slots, lanes).
    """
    if len(participants) <= MOST and native.is_available() and participants[0].shape[2] == native.vector_width():
        return _compiled_distances(participants, slots, tuple(pairs), weights)
    blocks, _, lanes = participants[0].shape
    found = np.empty((len(pairs), blocks * lanes))
    for row, (i, j) in zip(found, pairs, strict=True):
        a = participants[i][:, slots]
        off = np.abs(a - participants[j][:, slots] if j >= 0 else a)
        row[:] = (off if weights is None else off * weights).max(axis=1, initial=0.0).ravel()
    return found


def _compiled_distances(participants: Sequence[Floats], slots: slice, pairs: tuple[Pair, ...], weights: Floats | None) -> Floats:
    blocks, _, lanes = participants[0].shape
    found = np.empty((len(pairs), blocks * lanes))
    count = slots.stop - slots.start
    if count == 0 or blocks == 0:
        return np.zeros_like(found)
    function = FUNCTION(_library(len(participants), pairs, weights is not None).address("distances"))
    pointers = (ctypes.c_int64 * len(participants))(*(address(p) + 8 * lanes * slots.start for p in participants))
    strides = (ctypes.c_int64 * len(participants))(*(p.strides[0] for p in participants))
    at = (0, 0) if weights is None else (address(weights), weights.strides[0])
    function(pointers, strides, count, blocks, *at, address(found))
    return found


@lru_cache(maxsize=64)
def _library(participants: int, pairs: tuple[Pair, ...], weighted: bool) -> native.Library:
    ir = _module(participants, pairs, weighted, native.vector_width())
    return native.Library(cached(ir.encode() + native.target_key(), lambda: native.object_code(ir)))


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
        (f"  %skip{k} = mul i64 %block, %stride{k}", f"  %row{k} = getelementptr i8, ptr %base{k}, i64 %skip{k}")
        for k in range(participants)
    )
    loads = chain.from_iterable(
        (f"  %at{k} = getelementptr i8, ptr %row{k}, i64 %byte", f"  %a{k} = load {D}, ptr %at{k}, align {size}")
        for k in range(participants)
    )
    phis = [f"  %most{p} = phi {I} [zeroinitializer, %outer], [%more{p}, %inner]" for p in range(len(pairs))]
    stores = chain.from_iterable(
        (
            f"  %row_of{p} = mul i64 %blocks, {p}",
            f"  %number{p} = add i64 %row_of{p}, %block",
            f"  %byte_of{p} = mul i64 %number{p}, {size}",
            f"  %to{p} = getelementptr i8, ptr %found, i64 %byte_of{p}",
            f"  store {I} %more{p}, ptr %to{p}, align 8",
        )
        for p in range(len(pairs))
    )
    weight_row = [
        "  %weight_skip = mul i64 %block, %weight_stride",
        "  %weight_row = getelementptr i8, ptr %weights, i64 %weight_skip",
    ]
    weight = [
        "  %weight_at = getelementptr i8, ptr %weight_row, i64 %byte",
        f"  %weight = load {D}, ptr %weight_at, align {size}",
    ]
    parameters = "ptr %pointers, ptr %strides, i64 %slots, i64 %blocks, ptr %weights, i64 %weight_stride, ptr %found"
    return "\n".join(
        [
            f"declare {D} @llvm.fabs.v{lanes}f64({D})",
            f"declare {I} @llvm.umax.v{lanes}i64({I}, {I})",
            f"define void @distances({parameters}) {{",
            "entry:",
            *before,
            "  br label %outer",
            "outer:",
            "  %block = phi i64 [0, %entry], [%next_block, %done]",
            *rows,
            *(weight_row if weighted else []),
            "  br label %inner",
            "inner:",
            "  %slot = phi i64 [0, %outer], [%next_slot, %inner]",
            *phis,
            f"  %byte = mul i64 %slot, {size}",
            *loads,
            *(weight if weighted else []),
            *chain.from_iterable(_pair(p, pair, weighted, lanes) for p, pair in enumerate(pairs)),
            "  %next_slot = add i64 %slot, 1",
            "  %again = icmp ult i64 %next_slot, %slots",
            "  br i1 %again, label %inner, label %done",
            "done:",
            *stores,
            "  %next_block = add i64 %block, 1",
            "  %go = icmp ult i64 %next_block, %blocks",
            "  br i1 %go, label %outer, label %end",
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
