"""What the tests of the bench share: a stand-in kernel, a clock that tells what it is told, a finished run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from leapcheck_evidence.bench.contenders import LAYOUTS, TimingName, bound_name, own_name, truth_name
from leapcheck_evidence.bench.measure import Timing
from leapcheck_evidence.bench.record import BenchRun, RobotBench
from leapcheck_evidence.bench.rows import Measured, kernel_measurements, program_rows, robot_rows
from leapcheck_evidence.bench.states import ALL
from leapcheck_reference import Tree, kernel

COMMAND = "python -m leapcheck_evidence.bench --seconds 1.0"


class FakeClock:
    """Time that passes only where a contender lets it pass."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class StandInKernel:
    """A kernel in this CPU's own vectors, whatever vectors are asked for; `fault` is added to every answer."""

    operations = 1000

    def __init__(self, tree: Tree, quantities: Sequence[str], lanes: int, fault: float = 0.0) -> None:
        del lanes
        self._kernel = kernel(tree, quantities)
        self.block = self._kernel.block
        self._fault = fault

    def bound(self, inputs: Mapping[str, np.ndarray], out: Mapping[str, np.ndarray]) -> Callable[[], None]:
        run = self._kernel.bound(inputs, out)

        def faulty() -> None:
            run()
            for name in out:
                out[name] += self._fault

        return faulty


def timing_name(who: str, part: str, block: int = 64) -> str:
    return str(TimingName(who, part, block))


def timings() -> dict[str, Timing]:
    """Fixed samples in ns of MuJoCo called in two ways, Pinocchio, a kernel in both layouts and the bound."""
    rows, compact = (own_name(layout, 8) for layout in LAYOUTS)
    return {
        timing_name("MuJoCo, mj_jacDot", ALL): Timing((2500.0, 2400.0, 2600.0)),
        timing_name("MuJoCo, mj_objectAcceleration", ALL): Timing((2200.0, 2300.0, 2900.0)),
        timing_name("MuJoCo, mj_jacDot", "M"): Timing((1000.0,)),
        timing_name("Pinocchio", ALL): Timing((4000.0, 4200.0, 4100.0)),
        timing_name(rows, ALL): Timing((200.0, 230.0, 260.0)),
        timing_name(compact, ALL, 64): Timing((75.0, 100.0, 150.0)),
        timing_name(compact, ALL, 256): Timing((80.0, 100.0, 82.0)),
        bound_name(8): Timing((0.01, 0.0125, 0.01)),
    }


def finished_run() -> BenchRun:
    """A run of one robot with some rows met, some not, some not measured."""
    missing = {own_name(LAYOUTS[0], 4): "this CPU's vectors | hold 2 doubles", truth_name(8): "no such module"}
    measurements = kernel_measurements(timings(), missing, {ALL: 4000})
    measurements["rate"] = Measured(187_654.0, None, "2 processes")
    robot = RobotBench(
        robot="mini_cheetah_armature",
        blocks=(64, 256),
        rows=robot_rows("mini_cheetah_armature", measurements),
        timings=timings(),
        forms={"Pinocchio": "Pinocchio 4.1.0 in C++"},
        missing=missing,
        operations={ALL: 4000},
        differences={"Pinocchio": 2.5e-15},
    )
    program = program_rows({"help": Measured(0.25, 0.26, "wall time")})
    return BenchRun(COMMAND, "a CPU, 2 cores", (("mujoco", "4.0.0"),), (robot,), program)
