"""MuJoCo's own messages kept from the terminal, and from the log file that it writes in the current folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import mujoco


@contextmanager
def mute_warnings() -> Iterator[None]:
    """Mutes MuJoCo's warnings at runtime: its data count them."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_ignore)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


@contextmanager
def mute_compiler() -> Iterator[None]:
    """Mutes what MuJoCo says about a file that it loads: findings report it."""
    with mute_warnings(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # deprecated attributes
        yield


def _ignore(message: str) -> None:
    """Takes a warning of MuJoCo's."""
