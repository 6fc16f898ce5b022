"""Laws that one engine's answers must obey among themselves, with what rounding explains of a miss.

An answer is right to rounding where its scale-free error is within the tolerance of a comparison; what such errors of all
quantities in a law can add up to is what is allowed. Nothing here knows which engine is right. MuJoCo and Pinocchio, over 108 160
states near the origin of eleven named and random robots, miss no law by more than 1.3 % of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import product
from leapcheck.judge.identities.manifold import Slope
from leapcheck.rounding import ALLOWED_UNITS, FLOOR, scale_free
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, inertial_parameters
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.regressors import armature_force


@dataclass(frozen=True, slots=True, eq=False)
class LawAnswers:
    """What one engine answers at n states (n, ...), and along curves through them in the direction of v.

    `off` (n,) is the error that rounding explains in any entry of a quantity, in the entry's unit; scale-free for M.
    """

    states: States
    values: Mapping[str, Floats]
    off: Mapping[str, Floats]
    slopes: Mapping[str, Slope]
    spec: RobotSpec

    @property
    def weights(self) -> Floats:
        """sqrt(M_ii) (n, nv) of the engine's own M: errors of M_ij are in units of the product of two."""
        return np.sqrt(np.abs(np.diagonal(self.values["mass_matrix"], axis1=1, axis2=2)))


class Miss(NamedTuple):
    """By how much a law is missed, what rounding explains of that, both (n, ...), and the scale (n,) of both."""

    error: Floats
    allowed: Floats
    scale: Floats


@dataclass(frozen=True, slots=True)
class Law:
    """A law in words, the quantities and the derivatives along v that it needs, and how far answers miss it."""

    words: str
    quantities: tuple[str, ...]
    miss: Callable[[LawAnswers], Miss]
    slope: str = ""


def symmetric(answers: LawAnswers) -> Miss:
    """Largest of |M_ij - M_ji| and of what the least eigenvalue of the scale-free M lies below zero."""
    M, weights = answers.values["mass_matrix"], answers.weights
    with np.errstate(all="ignore"):
        M = M / (weights[:, :, None] * weights[:, None, :])
    if not np.isfinite(M).all():
        M = np.where(np.isfinite(M).all(axis=(1, 2), keepdims=True), M, -np.eye(M.shape[1]))
    lowest = np.linalg.eigvalsh((M + M.swapaxes(1, 2)) / 2.0)[:, 0]
    error = np.maximum(np.abs(M - M.swapaxes(1, 2)).max(axis=(1, 2)), np.maximum(-lowest, 0.0))
    return Miss(error, 2.0 * M.shape[1] * answers.off["mass_matrix"], np.ones(len(M)))


def sum_of_forces(answers: LawAnswers) -> Miss:
    """h - gravity - Coriolis."""
    names = ("bias_force", "gravity_force", "coriolis_force")
    h, g, c = (answers.values[name] for name in names)
    allowed = np.sum([answers.off[name] for name in names], axis=0)
    return Miss(np.abs(h - g - c), allowed[:, None] + 0.0 * h, _largest(h, g, c))


def motion(answers: LawAnswers) -> Miss:
    """M vdot + h - tau.

    Forward dynamics that is right to rounding is exact for a robot off by rounding: its own M misses by as much as M may.
    """
    M, h, vdot = (answers.values[name] for name in ("mass_matrix", "bias_force", "forward_dynamics"))
    tau = answers.states.tau
    force = product(M, vdot)
    moving = answers.weights * np.einsum("ni,ni->n", answers.weights, np.abs(vdot))[:, None]
    from_M = 2.0 * answers.off["mass_matrix"][:, None] * moving
    from_forces = 2.0 * answers.off["bias_force"] + ALLOWED_UNITS * FLOOR * np.abs(tau).max(axis=1, initial=0.0)
    return Miss(np.abs(force + h - tau), from_M + from_forces[:, None], _largest(force, h, tau))


def energy(answers: LawAnswers) -> Miss:
    """The kinetic energy less v . M v / 2."""
    E, v = answers.values["kinetic_energy"], answers.states.v
    error = np.abs(E - np.einsum("ni,nij,nj->n", v, answers.values["mass_matrix"], v) / 2.0)
    return Miss(error, answers.off["kinetic_energy"] + square_off(answers) / 2.0, _largest(E))


def square_off(answers: LawAnswers) -> Floats:
    """What rounding of M explains in v . M v (n,)."""
    off: Floats = answers.off["mass_matrix"] * np.einsum("ni,ni->n", answers.weights, np.abs(answers.states.v)) ** 2
    return off


def velocities(answers: LawAnswers) -> Miss:
    """Contact velocities less J v."""
    velocity, v = answers.values["contact_velocities"], answers.states.v
    error = np.abs(velocity - np.einsum("npxi,ni->npx", answers.values["contact_jacobians"], v))
    allowed = answers.off["contact_velocities"] + along_v(answers, "contact_jacobians")
    return Miss(error, allowed[:, None, None] + 0.0 * error, _largest(velocity))


def along_v(answers: LawAnswers, quantity: str) -> Floats:
    """What rounding of a quantity explains in its product with v (n,)."""
    off: Floats = answers.off[quantity] * np.abs(answers.states.v).sum(axis=1)
    return off


def contact_inertia(answers: LawAnswers) -> Miss:
    """J M^-1 J^T as answered, less that of M and J as answered."""
    J, M, answer = answers.values["contact_jacobians"], answers.values["mass_matrix"], answers.values["contact_inertia"]
    rows = J.reshape(len(J), -1, J.shape[-1])
    try:
        moved = np.linalg.solve(M, rows.swapaxes(1, 2))
    except np.linalg.LinAlgError:
        return Miss(np.full(len(J), np.inf), np.ones(len(J)), np.ones(len(J)))
    from_M = np.einsum("ni,nia->na", answers.weights, np.abs(moved))
    from_J = np.abs(moved).sum(axis=1)
    allowed = (
        answers.off["contact_inertia"][:, None, None]
        + answers.off["mass_matrix"][:, None, None] * from_M[:, :, None] * from_M[:, None, :]
        + answers.off["contact_jacobians"][:, None, None] * (from_J[:, :, None] + from_J[:, None, :])
    )
    return Miss(np.abs(answer - rows @ moved), allowed, _largest(answer))


def gradient(answers: LawAnswers) -> Miss:
    """v . gravity force less the rate of the potential energy."""
    return _power_miss(answers, "gravity_force", answers.slopes["potential_energy"], 1.0)


def power(answers: LawAnswers) -> Miss:
    """v . Coriolis force less half the rate of v . M v at constant v."""
    return _power_miss(answers, "coriolis_force", answers.slopes["v M v"], 0.5)


def _power_miss(answers: LawAnswers, force: str, rate: Slope, share: float) -> Miss:
    """The power of a force at v less a share of a rate."""
    powers = answers.states.v * answers.values[force]
    error = np.abs(powers.sum(axis=1) - share * rate.value)
    scale = np.maximum(np.abs(powers).sum(axis=1), np.abs(rate.value))
    return Miss(error, along_v(answers, force) + share * rate.allowed, scale)


def jacobian(answers: LawAnswers) -> Miss:
    """J v less the rate of the contact positions."""
    Jv = np.einsum("npxi,ni->npx", answers.values["contact_jacobians"], answers.states.v)
    rate = answers.slopes["contact_positions"]
    allowed = along_v(answers, "contact_jacobians")[:, None, None] + rate.allowed
    return Miss(np.abs(Jv - rate.value), allowed, _largest(Jv, rate.value))


def jacobian_rate(answers: LawAnswers) -> Miss:
    """Jdot v less the rate of J v at constant v."""
    acceleration, rate = answers.values["contact_bias_accelerations"], answers.slopes["J v"]
    allowed = answers.off["contact_bias_accelerations"][:, None, None] + rate.allowed
    return Miss(np.abs(acceleration - rate.value), allowed, _largest(acceleration, rate.value))


def frame_accelerations(answers: LawAnswers) -> Miss:
    """The frames' bias accelerations less Jdot times v."""
    return _times_v(answers, "frame_bias_accelerations", "frame_jacobian_rates")


def com_speed(answers: LawAnswers) -> Miss:
    """The com's velocity less its J v."""
    return _times_v(answers, "com_velocity", "com_jacobian")


def frame_speeds(answers: LawAnswers) -> Miss:
    """The frames' velocities less J v."""
    return _times_v(answers, "frame_velocities", "frame_jacobians")


def momentum(answers: LawAnswers) -> Miss:
    """The centroidal momentum less A v."""
    return _times_v(answers, "centroidal_momentum", "centroidal_momentum_matrix")


def _times_v(answers: LawAnswers, quantity: str, matrix: str) -> Miss:
    """A quantity less a matrix times v."""
    value = answers.values[quantity]
    error = np.abs(value - np.einsum("n...i,ni->n...", answers.values[matrix], answers.states.v))
    allowed = answers.off[quantity] + along_v(answers, matrix)
    return Miss(error, allowed.reshape(-1, *(1,) * (error.ndim - 1)) + 0.0 * error, _largest(value))


def linear_momentum(answers: LawAnswers) -> Miss:
    """The linear rows of A less the com's J times the mass that moves along with the com in the inertia."""
    A, J = answers.values["centroidal_momentum_matrix"], answers.values["com_jacobian"]
    mass = answers.values["centroidal_inertia"][:, 3, 3]
    error = np.abs(A[:, 3:] - mass[:, None, None] * J)
    from_mass = answers.off["centroidal_inertia"] * np.abs(J).max(axis=(1, 2))
    allowed = answers.off["centroidal_momentum_matrix"] + np.abs(mass) * answers.off["com_jacobian"] + from_mass
    return Miss(error, allowed[:, None, None] + 0.0 * error, _largest(A))


def inverse_motion(answers: LawAnswers) -> Miss:
    """Inverse dynamics less M vdot + h."""
    M, h, tau = (answers.values[name] for name in ("mass_matrix", "bias_force", "inverse_dynamics"))
    vdot = answers.states.vdot
    force = product(M, vdot)
    moving = answers.weights * np.einsum("ni,ni->n", answers.weights, np.abs(vdot))[:, None]
    allowed = answers.off["mass_matrix"][:, None] * moving
    allowed = allowed + (answers.off["bias_force"] + answers.off["inverse_dynamics"])[:, None]
    return Miss(np.abs(tau - force - h), allowed, _largest(tau, force, h))


def contact_torques(answers: LawAnswers) -> Miss:
    """Inverse dynamics with contacts less that without, plus sum J^T f."""
    names = ("inverse_dynamics_with_contacts", "inverse_dynamics", "contact_jacobians")
    tau, without, J = (answers.values[name] for name in names)
    forces = answers.states.contact_forces.reshape(len(tau), -1, 3)
    torque = np.einsum("npxi,npx->ni", J, forces)
    allowed = answers.off[names[0]] + answers.off[names[1]] + answers.off[names[2]] * np.abs(forces).sum(axis=(1, 2))
    return Miss(np.abs(tau - without + torque), allowed[:, None] + 0.0 * tau, _largest(tau, without, torque))


def inverse(answers: LawAnswers) -> Miss:
    """M^-1 M less 1, in units of sqrt(M_jj / M_ii)."""
    M, minverse, weights = answers.values["mass_matrix"], answers.values["minverse"], answers.weights
    with np.errstate(all="ignore"):
        free = M / (weights[:, :, None] * weights[:, None, :])
        free_inverse = minverse * (weights[:, :, None] * weights[:, None, :])
    sums = np.abs(free_inverse).sum(axis=2).max(axis=1)
    largest = (weights.max(axis=1)) ** 2
    allowed = answers.off["mass_matrix"] * sums * M.shape[1] + answers.off["minverse"] * largest * M.shape[1]
    return Miss(np.abs(free_inverse @ free - np.eye(M.shape[1])), allowed[:, None, None] + 0.0 * M, np.ones(len(M)))


def coriolis_product(answers: LawAnswers) -> Miss:
    """The Coriolis force less C v."""
    return _times_v(answers, "coriolis_force", "coriolis_matrix")


def coriolis_rate(answers: LawAnswers) -> Miss:
    """C + C^T less the rate of M."""
    C, rate = answers.values["coriolis_matrix"], answers.slopes["M"]
    allowed = 2.0 * answers.off["coriolis_matrix"][:, None, None] + rate.allowed
    return Miss(np.abs(C + C.swapaxes(1, 2) - rate.value), allowed, _largest(C, rate.value))


def force_by_v(answers: LawAnswers) -> Miss:
    """Twice the Coriolis force less dID/dv times v: it is of degree two in v."""
    force, matrix = answers.values["coriolis_force"], answers.values["inverse_dynamics_derivative_v"]
    allowed = 2.0 * answers.off["coriolis_force"] + along_v(answers, "inverse_dynamics_derivative_v")
    error = np.abs(2.0 * force - product(matrix, answers.states.v))
    return Miss(error, allowed[:, None] + 0.0 * error, _largest(force))


def force_by_q(answers: LawAnswers) -> Miss:
    """dID/dq times v less the rate of inverse dynamics along v."""
    return _along_v_miss(answers, "inverse_dynamics_derivative_q", answers.slopes["inverse_dynamics"])


def acceleration_by_q(answers: LawAnswers) -> Miss:
    """dFD/dq times v less the rate of forward dynamics along v."""
    return _along_v_miss(answers, "forward_dynamics_derivative_q", answers.slopes["forward_dynamics"])


def _along_v_miss(answers: LawAnswers, matrix: str, rate: Slope) -> Miss:
    value = product(answers.values[matrix], answers.states.v)
    return Miss(np.abs(value - rate.value), along_v(answers, matrix)[:, None] + rate.allowed, _largest(value, rate.value))


def acceleration_by_v(answers: LawAnswers) -> Miss:
    """M dFD/dv + dID/dv."""
    names = ("mass_matrix", "forward_dynamics_derivative_v", "inverse_dynamics_derivative_v")
    M, by_v, force = (answers.values[name] for name in names)
    weights = answers.weights
    from_M = (
        answers.off["mass_matrix"][:, None, None] * weights[:, :, None] * np.einsum("nj,njk->nk", weights, np.abs(by_v))[:, None]
    )
    from_by_v = np.abs(M).sum(axis=2)[:, :, None] * answers.off["forward_dynamics_derivative_v"][:, None, None]
    allowed = from_M + from_by_v + answers.off["inverse_dynamics_derivative_v"][:, None, None]
    return Miss(np.abs(M @ by_v + force), allowed, _largest(force))


def frame_velocity_by_q(answers: LawAnswers) -> Miss:
    """The frames' bias accelerations less dV/dq times v."""
    return _times_v(answers, "frame_bias_accelerations", "frame_velocity_derivative_q")


def frame_acceleration_by_v(answers: LawAnswers) -> Miss:
    """dA/dv less dV/dq and Jdot: A = J vdot + Jdot v."""
    names = ("frame_acceleration_derivative_v", "frame_velocity_derivative_q", "frame_jacobian_rates")
    by_v, by_q, rates = (answers.values[name] for name in names)
    off = answers.off[names[0]] + answers.off[names[1]] + answers.off[names[2]]
    allowed = off[:, None, None, None] + np.zeros_like(by_v)
    return Miss(np.abs(by_v - by_q - rates), allowed, _largest(by_v, by_q, rates))


def torque_regressor(answers: LawAnswers) -> Miss:
    """Inverse dynamics less Y pi and the armature's part."""
    tree, states = build(answers.spec), answers.states
    armature = evaluate_batch(lambda tree, _q, v, vdot: armature_force(tree, v, vdot), tree, states.q, states.v, states.vdot)
    return _times_parameters(answers, "inverse_dynamics", "joint_torque_regressor", armature)


def kinetic_regressor(answers: LawAnswers) -> Miss:
    """The kinetic energy less y pi and the armature's part."""
    tree, states = build(answers.spec), answers.states
    armature = evaluate_batch(lambda tree, _q, v: v @ armature_force(tree, v, v) / 2.0, tree, states.q, states.v)
    return _times_parameters(answers, "kinetic_energy", "kinetic_energy_regressor", armature)


def potential_regressor(answers: LawAnswers) -> Miss:
    """The potential energy less y pi."""
    return _times_parameters(answers, "potential_energy", "potential_energy_regressor", np.zeros(1))


def _times_parameters(answers: LawAnswers, quantity: str, regressor: str, besides: Floats) -> Miss:
    """A quantity less a regressor times the robot's parameters, and less what is besides."""
    pi, value, Y = inertial_parameters(build(answers.spec)), answers.values[quantity], answers.values[regressor]
    error = np.abs(value - Y @ pi - besides)
    allowed = answers.off[quantity] + answers.off[regressor] * np.abs(pi).sum()
    return Miss(error, allowed.reshape(-1, *(1,) * (error.ndim - 1)) + 0.0 * error, _largest(value, Y * pi))


LAWS = (
    Law("M is symmetric and positive definite", ("mass_matrix",), symmetric),
    Law("h = gravity force + Coriolis force", ("bias_force", "gravity_force", "coriolis_force"), sum_of_forces),
    Law("M vdot + h = tau", ("mass_matrix", "bias_force", "forward_dynamics"), motion),
    Law("kinetic energy = v . M v / 2", ("kinetic_energy", "mass_matrix"), energy),
    Law("contact velocity = J v", ("contact_velocities", "contact_jacobians"), velocities),
    Law("J M^-1 J^T is that of M and J", ("contact_inertia", "mass_matrix", "contact_jacobians"), contact_inertia),
    Law("v . gravity force = rate of the potential energy", ("gravity_force",), gradient, "potential_energy"),
    Law("J v = rate of the contact positions", ("contact_jacobians",), jacobian, "contact_positions"),
    Law("Jdot v = rate of J v at constant v", ("contact_bias_accelerations",), jacobian_rate, "J v"),
    Law("v . Coriolis force = v . Mdot v / 2", ("coriolis_force",), power, "v M v"),
    Law("inverse dynamics = M vdot + h", ("inverse_dynamics", "mass_matrix", "bias_force"), inverse_motion),
    Law(
        "inverse dynamics - that with contacts = sum J^T f",
        ("inverse_dynamics_with_contacts", "inverse_dynamics", "contact_jacobians"),
        contact_torques,
    ),
    Law("M^-1 M = 1", ("minverse", "mass_matrix"), inverse),
    Law("Coriolis force = C v", ("coriolis_matrix", "coriolis_force"), coriolis_product),
    Law("C + C^T = rate of M", ("coriolis_matrix",), coriolis_rate, "M"),
    Law("dID/dv v = 2 Coriolis force", ("inverse_dynamics_derivative_v", "coriolis_force"), force_by_v),
    Law("dID/dq v = rate of inverse dynamics", ("inverse_dynamics_derivative_q",), force_by_q, "inverse_dynamics"),
    Law("dFD/dq v = rate of forward dynamics", ("forward_dynamics_derivative_q",), acceleration_by_q, "forward_dynamics"),
    Law(
        "M dFD/dv = -dID/dv",
        ("forward_dynamics_derivative_v", "inverse_dynamics_derivative_v", "mass_matrix"),
        acceleration_by_v,
    ),
    Law("dV/dq v = frame bias acceleration", ("frame_velocity_derivative_q", "frame_bias_accelerations"), frame_velocity_by_q),
    Law(
        "dA/dv = dV/dq + Jdot",
        ("frame_acceleration_derivative_v", "frame_velocity_derivative_q", "frame_jacobian_rates"),
        frame_acceleration_by_v,
    ),
    Law("Y pi + armature vdot = inverse dynamics", ("joint_torque_regressor", "inverse_dynamics"), torque_regressor),
    Law("y pi + armature qd^2 / 2 = kinetic energy", ("kinetic_energy_regressor", "kinetic_energy"), kinetic_regressor),
    Law("y pi = potential energy", ("potential_energy_regressor", "potential_energy"), potential_regressor),
    Law("frame velocity = J v", ("frame_velocities", "frame_jacobians"), frame_speeds),
    Law("frame bias acceleration = Jdot v", ("frame_bias_accelerations", "frame_jacobian_rates"), frame_accelerations),
    Law("com velocity = J v of the com", ("com_velocity", "com_jacobian"), com_speed),
    Law("centroidal momentum = A v", ("centroidal_momentum", "centroidal_momentum_matrix"), momentum),
    Law(
        "linear rows of A = mass times the com's J",
        ("centroidal_momentum_matrix", "com_jacobian", "centroidal_inertia"),
        linear_momentum,
    ),
)
"""The laws, in the order of a report: of the core always, of another group where a run asks for quantities of it."""

BEHIND = {
    "potential_energy": "potential_energy",
    "contact_positions": "contact_positions",
    "J v": "contact_jacobians",
    "v M v": "mass_matrix",
    "M": "mass_matrix",
    "inverse_dynamics": "inverse_dynamics",
    "forward_dynamics": "forward_dynamics",
}
"""The quantity behind each derivative."""


def _largest(*values: Floats) -> Floats:
    """Largest entry (n,) of all of them at each state, 1 where all are zero."""
    n = len(values[0])
    largest = np.max([np.abs(part).reshape(n, -1).max(axis=1, initial=0.0) for part in values], axis=0)
    return np.where((largest > 0.0) & np.isfinite(largest), largest, 1.0)


def worst(miss: Miss) -> tuple[float, float]:
    """(error, allowed), scale-free, where the error is largest relative to what is allowed; NaN is infinitely wrong."""
    n = len(miss.scale)
    scale = np.where(miss.scale > 0.0, miss.scale, 1.0)
    with np.errstate(all="ignore"):
        error = scale_free(miss.error.reshape(n, -1), scale[:, None])
        allowed = np.nan_to_num(np.broadcast_to(miss.allowed.reshape(n, -1), error.shape) / scale[:, None], nan=0.0)
        place = int(np.nan_to_num(error / allowed, nan=0.0, posinf=np.inf).argmax())
    return float(error.ravel()[place]), float(allowed.ravel()[place])
