"""Coriolis matrices of another factorisation, inverses of something else, inverse dynamics with a part missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import of_type, slots
from leapcheck_evidence.score.planting.own_dynamics import Frame
from leapcheck_evidence.score.planting.own_whole_body import STEP, MovingBody, WholeBody, dot, tilde
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.whole_body_fault import Change, always, fault, moved_link, of_turning, with_rotors
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, Body

C, CHRISTOFFEL = "coriolis_matrix", "christoffel_matrix"
MINVERSE, OPERATIONAL, INVERSE_DYNAMICS = "minverse", "operational_inertia_inverse", "inverse_dynamics"
MATRICES = ("mass_matrix", "bias_force", "coriolis_force", INVERSE_DYNAMICS, MINVERSE, C, CHRISTOFFEL, OPERATIONAL)


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for quantity in (C, CHRISTOFFEL):
        for label, (name, change) in FACTORISATIONS.items():
            yield label, of_turning(always(label, [name.format(quantity)], (quantity,), change)), 1
    names = [f"coriolis/momentum-cross:{CHRISTOFFEL}"]
    another = of_turning(always("momentum's cross", names, (CHRISTOFFEL,), _momentum_cross))
    yield "another skew factorisation", another, 1
    names = [f"coriolis/newton-euler-at-coms:{CHRISTOFFEL}"]
    at_coms = of_turning(always("w~ I at the coms", names, (CHRISTOFFEL,), _newton_euler_at_coms))
    yield "Newton and Euler's C at the coms", at_coms, 1
    yield "rotors missing in C", of_turning(with_rotors(_without_rotors(CHRISTOFFEL))), 1
    yield (
        "M for its inverse",
        always("M", ["inverse/not-inverted:minverse"], (MINVERSE,), lambda body, _n, _v: body.mass_matrix()),
        1,
    )
    yield "1 / M_ij", always("1 / M_ii", ["inverse/of-diagonal:minverse"], (MINVERSE,), _of_diagonal), 1
    halves: dict[str, Callable[[Floats], Floats]] = {"upper": np.triu, "lower": np.tril}
    for name, triangle_of in halves.items():
        triangle = always(f"{name} triangle", [f"storage/{name}-only:minverse"], (MINVERSE,), _triangle(triangle_of))
        yield f"{name} triangle of the inverse", triangle, 1
    for quantity in (MINVERSE, INVERSE_DYNAMICS):
        yield f"armature missing in {quantity}", _without_armature(quantity), 1
        yield f"rotors missing in {quantity}", with_rotors(_without_rotors(quantity)), 1
    yield "a link's mass missing in M^-1", _without_link(MINVERSE), 1
    yield "a link's mass missing in ID", _without_link(INVERSE_DYNAMICS), 1
    yield "Lambda for its inverse", _with_points("inverted", [f"operational/inverted:{OPERATIONAL}"], _inverted), 1
    order = [f"operational/linear-first:{OPERATIONAL}"]
    yield "operational, linear first", _with_points("linear first", order, _linear_first), 1
    local = [f"operational/local:{OPERATIONAL}"]
    yield "operational, local", _with_points("in the links' axes", local, _local), 1
    at_link = [f"operational/at-link:{OPERATIONAL}"]
    yield "operational, links' origins", _with_points("at the links' origins", at_link, _at_links), 1
    for name, change in PARTS.items():
        yield name, always(name, [f"inverse-dynamics/{name}"], (INVERSE_DYNAMICS,), change), 1
    yield "sign of vdot", always("vdot reversed", ["inverse-dynamics/reversed"], (INVERSE_DYNAMICS,), _reversed), 1
    yield "sign of ID", always("opposite sign", [f"factor/{INVERSE_DYNAMICS}"], (INVERSE_DYNAMICS,), lambda _b, _n, v: -v), 1
    yield "sign of a joint's torque", _torque_sign, 1
    yield "stale M^-1", stale(MINVERSE, ("q",)), 1
    yield "stale ID", stale(INVERSE_DYNAMICS, ("vdot",)), 1


def _bodies(body: WholeBody) -> Iterator[tuple[MovingBody, Array, Array]]:
    """Each body with the rates of Jw and of its com's Jv, in world axes."""
    moved = WholeBody(body.spec, body.step(body.qdot(body.states.v)), np.complex128)
    for part, ahead in zip(body.moving(), moved.moving(), strict=True):
        yield part, ahead.at_com.Jw.imag / STEP, ahead.at_com.Jv.imag / STEP


def _factorised(body: WholeBody, turning: Callable[[MovingBody], Array]) -> Array:
    n, nv = body.states.v.shape
    total = np.zeros((n, nv, nv))
    for part, Jwdot, Jvdot in _bodies(body):
        at = part.at_com
        total += part.mass * np.swapaxes(at.Jv, 1, 2) @ Jvdot
        total += np.swapaxes(at.Jw, 1, 2) @ (part.I @ Jwdot + turning(part) @ at.Jw)
    return total


def _newton_euler_at_coms(body: WholeBody, _name: str, _values: Floats) -> Array:
    return _factorised(body, lambda part: tilde(part.at_com.w) @ part.I)


def _newton_euler(body: WholeBody, _name: str, _values: Floats) -> Array:
    """V x* I in each body's own axes, where Jdot lacks w~ J: I alpha + w x I w, m a + m w x v and a moment v x m v."""
    n, nv = body.states.v.shape
    total = np.zeros((n, nv, nv))
    for part, Jwdot, Jvdot in _bodies(body):
        at, w = part.at_com, tilde(part.at_com.w)
        moment = part.I @ (Jwdot - w @ at.Jw) + w @ part.I @ at.Jw + part.mass * tilde(dot(at.Jv, body.states.v)) @ at.Jv
        force = part.mass * (Jvdot - w @ at.Jv) + part.mass * w @ at.Jv
        total += np.swapaxes(at.Jw, 1, 2) @ moment + np.swapaxes(at.Jv, 1, 2) @ force
    return total


def _no_turning(body: WholeBody, _name: str, _values: Floats) -> Array:
    return _factorised(body, lambda part: 0.0 * part.I)


def _momentum_cross(body: WholeBody, _name: str, _values: Floats) -> Array:
    """B = (I v) xbar* at the coms, in each body's own axes, where Jdot lacks w~ J: C + C^T is Mdot, C is not Christoffel's."""
    n, nv = body.states.v.shape
    total = np.zeros((n, nv, nv))
    for part, Jwdot, Jvdot in _bodies(body):
        at, w = part.at_com, tilde(part.at_com.w)
        momentum = part.mass * tilde(dot(at.Jv, body.states.v))
        total += np.swapaxes(at.Jw, 1, 2) @ (part.I @ (Jwdot - w @ at.Jw) - tilde(dot(part.I, at.w)) @ at.Jw - momentum @ at.Jv)
        total += np.swapaxes(at.Jv, 1, 2) @ (part.mass * (Jvdot - w @ at.Jv) - momentum @ at.Jw)
    return total


def _transposed(_body: WholeBody, _name: str, values: Floats) -> Array:
    return np.swapaxes(values, 1, 2).copy()


def _half_derivative(body: WholeBody, _name: str, _values: Floats) -> Array:
    return 0.5 * body.inverse_dynamics_derivative_v()


def _rate(body: WholeBody, _name: str, _values: Floats) -> Array:
    return body.rate_along_v(lambda moved: moved.mass_matrix())


def _half_rate(body: WholeBody, name: str, values: Floats) -> Array:
    return 0.5 * _rate(body, name, values)


FACTORISATIONS: dict[str, tuple[str, Change]] = {
    "Newton and Euler's C": ("coriolis/newton-euler:{}", _newton_euler),
    "C transposed": ("coriolis/transposed:{}", _transposed),
    "sign of C": ("factor/{}", lambda _body, _name, values: -values),
    "half of dh/dv for C": ("coriolis/half-derivative:{}", _half_derivative),
    "Mdot / 2 for C": ("coriolis/half-rate:{}", _half_rate),
    "Mdot for C": ("coriolis/rate:{}", _rate),
    "no w x I w in C": ("coriolis/no-gyroscopic-term:{}", _no_turning),
}
"""What is answered for C, and the judge's name for it."""


def _without_rotors(quantity: str) -> Drawer:
    def change(body: WholeBody, name: str, _values: Floats) -> Array:
        bodies = tuple(_rotorless(link) for link in body.spec.bodies)
        return WholeBody(replace(body.spec, bodies=bodies), body.states).answer(name)

    return always("rotors left out", ["rotor/left-out", f"rotor/left-out-in-part:{quantity}"], (quantity,), change)


def _rotorless(link: Body) -> Body:
    return replace(link, rotor=None)


def _of_diagonal(body: WholeBody, _name: str, _values: Floats) -> Array:
    M = body.mass_matrix()
    return np.asarray(np.eye(M.shape[1]) / np.diagonal(M, axis1=1, axis2=2)[:, None])


def _triangle(half: Callable[[Floats], Floats]) -> Change:
    return lambda _body, _name, values: half(values)


def _without_armature(quantity: str) -> Drawer:
    def draw(_rng: Rng, setting: Setting) -> Fault:
        armature = np.zeros(setting.spec.nv)
        for slot in slots(setting.spec):
            armature[slot.v] = slot.body.joint.armature
        if not armature.any():
            raise NotHereError("no armature")

        def change(body: WholeBody, _name: str, values: Floats) -> Array:
            if quantity == INVERSE_DYNAMICS:
                return values - armature * body.states.vdot
            return np.linalg.inv(body.mass_matrix() - np.diag(armature))

        names = [r"armature/[a-z-]+(-in-part)?:.*", r"armature/[\w-]+(-in-part)?(:.*)?", r"reading-armature.*"]
        return fault("armature left out", names, (quantity,), change)

    return draw


def _without_link(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        link = moved_link(rng, setting)

        def change(body: WholeBody, _name: str, values: Floats) -> Array:
            place = [b.name for b in body.spec.bodies].index(link.name)
            part = body.moving()[place]
            at = part.at_com
            M = part.mass * np.swapaxes(at.Jv, 1, 2) @ at.Jv + np.swapaxes(at.Jw, 1, 2) @ part.I @ at.Jw
            if quantity == MINVERSE:
                return np.linalg.inv(body.mass_matrix() - M)
            force = part.mass * (at.al - np.array(body.spec.gravity))
            moment = dot(part.I, at.aw) + np.cross(at.w, dot(part.I, at.w))
            own = dot(np.swapaxes(at.Jv, 1, 2), force) + dot(np.swapaxes(at.Jw, 1, 2), moment)
            return np.asarray(values - dot(M, body.states.vdot) - own)

        names = [rf"[a-z-]+/{link.name}(-in-part)?(:.*)?"]
        return fault(f"{link.name} left out", names, (quantity,), change)

    return draw


def _with_points(label: str, names: list[str], change: Change) -> Drawer:
    def draw(_rng: Rng, setting: Setting) -> Fault:
        if not any(point.computed for point in setting.spec.contact_points):
            raise NotHereError("no points")
        return fault(label, names, (OPERATIONAL,), change)

    return draw


def _inverted(_body: WholeBody, _name: str, values: Floats) -> Array:
    if np.linalg.cond(values).max(initial=0.0) > 1e9:
        raise NotHereError("singular")
    return np.linalg.inv(values)


ORDER = [3, 4, 5, 0, 1, 2]


def _linear_first(_body: WholeBody, _name: str, values: Floats) -> Array:
    return values[:, :, ORDER][:, :, :, ORDER]


def _point_frames(body: WholeBody) -> list[Frame]:
    return body.named_frames()[len(body.spec.bodies) :]


def _local(body: WholeBody, _name: str, values: Floats) -> Array:
    X = np.zeros_like(values)
    for i, frame in enumerate(_point_frames(body)):
        X[:, i, :3, :3] = X[:, i, 3:, 3:] = np.swapaxes(frame.R, 1, 2)
    return X @ values @ np.swapaxes(X, -1, -2)


def _at_links(body: WholeBody, _name: str, values: Floats) -> Array:
    X = np.zeros_like(values) + np.eye(6)
    points = [point for point in body.spec.contact_points if point.computed]
    for i, (point, frame) in enumerate(zip(points, _point_frames(body), strict=True)):
        X[:, i, 3:, :3] = tilde(frame.p - body.frames[point.body].p)
    return X @ values @ np.swapaxes(X, -1, -2)


def _reversed(body: WholeBody, _name: str, values: Floats) -> Array:
    return values - 2.0 * dot(body.mass_matrix(), body.states.vdot)


PARTS: dict[str, Change] = {
    "no-acceleration": lambda body, _name, _values: body.bias_force(),
    "no-bias": lambda body, _name, values: values - body.bias_force(),
    "no-gravity": lambda body, _name, values: values - body.gravity_force(),
    "no-coriolis": lambda body, _name, values: values - body.coriolis_force(),
}


def _torque_sign(rng: Rng, setting: Setting) -> Fault:
    slot = choice(rng, of_type(setting.spec, *ONE_DOF))

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        changed = values.copy()
        changed[:, slot.v] *= -1.0
        return changed

    names = [f"factor/{slot.body.joint.name}:{INVERSE_DYNAMICS}"]
    return fault(f"torque of {slot.body.joint.name} with the opposite sign", names, (INVERSE_DYNAMICS,), change)


def stale(quantity: str, parts: tuple[str, ...]) -> Drawer:
    """Parts of the state are those of the call before in the same block; the first call keeps its own."""

    def draw(_rng: Rng, _setting: Setting) -> Fault:
        last: dict[str, Floats] = {}

        def change(body: WholeBody, name: str, _values: Floats) -> Array:
            states = body.states
            for part in parts:
                now = getattr(states, part)
                before = last.get(part, now[:1])
                first = before if before.shape == now[:1].shape else now[:1]
                last[part] = now[-1:].copy()
                states = replace(states, **{part: np.concatenate([first, now[:-1]])})  # type: ignore[arg-type]
            return WholeBody(body.spec, states).answer(name)

        return fault(f"stale {', '.join(parts)}", [r"calls/stale/\w+/1"], (quantity,), change)

    return draw
