"""Newton and Euler's equations as textbooks write them with vectors at the com, each term open to change.

Written for the judge, apart from the reference: it groups nothing, so that each term is the one that a programmer writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from leapcheck.judge.terms.changes import Changes, Rows
from leapcheck.judge.terms.model import BodyConstants, Pose, cross, link_constants, poses, rotor_constants, turn, turn_back
from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.rotation import skew
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """A body's angular velocity, velocity, angular acceleration and acceleration (n, 3) at its origin, in its own axes."""

    w: Array
    v: Array
    alpha: Array
    a: Array


@dataclass(frozen=True, slots=True, eq=False)
class VectorForm:
    """The recursion with 3-vectors (Luh, Walker and Paul 1980; Craig, section 6.5) at q (n, nq), v (n, nv) and vdot (n, nv).

    By default at vdot = 0. Gravity is an acceleration of the ground upwards.
    """

    tree: Tree
    q: Floats
    v: Floats
    changes: Changes
    vdot: Floats | None = None

    def answers(self, quantities: frozenset[str]) -> dict[str, Floats]:
        """Those of the quantities that this form gives."""
        both = poses(self.tree, self.q)
        answers: dict[str, Floats] = {}
        gravity = np.asarray(self.tree.gravity, dtype=float)
        points = quantities & {"contact_velocities", "contact_bias_accelerations"}
        if points or quantities & {"bias_force", "coriolis_force", "kinetic_energy"}:
            motions = self._motions(*both, np.zeros(3))
            answers["kinetic_energy"] = self._energy(*motions)
            if quantities & {"bias_force", "coriolis_force"}:
                answers["coriolis_force"] = self._forces(*both, *motions, np.zeros(3))
            if points:
                answers["contact_velocities"], answers["contact_bias_accelerations"] = self._points(both[0], motions[0])
        if quantities & {"bias_force", "gravity_force"}:
            still = replace(self, v=np.zeros_like(self.v))
            answers["gravity_force"] = still._forces(*both, *still._motions(*both, -gravity), gravity)
        if "bias_force" in quantities:
            answers["bias_force"] = answers["coriolis_force"] + answers["gravity_force"]
        if "mass_matrix" in quantities:
            answers["mass_matrix"] = self._mass_matrix(*both)
        if "potential_energy" in quantities:
            answers["potential_energy"] = self._potential_energy(*both)
        return {name: answers[name] for name in quantities if name in answers}

    def _mass_matrix(self, links: list[Pose], rotors: list[Pose | None]) -> Floats:
        """M, column by column of unit accelerations, made symmetric by its mean with its transpose."""
        columns = []
        for unit in np.eye(self.tree.nv):
            moved = replace(self, v=np.zeros_like(self.v), vdot=np.broadcast_to(unit, self.v.shape))
            motions = moved._motions(links, rotors, np.zeros(3))
            columns.append(moved._forces(links, rotors, *motions, np.zeros(3)) + unit * self._armatures())
        M = np.stack(columns, axis=2)
        return np.asarray(0.5 * (M + M.swapaxes(1, 2)))

    def _armatures(self) -> Floats:
        """The armature of each dof (nv,)."""
        armatures = np.zeros(self.tree.nv)
        for link in self.tree.links:
            armatures[link.v] = float(link.armature)
        return armatures

    def _motions(
        self, links: list[Pose], rotors: list[Pose | None], ground: Floats
    ) -> tuple[list[Moving | None], list[Moving | None]]:
        zero = np.zeros((len(self.q), 3))
        world = Moving(zero, zero, zero, np.broadcast_to(ground, zero.shape))
        moving: list[Moving | None] = []
        spinning: list[Moving | None] = []
        for i, (link, rotor) in enumerate(zip(link_constants(self.tree), rotor_constants(self.tree), strict=True)):
            parent = self._before(i, (moving[link.parent] if link.parent >= 0 else None) or world, moving[-1] if moving else None)
            moving.append(self._behind_joint("", i, link, links[i], parent))
            pose = rotors[i]
            spinning.append(self._behind_joint("rotor ", i, rotor, pose, parent) if rotor and pose else None)
        return moving, spinning

    def _before(self, i: int, parent: Moving, last: Moving | None) -> Moving:
        """The motion of what carries a link."""
        if last is None:
            return parent
        change = self.changes.apply
        return Moving(
            change("parent motion", i, parent.w, last.w),
            change("parent motion", i, parent.v, last.v),
            change("parent motion", i, parent.alpha, last.alpha),
            change("parent motion", i, parent.a, last.a),
        )

    def _behind_joint(self, kind: str, i: int, body: BodyConstants, X: Pose, parent: Moving) -> Moving:
        change = self.changes.apply
        w_J, v_J = self.v[:, body.v] @ body.S[:3].T, self.v[:, body.v] @ body.S[3:].T
        w_J = change(f"{kind}fixed", i, change(f"{kind}joint rate", i, w_J))
        w_J = change(f"{kind}joint rate ungeared", i, w_J, w_J / self._gear(i))
        alpha_J, a_J = (self._rates(body, rows) for rows in (slice(3), slice(3, 6)))
        # w = R^T w_p + w_J
        carried = turn_back(X.R, parent.w)
        carried = change(f"{kind}velocity unturned", i, carried, parent.w)
        carried = change(f"{kind}velocity turned the other way", i, carried, lambda rows: turn(X.R[rows], parent.w[rows]))
        w = carried + change(f"{kind}spin", i, w_J)
        # v = R^T (v_p + w_p x p) + v_J
        v = turn_back(X.R, parent.v + change(f"{kind}arm velocity", i, cross(parent.w, X.p))) + v_J
        # alpha = R^T alpha_p + w x w_J + S vdot
        alpha = change(f"{kind}rate", i, turn_back(X.R, parent.alpha))
        alpha = change(f"{kind}rate unturned", i, alpha, parent.alpha) + change(f"{kind}velocity product", i, cross(carried, w_J))
        alpha = alpha + alpha_J
        # a = R^T (a_p + alpha_p x p + w_p x (w_p x p)) + 2 w x v_J
        centripetal = change(f"{kind}arm centripetal", i, cross(parent.w, cross(parent.w, X.p)))
        carrying = parent.a + change(f"{kind}arm tangential", i, cross(parent.alpha, X.p)) + centripetal
        a = change(f"{kind}acceleration unturned", i, turn_back(X.R, carrying), carrying)
        return Moving(w, v, alpha, a + change(f"{kind}sliding", i, cross(carried + w, v_J)) + a_J)

    def _rates(self, body: BodyConstants, rows: slice) -> Array:
        """Angular or linear acceleration (n, 3) of a joint's own."""
        return np.zeros(3) if self.vdot is None else self.vdot[:, body.v] @ body.S[rows].T

    def _gear(self, i: int) -> float:
        """The gear ratio of a link's rotor; 1 where it has none."""
        rotor = self.tree.links[i].rotor
        return (float(rotor.gear_ratio) or 1.0) if rotor else 1.0

    def _forces(
        self,
        links: list[Pose],
        rotors: list[Pose | None],
        moving: list[Moving | None],
        spinning: list[Moving | None],
        gravity: Floats,
    ) -> Floats:
        change = self.changes.apply
        constants, of_rotors = link_constants(self.tree), rotor_constants(self.tree)
        tau = np.zeros((len(self.q), self.tree.nv))
        f: list[Array] = [np.zeros((len(self.q), 3))] * len(links)
        n = list(f)
        for i in reversed(range(len(links))):
            link, rotor, X, X_rotor, motion = constants[i], of_rotors[i], links[i], rotors[i], moving[i]
            assert motion is not None
            f_own, n_own = self._wrench("", i, link, motion, turn_back(X.R_W, gravity))
            f[i], n[i] = f[i] + f_own, n[i] + n_own
            # tau = S^T [n; f]
            tau[:, link.v] = n[i] @ link.S[:3] + f[i] @ link.S[3:]
            f_parent, n_parent = self._carried("", i, X, f[i], n[i])
            spin = spinning[i]
            if rotor and X_rotor and spin:
                f_rotor, n_rotor = self._wrench("rotor ", i, rotor, spin, turn_back(X_rotor.R_W, gravity))
                torque = n_rotor @ rotor.S[:3] + f_rotor @ rotor.S[3:]
                torque = change("rotor torque ungeared", i, torque, torque / self._gear(i))
                tau[:, link.v] += change("rotor fixed", i, change("rotor torque", i, torque))
                f_rotor, n_rotor = self._carried("rotor ", i, X_rotor, f_rotor, n_rotor)
                f_parent = f_parent + change("rotor reaction", i, f_rotor)
                n_parent = n_parent + change("rotor reaction", i, n_rotor)
            if link.parent >= 0:
                f[link.parent], n[link.parent] = f[link.parent] + f_parent, n[link.parent] + n_parent
        return tau

    def _wrench(self, kind: str, i: int, body: BodyConstants, motion: Moving, gravity: Array) -> tuple[Array, Array]:
        """Force and moment about the origin that a body takes: f = m (a_c - g), n = I alpha + w x I w + c x f."""
        change = self.changes.apply
        w, c, m = motion.w, body.com, body.mass
        tangential = change(f"{kind}com tangential", i, cross(motion.alpha, c))
        a_com = motion.a + tangential + change(f"{kind}com centripetal", i, cross(w, cross(w, c)))
        f = change(f"{kind}inertial force", i, m * a_com)
        f = change(f"{kind}weight", i, f, f + m * gravity)
        C = skew(c)

        def about_origin(rows: Rows) -> Array:
            return cross(w[rows], w[rows] @ (body.I - m * (C @ C)))

        gyroscopic = change(f"{kind}gyroscopic", i, cross(w, w @ body.I))
        gyroscopic = change(f"{kind}gyroscopic of origin", i, gyroscopic, about_origin)
        gyroscopic = change(
            f"{kind}gyroscopic of diagonal", i, gyroscopic, lambda rows: cross(w[rows], w[rows] * np.diag(body.I))
        )
        n = change(f"{kind}turning", i, motion.alpha @ body.I) + gyroscopic
        n = n + change(f"{kind}gyroscopic about origin", i, 0.0 * n, lambda rows: -about_origin(rows))
        return f, n + change(f"{kind}com moment", i, cross(np.broadcast_to(c, f.shape), f))

    def _carried(self, kind: str, i: int, X: Pose, f: Array, n: Array) -> tuple[Array, Array]:
        """The same on the parent: R f, and R n + p x R f."""
        change = self.changes.apply
        f_parent, n_parent = turn(X.R, f), turn(X.R, n)
        f_parent = change(f"{kind}force unturned", i, f_parent, f)
        f_parent = change(f"{kind}force turned the other way", i, f_parent, lambda rows: turn_back(X.R[rows], f[rows]))
        n_parent = change(f"{kind}moment unturned", i, n_parent, n)
        n_parent = change(f"{kind}moment turned the other way", i, n_parent, lambda rows: turn_back(X.R[rows], n[rows]))
        arm = change(f"{kind}carried arm", i, cross(X.p, f_parent))
        arm = change(f"{kind}carried arm unturned", i, arm, lambda rows: cross(X.p[rows], f[rows]))
        n_parent = change(f"{kind}carried moment", i, n_parent) + arm
        f_parent = change(f"{kind}carried force", i, f_parent)
        return change(f"{kind}carried wrench", i, f_parent), change(f"{kind}carried wrench", i, n_parent)

    def _energy(self, moving: list[Moving | None], spinning: list[Moving | None]) -> Floats:
        """T = sum of m v_c^2 / 2 + w I w / 2, with armature."""
        energy = np.zeros(len(self.q))
        both = (("", link_constants(self.tree), moving), ("rotor ", rotor_constants(self.tree), spinning))
        for kind, constants, motions in both:
            for i, (body, motion) in enumerate(zip(constants, motions, strict=True)):
                if body and motion:
                    v_com = motion.v + cross(motion.w, body.com)
                    energy = energy + self.changes.apply(f"{kind}energy of moving", i, 0.5 * body.mass * (v_com**2).sum(axis=1))
                    energy = energy + self.changes.apply(
                        f"{kind}energy of turning", i, 0.5 * (motion.w @ body.I * motion.w).sum(axis=1)
                    )
        for link in self.tree.links:
            energy = energy + 0.5 * float(link.armature) * (self.v[:, link.v] ** 2).sum(axis=1)
        return energy

    def _potential_energy(self, links: list[Pose], rotors: list[Pose | None]) -> Floats:
        """U = -sum of m g (p + R c), in world axes."""
        energy, gravity = np.zeros(len(self.q)), np.asarray(self.tree.gravity, dtype=float)
        places: list[Array] = []
        bodies = zip(link_constants(self.tree), rotor_constants(self.tree), links, rotors, strict=True)
        for i, (link, rotor, X, X_rotor) in enumerate(bodies):
            on_world = link.parent < 0
            carrier, R = (np.zeros(3), np.eye(3)) if on_world else (places[link.parent], links[link.parent].R_W)
            places.append(carrier + turn(np.broadcast_to(R, X.R.shape), X.p))
            arm = turn(X.R_W, np.broadcast_to(link.com, X.p.shape))
            arm = self.changes.apply("com unturned", i, arm, np.broadcast_to(link.com, X.p.shape))
            energy = energy - link.mass * (places[i] + arm) @ gravity
            if rotor and X_rotor:
                seat = carrier + turn(np.broadcast_to(R, X.R.shape), X_rotor.p)
                energy = energy - rotor.mass * (seat + turn(X_rotor.R_W, np.broadcast_to(rotor.com, X.p.shape))) @ gravity
        return np.asarray(energy)

    def _points(self, links: list[Pose], moving: list[Moving | None]) -> tuple[Floats, Floats]:
        """Velocities R (v + w x r) and accelerations R (a + alpha x r + w x (w x r)) of the contact points (n, points, 3)."""
        change = self.changes.apply
        v = np.zeros((len(self.q), len(self.tree.points), 3))
        a = np.zeros_like(v)
        for k, point in enumerate(self.tree.points):
            motion, r = moving[point.link], np.broadcast_to(np.asarray(point.position, dtype=float), (len(self.q), 3))
            assert motion is not None
            R_W = links[point.link].R_W
            v[:, k] = turn(R_W, motion.v + change("point arm", k, cross(motion.w, r)))
            tangential = change("point tangential", k, cross(motion.alpha, r))
            a[:, k] = turn(R_W, motion.a + tangential + change("point centripetal", k, cross(motion.w, cross(motion.w, r))))
        return v, a
