"""Faults in answers: forces, accelerations, points and energies of another kind; noise; NaN."""

from __future__ import annotations

import numpy as np

from leapcheck_evidence.score.planting.fault import Asked, Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import POINT_QUANTITIES, carriers, of_type, slots
from leapcheck_evidence.score.planting.own_dynamics import motions
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, WORLD, JointType, RobotSpec

FORCES = ("bias_force", "gravity_force", "coriolis_force")

SWAPPED = {
    "coriolis-only": ("bias_force", "coriolis_force"),
    "gravity-only": ("bias_force", "gravity_force"),
    "sum:coriolis": ("coriolis_force", "bias_force"),
    "sum:gravity": ("gravity_force", "bias_force"),
}
"""By name: the quantity requested, and the one that is answered."""


def force(kind: str) -> Drawer:
    """One of the three forces answered for another."""

    def draw(_rng: Rng, _at: Setting) -> Fault:
        asked_for, answered = SWAPPED[kind]

        def answering(asked: Asked, name: str, values: Floats) -> Floats:
            return asked.own(answered) if name == asked_for else values

        return Fault(
            f"{answered} for {asked_for}",
            (f"force/{kind}", *((f"force/{kind.split(':')[0]}",) if ":" in kind else ())),
            answering=answering,
        )

    return draw


def damping(rng: Rng, setting: Setting) -> Fault:
    """Viscous losses of the joints counted in the bias and in the Coriolis force: the robot's own, or 0.05 at some joint."""
    moving = of_type(setting.spec, *ONE_DOF)
    own = np.zeros(setting.spec.nv)
    for slot in moving:
        own[slot.v] = slot.body.joint.damping
    if own.any() and rng.random() < 0.6:
        loss, kind = own, "own"
    else:
        loss, kind = np.zeros(setting.spec.nv), "other"
        loss[choice(rng, moving).v] = 0.05

    def answering(asked: Asked, name: str, values: Floats) -> Floats:
        return values + loss * asked.read.v if name in ("bias_force", "coriolis_force") else values

    return Fault(f"damping ({kind}) in the bias", (rf"damping/{kind}(:.*)?",), answering=answering)


def point_axes(kind: str) -> Drawer:
    """Velocities, Jacobians and accelerations of points in link or base axes, or turned by the transposed rotation."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        _points(setting.spec)
        only = ("contact_jacobians",) if rng.random() < 0.3 else POINT_QUANTITIES[1:]

        def answering(asked: Asked, name: str, values: Floats) -> Floats:
            if name not in only:
                return values
            R = _rotation(asked, kind)
            return R @ values if name == "contact_jacobians" else np.einsum("npij,npj->npi", R, values)

        return Fault(f"points in {kind} axes ({len(only)} quantities)", (rf"axes/{kind}(:.*)?",), answering=answering)

    return draw


def _rotation(asked: Asked, kind: str) -> Floats:
    frames = motions(asked.spec, asked.read)
    links = carriers(asked.spec)
    if kind == "base":
        return np.stack([frames[_root(asked.spec, link)].R for link in links], axis=1).swapaxes(2, 3)
    R = np.stack([frames[link].R for link in links], axis=1).swapaxes(2, 3)
    return R @ R if kind == "transposed-rotation" else R


def positions_from_base(rng: Rng, setting: Setting) -> Fault:
    """Positions of points counted from the base, in the world's axes or in its own."""
    _points(setting.spec)
    own_axes = rng.random() < 0.5

    def answering(asked: Asked, name: str, values: Floats) -> Floats:
        if name != "contact_positions":
            return values
        frames = motions(asked.spec, asked.read)
        roots = [_root(asked.spec, link) for link in carriers(asked.spec)]
        away = values - np.stack([frames[root].p for root in roots], axis=1)
        R = np.stack([frames[root].R for root in roots], axis=1)
        return np.asarray(np.einsum("npji,npj->npi", R, away)) if own_axes else away

    return Fault("positions from the base", (f"points/from-base{':its-axes' if own_axes else ''}",), answering=answering)


def spatial_acceleration(_rng: Rng, setting: Setting) -> Fault:
    """Jdot v of the points as a spatial acceleration: w x pdot is missing."""
    _points(setting.spec)

    def answering(asked: Asked, name: str, values: Floats) -> Floats:
        if name != "contact_bias_accelerations":
            return values
        frames = motions(asked.spec, asked.read)
        w = np.stack([frames[link].w for link in carriers(asked.spec)], axis=1)
        return values - np.cross(w, asked.own("contact_velocities"))

    return Fault("spatial acceleration", ("acceleration/spatial",), answering=answering)


def gravity_in_acceleration(rng: Rng, setting: Setting) -> Fault:
    """Gravity added to, or taken off, Jdot v of the points."""
    _points(setting.spec)
    sign = 1.0 if rng.random() < 0.5 else -1.0

    def answering(asked: Asked, name: str, values: Floats) -> Floats:
        return values + sign * np.array(asked.spec.gravity) if name == "contact_bias_accelerations" else values

    what = "added" if sign > 0.0 else "taken-off"
    return Fault(f"gravity {what} to Jdot v", (f"acceleration/gravity-{what}",), answering=answering)


def linear_first(_rng: Rng, setting: Setting) -> Fault:
    """The base's rows of forces and matrices linear before angular, in body axes."""
    order = np.arange(setting.spec.nv)
    for slot in of_type(setting.spec, JointType.FREE):
        order[slot.v] = slot.v.start + np.array([3, 4, 5, 0, 1, 2])
    if np.array_equal(order, np.arange(setting.spec.nv)):
        raise NotHereError("no base")
    axes = {"mass_matrix": (1, 2), "contact_jacobians": (3,)} | dict.fromkeys((*FORCES, "forward_dynamics"), (1,))

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        for axis in axes.get(name, ()):
            values = np.take(values, order, axis=axis)
        return values

    return Fault("rows linear before angular", (r"order/rows(:.*)?", "base-velocity/answers:v_B-w_B"), answering=answering)


def points_in_another_order(rng: Rng, setting: Setting) -> Fault:
    """The contact points in another order."""
    n = len(carriers(setting.spec))
    if n < 3:
        raise NotHereError("too few points")
    order = np.arange(n)[::-1] if rng.random() < 0.3 else rng.permutation(n)

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        if name == "contact_inertia":
            rows = (3 * order[:, None] + np.arange(3)).ravel()
            return values[:, rows][:, :, rows]
        return values[:, order] if name in POINT_QUANTITIES else values

    return Fault("points in another order", (r"order/points(:.*)?",), answering=answering)


def factor(rng: Rng, _at: Setting) -> Fault:
    """One quantity times a factor: a half forgotten, a sign, one half too many."""
    quantity = choice(
        rng, ("kinetic_energy", "potential_energy", "gravity_force", "coriolis_force", "contact_bias_accelerations")
    )
    by = choice(rng, (2.0, 0.5, -1.0))

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        return by * values if name == quantity else values

    return Fault(f"{quantity} times {by:g}", (f"factor/{quantity}",), answering=answering)


def energy_from_elsewhere(rng: Rng, _at: Setting) -> Fault:
    """The potential energy counted from another height."""
    by = float(rng.uniform(1.0, 50.0))

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        return values + by if name == "potential_energy" else values

    return Fault(f"potential energy {by:+.3g} J", ("energy/zero",), answering=answering)


def torques_in_n_mm(_rng: Rng, setting: Setting) -> Fault:
    """Torques of the answers in N mm; forces of slides and of the base in N."""
    factors = np.ones(setting.spec.nv)
    for slot in slots(setting.spec):
        if slot.body.joint.type in (JointType.REVOLUTE, JointType.BALL):
            factors[slot.v] = 1e3
        if slot.body.joint.type is JointType.FREE:
            factors[slot.v.start : slot.v.start + 3] = 1e3

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        return values * factors if name in FORCES else values

    return Fault("torques in N mm", ("unit/torque-N-mm",), answering=answering)


def not_finite(rng: Rng, _at: Setting) -> Fault:
    """Some numbers of one quantity are not a number."""
    quantity, share = choice(rng, ("mass_matrix", "bias_force", "forward_dynamics")), 0.1
    seed = int(rng.integers(2**31))

    def answering(asked: Asked, name: str, values: Floats) -> Floats:
        if name != quantity:
            return values
        holes = np.array([np.random.default_rng([seed, int(i)]).random() < share for i in asked.given.index])
        values[holes] = np.nan
        return values

    return Fault(f"{quantity} not finite", ("engine/not-finite",), answering=answering)


def noise(rng: Rng, _at: Setting) -> Fault:
    """Every number of every answer off by up to 1 to 30 units in the last place: no fault."""
    units, seed = int(rng.integers(1, 31)), int(rng.integers(2**31))

    def answering(asked: Asked, name: str, values: Floats) -> Floats:
        for row, index in zip(values.reshape(len(values), -1), asked.given.index, strict=True):
            draw = np.random.default_rng([seed, int(index), len(name)])
            row += np.spacing(row) * np.rint(draw.uniform(-units, units, row.shape))
        return values

    return Fault(f"noise of {units} ulp", (), answering=answering)


def _points(spec: RobotSpec) -> None:
    if not carriers(spec):
        raise NotHereError("no contact points")


def _root(spec: RobotSpec, link: str) -> str:
    body = spec.bodies[spec.body_index(link)]
    while body.parent != WORLD:
        body = spec.bodies[spec.body_index(body.parent)]
    return body.name
