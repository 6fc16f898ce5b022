"""Mutation run: are the tests of the reference and of the conventions able to fail? Writes reports/mutation.md.

    python -m tests.mutation.run                       600 mutants of everything, 10 to 15 minutes on two cores
    python -m tests.mutation.run --only contact.py --mutants 1000 --no-report

Each mutant is made in a copy of its package in a temporary folder that stands first on the path of a forked process; the
working tree is not touched. A mutant is killed when a test fails, or takes too long. The draw follows from `--seed`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # two processes on two cores

import flint  # noqa: F401  (these are imported once, before the processes are forked)
import hypothesis
import mujoco  # noqa: F401
import numpy  # noqa: F401
import pandas  # noqa: F401
import pinocchio  # noqa: F401
import pytest
import scipy.spatial.transform  # noqa: F401

from tests.mutation.mutants import Mutant, mutants
from tests.mutation.mutation_report import Outcome, write_report

ROOT = Path(__file__).resolve().parents[2]
REFERENCE, HARNESS = ROOT / "reference" / "leapcheck_reference", ROOT / "harness" / "leapcheck"
CONVENTIONS = HARNESS / "coordinates" / "conventions.py"
TESTS = ROOT / "tests" / "reference"
CONVENTION_TESTS = ("harness/coordinates/test_conventions.py",)

FIRST = {  # the tests most likely to kill a module's mutants; all others of the tree dynamics follow
    "kinematics": ("test_kinematics",),
    "scalar": ("test_rotation", "test_any_scalar"),
    "solids": ("test_solids", "test_spatial_inertia", "test_errata"),
    "spatial_inertia": ("test_spatial_inertia", "test_solids", "test_errata"),
    "volume_integrals": ("test_solids", "test_spatial_inertia", "test_errata"),
    "state": ("test_state_checks", "test_batch"),
    "tree": ("test_geared_rotors", "test_contact", "test_state_checks"),
}
OF_SOLIDS = ("test_solids", "test_spatial_inertia", "test_errata")
ALONE = ("solids", "spatial_inertia", "volume_integrals")  # modules that the tree dynamics do not use
SLOW_LAST = ("test_batch", "test_any_scalar", "test_mass_matrix", "test_contact")

TEST_LIMIT = 20.0  # seconds of one test; the slowest takes 1 to 2
RUN_LIMIT = 300.0  # seconds of one mutant


@dataclass(frozen=True, slots=True)
class Target:
    """A module to mutate: its file, the package around it, the tests most likely to notice, and those that come after."""

    file: Path
    package: Path
    first: tuple[Path, ...]
    others: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        return str(self.file.relative_to(ROOT))


def targets() -> list[Target]:
    """The tree dynamics with MuJoCo's layouts, inertias and solids, the classical dynamics, and the conventions."""
    tested = [file for file in sorted(REFERENCE.glob("*.py")) if file.stem in FIRST or (TESTS / f"test_{file.stem}.py").exists()]
    classical = [file for file in sorted((REFERENCE / "classical").glob("*.py")) if file.stem != "__init__"]
    conventions = Target(CONVENTIONS, HARNESS, tuple(ROOT / "tests" / name for name in CONVENTION_TESTS))
    return [*map(_dynamics, tested), *map(_classical, classical), conventions]


def _classical(file: Path) -> Target:
    """A module of the classical dynamics: its own tests first, if it has some, then those of the others."""
    folder = TESTS / "classical"
    tests = sorted(folder.glob("test_*.py"), key=lambda test: (test.stem != f"test_{file.stem}", test.stem))
    return Target(file, REFERENCE, (tests[0],), (*tests[1:], TESTS / "test_errata.py"))


def _dynamics(file: Path) -> Target:
    first = FIRST.get(file.stem, (f"test_{file.stem}",))
    others = [f.stem for f in TESTS.glob("test_*.py") if f.stem not in (*first, *OF_SOLIDS)]
    others.sort(key=lambda name: (name in SLOW_LAST, name))
    others = [] if file.stem in ALONE else others
    return Target(file, REFERENCE, *(tuple(TESTS / f"{name}.py" for name in names) for names in (first, others)))


class TimeLimit:
    """Pytest plugin: a test that takes longer than `TEST_LIMIT` fails, so that an endless loop counts as noticed."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        signal.signal(signal.SIGALRM, _expired)
        signal.setitimer(signal.ITIMER_REAL, TEST_LIMIT)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)


def _expired(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"the test took more than {TEST_LIMIT} s")


def _tested(folder: Path, target: Target) -> None:
    """Exits with pytest's status for the copy of the package in `folder`; runs in a process of its own."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    # no search for a smaller example, no record of it in the working tree
    hypothesis.settings.register_profile("mutation", database=None, deadline=None, phases=[hypothesis.Phase.generate])
    hypothesis.settings.load_profile("mutation")
    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    status = 0
    for tests in (target.first, target.others):  # the others are not even collected when the first ones notice
        if status == 0 and tests:
            status = int(pytest.main(["-x", *quiet, *map(str, tests)], plugins=[TimeLimit()]))
    loaded = sys.modules.get(target.package.name)
    if status == 0 and (loaded is None or not str(loaded.__file__).startswith(str(folder))):
        status = 99
    os._exit(status)


def _status(folder: Path, target: Target) -> int | None:
    """Exit status of the tests; None if they ran out of time."""
    process = multiprocessing.get_context("fork").Process(target=_tested, args=(folder, target))
    process.start()
    process.join(RUN_LIMIT)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    return process.exitcode


def _work(jobs: Sequence[tuple[Target, Mutant]], results: Any) -> None:
    """Runs each mutant in this worker's own copy of the packages."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        folders = {package: Path(name) / package.name for package in {target.package for target, _ in jobs}}
        for package, folder in folders.items():
            shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        for target, mutant in jobs:
            folder = folders[target.package]
            file = folder / target.package.name / target.file.relative_to(target.package)
            file.write_text(mutant.source)
            status = _status(folder, target)
            file.write_text(target.file.read_text())
            results.put((mutant, status))


def _check_baseline(chosen: Sequence[Target]) -> None:
    """Raises SystemExit unless the tests pass on an unchanged copy, which is what makes a failure mean something."""
    for package in {target.package for target in chosen}:
        own = [target for target in chosen if target.package == package]
        tests = {test: None for target in own for test in (*target.first, *target.others)}
        with tempfile.TemporaryDirectory(prefix="mutation-") as name:
            shutil.copytree(package, Path(name) / package.name)
            status = _status(Path(name), Target(package, package, tuple(tests)))
        if status != 0:
            raise SystemExit(f"the tests of {package.name} do not pass unchanged (pytest's status {status}): repair them first")


def main() -> None:
    """Draws, runs and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=600, help="how many to draw")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--only", default="", help="part of the name of the modules to mutate")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-report", action="store_true", help="print the survivors only")
    options = parser.parse_args()
    chosen = [target for target in targets() if options.only in target.name]
    if not chosen:
        raise SystemExit(f"no module's name holds '{options.only}': choose from {', '.join(t.name for t in targets())}")
    _check_baseline(chosen)
    everything = [(t, m) for t in chosen for m in mutants(t.name, t.file.read_text())]
    drawn = random.Random(options.seed).sample(everything, min(options.mutants, len(everything)))
    started = time.monotonic()
    outcomes = _outcomes(drawn, options.workers)
    seconds = time.monotonic() - started
    if not options.no_report:
        write_report(ROOT / "reports" / "mutation.md", outcomes, len(everything), options.seed)
    killed = sum(outcome.killed for outcome in outcomes)
    for outcome in outcomes:
        if not outcome.killed:
            m = outcome.mutant
            print(f"survived: {m.module}:{m.line}: {m.before}  ->  {m.after}    in: {m.statement}")
    print(f"{killed} of {len(outcomes)} killed ({killed / len(outcomes):.1%}) in {seconds:.0f} s")


def _outcomes(drawn: Sequence[tuple[Target, Mutant]], workers: int) -> list[Outcome]:
    """What became of each mutant, in the order of modules and lines."""
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    processes = [context.Process(target=_work, args=(drawn[i::workers], results)) for i in range(workers)]
    for process in processes:
        process.start()
    outcomes = []
    for count in range(1, len(drawn) + 1):
        mutant, status = results.get()
        if status == 99:
            raise SystemExit(f"{mutant.module}: the mutant was not the module that the tests imported: mend this tool")
        outcomes.append(Outcome(mutant, status))
        print(f"\r{count}/{len(drawn)}", end="", file=sys.stderr, flush=True)
    for process in processes:
        process.join()
    print(file=sys.stderr)
    return sorted(outcomes, key=lambda o: (o.mutant.module, o.mutant.line, o.mutant.before, o.mutant.after))


if __name__ == "__main__":
    main()
