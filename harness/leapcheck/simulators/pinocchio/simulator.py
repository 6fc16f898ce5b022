"""Pinocchio's dynamics and its constraint solvers, stepped by the scheme of `leapcheck_reference.simulate.rigid`.

Mass matrix, bias force, kinematics, contact Jacobians and the impulses are Pinocchio's; the time-stepping (implicit in the gaps,
positions with the new velocity, world axes for the base's linear velocity) is written here a second time, in canonical
coordinates, so that two programs meet in each step. Rotors are bodies of the model, joined by the constant gear matrix.
"""

from __future__ import annotations

import math
from functools import lru_cache

import eigenpy
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from leapcheck.coordinates import conventions
from leapcheck.engines.errors import EngineError
from leapcheck.engines.pinocchio import build
from leapcheck.simulators.pinocchio.constraints import ActiveConstraints, contact_spheres, joint_stops
from leapcheck.simulators.pinocchio.impulses import PinocchioImpulses, SolverName
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_reference.simulate.coordinates import sound_state
from leapcheck_reference.simulate.ncp_problem import PUSH_OUT, ConeProblem
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, Touch, touch

XYZW = [4, 5, 6, 3]
"""Places in canonical q of the base's quaternion in Pinocchio's order."""

MOST_SETS = 64
"""Sets of points and stops whose constraints are kept: a jump has a few, a tumble many."""


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
        terrain: Terrain = LEVEL,
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
        self._spheres = contact_spheres(spec, self._model, smallest_radius)
        self._stops, self._driven = joint_stops(spec, self._model)
        carriers, self._carrier = np.unique(self._spheres.joints, return_inverse=True)
        self._links = [self._data.oMi[joint] for joint in carriers.tolist()]
        self._frames = np.empty((len(carriers), 4, 4))
        self._centres = np.insert(self._spheres.centres, 3, 1.0, axis=1)[:, :, None]
        self._terrain, self._pairs = terrain, np.tile(np.arange(len(self._spheres.radii)), terrain.surfaces)
        points, stops = len(self._pairs), len(self._stops.sign)
        self._carried = self._spheres.carried[self._pairs]
        self._rows = np.zeros((points + stops, spec.nv))
        self._rows[range(points, points + stops), self._stops.v] = self._stops.sign
        self._constraints = lru_cache(MOST_SETS)(self._active_constraints)
        self._lower = np.tri(self._model.nv, k=-1, dtype=bool)
        self._factors = eigenpy.LLT(spec.nv)
        self._q, self._v = np.zeros(spec.nq), np.zeros(spec.nv)
        self._q[3] = 1.0
        self._turn = pin.Quaternion.Identity()
        self._touching = np.zeros(points, dtype=bool)
        self._forces, self._limit_torques = np.zeros((len(self._spheres.radii), 3)), np.zeros(spec.nv)

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
        return self._v.copy()

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
        self._q, self._v = sound_state(self._robot, True, q, v, (len(self._q), len(self._v)))
        self._turn = pin.Quaternion(*self._q[3:7].tolist())
        self._forces[:], self._limit_torques[:], self._touching[:] = 0.0, 0.0, False

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""
        v = self._contact_velocity(self._free_velocity(torque))
        if not v.dot(v) < np.inf:
            raise ArithmeticError("a velocity is not finite: lower the gains or the time step")
        q, dt = self._q, self.dt
        v_W = self._turn.matrix() @ v[3:6]
        turn = self._turn * pin.Quaternion(pin.exp3_quat(dt * v[:3]))
        turn.normalize()
        q[:3] += dt * v_W
        q[XYZW] = turn.coeffs()
        q[7:] += dt * v[6:]
        v[3:6] = turn.matrix().T @ v_W
        self._turn, self._v = turn, v

    def _free_velocity(self, torque: Floats) -> Floats:
        """The velocity (nv,) after the step without impulses; leaves the factors of M.

        The base's linear velocity is in the axes of the step's beginning; there M x = tau - h + M [0; w x v_B; 0] for the
        classical acceleration x.
        """
        model, data, T, v = self._model, self._data, self._T, self._v
        q_u, v_u = conventions.configuration(self._convention, self._q), T @ v
        M_u = pin.crba(model, data, q_u, pin.Convention.WORLD)  # leaves J and oMi, too: those of computeJointJacobians
        np.copyto(M_u, M_u.T, where=self._lower)
        force = np.zeros(len(v))
        force[self._driven] = torque
        force -= T.T @ pin.nonLinearEffects(model, data, q_u, v_u)
        change = self._factors.compute(T.T @ M_u @ T).solve(force)
        if not (self._factors.info() == eigenpy.ComputationInfo.Success and change.dot(change) < np.inf):
            raise ArithmeticError("the mass matrix or a force is not finite: lower the gains or the time step")
        w_x, w_y, w_z, v_x, v_y, v_z = v[:6].tolist()
        change[3:6] += (w_y * v_z - w_z * v_y, w_z * v_x - w_x * v_z, w_x * v_y - w_y * v_x)  # w x v_B
        free: Floats = v + self.dt * change
        return free

    def _contact_velocity(self, free: Floats) -> Floats:
        """The velocity with the impulses of all points and stops that would otherwise go through."""
        places, rows = self._points(), self._rows
        beside = self._rising(places)
        room = self._stops.sign * (self._q[self._stops.q] - self._stops.bound)
        gaps = np.concatenate([beside.gaps, room])
        wanted = np.minimum(gaps / -self.dt, PUSH_OUT)
        active = np.zeros(len(gaps), dtype=bool)
        active[: len(self._touching)] = self._touching
        self._forces[:], self._limit_torques[:], self._touching[:] = 0.0, 0.0, False
        v, first = free, bool(np.count_nonzero(active))
        while True:
            new = (rows @ v < wanted) & ~active
            if not (first or np.count_nonzero(new)):
                return v
            active, first = active | new, False
            v = self._impulse_velocity(free, places, beside, active, wanted)

    def _points(self) -> Floats:
        """Centres (points, 3) m of the spheres."""
        for frame, link in zip(self._frames, self._links, strict=True):
            frame[:] = link.homogeneous
        places: Floats = np.matmul(self._frames[self._carrier], self._centres)[:, :3, 0]
        return places

    def _rising(self, places: Floats) -> Touch:
        """The spheres beside the solids; what of v are their velocities away from these goes into the first rows.

        By the world Jacobian of all joints, of which each sphere takes the columns of the joints that carry it.
        """
        J, beside = self._data.J, touch(self._terrain, places, self._spheres.radii)
        x, y, z = places.T[:, :, None]
        rising = J[2] + y * J[3] - x * J[4]
        if beside.axes is not None:
            n_x, n_y, n_z = beside.axes[:, 2].T[:, :, None]
            pair = self._pairs
            rising = n_x * (J[0] + z * J[4] - y * J[5])[pair] + n_y * (J[1] + x * J[5] - z * J[3])[pair] + n_z * rising[pair]
        np.matmul(self._carried * rising, self._T, out=self._rows[: len(rising)])
        return beside

    def _active_constraints(self, active: bytes) -> ActiveConstraints:
        """Those of the points and stops (points + stops,) bool."""
        which = np.frombuffer(active, dtype=bool)
        return ActiveConstraints(self._model, self._data, self._spheres, self._stops, which, self._pairs, self._friction)

    def _impulse_velocity(self, free: Floats, places: Floats, beside: Touch, active: NDArray[np.bool_], wanted: Floats) -> Floats:
        """The velocity with the impulses of these points and stops, which are written down as forces."""
        constraints = self._constraints(active.tobytes())
        pairs, stops = constraints.pairs, constraints.stops
        points = self._pairs[pairs]
        nearest, axes = places[points], None if beside.axes is None else beside.axes[pairs]
        if axes is None:
            nearest[:, 2] -= self._spheres.radii[points]
        else:
            nearest -= self._spheres.radii[points, None] * axes[:, 2]
        J = constraints.jacobian(nearest, axes) @ self._T
        MinvJT = self._factors.solve(J.T)
        G, end = J @ MinvJT, 3 * len(pairs)
        target = np.zeros(len(G))
        target[2:end:3], target[end:] = wanted[pairs], wanted[len(self._pairs) + stops]
        problem = ConeProblem(
            G=0.5 * (G + G.T),
            g=J @ free - target,
            friction=constraints.friction,
            lower=constraints.lower,
            upper=constraints.upper,
        )
        p = self._impulses(constraints.models, constraints.datas, problem)
        impulses = p[:end].reshape(-1, 3)
        if len(stops):
            self._limit_torques[:] = J[end:].T @ p[end:] / self.dt
        self._touching[:] = False
        self._touching[pairs] = impulses[:, 2] > 0.0
        self._forces[:] = beside.forces(pairs, impulses / self.dt, len(self._forces))
        changed: Floats = free + MinvJT @ p
        return changed
