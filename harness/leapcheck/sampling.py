"""States at which engines are compared: seeded per fixed unit, so that no block size or process count changes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec

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

STREAMS = {"vdot": (1, 10.0), "contact_forces": (2, 100.0)}
"""Parts of a state that have a stream of their own in each unit: its number, and the part's standard deviation in its unit."""

UNIT_KINDS = PATTERN * (UNIT // len(PATTERN))
"""Kinds of the states of a unit."""

ROWS = {kind: np.array([i for i, of_state in enumerate(UNIT_KINDS) if of_state == kind]) for kind in dict.fromkeys(PATTERN)}
"""Which states of a unit are of each kind."""

KINDS = tuple(dict.fromkeys(PATTERN))
"""generic; large (angles to 10 rad, speeds to 100 rad/s); singular (near straight or folded); rest; far (1e2 to 1e4 m); pose."""


STATE_PARTS = ("q", "v", "tau", "vdot", "contact_forces")
"""The parts of a state; a quantity depends on some of them."""

LEFT_OUT: Floats = np.zeros((0, 0))


@dataclass(frozen=True, slots=True)
class States:
    """A block of n states: `q` (n, nq), `v` (n, nv), `tau` (n, nv), canonical; each with its global `index` and `kind`.

    `vdot` (n, nv) are the accelerations that inverse dynamics is asked for, which have nothing to do with tau; left out, zero.
    `contact_forces` (n, 3 points) are those on the robot at its computed contact points, N, world axes; left out (n, 0), none.
    """

    q: Floats
    v: Floats
    tau: Floats
    index: NDArray[np.int64]
    kind: tuple[str, ...]
    vdot: Floats = field(default_factory=lambda: LEFT_OUT)
    contact_forces: Floats = field(default_factory=lambda: LEFT_OUT)

    def __post_init__(self) -> None:
        if self.vdot is LEFT_OUT:
            object.__setattr__(self, "vdot", np.zeros(self.v.shape))
        if self.contact_forces is LEFT_OUT:
            object.__setattr__(self, "contact_forces", np.zeros((len(self.q), 0)))

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"<States {len(self)}: q {self.q.shape}, v {self.v.shape}, tau {self.tau.shape}>"

    def __getitem__(self, rows: slice) -> States:
        return States(index=self.index[rows], kind=self.kind[rows], **{part: getattr(self, part)[rows] for part in STATE_PARTS})


def part_sizes(spec: RobotSpec) -> dict[str, int]:
    """How many numbers each part of a state is."""
    return dict.fromkeys(STATE_PARTS, spec.nv) | {
        "q": spec.nq,
        "contact_forces": 3 * sum(point.computed for point in spec.contact_points),
    }


def generated_states(spec: RobotSpec, count: int, seed: int, unit: int) -> States:
    """The states of one unit out of `count` in all: at most `UNIT` of them, mixed kinds by `PATTERN`."""
    return generated_block(spec, count, seed, (unit,))


def generated_block(
    spec: RobotSpec, count: int, seed: int, of_units: Sequence[int], parts: Collection[str] = STATE_PARTS
) -> States:
    """The states of some units, in ascending order, as one block; vdot and contact_forces that are not among the `parts` are left
    out, the rest stays the same.
    """
    places, rows, sizes = _places(spec), len(of_units) * UNIT, part_sizes(spec)
    q, v, tau = (np.empty((rows, sizes[part])) for part in STATE_PARTS[:3])
    streams = {name: stream for name, stream in STREAMS.items() if name in parts}
    more = {name: np.empty((rows, sizes[name])) for name in streams}
    # Every draw is made for the whole unit, whatever the count: the first states of a longer run are those of a shorter one.
    draws: list[_SpecialDraws] = []
    for k, unit in enumerate(of_units):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(unit,)))
        block = slice(k * UNIT, (k + 1) * UNIT)
        _draw_generic(places, rng, q[block], v[block], tau[block])
        draws.append(_draw_special(places, spec.nv, rng))
        for name, (stream, size) in streams.items():
            np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(unit, stream))).standard_normal(out=more[name][block])
            more[name][block] *= size
    if draws:
        _shape_by_kind(spec, places, _SpecialDraws(*map(np.concatenate, zip(*draws, strict=True))), q, v)
    index = (np.array(of_units, dtype=np.int64)[:, None] * UNIT + np.arange(UNIT)).ravel()
    n = int(np.searchsorted(index, count))
    kinds = (UNIT_KINDS * len(of_units))[:n]
    return States(q[:n], v[:n], tau[:n], index[:n], kinds, **{name: values[:n] for name, values in more.items()})


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
    starts: dict[JointType, list[int]] = {kind: [] for kind in JointType}
    for _, kind, place, _ in joint_slices(spec):
        starts[kind].append(place.start)
    quaternions = sorted([*(start + 3 for start in starts[JointType.FREE]), *starts[JointType.BALL]])
    angles, slides = (np.array(starts[kind], dtype=np.intp) for kind in (JointType.REVOLUTE, JointType.PRISMATIC))
    return _Places(starts[JointType.FREE], quaternions, angles, slides)


def _draw_generic(places: _Places, rng: np.random.Generator, q: Floats, v: Floats, tau: Floats) -> None:
    """Tilted, moving, every joint bent: positions +-1 m, any orientation, +-pi rad, +-0.5 m."""
    rng.standard_normal(out=v)
    v *= 3.0
    for start in places.positions:
        q[:, start : start + 3] = rng.uniform(-1.0, 1.0, (UNIT, 3))
    for start in places.quaternions:
        q[:, start : start + 4] = _unit_quaternions(rng)
    q[:, places.angles] = rng.uniform(-np.pi, np.pi, (UNIT, len(places.angles)))
    q[:, places.slides] = rng.uniform(-0.5, 0.5, (UNIT, len(places.slides)))
    rng.standard_normal(out=tau)
    tau *= 10.0


class _SpecialDraws(NamedTuple):
    """What is drawn for states that are not generic, rows of one unit or of several.

    Speeds and angles of large ones; whether singular angles are folded, their signs and exponents; of bases far away directions
    (n, bases, 3) and exponents of distances (n, bases).
    """

    speeds: Floats
    large: Floats
    folded: NDArray[np.int64]
    signs: NDArray[np.int64]
    exponents: Floats
    directions: Floats
    distances: Floats


def _draw_special(places: _Places, nv: int, rng: np.random.Generator) -> _SpecialDraws:
    """The draws of one unit: no shorter, where a kind of joint is not there, than what that kind needs."""
    large, singular, far = (len(ROWS[kind]) for kind in ("large", "singular", "far"))
    angles, bases = len(places.angles), len(places.positions)
    drawn = (
        rng.uniform(-100.0, 100.0, (large, nv)),
        rng.uniform(-10.0, 10.0, (large, angles)),
        rng.integers(0, 2, (singular, angles)),
        rng.integers(0, 2, (singular, angles)),
        rng.uniform(-12.0, -3.0, (singular, angles)),
    )
    directions, distances = np.empty((far, bases, 3)), np.empty((far, bases))
    for i in range(bases):
        directions[:, i], distances[:, i] = rng.standard_normal((far, 3)), rng.uniform(2.0, 4.0, far)
    return _SpecialDraws(*drawn, directions, distances)


def _shape_by_kind(spec: RobotSpec, places: _Places, draws: _SpecialDraws, q: Floats, v: Floats) -> None:
    """Turns the generic states of some units into those of their kind, in place."""
    starts = np.arange(0, len(q), UNIT)[:, None]
    rest, large, singular, far, pose = ((starts + ROWS[kind]).ravel() for kind in ("rest", "large", "singular", "far", "pose"))
    v[rest] = 0.0
    v[large] = draws.speeds
    q[large[:, None], places.angles] = draws.large
    # Straight (0) and folded (pi) joints, off by 1e-12 to 1e-3 rad.
    q[singular[:, None], places.angles] = np.pi * draws.folded + (1.0 - 2.0 * draws.signs) * 10.0**draws.exponents
    for i, start in enumerate(places.positions):
        direction = np.ascontiguousarray(draws.directions[:, i])
        q[far, start : start + 3] = 10.0 ** draws.distances[:, i, None] / _norms(direction) * direction
    if spec.poses:
        of_unit = [spec.poses[i % len(spec.poses)].q for i in range(len(ROWS["pose"]))]
        q[pose] = np.tile(np.array(of_unit), (len(starts), 1))


def _unit_quaternions(rng: np.random.Generator) -> Floats:
    quaternions = rng.standard_normal((UNIT, 4))
    unit: Floats = quaternions / _norms(quaternions)
    return unit


def _norms(rows: Floats) -> Floats:
    """Norms (n, 1) of rows."""
    norms: Floats = np.sqrt(np.einsum("ni,ni->n", rows, rows))[:, None]
    return norms


def joint_slices(spec: RobotSpec) -> list[tuple[str, JointType, slice, slice]]:
    """(joint name, type, place in q, place in v) of every joint."""
    rows, q, v = [], 0, 0
    for body in spec.bodies:
        kind = body.joint.type
        q_end, v_end = q + CONFIGURATION_SIZE[kind], v + VELOCITY_SIZE[kind]
        rows.append((body.joint.name, kind, slice(q, q_end), slice(v, v_end)))
        q, v = q_end, v_end
    return rows


def with_contact_forces(spec: RobotSpec, states: States) -> States:
    """The states, with contact forces of zero where they are left out."""
    width = part_sizes(spec)["contact_forces"]
    return states if states.contact_forces.shape[1] == width else replace(states, contact_forces=np.zeros((len(states), width)))


def join_states(blocks: Sequence[States]) -> States:
    """The blocks as one; contact forces that are left out of some but not of all are zero there."""
    q, v, tau, vdot, index = (np.concatenate([getattr(b, part) for b in blocks]) for part in (*STATE_PARTS[:4], "index"))
    width = max(block.contact_forces.shape[1] for block in blocks)
    forces = [b.contact_forces if b.contact_forces.shape[1] == width else np.zeros((len(b), width)) for b in blocks]
    return States(q, v, tau, index, tuple(chain.from_iterable(b.kind for b in blocks)), vdot, np.concatenate(forces))


def take(states: States, rows: Sequence[int] | NDArray[np.int64]) -> States:
    """Some of the states, by their rows."""
    kind = tuple(states.kind[i] for i in rows)
    return States(index=states.index[rows], kind=kind, **{part: getattr(states, part)[rows] for part in STATE_PARTS})


def tile(states: States, times: int) -> States:
    """The states one after the other, so many times."""
    parts = {part: np.tile(getattr(states, part), (times, 1)) for part in STATE_PARTS}
    return States(index=np.tile(states.index, times), kind=states.kind * times, **parts)


def unit_blocks(states: States) -> list[States]:
    """The states of a block, unit by unit."""
    starts = np.flatnonzero(np.diff(states.index // UNIT, prepend=-1))
    return [states[start:end] for start, end in zip(starts, [*starts[1:], len(states)], strict=True)]
