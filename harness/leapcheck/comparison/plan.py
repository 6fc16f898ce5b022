"""What to compare: a robot, engines, quantities and states, and the parts that its work is cut into."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from leapcheck.engines.protocol import Engine, EngineRequest
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.entries import dof_names
from leapcheck.limits import within_limits
from leapcheck.quantities import DEFAULT, quantity_names, takes_part
from leapcheck.robots.load import NamedRobot
from leapcheck.robots.size import coupled_pairs, excess_size
from leapcheck.sampling import (
    STATE_PARTS,
    UNIT,
    States,
    generated_block,
    generated_states,
    join_states,
    units,
    with_contact_forces,
)
from leapcheck.system.command_line import command_line
from leapcheck_models.spec import RobotSpec

LONG_FROM = 20_000
"""Number of states from which a run has parts, and processes where they are asked for."""

COMPILED_FROM = 300_000
"""Number of states from which code is compiled for a run: the Mini Cheetah's takes 18 s of CPU and saves 25 us a state of five
engines. Below, interpreted programs with the same bits are done sooner.
"""

SINGULAR = 1e-13
"""Smallest eigenvalue of M, scaled to a unit diagonal, that counts as zero; least over named robots and 300 trees: 7e-5."""

BLOCK = 16
"""Most units of a block: what Python does once in a block is then little, and memory still tens of megabytes a process."""

BLOCK_ENTRIES = 2048
"""Most units of a block times entries of the lower triangle of M: a block's memory does not grow with M."""

JOB = 2
"""Blocks of a job: enough that handing it to a process costs nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare. `only` is the index of a single state out of all; `states` are the user's own, from `states_file`.

    `limits` say what of the robot cannot be compared, where it comes from a user's file; `only_in_python` names the engines,
    and "states", that no command line can give. `strict`: what an engine's own single precision explains is a discrepancy, too.
    `own_differences`: derivatives are held against differences of their engine's own functions, too.
    `within_limits`: the random states are those that the robot's joints and drives can be in. `block_units`: by default as many
    as the robot's size allows.
    """

    robot: NamedRobot
    engines: tuple[str | Engine | EngineRequest, ...] = ENGINE_NAMES
    quantities: tuple[str, ...] = DEFAULT
    count: int = 2048
    seed: int = 0
    only: int | None = None
    states: States | None = None
    states_file: str = ""
    command: str = ""
    block_units: int = 0
    limits: tuple[str, ...] = ()
    only_in_python: tuple[str, ...] = ()
    strict: bool = False
    own_differences: bool = False
    within_limits: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantities", quantity_names(self.quantities))
        if self.states is not None and takes_part(self.quantities, "contact_forces"):
            object.__setattr__(self, "states", with_contact_forces(self.spec, self.states))
        object.__setattr__(self, "block_units", self.block_units or units_of_block(self.spec))
        if self.count < 1:
            raise ValueError(f"{self.count} states: give at least 1")
        if self.seed < 0:
            raise ValueError(f"the seed is {self.seed}: give a whole number from 0")
        names = [engine if isinstance(engine, str) else engine.name for engine in self.engines]
        if len(names) < 2:
            raise ValueError(f"{len(names)} engines: give at least two to compare")
        if repeated := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"engine '{repeated[0]}' is given twice: name each once")
        if self.only is not None and not 0 <= self.only < self.total:
            raise ValueError(f"state {self.only} is not among the {self.total} states: give 0 to {self.total - 1}")
        if not self.spec.bodies or self.spec.nv == 0:
            raise ValueError(f"robot '{self.spec.name}' has nothing that moves: add a body with a joint by add_body")
        if excess := excess_size(self.spec):
            raise ValueError(f"robot '{self.spec.name}': {excess}: compare a limb as a robot of its own, or fix joints")
        if dof := singular_dof(self.spec):
            raise ValueError(f"robot '{self.spec.name}': '{dof}' moves no inertia: give the link behind it a mass and an inertia")

    @property
    def spec(self) -> RobotSpec:
        """The robot's description."""
        return self.robot.spec

    @property
    def total(self) -> int:
        """How many states there are to choose from."""
        return self.count if self.states is None else len(self.states)

    @property
    def is_portable(self) -> bool:
        """Whether another process can make all engines for itself."""
        return all(isinstance(engine, str | EngineRequest) for engine in self.engines)

    @property
    def state_count(self) -> int:
        """How many states are compared."""
        return self.total if self.only is None else 1

    @property
    def states_arguments(self) -> tuple[str, ...]:
        """The words of the command line that give these states."""
        if self.states is not None:  # those of a recording come with it
            return ("--states-file", self.states_file) if self.states_file else ()
        limits = ("--within-limits",) if self.within_limits else ()
        return ("--states", str(self.count), "--seed", str(self.seed), *limits)

    @property
    def is_long(self) -> bool:
        """Whether so many states are to come that finished parts are worth keeping and processes worth starting."""
        return self.only is None and self.total >= LONG_FROM

    @property
    def is_compiled(self) -> bool:
        """Whether so many states are to come that compiling for them pays."""
        return self.only is None and self.total >= COMPILED_FROM

    def block(self, of_units: Sequence[int]) -> States:
        """The states of some units; or the only one."""
        if self.only is not None:
            row = self.only % UNIT
            return self.unit(self.only // UNIT)[row : row + 1]
        if self.states is None:
            return self._drawn(of_units)
        return join_states([self.unit(unit) for unit in of_units])

    def unit(self, unit: int) -> States:
        """The states of one unit."""
        if self.states is not None:
            return self.states[unit * UNIT : (unit + 1) * UNIT]
        return self._drawn((unit,))

    def needed_block(self, of_units: Sequence[int]) -> States:
        """`block`, less the random accelerations that no quantity takes: drawing them is a twentieth of a comparison."""
        if self.only is not None or self.states is not None:
            return self.block(of_units)
        return self._drawn(of_units, [part for part in STATE_PARTS if takes_part(self.quantities, part)])

    def _drawn(self, of_units: Sequence[int], parts: Collection[str] = STATE_PARTS) -> States:
        """The random states of some units; the forces that no quantity takes are left out."""
        if not takes_part(self.quantities, "contact_forces"):
            parts = [part for part in parts if part != "contact_forces"]
        states = generated_block(self.spec, self.count, self.seed, of_units, parts)
        return within_limits(self.spec, states) if self.within_limits else states


def blocks(plan: Plan) -> Iterator[States]:
    """The states to compare, a block at a time; or the only one."""
    for part in jobs(plan):
        yield from map(plan.block, part)


def jobs(plan: Plan) -> list[tuple[range, ...]]:
    """The units of states in blocks, and the blocks in jobs, each for one process at a time."""
    all_units = units(plan.state_count)
    in_blocks = [all_units[i : i + plan.block_units] for i in range(0, len(all_units), plan.block_units)]
    return [tuple(in_blocks[i : i + JOB]) for i in range(0, len(in_blocks), JOB)]


def units_of_block(spec: RobotSpec) -> int:
    """How many units a block has by default: fewer for a robot whose M has many entries."""
    return min(BLOCK, max(1, BLOCK_ENTRIES // max(1, coupled_pairs(spec))))


@lru_cache(maxsize=64)
def singular_dof(spec: RobotSpec) -> str:
    """Name of the dof that most moves no inertia at a generic state, "" where M is regular."""
    M = ReferenceEngine(spec).evaluate(generated_states(spec, 1, 0, 0), ("mass_matrix",))["mass_matrix"][0]
    diagonal = np.sqrt(np.diag(M))
    if not diagonal.all():
        return dof_names(spec)[int(diagonal.argmin())]
    eigenvalues, vectors = np.linalg.eigh(M / np.outer(diagonal, diagonal))
    return dof_names(spec)[int(np.abs(vectors[:, 0]).argmax())] if eigenvalues[0] <= SINGULAR else ""


def repeat_text(plan: Plan, engines: Sequence[str], quantity: str, index: int) -> str:
    """What repeats the comparison of one quantity in some engines at one state: a command line, or a call in Python where the
    robot, an engine or the states exist only there.
    """
    objects = plan.only_in_python
    if plan.robot.source and not {*engines, "states"} & set(objects):
        words = ("--engines", *engines, "--quantities", quantity, *plan.states_arguments, "--only", str(index))
        return command_line("leapcheck", "compare", plan.robot.source, *plan.robot.options, *words)
    robot = repr(plan.robot.source) if plan.robot.source else plan.spec.name
    users = ", ".join(name for name in engines if name in objects)
    others = tuple(name for name in engines if name not in objects)
    states = "states=states" if plan.states is not None else _drawn_words(plan)
    chosen = {"feet": plan.robot.feet, "points": plan.robot.points and str(plan.robot.points), "frames": plan.robot.frames}
    where = "".join(f", {name}={value!r}" for name, value in chosen.items() if value)
    return f"leapcheck.compare({robot}, [{users}], engines={others}, quantities={quantity!r}{where}, {states}, only={index})"


def _drawn_words(plan: Plan) -> str:
    """The arguments of a call in Python that draw the states again."""
    return f"states={plan.count}, seed={plan.seed}" + (", within_limits=True" if plan.within_limits else "")
