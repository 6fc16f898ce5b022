"""MuJoCo's derivatives of its dynamics, which are finite differences: how precise they are, and at which step they are most so.

`python -m leapcheck_evidence.finite_differences --out reports/` writes the table. The robots have hinges and slides alone, whose
coordinates MuJoCo shares; passive forces, limits and contacts are switched off.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.mujoco.build import model_from_mjcf
from leapcheck.engines.mujoco.differences import leave_equations_of_motion
from leapcheck.sampling import States, generated_states, join_states
from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.command import run_command
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

FILE = "finite_differences.md"
ROBOTS = ("two_link_arm", "pupper_leg", "tree4_5", "random:22")
STEPS = tuple(10.0 ** (-k / 2) for k in range(4, 25))
"""Steps that are tried: 1e-2 to 1e-12, two a decade."""

USUAL = 1e-6
"""The step of MuJoCo's own examples."""

COUNT = 40
"""Generated states; those of the kind `generic` count."""

TIMESTEP = 1e-3
"""s, of the simulation that mjd_transitionFD differentiates; what it divides by does not change the digits much."""

FORCE_Q, FORCE_V = "inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v"
MOTION_Q, MOTION_V = "forward_dynamics_derivative_q", "forward_dynamics_derivative_v"

ROUTES = {
    "mjd_inverseFD": (FORCE_Q, FORCE_V),
    "mjd_transitionFD, forward": (MOTION_Q, MOTION_V),
    "mjd_transitionFD, centred": (MOTION_Q, MOTION_V),
}
"""MuJoCo's functions, and what is made of their answers: of transitions by Euler, (dv' / dx - dv / dx) / time step."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Median error of states, of their largest entries, of one derivative: at the best step, and at the usual one."""

    robot: str
    route: str
    quantity: str
    best: float
    step: float
    usual: float


def precisions(robot: str) -> list[Precision]:
    """How precise each derivative is."""
    spec = load(robot)
    states = generated_states(spec, COUNT, 0, 0)
    states = join_states([states[i : i + 1] for i, kind in enumerate(states.kind) if kind == "generic"])
    exact = {name: _exact(spec, name, states) for names in ROUTES.values() for name in names}
    rows = []
    for route, names in ROUTES.items():
        errors = {step: _errors(spec, route, states, step, exact) for step in (*STEPS, USUAL)}
        for name in names:
            step = min(STEPS, key=lambda step: errors[step][name])
            rows.append(Precision(robot, route, name, errors[step][name], step, errors[USUAL][name]))
    return rows


def _exact(spec: RobotSpec, name: str, states: States) -> Floats:
    third = states.vdot if name == FORCE_Q else states.tau
    takes_third = name in (FORCE_Q, MOTION_Q)
    tree, function = reference.build(spec), getattr(reference, name)
    rows = [function(tree, q, v, *([x] if takes_third else [])) for q, v, x in zip(states.q, states.v, third, strict=True)]
    return np.array(rows, dtype=float)


def _errors(spec: RobotSpec, route: str, states: States, step: float, exact: Mapping[str, Floats]) -> dict[str, float]:
    """Median over the states of the largest error, relative to the largest entry, of each derivative."""
    answers = _inverse(spec, states, step) if route == "mjd_inverseFD" else _transition(spec, states, step, "centred" in route)
    largest = {name: np.abs(exact[name]).max(axis=(1, 2)) for name in answers}
    return {name: float(np.median(np.abs(x - exact[name]).max(axis=(1, 2)) / largest[name])) for name, x in answers.items()}


def _inverse(spec: RobotSpec, states: States, step: float) -> dict[str, Floats]:
    m = _model(spec)
    d, nv = mujoco.MjData(m), m.nv
    by_q, by_v = np.zeros((2, len(states), nv, nv))
    for i, (q, v, vdot) in enumerate(zip(states.q, states.v, states.vdot, strict=True)):
        d.qpos[:], d.qvel[:], d.qacc[:] = q, v, vdot
        mujoco.mjd_inverseFD(m, d, step, 0, by_q[i], by_v[i], None, None, None, None, None)
    return {FORCE_Q: by_q.swapaxes(1, 2), FORCE_V: by_v.swapaxes(1, 2)}  # MuJoCo's are transposed


def _transition(spec: RobotSpec, states: States, step: float, centred: bool) -> dict[str, Floats]:
    m = _model(spec)
    d, nv = mujoco.MjData(m), m.nv
    A = np.zeros((len(states), 2 * nv, 2 * nv))
    for i, (q, v, tau) in enumerate(zip(states.q, states.v, states.tau, strict=True)):
        d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, tau
        mujoco.mjd_transitionFD(m, d, step, centred, A[i], None, None, None)
    rates = (A[:, nv:] - np.eye(2 * nv)[nv:]) / TIMESTEP
    return {MOTION_Q: rates[:, :, :nv], MOTION_V: rates[:, :, nv:]}


def _model(spec: RobotSpec) -> mujoco.MjModel:
    """The robot in MuJoCo, with nothing but its equations of motion, integrated by explicit Euler."""
    m = model_from_mjcf(spec, spec)
    leave_equations_of_motion(m, TIMESTEP)
    return m


def table(rows: list[Precision]) -> str:
    """The page."""
    lines = [
        "# MuJoCo's derivatives are finite differences",
        "",
        "`mjd_inverseFD` and `mjd_transitionFD` difference MuJoCo's own dynamics. The engine `mujoco-fd` answers with them,",
        "and declares what they are: a comparison excuses half of the digits, and calls them imprecise. How precise they",
        "are at which step is measured here. Errors are those of a state's largest entry, relative to it, against the exact",
        f"derivative: the median of generic states, at the best of {len(STEPS)} steps from {STEPS[0]:g} to {STEPS[-1]:g},",
        f"and at {USUAL:g}. Centred differences by v are exact but for rounding, forces being of degree two in v: the largest",
        f"step serves best there. MuJoCo {mujoco.__version__}.",
        "",
        "Written by `python -m leapcheck_evidence.finite_differences --out reports/`.",
        "",
        "| robot | function | derivative | best error | at the step | error at 1e-6 |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.robot} | {row.route} | `{row.quantity}` | {row.best:.1e} | {row.step:.1e} | {row.usual:.1e} |" for row in rows
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, kw_only=True)
class FiniteDifferencesCommand:
    """Measure how precise MuJoCo's finite differences are."""

    out: Path = Path("reports")
    """Folder of the page."""

    def run(self) -> int:
        """Writes the page."""
        self.out.mkdir(parents=True, exist_ok=True)
        write_whole(self.out / FILE, table([row for robot in ROBOTS for row in precisions(robot)]))
        return 0


if __name__ == "__main__":
    sys.exit(run_command(FiniteDifferencesCommand, "finite_differences"))
