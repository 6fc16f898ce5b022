"""The unit of error, the allowance and the scales: how far off an engine may be that is right to rounding.

The expected rounding is a backward-error view: an engine that is right to rounding returns the exact answer of a slightly
different question. The in-house algorithms answer `DRAWS` such questions, with state and robot off by up to 2 ulp everywhere; the
largest movement of any entry is the unit in which errors are measured. Conditioning (a nearly singular leg, a light link behind a
heavy one) is thereby part of the unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.sampling import States
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import (
    CONFIGURATION_SIZE,
    VELOCITY_SIZE,
    WORLD,
    Body,
    ControlLaw,
    Inertia,
    JointType,
    Placement,
    RobotSpec,
)
from leapcheck_reference.trace.symbol import Recorder, Symbol, largest

ULPS = 2.0
"""Size of the perturbation of every input and every parameter, in units in the last place."""

DRAWS = 3
"""Independent perturbations; the largest movement counts."""

FLOOR = ULPS * float(np.finfo(float).eps)
"""Least scale-free rounding expected of any value: that of storing it and its inputs."""

ENERGY, INERTIA, VELOCITIES = "kinetic_energy", "mass_matrix", "frame_velocities"
GRAVITY, MOMENTUM = "gravity_force", (INERTIA, ENERGY)

CANCELLING = {
    "bias_force": (ENERGY,),
    "coriolis_force": (ENERGY,),
    "inverse_dynamics": (ENERGY,),
    "inverse_dynamics_with_contacts": (ENERGY,),
    "centroidal_momentum_rate": (ENERGY,),
    "forward_dynamics": (ENERGY, INERTIA),
    "constrained_forward_dynamics": (ENERGY, INERTIA),
    "contact_bias_accelerations": (VELOCITIES,),
    "frame_bias_accelerations": (VELOCITIES,),
    "frame_acceleration_derivative_q": (VELOCITIES,),
    "com_bias_acceleration": (VELOCITIES,),
    "constraint_bias": (VELOCITIES,),
    "coriolis_matrix": MOMENTUM,
    "christoffel_matrix": MOMENTUM,
    "inverse_dynamics_derivative_q": (ENERGY,),
    "forward_dynamics_derivative_q": (ENERGY, INERTIA, GRAVITY),
    "inverse_dynamics_derivative_v": MOMENTUM,
    "forward_dynamics_derivative_v": MOMENTUM,
}
"""Quantities that may vanish while the terms they consist of do not, and the quantities that these terms are sized by.

Forces vanish in an arm stretched to 1e-12 rad, and so does v x m v of a floating base: a difference of terms as large as m v^2,
1e5 times the torque I w^2 where a body of 0.1 m flies at 100 m/s and hardly turns. An acceleration may be w^2 r, small on a slow
circle, while w x v is not where a fast slide carries the circle.
"""

OF_FRAMES = ("frame_bias_accelerations", "frame_acceleration_derivative_q")
"""Accelerations of origins, which vanish where these lie on the only axis that turns, though the terms w^2 r do not."""

ALLOWED_UNITS = 256.0
"""Tolerance in units of the expected rounding.

An engine rounds after each of the hundreds of operations on the way from a state to an entry; the unit holds one
perturbation of each input. Measured worst of 2 000 states of each named robot and 200 of each of 50 random trees over
MuJoCo and Pinocchio: see reports/accuracy.md.
"""

SINGLE_RATIO = float(np.finfo(np.float32).eps / np.finfo(float).eps)
"""By how much more is excused of an engine that declares single precision: 2^29, the ratio of the units in the last place."""

NEAR = 10.0
"""Base positions up to here (m) get no allowance for cancellation far from the origin."""

REACH = 0.01
"""Length (m) by which a distance from the world's origin is measured in that allowance: a small link's gyration radius."""


def scales(quantity: str, values: Floats) -> Floats:
    """What errors of a quantity are divided by at each state: broadcastable to the shape of `values` (n, ...).

    `values` are the in-house answers. A state whose entries are all zero has scale 1: its error is absolute.
    """
    n = len(values)
    scale: Floats = np.ones((n, *(1,) * (values.ndim - 1)))
    match QUANTITIES[quantity].scale:
        case Scale.DIAGONAL:
            diagonal = np.sqrt(np.diagonal(values, axis1=1, axis2=2))
            scale = diagonal[:, :, None] * diagonal[:, None, :]
        case Scale.LARGEST:
            scale = largest_or_one(np.abs(values).reshape(n, -1).max(axis=1, initial=0.0)).reshape(scale.shape)
    return scale


def largest_or_one(entries: Floats) -> Floats:
    """The largest entries, 1 where all are zero."""
    return np.where(entries == 0.0, 1.0, entries)


def mass_weights(entries: Iterable[tuple[int, ...]], M: Array) -> list[Any]:
    """1 / sqrt(M_ii M_jj) for some entries (i, j) of a traced mass matrix (nv, nv)."""
    inverse = [1.0 / x.sqrt() if isinstance(x, Symbol) else 1.0 / float(np.sqrt(x)) for x in np.diagonal(M)]
    return [inverse[i] * inverse[j] for i, j in entries]


def traced_scale(quantity: str, entries: Sequence[Symbol], recorder: Recorder) -> Symbol:
    """The scale by the traced entries of one state; 1 for M, whose entries have `mass_weights` of their own."""
    largest_counts = QUANTITIES[quantity].scale is Scale.LARGEST
    return largest([abs(entry) for entry in entries], recorder) if largest_counts else recorder.constant(1.0)


def traced_movement(quantity: str, exact: Array, moved: Array, entries: Sequence[tuple[int, ...]], recorder: Recorder) -> Symbol:
    """Largest movement of some traced entries, scale-free for M; 0 for answers of different shapes."""
    if moved.shape != exact.shape:
        return recorder.constant(0.0)
    movements = [recorder.symbol(moved[index]) - exact[index] for index in entries]
    if QUANTITIES[quantity].scale is Scale.DIAGONAL:
        movements = [movement * weight for movement, weight in zip(movements, mass_weights(entries, exact), strict=True)]
    return largest([abs(movement) for movement in movements], recorder)


def scale_free(difference: Floats, scale: Floats) -> Floats:
    """|difference| / scale; an entry that is not a number counts as infinitely wrong."""
    error = np.abs(difference) / scale
    return np.where(np.isnan(error), np.inf, error)


def rounding_unit(movement: Floats, terms: Floats) -> Floats:
    """The scale-free rounding (n,) to expect: the largest `movement` of an entry, and at least `FLOOR`.

    Where terms cancel also at least theirs (`cancelling_terms`). Movement and terms are in units of the quantity's scale.
    """
    return np.maximum(FLOOR, np.maximum(movement, FLOOR * terms))


def turning_dofs(spec: RobotSpec) -> list[int]:
    """The dofs in which floating bases turn."""
    dofs, v = list[int](), 0
    for body in spec.bodies:
        dofs += range(v, v + 3) if body.joint.type is JointType.FREE else ()
        v += VELOCITY_SIZE[body.joint.type]
    return dofs


def cancelling_terms(spec: RobotSpec, quantity: str, value_of: Callable[[str], Any], largest_of: Callable[[Any], Any]) -> Any:
    """The size of the terms that cancel in a quantity, in its unit; 0 of one in which none do.

    Centripetal forces are as large as 2 E_k per radian; accelerations are these times the largest 1 / M_ii of the dofs in
    which floating bases turn (their derivatives with the weight besides), or products of the links' largest w and v, those of
    origins w^2 by the longest arm besides. Entries of C and of dID/dv are momenta, (M v)_i^2 <= M_ii 2 E_k. `value_of` gives
    the values (..., shape) of a quantity at one state or more, `largest_of` the largest entry at each, 0 where there are
    none; numbers and traced symbols are served alike.
    """
    match CANCELLING.get(quantity):
        case (str(name),) if name == ENERGY:
            return 2.0 * value_of(ENERGY)
        case (str(name), _, *others) if name == ENERGY:
            dofs, force = turning_dofs(spec), 2.0 * value_of(ENERGY)
            force = force + largest_of(abs(value_of(GRAVITY))) if others else force
            return force * largest_of(1.0 / value_of(INERTIA)[..., dofs, dofs]) if dofs else 0.0
        case names if names == MOMENTUM:
            diagonal = np.diagonal(value_of(INERTIA), axis1=-2, axis2=-1)
            square = 2.0 * value_of(ENERGY) * largest_of(diagonal)
            momentum = square.sqrt() if isinstance(square, Symbol) else np.sqrt(square)
            return momentum * largest_of(1.0 / diagonal) if quantity == "forward_dynamics_derivative_v" else momentum
        case (str(name),) if name == VELOCITIES:
            V = value_of(VELOCITIES)
            w, speed = largest_of(abs(V[..., :3])), largest_of(abs(V[..., 3:]))
            return w * (speed + w * longest_arm(spec)) if quantity in OF_FRAMES else w * speed
        case _:
            return 0.0


def longest_arm(spec: RobotSpec) -> float:
    """Largest distance (m) of a link's origin or com from the root of its tree, however the joints stand."""
    arms, reach = {WORLD: 0.0}, 0.0
    for body in spec.bodies:
        arms[body.name] = 0.0 if body.joint.type is JointType.FREE else arms[body.parent] + math.hypot(*body.placement.p)
        reach = max(reach, arms[body.name] + math.hypot(*body.inertia.com))
    return reach


def base_distance(spec: RobotSpec, states: States) -> Floats:
    """Largest distance (n,) of a floating base from the world's origin, m."""
    distance, q = np.zeros(len(states)), 0
    for body in spec.bodies:
        if body.joint.type is JointType.FREE:
            p = states.q[:, q : q + 3]
            distance = np.maximum(distance, np.sqrt(np.einsum("ni,ni->n", p, p)))
        q += CONFIGURATION_SIZE[body.joint.type]
    return distance


def allowance(distance: Floats) -> Floats:
    """By how much more is excused at a distance from the world's origin (m): digits cancel in world coordinates."""
    return np.where(distance > NEAR, 1.0 + distance / REACH, 1.0)


def perturbation(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Factors 1 +- up to `ULPS` units in the last place."""
    factors: Floats = 1.0 + FLOOR * rng.uniform(-1.0, 1.0, shape)
    return factors


def perturbed_spec(spec: RobotSpec, rng: np.random.Generator) -> RobotSpec:
    """The robot with every parameter off by up to `ULPS` units in the last place, either way."""
    arms: dict[str, float] = {WORLD: 0.0}
    for body in spec.bodies:
        arms[body.name] = arms[body.parent] + math.hypot(*body.placement.p)
    bodies = tuple(_perturbed_body(body, arms[body.name], rng) for body in spec.bodies)
    points = tuple(replace(p, position=_off_by_norm(p.position, rng, arms[p.body])) for p in spec.contact_points)
    moved = replace(spec, bodies=bodies, contact_points=points, gravity=_off_by_norm(spec.gravity, rng))
    moved = _with_perturbed_constraints(moved, arms, rng) if spec.loops or spec.couplings else moved
    moved = replace(moved, bodies=tuple(_with_perturbed_passive(body, rng) for body in moved.bodies))
    return replace(moved, laws=tuple(_perturbed_law(law, rng) for law in moved.laws)) if moved.laws else moved


def _perturbed_law(law: ControlLaw, rng: np.random.Generator) -> ControlLaw:
    """Gear, gain and bias off by a few ulp; limits stay what they are."""
    return replace(law, gear=_off(law.gear, rng), gain=_off(law.gain, rng), bias=_off(law.bias, rng))


def _with_perturbed_passive(body: Body, rng: np.random.Generator) -> Body:
    """Damping, friction and spring of the joint off by a few ulp."""
    joint = body.joint
    if not (joint.damping or joint.friction or joint.stiffness):
        return body
    values = {name: _off(getattr(joint, name), rng) for name in ("damping", "friction", "stiffness", "springref")}
    return replace(body, joint=replace(joint, **values))


def _with_perturbed_constraints(spec: RobotSpec, arms: dict[str, float], rng: np.random.Generator) -> RobotSpec:
    """Points of loops and coefficients of couplings off by a few ulp, as those of contacts."""
    loops = tuple(
        replace(
            loop,
            point1=_off_by_norm(loop.point1, rng, arms[loop.body1]),
            point2=_off_by_norm(loop.point2, rng, arms[loop.body2]),
        )
        for loop in spec.loops
    )
    couplings = tuple(replace(coupling, coefficients=_off(coupling.coefficients, rng)) for coupling in spec.couplings)
    return replace(spec, loops=loops, couplings=couplings)


def _perturbed_body(body: Body, arm: float, rng: np.random.Generator) -> Body:
    """Mass, com, inertia, placement, axis, armature and rotor off by a few ulp.

    Positions are off by ulps of the `arm` from the root (m), as an engine leaves them that computes in axes of the world;
    inertias by ulps of their largest entry, as after turning them there and back; directions and angles (axes,
    quaternions) by ulps of each entry, so that parallel axes stay parallel.
    """
    free = body.joint.type is JointType.FREE
    joint = replace(body.joint, axis=_off(body.joint.axis, rng), armature=_off(body.joint.armature, rng))
    placement = body.placement if free else _off_placement(body.placement, arm, rng)
    inertia = _off_inertia(body.inertia, arm, rng)
    rotor = body.rotor
    if rotor is not None:
        rotor = replace(
            rotor,
            inertia=_off_inertia(rotor.inertia, arm, rng),
            placement=_off_placement(rotor.placement, arm, rng),
            gear_ratio=_off(rotor.gear_ratio, rng),
        )
    return replace(body, joint=joint, placement=placement, inertia=inertia, rotor=rotor)


def _off_placement(placement: Placement, arm: float, rng: np.random.Generator) -> Placement:
    return Placement(_off_by_norm(placement.p, rng, arm), _off(placement.quaternion, rng))


def _off_inertia(inertia: Inertia, arm: float, rng: np.random.Generator) -> Inertia:
    mass, com = _off(inertia.mass, rng), _off_by_norm(inertia.com, rng, arm)
    return replace(inertia, mass=mass, com=com, rotational=_off_by_norm(inertia.rotational, rng))


def _off_by_norm(values: Any, rng: np.random.Generator, at_least: float = 0.0) -> Any:
    """Each number of a tuple off by up to 2 ulp of the largest, or of `at_least` where that is more."""
    size = max(at_least, *(abs(value) for value in values))
    return tuple(float(value + FLOOR * size * rng.uniform(-1.0, 1.0)) for value in values)


def _off(value: Any, rng: np.random.Generator) -> Any:
    """A number, or each number of a tuple, times 1 +- 2 ulp; None stays None."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_off(x, rng) for x in value)
    return float(value * (1.0 + FLOOR * rng.uniform(-1.0, 1.0)))
