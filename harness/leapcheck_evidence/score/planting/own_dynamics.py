"""Dynamics as a user might write them: Newton and Euler summed over Jacobians, in double or in single precision.

M = sum m Jc^T Jc + Jw^T I Jw and h = sum Jc^T m (ac - g) + Jw^T (I aw + w x I w) over links and rotors, all in world axes, with
the accelerations ac, aw that the velocities alone cause. Whole blocks of states; every number is of one type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.layout import Slot, about, rotations, slots
from leapcheck_models.arrays import Array
from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, RobotSpec

QUANTITIES = frozenset(
    {
        *("mass_matrix", "bias_force", "gravity_force", "coriolis_force", "forward_dynamics"),
        *("contact_positions", "contact_velocities", "contact_jacobians", "contact_bias_accelerations", "contact_inertia"),
        *("kinetic_energy", "potential_energy"),
    }
)
"""What it answers, each by a method of `OwnMotion`."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A moving frame: axes R, origin p, Jacobians Jw, Jv (n, 3, nv), rates w, and accelerations aw, al at vdot = 0."""

    R: Array
    p: Array
    Jw: Array
    Jv: Array
    w: Array
    aw: Array
    al: Array

    def shift(self, r: Array, R: Array) -> Frame:
        """The frame rigid with this one, from whose origin it is r (n, 3) away, world axes."""
        Jv = self.Jv + np.cross(np.swapaxes(self.Jw, 1, 2), r[:, None]).swapaxes(1, 2)
        al = self.al + np.cross(self.aw, r) + np.cross(self.w, np.cross(self.w, r))
        return Frame(R, self.p + r, self.Jw, Jv, self.w, self.aw, al)


class OwnDynamics:
    """An engine of its own behind the protocol; `number` is the type of every number in it."""

    name = "own"
    version = "0"
    quantities = QUANTITIES

    def __init__(self, spec: RobotSpec, number: type = np.float64) -> None:
        self._spec, self._type = spec, number
        self.route = f"Newton and Euler over Jacobians, {number.__name__}"

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity (n, ...), rounded to the type."""
        blocks: list[Array] = [block.astype(self._type) for block in (states.q, states.v, states.tau)]
        motion = OwnMotion(self._spec, self._type, *blocks)
        return {name: np.asarray(getattr(motion, name)()).astype(float) for name in quantities}


def motions(spec: RobotSpec, states: States) -> dict[str, Frame]:
    """The frames of the links, by name."""
    return OwnMotion(spec, np.float64, states.q, states.v, states.tau).frames


class OwnMotion:
    """One block of states, with the frames of links and rotors by the links' names; each answer is a method of its name."""

    def __init__(self, spec: RobotSpec, number: type, q: Array, v: Array, tau: Array) -> None:
        self.spec, self._q, self._v, self._tau, self._number = spec, q, v, tau, number
        self._gravity = self._of(spec.gravity)
        self.frames: dict[str, Frame] = {WORLD: self._world()}
        self.rotors: dict[str, Frame] = {}
        self._masses: list[tuple[Inertia, Frame]] = []
        for slot in slots(spec):
            self.frames[slot.body.name] = frame = self._link(slot)
            self._masses.append((slot.body.inertia, frame))
            if slot.body.rotor:
                self.rotors[slot.body.name] = rotor = self._rotor(slot)
                self._masses.append((slot.body.rotor.inertia, rotor))

    def mass_matrix(self) -> Array:
        """M (n, nv, nv)."""
        armature: Array = np.zeros(self.spec.nv, dtype=self._number)
        for slot in slots(self.spec):
            armature[slot.v] = slot.body.joint.armature
        M: Array = np.zeros((len(self._q), self.spec.nv, self.spec.nv), dtype=self._number) + np.diag(armature)
        for mass, I, frame in self._bodies():
            M += mass * np.swapaxes(frame.Jv, 1, 2) @ frame.Jv + np.swapaxes(frame.Jw, 1, 2) @ I @ frame.Jw
        return M

    def bias_force(self) -> Array:
        """h (n, nv)."""
        return self.coriolis_force() + self.gravity_force()

    def coriolis_force(self) -> Array:
        """C v (n, nv)."""
        h = np.zeros_like(self._v)
        for mass, I, frame in self._bodies():
            torque = _times(I, frame.aw) + np.cross(frame.w, _times(I, frame.w))
            h += _times(np.swapaxes(frame.Jv, 1, 2), mass * frame.al) + _times(np.swapaxes(frame.Jw, 1, 2), torque)
        return h

    def gravity_force(self) -> Array:
        """g (n, nv)."""
        h = np.zeros_like(self._v)
        for mass, _, frame in self._bodies():
            h -= _times(np.swapaxes(frame.Jv, 1, 2), mass * self._wide(self._gravity))
        return h

    def forward_dynamics(self) -> Array:
        """M^-1 (tau - h) (n, nv)."""
        return np.linalg.solve(self.mass_matrix(), (self._tau - self.bias_force())[..., None])[..., 0]

    def kinetic_energy(self) -> Array:
        """v . M v / 2 (n,), J."""
        twice: Array = np.einsum("ni,nij,nj->n", self._v, self.mass_matrix(), self._v)
        return np.asarray(twice / self._number(2.0))

    def potential_energy(self) -> Array:
        """-sum m g . p (n,), J."""
        energy: Array = np.zeros(len(self._q), dtype=self._number)
        for mass, _, frame in self._bodies():
            energy -= mass * frame.p @ self._gravity
        return energy

    def contact_positions(self) -> Array:
        """Places (n, points, 3)."""
        return self._stack([frame.p for frame in self._points()], (3,))

    def contact_velocities(self) -> Array:
        """J v (n, points, 3)."""
        return self._stack([_times(frame.Jv, self._v) for frame in self._points()], (3,))

    def contact_jacobians(self) -> Array:
        """J (n, points, 3, nv)."""
        return self._stack([frame.Jv for frame in self._points()], (3, self.spec.nv))

    def contact_bias_accelerations(self) -> Array:
        """Jdot v (n, points, 3)."""
        return self._stack([frame.al for frame in self._points()], (3,))

    def contact_inertia(self) -> Array:
        """J M^-1 J^T (n, 3 points, 3 points)."""
        J = self.contact_jacobians().reshape(len(self._q), -1, self.spec.nv)
        return J @ np.linalg.solve(self.mass_matrix(), np.swapaxes(J, 1, 2))

    def _bodies(self) -> Iterator[tuple[Any, Array, Frame]]:
        """Mass, rotational inertia in world axes, and the frame at the com, of every link and rotor."""
        for inertia, frame in self._masses:
            xx, xy, xz, yy, yz, zz = inertia.rotational
            I = frame.R @ self._of([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ np.swapaxes(frame.R, 1, 2)
            yield self._number(inertia.mass), I, frame.shift(frame.R @ self._of(inertia.com), frame.R)

    def _points(self) -> Iterator[Frame]:
        for point in self.spec.contact_points:
            if point.computed:
                frame = self.frames[point.body]
                yield frame.shift(frame.R @ self._of(point.position), frame.R)

    def _world(self) -> Frame:
        n, nv = self._v.shape
        J: Array = np.zeros((n, 3, nv), dtype=self._number)
        zero: Array = np.zeros((n, 3), dtype=self._number)
        return Frame(self._wide(np.eye(3, dtype=self._number)), zero, J, J, zero, zero, zero)

    def _place(self, parent: Frame, placement: Placement) -> Frame:
        R = parent.R @ rotations(self._of(placement.quaternion))
        return parent.shift(parent.R @ self._of(placement.p), R)

    def _link(self, slot: Slot) -> Frame:
        body, q, v = slot.body, self._q[:, slot.q], self._v[:, slot.v]
        frame = self._place(self.frames[body.parent], body.placement)
        match body.joint.type:
            case JointType.REVOLUTE:
                return self._turning(frame, self._of(body.joint.axis), slot.v.start, q[:, 0], v[:, 0], 1.0)
            case JointType.PRISMATIC:
                return self._sliding(frame, body, slot.v.start, q[:, 0], v[:, 0])
            case JointType.BALL:
                return self._rolling(frame, rotations(q), v, slot.v)
            case JointType.FREE:
                return self._flying(q, v, slot.v)
        return frame

    def _rotor(self, slot: Slot) -> Frame:
        rotor = slot.body.rotor
        assert rotor is not None
        frame, ratio = self._place(self.frames[slot.body.parent], rotor.placement), self._number(rotor.gear_ratio)
        q, v = self._q[:, slot.q.start], self._v[:, slot.v.start]
        return self._turning(frame, self._of(rotor.axis), slot.v.start, ratio * q, ratio * v, ratio)

    def _turning(self, frame: Frame, axis: Array, column: int, angle: Array, rate: Array, ratio: Any) -> Frame:
        R = frame.R @ about(axis, angle).astype(self._number)
        e, Jw = R @ axis, frame.Jw.copy()
        Jw[:, :, column] += self._number(ratio) * e
        return Frame(
            R, frame.p, Jw, frame.Jv, frame.w + rate[:, None] * e, frame.aw + np.cross(frame.w, rate[:, None] * e), frame.al
        )

    def _sliding(self, frame: Frame, body: Body, column: int, way: Array, rate: Array) -> Frame:
        e = frame.R @ self._of(body.joint.axis)
        to = frame.shift(way[:, None] * e, frame.R)
        Jv = to.Jv.copy()
        Jv[:, :, column] += e
        al = to.al + self._number(2.0) * np.cross(frame.w, rate[:, None] * e)
        return Frame(frame.R, to.p, frame.Jw, Jv, frame.w, frame.aw, al)

    def _rolling(self, frame: Frame, turn: Array, v: Array, columns: slice) -> Frame:
        R, Jw = frame.R @ turn, frame.Jw.copy()
        Jw[:, :, columns] += R
        w = _times(R, v)
        return Frame(R, frame.p, Jw, frame.Jv, frame.w + w, frame.aw + np.cross(frame.w, w), frame.al)

    def _flying(self, q: Array, v: Array, columns: slice) -> Frame:
        frame, R = self._world(), rotations(q[:, 3:])
        Jw, Jv = frame.Jw.copy(), frame.Jv.copy()
        Jw[:, :, columns.start : columns.start + 3] = R
        Jv[:, :, columns.start + 3 : columns.stop] = R
        w, u = _times(R, v[:, :3]), _times(R, v[:, 3:])
        return Frame(R, q[:, :3], Jw, Jv, w, frame.aw, np.cross(w, u))

    def _of(self, numbers: Any) -> Array:
        return np.array(numbers, dtype=self._number)

    def _wide(self, numbers: Array) -> Array:
        return np.broadcast_to(numbers, (len(self._q), *numbers.shape))

    def _stack(self, blocks: list[Array], shape: tuple[int, ...]) -> Array:
        return np.stack(blocks, axis=1) if blocks else np.zeros((len(self._q), 0, *shape), dtype=self._number)


def _times(A: Array, x: Array) -> Array:
    """A x for blocks."""
    return np.asarray((A @ x[..., None])[..., 0])
