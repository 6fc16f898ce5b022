"""MuJoCo's derivatives of dynamics behind the engine protocol, as what they are: finite differences of its own dynamics."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.derivatives import OwnDerivatives, forward_dynamics_derivatives, inverse_dynamics_derivatives
from leapcheck.engines.mujoco import build, layout
from leapcheck.engines.projection import OwnStates, own_states
from leapcheck.engines.protocol import FINITE_DIFFERENCES, Answers
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

FORCE = ("inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v")
MOTION = ("forward_dynamics_derivative_q", "forward_dynamics_derivative_v")

FORWARD, CENTRED = 1e-7, 1e-5
"""Steps by q (rad, m), about the best: of forward differences, which mjd_inverseFD alone makes, and of mjd_transitionFD's."""

FORWARD_SPEED, CENTRED_SPEED = float(np.finfo(float).eps ** 0.5), 1e-2
"""The same by v, relative to the largest speed, and at least so much (rad/s, m/s): of what is of degree two in v centred ones are
exact but for rounding.
"""

TIMESTEP = 1.0
"""s, of the step by Euler that mjd_transitionFD differentiates, v + udot TIMESTEP: a short one would lose digits."""

STEPS = (
    f"mjd_inverseFD with steps of {FORWARD:g} by q and {FORWARD_SPEED:.1e} of the largest speed by v, "
    f"mjd_transitionFD, centred, with {CENTRED:g} and {CENTRED_SPEED:g}"
)
ROUTE = f"MJCF, exact values written; finite differences, which leave half of the digits: {STEPS}"


class DifferencesEngine:
    """One robot in MuJoCo, with its rotors as bodies: derivatives of inverse dynamics, and of forward dynamics without rotors."""

    name = "mujoco-fd"
    route = ROUTE
    precision = FINITE_DIFFERENCES

    def __init__(self, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies) with exact values."""
        self.version = str(mujoco.__version__)
        self._convention = conventions.mujoco_convention(spec, build.places(full, m))
        self.quantities = frozenset((*FORCE, *(MOTION if self._convention.is_square else ())))
        leave_equations_of_motion(m, TIMESTEP)
        self._m, self._d = m, mujoco.MjData(m)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """The derivatives (n, nv, nv), canonical."""
        own = own_states(self._convention, conventions.velocity_map(self._convention, states.q), states)
        answers: Answers = {}
        if {*FORCE} & {*quantities}:
            moved = inverse_dynamics_derivatives(self._convention, states.q, states.v, states.vdot, self._inverse(own))
            answers |= dict(zip(FORCE, moved, strict=True))
        if {*MOTION} & {*quantities}:
            moved = forward_dynamics_derivatives(self._convention, states.q, states.v, states.tau, self._forward(own))
            answers |= dict(zip(MOTION, moved, strict=True))
        return {name: answers[name] for name in quantities}

    def _inverse(self, states: OwnStates) -> OwnDerivatives:
        """By mjd_inverseFD, whose matrices are transposed."""
        m, d, nv, nothing = self._m, self._d, self._m.nv, (None,) * 6
        by_q, by_v = np.zeros((2, len(states.q), nv, nv))
        force, inertia = np.zeros((len(states.q), nv)), np.zeros((len(states.q), m.nC))
        for i, (q, v, vdot) in enumerate(zip(states.q, states.v, states.vdot, strict=True)):
            d.qpos[:], d.qvel[:], d.qacc[:] = q, v, vdot
            mujoco.mj_inverse(m, d)
            force[i], inertia[i] = d.qfrc_inverse, d.M
            mujoco.mjd_inverseFD(m, d, FORWARD, 0, by_q[i], *nothing[:6])
            mujoco.mjd_inverseFD(m, d, FORWARD_SPEED * _speed(v), 0, None, by_v[i], *nothing[:5])
        M = layout.dense(layout.places_in_csr(m), inertia)
        return OwnDerivatives(by_q.swapaxes(1, 2), by_v.swapaxes(1, 2), M, force)

    def _forward(self, states: OwnStates) -> OwnDerivatives:
        """By mjd_transitionFD: dv' / dq and dv' / dv - 1 over TIMESTEP."""
        m, d, nv = self._m, self._d, self._m.nv
        A, A_speed = np.zeros((2, len(states.q), 2 * nv, 2 * nv))
        motion, minverse = np.zeros((len(states.q), nv)), np.zeros((len(states.q), nv, nv))
        for i, (q, v, tau) in enumerate(zip(states.q, states.v, states.tau, strict=True)):
            d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, tau
            mujoco.mj_forward(m, d)
            motion[i] = d.qacc
            mujoco.mj_solveM(m, d, minverse[i], np.eye(nv))
            mujoco.mjd_transitionFD(m, d, CENTRED, 1, A[i], None, None, None)
            mujoco.mjd_transitionFD(m, d, CENTRED_SPEED * _speed(v), 1, A_speed[i], None, None, None)
        by_q, by_v = A[:, nv:, :nv] / TIMESTEP, (A_speed[:, nv:, nv:] - np.eye(nv)) / TIMESTEP
        return OwnDerivatives(by_q, by_v, minverse, motion)


def _speed(v: Floats) -> float:
    """What a step by v is relative to."""
    return max(1.0, float(np.abs(v).max()))


def leave_equations_of_motion(m: mujoco.MjModel, timestep: float) -> None:
    """Switches off all besides, and has them integrated by explicit Euler."""
    kinds = mujoco.mjtDisableBit
    off = (kinds.mjDSBL_CONSTRAINT, kinds.mjDSBL_CONTACT, kinds.mjDSBL_SPRING, kinds.mjDSBL_DAMPER, kinds.mjDSBL_ACTUATION)
    for kind in (*off, kinds.mjDSBL_EULERDAMP):
        m.opt.disableflags |= int(kind)
    m.opt.timestep, m.opt.integrator = timestep, int(mujoco.mjtIntegrator.mjINT_EULER)
