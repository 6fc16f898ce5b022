"""The user's own states in files: .npz, .csv and .parquet, read with every row checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from leapcheck.sampling import STATE_PARTS, States, joint_slices, part_sizes
from leapcheck.system.npz import UNREADABLE, arrays_of
from leapcheck.system.tables import Column, Table
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_models.validation import UNIT_TOLERANCE

LARGEST = 1e9
"""Largest number (rad, m, rad/s, m/s, N m, N) of a state of the user's: beyond it, sines and squares mean nothing."""

STATE_ARRAYS = re.compile("|".join(STATE_PARTS))
"""Names of the arrays of a state."""


def read_states(spec: RobotSpec, path: Path) -> States:
    """The user's own states: .npz with arrays q, v, tau, vdot, contact_forces, or .csv / .parquet with columns q_0, ..., v_0, ...

    All but q may be left out (zero). contact_forces are (n, 3 points), or (n, points, 3) in an .npz. Raises ValueError or
    FileNotFoundError naming the file, the row and the remedy.
    """
    return states_of(spec, path, read_arrays(path, STATE_ARRAYS))


def read_arrays(path: Path, names: re.Pattern[str]) -> dict[str, Floats]:
    """The arrays of these names in an .npz; of a .csv or .parquet, columns NAME_0, NAME_1, ... or one NAME are an array.

    Raises ValueError or FileNotFoundError naming the file and the remedy; what NumPy would have to unpickle is refused.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file of states: give a .npz, .csv or .parquet")
    return _read_npz(path, names) if path.suffix == ".npz" else _read_table(path, names)


def states_of(spec: RobotSpec, path: Path, arrays: Mapping[str, Floats]) -> States:
    """The states out of the arrays of a file; raises as `read_states` does."""
    if "q" not in arrays:
        raise ValueError(f"{path}: holds no q: give q (n, {spec.nq}), and v and tau (n, {spec.nv}) where wanted")
    n = len(np.atleast_1d(arrays["q"]))
    if n == 0:
        raise ValueError(f"{path}: holds no states: give at least one row")
    q = _check_array(path, "q", arrays["q"], n, spec.nq)
    parts, sizes = {"q": q}, part_sizes(spec)
    for name in STATE_PARTS[1:]:
        if name in arrays:
            parts[name] = _check_array(path, name, _rows_of(arrays[name]), n, sizes[name])
        elif name != "contact_forces":  # which are none where they are left out
            parts[name] = np.zeros((n, spec.nv))
    for joint, kind, place, _ in joint_slices(spec):
        if kind in (JointType.FREE, JointType.BALL):
            off = np.abs(np.linalg.norm(q[:, place.stop - 4 : place.stop], axis=1) - 1.0)
            if off.max(initial=0.0) > UNIT_TOLERANCE:
                row = int(off.argmax())
                raise ValueError(f"{path}: row {row}: the quaternion of '{joint}' has norm off 1 by {off[row]:.3g}: normalise it")
    return States(index=np.arange(n), kind=("file",) * n, **parts)


def _rows_of(values: Floats) -> Floats:
    """Arrays (n, points, 3) as rows (n, 3 points); others as they are."""
    return values.reshape(len(values), -1) if values.ndim == 3 else values


def _read_npz(path: Path, names: re.Pattern[str]) -> dict[str, Floats]:
    try:
        return arrays_of(path, names)
    except UNREADABLE as error:
        raise ValueError(f"{path}: is no .npz of plain number arrays ({error}): write it with np.savez") from error


def _read_table(path: Path, names: re.Pattern[str]) -> dict[str, Floats]:
    import pandas as pd

    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path}: unknown kind of file '{path.suffix}': give a .npz, .csv or .parquet")
    try:
        rows = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        numbers: dict[str, list[int]] = {}
        arrays: dict[str, Floats] = {}
        for column in map(str, rows.columns):
            name, _, number = column.rpartition("_")
            if number.isascii() and number.isdigit() and names.fullmatch(name):
                numbers.setdefault(name, []).append(int(number))
            elif names.fullmatch(column):
                arrays[column] = rows[column].to_numpy(dtype=float)
        for name, of_name in numbers.items():
            if sorted(of_name) != list(range(len(of_name))):
                raise ValueError(f"the columns of {name} are numbered {min(of_name)} to {max(of_name)}, {len(of_name)} in all")
            arrays[name] = rows[[f"{name}_{i}" for i in range(len(of_name))]].to_numpy(dtype=float)
    except (ValueError, TypeError, KeyError, OSError, NotImplementedError) as error:
        raise ValueError(f"{path}: is no table of numbers ({error}): give columns q_0, q_1, ..., v_0, ...") from error
    return arrays


def _check_array(path: Path, name: str, values: Floats, n: int, width: int) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or array.shape != (n, width):
        raise ValueError(f"{path}: {name} has shape {array.shape} of {array.dtype}: give numbers of shape ({n}, {width})")
    array = array.astype(float)
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(f"{path}: row {row}: {name} holds NaN or infinity: give finite numbers")
    if np.abs(array).max(initial=0.0) > LARGEST:
        row = int(np.abs(array).max(axis=1).argmax())
        raise ValueError(
            f"{path}: row {row}: {name} holds {np.abs(array).max():.3g}: give numbers of at most {LARGEST:g} in SI units"
        )
    return array


def state_table(states: States) -> Table:
    """The states as a table: index, kind, q_0 ..., v_0 ..., tau_0 ..., and so on; `read_states` reads it back."""
    columns = {"index": Column("int64", states.index.tolist()), "kind": Column("str", states.kind)}
    for name in STATE_PARTS:
        columns |= {f"{name}_{i}": Column("float64", values) for i, values in enumerate(getattr(states, name).T)}
    return columns
