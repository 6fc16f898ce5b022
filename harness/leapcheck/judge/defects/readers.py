"""What readers of model files get wrong: a base fixed or displaced, Euler angles and axes misread."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, StateEdit, engine_fault, model_fault
from leapcheck.judge.dictionary.robust import ROWS_PER_NUMBER
from leapcheck.judge.edits import NO_INERTIA, edit_bodies, edit_state
from leapcheck.judge.layout import DOF_AXES, JointPlace, places
from leapcheck.judge.matrices import solve
from leapcheck.judge.words import name_list
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Body, JointType, Quaternion, RobotSpec
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import Transform
from leapcheck_reference.tree import Tree

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

LENGTHS = np.geomspace(1.05, 1000.0, 60)
"""Lengths of an axis that should be 1: where the search for it begins."""

TURNED = 1e-6
"""Angle (rad) from which a placement counts as turned."""


def fixed_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The base fixed; Euler angles of all placements about moving for fixed axes, or the other way round."""
    spec = belief.evidence.spec
    off = set(belief.evidence.deviating)
    for place in places(spec):
        if place.joint.type is JointType.FREE and off:
            words = f"the base {spec.bodies[place.body].name} is fixed to the world and its mass is lost, as in a URDF read raw"
            yield model_fault(f"locked/{place.joint.name}", words, state_edit=_freeze(place), answer_edit=_drop_base(place))
    if off & {"contact_positions", "mass_matrix"} and any(_angle(body.placement.quaternion) > TURNED for body in spec.bodies):
        yield from (_euler_fault("".join(order)) for order in permutations("xyz"))


def fitted_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """Several links passed over; all positions off by a constant; an axis and angle with an axis that is no unit vector."""
    yield from _skipped_links(belief)
    if "contact_positions" not in belief.evidence.deviating:
        return
    off = (belief.evidence.answers["contact_positions"] - belief.prediction("contact_positions")).reshape(-1, 3)
    shift = np.median(off, axis=0)
    if len(off) >= ROWS_PER_NUMBER and np.abs(off - shift).max() <= np.abs(off).max() / 2.0:
        offset = ", ".join(f"{x:.6g}" for x in shift)
        words = f"all positions in the world are off by the constant ({offset}) m: the base is elsewhere in the file"
        yield engine_fault("world/shifted", words, answer_edit=_shift(shift))
    for i, body in enumerate(belief.evidence.spec.bodies if _beyond_reach(belief) else ()):
        if body.joint.type is not JointType.FREE and _angle(body.placement.quaternion) > TURNED:
            yield from _long_axis(belief, i, body)


def _skipped_links(belief: Belief) -> Iterator[Hypothesis]:
    """Several subtrees that do not enter M at all: their links are missing (one alone is a matter of structure)."""
    evidence = belief.evidence
    if "mass_matrix" not in evidence.deviating:
        return
    still = np.logical_not(np.asarray(evidence.answers["mass_matrix"]).any(axis=(0, 2)))
    names: list[str] = []
    roots = []
    for place in places(evidence.spec):
        body = evidence.spec.bodies[place.body]
        if body.parent in names or (place.v.stop > place.v.start and still[place.v].all()):
            roots += [body.name] if body.parent not in names else []
            names.append(body.name)
    if len(roots) > 1:
        words = f"the links {name_list(names)} are missing, as where a reader skips <frame> or <replicate>"
        yield model_fault(f"missing/{'+'.join(roots)}", words, edit_bodies(_without_drive, names))


def _without_drive(body: Body) -> Body:
    """A link without inertia, on a joint without armature or rotor."""
    return replace(body, inertia=NO_INERTIA, joint=replace(body.joint, armature=0.0), rotor=None)


def _freeze(place: JointPlace) -> StateEdit:
    """The state with one free joint at the origin, upright and at rest."""

    def edit(_spec: RobotSpec, q: Floats, v: Floats, _tau: Floats) -> None:
        q[:, place.q], v[:, place.v] = UPRIGHT, 0.0

    return edit_state(edit)


def _drop_base(place: JointPlace) -> AnswerEdit:
    """Answers of the robot with one free joint fixed: none in its rows, and no weight of its body."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        dofs = np.arange(view.spec.nv)[place.v]
        if quantity == "potential_energy":
            base = view.spec.bodies[place.body].inertia
            return values + base.mass * float(np.dot(view.spec.gravity, base.com))
        if quantity in ("forward_dynamics", "contact_inertia"):
            M = _zero_dofs(view.value("mass_matrix"), dofs, (1, 2))
            M[:, dofs, dofs] = 1.0
            if quantity == "forward_dynamics":
                force = _zero_dofs(view.read.tau - view.value("bias_force"), dofs, (1,))
                return solve(M, force[..., None])[..., 0]
            J = _zero_dofs(view.value("contact_jacobians"), dofs, (3,)).reshape(len(M), -1, view.spec.nv)
            return np.asarray(J @ solve(M, np.swapaxes(J, -1, -2)))
        return _zero_dofs(values, dofs, DOF_AXES.get(quantity, ()))

    return edit


def _zero_dofs(values: Floats, dofs: NDArray[np.intp], axes: tuple[int, ...]) -> Floats:
    """The values with zeros for some dofs along the axes."""
    values = values.copy() if axes else values
    for axis in axes:
        np.moveaxis(values, axis, 0)[dofs] = 0.0
    return values


def _euler_fault(order: Any) -> Hypothesis:
    """Angles meant about fixed axes in this order are taken about moving ones: also, read backwards, the other way round."""

    def edit(body: Body) -> Body:
        w, x, y, z = body.placement.quaternion
        if body.joint.type is JointType.FREE or _angle(body.placement.quaternion) <= TURNED:
            return body
        from scipy.spatial.transform import Rotation  # here, as below: SciPy takes long to import

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Gimbal lock")  # then any of the possible angles will do
            angles = Rotation.from_quat([x, y, z, w]).as_euler(order)  # SciPy's lower case is about fixed axes
        x, y, z, w = map(float, Rotation.from_euler(order.upper(), angles).as_quat())
        return replace(body, placement=replace(body.placement, quaternion=(w, x, y, z)))

    words = (
        f"Euler angles {order} of the links' placements are taken about moving axes for fixed ones ({order[::-1]} the other way)"
    )
    return model_fault(f"euler/{order}", words, edit_bodies(edit), prior=1.5)


def _long_axis(belief: Belief, i: int, body: Body) -> Iterator[Hypothesis]:
    """The placement made of an axis of another length than 1, where one length makes the contact positions right."""
    from scipy.optimize import least_squares

    n = len(belief.evidence.states)
    few = belief.about(belief.evidence.at_states(slice(0, n, max(1, n // 3))).of_quantities(("contact_positions",)))
    answers, scale = few.evidence.answers["contact_positions"], few.evidence.scale["contact_positions"]

    def residual(length: Floats) -> Floats:
        predicted = few.plus(_long_axis_fault(i, body, float(length[0]))).prediction("contact_positions")
        return np.ravel((answers - predicted) / scale)

    start = min(LENGTHS, key=lambda length: float(np.linalg.norm(residual(np.array([length])))))
    fit = least_squares(residual, [start], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    if few.plus(hypothesis := _long_axis_fault(i, body, float(fit.x[0]))).explains("contact_positions"):
        yield hypothesis


def _long_axis_fault(i: int, body: Body, length: float) -> Hypothesis:
    """Axis and angle turned into a matrix A by Rodrigues' formula without normalising the axis.

    Its children's placements, made out of poses in the world with A^T for A^-1, are off by A^T A.
    """
    from scipy.spatial.transform import Rotation

    w, x, y, z = body.placement.quaternion
    turn = Rotation.from_quat([x, y, z, w]).as_rotvec()
    angle = float(np.linalg.norm(turn))
    a = turn * (length / angle)
    A = np.cos(angle) * np.eye(3) + np.sin(angle) * skew(a) + (1.0 - np.cos(angle)) * np.outer(a, a)

    def tree(tree_before: Tree) -> Tree:
        links = list(tree_before.links)
        links[i] = replace(links[i], placement=Transform(A, links[i].placement.p))
        for j, link in enumerate(links):
            if link.parent == i:
                links[j] = replace(link, placement=Transform(A.T @ A @ link.placement.R, A.T @ A @ link.placement.p))
        return replace(tree_before, links=tuple(links))

    words = f"joint {body.joint.name} is turned by a matrix that is no rotation: axis and angle, the axis {length:.6g} long"
    return engine_fault(f"stretched/{body.joint.name}", words, tree_edit=tree, details=f"length {length:.9g} for 1")


def _beyond_reach(belief: Belief) -> bool:
    """Whether some contact point is farther from its root than all lengths of the robot together."""
    spec, states = belief.evidence.spec, belief.evidence.states
    lengths = [body.placement.p for body in spec.bodies] + [point.position for point in spec.contact_points]
    free = [place for place in places(spec) if place.joint.type in (JointType.PRISMATIC, JointType.FREE)]
    slides = [np.abs(states.q[:, place.q]).max() for place in free]
    reach = sum(float(np.linalg.norm(p)) for p in lengths) + 2.0 * float(sum(slides))
    return bool(np.abs(belief.evidence.answers["contact_positions"]).max() > reach)


def _shift(shift: Floats) -> AnswerEdit:
    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity == "contact_positions":
            return values + shift
        if quantity == "potential_energy":
            return values - view.spec.total_mass * float(np.dot(view.spec.gravity, shift))
        return values

    return edit


def _angle(quaternion: Quaternion) -> float:
    """Angle of a rotation, rad."""
    R = rotation_matrix(quaternion)
    return float(np.arccos(np.clip((np.trace(R) - 1.0) / 2.0, -1.0, 1.0)))
