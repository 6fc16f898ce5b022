"""J column by column: the velocity of a contact point for a unit rate of each joint, each term open to change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import Changes
from leapcheck.judge.terms.model import cross, link_constants, poses, turn
from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class JacobianForm:
    """J of the contact points at q (n, nq): e x (p_P - p) of a hinge, e of a slide, link by link up to the root."""

    tree: Tree
    q: Floats
    changes: Changes

    def jacobians(self) -> Floats:
        """J (n, points, 3, nv)."""
        change, links, constants = self.changes.apply, poses(self.tree, self.q)[0], link_constants(self.tree)
        n, places = len(self.q), self._places()
        J = np.zeros((n, len(self.tree.points), 3, self.tree.nv))
        for k, point in enumerate(self.tree.points):
            r = np.broadcast_to(np.asarray(point.position, dtype=float), (n, 3))
            arm = change("point offset", k, change("point unturned", k, turn(links[point.link].R_W, r), r))
            place = change("point on link", k, places[point.link]) + arm
            i = point.link
            while i >= 0:
                J[:, k, :, constants[i].v] = self._columns(i, constants[i].S, links[i].R_W, place - places[i], place)
                i = constants[i].parent
        return J

    def _places(self) -> list[Array]:
        """Origins of the links in the world (n, 3)."""
        links = poses(self.tree, self.q)[0]
        places: list[Array] = []
        for link, X in zip(link_constants(self.tree), links, strict=True):
            on_world = link.parent < 0
            places.append(X.p if on_world else places[link.parent] + turn(links[link.parent].R_W, X.p))
        return places

    def _columns(self, i: int, S: Floats, R: Array, arm: Array, place: Array) -> Array:
        """Columns (n, 3, k) of a joint."""
        change, back = self.changes.apply, R.swapaxes(1, 2)
        columns = []
        for w, v in S.T.reshape(-1, 2, 3):
            axis, along = R @ w, R @ v
            axis = change("angular columns transposed", i, axis, back @ w)
            along = change("linear columns transposed", i, along, back @ v)
            turning = change("columns about the origin", i, cross(axis, arm), cross(axis, place))
            columns.append(change("angular columns", i, turning) + change("linear columns", i, along))
        block = np.stack(columns, axis=2) if columns else np.zeros((len(arm), 3, 0))
        return change("columns", i, block)
