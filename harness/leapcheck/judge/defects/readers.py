"""What readers of model files get wrong: a base held fast or put elsewhere, Euler angles and axes read otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.coordinates import DOF_AXES, Place, places
from leapcheck.judge.dictionary.robust import ROWS_PER_NUMBER
from leapcheck.judge.solving import solved
from leapcheck.judge.words import listed
from leapcheck.states import Floats, States
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Body, Inertia, JointType, Placement, Quaternion, RobotSpec
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import Transform
from leapcheck_reference.tree import Tree

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

LENGTHS = np.geomspace(1.05, 1000.0, 60)
"""Lengths of an axis that should be 1: where the search for it begins."""

TURNED = 1e-6
"""Angle (rad) from which a placement counts as turned."""


def fixed(belief: Belief) -> Iterator[Hypothesis]:
    """The base held fast; Euler angles of all placements about moving for fixed axes, or the other way round."""
    spec = belief.evidence.spec
    off = set(belief.evidence.deviating)
    for at in places(spec):
        if at.joint.type is JointType.FREE and off:
            words = f"the base {spec.bodies[at.body].name} is fixed to the world and its mass is lost, as in a URDF read raw"
            yield Hypothesis(f"locked/{at.joint.name}", "model", words, reading=_standing(at), answering=_without_base(at))
    if off & {"contact_positions", "mass_matrix"} and any(_angle(body.placement.quaternion) > TURNED for body in spec.bodies):
        yield from (_euler("".join(order)) for order in permutations("xyz"))


def fitted(belief: Belief) -> Iterator[Hypothesis]:
    """Several links passed over; all positions off by a constant; an axis and angle with an axis that is no unit vector."""
    yield from _passed_over(belief)
    if "contact_positions" not in belief.evidence.deviating:
        return
    off = (belief.evidence.found["contact_positions"] - belief.predicted("contact_positions")).reshape(-1, 3)
    shift = np.median(off, axis=0)
    if len(off) >= ROWS_PER_NUMBER and np.abs(off - shift).max() <= np.abs(off).max() / 2.0:
        place = ", ".join(f"{x:.6g}" for x in shift)
        words = f"all positions in the world are off by the constant ({place}) m: the base stands elsewhere in the file"
        yield Hypothesis("world/shifted", "engine", words, answering=_shifted(shift))
    for i, body in enumerate(belief.evidence.spec.bodies if _beyond_reach(belief) else ()):
        if body.joint.type is not JointType.FREE and _angle(body.placement.quaternion) > TURNED:
            yield from _stretched(belief, i, body)


def _passed_over(belief: Belief) -> Iterator[Hypothesis]:
    """Several subtrees that take no part in M at all: their links are not there (one alone is a matter of structure)."""
    evidence = belief.evidence
    if "mass_matrix" not in evidence.deviating:
        return
    still = np.logical_not(np.asarray(evidence.found["mass_matrix"]).any(axis=(0, 2)))
    names: list[str] = []
    roots = []
    for at in places(evidence.spec):
        body = evidence.spec.bodies[at.body]
        if body.parent in names or (at.v.stop > at.v.start and still[at.v].all()):
            roots += [body.name] if body.parent not in names else []
            names.append(body.name)
    if len(roots) > 1:
        words = f"the links {listed(names)} are missing, as where a reader passes over <frame> or <replicate>"
        yield Hypothesis(f"missing/{'+'.join(roots)}", "model", words, _without_links(names))


def _without_links(names: list[str]) -> Callable[[RobotSpec], RobotSpec]:
    """Links without inertia, on joints without armature or rotor."""

    def without(body: Body) -> Body:
        joint = replace(body.joint, armature=0.0)
        return replace(body, inertia=Inertia(0.0), joint=joint, rotor=None) if body.name in names else body

    return lambda spec: replace(spec, bodies=tuple(map(without, spec.bodies)), poses=())


def _standing(at: Place) -> Callable[[RobotSpec, States], States]:
    """The state with one free joint at the origin, upright and at rest."""

    def reading(_spec: RobotSpec, states: States) -> States:
        q, v = states.q.copy(), states.v.copy()
        q[:, at.q], v[:, at.v] = UPRIGHT, 0.0
        return replace(states, q=q, v=v)

    return reading


def _without_base(at: Place) -> Callable[[View, str, Floats], Floats]:
    """Answers of the robot with one free joint held: none in its rows, and no weight of its body."""

    def answering(view: View, quantity: str, values: Floats) -> Floats:
        held = np.arange(view.spec.nv)[at.v]
        if quantity == "potential_energy":
            base = view.spec.bodies[at.body].inertia
            return values + base.mass * float(np.dot(view.spec.gravity, base.com))
        if quantity in ("forward_dynamics", "contact_inertia"):
            M = _held(view.value("mass_matrix"), held, (1, 2))
            M[:, held, held] = 1.0
            if quantity == "forward_dynamics":
                force = _held(view.read.tau - view.value("bias_force"), held, (1,))
                return solved(M, force[..., None])[..., 0]
            J = _held(view.value("contact_jacobians"), held, (3,)).reshape(len(M), -1, view.spec.nv)
            return np.asarray(J @ solved(M, np.swapaxes(J, -1, -2)))
        return _held(values, held, DOF_AXES.get(quantity, ()))

    return answering


def _held(values: Floats, dofs: NDArray[np.intp], axes: tuple[int, ...]) -> Floats:
    """The values with zeros where some dofs stand along the axes."""
    values = values.copy() if axes else values
    for axis in axes:
        np.moveaxis(values, axis, 0)[dofs] = 0.0
    return values


def _euler(order: Any) -> Hypothesis:
    """Angles meant about fixed axes in this order are taken about moving ones: also, read backwards, the other way round."""

    def placement(body: Body) -> Placement:
        w, x, y, z = body.placement.quaternion
        if body.joint.type is JointType.FREE or _angle(body.placement.quaternion) <= TURNED:
            return body.placement
        angles = Rotation.from_quat([x, y, z, w]).as_euler(order)  # SciPy's lower case is about fixed axes
        held = Rotation.from_euler(order.upper(), angles).as_quat()
        return replace(body.placement, quaternion=(float(held[3]), float(held[0]), float(held[1]), float(held[2])))

    def model(spec: RobotSpec) -> RobotSpec:
        return replace(spec, bodies=tuple(replace(body, placement=placement(body)) for body in spec.bodies))

    words = (
        f"Euler angles {order} of the links' placements are taken about moving axes for fixed ones ({order[::-1]} the other way)"
    )
    return Hypothesis(f"euler/{order}", "model", words, model, prior=1.5)


def _stretched(belief: Belief, i: int, body: Body) -> Iterator[Hypothesis]:
    """The placement made of an axis of another length than 1, where one length makes the contact positions right."""
    n = len(belief.evidence.states)
    few = belief.at(belief.evidence.at(slice(0, n, max(1, n // 3))).restricted(("contact_positions",)))
    found, scale = few.evidence.found["contact_positions"], few.evidence.scale["contact_positions"]

    def residual(length: Floats) -> Floats:
        predicted = few.with_(_stretch(i, body, float(length[0]))).predicted("contact_positions")
        return np.ravel((found - predicted) / scale)

    start = min(LENGTHS, key=lambda length: float(np.linalg.norm(residual(np.array([length])))))
    fit = least_squares(residual, [start], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    if few.with_(hypothesis := _stretch(i, body, float(fit.x[0]))).explains("contact_positions"):
        yield hypothesis


def _stretch(i: int, body: Body, length: float) -> Hypothesis:
    """Axis and angle turned into a matrix A by Rodrigues' formula without normalising the axis.

    Its children's placements, made out of poses in the world with A^T for A^-1, are off by A^T A.
    """
    w, x, y, z = body.placement.quaternion
    turn = Rotation.from_quat([x, y, z, w]).as_rotvec()
    angle = float(np.linalg.norm(turn))
    a = turn * (length / angle)
    A = np.cos(angle) * np.eye(3) + np.sin(angle) * skew(a) + (1.0 - np.cos(angle)) * np.outer(a, a)

    def tree(held: Tree) -> Tree:
        links = list(held.links)
        links[i] = replace(links[i], placement=Transform(A, links[i].placement.p))
        for j, link in enumerate(links):
            if link.parent == i:
                links[j] = replace(link, placement=Transform(A.T @ A @ link.placement.R, A.T @ A @ link.placement.p))
        return replace(held, links=tuple(links))

    words = f"joint {body.joint.name} is turned by a matrix that is no rotation: axis and angle, the axis {length:.6g} long"
    return Hypothesis(f"stretched/{body.joint.name}", "engine", words, tree=tree, details=f"length {length:.9g} for 1")


def _beyond_reach(belief: Belief) -> bool:
    """Whether some contact point is farther from its root than all lengths of the robot together."""
    spec, states = belief.evidence.spec, belief.evidence.states
    lengths = [body.placement.p for body in spec.bodies] + [point.position for point in spec.contact_points]
    slides = [np.abs(states.q[:, at.q]).max() for at in places(spec) if at.joint.type in (JointType.PRISMATIC, JointType.FREE)]
    reach = sum(float(np.linalg.norm(p)) for p in lengths) + 2.0 * float(sum(slides))
    return bool(np.abs(belief.evidence.found["contact_positions"]).max() > reach)


def _shifted(shift: Floats) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        if quantity == "contact_positions":
            return values + shift
        if quantity == "potential_energy":
            return values - view.spec.total_mass * float(np.dot(view.spec.gravity, shift))
        return values

    return answering


def _angle(quaternion: Quaternion) -> float:
    """Angle of a rotation, rad."""
    R = rotation_matrix(quaternion)
    return float(np.arccos(np.clip((np.trace(R) - 1.0) / 2.0, -1.0, 1.0)))
