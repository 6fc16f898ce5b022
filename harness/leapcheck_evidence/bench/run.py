"""The whole bench: each robot's contenders in turn, then what needs a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leapcheck.robots.load import load
from leapcheck.system.installed import versions
from leapcheck_evidence.bench import processes
from leapcheck_evidence.bench.arithmetic import Arithmetic, best_arithmetic
from leapcheck_evidence.bench.bits import different_entries
from leapcheck_evidence.bench.contenders import WIDTHS, Answer, contenders
from leapcheck_evidence.bench.goals import GOALS_ROBOT
from leapcheck_evidence.bench.machine import PACKAGES, machine
from leapcheck_evidence.bench.measure import interleave
from leapcheck_evidence.bench.own import NotAvailable
from leapcheck_evidence.bench.record import BenchRun, RobotBench
from leapcheck_evidence.bench.rows import Measured, kernel_measurements, measurement_or_reason, program_rows, robot_rows
from leapcheck_evidence.bench.states import ALL, PARTS, generic_states, worst_difference
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build
from leapcheck_reference.trace import native

LARGEST_DIFFERENCE = 1e-9
"""From the readable code, relative: far above rounding (measured 2e-11 at most), far below any fault."""

BIT_STATES = 64
"""States at which bits are compared."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """What to measure: `states` of the whole comparison (0: none), `blocks` of states per call, `seconds` per robot."""

    robots: tuple[str, ...]
    seconds: float
    blocks: tuple[int, ...]
    states: int
    memory: bool
    command: str


def run_bench(plan: BenchPlan, tell: Tell) -> BenchRun:
    """Measures everything; `tell` is called with what comes next."""
    bounds = [best_arithmetic(lanes) for lanes in WIDTHS if lanes <= native.vector_width()]
    robots = tuple(_robot_bench(plan, robot, bounds, tell) for robot in plan.robots)
    tell("the start of the program")
    start = processes.help_time()
    program = program_rows({"help": Measured(start.minimum, start.median, "wall time, Python's start included")})
    return BenchRun(plan.command, machine(), versions(PACKAGES), robots, program)


def _robot_bench(plan: BenchPlan, robot: str, bounds: Sequence[Arithmetic], tell: Tell) -> RobotBench:
    spec = load(robot)
    tell(f"{robot}: contenders (Pinocchio in C++ takes about a minute to build, once)")
    field = contenders(spec, plan.blocks, bounds)
    tell(f"{robot}: timing")
    timings = interleave(field.contenders, plan.seconds)
    differences = checked_differences(spec, field.answers)
    measurements = kernel_measurements(timings, field.missing, field.operations)
    measurements |= _fresh_measurements(plan, robot, tell)
    return RobotBench(
        robot=robot,
        blocks=plan.blocks,
        rows=robot_rows(robot, measurements),
        timings=timings,
        forms=field.forms,
        missing=field.missing,
        operations=field.operations,
        differences=differences,
    )


def checked_differences(spec: RobotSpec, answers: Sequence[Answer]) -> dict[str, float]:
    """Largest difference of each contender from the readable code.

    RuntimeError for a contender that computes something else: its time would say nothing.
    """
    measurements: dict[str, float] = {}
    for who, states, outputs in answers:
        difference = worst_difference(spec, states, outputs())
        if not difference <= LARGEST_DIFFERENCE:
            remedy = f"see `leapcheck compare {spec.name}` first"
            raise RuntimeError(f"{who} differs from the readable code by {difference:.3g} on {spec.name}: {remedy}")
        measurements[who] = max(difference, measurements.get(who, 0.0))
    return measurements


def _fresh_measurements(plan: BenchPlan, robot: str, tell: Tell) -> dict[str, Measured]:
    """What is measured outside the turns."""
    measurements: dict[str, Measured] = {}
    tell(f"{robot}: first use")
    try:
        empty, cached = processes.first_uses(robot)
        detail = "fresh process, imports excluded"
        measurements["first_use"] = Measured(empty.minimum, empty.median, f"{detail}, empty cache")
        measurements["from_cache"] = Measured(1e3 * cached.minimum, 1e3 * cached.median, detail)
    except NotAvailable as reason:
        measurements |= dict.fromkeys(("first_use", "from_cache"), Measured(None, None, str(reason)))
    tell(f"{robot}: bits")
    measurements["bits"] = measurement_or_reason(lambda: _bits(robot), NotAvailable)
    if plan.states:
        tell(f"{robot}: a whole comparison of {plan.states} states")
        measurements |= _comparison_measurements(robot, plan)
    if plan.memory and robot == GOALS_ROBOT:
        tell(f"{robot}: the memory of comparisons of {processes.FEW} and {processes.MANY} states")
        measurements["memory"] = measurement_or_reason(lambda: _memory(robot), NotAvailable)
    return measurements


def _comparison_measurements(robot: str, plan: BenchPlan) -> dict[str, Measured]:
    """Of the whole comparison in this CPU's vectors, and in those of AVX2 where its own are wider."""
    from leapcheck_evidence.bench.comparison import whole_comparison

    whole = whole_comparison(robot, plan.states)
    rate = Measured(whole.rate, None, f"{whole.workers} processes, their start included")
    measurements = {"comparison": Measured(whole.cost, None, whole.statement), "rate": rate}
    if native.vector_width() == max(WIDTHS):
        measurements["comparison_4"] = measurement_or_reason(lambda: _narrow_comparison(robot, plan.states), NotAvailable)
    return measurements


def _narrow_comparison(robot: str, states: int) -> Measured:
    whole = processes.comparison(robot, states, min(WIDTHS))
    return Measured(whole.cost, None, whole.statement)


def _bits(robot: str) -> Measured:
    spec = load(robot)
    different, total = different_entries(build(spec), PARTS[ALL], generic_states(spec, BIT_STATES))
    return Measured(
        different, None, f"of {total} at {BIT_STATES} states; the same sines and cosines given to both, nothing fused"
    )


def _memory(robot: str) -> Measured:
    few, many = processes.memory(robot, processes.FEW), processes.memory(robot, processes.MANY)
    return Measured((many - few) / 2**20, None, f"{many / 2**20:.0f} - {few / 2**20:.0f} MiB")
