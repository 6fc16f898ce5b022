"""Rotors of single joints: forgotten, not turning, turning the wrong way, lumped, or riding on the wrong link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.coordinates.conventions import product, transpose
from leapcheck.judge.belief import AnswerEdit, AnswerView, Hypothesis, TreeEdit, model_fault
from leapcheck.judge.edits import ancestors, body_of, edit_bodies, edit_links
from leapcheck.judge.layout import FORCES
from leapcheck.judge.matrices import solve
from leapcheck.judge.robot_rows import value
from leapcheck.judge.structure.parents import hung_on
from leapcheck.judge.structure.scope import Scope
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import WORLD, Body, RobotSpec, Rotor
from leapcheck_reference.links import Link
from leapcheck_reference.spatial import inertia_to_parent
from leapcheck_reference.tree import Tree

ENERGIES = ("kinetic_energy", "potential_energy")


ROTOR_EDITS: dict[str, tuple[str, Callable[[Rotor], Rotor | None]]] = {
    "left-out": ("the rotor {rotor} of the joint {joint} is left out", lambda _rotor: None),
    "reversed": ("the rotor {rotor} turns the wrong way", lambda rotor: replace(rotor, gear_ratio=-rotor.gear_ratio)),
    "not-turning": ("the rotor {rotor} does not turn with the joint {joint}", lambda rotor: replace(rotor, gear_ratio=0.0)),
    "massless": ("the mass of the rotor {rotor} is left out", lambda r: replace(r, inertia=replace(r.inertia, mass=0.0))),
}


def wrong_rotors(scope: Scope) -> Iterator[Hypothesis]:
    """The rotor of one joint, in each of the ways in which it may be wrong."""
    for body, rotor in _rotors(scope):
        joint = body.joint.name
        for kind, (words, change) in ROTOR_EDITS.items():
            edit = edit_bodies(_with_rotor(change), [body.name])
            yield model_fault(f"rotor-{kind}/{joint}", words.format(rotor=rotor.name, joint=joint), edit)
        words = f"the rotor {rotor.name} counts as armature: its coupling (gear ratio x inertia) to the robot is missing"
        yield model_fault(f"rotor-coupling-missing/{joint}", words, tree_edit=_lump_rotor(body.name))
        words = f"the rotor {rotor.name} counts as armature alone, and its mass is left out"
        yield model_fault(f"rotor-as-armature/{joint}", words, tree_edit=edit_links(_rotor_as_armature, [body.name]))


def rotors_on_links(scope: Scope) -> Iterator[Hypothesis]:
    """A rotor that rides on the link that it drives, or on an ancestor of its own, at the same placement."""
    for body, rotor in _rotors(scope):
        above = ancestors(scope.spec, body.name)
        for other in (body.name, *above[1:], *([WORLD] if above else [])):
            own = "the link that it drives" if other == body.name else f"instead of {body.parent}"
            words = f"the rotor {rotor.name} of the joint {body.joint.name} rides on {other}, {own}"
            variant = "" if other == body.name else f" ({other})"
            name = f"rotor-on-link/{body.joint.name}{variant}"
            edit = _put_rotor_on(rotor.name, other)
            yield model_fault(name, words, answer_edit=edit, prior=1.0 + (other != body.name))


def _rotors(scope: Scope) -> Iterator[tuple[Body, Rotor]]:
    return ((body, body.rotor) for body in scope.spec.bodies if body.rotor and body.name in scope.bodies)


def _with_rotor(change: Callable[[Rotor], Rotor | None]) -> Callable[[Body], Body]:
    return lambda body: replace(body, rotor=body.rotor and change(body.rotor))


def _reflected_inertia(link: Link) -> float:
    """Gear ratio^2 x axial inertia of the link's rotor."""
    assert link.rotor is not None
    return float((link.rotor.S.T @ (link.rotor.inertia @ link.rotor.S)).item())


def _rotor_as_armature(link: Link) -> Link:
    return replace(link, armature=link.armature + _reflected_inertia(link), rotor=None)


def _lump_rotor(name: str) -> TreeEdit:
    """The edit that makes one rotor rigid with the link on which it rides, and its spin an armature."""

    def edit(tree: Tree) -> Tree:
        links = list(tree.links)
        i = next(i for i, link in enumerate(links) if link.name == name)
        rotor, parent = links[i].rotor, links[i].parent
        if rotor is None:
            return tree
        links[i] = _rotor_as_armature(links[i])
        if parent >= 0:
            inertia = links[parent].inertia + inertia_to_parent(rotor.placement, rotor.inertia)
            links[parent] = replace(links[parent], inertia=inertia)
        return replace(tree, links=tuple(links))

    return edit


def _put_rotor_on(rotor: str, other: str) -> AnswerEdit:
    """Answers with a rotor on another link: the difference that this makes to the robot with its rotors as bodies is added."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if not any(body.rotor and body.rotor.name == rotor for body in view.spec.bodies):
            return values
        if quantity in ("mass_matrix", *FORCES, *ENERGIES):
            return values + _difference(quantity, view.spec, view.read, rotor, other)
        if quantity not in ("forward_dynamics", "contact_inertia"):
            return values
        M = view.value("mass_matrix") + _difference("mass_matrix", view.spec, view.read, rotor, other)
        if quantity == "forward_dynamics":
            h = view.value("bias_force") + _difference("bias_force", view.spec, view.read, rotor, other)
            return solve(M, (view.read.tau - h)[..., None])[..., 0]
        J = view.value("contact_jacobians").reshape(len(M), -1, M.shape[-1])
        return np.asarray(J @ solve(M, transpose(J)), dtype=float)

    return edit


def _difference(quantity: str, spec: RobotSpec, states: States, rotor: str, other: str) -> Floats:
    """What it adds to a quantity (n, ...) that one rotor rides on another link, in the coordinates of the geared robot."""
    full, G = with_rotor_bodies(spec)
    q, v = with_rotor_coordinates(spec, states.q), product(G, states.v)
    states = replace(states, q=q, v=v, tau=np.zeros_like(v))
    right = reference.build(full)
    moved = hung_on(rotor, other, _same_order(full, rotor, other))(right)
    difference = value(quantity, moved, states) - value(quantity, right, states)
    if quantity == "mass_matrix":
        return transpose(G) @ difference @ G
    return product(transpose(G), difference) if quantity in FORCES else difference


def _same_order(full: RobotSpec, rotor: str, other: str) -> list[int]:
    """The links as they are: a rotor's body comes after all that it could ride on."""
    if other != WORLD and body_of(full, other) and full.body_index(other) > full.body_index(rotor):
        raise ValueError(f"the rotor '{rotor}' precedes '{other}': give a link of its own chain")
    return list(range(len(full.bodies)))
