"""MuJoCo's own storage (qM, CSR, cinert, crb, cdof) of a file as it loads it, in the order of the tree's dofs and bodies.

A row of qM or CSR is a dof with those that carry it, in the file as in the tree: only whole rows change place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates.conventions import Place
from leapcheck.engines.mujoco import tree as mujoco_tree
from leapcheck.engines.projection import Assembly
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import VELOCITY_SIZE, WORLD, Body, JointType, RobotSpec

ABOUT_COM = ("cinert", "crb", "cdof")
"""Expressed about the centre of mass of a whole tree: other trees, other numbers."""

MATRICES = ("qM", "csr")

MADE = 1e-6
"""Share of a robot's mass by which MuJoCo's differs where it has made some."""


class FileStorage:
    """Which of the numbers a loaded model has in common with the tree (`names`), and why not the others (`not_compared`)."""

    def __init__(self, spec: RobotSpec, m: mujoco.MjModel, places: Mapping[str, Place]) -> None:
        full = with_rotor_bodies(spec).spec
        self._dofs = np.array(list(_dofs(full, places)), dtype=np.intp)
        self._legacy, self._csr = _rows(m.dof_Madr, _lengths(m), self._dofs), _rows(m.M_rowadr, m.M_rownnz, self._dofs)
        numbers = {name: number for number, name in enumerate(mujoco_tree.names_of(m).bodies)}
        self._own, self._composite = _body_rows(full, numbers)
        mass = sum(body.inertia.mass for body in full.bodies)
        makes_mass = abs(float(m.body_mass.sum()) - mass) > MADE * mass  # of the geometry of links that have none
        fused = next(
            (b.name for b in full.bodies if b.name not in numbers and (makes_mass or _has_mass(b))),
            _other_root(full, m, self._composite),
        )
        self.names = frozenset(MATRICES if fused else (*MATRICES, *ABOUT_COM))
        what = f"MuJoCo fuses the link '{fused}' into what carries it, so its bodies are others"
        self.not_compared = (f"mujoco-file: {', '.join(ABOUT_COM)}: {what}",) if fused else ()

    @property
    def assembly(self) -> dict[str, Assembly]:
        """The numbers out of MuJoCo's arrays of the same names, those of bodies of all of its bodies."""
        return {
            "csr": Assembly(("csr",), partial(np.take, indices=self._csr, axis=-1)),
            "qM": Assembly(("qM",), partial(np.take, indices=self._legacy, axis=-1)),
            "cdof": Assembly(("cdof",), partial(np.take, indices=self._dofs, axis=-2)),
            "cinert": Assembly(("cinert",), partial(_rows_or_zero, self._own)),
            "crb": Assembly(("crb",), partial(_rows_or_zero, self._composite)),
        }


def _dofs(full: RobotSpec, places: Mapping[str, Place]) -> Iterator[int]:
    """The model's number of each dof of the tree."""
    for body in full.bodies:
        if body.joint.type is not JointType.FIXED:
            start = places[body.joint.name].v
            yield from range(start, start + VELOCITY_SIZE[body.joint.type])


def _lengths(m: mujoco.MjModel) -> NDArray[np.intp]:
    """Entries of each row of qM."""
    return np.diff(np.append(m.dof_Madr, m.nM))


def _rows(starts: NDArray[Any], lengths: NDArray[Any], dofs: NDArray[np.intp]) -> NDArray[np.intp]:
    """Addresses of all entries, row after row in the order of the dofs."""
    return np.array(
        [start + k for start, length in zip(starts[dofs], lengths[dofs], strict=True) for k in range(length)], dtype=np.intp
    )


def _has_mass(body: Body) -> bool:
    return bool(body.inertia.mass) or any(body.inertia.rotational)


def _other_root(full: RobotSpec, m: mujoco.MjModel, numbers: NDArray[np.intp]) -> str:
    """Root in the tree of a link that has another one in the model, whose `numbers` those of the links are; "" for none."""
    root_of: dict[str, int] = {}
    for place, body in enumerate(full.bodies):
        root = root_of[body.name] = place if body.parent == WORLD else root_of[body.parent]
        if numbers[place] >= 0 and m.body_rootid[numbers[place]] != numbers[root]:
            return full.bodies[root].name
    return ""


def _body_rows(full: RobotSpec, numbers: Mapping[str, int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each link the model's body, and the body with the same composite inertia; -1 where that is zero."""
    below: dict[str, list[Body]] = {}
    for body in full.bodies:
        below.setdefault(body.parent, []).append(body)
    composite: dict[str, int] = {}
    for body in reversed(full.bodies):  # children first
        heavy = [composite[child.name] for child in below.get(body.name, []) if composite[child.name] >= 0]
        composite[body.name] = numbers.get(body.name, heavy[0] if heavy else -1)
    own = np.array([numbers.get(body.name, -1) for body in full.bodies], dtype=np.intp)
    return own, np.array([composite[body.name] for body in full.bodies], dtype=np.intp)


def _rows_or_zero(numbers: NDArray[np.intp], rows: Floats) -> Floats:
    chosen: Floats = np.where(numbers[:, None] >= 0, rows[..., numbers, :], 0.0)
    return chosen
