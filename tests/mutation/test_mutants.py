from __future__ import annotations

import ast

import pytest

from tests.mutation.mutants import mutants

pytestmark = pytest.mark.quick

CHANGES = [
    ("x = a + b", ["x = a - b"]),
    ("x = A @ b", ["x = b @ A"]),
    ("x += y", ["x -= y", "pass"]),
    ("x = -y", ["x = y"]),
    ("x = a < b", ["x = a <= b"]),
    ("x = 0 <= a < b", ["x = 1 <= a < b", "x = 0 <= a <= b"]),
    ("x = a and b", ["x = a or b"]),
    ("x = a[3:]", ["x = a[4:]"]),
    ("x = A.T", ["x = A"]),
    ("x = f(a, b)", ["x = f(b, a)"]),
    ("x = f(a, a) + max(a, b)", ["x = f(a, a) - max(a, b)"]),
    ("x = zip(a, b, strict=True)", ["x = zip(b, a, strict=True)"]),
    ("a[i] = b", ["pass"]),
    ("if a:\n    b = c", ["if not a:\n    b = c"]),
    ("x = a if b else c", ["x = c if b else a"]),
    ("raise ValueError(f'{a + 1}')", ["pass"]),
    ("for i in reversed(n):\n    x = i", ["for i in n:\n    x = i"]),
    ("def f(x: int = 1) -> list[int]:\n    'words'\n    return x", ["def f(x: int=2) -> list[int]:\n    'words'\n    return x"]),
    ("import a\n__all__ = ['b']", []),
]


@pytest.mark.parametrize(("source", "expected"), CHANGES)
def test_each_change_is_made_alone(source: str, expected: list[str]) -> None:
    found = mutants("m", source)
    assert sorted(m.source for m in found) == sorted(ast.unparse(ast.parse(changed)) for changed in expected)
    for mutant in found:
        ast.parse(mutant.source)
        assert mutant.before != mutant.after
