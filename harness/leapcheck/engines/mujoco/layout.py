"""MuJoCo's layouts of M: the one place that knows what differs between its versions (3.10.0 has `mjData.qM`, 3.11 not)."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.mujoco.call_table import Address, Call, call
from leapcheck_models.arrays import Floats


def places_in_csr(m: mujoco.MjModel) -> NDArray[np.intp]:
    """Where in the CSR lower triangle `mjData.M` (nC,) each entry of dense M (nv, nv) stands; nC for an entry that is zero.

    Compressed sparse rows: columns ascending, the diagonal last in its row.
    """
    rows, columns = np.repeat(np.arange(m.nv), m.M_rownnz), m.M_colind
    places = np.full((m.nv, m.nv), m.nC, dtype=np.intp)
    places[rows, columns] = places[columns, rows] = np.arange(m.nC)
    return places


def dense(places: NDArray[np.intp], csr: Floats) -> Floats:
    """Symmetric M (..., nv, nv) of a block of CSR lower triangles (..., nC)."""
    with_zero = np.concatenate([csr, np.zeros((*csr.shape[:-1], 1))], axis=-1)
    M: Floats = with_zero[..., places]
    return M


def legacy_calls(m: mujoco.MjModel, has_qM: bool) -> tuple[Call, ...]:
    """Calls that write M in the legacy layout (nM,), each row from its diagonal up the ancestors, into the array `qM`.

    From `mjData.qM` where it still is; else entry by entry out of CSR: what only qM holds are zeros.
    """
    if has_qM:
        return (call("mju_copy", "qM", "d.qM", m.nM),)
    single = (call("mju_copy", Address("qM", int(place)), Address("d.M", entry), 1) for entry, place in enumerate(m.mapM2M))
    return (call("mju_zero", "qM", m.nM), *single)
