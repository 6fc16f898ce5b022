"""Laws that the in-house code must obey in extended precision, to many more digits than any engine.

On arb balls a difference quotient with steps of 1e-20 is a derivative to more than 30 digits, and an error is an upper bound: the
balls hold whatever was rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb, ctx

import leapcheck_reference as reference
from leapcheck.judge.identities.manifold import central, rate
from leapcheck.judge.truth import BITS
from leapcheck.quantities import QUANTITIES
from leapcheck.records import Identity
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.classical import planar_arm, two_link
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from leapcheck_reference.scalar import array_of
from leapcheck_reference.trace.truth import truth_kernel
from leapcheck_reference.tree import Tree

NAME = f"in-house, {BITS} bits"

SAMPLE = 2
"""States that are looked at: each takes some hundred evaluations."""

STEP = 1e-20
"""Step of a difference quotient: its square, times that of a rotor's speed, is the share that truncation takes."""

EXACT = 1e-30
"""Allowed where no difference quotient is, as for the truth at the worst states. Measured worst over the named robots and
twenty random ones 2e-40, where a light link behind heavy ones widens the balls; of the Mini Cheetah 2e-73.
"""

QUOTIENT = 1e-30
"""Allowed where one is: measured worst over the same 4e-36."""

DOUBLE_DOUBLE = 1e-28
"""Allowed between double-double and balls: 2^-106 is 1e-32, and terms cancel; measured worst 9e-32."""

ARM = "two_link_arm"


@dataclass(frozen=True, slots=True, eq=False)
class BallState:
    """One state on balls, and what the in-house functions give there."""

    spec: RobotSpec
    tree: Tree
    q: Any
    v: Any
    vdot: Any

    def __call__(self, name: str, q: Any = None) -> Any:
        """An in-house quantity at the state, or at another q."""
        parts = {"q": lambda: self.q if q is None else q, "v": lambda: self.v, "tau": lambda: self.tau(self.v, self.vdot)}
        return getattr(reference, name)(self.tree, *(parts[argument]() for argument in QUANTITIES[name].arguments))

    def tau(self, v: Any, vdot: Any) -> Any:
        """Inverse dynamics."""
        return reference.inverse_dynamics(self.tree, self.q, v, vdot)

    def slope(self, function: Callable[[Any], Any], direction: Any = None) -> Any:
        """Derivative of a function of q along a velocity, by default the state's."""
        return central(function, self.q, rate(self.spec, self.q, self.v if direction is None else direction), arb(STEP))

    def gradient(self, name: str) -> Any:
        """Derivative of a quantity by each dof, on the last axis."""
        return np.stack([np.asarray(self.slope(lambda q: self(name, q), unit)) for unit in _units(len(self.v))], axis=-1)


def in_house_identities(spec: RobotSpec, block: States) -> Iterator[Identity]:
    """The laws at the first `SAMPLE` of the states, and the closed forms of the two-link arm at as many of its own."""
    with ctx.workprec(BITS):
        states = [*_on_balls(spec, block[:SAMPLE])]
        for words, quantities, law, allowed in LAWS:
            sides = [law(state) for state in states]
            if all(left.size for left, _ in sides):  # a robot may have no contact points
                yield _identity(words, quantities, sides, allowed)
        yield from _double_double(spec, block[:SAMPLE], states)
        yield _closed_forms()


def _on_balls(spec: RobotSpec, state: States) -> Iterator[BallState]:
    tree = reference.build(spec, scalar=arb)
    for q, v, tau in zip(state.q, state.v, state.tau, strict=True):
        yield BallState(spec, tree, *(array_of(part, arb) for part in (q, v, tau)))


def _units(n: int) -> list[Any]:
    return list(array_of(np.eye(n), arb))


Sides = tuple[Any, Any]
"""What a law says is the same."""

Law = tuple[str, str, Callable[[BallState], Sides]]


def _columns(s: BallState) -> Sides:
    """Inverse dynamics of unit accelerations, without gravity and velocity, and the columns of M."""
    columns = [s.tau(0 * s.v, unit) - s("gravity_force") for unit in _units(len(s.v))]
    return np.stack(columns, axis=-1), s("mass_matrix")


def _contact_inertia(s: BallState) -> Sides:
    """J M^-1 J^T times a force at the points, by M's factors, and the points' acceleration from articulated bodies."""
    rows = s("contact_jacobians").reshape(-1, len(s.v))
    force = array_of(np.random.default_rng(0).normal(size=len(rows)), arb)
    vdot = reference.forward_dynamics(s.tree, s.q, s.v, s("bias_force") + rows.T @ force)
    return s("contact_inertia") @ force, rows @ vdot


def _power(s: BallState) -> Sides:
    """v . C(q, v) v, and half of v . Mdot v."""
    return _one(s.v @ s("coriolis_force")), _one(s.slope(lambda q: s.v @ (s("mass_matrix", q) @ s.v)) / 2)


EXACT_LAWS: tuple[Law, ...] = (
    ("inverse dynamics gives the columns of M", "mass_matrix", _columns),
    (
        "inverse dynamics = M vdot + h",
        "mass_matrix bias_force",
        lambda s: (s.tau(s.v, s.vdot), s("mass_matrix") @ s.vdot + s("bias_force")),
    ),
    ("forward dynamics inverts inverse dynamics", "forward_dynamics", lambda s: (s("forward_dynamics"), s.vdot)),
    (
        "h = gravity force + Coriolis force",
        "bias_force gravity_force coriolis_force",
        lambda s: (s("bias_force"), s("gravity_force") + s("coriolis_force")),
    ),
    (
        "kinetic energy = v . M v / 2",
        "kinetic_energy mass_matrix",
        lambda s: (_one(s("kinetic_energy")), _one(s.v @ (s("mass_matrix") @ s.v) / 2)),
    ),
    (
        "contact velocity = J v",
        "contact_velocities contact_jacobians",
        lambda s: (s("contact_velocities"), s("contact_jacobians") @ s.v),
    ),
    ("J M^-1 J^T is that of articulated bodies", "contact_inertia forward_dynamics", _contact_inertia),
)
"""Words, quantities, and the two sides of laws without derivatives."""

QUOTIENT_LAWS: tuple[Law, ...] = (
    (
        "gravity force = gradient of the potential energy",
        "gravity_force potential_energy",
        lambda s: (s("gravity_force"), s.gradient("potential_energy")),
    ),
    ("v . Coriolis force = v . Mdot v / 2", "coriolis_force mass_matrix", _power),
    (
        "J = derivative of the contact positions",
        "contact_jacobians contact_positions",
        lambda s: (s("contact_jacobians"), s.gradient("contact_positions")),
    ),
    (
        "Jdot v = rate of J v at constant v",
        "contact_bias_accelerations contact_jacobians",
        lambda s: (s("contact_bias_accelerations"), s.slope(lambda q: s("contact_jacobians", q) @ s.v)),
    ),
)
"""The same of laws with difference quotients."""

LAWS = tuple(
    (words, tuple(names.split()), sides, allowed)
    for laws, allowed in ((EXACT_LAWS, EXACT), (QUOTIENT_LAWS, QUOTIENT))
    for words, names, sides in laws
)
"""Words, quantities, the two sides, and what is allowed between them, relative to the largest entry."""


def _double_double(spec: RobotSpec, block: States, states: Sequence[BallState]) -> Iterator[Identity]:
    """The truth of the runs, M and h in double-double, compared with balls."""
    names = ("mass_matrix", "bias_force")
    kernel = truth_kernel(spec, names)
    pairs = kernel.pairs(*(getattr(block, argument) for argument in kernel.arguments))
    sides = []
    for k, state in enumerate(states):
        balls = {name: state(name) for name in names}
        sides += [(sum(array_of(part[k], arb) for part in pairs[name]), balls[name]) for name in names]
    yield replace(_identity("double-double = balls", names, sides, DOUBLE_DOUBLE), states=len(states))


def _closed_forms() -> Identity:
    """M, the Coriolis and the gravity force of the two-link arm compared with its closed forms."""
    spec = load(ARM)
    first, second = spec.bodies
    upper, fore = (
        PlanarLink(arb(inertia.mass), arb(length), arb(inertia.com[0]), arb(inertia.rotational[3]))
        for inertia, length in ((first.inertia, second.placement.p[0]), (second.inertia, 0.0))
    )
    arm = TwoLink(upper, fore, gravity=arb(-spec.gravity[2]))
    rng = np.random.default_rng(0)
    numbers = rng.uniform(-3.0, 3.0, (SAMPLE, 2, 2))
    block = States(numbers[:, 0], numbers[:, 1], 0.0 * numbers[:, 1], np.arange(SAMPLE), ("generic",) * SAMPLE)
    sides: list[Sides] = []
    for state in _on_balls(spec, block):
        sides.append((state("mass_matrix"), two_link.mass_matrix(arm, state.q)))
        sides.append((state("coriolis_force"), two_link.velocity_force(arm, state.q, state.v)))
        sides.append((state("gravity_force"), planar_arm.gravity_force(arm, state.q)))
    names = ("mass_matrix", "coriolis_force", "gravity_force")
    return replace(_identity("closed forms of the two-link arm", names, sides, EXACT), states=SAMPLE)


def _identity(words: str, quantities: tuple[str, ...], sides: Sequence[Sides], allowed: float) -> Identity:
    error = max(difference(*pair) for pair in sides)
    return Identity(NAME, words, quantities, len(sides), error, allowed, error <= allowed)


def difference(left: Any, expected: Any) -> float:
    """Upper bound of the largest difference of two arrays of balls, relative to the second's largest entry or 1."""
    largest = max((float(abs(arb(x)).mid()) for x in np.ravel(expected)), default=0.0)
    bounds = [float(abs(arb(a) - arb(b)).upper()) for a, b in zip(np.ravel(left), np.ravel(expected), strict=True)]
    error = max(bounds, default=0.0) / max(largest, 1.0)
    return error if error == error else float("inf")


def _one(scalar: Any) -> Any:
    return np.array([scalar], dtype=object)
