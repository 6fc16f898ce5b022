"""Dynamics as the source texts print them, errors included: what the report says of each is shown by tests.

    leapcheck compare two_link_arm --engine printed_forms:TwiceI1

run in this folder names the misprint. Each class stands for dynamics code of one's own, in the convention of the README.
"""

from __future__ import annotations

import numpy as np

from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, gravity_force
from leapcheck_reference.classical import planar_arm
from leapcheck_reference.classical.newton_euler import newton_euler_in_link_frames
from leapcheck_reference.classical.serial_chain import SerialLink, serial_links
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink, mass_matrix, velocity_force
from leapcheck_reference.kinematics import forward_kinematics, frames
from leapcheck_reference.scalar import Array
from leapcheck_reference.spatial import RigidInertia, Transform, inertia_matrix
from leapcheck_reference.tree import Tree

MM = 1000.0


def planar_links(spec: RobotSpec) -> TwoLink:
    """The two links of the arm: masses, lengths, distances of the coms, inertias across."""
    length = (spec.bodies[1].placement.p[0], spec.contact_points[0].position[0])
    links = [
        PlanarLink(b.inertia.mass, l, b.inertia.com[0], b.inertia.rotational[3]) for b, l in zip(spec.bodies, length, strict=True)
    ]
    return TwoLink(links[0], links[1], gravity=-spec.gravity[2])


class TwiceI1:
    """S1 on the two-link arm: E_k = ... + I1 q1'^2 / 2 + I1 (q1' + q2')^2 / 2, where the second should be I2."""

    def __init__(self, spec: RobotSpec) -> None:
        self._links = planar_links(spec)

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """The printed sum, term by term."""
        a, b = self._links.first, self._links.second
        both = v[0] + v[1]
        c2 = np.cos(q[1])
        square_1 = (a.com * v[0]) ** 2
        square_2 = (a.length * v[0]) ** 2 + (b.com * both) ** 2 + 2.0 * a.length * b.com * v[0] * both * c2
        return float(0.5 * (a.mass * square_1 + b.mass * square_2 + a.inertia * v[0] ** 2 + a.inertia * both**2))

    def mass_matrix(self, q: Array) -> Array:
        """Its second derivatives by the speeds; exact, since it is quadratic."""
        unit = np.eye(2)
        E = np.array([[self.kinetic_energy(q, a + b) for b in unit] for a in unit])
        alone = np.array([self.kinetic_energy(q, a) for a in unit])
        return np.asarray(E - alone[:, None] - alone)

    def bias_force(self, q: Array, v: Array) -> Array:
        """V + G, which are printed rightly."""
        return np.asarray(velocity_force(self._links, q, v) + planar_arm.gravity_force(self._links, q))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """M^-1 (tau - V - G)."""
        return np.asarray(np.linalg.solve(self.mass_matrix(q), tau - self.bias_force(q, v)))


class SurplusM11:
    """S3 on the two-link arm: M11 = ... + 2 m2 l1 lg2 cos q2 + 2 m2 l1 lg2, the last term being too much."""

    def __init__(self, spec: RobotSpec) -> None:
        self._links = planar_links(spec)

    def mass_matrix(self, q: Array) -> Array:
        """M as printed."""
        M = np.array(mass_matrix(self._links, q))
        M[0, 0] += 2.0 * self._links.second.mass * self._links.first.length * self._links.second.com
        return M

    def bias_force(self, q: Array, v: Array) -> Array:
        """V + G, which are printed rightly."""
        return np.asarray(velocity_force(self._links, q, v) + planar_arm.gravity_force(self._links, q))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """M^-1 (tau - V - G)."""
        return np.asarray(np.linalg.solve(self.mass_matrix(q), tau - self.bias_force(q, v)))


class Millimetres:
    """S1 on any serial chain: lengths in mm, masses in kg, gravity 9.8 m/s^2, torques in N mm; time is then in sqrt(1e-3) s."""

    def __init__(self, spec: RobotSpec) -> None:
        self._links = [_in_millimetres(link) for link in serial_links(spec)]
        self._gravity = np.array(spec.gravity)

    def mass_matrix(self, q: Array) -> Array:
        """Column by column by Newton and Euler, kg mm^2."""
        none = np.zeros(len(q))
        columns = [newton_euler_in_link_frames(self._links, q, none, unit, np.zeros(3)).tau for unit in np.eye(len(q))]
        return np.array(columns).T

    def bias_force(self, q: Array, v: Array) -> Array:
        """V in kg mm^2/s^2 plus G in N mm, as the program adds them."""
        return newton_euler_in_link_frames(self._links, q, v, np.zeros(len(q)), self._gravity).tau

    def gravity_force(self, q: Array) -> Array:
        """G, N mm."""
        return self.bias_force(q, np.zeros(len(q)))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """M^-1 (tau - V - G)."""
        return np.asarray(np.linalg.solve(self.mass_matrix(q), tau - self.bias_force(q, v)))


def _in_millimetres(link: SerialLink) -> SerialLink:
    X = link.placement
    moved = Transform(X.R, MM * X.p)
    return SerialLink(link.type, link.axis, moved, link.mass, MM * link.com, MM * MM * link.rotational)


class WrongVelocityProduct:
    """S2 on any robot: c = v_J x v for v x v_J, in the text's f = I a + v x* I v and in Jdot v."""

    def __init__(self, spec: RobotSpec) -> None:
        self._tree: Tree = build(spec)
        self._points = [(spec.body_index(p.body), np.array(p.position)) for p in spec.contact_points if p.computed]

    def bias_force(self, q: Array, v: Array) -> Array:
        """h (nv,) = sum J^T (I a + v x* I v) + g."""
        tree, at = self._tree, forward_kinematics(self._tree, q, v)
        J, J_rotor = _jacobians(tree, q)
        a, a_rotor = self._accelerations(q, v)
        h = gravity_force(tree, q)
        for i, link in enumerate(tree.links):
            h = h + J[i].T @ _force(link.inertia, at.V.links[i], a[i])
            if link.rotor:
                h = h + J_rotor[i].T @ _force(link.rotor.inertia, np.asarray(at.V.rotors[i]), a_rotor[i])
        return np.asarray(h)

    def contact_bias_accelerations(self, q: Array, v: Array) -> Array:
        """Jdot v (points, 3): a + w x v of each point's spatial acceleration and velocity."""
        at, (a, _) = forward_kinematics(self._tree, q, v), self._accelerations(q, v)
        found = []
        for link, r in self._points:
            (w, v_0), (alpha, a_0) = np.split(at.V.links[link], 2), np.split(a[link], 2)
            found.append(at.R_WB[link] @ (a_0 + np.cross(alpha, r) + np.cross(w, v_0 + np.cross(w, r))))
        return np.array(found)

    def velocity_product(self, V_joint: Array, V: Array) -> Array:
        """c (6,) as printed."""
        return np.asarray(_crossed(V_joint) @ V)

    def _accelerations(self, q: Array, v: Array) -> tuple[list[Array], list[Array]]:
        """Spatial accelerations of links and rotors at vdot = 0 with this c."""
        tree, at, posed = self._tree, forward_kinematics(self._tree, q, v), frames(self._tree, q)
        a: list[Array] = []
        a_rotor: list[Array] = []
        for i, link in enumerate(tree.links):
            parent = a[link.parent] if link.parent >= 0 else np.zeros(6)
            a.append(_carried(posed.X[i]) @ parent + self.velocity_product(link.S @ v[link.v], at.V.links[i]))
            X = posed.X_rotor[i]
            if link.rotor and X:
                c = self.velocity_product(link.rotor.S @ v[link.v], np.asarray(at.V.rotors[i]))
                a_rotor.append(_carried(X) @ parent + c)
            else:
                a_rotor.append(np.zeros(6))
        return a, a_rotor


def _jacobians(tree: Tree, q: Array) -> tuple[list[Array], list[Array]]:
    """Jacobians (6, nv) of links and rotors in their own axes."""
    posed = frames(tree, q)
    J: list[Array] = []
    J_rotor: list[Array] = []
    for link, X, X_rotor in zip(tree.links, posed.X, posed.X_rotor, strict=True):
        parent = J[link.parent] if link.parent >= 0 else np.zeros((6, tree.nv))
        own, own_rotor = _carried(X) @ parent, np.zeros((6, tree.nv))
        own[:, link.v] += link.S
        if link.rotor and X_rotor:
            own_rotor = _carried(X_rotor) @ parent
            own_rotor[:, link.v] += link.rotor.S
        J.append(own)
        J_rotor.append(own_rotor)
    return J, J_rotor


def _force(inertia: RigidInertia, V: Array, a: Array) -> Array:
    """I a + v x* I v."""
    I = inertia_matrix(inertia)
    return np.asarray(I @ a - _crossed(V).T @ (I @ V))


def _carried(X: Transform) -> Array:
    """X_BA (6, 6) of a pose of B in A."""
    E = X.R.T
    return np.block([[E, np.zeros((3, 3))], [-E @ _skew(X.p), E]])


def _crossed(V: Array) -> Array:
    """V x (6, 6)."""
    return np.block([[_skew(V[:3]), np.zeros((3, 3))], [_skew(V[3:]), _skew(V[:3])]])


def _skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
