"""Arrays as bytes: what comes back, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference.trace.packing import ALIGNMENT, pack, unpack

pytestmark = pytest.mark.quick


def test_what_was_packed_comes_back() -> None:
    arrays = {
        "numbers": np.linspace(0.0, 1.0, 7),
        "one": np.array(3.5),
        "none": np.zeros((0, 4)),
        "words": np.arange(6, dtype=np.int32).reshape(2, 3).T,
        "bytes": np.frombuffer(b"code", dtype=np.uint8),
    }
    description, found = unpack(pack({"name": "a\nb", "count": 3}, arrays))
    assert description == {"name": "a\nb", "count": 3}
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
        assert not found[name].flags.writeable
        assert found[name].ctypes.data % 8 == 0 or ALIGNMENT < 8


def test_objects_are_refused() -> None:
    content = pack({}, {"x": np.zeros(2)}).replace(b'"<f8"', b'"|O8"')
    with pytest.raises(ValueError, match=r"'x' is an array of \|O8, which is no number"):
        unpack(content)


@pytest.mark.parametrize("left", [slice(0), slice(20), slice(70)])
def test_half_of_it_is_refused(left: slice) -> None:
    with pytest.raises(ValueError, match=r"Expecting value|buffer"):
        unpack(pack({}, {"x": np.zeros(20)})[left])
