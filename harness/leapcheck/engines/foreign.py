"""What engines of foreign packages share: numbers of their own, in their own coordinates, behind the engine protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.projection import Assembly, OwnStates, assembled_numbers, canonical_answers
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import CORE
from leapcheck.sampling import States, part_sizes
from leapcheck_models.arrays import Floats

BY_Q = "forward_dynamics_derivative_q"


class ForeignEngine(ABC):
    """An engine that gives its own numbers in its own coordinates, so that the conventions can be compiled around it."""

    def __init__(
        self,
        name: str,
        version: str,
        route: str,
        convention: Convention,
        raw_shapes: Mapping[str, tuple[int, ...]],
        *,
        sizes: tuple[int, int] | None = None,
        quantities: Iterable[str] = CORE,
    ) -> None:
        """Takes the shape of each raw number of one state, and (nq, nv) of the engine's model: by default the convention's."""
        self.name, self.version, self.route = name, version, route
        self.quantities = frozenset(quantities)
        self.convention = convention
        self.raw_shapes = raw_shapes
        nq, nv = sizes or (len(convention.columns), len(convention.shuffle))
        self._shapes = {"q": (nq,), "v": (nv,), "tau": (nv,), "vdot": (nv,), **raw_shapes}
        self._shapes["contact_forces"] = (part_sizes(convention.spec)["contact_forces"],)

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """For each number that is no raw one, how it is assembled."""
        return {}

    @abstractmethod
    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out` for n states into its C-contiguous arrays (n, *shape) of float64.

        Velocities are u of `convention`, points in world axes.
        """

    def own_calls(self, states: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """Those of the numbers (n, *shape) that `assembly` makes though the engine has a call for them, by that call."""
        del states, names
        return {}

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """The quantities (n, *shape), canonical: one pass over the states for the engine's own numbers, then whole blocks.

        A quantity that is no canonical one is the raw number of the same name and is handed through.
        """
        if BY_Q in quantities and not self.convention.is_square:
            others = self.evaluate(states, [name for name in quantities if name != BY_Q])
            return others | {BY_Q: self._acceleration_by_q(states)}
        return canonical_answers(self.convention, self.own_numbers, states, quantities)

    def _acceleration_by_q(self, states: States) -> Floats:
        """d vdot / d q = -M^-1 d tau / d q (n, nv, nv) at the acceleration: of an engine that does not know the gears."""
        solved = self.evaluate(states, ("forward_dynamics", "mass_matrix"))
        moving = replace(states, vdot=solved["forward_dynamics"])
        force = self.evaluate(moving, ("inverse_dynamics_derivative_q",))["inverse_dynamics_derivative_q"]
        return np.asarray(-np.linalg.solve(solved["mass_matrix"], force), dtype=np.float64)

    def own_numbers(self, states: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """The engine's own numbers of those names, (n, *shape) each: raw ones, and what is assembled of them."""
        return assembled_numbers(self, states, names)

    def check_blocks(self, states: OwnStates, out: Mapping[str, Floats]) -> dict[str, Floats]:
        """The states and `out` as one; ValueError unless each may be gone through by address: n rows, float64, C-contiguous."""
        blocks = {**states._asdict(), **out}
        if not states.contact_forces.size:  # left out: nothing finds them
            del blocks["contact_forces"]
        for name, array in blocks.items():
            shape = (len(states.q), *self._shapes[name])
            if array.shape != shape or array.dtype != np.float64 or not array.flags.c_contiguous:
                raise ValueError(f"'{name}' is {array.dtype} of shape {array.shape}: give C-contiguous float64 of shape {shape}")
        return blocks
