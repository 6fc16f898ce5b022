"""Edits that hypotheses are made of: of the bodies of a spec, of the links of a tree, of states, and of answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from leapcheck.judge.belief import AnswerEdit, AnswerView, SpecEdit, StateEdit, TreeEdit
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import WORLD, Body, ContactPoint, Inertia, RobotSpec, Symmetric3
from leapcheck_models.validation import is_realisable, nearest_realisable
from leapcheck_reference.links import Link
from leapcheck_reference.tree import Tree

NO_INERTIA = Inertia(0.0)


def edit_bodies(change: Callable[[Body], Body], names: Iterable[str] | None = None) -> SpecEdit:
    """The edit that changes the named bodies of a spec, by default all."""
    chosen = None if names is None else frozenset(names)

    def edit(spec: RobotSpec) -> RobotSpec:
        bodies = tuple(change(body) if chosen is None or body.name in chosen else body for body in spec.bodies)
        return replace(spec, bodies=bodies)

    return edit


def edit_inertias(change: Callable[[Inertia], Inertia]) -> SpecEdit:
    """The edit that changes the inertias of all bodies of a spec."""
    return edit_bodies(lambda body: replace(body, inertia=change(body.inertia)))


def exchange_bodies(a: Body, b: Body, give: Callable[[Body, Body], Body]) -> SpecEdit:
    """The edit that gives each of two bodies something of the other, as the edited spec has it."""

    def edit(spec: RobotSpec) -> RobotSpec:
        one, other = body_of(spec, a.name), body_of(spec, b.name)
        new = {a.name: give(one, other), b.name: give(other, one)}
        return replace(spec, bodies=tuple(new.get(body.name, body) for body in spec.bodies))

    return edit


def edit_point(name: str, change: Callable[[ContactPoint], ContactPoint]) -> SpecEdit:
    """The edit that changes one contact point of a spec."""
    return lambda spec: replace(
        spec, contact_points=tuple(change(point) if point.name == name else point for point in spec.contact_points)
    )


def in_turn(*edits: SpecEdit) -> SpecEdit:
    """One edit after the other."""

    def edit(spec: RobotSpec) -> RobotSpec:
        for part in edits:
            spec = part(spec)
        return spec

    return edit


def edit_links(change: Callable[[Link], Link], names: Iterable[str]) -> TreeEdit:
    """The edit that changes the named links of a tree."""
    chosen = frozenset(names)

    def edit(tree: Tree) -> Tree:
        return replace(tree, links=tuple(change(link) if link.name in chosen else link for link in tree.links))

    return edit


def edit_state(change: Callable[[RobotSpec, Floats, Floats, Floats], None]) -> StateEdit:
    """The edit of states whose copies of q, v and tau are changed in place: change(spec, q, v, tau); vdot is changed as v is."""

    def edit(spec: RobotSpec, states: States) -> States:
        q, v, tau, vdot = (getattr(states, part).copy() for part in STATE_PARTS[:4])
        change(spec, q, v, tau)
        change(spec, states.q.copy(), vdot, states.tau.copy())
        return replace(states, q=q, v=v, tau=tau, vdot=vdot)

    return edit


def edit_answers(quantities: Collection[str], change: Callable[[AnswerView, Floats], Floats]) -> AnswerEdit:
    """The edit of the answers to some quantities."""
    return lambda view, quantity, values: change(view, values) if quantity in quantities else values


def body_of(spec: RobotSpec, name: str) -> Body:
    """The body of this name."""
    return spec.bodies[spec.body_index(name)]


def subtree(spec: RobotSpec, name: str) -> list[str]:
    """Names of a body and of all its descendants, in the order of the bodies."""
    names = {name}
    for body in spec.bodies:
        if body.parent in names:
            names.add(body.name)
    return [body.name for body in spec.bodies if body.name in names]


def ancestors(spec: RobotSpec, name: str) -> list[str]:
    """Names of the bodies between a body and the world, the nearest first."""
    chain, parent = [], body_of(spec, name).parent
    while parent != WORLD:
        chain.append(parent)
        parent = body_of(spec, parent).parent
    return chain


def with_rotational(inertia: Inertia, entries: Symmetric3) -> Inertia:
    """The inertia with another rotational part, marked as unrealisable where it is."""
    if is_realisable(entries):
        return replace(inertia, rotational=entries, realisable=True, nearest=None)
    source = inertia.source or "edited"
    return replace(inertia, rotational=entries, realisable=False, nearest=nearest_realisable(entries), source=source)


def scale_inertia(inertia: Inertia, factor: float) -> Inertia:
    """The inertia of a body of the same shape and another density."""
    xx, xy, xz, yy, yz, zz = inertia.rotational
    entries = (factor * xx, factor * xy, factor * xz, factor * yy, factor * yz, factor * zz)
    return with_rotational(replace(inertia, mass=factor * inertia.mass), entries)
