"""Recorded data as an engine: answers at the states of the file, and at no others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.canonical import answers_from, check_convertible
from leapcheck.engines.outside.target import Target, target
from leapcheck.engines.outside.words import convention
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import CANONICAL, QUANTITIES, answer_shape
from leapcheck.sampling import STATE_PARTS, States
from leapcheck.state_files import read_arrays, states_of
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

if TYPE_CHECKING:
    from leapcheck.coordinates.conventions import Convention


class RecordedEngine:
    """Looks each state up by the numbers that a quantity depends on, so that a state without v or tau is found too."""

    version = "-"

    def __init__(self, target: Target, spec: RobotSpec) -> None:
        """Reads the file; EngineError in one line where it holds no answers, or others than this robot's."""
        self.name, self.target = target.name, target
        try:
            arrays = _read(target)
            self.convention = convention(spec, target.words, f"engine '{target.name}'")
            self.states = _states(spec, target.path, arrays, self.convention)
            answers = _answers(spec, target.path, arrays)
            check_convertible(self.convention, answers, "record")
        except (ValueError, OSError) as error:
            raise EngineError(f"engine '{target.name}': {' '.join(str(error).split())}") from None
        self._answers = answers_from(self.convention, self.states, answers, tuple(answers))
        self.quantities = frozenset(self._answers)
        self.precision = target.precision or "float64"
        own = "" if self.convention is None else ", in the convention that it declares"
        self.route = f"recorded data of {len(self.states)} states{own}"
        self._rows: dict[tuple[str, ...], dict[bytes, int]] = {}

    def build(self) -> RecordedEngine:
        """Itself: other processes get what was read."""
        return self

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape); EngineError at a state that was not recorded, and for NaN."""
        return {name: self._block(name, states) for name in quantities}

    def rows(self, states: States, arguments: tuple[str, ...]) -> list[int]:
        """The row of the file for each state, by these parts of it alone; EngineError for a state that was not recorded."""
        known = self._rows.setdefault(arguments, {})
        if not known:
            known.update((key, row) for row, key in reversed(list(enumerate(_keys(self.states, arguments)))))
        rows = []
        for i, key in enumerate(_keys(states, arguments)):
            if key not in known:
                raise EngineError(f"engine '{self.name}': state {states.index[i]} ({states.kind[i]}) was not recorded")
            rows.append(known[key])
        return rows

    def _block(self, name: str, states: States) -> Floats:
        answers = self._answers[name][self.rows(states, QUANTITIES[name].arguments)]
        if not np.isfinite(answers).all():
            row = int(np.argwhere(~np.isfinite(answers))[0, 0])
            raise EngineError(
                f"engine '{self.name}': {name} at state {states.index[row]} is NaN or infinite: record finite numbers"
            )
        return answers


def recordings(spec: RobotSpec, engines: Sequence[str]) -> dict[str, RecordedEngine]:
    """The recordings among the engines, by name, each read once. ValueError where two have other states."""
    from leapcheck.engines.outside.target import is_recording

    by_name = {name: RecordedEngine(target(name), spec) for name in filter(is_recording, engines)}
    for name, engine in by_name.items():
        first = next(iter(by_name))
        if not same_states(by_name[first].states, engine.states):
            raise ValueError(f"engine '{name}' was recorded at other states than '{first}': leave one of them out")
    return by_name


def same_states(first_states: States, second_states: States) -> bool:
    """Whether both hold the same numbers, row by row."""
    return all(np.array_equal(getattr(first_states, part), getattr(second_states, part)) for part in STATE_PARTS)


def _keys(states: States, arguments: Sequence[str]) -> list[bytes]:
    """The numbers of each state that a quantity depends on; -0 counts as 0."""
    together = np.ascontiguousarray(np.hstack([getattr(states, part) for part in arguments]) + 0.0)
    return [row.tobytes() for row in together]


def _read(target: Target) -> Mapping[str, Any]:
    names = "|".join(CANONICAL)
    return read_arrays(target.path, re.compile(rf"{'|'.join(STATE_PARTS)}|{names}"))


def _states(spec: RobotSpec, path: Path, arrays: Mapping[str, Any], own: Convention | None) -> States:
    """The states, in the canonical convention."""
    if own is None:
        return states_of(spec, path, arrays)
    given = dict(arrays)
    if "q" in given and np.shape(given["q"])[1:] == (spec.nq,):
        given["q"] = conventions.configuration_back(own, np.asarray(given["q"], dtype=float))
        T = conventions.velocity_map(own, given["q"])
        for name in ("v", "tau"):
            if name in given and np.shape(given[name]) == (len(T), spec.nv):
                given[name] = conventions.force(T, np.asarray(given[name], dtype=float))
        if "vdot" in given and "v" in given and np.shape(given["vdot"]) == (len(T), spec.nv):
            Tdot_v = conventions.velocity_map_rate(own, given["q"], given["v"])
            given["vdot"] = conventions.acceleration(T, np.asarray(given["vdot"], dtype=float), Tdot_v)
    return states_of(spec, path, given)


def _answers(spec: RobotSpec, path: Path, arrays: Mapping[str, Any]) -> dict[str, Floats]:
    """The recorded quantities (n, *shape); flattened ones are given their shape. ValueError names the one that is wrong."""
    count, answers = len(arrays["q"]), {}
    for name in CANONICAL:
        if name not in arrays:
            continue
        expected = (count, *answer_shape(name, spec))
        values = np.asarray(arrays[name])
        if values.dtype.kind not in "fiu" or values.shape[:1] != (count,) or values.size != np.prod(expected):
            raise ValueError(f"{path}: {name} has shape {values.shape} of {values.dtype}: give numbers of shape {expected}")
        answers[name] = values.astype(float).reshape(expected)
    if not answers:
        raise ValueError(f"{path}: holds no answers: give some of {', '.join(CANONICAL)} beside q, v, tau")
    return answers
