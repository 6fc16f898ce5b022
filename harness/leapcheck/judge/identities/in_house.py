"""Laws that the in-house code must obey in extended precision, to many more digits than any engine.

On arb balls a difference quotient with steps of 1e-20 is a derivative to more than 30 digits, and an error is an upper bound: the
balls hold whatever was rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx

import leapcheck_reference as reference
from leapcheck.judge.identities.manifold import rate
from leapcheck.judge.truth import BITS, MOST_BITS
from leapcheck.quantities import QUANTITIES
from leapcheck.records import Identity
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.classical import planar_arm, two_link
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from leapcheck_reference.scalar import array_of
from leapcheck_reference.trace.truth import truth_kernel

NAME = f"in-house, {BITS} bits"

SAMPLE = 2
"""States that are looked at: each takes some hundred evaluations."""

FEW = 4
"""States up to which a call for each takes less time than one for a batch."""

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

SHARP = 2.0
"""Upper over lower bound of an error that is told."""

ARM = "two_link_arm"


class BallStates:
    """A block of n states on balls, and what the in-house functions give there: all of them at once."""

    def __init__(self, spec: RobotSpec, states: States) -> None:
        self.tree = reference.build(spec, scalar=arb)
        self.q, self.v, self.vdot = (array_of(block, arb) for block in (states.q, states.v, states.tau))
        self._spec = spec
        self._values: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        """An in-house quantity (n, ...) at the states; forward dynamics under the forces that bring about `vdot`."""
        if name not in self._values:
            arguments = (self.tau if part == "tau" else getattr(self, part) for part in QUANTITIES[name].arguments)
            self._values[name] = self.evaluate(name, *arguments)
        return self._values[name]

    @cached_property
    def tau(self) -> Any:
        """Inverse dynamics (n, nv)."""
        return self.evaluate("inverse_dynamics", self.q, self.v, self.vdot)

    def evaluate(self, name: str, *blocks: Any) -> Any:
        """An in-house quantity (m, ...) at any m states."""
        function = getattr(reference, name)
        if len(blocks[0]) <= FEW:
            return np.stack([np.asarray(function(self.tree, *state)) for state in zip(*blocks, strict=True)])
        return evaluate_batch(function, self.tree, *blocks)

    def slopes(self, name: str, directions: Any) -> Any:
        """Central differences (n, k, ...) of a function of q along velocities (n, k, nv)."""
        q = self.q[:, None]
        step = rate(self._spec, np.broadcast_to(q, (*directions.shape[:2], q.shape[-1])), directions) * arb(STEP)
        sides = np.stack([q + step, q - step])
        values = self.evaluate(name, sides.reshape(-1, q.shape[-1]))
        forward, backward = values.reshape(*sides.shape[:3], *values.shape[1:])
        return (forward - backward) / (2 * arb(STEP))

    def gradient(self, name: str) -> Any:
        """Derivative (n, ..., nv) of a quantity by each dof."""
        return np.moveaxis(self.slopes(name, self.units), 1, -1)

    @property
    def units(self) -> Any:
        """The unit velocities (n, nv, nv) at each state."""
        n, nv = self.v.shape
        return np.broadcast_to(array_of(np.eye(nv), arb), (n, nv, nv))


def in_house_identities(spec: RobotSpec, block: States) -> Iterator[Identity]:
    """The laws at the first `SAMPLE` of the states, and the closed forms of the two-link arm at as many of its own."""
    precise = BallPrecisions(spec, block[:SAMPLE])
    for words, quantities, law, allowed in LAWS:
        bits, sides = law_sides(precise, law, allowed)
        if sides and sides[0].size:  # a robot may have no contact points
            with ctx.workprec(bits):
                yield _identity(words, quantities, [sides], allowed)
    with ctx.workprec(BITS):
        yield _double_double(spec, block[:SAMPLE], precise(BITS))
        yield _closed_forms()


class BallPrecisions:
    """A block of states on balls of any number of bits, each made once."""

    def __init__(self, spec: RobotSpec, states: States) -> None:
        self._spec, self._states = spec, states
        self._made: dict[int, BallStates] = {}

    def __call__(self, bits: int) -> BallStates:
        """The states; the context is of so many bits."""
        assert ctx.prec == bits
        if bits not in self._made:
            self._made[bits] = BallStates(self._spec, self._states)
        return self._made[bits]


Sides = tuple[Any, Any]
"""What a law says is the same (n, ...), at n states."""

Law = tuple[str, str, Callable[[BallStates], Sides]]


def law_sides(precise: BallPrecisions, law: Callable[[BallStates], Sides], allowed: float) -> tuple[int, Sides | None]:
    """The fewest bits, and the two sides on balls of these, that show whether a law holds, and else by how much it is off.

    Balls grow with each link of a chain, those of forward dynamics by 10^7 each ten links: 256 bits show nothing at 99 links. At
    a state that is singular no bits do: there are no sides.
    """
    bits = BITS
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            sides = law(precise(bits))
            bounds = [error_bounds(a, b) for a, b in zip(*sides, strict=True)]
        lower, upper = max(lower for lower, _ in bounds), max(upper for _, upper in bounds)
        if upper <= allowed or (lower > allowed and upper <= SHARP * lower):
            return bits, sides
        bits *= 2
    return bits, None


def _columns(s: BallStates) -> Sides:
    """Inverse dynamics of unit accelerations, without gravity and velocity, and the columns of M."""
    n, nv = s.v.shape
    still = np.zeros((n * nv, nv))
    tau = s.evaluate("inverse_dynamics", np.repeat(s.q, nv, axis=0), still, s.units.reshape(-1, nv))
    columns = tau.reshape(n, nv, nv) - s("gravity_force")[:, None]
    return columns.swapaxes(1, 2), s("mass_matrix")


def _contact_inertia(s: BallStates) -> Sides:
    """J M^-1 J^T times a force at the points, by M's factors, and the points' acceleration from articulated bodies."""
    n, nv = s.v.shape
    rows = s("contact_jacobians").reshape(n, -1, nv)
    force = array_of(np.random.default_rng(0).normal(size=rows.shape[1]), arb)
    vdot = s.evaluate("forward_dynamics", s.q, s.v, s("bias_force") + rows.swapaxes(1, 2) @ force)
    return s("contact_inertia") @ force, _product(rows, vdot)


def _power(s: BallStates) -> Sides:
    """v . C(q, v) v, and half of v . Mdot v."""
    Mdot = s.slopes("mass_matrix", s.v[:, None])[:, 0]
    return _dot(s.v, s("coriolis_force")), _dot(s.v, _product(Mdot, s.v)) / 2


def _product(matrices: Any, vectors: Any) -> Any:
    """A matrix (n, ..., k) times a vector (n, k), state by state."""
    return np.stack([matrix @ vector for matrix, vector in zip(matrices, vectors, strict=True)])


def _dot(a: Any, b: Any) -> Any:
    """Scalar products (n,) of vectors (n, k)."""
    return (a * b).sum(axis=1)


EXACT_LAWS: tuple[Law, ...] = (
    ("inverse dynamics gives the columns of M", "mass_matrix", _columns),
    (
        "inverse dynamics = M vdot + h",
        "mass_matrix bias_force",
        lambda s: (s.tau, _product(s("mass_matrix"), s.vdot) + s("bias_force")),
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
        lambda s: (s("kinetic_energy"), _dot(s.v, _product(s("mass_matrix"), s.v)) / 2),
    ),
    (
        "contact velocity = J v",
        "contact_velocities contact_jacobians",
        lambda s: (s("contact_velocities"), _product(s("contact_jacobians"), s.v)),
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
        lambda s: (s("contact_bias_accelerations"), _product(s.slopes("contact_jacobians", s.v[:, None])[:, 0], s.v)),
    ),
)
"""The same of laws with difference quotients."""

LAWS = tuple(
    (words, tuple(names.split()), sides, allowed)
    for laws, allowed in ((EXACT_LAWS, EXACT), (QUOTIENT_LAWS, QUOTIENT))
    for words, names, sides in laws
)
"""Words, quantities, the two sides, and what is allowed between them, relative to the largest entry."""


def _double_double(spec: RobotSpec, block: States, states: BallStates) -> Identity:
    """The truth of the runs, M and h in double-double, compared with balls."""
    names = ("mass_matrix", "bias_force")
    kernel = truth_kernel(spec, names)
    pairs = kernel.pairs(*(getattr(block, argument) for argument in kernel.arguments))
    sides = [(sum(array_of(part, arb) for part in pairs[name]), states(name)) for name in names]
    return _identity("double-double = balls", names, sides, DOUBLE_DOUBLE)


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
    s = BallStates(spec, block)
    forms = {
        "mass_matrix": [two_link.mass_matrix(arm, q) for q in s.q],
        "coriolis_force": [two_link.velocity_force(arm, q, v) for q, v in zip(s.q, s.v, strict=True)],
        "gravity_force": [planar_arm.gravity_force(arm, q) for q in s.q],
    }
    sides = [(s(name), np.stack(form)) for name, form in forms.items()]
    return _identity("closed forms of the two-link arm", tuple(forms), sides, EXACT)


def _identity(words: str, quantities: tuple[str, ...], sides: Sequence[Sides], allowed: float) -> Identity:
    """The law of some quantities: the two sides (n, ...) of each at n states."""
    error = max(error_bounds(a, b)[1] for left, right in sides for a, b in zip(left, right, strict=True))
    return Identity(NAME, words, quantities, len(sides[0][0]), error, allowed, error <= allowed)


def error_bounds(left: Any, expected: Any) -> tuple[float, float]:
    """Bounds, lower and upper, of the largest difference of two arrays of balls, relative to the second's largest entry or 1."""
    scale = max([1.0, *(float(abs(arb(x)).mid()) for x in np.ravel(expected))])
    balls = [abs(arb(a) - arb(b)) for a, b in zip(np.ravel(left), np.ravel(expected), strict=True)]
    upper = max((float(ball.upper()) for ball in balls), default=0.0) / scale
    lower = max((float(ball.lower()) for ball in balls), default=0.0) / scale
    return (lower if lower == lower else 0.0), (upper if upper == upper else float("inf"))
