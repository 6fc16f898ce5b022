"""Model files of users, read and compared one after the other: `python -m leapcheck_evidence.file_table FILE ...` prints a table.

Each row says what became of a file: its size, or why it is refused; then for each engine the largest error of M, bias force and
forward dynamics against the truth in double-double, in units of the rounding to expect, or why it was not compared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated

import tyro

from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.comparison.execution import whole_result
from leapcheck.comparison.plan import Plan
from leapcheck.engines.file_engines import DEFAULTS, FileRequest
from leapcheck.judge.figures import run_figures
from leapcheck.records import Verdict
from leapcheck.robots.load import NamedRobot, read_robot_file, short_name
from leapcheck_evidence.command import run_command
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.spec import JointType

ENGINES = ("reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
QUANTITIES = ("mass_matrix", "bias_force", "forward_dynamics")
STATES = 64

HEADINGS = ("file", "base", "links", "joints", "dof", "mass kg", *ENGINES, *DEFAULTS)


@dataclass(frozen=True, slots=True)
class FileRow:
    """What became of a file. `errors` are in units of rounding by engine; `refused` says why there are none, by engine or ""."""

    name: str
    base: str = ""
    links: int = 0
    joints: int = 0
    dof: int = 0
    mass: float = 0.0
    errors: dict[str, float] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    differ: tuple[str, ...] = ()


def file_row(name: str, states: int = STATES) -> FileRow:
    """The row of one file; `name` as the command line takes it."""
    short = short_name(name)
    try:
        file = read_robot_file(name)
        if file is None:
            raise ValueError(f"file '{name}': it is no .urdf or .xml: give one")
        return _comparison_row(short, file, states)
    except (ValueError, OSError) as error:
        return FileRow(short, refused={"": str(error)})


def _comparison_row(short: str, file: ImportedRobot, states: int) -> FileRow:
    spec = file.spec
    requests = tuple(FileRequest(name, file) for name in DEFAULTS)
    kinds = [body.joint.type for body in spec.bodies]
    moving = sum(kind not in (JointType.FIXED, JointType.FREE) for kind in kinds)
    base = "floating" if JointType.FREE in kinds else "fixed"
    row = FileRow(short, base, len(spec.bodies), moving, spec.nv, spec.total_mass)
    try:
        plan = Plan(NamedRobot(spec, short), (*ENGINES, *requests), QUANTITIES, states)
    except ValueError as error:
        return replace(row, refused={"": str(error)})
    at = make_engine_set(spec, plan.engines, QUANTITIES, compile_code=False)
    figures = run_figures(at, whole_result(plan, at))
    errors: dict[str, float] = {}
    for accuracy in figures.accuracies:
        errors[accuracy.engine] = max(errors.get(accuracy.engine, 0.0), accuracy.rounding)
    refused = dict(reason.split(": ", 1) for reason in at.not_compared if reason.split(": ", 1)[0] in HEADINGS)
    refused |= {failure.engine: failure.message for failure in at.failures}
    differ = [c for c in figures.comparisons if c.verdict is Verdict.DISCREPANCY and "reference" in (c.engine, c.against)]
    names = tuple(sorted({name for c in differ for name in (c.engine, c.against)} - {"reference"}))
    return replace(row, errors=errors, refused=refused, differ=names)


def table(rows: Iterable[FileRow]) -> Iterator[str]:
    """Lines of a Markdown table, each as soon as its row is known; below it the reasons why something was not compared."""
    reasons: list[str] = []
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|" + "---|" * len(HEADINGS)
    for row in rows:
        if reason := row.refused.get("", ""):
            yield f"| {row.name} | {row.base or '-'} | refused: {reason.replace('|', '/')} |"
            continue
        reasons += [f"- {row.name}: {engine}: {reason}" for engine, reason in row.refused.items()]
        cells = [_cell(row, name) for name in (*ENGINES, *DEFAULTS)]
        sizes = [row.base, str(row.links), str(row.joints), str(row.dof), f"{row.mass:.2f}"]
        yield f"| {' | '.join([row.name, *sizes, *cells])} |"
    yield from ("", *reasons)


def _cell(row: FileRow, engine: str) -> str:
    if engine not in row.errors:
        return "-"
    return f"{row.errors[engine]:.2g}" + (" differs" if engine in row.differ else "")


@dataclass(frozen=True)
class FileTableCommand:
    """Read model files, compare each in every engine, and print a table.

    Examples:
      python -m leapcheck_evidence.file_table robot.urdf arm.urdf#fixed scene.xml
    """

    files: Annotated[tuple[str, ...], tyro.conf.Positional]
    """FILE.urdf[#fixed|#floating] or FILE.xml."""

    def run(self) -> int:
        """Prints the table, each line as soon as it is known."""
        if not self.files:
            raise ValueError("no file: give at least one .urdf or .xml")
        for line in table(file_row(name) for name in self.files):
            print(line, flush=True)
        return 0


if __name__ == "__main__":
    sys.exit(run_command(FileTableCommand, "file_table"))
