"""MuJoCo's MJX behind the engine protocol: JAX on the CPU, in double precision."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import partial
from importlib import metadata
from typing import Any

import jax
import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.mujoco import build
from leapcheck.engines.projection import OwnStates, number_shapes
from leapcheck.quantities import CORE
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

with redirect_stdout(io.StringIO()):  # it prints which other back ends are not installed
    import mujoco.mjx as mjx  # `from mujoco import mjx` would not say which package is missing
    from mujoco.mjx._src.smooth import solve_m  # has no public name
    from mujoco.mjx._src.support import jac_dot  # has no public name

LANES = 64
"""States of one call: a block is cut or filled up to so many, so that JAX compiles once per robot."""

COMPILED_BY = {"xla_disable_hlo_passes": "fusion"}
"""Options of XLA. Fused, each link's pose is computed again for every link behind it: JAX 0.10 did not finish a chain of 12."""

ENERGIES = frozenset({"kinetic_energy", "potential_energy"})


class MjxEngine(ForeignEngine):
    """One robot in MJX, with its rotors as bodies; compiled by JAX when the first number is asked for.

    Only kinematics, inertia and Newton-Euler are called: nothing of damping, friction, limits, contacts or equalities enters.
    """

    def __init__(self, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel, route: str) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies) with exact values."""
        m.geom_contype[:] = m.geom_conaffinity[:] = 0  # MJX refuses some pairs of shapes, and none shall touch
        sites = build.contact_sites(full, m)
        super().__init__(
            "mjx",
            metadata.version("mujoco-mjx"),
            f"{route}; JAX on the CPU in double precision (JAX {jax.__version__}, MuJoCo {mujoco.__version__})",
            conventions.mujoco_convention(spec, build.places(full, m)),
            number_shapes(m.nv, len(sites)),
            sizes=(m.nq, m.nv),
            quantities=frozenset({*CORE, "inverse_dynamics"}) - ENERGIES,
        )
        with in_double_on_the_cpu():
            model = mjx.put_model(m)
            one = partial(numbers, model, mjx.make_data(model), np.array(sites, dtype=int))
            self._numbers = jax.jit(jax.vmap(one), compiler_options=COMPILED_BY)

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`, so many states at once as JAX has compiled for."""
        self.check_blocks(states, out)
        for start in range(0, len(states.q), LANES):
            rows = slice(start, start + LANES)
            numbers_of_rows = self._lanes(OwnStates(*(block[rows] for block in states)))
            for name, array in out.items():
                array[rows] = np.asarray(numbers_of_rows[name])[: len(array[rows])]

    def _lanes(self, states: OwnStates) -> Any:
        """All numbers of up to LANES states, filled up with copies of the last one."""
        missing = LANES - len(states.q)
        with in_double_on_the_cpu():
            return self._numbers(*(np.concatenate([block, np.repeat(block[-1:], missing, axis=0)]) for block in states))


@contextmanager
def in_double_on_the_cpu() -> Iterator[None]:
    """JAX in double precision on the CPU for as long as this is entered: other code in the process keeps its own choice."""
    with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        yield


def numbers(model: Any, data: Any, sites: Any, q: Any, v: Any, tau: Any, vdot: Any) -> dict[str, Any]:
    """Every number of one state, by its name in `projection`: u is MuJoCo's qvel, points are in world axes."""
    d = mjx.kinematics(model, data.replace(qpos=q, qvel=v))
    d = mjx.factor_m(model, mjx.crb(model, mjx.com_pos(model, d)))
    d = mjx.com_vel(model, d)
    h = mjx.rne(model, d).qfrc_bias
    weightless = model.tree_replace({"opt.gravity": jax.numpy.zeros(3)})
    rest = mjx.com_vel(model, d.replace(qvel=jax.numpy.zeros_like(v)))
    p, bodies = d.site_xpos[sites], jax.numpy.asarray(model.site_bodyid)[sites]
    J, Jdot = (_of_points(function, model, d, p, bodies) for function in (mjx.jac, jac_dot))
    rows = J.reshape(-1, model.nv)
    return {
        "M": mjx.full_m(model, d),
        "h": h,
        "inverse_dynamics": mjx.rne(model, d.replace(qacc=vdot), flg_acc=True).qfrc_bias + model.dof_armature * vdot,
        "c": mjx.rne(weightless, d).qfrc_bias,
        "g": mjx.rne(model, rest).qfrc_bias,
        "udot": solve_m(model, d, tau - h),
        "MinvJT": jax.vmap(partial(solve_m, model, d))(rows).T,
        "p": p,
        "pdot": J @ v,
        "J": J,
        "a": Jdot @ v,
    }


def _of_points(function: Any, model: Any, d: Any, p: Any, bodies: Any) -> Any:
    """Translational part (points, 3, nv) of a Jacobian or of its rate at the points."""
    translational, _ = jax.vmap(partial(function, model, d))(p, bodies)
    return jax.numpy.swapaxes(translational, 1, 2)
