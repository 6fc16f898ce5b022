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
    assert len({target_key(width) for width in (2, 4, 8)}) == 3  # 2 and 4 differ in the code, not in the CPU's features


def test_narrower_vectors_use_no_wider_instructions() -> None:
    """With vectors of 4 no register of AVX-512 is used, and the key tells the codes apart."""
    wide = "define <8 x double> @twice(<8 x double> %x) {\n  %y = fadd <8 x double> %x, %x\n  ret <8 x double> %y\n}\n"
    if vector_width() == 8:
        assert object_code(wide) != object_code(wide, 4)
        assert object_code(wide) == object_code(wide, 8)
        assert target_key() == target_key(8) != target_key(4)
    assert "+avx512f" not in native._features(4)


@pytest.mark.parametrize(("chosen", "width"), [("2", 2), ("4", min(4, vector_width())), ("8", vector_width())])
def test_the_width_can_be_chosen(chosen: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.WIDTH_VARIABLE, chosen)
    assert vector_width.__wrapped__() == width


def test_an_invalid_width_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.WIDTH_VARIABLE, "16")
    with pytest.raises(ValueError, match="LEAPCHECK_VECTOR_WIDTH=16: give 2, 4 or 8"):
        vector_width.__wrapped__()
