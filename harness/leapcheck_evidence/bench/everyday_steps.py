"""The everyday commands, run in a folder of their own: each step is one or a few commands that belong together."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, entry_points, files
from pathlib import Path

from leapcheck.robots.load import load
from leapcheck_evidence.bench.command_cost import CommandCost, CommandFailure, command_cost
from leapcheck_evidence.bench.everyday_engines import c_library, with_wrong_parameter
from leapcheck_evidence.bench.everyday_goals import FILES, NAIVE, ROBOT, STATES, file_key
from leapcheck_models.generate import write_robot_files

AGREE, DISCREPANCY = 0, 1
GO, NO_GO = 0, 1
VERDICTS = ("GO", "MARGINAL")
"""Words of a jump's verdict; NO-GO has the first in it."""
PUBLISHED = "example-robot-data"
CHECKOUT = Path(__file__).parents[3]
NAIVE_SCRIPT = Path(__file__).parents[1] / "peers" / "naive_script.py"

Costs = dict[str, CommandCost]


@dataclass(frozen=True, slots=True)
class Workplace:
    """A scratch folder; `cache` is the one that warm commands share."""

    root: Path
    cache: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cache", self.root / "cache")

    def fresh(self, name: str) -> Path:
        """A new empty folder."""
        return Path(tempfile.mkdtemp(prefix=f"{name}_", dir=self.root))

    def leapcheck(self, *words: str, statuses: Collection[int] = (AGREE,), cache: Path | None = None) -> CommandCost:
        """The cost of a leapcheck command in a new folder."""
        folder = self.fresh("run")
        try:
            return command_cost(_python("-m", "leapcheck", *words), folder, cache or self.cache, statuses, VERDICTS)
        finally:
            shutil.rmtree(folder)


@dataclass(frozen=True, slots=True)
class EverydayStep:
    """Commands that are run one after the other in each round, by the keys of their rows; `warm`: first once untimed.

    With `once` they are run in the first round alone.
    """

    keys: tuple[str, ...]
    run: Callable[[Workplace], Costs]
    warm: bool = True
    once: bool = False


def everyday_steps(tests: bool) -> tuple[EverydayStep, ...]:
    """All steps; those of the tests, which take minutes, only where they are asked for."""
    steps = [
        EverydayStep((NAIVE,), _naive),
        EverydayStep(("compare cold", "compare warm"), _compare, warm=False),
        EverydayStep(("second call",), _second_call),
        EverydayStep(("pytest cold", "pytest again"), _starter, warm=False),
        EverydayStep(("C right", "C wrong"), _wrong_in_c),
        EverydayStep(("Python right", "Python wrong"), _wrong_in_python),
        *(EverydayStep((file_key(name),), partial(_published, name)) for name in FILES),
        EverydayStep(("jump",), partial(_jump, "jump", ("--height", "0.2"))),
        EverydayStep(("highest",), partial(_jump, "highest", ("--highest",))),
        EverydayStep(("impossible",), partial(_jump, "impossible", ("--height", "20"))),
    ]
    names = ("make quick", "make test") if tests else ()
    return (*steps, *(EverydayStep((name,), partial(_tests, name), warm=False, once=True) for name in names))


def _python(*words: str) -> list[str]:
    return [sys.executable, *words]


def _naive(place: Workplace) -> Costs:
    model = place.root / "models" / f"{ROBOT}.xml"
    if not model.exists():
        write_robot_files(load(ROBOT), model.parent, "bodies")
    return {NAIVE: command_cost(_python(str(NAIVE_SCRIPT), str(model), str(STATES)), place.root, place.cache)}


def _compare(place: Workplace) -> Costs:
    cache, words = place.fresh("cache"), ("compare", ROBOT, "--states", str(STATES))
    cold = place.leapcheck(*words, cache=cache)
    warm = place.leapcheck(*words, cache=cache)
    shutil.rmtree(cache)
    return {"compare cold": cold, "compare warm": warm}


def _second_call(place: Workplace) -> Costs:
    words = ("-m", "leapcheck_evidence.bench.child", "second_call", ROBOT, str(STATES))
    cpu, wall = command_cost(_python(*words), place.root, place.cache).last_line.split()
    return {"second call": CommandCost(float(cpu), float(wall))}


def _starter(place: Workplace) -> Costs:
    project, cache = place.fresh("project"), place.fresh("cache")
    command_cost(_python("-m", "leapcheck", "init", ROBOT), project, place.cache)
    others = [f"-pno:{plugin.name}" for plugin in entry_points(group="pytest11") if plugin.name != "leapcheck"]
    cold, again = (command_cost(_python("-m", "pytest", "-q", *others), project, cache) for _ in range(2))
    shutil.rmtree(project)
    shutil.rmtree(cache)
    return {"pytest cold": cold, "pytest again": again}


def _wrong_in_c(place: Workplace) -> Costs:
    libraries = {name: place.root / f"c_{name}" / "libdynamics.so" for name in ("right", "wrong")}
    for name, library in libraries.items():
        if not library.exists():
            right = load(ROBOT)
            c_library(right if name == "right" else with_wrong_parameter(right), library.parent)
    return _right_and_wrong(place, "C", *map(str, libraries.values()))


def _wrong_in_python(place: Workplace) -> Costs:
    module = "leapcheck_evidence.bench.everyday_engines"
    return _right_and_wrong(place, "Python", f"{module}:ReadableDynamics", f"{module}:wrong_dynamics")


def _right_and_wrong(place: Workplace, language: str, right: str, wrong: str) -> Costs:
    words = ("compare", ROBOT, "--states", str(STATES), "--engine")
    return {
        f"{language} right": place.leapcheck(*words, right),
        f"{language} wrong": place.leapcheck(*words, wrong, statuses=(DISCREPANCY,)),
    }


def _published(name: str, place: Workplace) -> Costs:
    try:
        paths = [Path(str(file.locate())) for file in files(PUBLISHED) or () if file.name == name]
    except PackageNotFoundError as error:
        raise CommandFailure(f"{PUBLISHED} is not installed: pip install 'leapcheck[robots-test]'") from error
    if not paths:
        raise CommandFailure(f"{PUBLISHED} has no {name}")
    return {file_key(name): place.leapcheck("compare", str(min(paths)), statuses=(AGREE, DISCREPANCY))}


def _jump(key: str, options: tuple[str, ...], place: Workplace) -> Costs:
    return {key: place.leapcheck("jump", ROBOT, *options, statuses=(GO, NO_GO))}


def _tests(name: str, _place: Workplace) -> Costs:
    """With the cache that the Makefile keeps for them: as warm as the last run left it."""
    return {name: command_cost(name.split(), CHECKOUT, CHECKOUT / ".venv" / "test-cache")}
