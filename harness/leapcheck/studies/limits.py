"""Whether MuJoCo's integrators tend to the adaptive reference solution as their time step goes to zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.mujoco_simulator import Integrator, MujocoSimulator
from leapcheck.studies.planned_push import DURATION, FIGURES, PROTOCOL, PlannedPush, planned_push
from leapcheck.studies.row import Row
from leapcheck_reference.simulate.adaptive import solution
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.richardson import Extrapolation, extrapolated
from leapcheck_reference.simulate.soft import SoftContact

Floats = NDArray[np.float64]

GOAL = 1e-6
"""Relative; measured 2e-10."""

STEPS: dict[Integrator, Floats] = {
    "Euler": 2.5e-4 * 0.5 ** np.arange(6),
    "RK4": 5e-4 * 0.5 ** np.arange(5),
    "discrete": 1.25e-4 * 0.5 ** np.arange(6),
}
"""Time steps (s) of each integrator, halved each time: each begins where its errors shrink by an order."""

ROBOTS: dict[Integrator, tuple[str, Literal["exact", "armature"]]] = {
    "Euler": ("mini_cheetah", "exact"),
    "RK4": ("mini_cheetah", "exact"),
    "discrete": ("mini_cheetah_armature", "armature"),
}
"""Robot and rotors for each: MuJoCo's discrete integrator takes no rotor term from outside."""


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """The figures (2,) of one integrator's limit, with their error bars and orders, and those of the adaptive reference."""

    integrator: str
    found: Extrapolation
    reference: Floats

    @property
    def relative(self) -> Floats:
        """Errors (2,) of the limit relative to the reference."""
        errors: Floats = np.abs(self.found.limit - self.reference) / self.reference
        return errors


def rows() -> list[Row]:
    """One row for each integrator: the worse of its two figures."""
    return [_row(limit(integrator)) for integrator in STEPS]


def limit(integrator: Integrator, contact: SoftContact = SoftContact(friction=0.8)) -> Limit:
    """The limit of one integrator of MuJoCo on the planned push, and the reference solution of the same model."""
    robot, rotors = ROBOTS[integrator]
    planned = planned_push(robot)
    runs = [
        planned.pushed(MujocoSimulator(planned.robot.spec, contact, dt, integrator, rotors))
        for dt in STEPS[integrator].tolist()
    ]
    return Limit(integrator, extrapolated(np.array(runs)), reference(planned, contact))


def reference(planned: PlannedPush, contact: SoftContact) -> Floats:
    """The figures (2,) by the adaptive method, the torque continuous in time and state."""
    law = SoftLaw(Plant(planned.robot.spec), contact)
    at_rest = planned.start, np.zeros(planned.robot.spec.nv)
    return planned.figures(*solution(law, planned.torque, at_rest, [DURATION]).at(DURATION))


def _row(of: Limit) -> Row:
    worst, steps = float(of.relative.max()), STEPS[of.integrator]
    parts = [
        f"{name} {value:.10f}, off by {wrong:.1e}, error bar {bar:.1e}, order {order:.3f}"
        for name, value, wrong, bar, order in zip(
            FIGURES, of.reference, of.relative, of.found.error / of.reference, of.found.order, strict=True
        )
    ]
    return Row(
        what=f"Richardson limit of MuJoCo's {of.integrator} against the adaptive reference",
        goal=f"{GOAL:g} relative",
        figure=f"{worst:.1e}",
        met=worst <= GOAL,
        detail=f"{ROBOTS[of.integrator][0]}, solref .02, friction 0.8; {PROTOCOL}; dt {steps[0] * 1e3:g} ms to "
        f"{steps[-1] * 1e6:.1f} us; {'; '.join(parts)}",
    )
