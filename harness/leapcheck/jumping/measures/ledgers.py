"""Ledgers of a jump, from its log alone: what must balance in any engine in momentum, energy and flight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.measures.balances import Balances, log_balances
from leapcheck.jumping.simulation import driven_places
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

STEP_ANGLES = 1.0
"""A book of a time-stepped log may be out by this part times the angle (rad) that the fastest joint turns in one step:
forces of a step hold at its beginning, and their directions turn by that angle until its end."""

ROUNDING = 1e-12
"""No book is expected to balance better than this part of its turnover."""

ENERGY = "energy"

FEWEST_STEPS = 3
"""A flight of fewer steps says nothing about a parabola."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """One book: `residual` is by how much it is out at worst, `scale` its turnover, both in `unit`.

    `tolerance` bounds residual / scale; `meaning` says what was balanced against what.
    """

    what: str
    residual: float
    scale: float
    unit: str
    tolerance: float
    meaning: str

    @property
    def relative(self) -> float:
        """Residual over turnover; 0 where there was none of either."""
        return self.residual / self.scale if self.scale else float(self.residual != 0.0)

    @property
    def met(self) -> bool:
        """Whether the book balances within its tolerance; a NaN does not."""
        return self.relative <= self.tolerance


def ledgers(spec: RobotSpec, log: JumpLog, terrain: Terrain = LEVEL) -> tuple[Ledger, ...]:
    """The books of a time-stepped log; none for a log without steps.

    Their residuals are errors of the step, of first order in dt: the tolerance is `STEP_ANGLES` times the angle that the
    fastest joint turns in a step, as part of the turnover (of a robot that hardly moves: see `ledgers_from_balances`).
    A missing or a doubled force, a wrong mass or a wrong gravity is out by far more. Only energy balances where the base has
    armature (`base_armature`).
    """
    if log.steps == 0:
        return ()
    joint_v = driven_places(spec)[1]
    fastest = float(np.abs(log.v[:, joint_v]).max(initial=0.0))
    books = ledgers_from_balances(log_balances(spec, log, terrain), max(STEP_ANGLES * fastest * log.dt, ROUNDING), log.dt)
    return tuple(book for book in books if book.what == ENERGY or not base_armature(spec))


def base_armature(spec: RobotSpec) -> float:
    """Armature (kg, kg m^2) of the free joint: inertia without weight, which no law of momentum knows; 0 without one."""
    return max((body.joint.armature for body in spec.bodies if body.joint.type is JointType.FREE), default=0.0)


def ledgers_from_balances(balances: Balances, tolerance: float, step: float = 0.0) -> tuple[Ledger, ...]:
    """The books of these balances: momentum, angular momentum, energy; push and flight, if there is a flight.

    In a flight of T s the com of a scheme of first order with that `step` drifts by g step T / 2: its parabola may be out by
    as much more. The turnover of a robot that merely stands tends to 0 faster than what such a scheme leaves open, so the
    tolerance is of the scale at which it is just that, where this is more (a jump's turnover is more): for the energy, the work
    of the weight in one step at the com's greatest speed, since the com moves by the velocity at a step's end while all works
    are with the mean of both ends (modified energy H - step/2 dH/dp dH/dq; Hairer, Lubich, Wanner, Geometric Numerical
    Integration, IX.3); for the turning, what the contacts' arms change in one step (`Balances.angular_play`). The scheme
    leaves half of either. The scale of the energy is then about the weight times the way of the com per radian of the fastest
    joint, a leg's length or less.
    """
    return (
        _momentum_book(balances, tolerance),
        _turning_book(balances, tolerance, step),
        _energy_book(balances, tolerance, step),
        *_flight_books(balances, tolerance, step),
    )


def longest_flight(airborne: NDArray[np.bool_]) -> tuple[int, int]:
    """(first state, last state) of the longest run of steps without contact; equal where there is none."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], airborne, [False]]).astype(int)))
    runs = edges.reshape(-1, 2)
    if not len(runs):
        return 0, 0
    begin, end = runs[np.argmax(runs[:, 1] - runs[:, 0])]
    return int(begin), int(end)


def _momentum_book(balances: Balances, tolerance: float) -> Ledger:
    gained, weight = balances.momentum[:, 3:] - balances.momentum[0, 3:], _weight_impulse(balances)
    return Ledger(
        "momentum",
        _largest(gained - balances.contact_impulse - weight),
        max(_largest(balances.contact_impulse), _largest(weight)),
        "N s",
        tolerance,
        "momentum gained = impulse of the contacts + weight times time",
    )


def _turning_book(balances: Balances, tolerance: float, step: float) -> Ledger:
    gained = balances.momentum[:, :3] - balances.momentum[0, :3]
    left_open = balances.angular_play if step else 0.0
    scale = max(float(balances.gross.max()), _largest(balances.angular_impulse), _smallest_scale(left_open, tolerance))
    return Ledger(
        "angular momentum",
        _largest(gained - balances.angular_impulse),
        scale,
        "N m s",
        tolerance + (balances.angular_slack / scale if scale else 0.0),
        "angular momentum about the com gained = angular impulse of the contacts about it",
    )


def _energy_book(balances: Balances, tolerance: float, step: float) -> Ledger:
    """Its turnover is what the works move, or gravity, if that is more: a robot that falls limp does next to no work."""
    weight_power = balances.momentum[:, 3:] @ balances.gravity
    left_open = step * float(np.abs(weight_power - weight_power[0]).max())
    energy, works = balances.kinetic + balances.potential, (balances.actuator_work, balances.contact_work, balances.stop_work)
    scale = max(sum(map(_turnover, works)), _turnover(balances.potential), _smallest_scale(left_open, tolerance))
    return Ledger(
        ENERGY,
        float(np.abs(energy - energy[0] - sum(works)).max()),
        scale,
        "J",
        tolerance + (balances.work_slack / scale if scale else 0.0),
        "kinetic and potential energy gained = work of the drives, of the contacts (-dissipation) and of the joint stops",
    )


def _flight_books(balances: Balances, tolerance: float, step: float) -> Iterator[Ledger]:
    begin, end = longest_flight(balances.airborne)
    if end - begin < FEWEST_STEPS:
        return
    push = balances.momentum[begin, 3:] - balances.momentum[0, 3:] - _weight_impulse(balances)[begin]
    yield Ledger(
        "push",
        _largest(push - balances.contact_impulse[begin]),
        _largest(balances.contact_impulse[begin]),
        "N s",
        tolerance,
        "impulse of the contacts until take-off = take-off momentum - weight times time",
    )
    t = (balances.time[begin : end + 1] - balances.time[begin])[:, None]
    path = balances.com[begin : end + 1] - balances.com[begin]
    parabola = balances.momentum[begin, 3:] / balances.mass * t + balances.gravity * t**2 / 2.0
    size = _largest(path)
    drift = float(np.linalg.norm(balances.gravity)) * step * float(t[-1, 0]) / 2.0
    allowed = tolerance + (drift / size if size else 0.0)
    yield Ledger("flight path", _largest(path - parabola), size, "m", allowed, "the com flies a parabola")
    turning = balances.momentum[begin : end + 1, :3]
    yield Ledger(
        "flight turning",
        _largest(turning - turning[0]),
        float(balances.gross[begin : end + 1].max()),
        "N m s",
        tolerance,
        "angular momentum about the com is constant in flight",
    )


def _smallest_scale(left_open: float, tolerance: float) -> float:
    """The scale of a book whose tolerance lets through what is `left_open` by the step; 0 where nothing is."""
    return left_open / tolerance if left_open else 0.0


def _weight_impulse(balances: Balances) -> Floats:
    impulse: Floats = (balances.time - balances.time[0])[:, None] * (balances.mass * balances.gravity)
    return impulse


def _turnover(energy: Floats) -> float:
    """All that goes in and out of an account (n + 1,) J."""
    return float(np.abs(np.diff(energy)).sum())


def _largest(vectors: Floats) -> float:
    """The largest size of vectors (..., 3)."""
    return float(np.linalg.norm(vectors, axis=-1).max())
