"""MuJoCo in its best form: libmujoco's own functions in a loop of machine code, with dense outputs and nothing more."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.mujoco import build
from leapcheck.engines.mujoco.call_table import Address, Call, call
from leapcheck.engines.mujoco.calls import library
from leapcheck.quantities import Sizes
from leapcheck_evidence.peers.mujoco_call_code import FUNCTION, calls_ir
from leapcheck_evidence.peers.protocol import Outputs
from leapcheck_models.arrays import Floats
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace import native

SITE = int(mujoco.mjtObj.mjOBJ_SITE)

Accelerations = Callable[[mujoco.MjModel, Sequence[int]], Iterator[Call]]


def mujoco_loops(spec: RobotSpec, full: RobotSpec) -> tuple[MujocoLoop, ...]:
    """MuJoCo with Jdot v from `mj_jacDot`, and from the sites' accelerations; which is faster depends on the robot."""
    m = bare_model(full)
    return (
        MujocoLoop("MuJoCo, mj_jacDot", spec, full, m, products_of_rates),
        MujocoLoop("MuJoCo, mj_objectAcceleration", spec, full, m, site_accelerations),
    )


class MujocoLoop:
    """One robot in MuJoCo; owns the model, its data and what the calls scribble on."""

    def __init__(self, name: str, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel, accelerations: Accelerations) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies), and where Jdot v comes from."""
        self.name = name
        self.form = f"MuJoCo {mujoco.__version__}, its C functions in a loop of machine code, geoms left out"
        self._m, self._d = m, mujoco.MjData(m)
        self._sites = build.contact_sites(full, m)
        self._accelerations = accelerations
        self.convention = conventions.mujoco_convention(spec, build.places(full, m))
        self.sizes = Sizes(m.nv, len(self._sites))
        self._scratch = np.zeros(max(3 * m.nv, 6))

    def bound(self, quantities: Sequence[str], q_u: Floats, v_u: Floats, out: Outputs) -> Callable[[], None]:
        """The loop over the states (n, nq_u), (n, nv_u) that writes the quantities into `out`."""
        rows = {"q": q_u, "v": v_u, **out}
        sizes = {name: array[0].size for name, array in rows.items()}
        code = native.Library(native.object_code(calls_ir(self._calls(quantities), library(), self._addresses, sizes)))
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * len(rows))
        arguments = (len(q_u), *(array.ctypes.data for array in rows.values()))
        function = partial(prototype(code.address(FUNCTION)), *arguments)

        def run(_keep: object = (self, code, rows)) -> None:  # the function knows addresses only
            function()

        return run

    def _calls(self, quantities: Sequence[str]) -> list[Call]:
        """MuJoCo's calls for one state: each function once, in the order in which they need each other."""
        m, made = self._m, [call("mju_copy", "d.qpos", "q", self._m.nq), call("mj_kinematics", "m", "d")]
        made.append(call("mj_comPos", "m", "d"))
        if "mass_matrix" in quantities:
            made += [call("mj_makeM", "m", "d"), call("mj_fullM", "m", "d", "mass_matrix")]
        if {"bias_force", "contact_bias_accelerations"} & set(quantities):
            made += [call("mju_copy", "d.qvel", "v", m.nv), call("mj_comVel", "m", "d")]
        if "bias_force" in quantities:
            made.append(call("mj_rne", "m", "d", 0, "bias_force"))
        if "contact_positions" in quantities:
            made += positions(self._sites)
        if "contact_jacobians" in quantities:
            made += jacobians(m, self._sites)
        if "contact_bias_accelerations" in quantities:
            made += self._accelerations(m, self._sites)
        return made

    @cached_property
    def _addresses(self) -> dict[str, int]:
        """Addresses of all that stays where it is."""
        d = self._d
        arrays = {"d.qpos": d.qpos, "d.qvel": d.qvel, "d.site_xpos": d.site_xpos, "m.opt.gravity": self._m.opt.gravity}
        arrays["scratch"] = self._scratch
        return {"m": self._m._address, "d": d._address, **{name: array.ctypes.data for name, array in arrays.items()}}


def bare_model(full: RobotSpec) -> mujoco.MjModel:
    """Compiled model without the geoms, whose places nobody asks for, with the exact values."""
    description = mujoco.MjSpec.from_string(mjcf_text(full))
    for geom in list(description.geoms):
        description.delete(geom)
    m = description.compile()
    build.write_exact_values(full, m)
    return m


def positions(sites: Sequence[int]) -> Iterator[Call]:
    """Positions of the sites: one copy where they follow each other."""
    if list(sites) == list(range(sites[0], sites[0] + len(sites))):
        yield call("mju_copy", "contact_positions", Address("d.site_xpos", 3 * sites[0]), 3 * len(sites))
        return
    for k, site in enumerate(sites):
        yield call("mju_copy3", Address("contact_positions", 3 * k), Address("d.site_xpos", 3 * site))


def jacobians(m: mujoco.MjModel, sites: Sequence[int]) -> Iterator[Call]:
    """J (points, 3, nv)."""
    for k, site in enumerate(sites):
        yield call("mj_jacSite", "m", "d", Address("contact_jacobians", 3 * m.nv * k), 0, site)


def products_of_rates(m: mujoco.MjModel, sites: Sequence[int]) -> Iterator[Call]:
    """Jdot v as a product of the whole matrix Jdot of each site."""
    for k, site in enumerate(sites):
        yield call("mj_jacDot", "m", "d", "scratch", 0, Address("d.site_xpos", 3 * site), int(m.site_bodyid[site]))
        yield call("mju_mulMatVec", Address("contact_bias_accelerations", 3 * k), "scratch", "v", 3, m.nv)


def site_accelerations(_m: mujoco.MjModel, sites: Sequence[int]) -> Iterator[Call]:
    """Jdot v as the acceleration of each site at vdot = 0; MuJoCo's contains -gravity, which is added back."""
    yield call("mj_rnePostConstraint", "m", "d")
    for k, site in enumerate(sites):
        yield call("mj_objectAcceleration", "m", "d", SITE, site, "scratch", 0)
        yield call("mju_add3", Address("contact_bias_accelerations", 3 * k), Address("scratch", 3), "m.opt.gravity")
