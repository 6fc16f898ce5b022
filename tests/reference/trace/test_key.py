"""Keys of the cache: the same for equal values, whichever objects they are; other for any other value."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_reference import build
from leapcheck_reference.rotation import cross, skew
from leapcheck_reference.trace.key import key_of

pytestmark = pytest.mark.quick


def test_equal_values_have_equal_keys_though_they_are_other_objects() -> None:
    tree = build(load("two_link_arm"))
    copy = pickle.loads(pickle.dumps(tree))
    word = "".join(["a", "b"])  # not the object of the literal
    assert key_of(tree, ("ab", "ab")) == key_of(copy, ("ab", word))


def test_a_trees_numbers_count() -> None:
    tree = build(load("two_link_arm"))
    moved = replace(tree, gravity=tree.gravity * (1.0 + 2.0**-52))
    assert key_of(tree) != key_of(moved)


def test_other_values_have_other_keys() -> None:
    values = [
        *(0, 0.0, -0.0, False, None, "0", b"0", "", (), [], {}),
        *((0,), (0, 0), ((0,), 0), (0, (0,)), ("a", "b"), ("ab",), {"a": 1}, {"b": 1}, slice(0, 1), slice(0, 2)),
        *(
            np.zeros(2),
            np.zeros(3),
            np.zeros((1, 2)),
            np.zeros(2, dtype=np.int64),
            np.array([0.0, 1.0]),
            np.array([0, "x"], dtype=object),
        ),
        *(skew, cross, partial(skew, 1), partial(skew, 2), partial(skew, a=1), np.add, np.subtract),
    ]
    keys = [key_of(value) for value in values]
    assert all(a != b for a, b in combinations(keys, 2))


@pytest.mark.parametrize("value", [lambda: 0, object(), partial(lambda: 0)])
def test_what_cannot_be_told_apart_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be told"):
        key_of(value)
