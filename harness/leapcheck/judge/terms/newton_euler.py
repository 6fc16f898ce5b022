"""Newton and Euler's equations as textbooks write them, each term open to change: with vectors at the com, and spatial ones.

Written for the judge, apart from the reference: it groups nothing, so that each term is the one that a programmer writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import Changes
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
    """The recursion with 3-vectors (Luh, Walker and Paul 1980; Craig, section 6.5) at q (n, nq) and v (n, nv), vdot = 0."""

    tree: Tree
    q: Floats
    v: Floats
    changes: Changes

    def answers(self, quantities: frozenset[str]) -> dict[str, Floats]:
        """Those of the quantities that this form gives."""
        both = poses(self.tree, self.q)
        answers: dict[str, Floats] = {}
        if quantities & {"bias_force", "coriolis_force", "contact_velocities", "contact_bias_accelerations", "kinetic_energy"}:
            motions = self._motions(*both)
            answers["coriolis_force"] = self._forces(*both, *motions, np.zeros(3))
            answers["kinetic_energy"] = self._energy(*motions)
            answers["contact_velocities"], answers["contact_bias_accelerations"] = self._points(both[0], motions[0])
        if quantities & {"bias_force", "gravity_force"}:
            still = self._still(both[0]), self._still(both[1])
            answers["gravity_force"] = self._forces(*both, *still, np.asarray(self.tree.gravity, dtype=float))
        if "bias_force" in quantities:
            answers["bias_force"] = answers["coriolis_force"] + answers["gravity_force"]
        return {name: answers[name] for name in quantities if name in answers}

    def _still(self, bodies: Sequence[Pose | None]) -> list[Moving | None]:
        zero = np.zeros((len(self.q), 3))
        return [None if pose is None else Moving(zero, zero, zero, zero) for pose in bodies]

    def _motions(self, links: list[Pose], rotors: list[Pose | None]) -> tuple[list[Moving | None], list[Moving | None]]:
        zero = np.zeros((len(self.q), 3))
        world = Moving(zero, zero, zero, zero)
        moving: list[Moving | None] = []
        spinning: list[Moving | None] = []
        for i, (link, rotor) in enumerate(zip(link_constants(self.tree), rotor_constants(self.tree), strict=True)):
            parent = (moving[link.parent] if link.parent >= 0 else None) or world
            moving.append(self._behind_joint("", i, link, links[i], parent))
            pose = rotors[i]
            spinning.append(self._behind_joint("rotor ", i, rotor, pose, parent) if rotor and pose else None)
        return moving, spinning

    def _behind_joint(self, kind: str, i: int, body: BodyConstants, X: Pose, parent: Moving) -> Moving:
        change = self.changes.apply
        w_J, v_J = self.v[:, body.v] @ body.S[:3].T, self.v[:, body.v] @ body.S[3:].T
        w_J = change(f"{kind}fixed", i, change(f"{kind}joint rate", i, w_J))
        # w = R^T w_p + w_J
        carried = turn_back(X.R, parent.w)
        carried = change(f"{kind}velocity unturned", i, carried, parent.w)
        carried = change(f"{kind}velocity turned the other way", i, carried, turn(X.R, parent.w))
        w = carried + w_J
        # v = R^T (v_p + w_p x p) + v_J
        v = turn_back(X.R, parent.v + change(f"{kind}arm velocity", i, cross(parent.w, X.p))) + v_J
        # alpha = R^T alpha_p + w x w_J
        alpha = turn_back(X.R, parent.alpha)
        alpha = change(f"{kind}rate unturned", i, alpha, parent.alpha) + change(f"{kind}velocity product", i, cross(carried, w_J))
        # a = R^T (a_p + alpha_p x p + w_p x (w_p x p)) + 2 w x v_J
        centripetal = change(f"{kind}arm centripetal", i, cross(parent.w, cross(parent.w, X.p)))
        carrying = parent.a + change(f"{kind}arm tangential", i, cross(parent.alpha, X.p)) + centripetal
        a = change(f"{kind}acceleration unturned", i, turn_back(X.R, carrying), carrying)
        return Moving(w, v, alpha, a + change(f"{kind}sliding", i, cross(carried + w, v_J)))

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
        f = m * a_com - change(f"{kind}weight", i, m * gravity)
        gyroscopic = change(f"{kind}gyroscopic", i, cross(w, w @ body.I))
        n = change(f"{kind}turning", i, motion.alpha @ body.I) + gyroscopic
        C = skew(c)
        about_origin = cross(w, w @ (body.I - m * (C @ C)))
        n = n + change(f"{kind}gyroscopic about origin", i, 0.0 * n, -about_origin)
        return f, n + change(f"{kind}com moment", i, cross(np.broadcast_to(c, f.shape), f))

    def _carried(self, kind: str, i: int, X: Pose, f: Array, n: Array) -> tuple[Array, Array]:
        """The same on the parent: R f, and R n + p x R f."""
        change = self.changes.apply
        f_parent, n_parent = turn(X.R, f), turn(X.R, n)
        f_parent = change(f"{kind}force unturned", i, f_parent, f)
        f_parent = change(f"{kind}force turned the other way", i, f_parent, turn_back(X.R, f))
        n_parent = change(f"{kind}moment unturned", i, n_parent, n)
        n_parent = change(f"{kind}moment turned the other way", i, n_parent, turn_back(X.R, n))
        arm = change(f"{kind}carried arm", i, cross(X.p, f_parent))
        return change(f"{kind}carried force", i, f_parent), change(f"{kind}carried moment", i, n_parent) + arm

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


@dataclass(frozen=True, slots=True, eq=False)
class SpatialForm:
    """The recursion with spatial vectors (Featherstone, table 5.1): A = X A_p + V x S qd, F = I A + V x* I V, at vdot = 0."""

    tree: Tree
    q: Floats
    v: Floats
    changes: Changes

    def answers(self, quantities: frozenset[str]) -> dict[str, Floats]:
        """Coriolis force, and that part of the bias force: gravity is left out of both."""
        if not quantities & {"bias_force", "coriolis_force"}:
            return {}
        coriolis = self._coriolis_force()
        return {name: coriolis for name in ("bias_force", "coriolis_force") if name in quantities}

    def _coriolis_force(self) -> Floats:
        links, rotors = poses(self.tree, self.q)
        constants, of_rotors = link_constants(self.tree), rotor_constants(self.tree)
        zero = np.zeros((len(self.q), 6))
        V: list[Array] = []
        A: list[Array] = []
        F: list[Array] = []
        F_rotor: list[Array | None] = []
        for i, link in enumerate(constants):
            V_p, A_p = (V[link.parent], A[link.parent]) if link.parent >= 0 else (zero, zero)
            V_i, A_i, F_i = self._body("", i, link, links[i], V_p, A_p)
            V.append(V_i)
            A.append(A_i)
            F.append(F_i)
            rotor, X_rotor = of_rotors[i], rotors[i]
            F_rotor.append(self._body("rotor ", i, rotor, X_rotor, V_p, A_p)[2] if rotor and X_rotor else None)
        tau = np.zeros((len(self.q), self.tree.nv))
        for i in reversed(range(len(links))):
            link, rotor, X_rotor, F_r = constants[i], of_rotors[i], rotors[i], F_rotor[i]
            tau[:, link.v] = F[i] @ link.S
            carried = _to_parent(links[i], F[i])
            if rotor and X_rotor and F_r is not None:
                tau[:, link.v] += F_r @ rotor.S
                carried = carried + _to_parent(X_rotor, F_r)
            if link.parent >= 0:
                F[link.parent] = F[link.parent] + carried
        return tau

    def _body(self, kind: str, i: int, body: BodyConstants, X: Pose, V_p: Array, A_p: Array) -> tuple[Array, Array, Array]:
        change = self.changes.apply
        V_J = self.v[:, body.v] @ body.S.T
        V = _to_child(X, V_p) + V_J
        c = np.concatenate(
            [
                change(f"{kind}spatial product, angular", i, cross(V[:, :3], V_J[:, :3])),
                change(f"{kind}spatial product, linear", i, cross(V[:, :3], V_J[:, 3:]) + cross(V[:, 3:], V_J[:, :3])),
            ],
            axis=1,
        )
        A = _to_child(X, A_p) + change(f"{kind}spatial product", i, c)
        p = _momentum(body, V)
        product = np.concatenate([cross(V[:, :3], p[:, :3]) + cross(V[:, 3:], p[:, 3:]), cross(V[:, :3], p[:, 3:])], axis=1)
        return V, A, _momentum(body, A) + change(f"{kind}spatial force product", i, product)


def _to_child(X: Pose, V: Array) -> Array:
    w, v = V[:, :3], V[:, 3:]
    return np.concatenate([turn_back(X.R, w), turn_back(X.R, v + cross(w, X.p))], axis=1)


def _to_parent(X: Pose, F: Array) -> Array:
    f = turn(X.R, F[:, 3:])
    return np.concatenate([turn(X.R, F[:, :3]) + cross(X.p, f), f], axis=1)


def _momentum(body: BodyConstants, V: Array) -> Array:
    """I V about the origin: p = m (v + w x c), l = I_c w + c x p."""
    w, v = V[:, :3], V[:, 3:]
    p = body.mass * (v + cross(w, np.broadcast_to(body.com, w.shape)))
    return np.concatenate([w @ body.I + cross(np.broadcast_to(body.com, p.shape), p), p], axis=1)
