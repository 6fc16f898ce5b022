"""Forward dynamics by articulated bodies (Featherstone, table 7.1), each term open to change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import Changes
from leapcheck.judge.terms.composite import spatial_inertia, spatial_transform
from leapcheck.judge.terms.model import BodyConstants, Pose, link_constants, poses, rotor_constants
from leapcheck.judge.terms.spatial import force_cross, momentum, motion_cross, to_child
from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What a joint knows on the way out: D^-1 (n, k, k), U (n, 6, k) on the parent, and u = tau less the bias (n, k)."""

    D_inverse: Array
    U: Array
    u: Array


@dataclass(frozen=True, slots=True, eq=False)
class ArticulatedForm:
    """vdot at q (n, nq), v and tau (n, nv). A rotor stands beside its link on the same parent."""

    tree: Tree
    q: Floats
    v: Floats
    tau: Floats
    changes: Changes

    def accelerations(self) -> Floats:
        """vdot (n, nv)."""
        links, rotors = poses(self.tree, self.q)
        V, c, c_rotor, V_rotor = self._velocities(links, rotors)
        change, constants, of_rotors = self.changes.apply, link_constants(self.tree), rotor_constants(self.tree)
        IA = [np.broadcast_to(spatial_inertia(body), (len(self.q), 6, 6)) for body in constants]
        pA = [change("own bias", i, force_cross(V[i], momentum(body, V[i]))) for i, body in enumerate(constants)]
        joints: list[Joint] = []
        for i in reversed(range(len(links))):
            body, rotor, X_r = constants[i], of_rotors[i], rotors[i]
            X, S = spatial_transform(links[i].R, links[i].p), body.S
            back = X.swapaxes(1, 2)
            bias = pA[i] + change("inertia times c", i, (IA[i] @ c[i][..., None])[..., 0])
            armature = float(self.tree.links[i].armature) * np.ones((len(self.q), 1, 1))
            D = S.T @ IA[i] @ S + change("armature in D", i, armature) * np.eye(S.shape[1])
            U, u = back @ IA[i] @ S, self.tau[:, body.v] - bias @ S
            inertia, force = back @ IA[i] @ X, (back @ bias[..., None])[..., 0]
            if rotor and X_r:
                Xr, Ir = spatial_transform(X_r.R, X_r.p), spatial_inertia(rotor)
                p = force_cross(V_rotor[i], momentum(rotor, V_rotor[i])) + change("rotor bias", i, momentum(rotor, c_rotor[i]))
                D = D + change("rotor in D", i, np.broadcast_to(rotor.S.T @ Ir @ rotor.S, D.shape))
                U = U + change("rotor in U", i, Xr.swapaxes(1, 2) @ (Ir @ rotor.S))
                u = u - p @ rotor.S
                inertia = inertia + change("rotor ride", i, Xr.swapaxes(1, 2) @ Ir @ Xr)
                force = force + (Xr.swapaxes(1, 2) @ p[..., None])[..., 0]
            D_inverse = np.linalg.inv(D) if S.shape[1] else np.zeros((len(self.q), 0, 0))
            joints.append(Joint(D_inverse, U, u))
            if body.parent >= 0:
                gain = U @ D_inverse
                IA[body.parent] = IA[body.parent] + inertia - change("UDU", i, gain @ U.swapaxes(1, 2))
                pA[body.parent] = pA[body.parent] + force + change("UDu", i, (gain @ u[..., None])[..., 0])
        return self._outwards(links, c, joints[::-1])

    def _velocities(
        self, links: list[Pose], rotors: list[Pose | None]
    ) -> tuple[list[Array], list[Array], list[Array], list[Array]]:
        """V and V x S qd (n, 6) of links and of rotors: V, c, c of rotors, V of rotors."""
        zero = np.zeros((len(self.q), 6))
        V: list[Array] = []
        c: list[Array] = []
        c_rotor: list[Array] = []
        V_rotor: list[Array] = []
        bodies = zip(link_constants(self.tree), rotor_constants(self.tree), links, rotors, strict=True)
        for body, rotor, X, X_rotor in bodies:
            carrier = V[body.parent] if body.parent >= 0 else zero
            own = self._own(body)
            V.append(to_child(X, carrier) + own)
            c.append(motion_cross(V[-1], own))
            spin = self._own(rotor) if rotor else zero
            V_rotor.append(to_child(X_rotor, carrier) + spin if X_rotor else zero)
            c_rotor.append(motion_cross(V_rotor[-1], spin))
        return V, c, c_rotor, V_rotor

    def _own(self, body: BodyConstants) -> Array:
        """S qd (n, 6)."""
        return self.v[:, body.v] @ body.S.T

    def _outwards(self, links: list[Pose], c: list[Array], joints: list[Joint]) -> Floats:
        vdot = np.zeros_like(self.v)
        gravity = np.concatenate([np.zeros(3), -np.asarray(self.tree.gravity, dtype=float)])
        ground = np.broadcast_to(gravity, (len(self.q), 6))
        A: list[Array] = []
        for i, body in enumerate(link_constants(self.tree)):
            carrier, joint = A[body.parent] if body.parent >= 0 else ground, joints[i]
            left = joint.u - (carrier[:, None, :] @ joint.U)[:, 0]
            vdot[:, body.v] = (joint.D_inverse @ left[..., None])[..., 0]
            product = self.changes.apply("velocity product outwards", i, c[i])
            A.append(to_child(links[i], carrier) + product + vdot[:, body.v] @ body.S.T)
        return vdot
