"""The true values of a run's worst entries; from the user's cache where the same code computed the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache, partial
from pathlib import Path

import numpy as np

from leapcheck.records import WorstState
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.cache import hash_of_files, load_or_make
from leapcheck_reference.trace.key import key_of

SOURCES = ("judge/true_entries.py", "judge/truth.py", "quantities.py", "sampling.py")
"""Source that says what the truth is, besides the reference's and the models', which are in every key of the cache."""


def true_entries(spec: RobotSpec, wanted: Sequence[tuple[str, WorstState]]) -> list[float]:
    """The double nearest to the true value of each (quantity, worst state). Raises ArithmeticError as `truth` does."""

    def compute() -> bytes:
        from leapcheck.judge.truth import truth  # python-flint takes its time

        true_values = cache(partial(truth, spec))  # pairs with one wrong engine often share the state
        entries = [
            true_values(quantity, worst.q, worst.v, worst.tau, worst.vdot, worst.contact_forces)[worst.place]
            for quantity, worst in wanted
        ]
        return np.array(entries, dtype=float).tobytes()

    if not wanted:
        return []
    key = key_of(_sources(), spec, [(name, w.place, w.q, w.v, w.tau, w.vdot, w.contact_forces) for name, w in wanted])
    entries: list[float] = np.frombuffer(load_or_make(b"true entries " + key, compute)).tolist()
    return entries


@lru_cache(maxsize=1)
def _sources() -> str:
    return hash_of_files(Path(__file__).parents[1], *SOURCES)
