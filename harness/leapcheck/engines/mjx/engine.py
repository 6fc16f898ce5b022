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
    """One robot in MJX, with its rotors as bodies; compiled by JAX when the first number is asked for: core and whole body apart.

    Only kinematics, inertia and Newton-Euler are called: nothing of damping, friction, limits, contacts or equalities enters.
    """

    def __init__(self, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel, route: str) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies) with exact values."""
        m.geom_contype[:] = m.geom_conaffinity[:] = 0  # MJX refuses some pairs of shapes, and none shall touch
        sites = build.contact_sites(full, m)
        core_shapes = number_shapes(m.nv, len(sites)) | {"inverse_dynamics_with_contacts": (m.nv,)}
        whole = whole_shapes(m.nv, len(spec.bodies) + len(sites))
        super().__init__(
            "mjx",
            metadata.version("mujoco-mjx"),
            f"{route}; JAX on the CPU in double precision (JAX {jax.__version__}, MuJoCo {mujoco.__version__})",
            conventions.mujoco_convention(spec, build.places(full, m)),
            core_shapes | whole,
            sizes=(m.nq, m.nv),
            quantities={*CORE, "inverse_dynamics", "inverse_dynamics_with_contacts", *whole} - ENERGIES,
        )
        links = [m.body(body.name).id for body in spec.bodies]
        with in_double_on_the_cpu():
            model = mjx.put_model(m)
            data = mjx.make_data(model)
            core = partial(numbers, model, data, np.array(sites, dtype=int))
            frames = partial(whole_numbers, model, data, np.array(links, dtype=int), np.array(sites, dtype=int))
            self._functions = [jax.jit(jax.vmap(one), compiler_options=COMPILED_BY) for one in (core, frames)]
        self._names = core_shapes.keys(), whole.keys()
        self._force_size = 3 * len(sites)

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`, so many states at once as JAX has compiled for."""
        self.check_blocks(states, out)
        forces = states.contact_forces
        if not forces.size:  # left out: nothing finds them
            forces = np.zeros((len(states.q), self._force_size))
        for start in range(0, len(states.q), LANES):
            rows = slice(start, start + LANES)
            lanes = [_filled_up(block[rows]) for block in (states.q, states.v, states.tau, states.vdot, forces)]
            for function, names in zip(self._functions, self._names, strict=True):
                if wanted := names & out.keys():
                    with in_double_on_the_cpu():
                        answers = function(*lanes)
                    for name in wanted:
                        out[name][rows] = np.asarray(answers[name])[: len(states.q[rows])]


@contextmanager
def in_double_on_the_cpu() -> Iterator[None]:
    """JAX in double precision on the CPU for as long as this is entered: other code in the process keeps its own choice."""
    with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        yield


def _filled_up(block: Floats) -> Floats:
    """Up to LANES states, filled up with copies of the last one."""
    return np.concatenate([block, np.repeat(block[-1:], LANES - len(block), axis=0)])


def numbers(model: Any, data: Any, sites: Any, q: Any, v: Any, tau: Any, vdot: Any, forces: Any) -> dict[str, Any]:
    """Every number of one state, by its name in `projection`: u is MuJoCo's qvel, points are in world axes."""
    d = _moving(model, data, q, v)
    h = mjx.rne(model, d).qfrc_bias
    weightless = model.tree_replace({"opt.gravity": jax.numpy.zeros(3)})
    rest = mjx.com_vel(model, d.replace(qvel=jax.numpy.zeros_like(v)))
    p, bodies = d.site_xpos[sites], jax.numpy.asarray(model.site_bodyid)[sites]
    J, Jdot = (_rows(function, model, d, p, bodies)[:, 3:] for function in (mjx.jac, jac_dot))
    rows = J.reshape(-1, model.nv)
    driven = mjx.rne(model, d.replace(qacc=vdot), flg_acc=True).qfrc_bias + model.dof_armature * vdot
    return {
        "M": mjx.full_m(model, d),
        "h": h,
        "inverse_dynamics": driven,
        "inverse_dynamics_with_contacts": driven - forces @ rows,
        "c": mjx.rne(weightless, d).qfrc_bias,
        "g": mjx.rne(model, rest).qfrc_bias,
        "udot": solve_m(model, d, tau - h),
        "MinvJT": jax.vmap(partial(solve_m, model, d))(rows).T,
        "p": p,
        "pdot": J @ v,
        "J": J,
        "a": Jdot @ v,
    }


def whole_shapes(nv: int, frames: int) -> dict[str, tuple[int, ...]]:
    """Shape of each of `whole_numbers` of one state."""
    return {
        "frame_placements": (frames, 3, 4),
        "frame_velocities": (frames, 6),
        "frame_jacobians": (frames, 6, nv),
        "frame_jacobian_rates": (frames, 6, nv),
        "frame_bias_accelerations": (frames, 6),
        "com_position": (3,),
        "com_velocity": (3,),
        "centroidal_momentum": (6,),
        "minverse": (nv, nv),
    }


def whole_numbers(model: Any, data: Any, links: Any, sites: Any, q: Any, v: Any, *others: Any) -> dict[str, Any]:
    """Frames of links and contact points, momentum and M^-1 of one state, by their names in `projection`."""
    del others  # tau, accelerations and contact forces
    d = mjx.subtree_vel(model, _moving(model, data, q, v))
    axes = jax.numpy.concatenate([d.xmat[links], d.site_xmat[sites]])
    origins = jax.numpy.concatenate([d.xpos[links], d.site_xpos[sites]])
    bodies = jax.numpy.concatenate([links, jax.numpy.asarray(model.site_bodyid)[sites]])
    J, Jdot = (_rows(function, model, d, origins, bodies) for function in (mjx.jac, jac_dot))
    robot = 0  # the world's subtree
    momentum = model.body_subtreemass[robot] * d._impl.subtree_linvel[robot]
    return {
        "frame_placements": jax.numpy.concatenate([axes, origins[..., None]], axis=-1),
        "frame_velocities": J @ v,
        "frame_jacobians": J,
        "frame_jacobian_rates": Jdot,
        "frame_bias_accelerations": Jdot @ v,
        "com_position": d.subtree_com[robot],
        "com_velocity": d._impl.subtree_linvel[robot],
        "centroidal_momentum": jax.numpy.concatenate([d._impl.subtree_angmom[robot], momentum]),
        "minverse": jax.vmap(partial(solve_m, model, d))(jax.numpy.eye(model.nv)),
    }


def _moving(model: Any, data: Any, q: Any, v: Any) -> Any:
    """The data of a state with poses, velocities and the factors of M."""
    d = mjx.kinematics(model, data.replace(qpos=q, qvel=v))
    d = mjx.factor_m(model, mjx.crb(model, mjx.com_pos(model, d)))
    return mjx.com_vel(model, d)


def _rows(function: Any, model: Any, d: Any, p: Any, bodies: Any) -> Any:
    """A Jacobian or its rate (points, 6, nv) at the points, angular first."""
    translational, rotational = jax.vmap(partial(function, model, d))(p, bodies)
    return jax.numpy.swapaxes(jax.numpy.concatenate([rotational, translational], axis=-1), 1, 2)
