"""One measurement in a process of its own: `python -m leapcheck_evidence.bench.child WHAT ROBOT ...` prints it as a number.

first_use ROBOT      seconds to trace, emit, compile and run the kernel of all quantities once; imports are not counted
second_call ROBOT STATES  CPU and wall seconds of a comparison of an engine with the reference, after one that was the same
comparison ROBOT STATES  the record of a whole comparison, as JSON
memory ROBOT STATES  bytes that a whole comparison takes: this process at its largest, and the largest worker times their number
"""

from __future__ import annotations

import json
import os
import pkgutil
import resource
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from time import perf_counter

from leapcheck.quantities import sizes
from leapcheck.robots.load import load
from leapcheck_evidence.bench.comparison import plan, whole_comparison
from leapcheck_evidence.bench.everyday_engines import FastDynamics
from leapcheck_evidence.bench.own import make_kernel
from leapcheck_evidence.bench.states import ALL, PARTS, generic_states, outputs
from leapcheck_reference import build, trace
from leapcheck_reference.trace import native


def first_use(robot: str) -> float:
    """Seconds from the tree of a robot to the first values of its kernel."""
    for module in pkgutil.iter_modules(trace.__path__):
        import_module(f"{trace.__name__}.{module.name}")
    native.target_key()  # imports llvmlite and makes it ready
    spec = load(robot)
    states = generic_states(spec, 1)
    out = outputs(1, sizes(spec))
    start = perf_counter()
    make_kernel(build(spec), PARTS[ALL], native.vector_width())(states.q, states.v, out=out)
    return perf_counter() - start


def second_call(robot: str, count: int) -> tuple[float, float]:
    """CPU seconds of all processes, and wall seconds, of the second of two equal comparisons."""
    import leapcheck as lc

    engine = FastDynamics(load(robot))
    lc.compare(robot, engine, engines=("reference",), states=count)
    before, start = _cpu_seconds(), perf_counter()
    lc.compare(robot, engine, engines=("reference",), states=count)
    return _cpu_seconds() - before, perf_counter() - start


def _cpu_seconds() -> float:
    """CPU seconds of this process and of those it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def memory(robot: str, count: int) -> int:
    """Bytes of a whole comparison of so many states."""
    from leapcheck.comparison.execution import Resources
    from leapcheck.study import run_comparison

    workers = os.cpu_count() or 1
    run_comparison(plan(robot, count), Resources(workers))
    own, largest_worker = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * (own + (workers if workers > 1 else 0) * largest_worker)


def main(words: Sequence[str]) -> None:
    """Prints the requested number."""
    match words:
        case ["first_use", robot]:
            print(first_use(robot))
        case ["second_call", robot, count]:
            print(*second_call(robot, int(count)))
        case ["comparison", robot, count]:
            print(json.dumps(asdict(whole_comparison(robot, int(count)))))
        case ["memory", robot, count]:
            print(memory(robot, int(count)))
        case _:
            raise SystemExit(f"use {__doc__}")


if __name__ == "__main__":
    main(sys.argv[1:])
