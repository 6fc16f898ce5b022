"""Whether MuJoCo's soft contact tends to rigid contact as its time constant goes to zero, each without a time step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck_evidence.studies import limits
from leapcheck_evidence.studies.planned_push import FIGURES, PROTOCOL, PlannedPush, planned_push
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.richardson import Extrapolation, extrapolate
from leapcheck_reference.simulate.rigid import RigidSimulator
from leapcheck_reference.simulate.soft import SoftContact

GOAL = 1e-3
"""Relative, at the last time constant; measured 5.1e-4."""

TIME_CONSTANTS = (0.02, 0.01, 0.005, 0.0025, 0.00125)
"""s; damping ratio 1."""

STEPS = 5e-4 * 0.5 ** np.arange(5)
"""Time steps (s) of the rigid time-stepper."""

FRICTION = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class StiffLimit:
    """The figures of the rigid limit (2,) and of each time constant (n, 2); `mujoco`: MuJoCo's own limit at the last one."""

    rigid: Extrapolation
    soft: Floats
    mujoco: Floats

    @property
    def differences(self) -> Floats:
        """Relative differences (n, 2) of soft from rigid contact."""
        answer: Floats = self.soft / self.rigid.limit - 1.0
        return answer


def rows() -> list[StudyRow]:
    """Two rows: that the differences shrink from each time constant to the next, and the last of them."""
    result = measure(planned_push("mini_cheetah"))
    sizes = np.abs(result.differences)
    monotone, last = bool((np.diff(sizes, axis=0) < 0.0).all()), float(sizes[-1].max())
    series = "; ".join(f"{name} {_per_cent(column)}" for name, column in zip(FIGURES, result.differences.T, strict=True))
    constants = ", ".join(f"{constant:g}" for constant in TIME_CONSTANTS)
    own = float(np.abs(result.mujoco / result.soft[-1] - 1.0).max())
    bar = float((result.rigid.error / result.rigid.limit).max())
    return [
        StudyRow(
            what="MuJoCo's contact tends to the rigid one as its time constant goes to 0",
            goal="monotone",
            figure="monotone" if monotone else "not monotone",
            met=monotone,
            detail=f"solref {constants} s: soft more than rigid by {series}; friction {FRICTION:g}; {PROTOCOL}; soft: adaptive "
            f"reference; rigid: limit of the in-house time-stepper, error bar {bar:.0e}",
        ),
        StudyRow(
            what=f"its difference from rigid contact at a time constant of {TIME_CONSTANTS[-1]:g} s",
            goal=f"{100 * GOAL:g} %",
            figure=f"{100 * last:.3f} %",
            met=last <= GOAL,
            detail=f"the worse of {' and '.join(FIGURES)}; the limit of MuJoCo's own Euler steps is {own:.0e} from the reference",
        ),
    ]


def _per_cent(parts: Floats) -> str:
    return ", ".join(f"{100 * part:.3f} %" for part in parts.tolist())


def measure(planned: PlannedPush) -> StiffLimit:
    """The planned push on rigid ground and on soft ones."""
    plant = Plant(planned.robot.spec)
    rigid = [planned.push_figures(RigidSimulator(plant, dt, FRICTION)) for dt in STEPS.tolist()]
    contacts = [SoftContact(friction=FRICTION, solref=(constant, 1.0)) for constant in TIME_CONSTANTS]
    soft = [limits.reference(planned, contact) for contact in contacts]
    own = limits.limit("Euler", "exact", limits.STEPS["Euler"], contacts[-1])
    return StiffLimit(extrapolate(np.array(rigid)), np.array(soft), own.extrapolation.limit)
