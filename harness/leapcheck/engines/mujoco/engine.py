"""MuJoCo behind the engine protocol: out of MJCF, or out of URDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.mujoco import build, centroidal, frames
from leapcheck.engines.mujoco import calls as mujoco_calls
from leapcheck.engines.mujoco import layout as mujoco_layout
from leapcheck.engines.mujoco.state_calls import StateCalls
from leapcheck.engines.projection import Assembly, OwnStates, sliding_friction
from leapcheck.quantities import CORE, QuantityGroup, names_of_group
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

STORAGE = ("qM", "csr", "cinert", "crb", "cdof")
"""MuJoCo's own arrays, compared entry by entry in its own coordinates."""


class MujocoEngine(ForeignEngine):
    """One robot in MuJoCo, with its rotors as bodies; owns the compiled model and its data.

    Only kinematics, inertia, Newton-Euler and passive forces are called: nothing of limits, contacts or equalities enters.
    """

    def __init__(self, name: str, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel, route: str, storage: bool) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies) with exact values; `storage`: answers STORAGE too."""
        sites = build.contact_sites(full, m)
        links = [int(m.body(body.name).id) for body in spec.bodies]
        numbers = mujoco_calls.raw_numbers(m, mujoco_calls.site_points(m, sites), build.body_numbers(full, m))
        numbers |= {"actuator_torques": mujoco_calls.actuator_torques(m), **centroidal.raw_numbers(m)}
        numbers |= frames.raw_numbers(m, frames.frames_of(m, links, sites))
        self._assembly = {"M": Assembly(("csr",), partial(mujoco_layout.dense, mujoco_layout.places_in_csr(m)))}
        self._assembly |= inverse_dynamics(m.dof_armature.copy())
        self._assembly["dry_friction"] = Assembly(("own_v",), partial(sliding_friction, m.dof_frictionloss.copy()))
        self._assembly |= frames.ASSEMBLY
        self._assembly |= centroidal.assembly(m)
        super().__init__(
            name,
            str(mujoco.__version__),
            route,
            conventions.mujoco_convention(spec, build.places(full, m)),
            {name: number.shape for name, number in numbers.items()},
            sizes=(m.nq, m.nv),
            quantities=(
                *CORE,
                *("inverse_dynamics", "inverse_dynamics_with_contacts", "minverse", "operational_inertia_inverse"),
                *names_of_group(QuantityGroup.KINEMATICS),
                *(name for name in names_of_group(QuantityGroup.JOINTS) if name != "actuator_torques" or m.nu),
                *centroidal.quantities(m),
                *(STORAGE if storage else ()),
            ),
        )
        self._calls = StateCalls(m, mujoco_calls.moves(m), numbers, mujoco_calls.fixed_arrays(m, len(sites)))

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """M (..., nv_u, nv_u) out of csr (..., nC), which is shorter; the momentum of the whole out of its parts."""
        return self._assembly

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`: all by MuJoCo's own functions."""
        self._calls.write(tuple(out), self.check_blocks(states, out))

    def own_calls(self, states: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """M alone, (n, nv_u, nv_u), by mj_fullM: the one number that `assembly` makes and MuJoCo too, for comparison."""
        out = {name: np.empty((len(states.q), *self.raw_shapes[name])) for name in {"M"} & set(names)}
        self.write_raw(states, out)
        return out


def inverse_dynamics(armature: Floats) -> dict[str, Assembly]:
    """The whole inverse dynamics (..., nv), with and without contacts: mj_rne leaves out the armature and what is applied."""
    numbers, with_armature = ("newton_euler", "own_vdot"), partial(_with_armature, armature)
    return {
        "inverse_dynamics": Assembly(numbers, with_armature),
        "inverse_dynamics_with_contacts": Assembly((*numbers, "applied_force"), with_armature),
    }


def _with_armature(armature: Floats, force: Floats, vdot: Floats, applied: Floats | float = 0.0) -> Floats:
    return force + armature * vdot - applied
