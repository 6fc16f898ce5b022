"""Whether MuJoCo's integrators tend to the adaptive reference solution as their time step goes to zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.simulators.mujoco.simulator import Integrator, MujocoSimulator, Rotors
from leapcheck_evidence.studies.planned_push import DURATION, FIGURES, PROTOCOL, PlannedPush, planned_push
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.adaptive import solution
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.richardson import Extrapolation, extrapolate
from leapcheck_reference.simulate.soft import SoftContact

GOAL = 1e-6
"""Relative; measured 1.1e-7 (RK4), 1e-8 (Euler), 2e-12 (discrete)."""

CONTACT = SoftContact(friction=0.8)

STEPS: dict[Integrator, tuple[float, ...]] = {
    "Euler": tuple(2.5e-4 / 2**k for k in range(6)),
    "RK4": tuple(5e-4 / 2**k for k in range(5)),
    "discrete": tuple(1.25e-4 / 2**k for k in range(6)),
}
"""Time steps (s) of each integrator, halved each time: each begins where its errors shrink by an order."""

ROBOTS: dict[Rotors, str] = {"exact": "mini_cheetah", "armature": "mini_cheetah_armature"}

ROTORS: dict[Integrator, Rotors] = {"Euler": "exact", "RK4": "exact", "discrete": "armature"}
"""The discrete integrator steps MuJoCo's own model, with nothing added: so one of the rows is MuJoCo's alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """The figures (2,) of one integrator's limit, with their error bars and orders, and those of the adaptive reference."""

    integrator: Integrator
    extrapolation: Extrapolation
    reference: Floats

    @property
    def relative(self) -> Floats:
        """Errors (2,) of the limit relative to the reference."""
        errors: Floats = np.abs(self.extrapolation.limit - self.reference) / self.reference
        return errors


def rows() -> list[StudyRow]:
    """One row for each integrator: the worse of its two figures."""
    return [_row(limit(integrator, ROTORS[integrator], STEPS[integrator])) for integrator in STEPS]


def limit(integrator: Integrator, rotors: Rotors, steps: Sequence[float], contact: SoftContact = CONTACT) -> Limit:
    """The limit of one integrator of MuJoCo at these time steps on the planned push, and the reference of the same model."""
    planned = planned_push(ROBOTS[rotors])
    runs = [planned.push_figures(MujocoSimulator(planned.robot.spec, contact, dt, integrator, rotors)) for dt in steps]
    return Limit(integrator, extrapolate(np.array(runs)), reference(planned, contact))


def reference(planned: PlannedPush, contact: SoftContact) -> Floats:
    """The figures (2,) by the adaptive method, the torque continuous in time and state."""
    law = SoftLaw(Plant(planned.robot.spec), contact)
    at_rest = planned.start, np.zeros(planned.robot.spec.nv)
    return planned.figures(*solution(law, planned.torque, at_rest, [DURATION]).at(DURATION))


def _row(of: Limit) -> StudyRow:
    worst, steps = float(of.relative.max()), STEPS[of.integrator]
    parts = [
        f"{name} {value:.10f}, off by {wrong:.1e}, error bar {bar:.1e}, order {order:.3f}"
        for name, value, wrong, bar, order in zip(
            FIGURES, of.reference, of.relative, of.extrapolation.error / of.reference, of.extrapolation.order, strict=True
        )
    ]
    return StudyRow(
        what=f"Richardson limit of MuJoCo's {of.integrator} against the adaptive reference",
        goal=f"{GOAL:g} relative",
        figure=f"{worst:.1e}",
        met=worst <= GOAL,
        detail=f"{ROBOTS[ROTORS[of.integrator]]}, solref {CONTACT.solref[0]:g}, friction {CONTACT.friction:g}; {PROTOCOL}; "
        f"dt {steps[0] * 1e3:g} ms to {steps[-1] * 1e6:.1f} us; {'; '.join(parts)}",
    )
