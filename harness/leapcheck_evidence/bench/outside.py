"""What it costs that a user's engine lives in a process of its own: `python -m leapcheck_evidence.bench.outside LIBRARY ROBOT`.

A library with the C ABI is called directly, through its host, and through a program that calls it behind shared memory or behind
a plain pipe; batches of 4096 states with two in flight, the contenders taking turns.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from leapcheck.engines.outside.engine import BATCH, OutsideEngine
from leapcheck.engines.outside.library import load_library
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck.quantities import QUANTITIES, sizes
from leapcheck.sampling import States, generated_states, join_states, units
from leapcheck_evidence.bench.measure import Contender, Timing, interleave, ratio
from leapcheck_evidence.command import run_command
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

BATCHES = 12
"""Batches of a sample: the first and the last have nothing to overlap with."""

SECONDS = 20.0
DIRECT = "direct call"
GOALS = {"C ABI in its host": 1.05, "program, shared memory": 1.15}


def time_library(library: Path, spec: RobotSpec, seconds: float = SECONDS) -> dict[str, Timing]:
    """The timing of each way to call the library, in ns per state."""
    states = join_states([generated_states(spec, BATCH, 0, unit) for unit in units(BATCH)])
    program = (sys.executable, "-m", "leapcheck_evidence.bench.outside_program", str(library.absolute()))
    targets = (
        Target("C ABI in its host", EngineKind.LIBRARY, (str(library.absolute()),), Path.cwd()),
        Target("program, shared memory", EngineKind.PROGRAM, (*program, "--memory"), Path.cwd()),
        Target("program, plain pipe", EngineKind.PROGRAM, program, Path.cwd()),
    )
    engines = [OutsideEngine(target, spec) for target in targets]
    names = sorted(engines[0].quantities)
    contenders = [Contender(DIRECT, _direct(library, spec, states, names), BATCH * BATCHES)]
    contenders += [Contender(engine.name, _in_flight(engine, states, names), BATCH * BATCHES) for engine in engines]
    with closing(engines[0]), closing(engines[1]), closing(engines[2]):
        _check_equal(engines, states, names)
        return interleave(contenders, seconds)


def _direct(library: Path, spec: RobotSpec, states: States, names: Sequence[str]) -> Callable[[], None]:
    """Calls on contiguous arrays in this process; answers are written in turn to the places of two batches."""
    evaluate = load_library(str(library.absolute())).leapcheck_evaluate
    shapes = [(name, QUANTITIES[name].shape) for name in names]
    of_robot = sizes(spec)
    places = [[np.zeros((len(states), *(shape(of_robot) if shape else ()))) for _, shape in shapes] for _ in range(2)]
    given = [array.ctypes.data for array in (states.q, states.v, states.tau)]

    def run() -> None:
        for batch in range(BATCHES):
            for name, out in zip(names, places[batch % 2], strict=True):
                evaluate(name.encode(), ctypes.c_size_t(len(states)), *given, out.ctypes.data)

    return run


def _in_flight(engine: OutsideEngine, states: States, names: Sequence[str]) -> Callable[[], None]:
    """Two batches before the engine at any time."""

    def run() -> None:
        engine.submit(states, names)
        for _ in range(BATCHES - 1):
            engine.submit(states, names)
            engine.collect()
        engine.collect()

    return run


def _check_equal(engines: Sequence[OutsideEngine], states: States, names: Sequence[str]) -> None:
    """RuntimeError unless all ways give the same numbers."""
    first, *others = [engine.evaluate(states, names) for engine in engines]
    for other in others:
        for name in names:
            if not np.array_equal(first[name], other[name]):
                raise RuntimeError(f"{name} is not the same by all ways: the library keeps something between calls")


@dataclass(frozen=True)
class OutsideCommand:
    """Time a library with the C ABI: called directly, through its host, and through a program of its own.

    Examples:
      python -m leapcheck_evidence.bench.outside libmine.so mini_cheetah
    """

    library: Annotated[Path, tyro.conf.Positional]
    """The shared library."""
    robot: Annotated[str, tyro.conf.Positional]
    """Name of the robot (see `leapcheck robots`)."""
    seconds: float = SECONDS
    """How long the contenders take turns."""

    def run(self) -> int:
        """Prints the table."""
        timings = time_library(self.library, load(self.robot), self.seconds)
        title = f"batches of {BATCH}, two in flight"
        print(f"{title:34s} {'ns/state: least':>16s} {'median':>8s} {'overhead: least':>16s} {'median':>8s}")
        for name, timing in timings.items():
            over = ratio(timing, timings[DIRECT])
            goal = f"  goal {GOALS[name] - 1:.0%}" if name in GOALS else ""
            words = f"{over.minima - 1:>16.1%} {over.medians - 1:>8.1%}{goal}" if name != DIRECT else ""
            print(f"{name:34s} {timing.minimum:>16.0f} {timing.median:>8.0f} {words}")
        return 0


if __name__ == "__main__":
    sys.exit(run_command(OutsideCommand, "bench.outside"))
