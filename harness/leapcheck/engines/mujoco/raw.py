"""What a number of MuJoCo's is: a shape, and the calls of libmujoco that write it."""

from __future__ import annotations

from typing import NamedTuple

from leapcheck.engines.mujoco.call_table import Call


class RawNumber(NamedTuple):
    """One of MuJoCo's numbers: its shape, and the calls that write it into the array of its name, in the state moved to."""

    shape: tuple[int, ...]
    calls: tuple[Call, ...]
