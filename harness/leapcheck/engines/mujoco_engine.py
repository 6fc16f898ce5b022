"""MuJoCo behind the engine protocol: out of MJCF, or out of URDF."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from leapcheck import conventions
from leapcheck.engines import mujoco_build as build
from leapcheck.engines import mujoco_layout
from leapcheck.engines.projection import NEEDS, Floats, OwnState, Source, evaluated
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

STORAGE = ("qM", "csr", "cinert", "crb", "cdof")
"""MuJoCo's own arrays, compared entry by entry in its own coordinates."""

SITE = mujoco.mjtObj.mjOBJ_SITE


class MujocoEngine:
    """One robot in MuJoCo, with its rotors as bodies; owns the compiled model and its data.

    Only kinematics, inertia and Newton-Euler are called: nothing of damping, friction, limits, contacts or equalities enters.
    """

    def __init__(self, name: str, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel, route: str, storage: bool) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies) with exact values; `storage`: answers STORAGE too."""
        self._name, self._route = name, route
        self._m, self._d = m, mujoco.MjData(m)
        self._sites = build.contact_sites(full, m)
        self._site_bodies = [int(m.site_bodyid[site]) for site in self._sites]
        self._site_positions = [self._d.site_xpos[site] for site in self._sites]  # views
        self._bodies = build.body_numbers(full, m)
        self._layout = mujoco_layout.layout(m)
        self._gravity = np.array(spec.gravity, dtype=float)
        self._force, self._spatial = np.zeros(m.nv), np.zeros(6)
        self._jacobians = np.zeros((len(self._sites), 3, m.nv))
        self._convention = conventions.mujoco_convention(spec, build.places(full, m))
        self._sources = self._own_numbers()
        self._quantities = frozenset(NEEDS) | frozenset(STORAGE if storage else ())

    @property
    def name(self) -> str:
        """Name in tables and on the command line."""
        return self._name

    @property
    def version(self) -> str:
        """Version of MuJoCo."""
        return str(mujoco.__version__)

    @property
    def route(self) -> str:
        """How the robot came into MuJoCo."""
        return self._route

    @property
    def quantities(self) -> frozenset[str]:
        """All canonical quantities and, for the file in the spec's own order, MuJoCo's storage."""
        return self._quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape); canonical but for MuJoCo's storage."""
        return evaluated(self._convention, self._sources, self._move, states, quantities)

    def _own_numbers(self) -> dict[str, Source]:
        """What MuJoCo computes itself, by the names of `projection`."""
        m, nv, points = self._m, self._m.nv, len(self._sites)
        return {
            "M": Source((nv, nv), self._M),
            "h": Source((nv,), self._h),
            "c": Source((nv,), self._c),
            "g": Source((nv,), self._g),
            "udot": Source((nv,), self._udot),
            "p": Source((points, 3), self._p),
            "pdot": Source((points, 3), self._pdot),
            "J": Source((points, 3, nv), self._J),
            "a": Source((points, 3), self._a),
            "MinvJT": Source((nv, 3 * points), self._MinvJT),
            "T_kin": Source((), self._T_kin),
            "V_pot": Source((), self._V_pot),
            "qM": Source((m.nM,), self._qM),
            "csr": Source((m.nC,), self._csr),
            "cinert": Source((len(self._bodies), 10), self._cinert),
            "crb": Source((len(self._bodies), 10), self._crb),
            "cdof": Source((nv, 6), self._cdof),
        }

    def _move(self, at: OwnState) -> None:
        """Everything that depends on position and velocity alone, by the cheapest calls."""
        m, d = self._m, self._d
        d.qpos[:], d.qvel[:] = at.q, at.v
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_makeM(m, d)
        mujoco.mj_comVel(m, d)

    def _M(self, out: Floats, _at: OwnState) -> None:
        mujoco_layout.write_dense(self._layout, mujoco_layout.csr(self._d), out)

    def _h(self, out: Floats, _at: OwnState) -> None:
        mujoco.mj_rne(self._m, self._d, 0, out)

    def _c(self, out: Floats, _at: OwnState) -> None:
        self._m.opt.gravity[:] = 0.0
        mujoco.mj_rne(self._m, self._d, 0, out)
        self._m.opt.gravity[:] = self._gravity

    def _g(self, out: Floats, at: OwnState) -> None:
        m, d = self._m, self._d
        d.qvel[:] = 0.0
        mujoco.mj_comVel(m, d)
        mujoco.mj_rne(m, d, 0, out)
        d.qvel[:] = at.v
        mujoco.mj_comVel(m, d)

    def _udot(self, out: Floats, at: OwnState) -> None:
        m, d = self._m, self._d
        mujoco.mj_rne(m, d, 0, self._force)
        mujoco.mj_factorM(m, d)
        mujoco.mj_solveM(m, d, out[None], (at.tau - self._force)[None])

    def _p(self, out: Floats, _at: OwnState) -> None:
        out[:] = self._d.site_xpos[self._sites]

    def _pdot(self, out: Floats, _at: OwnState) -> None:
        for row, site in zip(out, self._sites, strict=True):
            mujoco.mj_objectVelocity(self._m, self._d, SITE, site, self._spatial, 0)
            row[:] = self._spatial[3:]

    def _J(self, out: Floats, _at: OwnState) -> None:
        for rows, site in zip(out, self._sites, strict=True):
            mujoco.mj_jacSite(self._m, self._d, rows, None, site)

    def _a(self, out: Floats, at: OwnState) -> None:
        for rows, position, body in zip(self._jacobians, self._site_positions, self._site_bodies, strict=True):
            mujoco.mj_jacDot(self._m, self._d, rows, None, position, body)
        out[:] = self._jacobians @ at.v

    def _MinvJT(self, out: Floats, at: OwnState) -> None:
        self._J(self._jacobians, at)
        J = self._jacobians.reshape(3 * len(self._sites), self._m.nv)
        mujoco.mj_factorM(self._m, self._d)
        MinvJT = np.empty_like(J)
        mujoco.mj_solveM(self._m, self._d, MinvJT, J)
        out[:] = MinvJT.T

    def _T_kin(self, out: Floats, _at: OwnState) -> None:
        mujoco.mj_energyVel(self._m, self._d)
        out[...] = self._d.energy[1]

    def _V_pot(self, out: Floats, _at: OwnState) -> None:
        mujoco.mj_energyPos(self._m, self._d)
        out[...] = self._d.energy[0]

    def _qM(self, out: Floats, _at: OwnState) -> None:
        out[:] = mujoco_layout.legacy_qM(self._m, self._d)

    def _csr(self, out: Floats, _at: OwnState) -> None:
        out[:] = mujoco_layout.csr(self._d)

    def _cinert(self, out: Floats, _at: OwnState) -> None:
        out[:] = self._d.cinert[self._bodies]

    def _crb(self, out: Floats, _at: OwnState) -> None:
        out[:] = self._d.crb[self._bodies]

    def _cdof(self, out: Floats, _at: OwnState) -> None:
        out[:] = self._d.cdof
