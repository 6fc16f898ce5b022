"""MuJoCo's layouts of M: the one place that knows what differs between its versions (3.10.0 has `mjData.qM`, 3.11 not)."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Layout:
    """Row and column (nC,) of each entry of the CSR lower triangle `mjData.M`."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


def layout(m: mujoco.MjModel) -> Layout:
    """The layout of a compiled model."""
    rows = np.repeat(np.arange(m.nv), m.M_rownnz)
    return Layout(rows, np.array(m.M_colind, dtype=np.intp))


def csr(d: mujoco.MjData) -> Floats:
    """View (nC,) of M in compressed sparse rows: lower triangle, columns ascending, the diagonal last in its row."""
    view: Floats = d.M
    return view


def legacy_qM(m: mujoco.MjModel, d: mujoco.MjData) -> Floats:
    """M (nM,) in the legacy layout, each row from its diagonal up the ancestors: qM itself, or made from CSR where it is gone."""
    if hasattr(d, "qM"):
        view: Floats = d.qM
        return view
    qM = np.zeros(m.nM)
    qM[m.mapM2M] = d.M
    return qM


def write_dense(layout: Layout, M_csr: Floats, out: Floats) -> None:
    """Writes the dense symmetric M (nv, nv) of a CSR lower triangle into zeros."""
    out[layout.rows, layout.columns] = M_csr
    out[layout.columns, layout.rows] = M_csr
