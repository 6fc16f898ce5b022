"""Model files of users, read and compared one after the other: `python -m leapcheck.file_table FILE ...` prints a table.

Each row says what became of a file: its size, or why it is refused; then for each engine the largest error of M, bias force and
forward dynamics against the truth in double-double, in units of the rounding to expect, or why it was not compared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from leapcheck.compare.bench import bench
from leapcheck.compare.execution import whole_outcome
from leapcheck.compare.figures import finished
from leapcheck.compare.plan import Plan
from leapcheck.compare.records import Verdict
from leapcheck.engines.file_engines import FACTORIES, FileRequest
from leapcheck.robot_files import imported, short_name
from leapcheck_models.importing.imported import Imported
from leapcheck_models.spec import JointType

ENGINES = ("reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
QUANTITIES = ("mass_matrix", "bias_force", "forward_dynamics")
STATES = 64

HEADINGS = ("file", "base", "links", "joints", "dof", "mass kg", *ENGINES, *FACTORIES)


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
        file = imported(name)
        if file is None:
            raise ValueError(f"file '{name}': it is no .urdf or .xml: give one")
        return _compared(short, file, states)
    except (ValueError, OSError) as error:
        return FileRow(short, refused={"": str(error)})


def _compared(short: str, file: Imported, states: int) -> FileRow:
    spec = file.spec
    requests = tuple(FileRequest(name, file) for name in FACTORIES)
    kinds = [body.joint.type for body in spec.bodies]
    moving = sum(kind not in (JointType.FIXED, JointType.FREE) for kind in kinds)
    base = "floating" if JointType.FREE in kinds else "fixed"
    row = FileRow(short, base, len(spec.bodies), moving, spec.nv, spec.total_mass)
    try:
        plan = Plan(short, spec, (*ENGINES, *requests), QUANTITIES, states)
    except ValueError as error:
        return replace(row, refused={"": str(error)})
    at = bench(spec, plan.engines, QUANTITIES, compile_code=False)
    figures = finished(at, whole_outcome(plan, at))
    errors: dict[str, float] = {}
    for accuracy in figures.accuracies:
        errors[accuracy.engine] = max(errors.get(accuracy.engine, 0.0), accuracy.rounding)
    refused = dict(reason.split(": ", 1) for reason in at.not_compared if reason.split(": ", 1)[0] in HEADINGS)
    refused |= {failure.engine: failure.message for failure in at.failures}
    differ = [c for c in figures.comparisons if c.verdict is Verdict.DISCREPANCY and "reference" in (c.engine, c.against)]
    names = tuple(sorted({name for c in differ for name in (c.engine, c.against)} - {"reference"}))
    return replace(row, errors=errors, refused=refused, differ=names)


def table(rows: Iterable[FileRow]) -> Iterator[str]:
    """Lines of a Markdown table, each as soon as its row is there; the reasons of what was not compared stand below it."""
    reasons: list[str] = []
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|" + "---|" * len(HEADINGS)
    for row in rows:
        if reason := row.refused.get("", ""):
            yield f"| {row.name} | {row.base or '-'} | refused: {reason.replace('|', '/')} |"
            continue
        reasons += [f"- {row.name}: {engine}: {reason}" for engine, reason in row.refused.items()]
        cells = [_cell(row, name) for name in (*ENGINES, *FACTORIES)]
        sizes = [row.base, str(row.links), str(row.joints), str(row.dof), f"{row.mass:.2f}"]
        yield f"| {' | '.join([row.name, *sizes, *cells])} |"
    yield from ("", *reasons)


def _cell(row: FileRow, engine: str) -> str:
    if engine not in row.errors:
        return "-"
    return f"{row.errors[engine]:.2g}" + (" differs" if engine in row.differ else "")


def main(names: Sequence[str]) -> int:
    """Prints the table of the files; returns 0, or 2 where none is given."""
    if not names:
        print("usage: python -m leapcheck.file_table FILE ... (.urdf, .urdf#fixed, .urdf#floating, .xml)", file=sys.stderr)
        return 2
    for line in table(file_row(name) for name in names):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
