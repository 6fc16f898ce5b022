"""Frames in another reference frame, order or at another point; one link, one column, one term wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import carriers, of_type
from leapcheck_evidence.score.planting.own_whole_body import WholeBody, dot, tilde
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.whole_body_fault import always, fault, link_number, moved_link, of_floating
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, JointType

PLACEMENTS, VELOCITIES, JACOBIANS = "frame_placements", "frame_velocities", "frame_jacobians"
RATES, ACCELERATIONS = "frame_jacobian_rates", "frame_bias_accelerations"
MOVING = (VELOCITIES, JACOBIANS, RATES, ACCELERATIONS)
FRAMES = (PLACEMENTS, *MOVING)

ORDER = [3, 4, 5, 0, 1, 2]


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for name, at in SEEN_FROM.items():
        yield f"{name}, all", always(f"{name} frame", [f"frame/{name}"], MOVING, at), 1
        yield (
            f"{name}, all, linear first",
            always(f"{name} frame, linear first", [f"frame/{name}[+]linear-first"], MOVING, _then(at)),
            1,
        )
        for quantity in MOVING:
            names = [f"frame/{name}:{quantity}"]
            yield f"{name} {quantity}", always(f"{name} frame", names, (quantity,), at), 1
    for quantities in (MOVING, *((quantity,) for quantity in MOVING)):
        names = ["frame/linear-first" + ("" if quantities == MOVING else f":{quantities[0]}")]
        yield "linear first", always("linear first", names, quantities, lambda _body, _name, values: _rolled(values)), 1
    yield "spatial acceleration", always("spatial acceleration", ["frame/spatial"], (ACCELERATIONS,), _spatial), 1
    yield "rates of spatial velocity", always("rate of spatial velocity", ["frame/spatial-rates"], (RATES,), _spatial_rates), 1
    yield "turned rates", always("rates turned into the frame", ["frame/turned-rates"], (RATES,), _turned), 1
    yield (
        "local, spatial acceleration",
        always("local frame with spatial accelerations", ["frame/local-spatial"], MOVING, _local_spatial),
        2,
    )
    yield "com of the tree", always("at the com of all", ["frame/tree-com.*"], MOVING, _at_tree_com), 1
    for quantity in (VELOCITIES, JACOBIANS):
        yield "com of the tree", always("at the com of all", [f"frame/tree-com:{quantity}"], (quantity,), _at_tree_com), 1
    yield "placement R transposed", always("R transposed", ["frame/transposed-rotation"], (PLACEMENTS,), _transposed), 1
    yield "placement inverse", always("world in frame", ["frame/inverse-placement"], (PLACEMENTS,), _inverse), 1
    yield "placement at com", always("at the com", ["frame/placement-at-com"], (PLACEMENTS,), _placed_at_com), 1
    yield "placement in base", of_floating(always("in the base", ["frame/placement-in-base"], (PLACEMENTS,), _in_base)), 1
    yield "gravity in accelerations", _gravity, 1
    yield "no centripetal term", always("no w x (w x r)", ["frame/no-centripetal-term"], (ACCELERATIONS,), _no_centripetal), 1
    for quantity in MOVING:
        yield (
            f"sign of {quantity}",
            always("opposite sign", [f"factor/{quantity}"], (quantity,), lambda _b, _n, values: -values),
            1,
        )
    yield "joint's column", _column_sign(JACOBIANS), 1
    yield "joint's column", _column_sign(RATES), 1
    yield "joint's column zero", _column_zero(JACOBIANS), 1
    yield "base's columns zero", of_floating(_base_columns_zero), 1
    for quantity in (PLACEMENTS, VELOCITIES, JACOBIANS, ACCELERATIONS):
        yield f"link's frame for another: {quantity}", _parent_for_link(quantity), 1
    yield "points at their links' origins", _points_at_links, 1
    yield "angular rows zero", always("angular rows zero", [f"zero/{JACOBIANS}"], (JACOBIANS,), _no_angular), 1
    yield "parent's turn left out", _without_turn, 1


def _then(change: Callable[[WholeBody, str, Floats], Floats]) -> Callable[[WholeBody, str, Floats], Floats]:
    return lambda body, name, values: _rolled(change(body, name, values))


def _rolled(values: Floats) -> Array:
    return values[:, :, ORDER]


def _stack(body: WholeBody, of: Callable[..., Array]) -> Array:
    return np.stack([of(frame) for frame in body.named_frames()], axis=1)


def _map(body: WholeBody, name: str, values: Floats, X: Floats, Xdot: Floats) -> Array:
    """X V, X J, d(X J)/dt and d(X J)/dt v for maps (n, frames, 6, 6) of [w; v]."""
    match name:
        case "frame_velocities":
            return dot(X, values)
        case "frame_jacobians":
            return X @ values
        case "frame_jacobian_rates":
            return X @ values + Xdot @ body.frame_jacobians()
    return dot(X, values) + dot(Xdot, body.frame_velocities())


def _local(body: WholeBody, name: str, values: Floats) -> Array:
    """R^T both; of accelerations that of the classical ones."""
    turn = np.swapaxes(_stack(body, lambda frame: frame.R), -1, -2)
    X = _diagonal(turn)
    w = _stack(body, lambda frame: frame.w)
    Xdot = _diagonal(-turn @ tilde(w))
    if name == ACCELERATIONS:
        return dot(X, values)
    return _map(body, name, values, X, Xdot)


def _diagonal(R: Floats) -> Array:
    X = np.zeros((*R.shape[:2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = R
    return X


def _world(body: WholeBody, name: str, values: Floats) -> Array:
    """v + p x w."""
    p = _stack(body, lambda frame: frame.p)
    pdot = body.frame_velocities()[..., 3:]
    X, Xdot = (np.zeros((*p.shape[:2], 6, 6)) for _ in range(2))
    X[:] = np.eye(6)
    X[..., 3:, :3], Xdot[..., 3:, :3] = tilde(p), tilde(pdot)
    return _map(body, name, values, X, Xdot)


def _com(body: WholeBody, name: str, values: Floats) -> Array:
    """Velocities and accelerations of each link's com; the points as they are."""
    R, w = _stack(body, lambda frame: frame.R), _stack(body, lambda frame: frame.w)
    r = dot(R, _coms(body, R.shape[1]))
    X, Xdot = (np.zeros((*r.shape[:2], 6, 6)) for _ in range(2))
    X[:] = np.eye(6)
    X[..., 3:, :3], Xdot[..., 3:, :3] = -tilde(r), -tilde(np.cross(w, r))
    return _map(body, name, values, X, Xdot)


def _coms(body: WholeBody, count: int) -> Array:
    links = body.spec.bodies
    coms = np.zeros((count, 3))
    coms[: len(links)] = [link.inertia.com for link in links]
    return coms


SEEN_FROM = {"local": _local, "world": _world, "com": _com}


def _at_tree_com(body: WholeBody, name: str, values: Floats) -> Array:
    """Of the material point of each link that is at the robot's com, in world axes: MuJoCo's cvel and cdof."""
    r = body.com_position()[:, None] - _stack(body, lambda frame: frame.p)
    rdot = body.com_velocity()[:, None] - body.frame_velocities()[..., 3:]
    X, Xdot = (np.zeros((*r.shape[:2], 6, 6)) for _ in range(2))
    X[:] = np.eye(6)
    X[..., 3:, :3], Xdot[..., 3:, :3] = -tilde(r), -tilde(rdot)
    return _map(body, name, values, X, Xdot)


def _spatial(body: WholeBody, _name: str, values: Floats) -> Array:
    V, changed = body.frame_velocities(), values.copy()
    changed[..., 3:] -= np.cross(V[..., :3], V[..., 3:])
    return changed


def _local_spatial(body: WholeBody, name: str, values: Floats) -> Array:
    return _local(body, name, _spatial(body, name, values) if name == ACCELERATIONS else values)


def _spatial_rates(body: WholeBody, _name: str, values: Floats) -> Array:
    changed = values.copy()
    changed[..., 3:, :] -= tilde(_stack(body, lambda frame: frame.w)) @ body.frame_jacobians()[..., 3:, :]
    return changed


def _turned(body: WholeBody, _name: str, values: Floats) -> Array:
    return _diagonal(np.swapaxes(_stack(body, lambda frame: frame.R), -1, -2)) @ values


def _transposed(_body: WholeBody, _name: str, values: Floats) -> Array:
    return np.concatenate([np.swapaxes(values[..., :3], -1, -2), values[..., 3:]], axis=-1)


def _inverse(_body: WholeBody, _name: str, values: Floats) -> Array:
    turn = np.swapaxes(values[..., :3], -1, -2)
    return np.concatenate([turn, -turn @ values[..., 3:]], axis=-1)


def _placed_at_com(body: WholeBody, _name: str, values: Floats) -> Array:
    changed = values.copy()
    changed[..., 3] += dot(values[..., :3], _coms(body, values.shape[1]))
    return changed


def _in_base(body: WholeBody, _name: str, values: Floats) -> Array:
    base = body.frames[of_type(body.spec, JointType.FREE)[0].body.name]
    turn = np.swapaxes(base.R, 1, 2)[:, None]
    return np.concatenate([turn @ values[..., :3], turn @ (values[..., 3:] - base.p[:, None, :, None])], axis=-1)


def _gravity(rng: Rng, _setting: Setting) -> Fault:
    sign = choice(rng, (1.0, -1.0))
    name = "frame/with-gravity" if sign > 0.0 else "frame/lifted"

    def change(body: WholeBody, _name: str, values: Floats) -> Array:
        changed = values.copy()
        changed[..., 3:] += sign * np.array(body.spec.gravity)
        return changed

    return fault(f"gravity {sign:+g} counted in", [name], (ACCELERATIONS,), change)


def _no_centripetal(body: WholeBody, _name: str, values: Floats) -> Array:
    """Points without w x (w x r) from their links."""
    changed = values.copy()
    count = len(carriers(body.spec))
    if not count:
        raise NotHereError("no points")
    links = [link_number(body.spec, name) for name in carriers(body.spec)]
    p = _stack(body, lambda frame: frame.p)
    w, r = _stack(body, lambda frame: frame.w)[:, links], p[:, -count:] - p[:, links]
    changed[:, -count:, 3:] -= np.cross(w, np.cross(w, r))
    return changed


def _joint(rng: Rng, setting: Setting) -> tuple[str, int]:
    slot = choice(rng, of_type(setting.spec, *ONE_DOF))
    return slot.body.joint.name, slot.v.start


def _column_sign(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        joint, column = _joint(rng, setting)

        def change(_body: WholeBody, _name: str, values: Floats) -> Array:
            changed = values.copy()
            changed[..., column] *= -1.0
            return changed

        return fault(f"column of {joint} with the opposite sign", [f"factor/{joint}:{quantity}"], (quantity,), change)

    return draw


def _column_zero(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        joint, column = _joint(rng, setting)

        def change(_body: WholeBody, _name: str, values: Floats) -> Array:
            changed = values.copy()
            changed[..., column] = 0.0
            return changed

        return fault(f"column of {joint} zero", [f"zero/{quantity}"], (quantity,), change)

    return draw


def _base_columns_zero(_rng: Rng, setting: Setting) -> Fault:
    columns = of_type(setting.spec, JointType.FREE)[0].v

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        changed = values.copy()
        changed[..., columns] = 0.0
        return changed

    return fault("columns of the base zero", [f"zero/{JACOBIANS}"], (JACOBIANS,), change)


def _parent_for_link(quantity: str) -> Drawer:
    """One link answers what its parent does."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link = moved_link(rng, setting)
        to, source = link_number(setting.spec, link.name), link_number(setting.spec, link.parent)

        def change(_body: WholeBody, _name: str, values: Floats) -> Array:
            changed = values.copy()
            changed[:, to] = values[:, source]
            return changed

        return fault(f"{link.parent} for {link.name}", [f"frame/{link.parent}-for-{link.name}:{quantity}"], (quantity,), change)

    return draw


def _points_at_links(_rng: Rng, setting: Setting) -> Fault:
    """Jacobians of points at their links' origins."""
    links = [link_number(setting.spec, name) for name in carriers(setting.spec)]
    if not links:
        raise NotHereError("no points")

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        changed = values.copy()
        changed[:, -len(links) :] = values[:, links]
        return changed

    return fault("points at their links' origins", ["frame/points-at-links:frame_jacobians"], (JACOBIANS,), change)


def _no_angular(_body: WholeBody, _name: str, values: Floats) -> Array:
    changed = values.copy()
    changed[:, :, :3] = 0.0
    return changed


def _without_turn(rng: Rng, setting: Setting) -> Fault:
    """The placements of a robot that has one joint's fixed turn left out: a wrong number in one function alone."""
    spec = setting.spec
    turned = [body for body in spec.bodies if any(body.placement.quaternion[1:]) and body.joint.type is not JointType.FREE]
    link = choice(rng, turned)
    straight = replace(link, placement=replace(link.placement, quaternion=(1.0, 0.0, 0.0, 0.0)))
    other = replace(spec, bodies=tuple(straight if body.name == link.name else body for body in spec.bodies))

    def change(body: WholeBody, _name: str, _values: Floats) -> Array:
        if body.spec.bodies != spec.bodies:
            raise NotHereError("another robot")
        return WholeBody(other, body.states).frame_placements()

    names = [f"[a-z-]+/{link.joint.name}.*", f"[a-z-]+/{link.name}.*"]
    return fault(f"turn of {link.joint.name} left out", names, (PLACEMENTS,), change)
