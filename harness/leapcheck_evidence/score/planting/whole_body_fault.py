"""Faults in single answers of a whole-body engine: what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from leapcheck.sampling import generated_states
from leapcheck_evidence.score.planting.fault import Asked, Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import of_type
from leapcheck_evidence.score.planting.own_whole_body import WholeBody
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, WORLD, Body, JointType, RobotSpec

LEAST_CORIOLIS = 1e-6
"""Least C in units of M, SI units."""

Change = Callable[[WholeBody, str, Floats], Array]
"""What becomes of a quantity's right values (n, ...)."""


def fault(label: str, names: Sequence[str], quantities: Sequence[str], change: Change) -> Fault:
    """The fault that changes some quantities; `names` as in `Fault`."""

    def answering(asked: Asked, name: str, values: Floats) -> Array:
        return np.asarray(change(WholeBody(asked.spec, asked.read), name, values)) if name in quantities else values

    return Fault(f"{label} in {', '.join(quantities)}", tuple(names), answering=answering)


def always(label: str, names: Sequence[str], quantities: Sequence[str], change: Change) -> Drawer:
    """The fault in exactly these quantities, wherever it is drawn."""
    return lambda _rng, _setting: fault(label, names, quantities, change)


def of_floating(drawer: Drawer) -> Drawer:
    """The same on robots with a floating base alone."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        if not of_type(setting.spec, JointType.FREE):
            raise NotHereError("no base")
        return drawer(rng, setting)

    return draw


def with_rotors(drawer: Drawer) -> Drawer:
    """The same on robots with rotors alone."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        if not any(body.rotor for body in setting.spec.bodies):
            raise NotHereError("no rotors")
        return drawer(rng, setting)

    return draw


def of_turning(drawer: Drawer) -> Drawer:
    """The same on robots with a Coriolis force alone: where its terms cancel, nothing is left of C but rounding."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        body = WholeBody(setting.spec, generated_states(setting.spec, 4, 0, 0))
        if np.abs(body.christoffel_matrix()).max() < LEAST_CORIOLIS * np.abs(body.mass_matrix()).max():
            raise NotHereError("no Coriolis force")
        return drawer(rng, setting)

    return draw


def moved_link(rng: Rng, setting: Setting) -> Body:
    """A link with a mass behind a hinge or slide, not on the world."""
    slots = of_type(setting.spec, *ONE_DOF)
    return choice(rng, [slot.body for slot in slots if slot.body.inertia.mass and slot.body.parent != WORLD])


def link_number(spec: RobotSpec, name: str) -> int:
    """Its place among the links."""
    return next(i for i, body in enumerate(spec.bodies) if body.name == name)
