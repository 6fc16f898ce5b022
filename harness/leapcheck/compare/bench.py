"""The engines of a run, made once per process, and what one block of states yields in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from leapcheck.compare.distances import distances
from leapcheck.compare.in_house import InHouse, Values
from leapcheck.compare.participants import Participant, ShapeError, participants
from leapcheck.compare.records import EngineRow, Failure
from leapcheck.compare.tally import NEAR, SAMPLE, Row, Tally, base_distance, tally
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.protocol import Engine
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.engines.registry import make_engine
from leapcheck.engines.user import load_user_engine
from leapcheck.quantities import QUANTITIES, Scale, sizes
from leapcheck.states import Floats, States
from leapcheck_models.spec import RobotSpec

TRUTH = "truth"
"""Name under which the double-double values stand among the engines."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Quantities that go through the pipeline together: the in-house side, its truth, and how each engine takes part (None: it is
    the in-house side itself).
    """

    in_house: InHouse
    truth: Callable[[States], Floats] | None
    participants: tuple[tuple[str, Participant | None], ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """One robot in its engines: those that could be made, those that failed, and what could not be compared."""

    spec: RobotSpec
    engines: tuple[Engine, ...]
    portions: tuple[Portion, ...]
    failures: tuple[Failure, ...]
    not_compared: tuple[str, ...]

    @property
    def rows(self) -> tuple[EngineRow, ...]:
        """The engines as records."""
        return tuple(
            EngineRow(e.name, e.version, e.route, tuple(q for q in QUANTITIES if q in e.quantities)) for e in self.engines
        )


@dataclass(slots=True)
class Outcome:
    """What consecutive blocks yielded: one tally per portion, in their order, and the failures met on the way."""

    tallies: dict[tuple[Row, ...], Tally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def merge(self, later: Outcome) -> None:
        """Adds what later blocks yielded."""
        for rows, found in later.tallies.items():
            if rows in self.tallies:
                self.tallies[rows].merge(found)
            else:
                self.tallies[rows] = found
        self.failures += [failure for failure in later.failures if not known(failure, self.failures)]


def known(failure: Failure, failures: Sequence[Failure]) -> bool:
    """Whether the same engine has failed on the same quantity before: the first message is kept."""
    return any((f.engine, f.quantity) == (failure.engine, failure.quantity) for f in failures)


def bench(spec: RobotSpec, engines: Sequence[str | Engine], quantities: Sequence[str], compile_code: bool) -> Bench:
    """The robot in each engine; a name is looked up, "module:factory" is the user's, an Engine is taken as it is.

    `compile_code` where many states are to come; it changes no bit of the results.
    """
    made: list[Engine] = []
    failures: list[Failure] = []
    not_compared: list[str] = []
    for request in engines:
        try:
            made.append(_made(request, spec))
        except NotApplicable as reason:
            not_compared.append(f"{request}: {reason}")
        except EngineError as error:
            failures.append(Failure(str(request), "", str(error)))
    names = [name for name in quantities if _has_entries(spec, name)]
    portions = tuple(_portion(spec, part, made, compile_code) for part in _parts(names))
    if any(portion.truth is None for portion in portions):
        not_compared.append("the truth on every state: it needs llvmlite (pip install llvmlite); the worst states have it")
    return Bench(spec, tuple(made), portions, tuple(failures), tuple(not_compared))


def _made(request: str | Engine, spec: RobotSpec) -> Engine:
    if not isinstance(request, str):
        return request
    return load_user_engine(request, spec) if ":" in request else make_engine(request, spec)


def _parts(quantities: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The quantities by what they are computed from; the one that is as long as all others together is alone."""
    alone = ("contact_inertia",)
    groups = (
        [name for name in quantities if not QUANTITIES[name].in_mujoco_coordinates and name not in alone],
        [name for name in quantities if name in alone],
        [name for name in quantities if QUANTITIES[name].in_mujoco_coordinates],
    )
    yield from (tuple(group) for group in groups if group)


def _portion(spec: RobotSpec, quantities: tuple[str, ...], engines: Sequence[Engine], compile_code: bool) -> Portion:
    in_house = InHouse(spec, quantities, compile_code)
    try:
        truth = in_house.truth()
    except ImportError:
        truth = None
    taking_part: list[tuple[str, Participant | None]] = []
    for engine in engines:
        itself = isinstance(engine, ReferenceEngine)
        taking_part += [(engine.name, part) for part in ([None] if itself else participants(engine, in_house))]
    return Portion(in_house, truth, tuple(taking_part))


def outcome(at: Bench, states: States) -> Outcome:
    """Every engine's answers on a block of states, compared pair by pair and with the truth, and reduced."""
    found = Outcome()
    for portion in at.portions:
        reduced = _reduced(at.spec, portion, states, found.failures)
        if reduced is not None:
            found.tallies[reduced.rows] = reduced
    return found


def _reduced(spec: RobotSpec, portion: Portion, states: States, failures: list[Failure]) -> Tally | None:
    """The tally of a portion's rows; None where nothing could be held against anything."""
    values = portion.in_house(states)
    sides = _sides(portion, values, states, failures)
    rows: list[Row] = []
    parts: list[tuple[Floats, Floats, Floats]] = []
    heat: dict[Row, Floats] = {}
    for name in portion.in_house.quantities:
        engines, slots = [engine for engine, _ in sides[name]], [found for _, found in sides[name]]
        pairs = list(combinations(range(len(engines)), 2))
        mine = [_row(name, engines[i], engines[j]) for i, j in pairs]
        if not pairs:
            continue
        error, absolute = _differences(portion.in_house, values, name, slots, pairs)
        parts.append((error, absolute, np.broadcast_to(values.rounding[name], error.shape)))
        rows += mine
        if name == "mass_matrix" and states.index[0] < SAMPLE:
            heat = _heat(spec, portion.in_house, values, states, slots, dict(zip(mine, pairs, strict=True)))
    if not rows:
        return None
    found = tally(spec, states, rows, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    found.heat = heat
    return found


def _row(quantity: str, first: str, second: str) -> Row:
    """The row of a pair; the truth is always what is held against."""
    return Row(quantity, first, second) if second == TRUTH else Row(quantity, second, first)


def _sides(portion: Portion, values: Values, states: States, failures: list[Failure]) -> dict[str, list[tuple[str, Floats]]]:
    """Per quantity who answers it and where the slots are; the truth comes last."""
    sides: dict[str, list[tuple[str, Floats]]] = {name: [] for name in portion.in_house.quantities}
    for engine, participant in portion.participants:
        answered = dict.fromkeys(sides, values.slots) if participant is None else _answers(engine, participant, states, failures)
        for name, slots in answered.items():
            sides[name].append((engine, slots))
    if portion.truth is not None:
        true = portion.truth(states)
        for side in sides.values():
            side.append((TRUTH, true))
    return sides


def _answers(engine: str, participant: Participant, states: States, failures: list[Failure]) -> dict[str, Floats]:
    """Slots per quantity; where an engine fails, quantity by quantity, so that one failure takes no other down."""
    try:
        return dict.fromkeys(participant.quantities, participant(states))
    except Exception:  # any failure of foreign code is a finding, named below
        answers: dict[str, Floats] = {}
        for name in participant.quantities:
            try:
                answers[name] = participant.one(name, states)
            except (EngineError, ShapeError) as error:
                failures.append(Failure(engine, name, str(error)))
            except Exception as error:
                failures.append(Failure(engine, name, f"engine '{engine}' failed on {name}: {_one_line(error)}"))
        return answers


def _differences(
    in_house: InHouse, values: Values, name: str, slots: Sequence[Floats], pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Scale-free and absolute errors (pairs, n) of a quantity."""
    n, scale = len(values.scale[name]), values.scale[name]
    place = in_house.slot_map.remainder(name)
    remainders = np.array([side[:, place].ravel()[:n] for side in slots])
    rest = np.array([np.maximum(remainders[i], remainders[j]) for i, j in pairs])
    absolute = distances(slots, in_house.slot_map.of[name].range, pairs)[:, :n]
    if QUANTITIES[name].scale is not Scale.DIAGONAL:
        absolute = np.maximum(absolute, rest)
        return absolute / scale, absolute
    error = distances(slots, in_house.slot_map.of[name].range, pairs, values.weights)[:, :n]
    return np.maximum(error, rest), absolute


def _heat(
    spec: RobotSpec,
    in_house: InHouse,
    values: Values,
    states: States,
    slots: Sequence[Floats],
    pairs: Mapping[Row, tuple[int, int]],
) -> dict[Row, Floats]:
    """Largest scale-free error of each entry of M (nv, nv) for each pair of engines, near the origin."""
    at, n = in_house.slot_map.of["mass_matrix"], len(states)
    near = base_distance(spec, states) <= NEAR
    told = near if near.any() else np.ones(n, dtype=bool)
    heat = {}
    for row, (i, j) in pairs.items():
        if row.against == TRUTH:
            continue
        off = np.abs(slots[i][:, at.range] - slots[j][:, at.range]) * values.weights
        largest = off.swapaxes(0, 1).reshape(off.shape[1], -1)[:, :n][:, told].max(axis=1)
        heat[row] = np.where(at.place < 0, 0.0, largest[at.place])
    return heat


def _has_entries(spec: RobotSpec, quantity: str) -> bool:
    shape = QUANTITIES[quantity].shape
    return shape is None or 0 not in shape(sizes(spec))


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
