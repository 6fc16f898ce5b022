"""Laws that the in-house code must obey in extended precision: it is judged like any engine, to many more digits.

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
from leapcheck.compare.records import Identity
from leapcheck.judge.identities.manifold import central, rate
from leapcheck.judge.truth import BITS
from leapcheck.states import States
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
class State:
    """One state on balls."""

    spec: RobotSpec
    tree: Tree
    q: Any
    v: Any
    vdot: Any

    def slope(self, function: Callable[[Any], Any], direction: Any) -> Any:
        """Derivative of a function of q along a velocity."""
        return central(function, self.q, rate(self.spec, self.q, direction), arb(STEP))

    def gradient(self, function: Callable[[Any], Any]) -> Any:
        """The same along each dof alone, on the last axis."""
        return np.stack([np.asarray(self.slope(function, unit)) for unit in _units(len(self.v))], axis=-1)


def in_house_identities(spec: RobotSpec, at: States) -> Iterator[Identity]:
    """The laws at the first `SAMPLE` of the states, and the closed forms of the two-link arm at as many of its own."""
    with ctx.workprec(BITS):
        states = [*_on_balls(spec, at[:SAMPLE])]
        for words, quantities, law, allowed in LAWS:
            sides = [law(state) for state in states]
            if all(found.size for found, _ in sides):  # a robot may have no contact points
                yield _identity(words, quantities, sides, allowed)
        yield from _double_double(spec, at[:SAMPLE], states)
        yield _closed_forms()


def _on_balls(spec: RobotSpec, at: States) -> Iterator[State]:
    tree = reference.build(spec, scalar=arb)
    for q, v, tau in zip(at.q, at.v, at.tau, strict=True):
        yield State(spec, tree, *(array_of(part, arb) for part in (q, v, tau)))


def _units(n: int) -> list[Any]:
    return list(array_of(np.eye(n), arb))


Sides = tuple[Any, Any]
"""What a law says is the same."""


def columns(at: State) -> Sides:
    """Inverse dynamics of unit accelerations, without gravity and velocity, and the columns of M."""
    g = reference.gravity_force(at.tree, at.q)
    still = 0 * at.v
    found = np.stack([reference.inverse_dynamics(at.tree, at.q, still, unit) - g for unit in _units(len(at.v))], axis=-1)
    return found, reference.mass_matrix(at.tree, at.q)


def motion(at: State) -> Sides:
    """Inverse dynamics and M vdot + h."""
    tau = reference.inverse_dynamics(at.tree, at.q, at.v, at.vdot)
    return tau, reference.mass_matrix(at.tree, at.q) @ at.vdot + reference.bias_force(at.tree, at.q, at.v)


def inverse(at: State) -> Sides:
    """The acceleration that articulated bodies find for the force that inverse dynamics gives, and the acceleration."""
    tau = reference.inverse_dynamics(at.tree, at.q, at.v, at.vdot)
    return reference.forward_dynamics(at.tree, at.q, at.v, tau), at.vdot


def forces(at: State) -> Sides:
    """h, and gravity and Coriolis force together."""
    parts = reference.gravity_force(at.tree, at.q) + reference.coriolis_force(at.tree, at.q, at.v)
    return reference.bias_force(at.tree, at.q, at.v), parts


def energy(at: State) -> Sides:
    """The bodies' kinetic energies, and v . M v / 2."""
    M = reference.mass_matrix(at.tree, at.q)
    return _one(reference.kinetic_energy(at.tree, at.q, at.v)), _one(at.v @ (M @ at.v) / 2)


def gradient(at: State) -> Sides:
    """The gravity force, and the potential energy's derivative along each dof."""
    return reference.gravity_force(at.tree, at.q), at.gradient(lambda q: reference.potential_energy(at.tree, q))


def power(at: State) -> Sides:
    """v . C(q, v) v, and half of v . Mdot v."""
    of_force = at.v @ reference.coriolis_force(at.tree, at.q, at.v)
    of_M = at.slope(lambda q: at.v @ (reference.mass_matrix(at.tree, q) @ at.v), at.v)
    return _one(of_force), _one(of_M / 2)


def jacobians(at: State) -> Sides:
    """J, and the contact positions' derivative along each dof."""
    return reference.contact_jacobians(at.tree, at.q), at.gradient(lambda q: reference.contact_positions(at.tree, q))


def jacobian_rate(at: State) -> Sides:
    """Jdot v, and the rate of J v at constant v."""
    of_J = at.slope(lambda q: reference.contact_jacobians(at.tree, q) @ at.v, at.v)
    return reference.contact_bias_accelerations(at.tree, at.q, at.v), of_J


def velocities(at: State) -> Sides:
    """The contact points' velocities, and J v."""
    return reference.contact_velocities(at.tree, at.q, at.v), reference.contact_jacobians(at.tree, at.q) @ at.v


def contact_inertia(at: State) -> Sides:
    """J M^-1 J^T times a force at the points, by M's factors, and the points' acceleration by it from articulated bodies,
    which know no M.
    """
    J = reference.contact_jacobians(at.tree, at.q)
    rows = J.reshape(-1, J.shape[-1])
    force = array_of(np.random.default_rng(0).normal(size=len(rows)), arb)
    h = reference.bias_force(at.tree, at.q, at.v)
    moved = rows @ reference.forward_dynamics(at.tree, at.q, at.v, h + rows.T @ force)
    return reference.contact_inertia(at.tree, at.q) @ force, moved


Law = tuple[str, tuple[str, ...], Callable[[State], Sides], float]

LAWS: Sequence[Law] = (
    ("inverse dynamics gives the columns of M", ("mass_matrix",), columns, EXACT),
    ("inverse dynamics = M vdot + h", ("mass_matrix", "bias_force"), motion, EXACT),
    ("forward dynamics inverts inverse dynamics", ("forward_dynamics",), inverse, EXACT),
    ("h = gravity force + Coriolis force", ("bias_force", "gravity_force", "coriolis_force"), forces, EXACT),
    ("kinetic energy = v . M v / 2", ("kinetic_energy", "mass_matrix"), energy, EXACT),
    ("contact velocity = J v", ("contact_velocities", "contact_jacobians"), velocities, EXACT),
    ("J M^-1 J^T is that of articulated bodies", ("contact_inertia", "forward_dynamics"), contact_inertia, EXACT),
    ("gravity force = gradient of the potential energy", ("gravity_force", "potential_energy"), gradient, QUOTIENT),
    ("v . Coriolis force = v . Mdot v / 2", ("coriolis_force", "mass_matrix"), power, QUOTIENT),
    ("J = derivative of the contact positions", ("contact_jacobians", "contact_positions"), jacobians, QUOTIENT),
    ("Jdot v = rate of J v at constant v", ("contact_bias_accelerations", "contact_jacobians"), jacobian_rate, QUOTIENT),
)
"""Words, quantities, the two sides, and what is allowed between them, relative to the largest entry."""


def _double_double(spec: RobotSpec, at: States, states: Sequence[State]) -> Iterator[Identity]:
    """The truth of the runs, M and h in double-double, beside balls; nothing without llvmlite."""
    names = ("mass_matrix", "bias_force")
    try:
        kernel = truth_kernel(spec, names)
    except ImportError:
        return
    pairs = kernel.pairs(*(getattr(at, argument) for argument in kernel.arguments))
    sides = []
    for k, state in enumerate(states):
        balls = {"mass_matrix": reference.mass_matrix(state.tree, state.q)}
        balls["bias_force"] = reference.bias_force(state.tree, state.q, state.v)
        sides += [(sum(array_of(part[k], arb) for part in pairs[name]), balls[name]) for name in names]
    yield replace(_identity("double-double = balls", names, sides, DOUBLE_DOUBLE), states=len(states))


def _closed_forms() -> Identity:
    """M, the Coriolis and the gravity force of the two-link arm beside its closed forms."""
    spec = load(ARM)
    first, second = spec.bodies
    upper, fore = (
        PlanarLink(arb(inertia.mass), arb(length), arb(inertia.com[0]), arb(inertia.rotational[3]))
        for inertia, length in ((first.inertia, second.placement.p[0]), (second.inertia, 0.0))
    )
    arm = TwoLink(upper, fore, gravity=arb(-spec.gravity[2]))
    rng = np.random.default_rng(0)
    numbers = rng.uniform(-3.0, 3.0, (SAMPLE, 2, 2))
    at = States(numbers[:, 0], numbers[:, 1], 0.0 * numbers[:, 1], np.arange(SAMPLE), ("generic",) * SAMPLE)
    sides: list[Sides] = []
    for state in _on_balls(spec, at):
        tree, q, v = state.tree, state.q, state.v
        sides.append((reference.mass_matrix(tree, q), two_link.mass_matrix(arm, q)))
        sides.append((reference.coriolis_force(tree, q, v), two_link.velocity_force(arm, q, v)))
        sides.append((reference.gravity_force(tree, q), planar_arm.gravity_force(arm, q)))
    names = ("mass_matrix", "coriolis_force", "gravity_force")
    return replace(_identity("closed forms of the two-link arm", names, sides, EXACT), states=SAMPLE)


def _identity(words: str, quantities: tuple[str, ...], sides: Sequence[Sides], allowed: float) -> Identity:
    error = max(difference(*pair) for pair in sides)
    return Identity(NAME, words, quantities, len(sides), error, allowed, error <= allowed)


def difference(found: Any, expected: Any) -> float:
    """Upper bound of the largest difference of two arrays of balls, relative to the second's largest entry or 1."""
    largest = max((float(abs(arb(x)).mid()) for x in np.ravel(expected)), default=0.0)
    bounds = [float(abs(arb(a) - arb(b)).upper()) for a, b in zip(np.ravel(found), np.ravel(expected), strict=True)]
    error = max(bounds, default=0.0) / max(largest, 1.0)
    return error if error == error else float("inf")


def _one(scalar: Any) -> Any:
    return np.array([scalar], dtype=object)
