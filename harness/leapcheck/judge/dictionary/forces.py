"""Forces told otherwise: one part of the bias force for another, and passive losses counted in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.conventions import product
from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.coordinates import FORCES, places
from leapcheck.judge.dictionary.robust import deviating, linear_fit, tolerance
from leapcheck.judge.words import listed, same
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States
from leapcheck_models.spec import JointType, RobotSpec

PARTS = {
    "bias_force": "gravity and Coriolis force together",
    "coriolis_force": "the Coriolis force only: gravity is left out",
    "gravity_force": "gravity only: the velocity does not count",
}

NAMES = {
    ("bias_force", "coriolis_force"): "force/coriolis-only",
    ("bias_force", "gravity_force"): "force/gravity-only",
    ("coriolis_force", "bias_force"): "force/sum:coriolis",
    ("gravity_force", "bias_force"): "force/sum:gravity",
    ("coriolis_force", "gravity_force"): "force/gravity-for-coriolis",
    ("gravity_force", "coriolis_force"): "force/coriolis-for-gravity",
}

WITH_LOSSES = ("bias_force", "coriolis_force", "forward_dynamics")

TELLING = 0.5
"""Share of the states at which the losses must account for a joint's force."""

TINY = 1e-6
"""Coefficients below this share of the largest are not named."""


def force_parts(belief: Belief) -> Iterator[Hypothesis]:
    """One part of the bias force answered for another, the sum for a part, or for both parts."""
    asked = [part for part in FORCES if part in belief.evidence.quantities]
    for (answered, by), name in NAMES.items():
        if answered in asked:
            cause = f"the {QUANTITIES[answered].label} holds {PARTS[by]}"
            prior = 1.0 if "only" in name or "sum" in name else 3.0
            yield Hypothesis(name, "convention", cause, answering=_answered_by({answered: by}), prior=prior)
    if {"coriolis_force", "gravity_force"} <= set(asked):
        cause = f"Coriolis force and gravity force each hold {PARTS['bias_force']}"
        by_sum = {"coriolis_force": "bias_force", "gravity_force": "bias_force"}
        yield Hypothesis("force/sum", "convention", cause, answering=_answered_by(by_sum), prior=2.0)


def losses(belief: Belief) -> Iterator[Hypothesis]:
    """The force on a joint is off in proportion to that joint's speed: damping; with a part by its sign: dry friction."""
    joints = _joints(belief.evidence.spec)
    concerned = tuple(deviating(belief, WITH_LOSSES))
    if not joints or not concerned:
        return
    off, near = _missing_force(belief, concerned[0])
    fitted = {dof: _coefficients(belief.read.v[:, dof], off[:, dof], near[:, dof]) for dof in joints}
    if any(np.any(x) for x in fitted.values()):
        yield _of_losses(belief.evidence.spec, fitted, joints, concerned)
        if concerned[0] != "forward_dynamics" == concerned[-1]:  # which may be off for another reason
            yield _of_losses(belief.evidence.spec, fitted, joints, concerned[:-1])


def _answered_by(parts: dict[str, str]) -> Callable[[View, str, Floats], Floats]:
    return lambda view, quantity, values: view.value(parts[quantity]) if quantity in parts else values


def _missing_force(belief: Belief, quantity: str) -> tuple[Floats, Floats]:
    """What force (n, nv) is found too much, and what of it rounding explains; for accelerations, what they lack times M."""
    off, near = belief.evidence.found[quantity] - belief.predicted(quantity), tolerance(belief.evidence, quantity)
    if quantity != "forward_dynamics":
        return off, near
    M = belief.value("mass_matrix")
    return product(M, -off), product(np.abs(M), near)


def _coefficients(speed: Floats, off: Floats, near: Floats) -> Floats:
    """Damping and dry friction (2,) of one dof; zeros where they are not what is off."""
    if (np.abs(off) <= near).all():
        return np.zeros(2)
    for columns in ((speed,), (speed, np.sign(speed))):
        fit = linear_fit(np.column_stack(columns), off, near)
        if fit and fit.share >= TELLING:
            return np.resize([*fit.x, 0.0], 2)
    return np.zeros(2)


def _of_losses(spec: RobotSpec, fitted: dict[int, Floats], joints: dict[int, str], concerned: tuple[str, ...]) -> Hypothesis:
    """The hypothesis, with each coefficient held against the spec's."""
    largest = max(float(np.abs(x).max()) for x in fitted.values())
    named = {dof: np.where(np.abs(x) > TINY * largest, x, 0.0) for dof, x in fitted.items() if np.abs(x).max() > TINY * largest}
    of_spec = {body.joint.name: (body.joint.damping, body.joint.friction) for body in spec.bodies}
    dry = any(x[1] for x in named.values())
    used = {dof: of_spec[joints[dof]] for dof in named}
    own = all(
        same(abs(float(x[0])), used[dof][0]) and (not dry or same(abs(float(x[1])), used[dof][1])) for dof, x in named.items()
    )
    damping, friction = np.zeros(spec.nv), np.zeros(spec.nv)
    for dof, x in named.items():
        damping[dof], friction[dof] = x
    words = "damping and dry friction" if dry else "damping"
    names = list(dict.fromkeys(joints[dof] for dof in named))
    whose = "the robot's own" if own else "not the robot's own"
    labels = listed(QUANTITIES[name].label for name in concerned)
    cause = f"{words} ({whose}) of {listed(names)} is counted in; {labels} is without passive losses"
    amounts = (f"{joints[dof]} {', '.join(f'{c:+.6g}' for c in (x if dry else x[:1]))}" for dof, x in named.items())
    which = [] if len(names) == len(set(joints.values())) else [",".join(names)]
    which += ["without-acceleration"] if "forward_dynamics" not in concerned else []
    return Hypothesis(
        ":".join([f"damping/{'own' if own else 'other'}", *which]),
        "convention" if own else "model",
        cause,
        reading=_less_torque(damping, friction) if "forward_dynamics" in concerned else None,
        answering=_with_losses(damping, friction, concerned),
        prior=2.0,
        details=f"off in proportion to the joint's own speed (N m s/rad or N s/m: {listed(amounts, 12)})",
    )


def _less_torque(damping: Floats, friction: Floats) -> Callable[[RobotSpec, States], States]:
    def reading(_spec: RobotSpec, states: States) -> States:
        return replace(states, tau=states.tau - damping * states.v - friction * np.sign(states.v))

    return reading


def _with_losses(damping: Floats, friction: Floats, concerned: tuple[str, ...]) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        if quantity in FORCES and quantity in concerned:
            return values + damping * view.read.v + friction * np.sign(view.read.v)
        return values

    return answering


def _joints(spec: RobotSpec) -> dict[int, str]:
    """Joint of each dof that is not one of a free joint."""
    return {
        dof: at.joint.name for at in places(spec) if at.joint.type is not JointType.FREE for dof in range(at.v.start, at.v.stop)
    }
