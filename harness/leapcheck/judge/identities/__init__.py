"""Laws that hold whoever is right: among each engine's own answers, and for the in-house code in extended precision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.compare.errors import scales
from leapcheck.compare.records import Identity
from leapcheck.compare.tally import NEAR, TOLERANCE_UNITS, base_distance
from leapcheck.engines.protocol import Engine
from leapcheck.judge.coordinates import places
from leapcheck.judge.evidence import allowance, expected_rounding, rows_of, value
from leapcheck.judge.identities.laws import BEHIND, LAWS, Answers, Law, square_off, worst
from leapcheck.judge.identities.manifold import Slope, curve, slope
from leapcheck.states import Floats, States
from leapcheck_models.spec import RobotSpec

STATES = 4
"""States at which the laws are held, moving ones near the origin."""

STEP = 0.02
"""Largest move (rad, m) of a joint, rotor or base along a derivative's curve: truncation and rounding are about equal."""

STILL = 1.0
"""Deviation of the velocities (rad/s, m/s) that stand in for those of a state at rest: along zero nothing has a rate."""


def identities(spec: RobotSpec, engines: Sequence[Engine], states: States) -> tuple[Identity, ...]:
    """How far each engine misses each law that its quantities tell, and the in-house code in extended precision, at a few
    of the states.
    """
    from leapcheck.judge.identities.in_house import in_house_identities  # python-flint takes its time

    at = telling(spec, states)
    return (*engine_identities(spec, engines, at), *in_house_identities(spec, at))


def telling(spec: RobotSpec, states: States) -> States:
    """Up to `STATES` states near the origin, ordinary ones first, all of them moving."""
    distance = base_distance(spec, states)
    order = sorted(range(len(states)), key=lambda i: (distance[i] > NEAR, states.kind[i] not in ("generic", "file"), i))
    chosen = rows_of(states, sorted(order[:STATES]))
    still = np.random.default_rng(0).normal(0.0, STILL, chosen.v.shape)
    return replace(chosen, v=np.where(np.any(chosen.v, axis=1, keepdims=True), chosen.v, still))


def engine_identities(spec: RobotSpec, engines: Sequence[Engine], at: States) -> Iterator[Identity]:
    """The laws of the engines at all of the states."""
    told = {name for engine in engines for law in LAWS if _is_told(law, engine.quantities) for name in _needed(law)}
    rounding = {name: expected_rounding(spec, name, at) * allowance(spec, at) for name in told}
    tree = reference.build(spec)
    expected = {name: value(name, tree, at) for name in told}
    for engine in engines:
        answers = _answers(spec, engine, at, rounding, expected)
        for law in LAWS:
            if _needed(law) <= answers.found.keys() and (not law.slope or law.slope in answers.slopes):
                with np.errstate(all="ignore"):
                    miss = law.miss(answers)
                if miss.error.size:  # a robot may have no contact points
                    error, allowed = worst(miss)
                    yield Identity(engine.name, law.words, tuple(sorted(_needed(law))), len(at), error, allowed, error <= allowed)


def _needed(law: Law) -> set[str]:
    return {*law.quantities, *([BEHIND[law.slope]] if law.slope else [])}


def _is_told(law: Law, quantities: Iterable[str]) -> bool:
    return _needed(law) <= set(quantities)


def _answers(
    spec: RobotSpec, engine: Engine, at: States, rounding: Mapping[str, Floats], expected: Mapping[str, Floats]
) -> Answers:
    """The engine's answers at the states and along the curves; what it fails on is left out, and told as a failure elsewhere."""
    laws = [law for law in LAWS if _is_told(law, engine.quantities)]
    found = _asked(engine, at, sorted({name for law in laws for name in _needed(law)}))
    off = {name: TOLERANCE_UNITS * rounding[name] * _scale(name, found[name], expected[name]) for name in found}
    answers = Answers(at, found, off, {})
    step = STEP / np.abs(at.v * _gears(spec)).max(axis=1)
    names = sorted({BEHIND[law.slope] for law in laws if law.slope} & found.keys())
    along = _asked(engine, _along(spec, at, step), names)
    return replace(answers, slopes=dict(_slopes(answers, along, step)))


def _gears(spec: RobotSpec) -> Floats:
    """How fast (nv,) the fastest part turns that a unit velocity of each dof drives: its rotor."""
    gears = np.ones(spec.nv)
    for body, _, _, in_v in places(spec):
        rotor = spec.bodies[body].rotor
        gears[in_v] = max(1.0, abs(rotor.gear_ratio)) if rotor else 1.0
    return gears


def _scale(quantity: str, found: Floats, expected: Floats) -> Floats:
    """Largest value (n,) that an error in units of rounding is multiplied by; 1 for M, whose errors are told scale-free."""
    if quantity == "mass_matrix":
        return np.ones(len(found))
    both = [scales(quantity, values).reshape(len(found)) for values in (found, expected)]
    largest: Floats = np.nanmax(both, axis=0)
    return largest


def _slopes(at: Answers, along: Mapping[str, Floats], step: Floats) -> Iterator[tuple[str, Slope]]:
    v = np.tile(at.states.v, (len(next(iter(along.values()), at.states.v)) // len(step), 1))
    for name in ("potential_energy", "contact_positions"):
        if name in along:
            yield name, slope(along[name], step, at.off[name])
    if "contact_jacobians" in along:
        off = at.off["contact_jacobians"] * np.abs(at.states.v).sum(axis=1)
        yield "J v", slope(np.einsum("npxi,ni->npx", along["contact_jacobians"], v), step, off)
    if "mass_matrix" in along:
        yield "v M v", slope(np.einsum("ni,nij,nj->n", v, along["mass_matrix"], v), step, square_off(at))


def _along(spec: RobotSpec, at: States, step: Floats) -> States:
    q = curve(spec, at.q, at.v, step)
    times = len(q) // len(at)
    return States(q, np.tile(at.v, (times, 1)), np.tile(at.tau, (times, 1)), np.tile(at.index, times), at.kind * times)


def _asked(engine: Engine, at: States, quantities: Sequence[str]) -> dict[str, Floats]:
    """The engine's answers to what it can answer: together, or one by one where that fails."""
    try:
        return dict(engine.evaluate(at, tuple(quantities))) if quantities else {}
    except Exception:  # foreign code: which quantity it is stands among the run's failures
        if len(quantities) == 1:
            return {}
    return {name: answer for quantity in quantities for name, answer in _asked(engine, at, (quantity,)).items()}
