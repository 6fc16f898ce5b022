"""What becomes of one file: read, checked against both engines straight from the file, compared at its points, linted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from leapcheck.api.robots import lint
from leapcheck.comparison.engine_set import engine_set_of
from leapcheck.comparison.execution import whole_result
from leapcheck.comparison.plan import Plan, singular_dof
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engines import FileRequest
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.figures import run_figures
from leapcheck.quantities import CORE
from leapcheck.records import Verdict
from leapcheck.robots.load import NamedRobot, read_robot_file
from leapcheck.robots.size import excess_size
from leapcheck.sampling import States, generated_states, joint_slices
from leapcheck_evidence.peers.file_dynamics import (
    Dynamics,
    JointColumns,
    OtherJointsError,
    mujoco_dynamics,
    pinocchio_dynamics,
    scale_free_errors,
)
from leapcheck_evidence.public_robots.files import kind_of
from leapcheck_evidence.public_robots.reasons import judged_reason
from leapcheck_evidence.public_robots.record import Check, PublicRobot
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import JointType, RobotSpec

ROWS = (0, 1, 7, 12)
"""States of a unit: two generic ones, a fast one, one at rest."""

SOLVED = ("forward_dynamics", "contact_inertia")
"""Quantities whose error grows with the condition of M."""

QUADRUPED_STATES = 32

SEVERITY = tuple(Verdict)[::-1]
"""Verdicts, the worst first."""


class Straight(NamedTuple):
    """An engine: its name in leapcheck, M and h straight from the file, and the rules of lint that say what it changes."""

    request: str
    dynamics: Callable[[Path, list[JointColumns], Floats, Floats], Dynamics]
    package: str
    rules: tuple[str, ...]


MUJOCO = Straight(
    "mujoco-file",
    mujoco_dynamics,
    "MuJoCo",
    (
        "base mass",
        "fusestatic",
        "compiler options",
        "total mass",
        "missing inertial",
        "missing mass",
        "tiny inertia",
        "quaternions",
        "rounded com",
    ),
)
PINOCCHIO = Straight(
    "pinocchio-file", pinocchio_dynamics, "Pinocchio", ("Pinocchio", "order", "planar", "several joints", "compiler options")
)


def public_robot(path: Path, folder: Path) -> PublicRobot:
    """The row of a file below a folder."""
    file = path.relative_to(folder).as_posix()
    row = PublicRobot(file, kind_of(file))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            imported = read_robot_file(str(path))
        if imported is None or imported.spec.nv == 0:
            raise ValueError("nothing in it moves")
    except (ValueError, OSError) as error:
        return _refused(row, _plain(str(error), path), path)
    spec = imported.spec
    kinds = [body.joint.type for body in spec.bodies]
    row = replace(
        row,
        base="floating" if JointType.FREE in kinds else "fixed",
        links=len(kinds),
        joints=sum(kind not in (JointType.FIXED, JointType.FREE) for kind in kinds),
        dof=spec.nv,
        mass=round(spec.total_mass, 6),
        points=sum(point.computed for point in spec.contact_points),
    )
    if excess := excess_size(spec):
        return _refused(row, excess, path)
    findings = tuple(lint(str(path)))
    states, singular = _states(spec), singular_dof(spec)
    ours = ReferenceEngine(spec).evaluate(states, [name for name in CORE if not (singular and name in SOLVED)])
    mujoco, pinocchio = (_check(engine, path, imported, states, ours, findings) for engine in (MUJOCO, PINOCCHIO))
    verdict = f"M is singular: '{singular}' moves no inertia" if singular else _verdict(imported, row)
    counts = tuple(sum(finding.severity == severity for finding in findings) for severity in ("error", "warning", "note"))
    return replace(row, findings=counts, verdict=verdict, mujoco=mujoco, pinocchio=pinocchio)


def _refused(row: PublicRobot, reason: str, path: Path) -> PublicRobot:
    """The row of a file that leapcheck does not read or compare, with what the engines say to it."""
    mujoco, pinocchio = (Check(refused=_load(engine, path)) for engine in (MUJOCO, PINOCCHIO))
    return replace(row, refused=reason, mujoco=mujoco, pinocchio=pinocchio)


def _check(
    engine: Straight, path: Path, imported: ImportedRobot, states: States, ours: Answers, findings: tuple[Finding, ...]
) -> Check:
    changes = {finding.rule for finding in findings if _is_change(finding, engine)}
    check = _straight(engine, path, imported.spec, states, ours)
    try:
        loaded = FileRequest(engine.request, imported).build()
    except (NotApplicable, EngineError) as reason:
        check = check if check.refused else replace(check, unchecked=check.unchecked or _plain(str(reason), path))
        return replace(check, changes=tuple(sorted(changes)))
    names = tuple(name for name in ours if name in loaded.quantities and ours[name].size)
    answers = loaded.evaluate(states, names)
    worst = max(_error(name, answers[name], ours[name], ours["mass_matrix"]) for name in names)
    check = replace(check, quantities=len(names), error=_digits(worst), changes=tuple(sorted(changes)))
    return replace(check, why=judged_reason(engine.request, imported)) if check.differs else check


def _straight(engine: Straight, path: Path, spec: RobotSpec, states: States, ours: Answers) -> Check:
    """M and h against the engine straight from the file."""
    own = Dynamics(ours["mass_matrix"], ours["bias_force"])
    try:
        error_M, error_h = scale_free_errors(own, engine.dynamics(path, joint_columns(spec), states.q, states.v))
        return Check(error_M=_digits(error_M), error_h=_digits(error_h))
    except Exception as error:  # whatever a package raises on a stranger's file is a reason
        reason = _load(engine, path)
        return Check(refused=reason, unchecked="" if reason else _plain(str(error), path))


def _digits(error: float) -> float:
    """Two digits: more change from machine to machine."""
    return float(f"{error:.2g}")


def _is_change(finding: Finding, engine: Straight) -> bool:
    return finding.rule in engine.rules or (finding.rule == "load" and finding.place.endswith(engine.package))


def _error(name: str, found: Floats, true: Floats, M: Floats) -> float:
    """Largest error in the size of the quantity; of what M is solved for, divided by the condition of M in units of 1e6."""
    if name == "mass_matrix":
        return scale_free_errors(Dynamics(true, true[:, 0]), Dynamics(found, true[:, 0]))[0]
    error = float(np.abs(found - true).max() / max(1.0, float(np.abs(true).max())))
    if name not in SOLVED:
        return error
    d = np.sqrt(np.einsum("nii->ni", M))
    return error / max(1.0, 1e-6 * float(np.linalg.cond(M / (d[:, :, None] * d[:, None, :])).max()))


def _states(spec: RobotSpec) -> States:
    drawn = generated_states(spec, 16, 0, 0)
    rows = list(ROWS)
    return States(drawn.q[rows], drawn.v[rows], drawn.tau[rows], drawn.index[rows], tuple(drawn.kind[row] for row in rows))


def joint_columns(spec: RobotSpec) -> list[JointColumns]:
    """The columns of the joints that move."""
    kinds = {JointType.FREE: "free", JointType.BALL: "ball"}
    return [
        JointColumns(name, kinds.get(kind, "one"), in_q.start, in_v.start)
        for name, kind, in_q, in_v in joint_slices(spec)
        if kind is not JointType.FIXED
    ]


def _load(engine: Straight, path: Path) -> str:
    """Why an engine does not load a file; "" where it does, whatever joints it then has."""
    try:
        engine.dynamics(path, [], np.zeros((0, 0)), np.zeros((0, 0)))
    except OtherJointsError:
        return ""
    except Exception as error:
        return _plain(str(error), path) or type(error).__name__
    return ""


def _verdict(imported: ImportedRobot, row: PublicRobot) -> str:
    """The verdict of a comparison of a quadruped with both engines from the file; why is left to the judge."""
    if row.kind != "quadruped" or row.points < 4:
        return ""
    requests = tuple(FileRequest(engine.request, imported) for engine in (MUJOCO, PINOCCHIO))
    plan = Plan(NamedRobot(imported.spec), ("reference", *requests), CORE, QUADRUPED_STATES)
    engines = engine_set_of(plan)
    verdicts = {comparison.verdict for comparison in run_figures(engines, whole_result(plan, engines)).comparisons}
    return str(next((verdict for verdict in SEVERITY if verdict in verdicts), ""))


def _plain(reason: str, path: Path) -> str:
    """A reason in one line without the folders of the file."""
    words = " ".join(_without_colour(reason).split())
    return words.replace(str(path), path.name).replace(f"{path.parent}/", "").removeprefix(f"file '{path.name}': ")[:300]


def _without_colour(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
