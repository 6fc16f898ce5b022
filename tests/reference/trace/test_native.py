"""Machine code through llvmlite: loaded, called, dropped, refused."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest

from leapcheck_reference.trace import native
from leapcheck_reference.trace.native import Library, object_code, target_key, vector_width

SUM = """
define double @contracted(double %a, double %b, double %c) {
  %ab = fmul double %a, %b
  %sum = fadd double %ab, %c
  ret double %sum
}
"""
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)


def test_a_product_and_a_sum_are_rounded_twice() -> None:
    library = Library(object_code(SUM))
    function = FUNCTION(library.address("contracted"))
    a = 1.0 + 2.0**-30
    assert function(a, a, -1.0) == a * a - 1.0
    for x, y, z in np.random.default_rng(1).normal(size=(1000, 3)).tolist():
        assert function(x, y, z) == x * y + z


def test_libraries_come_and_go() -> None:
    code = object_code(SUM)
    libraries = [Library(code) for _ in range(4)]
    del libraries[1], libraries[0]
    gc.collect()
    libraries += [Library(code), Library(code)]
    for library in libraries:
        assert FUNCTION(library.address("contracted"))(2.0, 3.0, 4.0) == 10.0


def test_wrong_text_is_refused() -> None:
    with pytest.raises(RuntimeError, match="expected"):
        object_code("define nothing")


def test_code_depends_on_the_machine_and_the_compiler() -> None:
    import llvmlite

    assert vector_width() in (2, 4, 8)
    assert llvmlite.__version__.encode() in target_key()
    assert native.SCHEDULER.encode() in target_key()
