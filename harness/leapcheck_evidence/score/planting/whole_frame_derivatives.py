"""Derivatives of frames' motion of something else: in other axes, at another point, spatial, in another order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer
from leapcheck_evidence.score.planting.own_whole_body import WholeBody, dot
from leapcheck_evidence.score.planting.whole_body_fault import Change, always
from leapcheck_models.arrays import Array, Floats

VELOCITY, ACCELERATION, BY_V = (
    "frame_velocity_derivative_q",
    "frame_acceleration_derivative_q",
    "frame_acceleration_derivative_v",
)
FRAME_DERIVATIVES = (VELOCITY, ACCELERATION, BY_V)


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for name, change in FORMS.items():
        yield f"{name}, all", always(name, [f"frame-derivative/{name}"], FRAME_DERIVATIVES, change), 1
    for quantity in FRAME_DERIVATIVES:
        names = [f"frame-derivative/linear-first:{quantity}"]
        yield f"linear first {quantity}", always("linear first", names, (quantity,), _linear_first), 1
        names = [f"frame-derivative/sign:{quantity}", f"factor/{quantity}"]
        yield f"sign of {quantity}", always("opposite sign", names, (quantity,), lambda _body, _name, values: -values), 1
    for name in ("local", "world"):
        names = [f"frame-derivative/{name}:{VELOCITY}"]
        yield f"{name} {VELOCITY}", always(name, names, (VELOCITY,), FORMS[name]), 1
    names = [f"frame-derivative/spatial:{ACCELERATION}"]
    yield f"spatial {ACCELERATION}", always("spatial", names, (ACCELERATION,), FORMS["spatial"]), 1


def _derivative_of(motion: Callable[[WholeBody, Array], Array]) -> Change:
    """Of what is made of [w; v] or of [alpha; a] of the frames."""

    def change(body: WholeBody, name: str, _values: Floats) -> Array:
        def answer(moved: WholeBody) -> Array:
            return motion(moved, moved.frame_velocities() if name == VELOCITY else moved.frame_accelerations())

        return body.by_v(answer) if name == BY_V else body.by_q(answer)

    return change


def _placements(body: WholeBody) -> tuple[Array, Array]:
    placements = body.frame_placements()
    return np.swapaxes(placements[..., :3], -1, -2), placements[..., 3]


def _local(body: WholeBody, motion: Array) -> Array:
    turn, _ = _placements(body)
    return np.concatenate([dot(turn, motion[..., :3]), dot(turn, motion[..., 3:])], axis=-1)


def _spatial(body: WholeBody, motion: Array) -> Array:
    """a - w x v; velocities as they are."""
    V = body.frame_velocities()
    if motion is V or np.array_equal(motion, V):
        return motion
    return np.concatenate([motion[..., :3], motion[..., 3:] - np.cross(V[..., :3], V[..., 3:])], axis=-1)


def _world(body: WholeBody, motion: Array) -> Array:
    """Spatial, v + p x w."""
    _, p = _placements(body)
    spatial = _spatial(body, motion)
    return np.concatenate([spatial[..., :3], spatial[..., 3:] + np.cross(p, spatial[..., :3])], axis=-1)


def _local_spatial(body: WholeBody, motion: Array) -> Array:
    return _local(body, _spatial(body, motion))


def _linear_first(_body: WholeBody, _name: str, values: Floats) -> Array:
    return np.roll(values, 3, axis=2)


FORMS: dict[str, Change] = {
    "local": _derivative_of(_local),
    "local-spatial": _derivative_of(_local_spatial),
    "world": _derivative_of(_world),
    "spatial": _derivative_of(_spatial),
    "linear-first": _linear_first,
}
