"""The centre of mass and the momentum about it in another convention: order, reference point, axes, gravity counted in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.coordinates.conventions import rotation_matrices, transpose
from leapcheck.coordinates.frame_maps import both_parts, skew_matrices
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.dictionary.frames import GRAVITY
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import along, free_joints
from leapcheck.judge.robot_rows import value
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES, Axis
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.kinematics import frames, velocities
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import RigidInertia
from leapcheck_reference.tree import Tree

SIX = tuple(name for name, row in QUANTITIES.items() if row.axes and Axis.WRENCH in row.axes)
"""Quantities with rows [moment; force]."""

COM = ("com_position", "com_velocity", "com_jacobian", "com_bias_acceleration")

RATES = ("com_bias_acceleration", "centroidal_momentum_rate")

LINEAR_FIRST: Floats = np.roll(np.eye(6), 3, axis=0)

Turn = Callable[[AnswerView], Floats]

POINTS_AND_AXES: dict[str, tuple[str, Turn]] = {
    "about-origin": (
        "about the world's origin instead of the centre of mass",
        lambda view: _about(view.value("com_position")),
    ),
    "about-base": (
        "about the base frame's origin instead of the centre of mass",
        lambda view: _about(view.value("com_position") - _base_position(view)),
    ),
    "base-axes": ("in the base's axes instead of the world's", lambda view: both_parts(transpose(_base_rotation(view)))),
}
"""Name, words, and the map (n, 6, 6) of [moment; force] to what else momentum is taken about or in."""


def momentum_forms(belief: Belief) -> Iterator[Hypothesis]:
    """Momentum about the com, its matrix, rate and inertia, together or one of them, in another order, point or axes."""
    for names in _scopes(belief, SIX):
        for name, words, turn in _six_row_forms(any(free_joints(belief.evidence.spec))):
            cause, edit = f"{_subject(names)}: {words}", partial(_turned, names, turn)
            yield convention(f"momentum/{name}{_suffix(names, SIX, belief)}", cause, answer_edit=edit)


def momentum_parts(belief: Belief) -> Iterator[Hypothesis]:
    """The moment of momentum without spins of the bodies, of these alone, or its rate without w x I w; each quantity alone."""
    for quantity in (name for name in SIX if name in belief.evidence.quantities):
        for name, (words, edit) in PARTS.items():
            if name != "no-gyroscopic-term" or quantity == RATES[1]:
                cause = f"{QUANTITIES[quantity].label}: {words}"
                answer_edit = edit_answers((quantity,), partial(edit, quantity))
                yield convention(f"momentum/{name}:{quantity}", cause, answer_edit=answer_edit)


def _point_masses(quantity: str, view: AnswerView, _values: Floats) -> Floats:
    return value(quantity, _with_points(build(view.spec)), view.read)


def _spin_alone(quantity: str, view: AnswerView, values: Floats) -> Floats:
    of_points, changed = _point_masses(quantity, view, values), values.copy()
    moments = tuple(slice(3) if axis is Axis.WRENCH else slice(None) for axis in QUANTITIES[quantity].axes or ())
    changed[(slice(None), *moments)] -= of_points[(slice(None), *moments)]
    return changed


def _with_points(tree: Tree) -> Tree:
    """The tree with all masses of links and rotors at their coms."""
    links = []
    for link in tree.links:
        rotor = replace(link.rotor, inertia=_point(link.rotor.inertia)) if link.rotor else None
        links.append(replace(link, inertia=_point(link.inertia), rotor=rotor))
    return replace(tree, links=tuple(links))


def _point(inertia: RigidInertia) -> RigidInertia:
    c = skew(inertia.mc / inertia.mass) if inertia.mass else np.zeros((3, 3))
    return replace(inertia, I=-inertia.mass * c @ c)


def _without_gyroscopic(_quantity: str, view: AnswerView, values: Floats) -> Floats:
    moment = evaluate_batch(_gyroscopic_moment, build(view.spec), view.read.q, view.read.v)
    return np.concatenate([values[:, :3] - moment, values[:, 3:]], axis=1)


def _gyroscopic_moment(tree: Tree, q: Floats, v: Floats) -> Floats:
    """Sum over links and rotors of w x I w (3,) about their coms, world axes."""
    poses = frames(tree, q)
    V, _ = velocities(tree, poses, v)
    moment = np.zeros(3)
    for i, link in enumerate(tree.links):
        moment = moment + poses.X_W[i].R @ _turning(link.inertia, V.links[i])
        X_rotor, V_rotor = poses.X_rotor[i], V.rotors[i]
        if link.rotor and X_rotor and V_rotor is not None:
            R = poses.X_W[link.parent].R @ X_rotor.R if link.parent >= 0 else X_rotor.R
            moment = moment + R @ _turning(link.rotor.inertia, V_rotor)
    return moment


def _turning(inertia: RigidInertia, V: Floats) -> Floats:
    c, w = skew(inertia.mc / inertia.mass) if inertia.mass else np.zeros((3, 3)), V[:3]
    return np.cross(w, (inertia.I + inertia.mass * c @ c) @ w)


PARTS: dict[str, tuple[str, Callable[[str, AnswerView, Floats], Floats]]] = {
    "point-masses": ("the bodies count as points: what their own rotational inertias add is missing", _point_masses),
    "spin-alone": ("the moment of the linear momenta about the com is missing: the bodies' own spins alone", _spin_alone),
    "no-gyroscopic-term": ("the sum of w x I w is missing", _without_gyroscopic),
}
"""Name, words and edit of moments that lack a part."""


def _six_row_forms(floats: bool) -> Iterator[tuple[str, str, Turn]]:
    """Name, words and map of each convention, those of a base where there is one."""
    order = "[force; moment] instead of [moment; force]"
    yield "linear-first", order, lambda _view: LINEAR_FIRST
    for name, (words, turn) in POINTS_AND_AXES.items():
        if floats or name == "about-origin":
            yield name, words, turn
            yield f"{name}+linear-first", f"{words}, and {order}", partial(_in_other_order, turn)


def _in_other_order(turn: Turn, view: AnswerView) -> Floats:
    return np.asarray(LINEAR_FIRST @ turn(view))


def com_forms(belief: Belief) -> Iterator[Hypothesis]:
    """The com in the base's axes, or from the base; accelerations at vdot = 0 that hold gravity."""
    if any(free_joints(belief.evidence.spec)):
        yield from _com_of_base(belief)
    if any(belief.evidence.spec.gravity):
        for names in _scopes(belief, RATES):
            for name, (words, count) in GRAVITY.items():
                edit = edit_answers(names, partial(_with_gravity, count))
                yield convention(f"com/{name}{_suffix(names, RATES, belief)}", f"{_subject(names)}: {words}", answer_edit=edit)


def _com_of_base(belief: Belief) -> Iterator[Hypothesis]:
    """The com as seen from the base."""
    for names in _scopes(belief, COM):
        words, edit = "in the base's axes instead of the world's", edit_answers(names, _in_base_axes)
        yield convention(f"com/base-axes{_suffix(names, COM, belief)}", f"{_subject(names)}: {words}", answer_edit=edit)
    if "com_position" in belief.evidence.quantities:
        words = "the com position is from the base frame's origin"
        edit = edit_answers(("com_position",), lambda view, values: values - _base_position(view))
        yield convention("com/from-base", f"{words}, in world axes", answer_edit=edit)
        edit = edit_answers(("com_position",), lambda view, values: _in_base_axes(view, values - _base_position(view)))
        yield convention("com/in-base", f"{words}, in the base's axes", answer_edit=edit)


def _scopes(belief: Belief, of: Sequence[str]) -> list[tuple[str, ...]]:
    """Those of the quantities that are asked for: together, and each alone."""
    asked = tuple(name for name in of if name in belief.evidence.quantities)
    return list(dict.fromkeys([*([asked] if asked else []), *((name,) for name in asked)]))


def _suffix(names: Collection[str], of: Sequence[str], belief: Belief) -> str:
    is_whole = len(names) == sum(name in belief.evidence.quantities for name in of)
    return "" if is_whole else f":{next(iter(names))}"


def _subject(names: Sequence[str]) -> str:
    return name_list((QUANTITIES[name].label for name in names), 8)


def _turned(
    names: Collection[str], turn: Callable[[AnswerView], Floats], view: AnswerView, quantity: str, values: Floats
) -> Floats:
    """X h, X A or X I X^T: the map along each axis of [moment; force] of those of the quantities that are named."""
    if quantity not in names:
        return values
    X = turn(view)
    for axis, kind in enumerate(QUANTITIES[quantity].axes or (), 1):
        values = along(X, values, axis) if kind is Axis.WRENCH else values
    return values


def _about(arm: Floats) -> Floats:
    """The map (n, 6, 6) of [n; f] from a point to another, from which the first is at `arm` (n, 3): n + arm x f."""
    X = np.zeros((len(arm), 6, 6)) + np.eye(6)
    X[:, :3, 3:] = skew_matrices(arm)
    return X


def _in_base_axes(view: AnswerView, values: Floats) -> Floats:
    return along(transpose(_base_rotation(view)), values, 1)


def _with_gravity(count: float, view: AnswerView, values: Floats) -> Floats:
    """An acceleration plus g, or a force plus the weight."""
    g: Floats = count * np.array(view.spec.gravity)
    if values.shape[1] == 3:
        return values + g
    mass = view.value("centroidal_inertia")[:, 3:4, 3]
    weight: Floats = np.concatenate([0.0 * mass * g, mass * g], axis=1)
    return values + weight


def _first_base(spec: RobotSpec) -> int:
    return next(in_q for in_q, _ in free_joints(spec))


def _base_position(view: AnswerView) -> Floats:
    start = _first_base(view.spec)
    p: Floats = view.read.q[:, start : start + 3]
    return p


def _base_rotation(view: AnswerView) -> Floats:
    start = _first_base(view.spec)
    return rotation_matrices(view.read.q[:, start + 3 : start + 7])
