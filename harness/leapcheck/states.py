"""States at which engines are compared: seeded per fixed unit, so that no block size or process count changes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.npz import UNREADABLE, arrays_of
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec
from leapcheck_models.validation import UNIT_TOLERANCE

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

UNIT = 256
"""States of one unit: each unit has a random stream of its own, spawned from the seed."""

PATTERN = (
    *("generic",) * 6,
    *("large",) * 2,
    *("singular",) * 3,
    *("rest",) * 2,
    *("far",) * 2,
    "pose",
)
"""Kinds of 16 consecutive states; the pattern repeats."""

UNIT_KINDS = PATTERN * (UNIT // len(PATTERN))
"""Kinds of the states of a unit."""

ROWS = {kind: np.array([i for i, of_state in enumerate(UNIT_KINDS) if of_state == kind]) for kind in dict.fromkeys(PATTERN)}
"""Which states of a unit are of each kind."""

LARGEST = 1e9
"""Largest number (rad, m, rad/s, m/s, N m, N) of a state of the user's: beyond it, sines and squares tell nothing."""

STATE_ARRAYS = re.compile("q|v|tau")
"""Names of the arrays of a state."""

KINDS = tuple(dict.fromkeys(PATTERN))
"""generic; large (angles to 10 rad, speeds to 100 rad/s); singular (near straight or folded); rest; far (1e2 to 1e4 m); pose."""


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

    def __getitem__(self, rows: slice) -> States:
        return States(self.q[rows], self.v[rows], self.tau[rows], self.index[rows], self.kind[rows])


def generated_states(spec: RobotSpec, count: int, seed: int, unit: int) -> States:
    """The states of one unit out of `count` in all: at most `UNIT` of them, mixed kinds by `PATTERN`."""
    n = min(UNIT, count - unit * UNIT)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(unit,)))
    places = _places(spec)
    # Every draw is made for the whole unit, whatever n is: the first states of a longer run are those of a shorter one.
    q, v, tau = _generic(spec, places, rng)
    _shape_by_kind(spec, places, rng, q, v)
    return States(q[:n], v[:n], tau[:n], unit * UNIT + np.arange(n), UNIT_KINDS[:n])


def units(count: int) -> range:
    """The units that hold `count` states."""
    return range(-(-count // UNIT))


class _Places(NamedTuple):
    """First places in q of positions and of quaternions, and the places of angles and of slides."""

    positions: list[int]
    quaternions: list[int]
    angles: NDArray[np.intp]
    slides: NDArray[np.intp]


def _places(spec: RobotSpec) -> _Places:
    positions: list[int] = []
    quaternions: list[int] = []
    angles: list[int] = []
    slides: list[int] = []
    for _, kind, place, _ in _slices(spec):
        match kind:
            case JointType.FREE:
                positions.append(place.start)
                quaternions.append(place.start + 3)
            case JointType.BALL:
                quaternions.append(place.start)
            case JointType.REVOLUTE:
                angles.append(place.start)
            case JointType.PRISMATIC:
                slides.append(place.start)
    return _Places(positions, quaternions, np.array(angles, dtype=np.intp), np.array(slides, dtype=np.intp))


def _generic(spec: RobotSpec, at: _Places, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Tilted, moving, every joint bent: positions +-1 m, any orientation, +-pi rad, +-0.5 m."""
    q = np.empty((UNIT, spec.nq))
    v = 3.0 * rng.standard_normal((UNIT, spec.nv))
    for start in at.positions:
        q[:, start : start + 3] = rng.uniform(-1.0, 1.0, (UNIT, 3))
    for start in at.quaternions:
        q[:, start : start + 4] = _unit_quaternions(rng)
    q[:, at.angles] = rng.uniform(-np.pi, np.pi, (UNIT, len(at.angles)))
    q[:, at.slides] = rng.uniform(-0.5, 0.5, (UNIT, len(at.slides)))
    return q, v, 10.0 * rng.standard_normal((UNIT, spec.nv))


def _shape_by_kind(spec: RobotSpec, at: _Places, rng: np.random.Generator, q: Floats, v: Floats) -> None:
    """Turns generic states into those of their kind, in place."""
    rest, large, singular, far, pose = (ROWS[kind] for kind in ("rest", "large", "singular", "far", "pose"))
    v[rest] = 0.0
    v[large] = rng.uniform(-100.0, 100.0, (len(large), spec.nv))
    if len(at.angles):
        q[np.ix_(large, at.angles)] = rng.uniform(-10.0, 10.0, (len(large), len(at.angles)))
        # Straight (0) and folded (pi) joints, off by 1e-12 to 1e-3 rad.
        shape = (len(singular), len(at.angles))
        folded, sign = rng.integers(0, 2, shape), 1.0 - 2.0 * rng.integers(0, 2, shape)
        q[np.ix_(singular, at.angles)] = np.pi * folded + sign * 10.0 ** rng.uniform(-12.0, -3.0, shape)
    for start in at.positions:
        direction = rng.standard_normal((len(far), 3))
        distance = 10.0 ** rng.uniform(2.0, 4.0, (len(far), 1))
        q[far, start : start + 3] = distance / _norms(direction) * direction
    if spec.poses:
        q[pose] = np.array([spec.poses[i % len(spec.poses)].q for i in range(len(pose))])


def _unit_quaternions(rng: np.random.Generator) -> Floats:
    quaternions = rng.standard_normal((UNIT, 4))
    unit: Floats = quaternions / _norms(quaternions)
    return unit


def _norms(rows: Floats) -> Floats:
    """Norms (n, 1) of rows."""
    norms: Floats = np.sqrt(np.einsum("ni,ni->n", rows, rows))[:, None]
    return norms


def _slices(spec: RobotSpec) -> list[tuple[str, JointType, slice, slice]]:
    """(joint name, type, place in q, place in v) of every joint."""
    rows, q, v = [], 0, 0
    for body in spec.bodies:
        kind = body.joint.type
        q_end, v_end = q + CONFIGURATION_SIZE[kind], v + VELOCITY_SIZE[kind]
        rows.append((body.joint.name, kind, slice(q, q_end), slice(v, v_end)))
        q, v = q_end, v_end
    return rows


def read_states(spec: RobotSpec, path: Path) -> States:
    """The user's own states: .npz with arrays q, v, tau, or .csv / .parquet with columns q_0.., v_0.., tau_0..

    v and tau may be left out (zero). Raises ValueError or FileNotFoundError naming the file, the row and the remedy.
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
    q = _checked(path, "q", arrays["q"], n, spec.nq)
    v, tau = (_checked(path, name, arrays.get(name, np.zeros((n, spec.nv))), n, spec.nv) for name in ("v", "tau"))
    for joint, kind, place, _ in _slices(spec):
        if kind in (JointType.FREE, JointType.BALL):
            off = np.abs(np.linalg.norm(q[:, place.stop - 4 : place.stop], axis=1) - 1.0)
            if off.max(initial=0.0) > UNIT_TOLERANCE:
                row = int(off.argmax())
                raise ValueError(f"{path}: row {row}: the quaternion of '{joint}' has norm off 1 by {off[row]:.3g}: normalise it")
    return States(q, v, tau, np.arange(n), ("file",) * n)


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
        frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        numbers: dict[str, list[int]] = {}
        found: dict[str, Floats] = {}
        for column in map(str, frame.columns):
            name, _, number = column.rpartition("_")
            if number.isascii() and number.isdigit() and names.fullmatch(name):
                numbers.setdefault(name, []).append(int(number))
            elif names.fullmatch(column):
                found[column] = frame[column].to_numpy(dtype=float)
        for name, of_name in numbers.items():
            if sorted(of_name) != list(range(len(of_name))):
                raise ValueError(f"the columns of {name} are numbered {min(of_name)} to {max(of_name)}, {len(of_name)} in all")
            found[name] = frame[[f"{name}_{i}" for i in range(len(of_name))]].to_numpy(dtype=float)
    except (ValueError, TypeError, KeyError, OSError, NotImplementedError) as error:
        raise ValueError(f"{path}: is no table of numbers ({error}): give columns q_0, q_1, ..., v_0, ...") from error
    return found


def _checked(path: Path, name: str, values: Floats, n: int, width: int) -> Floats:
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


def joined(blocks: Sequence[States]) -> States:
    """The blocks as one."""
    q, v, tau, index = (np.concatenate([getattr(b, part) for b in blocks]) for part in ("q", "v", "tau", "index"))
    return States(q, v, tau, index, tuple(kind for b in blocks for kind in b.kind))


def by_unit(states: States) -> list[States]:
    """The states of a block, unit by unit."""
    starts = np.flatnonzero(np.diff(states.index // UNIT, prepend=-1))
    return [states[start:end] for start, end in zip(starts, [*starts[1:], len(states)], strict=True)]


def state_frame(states: States) -> pd.DataFrame:
    """The states as a table: index, kind, q_0 ..., v_0 ..., tau_0 ...; `read_states` reads it back."""
    import pandas as pd

    columns: dict[str, object] = {"index": states.index, "kind": list(states.kind)}
    for name in ("q", "v", "tau"):
        columns |= {f"{name}_{i}": column for i, column in enumerate(getattr(states, name).T)}
    return pd.DataFrame(columns)
