"""Forces in another convention: one part of the bias force for another, passive losses counted in, another gravity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.coordinates.conventions import product
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, SpecEdit, StateEdit, convention, model_fault
from leapcheck.judge.dictionary.robust import deviating_quantities, linear_fit, tolerance
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import FORCES, INVERSE_DYNAMICS, places
from leapcheck.judge.words import SAME, is_same, name_list, number_words
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

PARTS = {
    "bias_force": "gravity and Coriolis force together",
    "coriolis_force": "the Coriolis force only: gravity is left out",
    "gravity_force": "gravity only: the velocity has no effect",
}

NAMES = {
    ("bias_force", "coriolis_force"): "force/coriolis-only",
    ("bias_force", "gravity_force"): "force/gravity-only",
    ("coriolis_force", "bias_force"): "force/sum:coriolis",
    ("gravity_force", "bias_force"): "force/sum:gravity",
    ("coriolis_force", "gravity_force"): "force/gravity-for-coriolis",
    ("gravity_force", "coriolis_force"): "force/coriolis-for-gravity",
}

WITH_LOSSES = ("bias_force", "coriolis_force", *INVERSE_DYNAMICS, "forward_dynamics")

TELLING_LOSSES = 0.5
"""Share of the states at which the losses must account for a joint's force."""

TINY = 1e-6
"""Coefficients below this share of the largest are not named."""


WITH_GRAVITY = ("gravity_force", "potential_energy", "bias_force", *INVERSE_DYNAMICS, "forward_dynamics")

KNOWN_GRAVITIES = (9.8, 9.80665, 9.81, 10.0)
"""Usual values (m/s^2), to which a nearby fitted one is rounded."""

TELLING_GRAVITY = 0.25
"""Share of the equations that must hold to rounding under a fit."""


def force_parts(belief: Belief) -> Iterator[Hypothesis]:
    """One part of the bias force answered for another, the sum for a part, or for both parts."""
    asked = [part for part in FORCES if part in belief.evidence.quantities]
    for (answered, part), name in NAMES.items():
        if answered in asked:
            cause = f"the {QUANTITIES[answered].label} is {PARTS[part]}"
            prior = 1.0 if "only" in name or "sum" in name else 3.0
            yield convention(name, cause, answer_edit=_other_part((answered,), part), prior=prior)
    if {"coriolis_force", "gravity_force"} <= set(asked):
        cause = f"Coriolis force and gravity force are each {PARTS['bias_force']}"
        edit = _other_part(("coriolis_force", "gravity_force"), "bias_force")
        yield convention("force/sum", cause, answer_edit=edit, prior=2.0)


def losses(belief: Belief) -> Iterator[Hypothesis]:
    """The force on a joint is off in proportion to that joint's speed: damping; with a part by its sign: dry friction."""
    joints = _joints(belief.evidence.spec)
    concerned = tuple(deviating_quantities(belief, WITH_LOSSES))
    if not joints or not concerned:
        return
    off, near = _missing_force(belief, concerned[0])
    fits = {dof: _coefficients(belief.read.v[:, dof], off[:, dof], near[:, dof]) for dof in joints}
    if any(np.any(x) for x in fits.values()):
        yield _of_losses(belief.evidence.spec, fits, joints, concerned)
        if concerned[0] != "forward_dynamics" == concerned[-1]:  # which may be off for another reason
            yield _of_losses(belief.evidence.spec, fits, joints, concerned[:-1])


def _other_part(quantities: tuple[str, ...], part: str) -> AnswerEdit:
    return edit_answers(quantities, lambda view, _values: view.value(part))


def _missing_force(belief: Belief, quantity: str) -> tuple[Floats, Floats]:
    """The excess force (n, nv) in the answers and what of it rounding explains; for accelerations, what they lack times M."""
    off, near = belief.evidence.answers[quantity] - belief.prediction(quantity), tolerance(belief.evidence, quantity)
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
        if fit and fit.share >= TELLING_LOSSES:
            return np.resize([*fit.x, 0.0], 2)
    return np.zeros(2)


def _of_losses(spec: RobotSpec, fits: dict[int, Floats], joints: dict[int, str], concerned: tuple[str, ...]) -> Hypothesis:
    """The hypothesis, with each coefficient compared with the spec's."""
    largest = max(float(np.abs(x).max()) for x in fits.values())
    named = {dof: np.where(np.abs(x) > TINY * largest, x, 0.0) for dof, x in fits.items() if np.abs(x).max() > TINY * largest}
    of_spec = {body.joint.name: (body.joint.damping, body.joint.friction) for body in spec.bodies}
    dry = any(x[1] for x in named.values())
    own = all(
        is_same(abs(float(fit)), true)
        for dof, x in named.items()
        for fit, true in zip(x if dry else x[:1], of_spec[joints[dof]], strict=False)
    )
    damping, friction = np.zeros(spec.nv), np.zeros(spec.nv)
    for dof, x in named.items():
        damping[dof], friction[dof] = x
    names = list(dict.fromkeys(joints[dof] for dof in named))
    words = f"{'damping and dry friction' if dry else 'damping'} ({'the' if own else 'not the'} robot's own)"
    labels = name_list(QUANTITIES[name].label for name in concerned)
    amounts = (f"{joints[dof]} {', '.join(f'{c:+.6g}' for c in (x if dry else x[:1]))}" for dof, x in named.items())
    which = [] if len(names) == len(set(joints.values())) else [",".join(names)]
    which += ["without-acceleration"] if "forward_dynamics" not in concerned else []

    def less_torque(_spec: RobotSpec, states: States) -> States:
        return replace(states, tau=states.tau - damping * states.v - friction * np.sign(states.v))

    def with_losses(view: AnswerView, values: Floats) -> Floats:
        return values + damping * view.read.v + friction * np.sign(view.read.v)

    state_edit: StateEdit | None = less_torque if "forward_dynamics" in concerned else None
    return Hypothesis(
        ":".join([f"damping/{'own' if own else 'other'}", *which]),
        f"{words} of {name_list(names)} is counted in; {labels} is without passive losses",
        state_edit=state_edit,
        answer_edit=edit_answers([name for name in concerned if name != "forward_dynamics"], with_losses),
        prior=2.0,
        details=f"off in proportion to the joint's own speed (N m s/rad or N s/m: {name_list(amounts, 12)})",
        cause_class=CauseClass.CONVENTION if own else CauseClass.MODEL,
    )


def _joints(spec: RobotSpec) -> dict[int, str]:
    """Joint of each dof that is not one of a free joint."""
    movers = [place for place in places(spec) if place.joint.type is not JointType.FREE]
    return {dof: place.joint.name for place in movers for dof in range(place.v.start, place.v.stop)}


def gravity_sign(belief: Belief) -> Iterator[Hypothesis]:
    """Gravity left out everywhere, or with the opposite sign."""
    if any(belief.evidence.spec.gravity) and set(WITH_GRAVITY) & set(belief.evidence.quantities):
        only = ": the bias force is the Coriolis force only" if "bias_force" in belief.evidence.quantities else ""
        yield convention("gravity/left-out", f"gravity is left out{only}", _gravity_times(0.0))
        yield convention("gravity/sign", "gravity has the opposite sign", _gravity_times(-1.0))


def gravity_vector(belief: Belief) -> Iterator[Hypothesis]:
    """Gravity of the size and direction that fit the answers: every quantity is affine in it."""
    g = np.array(belief.spec.gravity)
    concerned = [name for name in WITH_GRAVITY if name in belief.evidence.quantities]
    if not concerned or belief.explains(concerned[0]):  # nothing tells gravity better than the first
        return
    for quantity in concerned[:2]:
        fit = _gravity_fit(belief, quantity)
        if fit is None or np.allclose(fit, g, rtol=SAME**2, atol=0.0):
            continue
        size, true = float(np.linalg.norm(fit)), float(np.linalg.norm(g))
        along = float(fit @ g) / (size * true) if size and true else 0.0
        if abs(along) > 1.0 - SAME**2:
            if along > 0.0:
                size = next((known for known in KNOWN_GRAVITIES if abs(size - known) < 1e-9 * known), size)
                masses = ", or all masses so multiplied" if quantity in WITH_GRAVITY[:2] else ""
                digits = next(n for n in range(4, 18) if n == 17 or f"{size:.{n}g}" != f"{true:.{n}g}")
                words = f"gravity is {size:.{digits}g} instead of {true:.{digits}g} m/s^2{masses}"
                yield model_fault("gravity/size", words, _gravity_times(size / true))
                return
            if is_same(size, true):
                continue
        if size <= SAME * true:  # left out, as `gravity_sign` says
            continue
        words = f"gravity is ({', '.join(map(number_words, fit))}) instead of ({', '.join(map(number_words, g))}) m/s^2"
        yield model_fault("gravity/direction", words, _with_gravity(fit), prior=2.0)
        return


def _gravity_fit(belief: Belief, quantity: str) -> Floats | None:
    values = [belief.plus(model_fault("gravity", "", _with_gravity(g))).prediction(quantity) for g in (np.zeros(3), *np.eye(3))]
    A = np.stack([column - values[0] for column in values[1:]], axis=-1).reshape(-1, 3)
    off, near = (belief.evidence.answers[quantity] - values[0]).ravel(), tolerance(belief.evidence, quantity).ravel()
    fit = linear_fit(A, off, near)
    return fit.x if fit and fit.share >= TELLING_GRAVITY else None


def _with_gravity(g: Floats) -> SpecEdit:
    x, y, z = map(float, g)
    return lambda spec: replace(spec, gravity=(x, y, z))


def _gravity_times(share: float) -> SpecEdit:
    return lambda spec: _with_gravity(share * np.array(spec.gravity))(spec)
