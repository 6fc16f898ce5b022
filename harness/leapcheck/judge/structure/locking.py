"""Joints that do not move, and branches that are not there: their dofs stay in the answers, as zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import View
from leapcheck.judge.structure.scope import MASS_MATRICES
from leapcheck.states import Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.spatial import RigidInertia, inertia_to_parent
from leapcheck_reference.tree import Link, Tree


def without_motion(names: Sequence[str], absent: bool = False) -> Callable[[Tree], Tree]:
    """The edit of a tree that makes the joints of some links rigid at zero, or takes the links out, their rotors with them.

    Each dof stays, with a unit inertia of its own, so that M can still be inverted; `without_rows` takes it out of the answers.
    """

    def edit(tree: Tree) -> Tree:
        links = list(tree.links)
        for i, link in enumerate(tree.links):
            if link.name not in names:
                continue
            inertia = _nothing(links[i].inertia) if absent else links[i].inertia
            links[i] = replace(link, type=JointType.FIXED, S=0.0 * link.S, armature=1.0, rotor=None, inertia=inertia)
            if link.rotor and link.parent >= 0 and not absent:
                links[link.parent] = _with_rotor(links[link.parent], link)
        return replace(tree, links=tuple(links))

    return edit


def _nothing(inertia: RigidInertia) -> RigidInertia:
    return RigidInertia(0.0 * inertia.mass, 0.0 * inertia.mc, 0.0 * inertia.I)


def _with_rotor(parent: Link, link: Link) -> Link:
    """The link on which a joint's rotor rides, with it as a part."""
    assert link.rotor is not None
    return replace(parent, inertia=parent.inertia + inertia_to_parent(link.rotor.placement, link.rotor.inertia))


def without_rows(dofs: Sequence[int]) -> Callable[[View, str, Floats], Floats]:
    """Answers without the inertia, the energy and the acceleration that `without_motion` leaves to some dofs."""
    places = np.array(dofs)

    def answering(view: View, quantity: str, values: Floats) -> Floats:
        values = values.copy()
        if quantity in MASS_MATRICES:
            values[:, places, places] = 0.0
        elif quantity == "forward_dynamics":
            values[:, places] = 0.0
        elif quantity == "kinetic_energy":
            values -= 0.5 * (view.read.v[:, places] ** 2).sum(axis=1)
        return values

    return answering
