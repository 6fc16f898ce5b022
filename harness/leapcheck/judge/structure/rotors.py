"""Rotors of single joints: forgotten, not turning, turning the wrong way, lumped, or riding on the wrong link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.conventions import product, transposed
from leapcheck.judge.belief import Hypothesis, View
from leapcheck.judge.coordinates import FORCES
from leapcheck.judge.evidence import value
from leapcheck.judge.solving import solved
from leapcheck.judge.structure.edits import ancestors, body_of, with_bodies, with_links
from leapcheck.judge.structure.parents import hung_on
from leapcheck.judge.structure.scope import Scope
from leapcheck.states import Floats, States
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import WORLD, Body, RobotSpec, Rotor
from leapcheck_reference.spatial import inertia_to_parent
from leapcheck_reference.tree import Link, Tree

ENERGIES = ("kinetic_energy", "potential_energy")


def wrong_rotors(scope: Scope) -> Iterator[Hypothesis]:
    """The rotor of one joint, in each of the ways in which it may be wrong."""
    for body in scope.spec.bodies:
        if body.rotor is None or body.name not in scope.bodies:
            continue
        rotor, joint = body.rotor.name, body.joint.name
        for kind, words, change in (
            ("left-out", f"the rotor {rotor} of the joint {joint} is left out", _none),
            ("reversed", f"the rotor {rotor} turns the wrong way", _reversed),
            ("not-turning", f"the rotor {rotor} does not turn with the joint {joint}", _still),
            ("massless", f"the mass of the rotor {rotor} is left out", _massless),
        ):
            yield Hypothesis(f"rotor-{kind}/{joint}", "model", words, with_bodies(_with_rotor(change), [body.name]))
        words = f"the rotor {rotor} counts as armature: the coupling gear ratio x inertia to the rest of the robot is missing"
        yield Hypothesis(f"rotor-coupling-missing/{joint}", "model", words, tree=_lumped(body.name))
        words = f"the rotor {rotor} counts as armature alone, and its mass is left out"
        edit = with_links(lambda link: replace(link, armature=link.armature + _reflected(link), rotor=None), [body.name])
        yield Hypothesis(f"rotor-as-armature/{joint}", "model", words, tree=edit)


def rotors_on_links(scope: Scope) -> Iterator[Hypothesis]:
    """A rotor that rides on the link that it drives, or on an ancestor of its own, at the same placement."""
    for body in scope.spec.bodies:
        if body.rotor is None or body.name not in scope.bodies:
            continue
        above = ancestors(scope.spec, body.name)
        for other in (body.name, *above[1:], *([WORLD] if above else [])):
            own = "the link that it drives" if other == body.name else f"instead of {body.parent}"
            words = f"the rotor {body.rotor.name} of the joint {body.joint.name} rides on {other}, {own}"
            variant = "" if other == body.name else f" ({other})"
            name = f"rotor-on-link/{body.joint.name}{variant}"
            yield Hypothesis(name, "model", words, answering=_riding_on(body.rotor.name, other), prior=1.0 + (other != body.name))


def _with_rotor(change: Callable[[Rotor], Rotor | None]) -> Callable[[Body], Body]:
    return lambda body: replace(body, rotor=body.rotor and change(body.rotor))


def _none(_rotor: Rotor) -> None:
    return None


def _reversed(rotor: Rotor) -> Rotor:
    return replace(rotor, gear_ratio=-rotor.gear_ratio)


def _still(rotor: Rotor) -> Rotor:
    return replace(rotor, gear_ratio=0.0)


def _massless(rotor: Rotor) -> Rotor:
    return replace(rotor, inertia=replace(rotor.inertia, mass=0.0))


def _reflected(link: Link) -> float:
    """Gear ratio^2 x axial inertia of the link's rotor."""
    assert link.rotor is not None
    return float((link.rotor.S.T @ (link.rotor.inertia @ link.rotor.S)).item())


def _lumped(name: str) -> Callable[[Tree], Tree]:
    """The edit that makes one rotor rigid with the link on which it rides, and its spin an armature."""

    def edit(tree: Tree) -> Tree:
        links = list(tree.links)
        i = next(i for i, link in enumerate(links) if link.name == name)
        link, rotor = links[i], links[i].rotor
        if rotor is None:
            return tree
        links[i] = replace(link, armature=link.armature + _reflected(link), rotor=None)
        if link.parent >= 0:
            carrier = links[link.parent]
            links[link.parent] = replace(carrier, inertia=carrier.inertia + inertia_to_parent(rotor.placement, rotor.inertia))
        return replace(tree, links=tuple(links))

    return edit


def _riding_on(rotor: str, other: str) -> Callable[[View, str, Floats], Floats]:
    """Answers with a rotor on another link: the difference that this makes to the robot with its rotors as bodies is added."""

    def answering(view: View, quantity: str, values: Floats) -> Floats:
        if not any(body.rotor and body.rotor.name == rotor for body in view.spec.bodies):
            return values
        if quantity in ("mass_matrix", *FORCES, *ENERGIES):
            return values + _difference(quantity, view.spec, view.read, rotor, other)
        if quantity == "forward_dynamics":
            M = view.value("mass_matrix") + _difference("mass_matrix", view.spec, view.read, rotor, other)
            h = view.value("bias_force") + _difference("bias_force", view.spec, view.read, rotor, other)
            return solved(M, (view.read.tau - h)[..., None])[..., 0]
        if quantity == "contact_inertia":
            M = view.value("mass_matrix") + _difference("mass_matrix", view.spec, view.read, rotor, other)
            J = view.value("contact_jacobians").reshape(len(M), -1, M.shape[-1])
            return np.asarray(J @ solved(M, transposed(J)), dtype=float)
        return values

    return answering


def _difference(quantity: str, spec: RobotSpec, states: States, rotor: str, other: str) -> Floats:
    """What it adds to a quantity (n, ...) that one rotor rides on another link, in the coordinates of the geared robot."""
    full, G = with_rotor_bodies(spec)
    q, v = with_rotor_coordinates(spec, states.q), product(G, states.v)
    at = replace(states, q=q, v=v, tau=np.zeros_like(v))
    right = reference.build(full)
    held = hung_on(rotor, other, _kept_order(full, rotor, other))(right)
    difference = value(quantity, held, at) - value(quantity, right, at)
    if quantity == "mass_matrix":
        return transposed(G) @ difference @ G
    return product(transposed(G), difference) if quantity in FORCES else difference


def _kept_order(full: RobotSpec, rotor: str, other: str) -> list[int]:
    """The links as they are: a rotor's body stands after all that it could ride on."""
    if other != WORLD and body_of(full, other) and full.body_index(other) > full.body_index(rotor):
        raise ValueError(f"the rotor '{rotor}' stands before '{other}': give a link of its own chain")
    return list(range(len(full.bodies)))
