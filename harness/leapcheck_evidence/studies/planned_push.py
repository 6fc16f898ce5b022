"""The push that the studies of limits share: a planned push as one smooth function of time and state, and its two figures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck.jumping.planning.stance import push
from leapcheck.simulators.protocol import Simulator
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference import com_velocity

HEIGHT, DURATION, CROUCH = 0.2, 0.132, (0.0, -1.1, 2.2)
"""m, s, and the angles (rad) of abad, hip and knee to start from."""

KP, KD = 40.0, 1.5
"""N m/rad, N m s/rad."""

DEGREE = 23
"""Of the polynomials of time that the plan is written as: they leave out less than 1e-9 N m."""

POWERS = np.arange(DEGREE + 1)

FIGURES = ("take-off speed", "rise")

PROTOCOL = (
    f"planned push to {HEIGHT:g} m in {DURATION:g} s from the crouch {CROUCH}, at rest, feet just on the ground (dist 0); "
    f"planned torque + PD {KP:g}/{KD:g}, held over a step; no drives; figures at t = T, the end of the push, feet still on "
    "the ground: vertical speed of the com, and its rise from the start to the apex of the free flight from there"
)


@dataclass(frozen=True, slots=True, eq=False)
class PlannedPush:
    """The push of one robot: its start pose (nq,), and as polynomials of time the planned joint angles, speeds and torques.

    `polynomials` (3, degree + 1, actuators) are Chebyshev coefficients over the duration.
    """

    robot: Legged
    start: Floats
    polynomials: Floats

    def torque(self, t: float, q: Floats, v: Floats) -> Floats:
        """Torque (actuators,) N m at the joints at time t (s) and canonical q (nq,), v (nv,)."""
        turn = math.acos(min(max(2.0 * t / DURATION - 1.0, -1.0), 1.0))
        angles, speeds, torque = np.cos(turn * POWERS) @ self.polynomials  # Chebyshev's polynomials at cos(turn)
        answer: Floats = torque + KP * (angles - q[self.robot.joint_q]) + KD * (speeds - v[self.robot.joint_v])
        return answer

    def figures(self, q: Floats, v: Floats) -> Floats:
        """(take-off speed m/s, rise m) (2,) of a state at the end of the push."""
        height = self.robot.geometry(np.stack([self.start, q]))["com_position"][:, 2]
        speed = float(com_velocity(self.robot.tree, q, v)[2])
        return np.array([speed, height[1] - height[0] + speed**2 / (2.0 * self.robot.gravity)])

    def push_figures(self, simulator: Simulator) -> Floats:
        """The figures (2,) of this push in a simulator whose step divides the duration, the loop closed in it."""
        simulator.start(self.start, np.zeros(self.robot.spec.nv))
        for k in range(round(DURATION / simulator.dt)):
            simulator.step(self.torque(k * simulator.dt, simulator.q, simulator.v))
        return self.figures(simulator.q, simulator.v)


def crouch_position(robot: Legged) -> Floats:
    """q (nq,) with every leg in the crouch `CROUCH`, at the home position, the lowest foot just touching the ground."""
    q = robot.home.copy()
    q[7:] = np.tile(CROUCH, len(robot.feet))
    q[2] -= (robot.geometry(q[None])["contact_positions"][0, :, 2] - robot.radii).min()
    return q


def planned_push(name: str) -> PlannedPush:
    """The push of a robot of this project by name."""
    robot = legged_robot(load(name))
    start = crouch_position(robot)
    speed = float(np.sqrt(2.0 * robot.gravity * HEIGHT))
    s = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    at = push(robot, start, np.array([0.0, 0.0, speed]), DURATION).at((s + 1.0) / 2.0 * DURATION)
    planned = np.stack([at.q[:, robot.joint_q], at.v[:, robot.joint_v], at.torque], axis=1)
    flat = np.asarray(chebyshev.chebfit(s, planned.reshape(len(s), -1), DEGREE), dtype=np.float64)
    return PlannedPush(robot, start, np.ascontiguousarray(flat.reshape(planned.shape).transpose(1, 0, 2)))
