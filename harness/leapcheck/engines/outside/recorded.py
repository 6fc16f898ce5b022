"""Recorded data as an engine: answers at the states of the file, and at no others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leapcheck import conventions
from leapcheck.conventions import Floats
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.canonical import canonical, needed
from leapcheck.engines.outside.target import Target, target
from leapcheck.engines.outside.words import convention
from leapcheck.engines.protocol import Answers
from leapcheck.engines.user import CANONICAL
from leapcheck.quantities import QUANTITIES, sizes
from leapcheck.states import States, read_arrays, states_of
from leapcheck_models.spec import RobotSpec

if TYPE_CHECKING:
    from leapcheck.conventions import Convention


class RecordedEngine:
    """Looks each state up by its numbers: among those quantities need, so that a state without v or tau is found too."""

    def __init__(self, at: Target, spec: RobotSpec) -> None:
        """Reads the file; EngineError in one line where it holds no answers, or others than this robot's."""
        self._at = at
        try:
            arrays = _read(at)
            self._convention = convention(spec, at.words, f"engine '{at.name}'")
            self.states = _states(spec, at.path, arrays, self._convention)
            found = _answers(spec, at.path, arrays)
            for name in found:
                if missing := [other for other in needed(self._convention, [name]) if other not in found]:
                    raise ValueError(f"{at.path}: {name} in world axes cannot be converted without {missing[0]}: record that too")
        except (ValueError, OSError) as error:
            raise EngineError(f"engine '{at.name}': {' '.join(str(error).split())}") from None
        self._answers = canonical(self._convention, self.states, found, tuple(found))
        self._rows: dict[tuple[str, ...], dict[bytes, int]] = {}

    @property
    def name(self) -> str:
        """As it was named on the command line."""
        return self._at.name

    @property
    def version(self) -> str:
        """A recording has none."""
        return "-"

    @property
    def route(self) -> str:
        """What it is."""
        own = "" if self._convention is None else ", in the convention that it declares"
        return f"recorded data of {len(self.states)} states{own}"

    @property
    def quantities(self) -> frozenset[str]:
        """The quantities that were recorded."""
        return frozenset(self._answers)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape); EngineError at a state that was not recorded, and for NaN."""
        return {name: self._block(name, states) for name in quantities}

    def _block(self, name: str, states: States) -> Floats:
        arguments = QUANTITIES[name].arguments
        known = self._rows.setdefault(arguments, {})
        if not known:
            known.update((key, row) for row, key in reversed(list(enumerate(_keys(self.states, arguments)))))
        rows = []
        for i, key in enumerate(_keys(states, arguments)):
            if key not in known:
                raise EngineError(f"engine '{self.name}': state {states.index[i]} ({states.kind[i]}) was not recorded")
            rows.append(known[key])
        found = self._answers[name][rows]
        if not np.isfinite(found).all():
            row = int(np.argwhere(~np.isfinite(found))[0, 0])
            raise EngineError(
                f"engine '{self.name}': {name} at state {states.index[row]} is NaN or infinite: record finite numbers"
            )
        return found


def recorded_states(spec: RobotSpec, engines: Sequence[str]) -> States | None:
    """The states of the recordings among the engines; None where there is none. ValueError where two have other states."""
    from leapcheck.engines.outside.target import is_recording

    found: States | None = None
    first = ""
    for name in filter(is_recording, engines):
        states = RecordedEngine(target(name), spec).states
        if found is not None and not same_states(found, states):
            raise ValueError(f"engine '{name}' was recorded at other states than '{first}': leave one of them out")
        found, first = found or states, first or name
    return found


def same_states(one: States, other: States) -> bool:
    """Whether both hold the same numbers, row by row."""
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("q", "v", "tau"))


def _keys(states: States, arguments: Sequence[str]) -> list[bytes]:
    """The numbers of each state that a quantity depends on; -0 counts as 0."""
    together = np.ascontiguousarray(np.hstack([getattr(states, part) for part in arguments]) + 0.0)
    return [row.tobytes() for row in together]


def _read(at: Target) -> Mapping[str, Any]:
    names = "|".join(CANONICAL)
    return read_arrays(at.path, re.compile(rf"q|v|tau|{names}"))


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
    return states_of(spec, path, given)


def _answers(spec: RobotSpec, path: Path, arrays: Mapping[str, Any]) -> dict[str, Floats]:
    """The recorded quantities (n, *shape); flattened ones are given their shape. ValueError names the one that is wrong."""
    count, found = len(arrays["q"]), {}
    for name in CANONICAL:
        if name not in arrays:
            continue
        shape = QUANTITIES[name].shape
        wanted = (count, *(shape(sizes(spec)) if shape else ()))
        values = np.asarray(arrays[name])
        if values.dtype.kind not in "fiu" or values.shape[:1] != (count,) or values.size != np.prod(wanted):
            raise ValueError(f"{path}: {name} has shape {values.shape} of {values.dtype}: give numbers of shape {wanted}")
        found[name] = values.astype(float).reshape(wanted)
    if not found:
        raise ValueError(f"{path}: holds no answers: give some of {', '.join(CANONICAL)} beside q, v, tau")
    return found
