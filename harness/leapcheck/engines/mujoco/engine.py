"""MuJoCo behind the engine protocol: out of MJCF, or out of URDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from operator import attrgetter
from types import SimpleNamespace

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.mujoco import build, centroidal, frames
from leapcheck.engines.mujoco import calls as mujoco_calls
from leapcheck.engines.mujoco import layout as mujoco_layout
from leapcheck.engines.mujoco.call_table import CallTable, array_names
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
        self._numbers = mujoco_calls.raw_numbers(m, sites, build.body_numbers(full, m)) | centroidal.raw_numbers(m)
        links = [int(m.body(body.name).id) for body in spec.bodies]
        self._numbers |= frames.raw_numbers(m, frames.frames_of(m, links, sites))
        self._assembly = {"M": Assembly(("csr",), partial(mujoco_layout.dense, mujoco_layout.places_in_csr(m)))}
        self._assembly["inverse_dynamics"] = Assembly(
            ("newton_euler", "own_vdot"), partial(_with_armature, m.dof_armature.copy())
        )
        self._assembly["inverse_dynamics_with_contacts"] = Assembly(
            ("newton_euler", "own_vdot", "applied_force"), partial(_with_armature, m.dof_armature.copy())
        )
        self._assembly["dry_friction"] = Assembly(("own_v",), partial(sliding_friction, m.dof_frictionloss.copy()))
        self._assembly |= frames.ASSEMBLY
        self._assembly |= centroidal.assembly(m)
        super().__init__(
            name,
            str(mujoco.__version__),
            route,
            conventions.mujoco_convention(spec, build.places(full, m)),
            {name: number.shape for name, number in self._numbers.items()},
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
        self._m, self._d = m, mujoco.MjData(m)
        self._library = mujoco_calls.library()
        self._gravity, self._stiffness = np.array(spec.gravity, dtype=float), m.jnt_stiffness.copy()
        self._scratch = {name: np.zeros(size) for name, size in mujoco_calls.scratch_sizes(m, len(sites)).items()}
        self._scratch["scratch.unit"] = np.eye(m.nv).ravel()
        self._addresses = self._fixed_addresses()
        self._tables: dict[tuple[str, ...], CallTable] = {}

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """M (..., nv_u, nv_u) out of csr (..., nC), which is shorter; the momentum of the whole out of its parts."""
        return self._assembly

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`: all by MuJoCo's own functions, in a loop without Python.

        One thread at a time; others run meanwhile.
        """
        addresses = {name: block.ctypes.data for name, block in self.check_blocks(states, out).items()}
        self._table(tuple(sorted(out))).run(self._addresses | addresses, len(states.q))

    def own_calls(self, states: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """M alone, (n, nv_u, nv_u), by mj_fullM: the one number that `assembly` makes and MuJoCo too, for comparison."""
        out = {name: np.empty((len(states.q), *self.raw_shapes[name])) for name in {"M"} & set(names)}
        self.write_raw(states, out)
        return out

    def _table(self, names: tuple[str, ...]) -> CallTable:
        """The program that gives these raw numbers, kept for the next block."""
        if names not in self._tables:
            program = [*mujoco_calls.moves(self._m), *(call for name in names for call in self._numbers[name].calls)]
            row_sizes = {name: math.prod(self._shapes[name]) for name in (*OwnStates._fields, *names)}
            self._tables[names] = CallTable(program, self._library, row_sizes)
        return self._tables[names]

    def _fixed_addresses(self) -> dict[str, int]:
        """Addresses of the structs, of all fields that the calls read or write, and of scratch arrays, which are kept here."""
        m, d = self._m, self._d
        calls = [*mujoco_calls.moves(m), *(call for number in self._numbers.values() for call in number.calls)]
        fields = [name for name in array_names(calls) if name.startswith(("m.", "d."))]
        arrays = {name: attrgetter(name)(SimpleNamespace(m=m, d=d)) for name in fields}
        arrays |= self._scratch | {"gravity": self._gravity, "stiffness": self._stiffness}
        return {"m": m._address, "d": d._address} | {name: array.ctypes.data for name, array in arrays.items()}


def _with_armature(armature: Floats, force: Floats, vdot: Floats, applied: Floats | float = 0.0) -> Floats:
    """The whole inverse dynamics (..., nv): mj_rne leaves the armature out, and what is applied at the contact points."""
    return force + armature * vdot - applied
