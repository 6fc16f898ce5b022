"""One step of MuJoCo with rotors added, and the forces of a step, over MuJoCo's own pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from leapcheck.engines.mujoco.rotors import LumpedRotors
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.coordinates import displacement_rate
from leapcheck_reference.trace.runge_kutta import STAGES

LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)


@dataclass(frozen=True, slots=True, eq=False)
class Forces:
    """`contact` (points, 3) N on the robot in world axes, `limits` (nv,) N m of joint stops in MuJoCo's order."""

    contact: Floats
    limits: Floats


def constraint_forces(m: mujoco.MjModel, d: mujoco.MjData, points: Mapping[int, int]) -> Forces:
    """The forces as the solver last left them; `points` by the number of their geom."""
    contact = np.zeros((len(points), 3))
    if not d.nefc:
        return Forces(contact, np.zeros(m.nv))
    wrenches, frames = np.empty((d.ncon, 6)), d.contact.frame.reshape(-1, 3, 3)
    for i, wrench in enumerate(wrenches):
        mujoco.mj_contactForce(m, d, i, wrench)
    forces = np.matmul(wrenches[:, None, :3], frames)[:, 0]
    for (first, second), force in zip(d.contact.geom.tolist(), forces, strict=True):
        if second in points:  # the force acts on the second geom, its negative on the first
            contact[points[second]] += force
        else:
            contact[points[first]] -= force
    if not d.nl:
        return Forces(contact, np.zeros(m.nv))
    stops = d.efc_type == LIMIT
    limits: Floats = d.efc_force[: d.nefc][stops] @ d.efc_J.reshape(d.nefc, m.nv)[stops]
    return Forces(contact, limits)


def exact_step(m: mujoco.MjModel, d: mujoco.MjData, rotors: LumpedRotors) -> None:
    """mj_step by any of MuJoCo's one-stage integrators, with exact rotors."""
    mujoco.mj_step1(m, d)
    rotors.add(m, d)
    mujoco.mj_step2(m, d)


def runge_kutta_step(
    m: mujoco.MjModel, d: mujoco.MjData, rotors: LumpedRotors, free_base: bool, points: Mapping[int, int]
) -> Forces:
    """mj_step by MuJoCo's RK4, stage by stage, with rotors; returns the mean forces over the stages."""
    dt, qpos, qvel, time = m.opt.timestep, d.qpos.copy(), d.qvel.copy(), d.time
    rate, qacc = np.zeros(m.nv), np.zeros(m.nv)
    mean_rate, mean_qacc = np.zeros(m.nv), np.zeros(m.nv)
    contact, limits = np.zeros((len(points), 3)), np.zeros(m.nv)
    for a, b in STAGES:
        displacement = dt * a * rate
        d.qpos[:], d.qvel[:] = qpos, qvel + dt * a * qacc
        mujoco.mj_integratePos(m, d.qpos, displacement, 1.0)
        mujoco.mj_step1(m, d)
        rotors.add(m, d)
        mujoco.mj_fwdActuation(m, d)
        mujoco.mj_fwdAcceleration(m, d)
        mujoco.mj_fwdConstraint(m, d)
        rate, qacc = displacement_rate(free_base, displacement, d.qvel), d.qacc.copy()
        mean_rate, mean_qacc = mean_rate + b * rate, mean_qacc + b * qacc
        forces = constraint_forces(m, d, points)
        contact, limits = contact + b * forces.contact, limits + b * forces.limits
    d.qpos[:], d.qvel[:], d.time = qpos, qvel + dt * mean_qacc, time + dt
    mujoco.mj_integratePos(m, d.qpos, mean_rate, dt)
    return Forces(contact, limits)
