"""The centre of mass and the momentum about it: other point, axes or order; bodies, rotors and terms left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import of_type
from leapcheck_evidence.score.planting.own_dynamics import Frame
from leapcheck_evidence.score.planting.own_whole_body import MovingBody, WholeBody, dot, tilde
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.whole_body_fault import always, fault, moved_link, of_floating, with_rotors
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, JointType

COM = ("com_position", "com_velocity", "com_jacobian", "com_bias_acceleration")
MOMENTUM, MATRIX, RATE, INERTIA = (
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate",
    "centroidal_inertia",
)
SIX = (MOMENTUM, MATRIX, RATE, INERTIA)
CENTROIDAL = (*COM, *SIX)

ORDER = [3, 4, 5, 0, 1, 2]

Arm = Callable[[WholeBody], Floats]


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for quantities in (SIX, (MOMENTUM,), (MATRIX,), (INERTIA,)):
        suffix = "" if quantities == SIX else f":{quantities[0]}"
        yield "linear first", always("linear first", [f"momentum/linear-first{suffix}"], quantities, _linear_first), 1
        yield "about the origin", always("about the origin", [f"momentum/about-origin{suffix}"], quantities, _about_origin), 1
        about_base = always("about the base", [f"momentum/about-base{suffix}"], quantities, _about_base)
        yield "about the base", of_floating(about_base), 1
        in_base = always("in the base's axes", [f"momentum/base-axes{suffix}"], quantities, _in_base)
        yield "in the base's axes", of_floating(in_base), 1
    both = always("about the origin, linear first", ["momentum/about-origin[+]linear-first"], SIX, _origin_linear_first)
    yield "about the origin, linear first", both, 1
    for quantities in (COM, COM[:1], COM[2:3]):
        suffix = "" if quantities == COM else f":{quantities[0]}"
        yield "com in the base's axes", of_floating(always("base axes", [f"com/base-axes{suffix}"], quantities, _com_in_base)), 1
    yield "com from the base", of_floating(always("from the base", ["com/from-base"], COM[:1], _com_from_base)), 1
    yield "com in the base", of_floating(always("in the base", ["com/in-base"], COM[:1], _com_of_base)), 1
    for quantity in (COM[3], RATE):
        yield f"gravity in {quantity}", _gravity(quantity), 1
    yield "rotors left out", with_rotors(_without_rotors(SIX)), 1
    yield "rotors left out", with_rotors(_without_rotors(COM)), 1
    for quantity in (MATRIX, "com_jacobian"):
        yield "rotors left out", with_rotors(_without_rotors((quantity,))), 1
    yield "rotors do not turn", with_rotors(_rotors_still), 1
    for quantity in ("com_position", "com_jacobian", MATRIX, INERTIA):
        yield f"a link left out of {quantity}", _without_link(quantity), 1
    for quantity in ("com_position", "com_velocity", "com_jacobian"):
        yield f"coms at links' origins in {quantity}", _at_origins(quantity), 1
    yield "com jacobian times mass", always("times the mass", ["factor/com_jacobian"], COM[2:3], _times_mass), 1
    yield "com velocity times mass", always("times the mass", ["factor/com_velocity"], COM[1:2], _times_mass), 1
    for quantity in (MOMENTUM, RATE, "com_velocity", "com_bias_acceleration"):
        factor = always("opposite sign", [f"factor/{quantity}"], (quantity,), lambda _body, _name, values: -values)
        yield f"sign of {quantity}", factor, 1
    for quantity in (MATRIX, MOMENTUM, INERTIA):
        yield (
            f"point masses in {quantity}",
            always("point masses", [f"momentum/point-masses:{quantity}"], (quantity,), _points),
            1,
        )
        yield f"spin alone in {quantity}", always("spin alone", [f"momentum/spin-alone:{quantity}"], (quantity,), _spin), 1
    yield "no gyroscopic term", always("w x I w missing", [f"momentum/no-gyroscopic-term:{RATE}"], (RATE,), _no_gyroscopic), 1
    yield "column of A", _column_zero(MATRIX), 1
    yield "com's column", _column_zero("com_jacobian"), 1


def _linear_first(_body: WholeBody, name: str, values: Floats) -> Array:
    return values[:, ORDER][:, :, ORDER] if name == INERTIA else values[:, ORDER]


def _about(arm: Arm, body: WholeBody, name: str, values: Floats) -> Array:
    """n + arm x f in each row; of the inertia X I X^T."""
    X = np.zeros((len(values), 6, 6)) + np.eye(6)
    X[:, :3, 3:] = tilde(arm(body))
    if name == INERTIA:
        return X @ values @ np.swapaxes(X, 1, 2)
    return X @ values if name == MATRIX else dot(X, values)


def _about_origin(body: WholeBody, name: str, values: Floats) -> Array:
    return _about(lambda body: body.com_position(), body, name, values)


def _about_base(body: WholeBody, name: str, values: Floats) -> Array:
    return _about(lambda body: body.com_position() - _base(body).p, body, name, values)


def _origin_linear_first(body: WholeBody, name: str, values: Floats) -> Array:
    return _linear_first(body, name, _about_origin(body, name, values))


def _in_base(body: WholeBody, name: str, values: Floats) -> Array:
    X = np.zeros((len(values), 6, 6))
    X[:, :3, :3] = X[:, 3:, 3:] = np.swapaxes(_base(body).R, 1, 2)
    if name == INERTIA:
        return X @ values @ np.swapaxes(X, 1, 2)
    return X @ values if name == MATRIX else dot(X, values)


def _base(body: WholeBody) -> Frame:
    return body.frames[of_type(body.spec, JointType.FREE)[0].body.name]


def _com_in_base(body: WholeBody, name: str, values: Floats) -> Array:
    turn = np.swapaxes(_base(body).R, 1, 2)
    return turn @ values if name == "com_jacobian" else dot(turn, values)


def _com_from_base(body: WholeBody, _name: str, values: Floats) -> Array:
    return values - _base(body).p


def _com_of_base(body: WholeBody, name: str, values: Floats) -> Array:
    return _com_in_base(body, name, _com_from_base(body, name, values))


def _gravity(quantity: str) -> Drawer:
    def draw(rng: Rng, _setting: Setting) -> Fault:
        sign = choice(rng, (1.0, -1.0))
        name = "with-gravity" if sign > 0.0 else "lifted"

        def change(body: WholeBody, _name: str, values: Floats) -> Array:
            g = sign * np.array(body.spec.gravity)
            changed = values.copy()
            changed[:, -3:] += g if quantity == COM[3] else body.mass() * g
            return changed

        return fault(f"gravity {sign:+g} counted in", [f"com/{name}:{quantity}"], (quantity,), change)

    return draw


class Fewer(WholeBody):
    """Without some of the bodies, or with them as points or without their own places."""

    def __init__(self, body: WholeBody, keep: Callable[[int], bool]) -> None:
        super().__init__(body.spec, body.states)
        self._keep = keep

    def moving(self) -> list[MovingBody]:
        """The bodies that count."""
        return [part for i, part in enumerate(super().moving()) if self._keep(i)]


def _without_rotors(quantities: tuple[str, ...]) -> Drawer:
    def change(body: WholeBody, name: str, _values: Floats) -> Array:
        links = len(body.spec.bodies)
        return Fewer(body, lambda i: i < links).answer(name)

    names = ["rotor/left-out", f"rotor/left-out-in-part:({'|'.join(quantities)}|[+])+"]
    return always("rotors left out", names, quantities, change)


def _rotors_still(_rng: Rng, setting: Setting) -> Fault:
    """The rotors ride on their links' parents and do not turn, in the momentum and its matrix."""
    bodies = tuple(
        replace(link, rotor=replace(link.rotor, gear_ratio=0.0)) if link.rotor else link for link in setting.spec.bodies
    )
    still = replace(setting.spec, bodies=bodies)

    def change(body: WholeBody, name: str, _values: Floats) -> Array:
        if body.spec is not setting.spec:
            raise NotHereError("another robot")
        return WholeBody(still, body.states).answer(name)

    names = ["rotor/not-turning", f"rotor/not-turning-in-part:({MATRIX}|{MOMENTUM}|[+])+"]
    return fault("rotors do not turn", names, (MOMENTUM, MATRIX), change)


def _without_link(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        link = moved_link(rng, setting)

        def change(body: WholeBody, name: str, _values: Floats) -> Array:
            place = [b.name for b in body.spec.bodies].index(link.name)
            return Fewer(body, lambda i: i != place).answer(name)

        names = [f"[a-z-]+/{link.name}(-in-part)?(:.*)?"]
        return fault(f"{link.name} left out", names, (quantity,), change)

    return draw


def _at_origins(quantity: str) -> Drawer:
    """The coms of all links at their origins."""

    def change(body: WholeBody, name: str, _values: Floats) -> Array:
        of: dict[str, Callable[[Frame], Array]] = {
            "com_position": lambda frame: frame.p,
            "com_velocity": lambda frame: dot(frame.Jv, body.states.v),
            "com_jacobian": lambda frame: frame.Jv,
        }
        links = len(body.spec.bodies)
        frames = [part.frame if i < links else part.at_com for i, part in enumerate(body.moving())]
        total: Array = np.sum([part.mass * of[name](at) for part, at in zip(body.moving(), frames, strict=True)], axis=0)
        return total / body.mass()

    return always(
        "coms at origins",
        [r"(reading-)?inertia-com-left-out/.*:.*"],
        (quantity,),
        change,
    )


def _times_mass(body: WholeBody, _name: str, values: Floats) -> Array:
    return body.mass() * values


def _points(body: WholeBody, name: str, values: Floats) -> Array:
    """Without the inertias about the coms."""
    return values - _spins(body, name, values)


def _spins(body: WholeBody, name: str, values: Floats) -> Array:
    spins = np.zeros_like(values)
    for part in body.moving():
        if name == INERTIA:
            spins[:, :3, :3] += part.I
        elif name == MATRIX:
            spins[:, :3] += part.I @ part.at_com.Jw
        else:
            spins[:, :3] += dot(part.I, part.at_com.w)
    return spins


def _spin(body: WholeBody, name: str, values: Floats) -> Array:
    """The moment without that of the linear momenta."""
    spins = _spins(body, name, values)
    changed = values.copy()
    if name == INERTIA:
        changed[:, :3, :3] = spins[:, :3, :3]
    else:
        changed[:, :3] = spins[:, :3]
    return changed


def _no_gyroscopic(body: WholeBody, _name: str, values: Floats) -> Array:
    changed = values.copy()
    for part in body.moving():
        changed[:, :3] -= np.cross(part.at_com.w, dot(part.I, part.at_com.w))
    return changed


def _column_zero(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        slot = choice(rng, of_type(setting.spec, *ONE_DOF))

        def change(_body: WholeBody, _name: str, values: Floats) -> Array:
            changed = values.copy()
            changed[..., slot.v.start] = 0.0
            return changed

        return fault(f"column of {slot.body.joint.name} zero", [f"zero/{quantity}"], (quantity,), change)

    return draw
