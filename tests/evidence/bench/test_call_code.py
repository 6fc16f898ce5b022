"""Calls as straight machine code do what the table of the same calls does."""

from __future__ import annotations

import ctypes

import numpy as np

from leapcheck.engines.mujoco.call_table import Address, CallTable, call
from leapcheck.engines.mujoco.calls import library
from leapcheck_evidence.peers.mujoco_call_code import FUNCTION, calls_ir
from leapcheck_reference.trace import native

CALLS = (
    call("mju_copy", "scratch", Address("x", 1), 3),
    call("mju_add3", Address("scratch", 3), "scratch", "fixed"),
    call("mju_copy", "y", Address("scratch", 3), 3),
    call("mju_transpose", Address("y", 3), "x", 2, 2),
    call("mju_zero", Address("y", 5), 1),
)
SIZES = {"x": 4, "y": 7}


def test_straight_code_and_table_give_the_same() -> None:
    x = np.arange(20.0).reshape(5, 4)
    fixed, scratch = np.array([100.0, 200.0, 300.0]), np.zeros(6)
    addresses = {"fixed": fixed.ctypes.data, "scratch": scratch.ctypes.data}
    straight, tabled = np.full((5, 7), -1.0), np.full((5, 7), -1.0)
    code = native.Library(native.object_code(calls_ir(CALLS, library(), addresses, SIZES)))
    run = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(code.address(FUNCTION))
    run(5, x.ctypes.data, straight.ctypes.data)
    rows = {"x": x.ctypes.data, "y": tabled.ctypes.data}
    CallTable(CALLS, library(), SIZES).run({**addresses, **rows}, 5)
    by_hand = np.column_stack([x[:, 1:] + fixed, x[:, 0], x[:, 2], np.zeros(5), x[:, 3]])
    assert (straight == by_hand).all()
    assert (tabled == by_hand).all()
