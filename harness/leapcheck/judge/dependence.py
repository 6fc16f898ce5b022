"""On what an error depends: powers of the velocities, single coordinates, gravity; by asking the engine again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.registry import factory_of
from leapcheck.judge.belief import Belief
from leapcheck.judge.evidence import Evidence, ask_again, rows_of
from leapcheck.judge.joint_words import joints_in_words
from leapcheck.judge.layout import neutral, places
from leapcheck.judge.robot_rows import value
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

STATES = 4
"""States that are altered, out of those with the largest error."""

CLEAR = 1e4
"""Nothing is said of an error that is not so many times what rounding explains."""

ROUNDING = 64.0
"""Changes up to so many times what rounding explains at the states as they were are taken for rounding."""

UNCHANGED, SHARP = 1e-9, 1e-6
"""Share of the error by which it may change where it does not depend on something, and miss a law that it is said to obey."""

STEP = 0.37
"""By how much coordinates are altered (rad, m, rad/s, m/s; N m and N ten times as much): a turn that no symmetry undoes."""

WITH_GRAVITY = ("bias_force", "gravity_force", "forward_dynamics", "potential_energy")
POWERS = ("independent of v", "linear in v", "quadratic in v")


@dataclass(frozen=True, slots=True, eq=False)
class DependenceProbe:
    """The scale-free errors `before` (n, ...) of a quantity at some states, what rounding explains there, and their `size`.

    An error is what the hypotheses of the belief leave; without any it is the error against the truth.
    """

    belief: Belief
    quantity: str
    states: States
    scale: Floats
    allowed: float
    before: Floats

    @property
    def size(self) -> float:
        """The largest error."""
        return _size(self.before)

    @property
    def spec(self) -> RobotSpec:
        """The right robot."""
        return self.belief.evidence.spec

    def errors(self, states: States) -> Floats | None:
        """Errors at altered states, n or a multiple, in the scale of the states as they were; None where there are none."""
        evidence = self.belief.evidence
        answers = ask_again(evidence, states, [self.quantity])
        if not answers:
            return None
        nothing: dict[str, Floats] = {}
        altered = Evidence(evidence.spec, evidence.tree, states, evidence.engine, nothing, nothing, nothing, nothing, nothing)
        scale = np.tile(self.scale, (len(states) // len(self.states), *(1,) * (self.scale.ndim - 1)))
        error: Floats = (answers[self.quantity] - self.belief.about(altered).prediction(self.quantity)) / scale
        return error if np.isfinite(error).all() else None

    def is_zero(self, difference: Floats, share: float = UNCHANGED) -> bool:
        """Whether a difference of errors is nothing beside them."""
        return _size(difference) <= share * self.size + ROUNDING * self.allowed


def dependence(belief: Belief, quantity: str) -> Iterator[str]:
    """On which powers of v, which coordinates, and how on gravity the error depends that a belief leaves: a clause each."""
    probe = _probe(belief, quantity)
    if probe is None or probe.size < CLEAR * probe.allowed:
        return
    yield from _vanishing(probe)
    on_nothing, coordinates = _with_coordinates(probe)
    if "v" in QUANTITIES[quantity].arguments and not on_nothing:
        yield from _with_velocity(probe)
    if coordinates:
        yield coordinates
    if quantity in WITH_GRAVITY and not belief.hypotheses:
        yield from _with_gravity(probe)


def _probe(belief: Belief, quantity: str) -> DependenceProbe | None:
    """The probe at the states with the largest error beside what rounding explains; None where the engine cannot be asked."""
    evidence = belief.evidence
    with np.errstate(all="ignore"):
        ratio = evidence.error(quantity, belief.prediction(quantity)) / evidence.allowed[quantity]
    finite = np.flatnonzero(np.isfinite(ratio) & (ratio > 1.0))
    rows = [int(i) for i in finite[np.argsort(-ratio[finite])][:STATES]]
    if not rows:
        return None
    scale = evidence.scale[quantity][rows]
    scale = np.where(scale == 0.0, 1.0, scale)
    states, allowed = rows_of(evidence.states, rows), float(evidence.allowed[quantity][rows].max())
    empty = DependenceProbe(belief, quantity, states, scale, allowed, np.zeros(0))
    before = empty.errors(states)
    return None if before is None else replace(empty, before=before)


def _vanishing(probe: DependenceProbe) -> Iterator[str]:
    spec, q = probe.spec, probe.states.q
    zero = np.broadcast_to(neutral(spec), q.shape)
    of_bases, of_joints = q.copy(), q.copy()
    kinds = set()
    for place in places(spec):
        kinds.add(is_base := place.joint.type is JointType.FREE)
        start = place.q.start + 3 * is_base  # the base stays where it is
        (of_bases if is_base else of_joints)[:, start : place.q.stop] = zero[:, start : place.q.stop]
    for words, is_base, altered in (("with the base upright", True, of_bases), ("with all joints at zero", False, of_joints)):
        after = probe.errors(replace(probe.states, q=altered)) if is_base in kinds else None
        if after is not None and probe.is_zero(after):
            yield f"it vanishes {words}"


def _with_velocity(probe: DependenceProbe) -> Iterator[str]:
    """The error along v, -v, 0, 2 v and v / 2: a polynomial of second degree, or none."""
    v, allowed = probe.states.v, ROUNDING * probe.allowed
    along = [probe.errors(replace(probe.states, v=factor * v)) for factor in (0.0, -1.0, 2.0, 0.5)]
    rest, back, double, half = along
    if rest is None or back is None or double is None or half is None:
        return
    parts = [rest, 0.5 * (probe.before - back), 0.5 * (probe.before + back) - rest]
    misses = [_size(error - sum(part * s**k for k, part in enumerate(parts))) for s, error in ((2.0, double), (0.5, half))]
    if max(misses) > SHARP * max(probe.size, _size(double)) + 4.0 * allowed:
        yield "it is no polynomial of second degree in v"
        if probe.is_zero(rest):
            yield "it vanishes at rest"
        if probe.is_zero(probe.before - back, SHARP):
            yield "it is the same for v and -v"
        elif probe.is_zero(probe.before + back, SHARP):
            yield "it changes its sign with v"
        return
    present = [words for words, part in zip(POWERS, parts, strict=True) if not probe.is_zero(part, SHARP)]
    if present:
        yield f"it is {present[0]}" if len(present) == 1 else f"it is a sum of parts that are {' and '.join(present)}"
    if probe.is_zero(rest):
        yield "it vanishes at rest"


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One joint's coordinates in q, v or tau, of a base its place, turn, angular and linear part apart; or all contact forces."""

    part: str
    words: str
    columns: slice
    body: int = -1


def _coordinates(spec: RobotSpec, arguments: Sequence[str]) -> list[Coordinate]:
    coordinates = []
    for place in places(spec):
        q, v, body = place.q, place.v, place.body
        if place.joint.type is JointType.FREE:
            turn, linear = q.start + 3, v.start + 3
            coordinates += [
                Coordinate("q", "the base's position", slice(q.start, turn), body),
                Coordinate("q", "the base's orientation", slice(turn, q.stop), body),
                Coordinate("v", "the base's angular velocity", slice(v.start, linear), body),
                Coordinate("v", "the base's linear velocity", slice(linear, v.stop), body),
                Coordinate("tau", "the base's force", v, body),
                Coordinate("vdot", "the base's acceleration", v, body),
            ]
        elif place.joint.type is not JointType.FIXED:
            coordinates += [
                Coordinate(part, "", columns, body) for part, columns in (("q", q), ("v", v), ("tau", v), ("vdot", v))
            ]
    if any(point.computed for point in spec.contact_points):
        coordinates.append(Coordinate("contact_forces", "the contact forces", slice(None)))
    return [coordinate for coordinate in coordinates if coordinate.part in arguments]


def _with_coordinates(probe: DependenceProbe) -> tuple[bool, str]:
    """Whether no coordinate changes the error; in words those that do, where these are not all."""
    spec, arguments = probe.spec, QUANTITIES[probe.quantity].arguments
    coordinates = _coordinates(spec, arguments)
    after = probe.errors(join_states([_altered(probe.states, coordinate) for coordinate in coordinates]))
    if after is None:
        return False, ""
    changes = after.reshape(len(coordinates), *probe.before.shape) - probe.before
    felt = [coordinate for coordinate, change in zip(coordinates, changes, strict=True) if not probe.is_zero(change)]
    unfelt = {coordinate.words for coordinate in coordinates if coordinate not in felt}
    if not felt:
        return True, f"it does not depend on {' or '.join(arguments)}"
    few = bool(unfelt - {"the base's position"})
    return False, f"it depends on nothing but {', '.join(_in_words(spec, felt))}" if few else ""


def _in_words(spec: RobotSpec, felt: Sequence[Coordinate]) -> Iterator[str]:
    nouns = {"q": "positions", "v": "velocities", "tau": "torques", "vdot": "accelerations", "contact_forces": "forces"}
    for part, noun in nouns.items():
        yield from (coordinate.words for coordinate in felt if coordinate.part == part and coordinate.words)
        if joints := [coordinate.body for coordinate in felt if coordinate.part == part and not coordinate.words]:
            yield f"the {noun} of {joints_in_words(spec, joints)}"


def _altered(states: States, coordinate: Coordinate) -> States:
    """The states with one joint's coordinates changed, or all contact forces; quaternions keep their norm."""
    values = getattr(states, coordinate.part).copy()
    own = values[:, coordinate.columns]
    if coordinate.part == "q" and own.shape[1] == 4:
        own[:] = _turned(own)
    else:
        own += (10.0 if coordinate.part in ("tau", "vdot", "contact_forces") else 1.0) * STEP * np.arange(1, own.shape[1] + 1)
    return replace(states, **{coordinate.part: values})


def _turned(quaternion: Floats) -> Floats:
    """Quaternions wxyz (n, 4) turned by an angle about an axis that is no coordinate's."""
    a, (b, c, d) = np.cos(STEP), np.sin(STEP) * np.array([2.0, -1.0, 2.0]) / 3.0
    w, x, y, z = quaternion.T
    product = [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
    turned: Floats = np.stack(product, axis=1)
    return turned


def _with_gravity(probe: DependenceProbe) -> Iterator[str]:
    """How the error changes with gravity, where the engine takes a robot and heeds its gravity."""
    make, spec = factory_of(probe.belief.evidence.engine), probe.spec
    if make is None or not any(spec.gravity):
        return
    errors = []
    try:
        for factor in (0.0, 2.0):
            x, y, z = (factor * part for part in spec.gravity)
            other = replace(spec, gravity=(x, y, z))
            answers = make(other).evaluate(probe.states, (probe.quantity,))[probe.quantity]
            if np.array_equal(answers, probe.belief.evidence.engine.evaluate(probe.states, (probe.quantity,))[probe.quantity]):
                return
            errors.append((answers - value(probe.quantity, reference.build(other), probe.states)) / probe.scale)
    except Exception:  # foreign code, for a robot that nobody meant for it
        return
    without, double = errors
    if not np.isfinite(errors).all():
        return
    if probe.is_zero(without) and probe.is_zero(double - 2.0 * probe.before, SHARP):
        yield "it is proportional to gravity"
    elif probe.is_zero(without - probe.before) and probe.is_zero(double - probe.before):
        yield "it is independent of gravity"
    elif not probe.is_zero(without, SHARP) and probe.is_zero(double - 2.0 * probe.before + without, SHARP):
        yield "one part of it is proportional to gravity, another independent of it"


def _size(difference: Floats) -> float:
    return float(np.abs(difference).max(initial=0.0))
