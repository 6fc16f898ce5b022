"""Pinocchio's dynamics and its constraint solvers, stepped by the scheme of `leapcheck_reference.simulate.rigid`.

Mass matrix, bias force, kinematics, contact Jacobians and the impulses are Pinocchio's; the time-stepping (implicit in the gaps,
positions with the new velocity, world axes for the base's linear velocity) is written here a second time, in canonical
coordinates, so that two programs meet in each step. Rotors are bodies of the model, joined by the constant gear matrix.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.linalg import lapack

from leapcheck.coordinates import conventions
from leapcheck.engines.errors import EngineError
from leapcheck.engines.pinocchio import build
from leapcheck.simulators.pinocchio.impulses import PinocchioImpulses, SolverName, evaluate_constraints
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec
from leapcheck_reference.simulate.coordinates import sound_state
from leapcheck_reference.simulate.ncp_problem import ConeProblem
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.rigid import PUSH_OUT

Indices = NDArray[np.intp]

WORLD_JOINT = 0
UPRIGHT = np.eye(3)
NEXT, AFTER = [1, 2, 0], [2, 0, 1]
"""Axes behind x, y, z and those behind these: (a x b)_i = a_next b_after - a_after b_next."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sphere:
    """Contact sphere: number of the joint that carries it, centre in that joint's frame (m), radius (m)."""

    joint: int
    centre: Floats
    radius: float


@dataclass(frozen=True, slots=True, eq=False)
class _Stop:
    """End of a joint's range: place in canonical q and v, +1 for a lower end, -1 for an upper one, its value, the constraint."""

    q: int
    v: int
    sign: float
    bound: float
    constraint: pin.JointLimitConstraintModel


class PinocchioSimulator:
    """A robot on rigid ground in Pinocchio; owns the model, its data and the solver. Joints have no losses of their own."""

    own_drives = False

    def __init__(
        self,
        spec: RobotSpec,
        dt: float,
        friction: float = 0.8,
        solver: SolverName = "admm",
        smallest_radius: float = SMALLEST_RADIUS,
    ) -> None:
        """EngineError where the robot has no free base or cannot be held, ValueError for a wrong time step or friction."""
        if not (math.isfinite(dt) and dt > 0.0 and math.isfinite(friction) and friction >= 0.0):
            raise ValueError(f"time step {dt} s, friction {friction}: give a positive and a non-negative number")
        if spec.bodies[0].joint.type is not JointType.FREE:
            raise EngineError(f"pinocchio: '{spec.name}' stands fixed: this simulator is for robots with a free base")
        self.name, self.dt, self._friction = f"pinocchio-{solver}", dt, friction
        self._robot, self._impulses = spec.name, PinocchioImpulses(solver)
        full = with_rotor_bodies(spec).spec if conventions.has_rotors(spec) else spec
        self._model = build.model_by_api(full)
        build.write_exact_values(full, self._model)
        self._data = self._model.createData()
        if not self._model.check(self._data):
            raise EngineError(f"pinocchio: the joints of '{spec.name}' are not depth-first: reorder them")
        self._convention = conventions.pinocchio_convention(spec, build.places(full, self._model))
        self._T = self._convention.shuffle
        self._spheres = _spheres(spec, self._model, smallest_radius)
        self._radii = np.array([sphere.radius for sphere in self._spheres])
        self._joints = sorted({sphere.joint for sphere in self._spheres})
        self._carrier = np.array([self._joints.index(sphere.joint) for sphere in self._spheres], dtype=np.intp)
        self._centres = np.array([[*sphere.centre, 1.0] for sphere in self._spheres]).reshape(-1, 4, 1)
        self._carried = np.array([_moving_columns(self._model, sphere.joint) for sphere in self._spheres])
        self._stops, driven = _joints(spec, self._model)
        self._driven = np.array(driven, dtype=np.intp)
        self._stop_q = np.array([stop.q for stop in self._stops], dtype=np.intp)
        self._stop_v = np.array([stop.v for stop in self._stops], dtype=np.intp)
        self._stop_sign, self._stop_bound = (
            np.array([getattr(stop, part) for stop in self._stops]) for part in ("sign", "bound")
        )
        self._lower = np.tri(self._model.nv, k=-1, dtype=bool)
        self._q, self._v_W, self._w_qd = np.zeros(spec.nq), np.zeros(3), np.zeros(spec.nv)
        self._q[3] = 1.0
        self._forces, self._limit_torques = np.zeros((len(self._spheres), 3)), np.zeros(spec.nv)

    @property
    def worst_residual(self) -> float:
        """Largest violation (m/s) of the laws of contact and friction by Pinocchio's impulses so far."""
        return self._impulses.worst_residual

    @property
    def q(self) -> Floats:
        """Configuration (nq,), canonical; a copy."""
        return self._q.copy()

    @property
    def v(self) -> Floats:
        """Velocity (nv,), canonical; a copy."""
        v = self._w_qd.copy()
        v[3:6] = _rotation(self._q).T @ self._v_W
        return v

    @property
    def forces(self) -> Floats:
        """Contact forces (points, 3) N of the last step."""
        return self._forces.copy()

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops in the last step."""
        return self._limit_torques.copy()

    def start(self, q: Floats, v: Floats) -> None:
        """Takes a state (canonical) and forgets all else; ValueError where it is no state of this robot."""
        self._q, self._w_qd = sound_state(self._robot, True, q, v, (len(self._q), len(self._w_qd)))
        self._v_W = _rotation(self._q) @ self._w_qd[3:6]
        self._forces[:], self._limit_torques[:] = 0.0, 0.0

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""
        R = _rotation(self._q)
        factor, free = self._free_velocity(torque)
        v = self._contact_velocity(factor, free)
        if not np.isfinite(v).all():
            raise ArithmeticError("a velocity is not finite: lower the gains or the time step")
        self._v_W, self._w_qd = R @ v[3:6], v
        q = self._q
        turned = _quaternion(q) * pin.Quaternion(pin.exp3(self.dt * v[:3]))
        turned.normalize()
        q[:3] += self.dt * self._v_W
        q[3:7] = turned.coeffs()[[3, 0, 1, 2]]
        q[7:] += self.dt * v[6:]

    def _free_velocity(self, torque: Floats) -> tuple[Floats, Floats]:
        """(Cholesky factor of M, velocity after the step without impulses), the base's linear one in the axes of its beginning.

        There M x = tau - h + M [0; w x v_B; 0] for the classical acceleration x.
        """
        model, data, T = self._model, self._data, self._T
        v = self.v
        q_u, v_u = conventions.configuration(self._convention, self._q), T @ v
        pin.forwardKinematics(model, data, q_u)
        pin.computeJointJacobians(model, data)
        M_u = pin.crba(model, data, q_u, pin.Convention.WORLD)
        np.copyto(M_u, M_u.T, where=self._lower)
        force = np.zeros(len(v))
        force[self._driven] = torque
        force -= T.T @ pin.nonLinearEffects(model, data, q_u, v_u)
        M = T.T @ M_u @ T
        factor, info = lapack.dpotrf(M, lower=1)
        if info or not np.isfinite(force).all():
            raise ArithmeticError("the mass matrix or a force is not finite: lower the gains or the time step")
        change: Floats = lapack.dpotrs(factor, force, lower=1)[0]
        change[3:6] += v[NEXT] * v[3:6][AFTER] - v[AFTER] * v[3:6][NEXT]  # w x v_B
        return factor, v + self.dt * change

    def _contact_velocity(self, factor: Floats, free: Floats) -> Floats:
        """The velocity with the impulses of all points and stops that would otherwise go through."""
        places, rising = self._points()
        signs, columns = self._stop_sign, self._stop_v
        rooms = signs * (self._q[self._stop_q] - self._stop_bound)
        wanted = [np.minimum(-gap / self.dt, PUSH_OUT) for gap in (places[:, 2] - self._radii, rooms)]
        points, stops = self._forces[:, 2] > 0.0, np.zeros(len(self._stops), dtype=bool)
        self._forces[:], self._limit_torques[:] = 0.0, 0.0
        v, first = free, bool(points.any())
        while True:
            new_points = (rising @ v < wanted[0]) & ~points
            new_stops = (signs * v[columns] < wanted[1]) & ~stops
            if not (first or new_points.any() or new_stops.any()):
                return v
            points, stops, first = points | new_points, stops | new_stops, False
            v = self._impulse_velocity(factor, free, places, np.flatnonzero(points), np.flatnonzero(stops), wanted)

    def _points(self) -> tuple[Floats, Floats]:
        """Centres (points, 3) m of the spheres; rows (points, nv): their lowest points' upward velocities are these times v.

        By the world Jacobian of all joints, of which each sphere takes the columns of the joints that carry it.
        """
        data = self._data
        frames = np.array([data.oMi[joint].homogeneous for joint in self._joints])
        places = np.matmul(frames[self._carrier], self._centres)[:, :3, 0]
        J = data.J
        rising = self._carried * (J[2] + places[:, 1:2] * J[3] - places[:, :1] * J[4])
        return places, rising @ self._T

    def _impulse_velocity(
        self, factor: Floats, free: Floats, places: Floats, points: Indices, stops: Indices, wanted: list[Floats]
    ) -> Floats:
        """The velocity with the impulses of these points and stops, which are written down as forces."""
        active = [*self._contacts(places, points), *(self._stops[i].constraint for i in stops)]
        models, datas, J_u = evaluate_constraints(self._model, self._data, active)
        J = J_u @ self._T
        MinvJT = lapack.dpotrs(factor, J.T, lower=1)[0]
        G = J @ MinvJT
        target = np.zeros((len(points), 3))
        target[:, 2] = wanted[0][points]
        problem = ConeProblem(
            G=0.5 * (G + G.T),
            g=J @ free - np.concatenate([target.ravel(), wanted[1][stops]]),
            friction=np.full(len(points), self._friction),
            lower=np.zeros(len(stops)),
            upper=np.full(len(stops), np.inf),
        )
        p = self._impulses(models, datas, problem)
        end = 3 * len(points)
        self._forces[:], self._limit_torques[:] = 0.0, J[end:].T @ p[end:] / self.dt
        self._forces[points] = p[:end].reshape(-1, 3) / self.dt
        changed: Floats = free + MinvJT @ p
        return changed

    def _contacts(self, places: Floats, points: Indices) -> list[pin.PointContactConstraintModel]:
        """Contacts at the lowest points of spheres whose centres are at `places`, with the ground's axes as theirs."""
        contacts = []
        for i in points.tolist():
            sphere = self._spheres[i]
            lowest = places[i] - np.array([0.0, 0.0, sphere.radius])
            on_link = pin.SE3(UPRIGHT, self._data.oMi[sphere.joint].actInv(lowest))
            contact = pin.PointContactConstraintModel(self._model, WORLD_JOINT, pin.SE3(UPRIGHT, lowest), sphere.joint, on_link)
            contact.setFriction(self._friction)
            contacts.append(contact)
        return contacts


def _spheres(spec: RobotSpec, model: pin.Model, smallest_radius: float) -> list[_Sphere]:
    """The computed contact points as spheres."""
    spheres = []
    for point in spec.contact_points:
        if point.computed:
            link = build.link_frame(model, point.body)
            centre = link.placement.act(np.array(point.position, dtype=float))
            spheres.append(_Sphere(link.parentJoint, centre, max(point.radius, smallest_radius)))
    return spheres


def _moving_columns(model: pin.Model, joint: int) -> Floats:
    """(nv,) 1 for the velocities of the joints that move a joint, its own among them, 0 for the others."""
    moving = np.zeros(model.nv)
    for support in model.supports[joint]:
        first = model.idx_vs[support]
        if support != WORLD_JOINT:
            moving[first : first + model.nvs[support]] = 1.0
    return moving


def _joints(spec: RobotSpec, model: pin.Model) -> tuple[list[_Stop], list[int]]:
    """(the stops of all limited joints, places in canonical v of the joints that the actuators drive)."""
    stops, places, q, v = [], {}, 0, 0
    for body in spec.bodies:
        joint = body.joint
        if joint.limits:
            number = build.link_frame(model, body.name).parentJoint
            for side, (sign, bound) in enumerate(zip((1.0, -1.0), joint.limits, strict=True)):
                ends = np.full((2, model.nq), [[-np.inf], [np.inf]])
                ends[side, model.idx_qs[number]] = bound
                constraint = pin.JointLimitConstraintModel(model, [number], *ends)
                constraint.makeSelectionMaximal()
                stops.append(_Stop(q, v, sign, bound, constraint))
        places[joint.name] = v
        q, v = q + CONFIGURATION_SIZE[joint.type], v + VELOCITY_SIZE[joint.type]
    return stops, [places[actuator.joint] for actuator in spec.actuators]


def _quaternion(q: Floats) -> pin.Quaternion:
    return pin.Quaternion(q[3], q[4], q[5], q[6])


def _rotation(q: Floats) -> Floats:
    R: Floats = _quaternion(q).matrix()
    return R
