"""MuJoCo behind the engine protocol: out of MJCF, or out of URDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from types import SimpleNamespace

import mujoco
import numpy as np

from leapcheck import conventions
from leapcheck.engines import mujoco_build as build
from leapcheck.engines import mujoco_calls, mujoco_layout
from leapcheck.engines.call_table import CallTable, array_names
from leapcheck.engines.projection import NEEDS, Assembly, Floats, OwnStates, check_blocks, evaluated
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

STORAGE = ("qM", "csr", "cinert", "crb", "cdof")
"""MuJoCo's own arrays, compared entry by entry in its own coordinates."""


class MujocoEngine:
    """One robot in MuJoCo, with its rotors as bodies; owns the compiled model and its data.

    Only kinematics, inertia and Newton-Euler are called: nothing of damping, friction, limits, contacts or equalities enters.
    """

    def __init__(self, name: str, spec: RobotSpec, full: RobotSpec, m: mujoco.MjModel, route: str, storage: bool) -> None:
        """Takes a model of `full` (the spec with its rotors as bodies) with exact values; `storage`: answers STORAGE too."""
        self._name, self._route = name, route
        self._m, self._d = m, mujoco.MjData(m)
        sites = build.contact_sites(full, m)
        self._convention = conventions.mujoco_convention(spec, build.places(full, m))
        self._places_in_csr = mujoco_layout.places_in_csr(m)
        self._numbers = mujoco_calls.raw_numbers(m, sites, build.body_numbers(full, m))
        self._shapes = {"q": (m.nq,), "v": (m.nv,), "tau": (m.nv,), **self.raw_shapes}
        self._library = mujoco_calls.library()
        self._gravity = np.array(spec.gravity, dtype=float)
        self._scratch = {name: np.zeros(size) for name, size in mujoco_calls.scratch_sizes(m, len(sites)).items()}
        self._addresses = self._fixed_addresses()
        self._tables: dict[tuple[str, ...], CallTable] = {}
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

    @property
    def convention(self) -> conventions.Convention:
        """MuJoCo's coordinates of this robot."""
        return self._convention

    @property
    def raw_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of each of MuJoCo's numbers of one state: `projection`'s names, and STORAGE."""
        return {name: number.shape for name, number in self._numbers.items()}

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """M (..., nv_u, nv_u) out of csr (..., nC), which is shorter; all else is raw."""
        return {"M": Assembly(("csr",), partial(mujoco_layout.dense, self._places_in_csr))}

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape); canonical but for MuJoCo's storage."""
        return evaluated(self, states, quantities)

    def write_raw(self, at: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out` for n states into its C-contiguous arrays (n, *shape) of float64.

        All by MuJoCo's own functions, in a loop without Python: velocities are u of `convention`, points in world axes. One
        thread at a time; others run meanwhile.
        """
        blocks = {**at._asdict(), **out}
        check_blocks(blocks, self._shapes)
        addresses = {name: block.ctypes.data for name, block in blocks.items()}
        self._table(tuple(sorted(out))).run(self._addresses | addresses, len(at.q))

    def own_calls(self, at: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """Of the names M alone, (n, nv_u, nv_u), by mj_fullM: the one number that `assembly` makes, to hold it against."""
        out = {name: np.empty((len(at.q), *self.raw_shapes[name])) for name in self.assembly.keys() & set(names)}
        self.write_raw(at, out)
        return out

    def _table(self, names: tuple[str, ...]) -> CallTable:
        """The program that gives these raw numbers, kept for the next block."""
        if names not in self._tables:
            program = [*mujoco_calls.moves(self._m), *(made for name in names for made in self._numbers[name].calls)]
            row_sizes = {name: math.prod(self._shapes[name]) for name in (*OwnStates._fields, *names)}
            self._tables[names] = CallTable(program, self._library, row_sizes)
        return self._tables[names]

    def _fixed_addresses(self) -> dict[str, int]:
        """Addresses of the structs, of all fields that the calls read or write, and of scratch arrays, which are kept here."""
        m, d = self._m, self._d
        calls = [*mujoco_calls.moves(m), *(made for number in self._numbers.values() for made in number.calls)]
        fields = [name for name in array_names(calls) if name.startswith(("m.", "d."))]
        arrays = {name: attrgetter(name)(SimpleNamespace(m=m, d=d)) for name in fields}
        arrays |= self._scratch | {"gravity": self._gravity}
        return {"m": m._address, "d": d._address} | {name: array.ctypes.data for name, array in arrays.items()}
