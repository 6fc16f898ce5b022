"""Inverse dynamics with contact forces of another sign, in other axes, at other places, or at other points."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Fault, Rng, Setting
from leapcheck_evidence.score.planting.own_dynamics import Frame
from leapcheck_evidence.score.planting.own_whole_body import WholeBody
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.whole_body_fault import Change, fault
from leapcheck_evidence.score.planting.whole_matrices import stale
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ContactPoint

CONTACTS = "inverse_dynamics_with_contacts"
ASKED = ("mass_matrix", "bias_force", "contact_jacobians", "inverse_dynamics", CONTACTS)


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for label, (name, force) in FORCES.items():
        yield label, _with_points(label, [name], _of_forces(force)), 1
    for label, (name, place) in PLACES.items():
        yield label, _with_points(label, [name], _of_places(place)), 1
    yield "forces of two points exchanged", _exchanged, 2
    yield "force of one point missing", _one_missing, 2
    for name, part in PARTS.items():
        yield f"{name}, contacts", _with_points(name, [f"inverse-dynamics/{name}:contacts"], part), 1
    yield "stale contact forces", _with_forces(stale(CONTACTS, ("contact_forces",))), 1


def _points(setting: Setting) -> list[ContactPoint]:
    """The computed contact points, on robots that have some."""
    points = [point for point in setting.spec.contact_points if point.computed]
    if not points:
        raise NotHereError("no points")
    return points


def _with_forces(drawer: Drawer) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        _points(setting)
        return drawer(rng, setting)

    return draw


def _with_points(label: str, names: list[str], change: Change) -> Drawer:
    return _with_forces(lambda _rng, _setting: fault(label, names, (CONTACTS,), change))


def _carriers(body: WholeBody) -> list[tuple[ContactPoint, Frame]]:
    """Each computed point with the frame of its link."""
    return [(point, body.frames[point.body]) for point in body.spec.contact_points if point.computed]


def _without(body: WholeBody, values: Floats) -> Array:
    """Inverse dynamics without the forces."""
    return values + _pushed(body.contact_jacobians(), body.contact_forces())


def _pushed(J: Array, forces: Array) -> Array:
    return np.asarray(sum(np.swapaxes(J[:, i], 1, 2) @ forces[:, i, :, None] for i in range(J.shape[1])))[..., 0]


def _of_forces(force: Callable[[WholeBody, Array], Array]) -> Change:
    """Forces (n, points, 3) read as others."""

    def change(body: WholeBody, _name: str, values: Floats) -> Array:
        return _without(body, values) - _pushed(body.contact_jacobians(), force(body, body.contact_forces()))

    return change


def _of_places(place: Callable[[ContactPoint, Frame, WholeBody], Array]) -> Change:
    """Forces that act so far from the origins of their links, world axes (n, 3)."""

    def change(body: WholeBody, _name: str, values: Floats) -> Array:
        J = [frame.shift(place(point, frame, body), frame.R).Jv for point, frame in _carriers(body)]
        return _without(body, values) - _pushed(np.stack(J, axis=1), body.contact_forces())

    return change


def _turned(body: WholeBody, forces: Array, times: int) -> Array:
    R = np.stack([frame.R for _, frame in _carriers(body)], axis=1)
    for _ in range(times):
        forces = (R @ forces[..., None])[..., 0]
    return forces


def _com(point: ContactPoint, frame: Frame, body: WholeBody) -> Array:
    link = next(link for link in body.spec.bodies if link.name == point.body)
    return np.asarray(frame.R @ np.array(link.inertia.com))


FORCES: dict[str, tuple[str, Callable[[WholeBody, Array], Array]]] = {
    "sign of contact forces": ("contact-forces/sign", lambda _body, forces: -forces),
    "contact forces missing": ("contact-forces/left-out", lambda _body, forces: 0.0 * forces),
    "contact forces in link axes": ("contact-forces/link", lambda body, forces: _turned(body, forces, 1)),
    "contact forces turned the wrong way": ("contact-forces/transposed-rotation", lambda body, forces: _turned(body, forces, 2)),
}
"""The judge's name, and what is taken for the forces."""

PLACES: dict[str, tuple[str, Callable[[ContactPoint, Frame, WholeBody], Array]]] = {
    "moment of contact forces missing": ("contact-forces/at-origin", lambda _point, frame, _body: 0.0 * frame.p),
    "contact forces at the links' coms": ("contact-forces/at-com", _com),
    "arm of contact forces not turned": (
        "contact-forces/unrotated-arm",
        lambda point, frame, _body: 0.0 * frame.p + np.array(point.position),
    ),
}
"""The judge's name, and where they act."""

PARTS: dict[str, Change] = {
    "no-gravity": lambda body, _name, values: values - body.gravity_force(),
    "no-acceleration": lambda body, _name, values: values - (body.mass_matrix() @ body.vdot[..., None])[..., 0],
}


def _exchanged(rng: Rng, setting: Setting) -> Fault:
    points = _points(setting)
    if len(points) < 2:
        raise NotHereError("one point")
    i, j = sorted(int(k) for k in rng.choice(len(points), 2, replace=False))
    order = list(range(len(points)))
    order[i], order[j] = j, i
    names = [f"contact-forces/exchanged:{points[i].name},{points[j].name}"]
    return fault("forces of two points exchanged", names, (CONTACTS,), _of_forces(lambda _body, forces: forces[:, order]))


def _one_missing(rng: Rng, setting: Setting) -> Fault:
    points = _points(setting)
    i = int(rng.integers(len(points)))
    counted = np.array([[float(k != i)] for k in range(len(points))])
    names = [f"contact-forces/left-out:{points[i].name}", *(["contact-forces/left-out"] if len(points) == 1 else [])]
    change = _of_forces(lambda _body, forces: forces * counted)
    return fault(f"force at {points[i].name} missing", names, (CONTACTS,), change)
