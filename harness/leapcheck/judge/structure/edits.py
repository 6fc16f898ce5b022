"""Small edits of specs and trees by name, which the structure faults are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from leapcheck_models.spec import WORLD, Body, ContactPoint, Inertia, RobotSpec, Symmetric3
from leapcheck_models.validation import is_realisable, nearest_realisable
from leapcheck_reference.tree import Link, Tree

NO_INERTIA = Inertia(0.0)


def with_bodies(change: Callable[[Body], Body], names: Iterable[str]) -> Callable[[RobotSpec], RobotSpec]:
    """The edit that changes the named bodies of a spec."""
    chosen = frozenset(names)

    def edit(spec: RobotSpec) -> RobotSpec:
        return replace(spec, bodies=tuple(change(body) if body.name in chosen else body for body in spec.bodies))

    return edit


def with_point(name: str, change: Callable[[ContactPoint], ContactPoint]) -> Callable[[RobotSpec], RobotSpec]:
    """The edit that changes one contact point of a spec."""

    def edit(spec: RobotSpec) -> RobotSpec:
        return replace(spec, contact_points=tuple(change(p) if p.name == name else p for p in spec.contact_points))

    return edit


def with_links(change: Callable[[Link], Link], names: Iterable[str]) -> Callable[[Tree], Tree]:
    """The edit that changes the named links of a tree."""
    chosen = frozenset(names)

    def edit(tree: Tree) -> Tree:
        return replace(tree, links=tuple(change(link) if link.name in chosen else link for link in tree.links))

    return edit


def body_of(spec: RobotSpec, name: str) -> Body:
    """The body of this name."""
    return spec.bodies[spec.body_index(name)]


def subtree(spec: RobotSpec, name: str) -> list[str]:
    """Names of a body and of all that hang on it."""
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
    """The inertia with another rotational part, said to be unrealisable where it is."""
    if is_realisable(entries):
        return replace(inertia, rotational=entries, realisable=True, nearest=None)
    source = inertia.source or "held so"
    return replace(inertia, rotational=entries, realisable=False, nearest=nearest_realisable(entries), source=source)


def scaled(inertia: Inertia, factor: float) -> Inertia:
    """The inertia of a body of the same shape and another density."""
    xx, xy, xz, yy, yz, zz = inertia.rotational
    entries = (factor * xx, factor * xy, factor * xz, factor * yy, factor * yz, factor * zz)
    return with_rotational(replace(inertia, mass=factor * inertia.mass), entries)
