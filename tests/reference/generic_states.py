"""Seeded generic states, and derivatives along a robot's manifold by the complex step: the tests' own kinematics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec
from leapcheck_reference import Tree, build

NAMED = ("mini_cheetah", "mini_cheetah_armature", "pupper_leg", "two_link_arm", "tree4_5", "box", "falling_rod")
# Between them every joint type, 1 to 4 roots, chains of fixed links, depth 16, spinning and symmetric rotors, also on the
# world; 53 is one slide with a spinning rotor on the world.
RANDOM = tuple(f"random:{seed}" for seed in (2, 19, 20, 24, 26, 29, 40, 53, 57))
ROBOTS = (*NAMED, *RANDOM)
LARGE = ("random:19", "random:40", "random:57")  # 17 to 30 dof: half of the time of all


def robots_with_one_large(large: str, robots: tuple[str, ...] = ROBOTS) -> list[Any]:
    """The robots as parameters of a test; of the large ones the others are slow, and each test keeps another one."""
    return [pytest.param(name, marks=pytest.mark.slow if name in LARGE and name != large else []) for name in robots]


STEP = 1e-30  # of the complex step: so small that its square is no number at all


@dataclass(frozen=True, slots=True)
class Case:
    """A robot in one generic state: tilted, fast, every joint bent, with forces and accelerations."""

    spec: RobotSpec
    tree: Tree
    q: Array
    v: Array
    vdot: Array
    tau: Array
    f_ext: Array


@cache
def robot(name: str) -> tuple[RobotSpec, Tree]:
    spec = load(name)
    return spec, build(spec)


@cache
def case(name: str, seed: int = 1) -> Case:
    """A robot in its generic state number `seed`; the arrays are read-only."""
    spec, tree = robot(name)
    rng = np.random.default_rng(seed)
    v, vdot, tau = (scale * rng.normal(size=spec.nv) for scale in (2.0, 5.0, 10.0))
    drawn = (configuration(spec, rng), v, vdot, tau, 10.0 * rng.normal(size=(len(spec.bodies), 6)))
    for array in drawn:
        array.flags.writeable = False
    return Case(spec, tree, *drawn)


def configuration(spec: RobotSpec, rng: np.random.Generator) -> Array:
    """Generic q: orientations uniform, angles to +-pi, slides to +-0.5 m, bases within metres of the origin."""
    parts: list[Any] = [np.zeros(0)]
    for kind in (body.joint.type for body in spec.bodies):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        draws = {
            JointType.FREE: np.concatenate([rng.normal(size=3), quaternion]),
            JointType.BALL: quaternion,
            JointType.REVOLUTE: rng.uniform(-np.pi, np.pi, 1),
            JointType.PRISMATIC: rng.uniform(-0.5, 0.5, 1),
            JointType.FIXED: np.zeros(0),
        }
        parts.append(draws[kind])
    return np.concatenate(parts)


def joint_slices(spec: RobotSpec) -> list[tuple[JointType, slice, slice]]:
    """Joint type, place in q and place in v of every body."""
    slices, q, v = [], 0, 0
    for kind in (body.joint.type for body in spec.bodies):
        q_end, v_end = q + CONFIGURATION_SIZE[kind], v + VELOCITY_SIZE[kind]
        slices.append((kind, slice(q, q_end), slice(v, v_end)))
        q, v = q_end, v_end
    return slices


def rate(spec: RobotSpec, q: Array, v: Array) -> Array:
    """qdot (nq,): pdot = R v of a base in body axes, 1/2 quaternion o [0, w] of a body-frame angular velocity."""
    qdot = np.zeros(spec.nq)
    for kind, at, along in joint_slices(spec):
        if kind is JointType.FREE:
            qdot[at][:3] = rotation(q[at][3:]).as_matrix() @ v[along][3:]
            qdot[at][3:] = _quaternion_rate(q[at][3:], v[along][:3])
        elif kind is JointType.BALL:
            qdot[at] = _quaternion_rate(q[at], v[along])
        else:
            qdot[at] = v[along]
    return qdot


def moved(spec: RobotSpec, q: Array, v: Array, dt: float) -> Array:
    """Configuration reached from q in `dt` with constant v, to second order in dt: what central differences need."""
    q_new = q + dt * rate(spec, q, v)
    for kind, at, along in joint_slices(spec):
        if kind in (JointType.FREE, JointType.BALL):
            turned = rotation(q[at][-4:]) * Rotation.from_rotvec(dt * v[along][:3])
            q_new[at][-4:] = turned.as_quat(scalar_first=True)
    return q_new


def rotation(quaternion: Array) -> Rotation:
    return Rotation.from_quat(quaternion, scalar_first=True)


def derivative(function: Callable[..., Any], *along: tuple[Array, Array]) -> Array:
    """Derivative of function(x, y, ...) when each argument x moves at the rate xdot, for `along` = (x, xdot), (y, ydot), ...

    By the complex step (Squire and Trapp 1998): exact to rounding.
    """
    rates: Array = np.imag(function(*(x + 1j * STEP * xdot for x, xdot in along))) / STEP
    return rates


def gradient(spec: RobotSpec, function: Callable[[Array], Any], q: Array) -> Array:
    """Derivatives of function(q) along each of the robot's unit velocities, in the last dimension."""
    columns = [derivative(function, (q, rate(spec, q, unit))) for unit in np.eye(spec.nv)]
    return np.stack(columns, axis=-1) if columns else np.zeros((*np.shape(function(q)), 0))


def relative(actual: Any, expected: Any, scale: float = 0.0) -> float:
    """Largest difference over `scale` or, if that is larger, the largest expected entry; infinite for shapes that differ."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return np.inf
    scale = max(scale, np.abs(expected).max(initial=0.0))
    return float(np.abs(actual - expected).max(initial=0.0) / (scale if scale else 1.0))


def scale_free(actual: Array, expected: Array) -> float:
    """Largest |dM_ij| / sqrt(M_ii M_jj)."""
    if actual.shape != expected.shape:
        return np.inf
    scale = np.sqrt(np.abs(np.diag(expected)))
    return float(np.abs((actual - expected) / np.outer(scale, scale)).max(initial=0.0))


def _quaternion_rate(quaternion: Array, w: Array) -> Array:
    s, u = quaternion[0], quaternion[1:]
    return 0.5 * np.concatenate([[-u @ w], s * w + np.cross(u, w)])
