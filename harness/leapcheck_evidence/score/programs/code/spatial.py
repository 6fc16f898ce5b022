"""Six-vectors in the links' axes, angular first: composite and articulated bodies, Newton-Euler (as Featherstone has them)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot
from leapcheck_evidence.score.programs.code.poses import Pose, poses, rotor_pose
from leapcheck_evidence.score.programs.code.rotation import skew, times, transpose
from leapcheck_models.arrays import Array, Floats


class Gear(NamedTuple):
    """The rotor of a joint: X from its carrier (n, 6, 6), S (6, 1), I (6, 6)."""

    X: Array
    S: Floats
    I: Floats


class Node(NamedTuple):
    """A link: X from its parent (n, 6, 6), S (6, dof), I (6, 6), and its rotor."""

    link: Link
    X: Array
    S: Floats
    I: Floats
    gear: Gear | None


class Flow(NamedTuple):
    """Velocities and velocity products (n, 6) of a link and of its rotor."""

    v: Array
    c: Array
    v_rotor: Array
    c_rotor: Array


def bias_force(robot: Robot, q: Array, v: Array) -> Array:
    """h (n, nv)."""
    return _inverse_dynamics(robot, q, v, robot.gravity)


def coriolis_force(robot: Robot, q: Array, v: Array) -> Array:
    """h (n, nv) without gravity."""
    return _inverse_dynamics(robot, q, v, np.zeros(3))


def gravity_force(robot: Robot, q: Array) -> Array:
    """h (n, nv) at rest."""
    return _inverse_dynamics(robot, q, np.zeros((len(q), robot.nv)), robot.gravity)


def _inverse_dynamics(robot: Robot, q: Array, v: Array, gravity: Floats) -> Array:
    """tau (n, nv) at vdot = 0."""
    nodes = _nodes(robot, q)
    flows = _flows(nodes, v)
    ground = _ground(gravity, len(q))
    accelerations: list[Array] = []
    forces: list[Array] = []
    from_rotors: dict[int, Array] = {}
    for link, X, _, I, gear in nodes:
        flow = flows[link.number]
        carrier = accelerations[link.parent] if link.parent >= 0 else ground
        a = times(X, carrier) + flow.c
        accelerations.append(a)
        forces.append(times(I, a) + _cross_force(flow.v, times(I, flow.v)))
        if gear:
            a_rotor = times(gear.X, carrier) + flow.c_rotor
            from_rotors[link.number] = times(gear.I, a_rotor) + _cross_force(flow.v_rotor, times(gear.I, flow.v_rotor))
    tau = np.zeros_like(v)
    for link, X, S, _, gear in reversed(nodes):
        f = forces[link.number]
        tau[:, link.v] = times(transpose(S), f)
        if link.parent >= 0:
            forces[link.parent] = forces[link.parent] + times(transpose(X), f)
        if gear:
            f_rotor = from_rotors[link.number]
            tau[:, link.v] += times(transpose(gear.S), f_rotor)
            if link.parent >= 0:
                forces[link.parent] = forces[link.parent] + times(transpose(gear.X), f_rotor)
    return tau


def mass_matrix(robot: Robot, q: Array) -> Array:
    """M (n, nv, nv)."""
    nodes = _nodes(robot, q)
    M = np.zeros((len(q), robot.nv, robot.nv))
    composites = [np.broadcast_to(node.I, (len(q), 6, 6)) for node in nodes]
    for link, X, _, _, gear in reversed(nodes):
        if link.parent >= 0:
            composites[link.parent] = composites[link.parent] + transpose(X) @ composites[link.number] @ X
            if gear:
                composites[link.parent] = composites[link.parent] + transpose(gear.X) @ gear.I @ gear.X
    for link, X, S, _, gear in nodes:
        F = composites[link.number] @ S
        M[:, link.v, link.v] = transpose(S) @ F
        if link.joint in ("revolute", "prismatic"):
            M[:, link.v, link.v] += link.armature
        F = transpose(X) @ F
        if gear:
            F_rotor = gear.I @ gear.S
            M[:, link.v, link.v] += gear.S.T @ F_rotor
            F = F + transpose(gear.X) @ F_rotor
        number = link.parent
        while number >= 0:
            node = nodes[number]
            M[:, node.link.v, link.v] = transpose(node.S) @ F
            M[:, link.v, node.link.v] = transpose(M[:, node.link.v, link.v])
            F = transpose(node.X) @ F
            number = node.link.parent
    return M


def forward_dynamics(robot: Robot, q: Array, v: Array, tau: Array) -> Array:
    """vdot (n, nv) by articulated bodies; a joint's rotor stands beside its link on the same parent."""
    nodes = _nodes(robot, q)
    flows = _flows(nodes, v)
    IA = [np.broadcast_to(node.I, (len(q), 6, 6)) for node in nodes]
    pA = [_cross_force(flow.v, times(node.I, flow.v)) for node, flow in zip(nodes, flows, strict=True)]
    U: dict[int, Array] = {}
    D: dict[int, Array] = {}
    u: dict[int, Array] = {}
    for link, X, S, _, gear in reversed(nodes):
        i, flow = link.number, flows[link.number]
        on_joint = pA[i] + times(IA[i], flow.c)
        row = transpose(S) @ IA[i] @ X
        D[i] = transpose(S) @ IA[i] @ S + link.armature * np.eye(S.shape[1])
        u[i] = tau[:, link.v] - times(transpose(S), on_joint)
        inertia, bias = transpose(X) @ IA[i] @ X, times(transpose(X), on_joint)
        if gear:
            p_rotor = _cross_force(flow.v_rotor, times(gear.I, flow.v_rotor)) + times(gear.I, flow.c_rotor)
            row = row + gear.S.T @ gear.I @ gear.X
            D[i] = D[i] + gear.S.T @ gear.I @ gear.S
            u[i] = u[i] - times(gear.S.T, p_rotor)
            inertia = inertia + transpose(gear.X) @ gear.I @ gear.X
            bias = bias + times(transpose(gear.X), p_rotor)
        U[i] = transpose(row)
        if link.parent >= 0:
            gain = transpose(np.linalg.solve(D[i], transpose(U[i]))) if S.shape[1] else U[i]
            IA[link.parent] = IA[link.parent] + inertia - gain @ transpose(U[i])
            pA[link.parent] = pA[link.parent] + bias + times(gain, u[i])
    return _outward(nodes, flows, robot, U, D, u, tau)


def _outward(
    nodes: list[Node], flows: list[Flow], robot: Robot, U: dict[int, Array], D: dict[int, Array], u: dict[int, Array], tau: Array
) -> Array:
    """The accelerations, from the root to the leaves."""
    vdot = np.zeros_like(tau)
    ground = _ground(robot.gravity, len(tau))
    accelerations: list[Array] = []
    for link, X, S, _, _ in nodes:
        carrier = accelerations[link.parent] if link.parent >= 0 else ground
        a = times(X, carrier) + flows[link.number].c
        if S.shape[1]:
            rate = times(np.linalg.inv(D[link.number]), u[link.number] - times(transpose(U[link.number]), carrier))
            vdot[:, link.v] = rate
            a = a + times(S, rate)
        accelerations.append(a)
    return vdot


def _nodes(robot: Robot, q: Array) -> list[Node]:
    """The links as six-vectors have them."""
    nodes = []
    for link, pose in zip(robot.links, poses(robot, q), strict=True):
        gear = None
        if link.rotor:
            rotor = link.rotor
            S_rotor = np.concatenate([rotor.ratio * rotor.axis, np.zeros(3)])[:, None]
            gear = Gear(_transform(rotor_pose(link, rotor, q)), S_rotor, _inertia(rotor.mass, rotor.com, rotor.I))
        nodes.append(Node(link, _transform(pose), _subspace(link), _inertia(link.mass, link.com, link.I), gear))
    return nodes


def _flows(nodes: list[Node], v: Array) -> list[Flow]:
    """Velocities, and velocity products c = v x S qd."""
    flows: list[Flow] = []
    zero = np.zeros((len(v), 6))
    for link, X, S, _, gear in nodes:
        carrier = flows[link.parent].v if link.parent >= 0 else zero
        own = times(S, v[:, link.v]) if S.shape[1] else zero
        velocity = times(X, carrier) + own
        product = _cross_motion(velocity, own)
        v_rotor = c_rotor = zero
        if gear:
            spin = times(gear.S, v[:, link.v])
            v_rotor = times(gear.X, carrier) + spin
            c_rotor = _cross_motion(v_rotor, spin)
        flows.append(Flow(velocity, product, v_rotor, c_rotor))
    return flows


def _ground(gravity: Floats, n: int) -> Array:
    """The acceleration (n, 6) that the world seems to have."""
    return np.broadcast_to(np.concatenate([np.zeros(3), -gravity]), (n, 6))


def _transform(pose: Pose) -> Array:
    """X (n, 6, 6) of motions, from the parent's axes to the body's."""
    E = transpose(pose.R)
    X = np.zeros((len(E), 6, 6))
    X[:, :3, :3] = E
    X[:, 3:, 3:] = E
    X[:, 3:, :3] = -E @ skew(pose.p)
    return X


def _subspace(link: Link) -> Floats:
    """S (6, dof)."""
    match link.joint:
        case "free":
            return np.eye(6)
        case "ball":
            return np.eye(6)[:, :3]
        case "revolute":
            return np.concatenate([link.axis, np.zeros(3)])[:, None]
        case "prismatic":
            return np.concatenate([np.zeros(3), link.axis])[:, None]
    return np.zeros((6, 0))


def _inertia(mass: float, com: Floats, I: Floats) -> Floats:
    """Spatial inertia (6, 6) about the origin."""
    C = skew(com)
    return np.block([[I + mass * C @ C.T, mass * C], [mass * C.T, mass * np.eye(3)]])


def _cross_motion(v: Array, m: Array) -> Array:
    """v x m (n, 6)."""
    w, u = skew(v[:, :3]), skew(v[:, 3:])
    return np.concatenate([times(w, m[:, :3]), times(w, m[:, 3:]) + times(u, m[:, :3])], axis=1)


def _cross_force(v: Array, f: Array) -> Array:
    """v x* f (n, 6)."""
    w, u = skew(v[:, :3]), skew(v[:, 3:])
    return np.concatenate([times(w, f[:, :3]) + times(u, f[:, 3:]), times(w, f[:, 3:])], axis=1)
