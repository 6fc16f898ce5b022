"""Errors printed in textbooks: a velocity product with the wrong sign, another link's inertia, a term counted twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.coordinates.conventions import product
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, SpecEdit, convention, model_fault
from leapcheck.judge.edits import body_of, edit_bodies
from leapcheck.judge.matrices import solve
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import WORLD, Body, RobotSpec
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.kinematics import SpatialVectors, frames, spatial_accelerations, velocities
from leapcheck_reference.rotation import cross
from leapcheck_reference.scalar import stack
from leapcheck_reference.spatial import RigidInertia, force_to_parent, inertia_matrix
from leapcheck_reference.tree import Tree, build

WITH_SIGN = ("bias_force", "coriolis_force", "forward_dynamics", "contact_bias_accelerations")
"""What the velocity product enters."""

WITH_INERTIA = ("mass_matrix", "kinetic_energy", "bias_force", "coriolis_force", "forward_dynamics", "contact_inertia")

MADE_OF_M = frozenset({"kinetic_energy", "forward_dynamics", "contact_inertia"})

FACTORS = (2.0, 1.0, -1.0, -2.0)
"""How often a term may be counted once more: twice on the diagonal of M, once off it."""

RECOGNISED = 1e-9
"""Relative difference up to which a number counts as a product of the robot's; M itself is right to 1e-14 or so."""


def fixed_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The velocity product with the wrong sign, and each link with the rotational inertia of a neighbour."""
    if deviates(belief, WITH_SIGN):
        words = "the velocity-product acceleration has the opposite sign: v_J x v for v x v_J"
        yield convention("velocity-product/sign", words, answer_edit=_with_sign)
    if deviates(belief, WITH_INERTIA):
        for body, other in _neighbours(belief.evidence.spec):
            words = f"link {body.name} has the rotational inertia of link {other.name}"
            yield model_fault(f"inertia-of/{body.name}:{other.name}", words, _with_inertia_of(body, other), prior=0.9)


def fitted_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """A constant surplus in one entry of M that is a product of the robot's numbers."""
    if "mass_matrix" not in belief.evidence.deviating:
        return
    off = belief.evidence.answers["mass_matrix"] - belief.prediction("mass_matrix")
    place = _only_entry(off, _allowed_errors(belief))
    if place is None:
        return
    i, j = place
    amount = float(np.median(off[:, i, j]))
    for body, size, numbers in _terms(belief.evidence.spec):
        for factor in FACTORS:
            if abs(factor * size - amount) <= RECOGNISED * abs(amount):
                times = "2 " if abs(factor) == 2.0 else ""
                yield from _surplus(belief, place, amount, f"{times}m l lg of {body} ({numbers})")
                return


def deviates(belief: Belief, quantities: Iterable[str]) -> bool:
    """Whether any of the quantities is off in the evidence."""
    return not set(quantities).isdisjoint(belief.evidence.deviating)


def _surplus(belief: Belief, place: tuple[int, int], amount: float, term: str) -> Iterator[Hypothesis]:
    """The surplus in M and all that follows from it, or in M alone."""
    i, j = place
    nv = belief.evidence.spec.nv
    entry = f"M{i + 1}{j + 1}" if nv < 10 else f"M({i + 1}, {j + 1})"
    size = f"too {'large' if amount > 0.0 else 'small'} by the constant {abs(amount):.7g}"
    cause = f"{entry} is {size}: the term {term} {'counted once more' if amount > 0.0 else 'taken off'}, without its cosine"
    extra = np.zeros((nv, nv))
    extra[i, j] = extra[j, i] = amount
    yield model_fault(f"surplus/{entry}", cause, answer_edit=_with_surplus(extra), prior=0.8)
    if not MADE_OF_M.isdisjoint(belief.evidence.quantities):
        alone = f"{cause}, in M alone"
        yield model_fault(f"surplus/{entry}:alone", alone, answer_edit=_with_surplus(extra, alone=True), prior=0.85)


def _with_surplus(extra: Floats, alone: bool = False) -> AnswerEdit:
    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity == "mass_matrix":
            return values + extra
        if alone:
            return values
        match quantity:
            case "kinetic_energy":
                return np.asarray(values + 0.5 * np.einsum("ni,ij,nj->n", view.read.v, extra, view.read.v), dtype=float)
            case "forward_dynamics":
                M = view.value("mass_matrix")
                return solve(M + extra, product(M, values)[..., None])[..., 0]
            case "contact_inertia":
                J = view.value("contact_jacobians")
                rows = J.reshape(len(J), -1, J.shape[-1])
                M = view.value("mass_matrix")
                return np.asarray(rows @ solve(M + extra, np.swapaxes(rows, -1, -2)), dtype=float)
        return values

    return edit


def _only_entry(off: Floats, allowed: Floats) -> tuple[int, int] | None:
    """The one entry of M (with its mirror image) that is off, by the same amount (n, nv, nv) in all states; None for others."""
    wrong = (np.abs(off) > allowed).any(axis=0)
    places = np.argwhere(np.triu(wrong | wrong.T))
    if len(places) != 1:
        return None
    i, j = map(int, places[0])
    both = np.stack([off[:, i, j], off[:, j, i]])
    constant = np.abs(both - np.median(both)).max() <= np.maximum(allowed[:, i, j], allowed[:, j, i]).max()
    return (i, j) if constant else None


def _allowed_errors(belief: Belief) -> Floats:
    """What rounding explains of each entry of M (n, nv, nv)."""
    evidence = belief.evidence
    allowed: Floats = evidence.scale["mass_matrix"] * evidence.allowed["mass_matrix"][:, None, None]
    return allowed


def _terms(spec: RobotSpec) -> Iterator[tuple[str, float, str]]:
    """Products m l lg that multiply a cosine in M: of each link its name, the product, and the numbers in words."""
    for body in spec.bodies:
        distance, com = (float(np.linalg.norm(p)) for p in (body.placement.p, body.inertia.com))
        size = body.inertia.mass * distance * com
        if size > 0.0:
            above = f"the joint of {body.parent}" if body.parent != WORLD else "the world's origin"
            to_joint = f"l = {distance:.6g} m from {above} to its joint"
            yield body.name, size, f"m = {body.inertia.mass:g} kg, {to_joint}, lg = {com:.6g} m to its com"


def _neighbours(spec: RobotSpec) -> Iterator[tuple[Body, Body]]:
    """Each link with its parent, its children and its siblings, where their inertias differ; equal others once."""
    for body in spec.bodies:
        seen = {body.inertia.rotational}
        near = [b for b in spec.bodies if b.name == body.parent or body.name == b.parent or b.parent == body.parent]
        for other in near:
            if other.inertia.rotational not in seen:
                seen.add(other.inertia.rotational)
                yield body, other


def _with_inertia_of(body: Body, other: Body) -> SpecEdit:
    def edit(spec: RobotSpec) -> RobotSpec:
        own = body_of(spec, body.name).inertia
        inertia = replace(body_of(spec, other.name).inertia, mass=own.mass, com=own.com)
        return edit_bodies(lambda b: replace(b, inertia=inertia), [body.name])(spec)

    return edit


def _with_sign(view: AnswerView, quantity: str, values: Floats) -> Floats:
    if quantity not in WITH_SIGN:
        return values
    tree, states = build(view.spec), view.read
    if quantity == "contact_bias_accelerations":  # spatial -a_s for a_s, a = a_s + w x v_p
        w = evaluate_batch(_point_spins, tree, states.q, states.v)
        return 2.0 * np.cross(w, view.value("contact_velocities")) - values
    change = evaluate_batch(_coriolis_with_sign, tree, states.q, states.v) - view.value("coriolis_force")
    if quantity == "forward_dynamics":
        return np.asarray(values - solve(view.value("mass_matrix"), change[..., None])[..., 0], dtype=float)
    return values + change


def _coriolis_with_sign(tree: Tree, q: Array, v: Array) -> Array:
    """Coriolis force (nv,) with c = v_J x v: f = I a + v x* I v by Newton and Euler (Featherstone, table 5.1)."""
    kinematics = frames(tree, q)
    V, c = velocities(tree, kinematics, v)
    printed = SpatialVectors(tuple(-c_i for c_i in c.links), tuple(None if c_r is None else -c_r for c_r in c.rotors))
    A = spatial_accelerations(tree, kinematics, printed, np.zeros(tree.nv), np.zeros(6))
    F = [_force(link.inertia, *pair) for link, *pair in zip(tree.links, V.links, A.links, strict=True)]
    tau: list[Array] = [np.zeros(0)] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link, X_rotor, V_r, A_r = tree.links[i], kinematics.X_rotor[i], V.rotors[i], A.rotors[i]
        tau[i] = link.S.T @ F[i]
        carried = force_to_parent(kinematics.X[i], F[i])
        if link.rotor and X_rotor and V_r is not None and A_r is not None:
            F_r = _force(link.rotor.inertia, V_r, A_r)
            tau[i] = tau[i] + link.rotor.S.T @ F_r
            carried = carried + force_to_parent(X_rotor, F_r)
        if link.parent >= 0:
            F[link.parent] = F[link.parent] + carried
    return np.concatenate(tau)


def _force(inertia: RigidInertia, V: Array, A: Array) -> Array:
    """I a + v x* I v (6,)."""
    I = inertia_matrix(inertia)
    momentum, w, v = I @ V, V[:3], V[3:]
    n, f = momentum[:3], momentum[3:]
    return np.asarray(I @ A + np.concatenate([cross(w, n) + cross(v, f), cross(w, f)]))


def _point_spins(tree: Tree, q: Array, v: Array) -> Array:
    """Angular velocity (points, 3) in world axes of the links that carry the contact points."""
    kinematics = frames(tree, q)
    V, _ = velocities(tree, kinematics, v)
    spins = [kinematics.X_W[point.link].R @ V.links[point.link][:3] for point in tree.points]
    return stack([x for spin in spins for x in spin], len(spins), 3)
