"""Laws that need no reference: among each engine's own answers, and of the in-house code in extended precision."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from leapcheck.comparison.engine_set import EngineSet
from leapcheck.engines.answers import shapes_of
from leapcheck.engines.protocol import Engine, precision_ratio
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.evidence import rows_of
from leapcheck.judge.identities.asking import STEP, CheckedLaws, answer_scale, ask, gears
from leapcheck.judge.identities.laws import BEHIND, LAWS, Law, LawAnswers, square_off, worst
from leapcheck.judge.identities.manifold import Slope, curve, slope
from leapcheck.judge.identities.own_differences import own_differences
from leapcheck.judge.in_house import InHouseAnswers
from leapcheck.quantities import CORE, answer_shape
from leapcheck.records import Failure, Identity
from leapcheck.rounding import ALLOWED_UNITS, NEAR, allowance, base_distance
from leapcheck.sampling import States, join_states, tile
from leapcheck.system.strict_json import decode, dumps_line, loads
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import hash_of_files, load_or_make
from leapcheck_reference.trace.key import key_of

STATES = 4
"""States at which the laws are checked, moving ones near the origin."""

OWN_STATES = 2
"""States of these at which derivatives are held against differences along every dof."""

STILL = 1.0
"""Deviation of the velocities (rad/s, m/s) that stand in for those of a state at rest: along zero nothing has a rate."""


SOURCES = ("judge/identities/*.py", "judge/layout.py", "judge/truth.py", "coordinates/*.py", "quantities.py", "sampling.py")
"""Source that says what the laws of the in-house code are."""


def identities(engine_set: EngineSet, states: States, *, with_own_differences: bool = False) -> CheckedLaws:
    """How far each engine misses each law that its quantities allow, and the in-house code in extended precision, at a few
    of the states. `with_own_differences`: that its derivatives are differences of its own functions is a law, too.
    """
    chosen = states_for_laws(engine_set.spec, states)
    in_house = InHouseAnswers(engine_set.spec, (portion.in_house for portion in engine_set.portions))
    asked = {name for portion in engine_set.portions for name in portion.in_house.quantities}
    rows, failures = engine_identities(in_house, engine_set.engines, chosen, asked)
    if with_own_differences:
        differences = own_differences(in_house, engine_set.engines, chosen[:OWN_STATES], asked)
        rows, failures = (*rows, *differences.identities), (*failures, *differences.failures)
    return CheckedLaws((*rows, *_in_house_identities(engine_set.spec, chosen)), failures)


def _in_house_identities(spec: RobotSpec, states: States) -> tuple[Identity, ...]:
    """The laws of the in-house code; from the user's cache where the same code checked the same robot at the same states."""

    def check() -> bytes:
        from leapcheck.judge.identities.in_house import in_house_identities  # python-flint takes its time

        return dumps_line([*in_house_identities(spec, states)]).encode()

    key = key_of(_law_sources(), native.target_key(), spec_hash(spec), states.q, states.v, states.tau)
    rows = loads(load_or_make(b"in-house laws " + key, check))
    return tuple(decode(Identity, row, f"identities[{i}]") for i, row in enumerate(rows))


@lru_cache(maxsize=1)
def _law_sources() -> str:
    """Hash of the source that says what the laws are; the reference's, the models' and versions are in every key of the cache."""
    return hash_of_files(Path(__file__).parents[2], *SOURCES)


def states_for_laws(spec: RobotSpec, states: States) -> States:
    """Up to `STATES` states near the origin, ordinary ones first, all of them moving."""
    distance = base_distance(spec, states)
    order = sorted(range(len(states)), key=lambda i: (distance[i] > NEAR, states.kind[i] not in ("generic", "file"), i))
    chosen = rows_of(states, sorted(order[:STATES]))
    still = np.random.default_rng(0).normal(0.0, STILL, chosen.v.shape)
    return replace(chosen, v=np.where(np.any(chosen.v, axis=1, keepdims=True), chosen.v, still))


def engine_identities(
    in_house: InHouseAnswers, engines: Sequence[Engine], states: States, asked: Collection[str] = ()
) -> CheckedLaws:
    """The laws of the engines at all of the states; an engine that fails in one quantity is asked for the others.

    Those of the core quantities and of those `asked` for alone: what nobody asked for is not computed.
    """
    spec, known = in_house.spec, {*CORE, *asked}
    laws = [law for law in LAWS if _needs(law) <= known]
    laws = [law for law in laws if all(0 not in answer_shape(name, spec) for name in _needs(law))]  # there may be no points
    needed = {name for engine in engines for law in laws if _can_check(law, engine.quantities) for name in _needs(law)}
    step = STEP / np.abs(states.v * gears(spec)).max(axis=1)
    along = _along(spec, states, step)
    both = join_states([states, along])
    expected = in_house.evaluate({name: both if name in BEHIND.values() else states for name in sorted(needed)})
    rounding = {name: own.rounding[: len(states)] * allowance(base_distance(spec, states)) for name, own in expected.items()}
    rows: list[Identity] = []
    failures: list[Failure] = []
    for engine in engines:
        possible = [law for law in laws if _can_check(law, engine.quantities)]
        names = sorted({name for law in possible for name in _needs(law)})
        behind = sorted({BEHIND[law.slope] for law in possible if law.slope})
        if isinstance(engine, ReferenceEngine):
            values = {name: expected[name].values[: len(states)] for name in names}
            on_curves = {name: expected[name].values[len(states) :] for name in behind}
        else:
            values, failed = ask(engine, states, shapes_of(spec, names))
            on_curves, failed_along = ask(engine, along, shapes_of(spec, [name for name in behind if name in values]))
            if "file" not in states.kind:  # along curves are states that nobody gave; random ones are as good as these
                failed = failed_along | failed
            failures += [Failure(engine.name, *failure) for failure in failed.items()]
        units = ALLOWED_UNITS * precision_ratio(engine)
        off = {
            name: units * rounding[name] * answer_scale(name, values[name], expected[name].values[: len(states)])
            for name in values
        }
        answers = LawAnswers(states, values, off, {}, spec)
        answers = replace(answers, slopes=dict(_slopes(answers, on_curves, step)))
        for law in laws:
            if _needs(law) <= answers.values.keys() and (not law.slope or law.slope in answers.slopes):
                with np.errstate(all="ignore"):
                    error, allowed = worst(law.miss(answers))
                own = tuple(sorted(_needs(law)))
                rows.append(Identity(engine.name, law.words, own, len(states), error, allowed, error <= allowed))
    return CheckedLaws(tuple(rows), tuple(failures))


def _needs(law: Law) -> set[str]:
    return {*law.quantities, *([BEHIND[law.slope]] if law.slope else [])}


def _can_check(law: Law, quantities: Iterable[str]) -> bool:
    return _needs(law) <= set(quantities)


def _slopes(answers: LawAnswers, along: Mapping[str, Floats], step: Floats) -> Iterator[tuple[str, Slope]]:
    v = np.tile(answers.states.v, (len(next(iter(along.values()), answers.states.v)) // len(step), 1))
    for name in ("potential_energy", "contact_positions", "inverse_dynamics", "forward_dynamics"):
        if name in along:
            yield name, slope(along[name], step, answers.off[name])
    if "contact_jacobians" in along:
        off = answers.off["contact_jacobians"] * np.abs(answers.states.v).sum(axis=1)
        yield "J v", slope(np.einsum("npxi,ni->npx", along["contact_jacobians"], v), step, off)
    if "mass_matrix" in along:
        off = answers.off["mass_matrix"][:, None, None] * answers.weights[:, :, None] * answers.weights[:, None, :]
        yield "M", slope(along["mass_matrix"], step, off)
        yield "v M v", slope(np.einsum("ni,nij,nj->n", v, along["mass_matrix"], v), step, square_off(answers))


def _along(spec: RobotSpec, states: States, step: Floats) -> States:
    q = curve(spec, states.q, states.v, step)
    times = len(q) // len(states)
    return replace(tile(states, times), q=q)
