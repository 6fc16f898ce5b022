"""What to compare: a robot, engines, quantities and states, and the parts that its work is cut into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leapcheck.compare.singular import singular_dof
from leapcheck.engines.protocol import Engine, EngineRequest
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.quantities import QUANTITIES
from leapcheck.states import UNIT, States, generated_states, joined, units
from leapcheck_models.spec import RobotSpec

COMPILED_FROM = 20_000
"""Number of states from which code is compiled for a run; below, NumPy programs with the same bits are done sooner."""

JOB = 16
"""Blocks of a job: enough that handing it to a process costs nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare. `only` is the index of a single state out of all; `states` are the user's own, from `states_file`.

    `limits` say what of the robot cannot be compared, where it comes from a file of the user's.
    """

    robot: str
    spec: RobotSpec
    engines: tuple[str | Engine | EngineRequest, ...] = ENGINE_NAMES
    quantities: tuple[str, ...] = tuple(QUANTITIES)
    count: int = 2048
    seed: int = 0
    only: int | None = None
    states: States | None = None
    states_file: str = ""
    command: str = ""
    block_units: int = 4
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [name for name in self.quantities if name not in QUANTITIES]
        if unknown:
            raise ValueError(f"unknown quantity '{unknown[0]}': use one of {', '.join(QUANTITIES)}")
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
        if dof := singular_dof(self.spec):
            raise ValueError(f"robot '{self.spec.name}': '{dof}' moves no inertia: give the link behind it a mass and an inertia")

    @property
    def total(self) -> int:
        """How many states there are to choose from."""
        return self.count if self.states is None else len(self.states)

    @property
    def is_portable(self) -> bool:
        """Whether another process can make all engines for itself."""
        return all(isinstance(engine, str | EngineRequest) for engine in self.engines)

    @property
    def asked(self) -> int:
        """How many states are compared."""
        return self.total if self.only is None else 1

    @property
    def states_arguments(self) -> tuple[str, ...]:
        """The words of the command line that give these states."""
        if self.states is not None:  # those of a recording come with it
            return ("--states-file", self.states_file) if self.states_file else ()
        return ("--states", str(self.count), "--seed", str(self.seed))

    @property
    def is_long(self) -> bool:
        """Whether so many states are to come that compiling for them pays."""
        return self.only is None and self.total >= COMPILED_FROM

    def block(self, of_units: Sequence[int]) -> States:
        """The states of some units; or the only one."""
        if self.only is not None:
            row = self.only % UNIT
            return self.unit(self.only // UNIT)[row : row + 1]
        return joined([self.unit(unit) for unit in of_units])

    def unit(self, unit: int) -> States:
        """The states of one unit."""
        if self.states is not None:
            return self.states[unit * UNIT : (unit + 1) * UNIT]
        return generated_states(self.spec, self.count, self.seed, unit)


def blocks(plan: Plan) -> Iterator[States]:
    """The states to compare, a block at a time; or the only one."""
    for part in jobs(plan):
        yield from map(plan.block, part)


def jobs(plan: Plan) -> list[tuple[range, ...]]:
    """The units of states in blocks, and the blocks in jobs, each for one process at a time."""
    all_units = units(plan.asked)
    in_blocks = [all_units[i : i + plan.block_units] for i in range(0, len(all_units), plan.block_units)]
    return [tuple(in_blocks[i : i + JOB]) for i in range(0, len(in_blocks), JOB)]
