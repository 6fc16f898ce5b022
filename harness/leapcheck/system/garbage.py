"""How often Python looks for cyclic garbage while leapcheck works."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rare_collection() -> Iterator[None]:
    """Cyclic garbage is looked for seldom inside, and as before afterwards.

    A comparison holds millions of small objects and few cycles: by default a fifth of its CPU goes into walking them.
    """
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
