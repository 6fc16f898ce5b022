"""States at which engines are compared."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray
import numpy as np

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class States:
    """A block of n states: `q` (n, nq), `v` (n, nv), `tau` (n, nv), canonical; each with its global `index` and `kind`."""

    q: Floats
    v: Floats
    tau: Floats
    index: NDArray[np.int64]
    kind: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.q)
