"""Derivatives held against differences of the engine's own functions, along every dof: whatever robot it holds, they must agree.

Only where it is asked for (`--own-differences`): the exact derivatives of the record are known, and each state takes 6 nv more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leapcheck.engines.answers import shapes_of
from leapcheck.engines.protocol import Engine, precision_ratio
from leapcheck.judge.identities.asking import STEP, CheckedLaws, answer_scale, ask, gears
from leapcheck.judge.identities.laws import Miss, worst
from leapcheck.judge.identities.manifold import LEVELS, Slope, curve, slope
from leapcheck.judge.in_house import InHouseAnswers, InHouseValues
from leapcheck.quantities import QUANTITIES
from leapcheck.records import OWN_DIFFERENCES, Failure, Identity
from leapcheck.rounding import ALLOWED_UNITS, allowance, base_distance
from leapcheck.sampling import States, join_states, tile
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

Values = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Differentiated:
    """A derivative, the function in words, the quantities that it is made of and how, with its error, and by what it is taken."""

    derivative: str
    words: str
    quantities: tuple[str, ...]
    value: Callable[[Values, States], Floats]
    off: Callable[[Values, States], Floats]
    by: str

    @property
    def law(self) -> str:
        """The law in words."""
        return f"{QUANTITIES[self.derivative].label}{OWN_DIFFERENCES}{self.words}"


def _function(derivative: str, name: str, by: str) -> Differentiated:
    """That of one quantity."""
    return Differentiated(
        derivative, QUANTITIES[name].label, (name,), lambda values, _: values[name], lambda off, _: off[name], by
    )


def _acceleration(values: Values, states: States) -> Floats:
    """J vdot + Jdot v (n, frames, 6)."""
    driven = np.einsum("nfij,nj->nfi", values["frame_jacobians"], states.vdot)
    return np.asarray(values["frame_bias_accelerations"] + driven)


def _acceleration_off(off: Values, states: States) -> Floats:
    return np.asarray(off["frame_bias_accelerations"] + off["frame_jacobians"] * np.abs(states.vdot).sum(axis=1))


ACCELERATION = (
    *("frames' J vdot + Jdot v", ("frame_jacobians", "frame_bias_accelerations")),
    *(_acceleration, _acceleration_off),
)

DIFFERENTIATED = (
    _function("inverse_dynamics_derivative_q", "inverse_dynamics", "q"),
    _function("inverse_dynamics_derivative_v", "inverse_dynamics", "v"),
    _function("forward_dynamics_derivative_q", "forward_dynamics", "q"),
    _function("forward_dynamics_derivative_v", "forward_dynamics", "v"),
    _function("forward_dynamics_derivative_tau", "forward_dynamics", "tau"),
    _function("frame_velocity_derivative_q", "frame_velocities", "q"),
    Differentiated("frame_acceleration_derivative_q", *ACCELERATION, "q"),
    Differentiated("frame_acceleration_derivative_v", *ACCELERATION, "v"),
)


def own_differences(in_house: InHouseAnswers, engines: Sequence[Engine], states: States, asked: Collection[str]) -> CheckedLaws:
    """How far the derivatives that are `asked` for, of each engine that has their functions, are off the differences of these."""
    rows, failures = list[Identity](), list[Failure]()
    wanted = [(engine, row) for engine in engines for row in DIFFERENTIATED if row.derivative in asked]
    wanted = [(engine, row) for engine, row in wanted if {row.derivative, *row.quantities} <= engine.quantities]
    names = {name for _, row in wanted for name in (row.derivative, *row.quantities)}
    expected = in_house.evaluate(dict.fromkeys(sorted(names), states))
    for engine, row in wanted:
        moved, step = _moved(in_house.spec, states, row.by)
        values, failed = ask(engine, states, shapes_of(in_house.spec, (row.derivative, *row.quantities)))
        aside, failed_aside = ask(engine, moved, shapes_of(in_house.spec, row.quantities))
        failures += [Failure(engine.name, *failure) for failure in (failed | failed_aside).items()]
        if len(values) == len(row.quantities) + 1 and len(aside) == len(row.quantities):
            off = _rounding(in_house.spec, engine, states, values, expected)
            rate = _columns(row.value(aside, moved), step, row.off(off, states), len(states))
            error, allowed = worst(_miss(values[row.derivative], off[row.derivative], rate))
            law = tuple(sorted((row.derivative, *row.quantities)))
            rows.append(Identity(engine.name, row.law, law, len(states), error, allowed, error <= allowed))
    return CheckedLaws(tuple(rows), tuple(failures))


def _rounding(
    spec: RobotSpec, engine: Engine, states: States, values: Values, expected: Mapping[str, InHouseValues]
) -> dict[str, Floats]:
    """What rounding explains (n,) of each quantity, in its unit."""
    units = ALLOWED_UNITS * precision_ratio(engine) * allowance(base_distance(spec, states))
    return {
        name: units * expected[name].rounding * answer_scale(name, answer, expected[name].values)
        for name, answer in values.items()
    }


def _moved(spec: RobotSpec, states: States, by: str) -> tuple[States, Floats]:
    """States on both sides along each dof, as `slope` takes them (6 n nv), and the largest steps (n nv)."""
    units = np.tile(np.eye(spec.nv), (len(states), 1))
    each = join_states([states[i : i + 1] for i in range(len(states)) for _ in range(spec.nv)])
    if by == "q":
        step = np.tile(STEP / gears(spec), len(states))
        return replace(tile(each, 2 * len(LEVELS)), q=curve(spec, each.q, units, step)), step
    part = getattr(each, by)
    step = np.maximum(1.0, np.abs(part).max(axis=1))
    sides = [part + sign * level * step[:, None] * units for level in LEVELS for sign in (1.0, -1.0)]
    moved: dict[str, Any] = {by: np.concatenate(sides)}
    return replace(tile(each, 2 * len(LEVELS)), **moved), step


def _columns(values: Floats, step: Floats, off: Floats, count: int) -> Slope:
    """The derivative along each dof (n, ..., nv)."""
    along = slope(values, step, np.repeat(off, len(step) // count))
    return Slope(*(np.moveaxis(part.reshape(count, -1, *part.shape[1:]), 1, -1) for part in along))


def _miss(derivative: Floats, off: Floats, rate: Slope) -> Miss:
    """The derivative (n, ...) less the rate."""
    shape = (len(derivative), *(1,) * (derivative.ndim - 1))
    scale = np.maximum(np.abs(derivative), np.abs(rate.value)).reshape(len(derivative), -1).max(axis=1, initial=0.0)
    return Miss(np.abs(derivative - rate.value), off.reshape(shape) + rate.allowed, scale)
