"""Parts of a robot evaluated by the programs of the whole one: what is cut has no inertia, stands still and is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.judge.draws import PerturbedRobot, RowsOf, StateFactors, moved_numbers, readable_rows, state_factors
from leapcheck.judge.layout import BODY_QUANTITIES, DOF_AXES, FRAME_QUANTITIES, POINT_QUANTITIES, force_columns, neutral
from leapcheck.judge.robot_rows import Pair, RobotRows
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.parametric import Part, numbers, places
from leapcheck_reference.tree import Tree

Indices = NDArray[np.intp]

ABOUT_COM = ("cinert", "crb", "cdof")
"""Quantities about the com of a root's subtree: parts that hang on the world by themselves are subtrees of their own."""

NO_MOVE = np.append(np.eye(3).ravel(), np.zeros(3))
"""The numbers of a placement that is none."""

PROGRAM_DOF_AXES = DOF_AXES | {"mujoco_mass_matrix": DOF_AXES["mass_matrix"]}
"""Axes of the dofs in what programs give."""


@dataclass(frozen=True, slots=True, eq=False)
class RobotPart:
    """A part of a robot inside the whole: all numbers x (N,) of the whole with what is cut taken out.

    `q` and `v` are the places of the part's coordinates in the whole's, `links` and `points` those of its links and points
    among the whole's, which has `all_points`.
    """

    x: Floats
    q: Indices
    v: Indices
    links: Indices
    points: Indices
    all_points: int

    def select(self, quantity: str, values: Floats) -> Floats:
        """Of the whole's values (n, ...) those of the part."""
        for axis in PROGRAM_DOF_AXES.get(quantity, ()):
            values = np.take(values, self.v, axis=axis)
        if quantity in POINT_QUANTITIES:
            values = np.take(values, self.points, axis=1)
        if quantity in FRAME_QUANTITIES:
            links = values.shape[1] - self.all_points
            values = np.take(values, [*self.links, *(links + self.points)], axis=1)
        return np.take(values, self.links, axis=1) if quantity in BODY_QUANTITIES else values


@dataclass(frozen=True, slots=True, eq=False)
class PartRows(RobotRows):
    """Rows of a part: `v` and `tau` are its own, `q` is the whole's."""

    part: RobotPart

    def from_program(self, name: str, x: Floats, rates: Floats | None, v: Floats, vdot: Floats | None = None) -> Pair:
        """The part of what the whole robot's program gives."""
        whole = np.zeros((2, len(v), self.tree.nv))
        whole[..., self.part.v] = v, self.vdot if vdot is None else vdot
        value, rate = RobotRows.from_program(self, name, x, rates, whole[0], whole[1])
        return self.part.select(name, value), self.part.select(name, rate)


class WholeRobot:
    """A robot whose parts are looked at."""

    def __init__(self, spec: RobotSpec) -> None:
        """Takes the whole robot."""
        self.tree = reference.build(spec)
        self._x, self._moved, self._neutral = numbers(self.tree), moved_numbers(spec), neutral(spec)
        self._factors = state_factors(spec)
        self._places = places(self.tree)
        self._links = {link.name: i for i, link in enumerate(self.tree.links)}
        self._points = {point.name: k for k, point in enumerate(self.tree.points)}

    def part(self, spec: RobotSpec) -> RobotPart | None:
        """A robot as a part of this one; None where it is none: another joint, or on another link."""
        tree = reference.build(spec)
        if not self._holds(tree):
            return None
        x = self._without_inertia({link.name for link in tree.links})
        own = numbers(tree)
        for part, place in places(tree).items():
            x[self._places[self._part_in_whole(tree, part)]] = own[place]
        links = [self.tree.links[self._links[link.name]] for link in tree.links]
        q, v = (np.array([i for link in links for i in range(*getattr(link, name).indices(10**9))], np.intp) for name in "qv")
        order = np.array([self._links[link.name] for link in tree.links], dtype=np.intp)
        return RobotPart(
            x, q, v, order, np.array([self._points[point.name] for point in tree.points], dtype=np.intp), len(self._points)
        )

    def state_factors(self, part: RobotPart) -> list[StateFactors]:
        """By what each draw multiplies a part's state."""
        places = {"q": part.q, "contact_forces": np.array(force_columns(part.points), dtype=np.intp)}
        return [{name: off[places.get(name, part.v)] for name, off in factors.items()} for factors in self._factors]

    def root_count(self, part: RobotPart) -> int:
        """Links of a part that hang on no other of its links."""
        own = set(part.links.tolist())
        return sum(own.isdisjoint(self._above(link)) for link in own)

    def rows(self, part: RobotPart, reads: Sequence[States]) -> RobotRows:
        """Rows of a part at the first of some blocks of states, and of the part as each draw moves it at the others."""
        robots = [part.x, *(np.where(part.x == self._x, moved, part.x) for moved in self._moved)][: len(reads)]
        x = np.concatenate([np.broadcast_to(own, (len(read), len(own))) for own, read in zip(robots, reads, strict=True)])
        own_q, v, tau, vdot, forces = (np.concatenate([getattr(read, name) for read in reads]) for name in STATE_PARTS)
        q = np.tile(self._neutral, (len(x), 1))
        q[:, part.q] = own_q
        return PartRows(self.tree, x, None, q, v, tau, vdot, forces, part)

    def _holds(self, tree: Tree) -> bool:
        """Whether each link hangs on the same joint, and on the same link but for those that are cut."""
        own = {link.name for link in tree.links}
        for link in tree.links:
            whole = self.tree.links[self._links[link.name]] if link.name in self._links else None
            if whole is None or whole.type is not link.type or (link.rotor and not whole.rotor):
                return False
            above = next((name for i in self._above(self._links[link.name]) if (name := self.tree.links[i].name) in own), "")
            if above != (tree.links[link.parent].name if link.parent >= 0 else ""):
                return False
        on = {(point.name, self.tree.links[point.link].name) for point in self.tree.points}
        return {(point.name, tree.links[point.link].name) for point in tree.points} <= on

    def _above(self, link: int) -> Iterator[int]:
        """The links between one and the world, the nearest first."""
        while (link := self.tree.links[link].parent) >= 0:
            yield link

    def _without_inertia(self, kept: set[str]) -> Floats:
        """All numbers, with no inertia anywhere, and with the links that are not kept where their parents are."""
        x = self._x.copy()
        for part, place in self._places.items():
            if part.kind in ("inertia", "armature"):
                x[place] = 0.0
            elif part.kind == "placement" and not part.rotor and self.tree.links[part.index].name not in kept:
                x[place] = NO_MOVE
        return x

    def _part_in_whole(self, tree: Tree, part: Part) -> Part:
        if part.kind == "gravity":
            return part
        if part.kind == "point":
            return Part("point", self._points[tree.points[part.index].name])
        return Part(part.kind, self._links[tree.links[part.index].name], part.rotor)


@dataclass(frozen=True, slots=True, eq=False)
class RobotInWhole:
    """A robot and what makes its rows at some blocks of states: as it is at the first, as each draw moves it at the others."""

    spec: RobotSpec
    rows: RowsOf
    factors: Sequence[StateFactors]

    def draws(self, states: States) -> PerturbedRobot:
        """The draws of the robot at some states."""
        return PerturbedRobot(self.spec, states, self.rows, self.factors)


def robot_in_whole(whole: RobotSpec, spec: RobotSpec, quantity: str) -> RobotInWhole:
    """A robot by the programs of the whole one if it is a part of that, else by the readable code.

    For MuJoCo's own quantities it is the one with its rotors as bodies.
    """
    if QUANTITIES[quantity].in_mujoco_coordinates:
        whole, spec = with_rotor_bodies(whole).spec, with_rotor_bodies(spec).spec
    known = _whole_robot(whole)
    part = known.part(spec)
    if part is None or (quantity in ABOUT_COM and known.root_count(part) > 1):
        return RobotInWhole(spec, readable_rows(spec, reference.build(spec)), state_factors(spec))
    return RobotInWhole(spec, partial(known.rows, part), known.state_factors(part))


@lru_cache(maxsize=4)
def _whole_robot(spec: RobotSpec) -> WholeRobot:
    return WholeRobot(spec)
