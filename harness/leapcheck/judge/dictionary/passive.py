"""Passive forces in another form: parts left out, springs at rest elsewhere, friction smoothed, other coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention, model_fault
from leapcheck.judge.dictionary.robust import linear_fit, tolerance
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import INVERSE_DYNAMICS, JointPlace, places
from leapcheck.judge.words import is_same, name_list, number_words
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, Joint, RobotSpec

PASSIVE, FRICTION = "passive_forces", "dry_friction"

COUNTING = ("bias_force", "gravity_force", *INVERSE_DYNAMICS, "forward_dynamics")
"""Quantities that springs may be counted in; dampers and dry friction in these are `forces.losses`."""

TELLING = 0.5
"""Share of the states at which a fit must hold to rounding."""

Parts = Callable[[Joint, Floats, Floats], Floats]
"""From a joint, its q and its v (n,): the force (n,)."""


def _spring(joint: Joint, q: Floats, _v: Floats) -> Floats:
    return -joint.stiffness * (q - joint.springref)


def _damper(joint: Joint, _q: Floats, v: Floats) -> Floats:
    return -joint.damping * v


def _dry(joint: Joint, _q: Floats, v: Floats) -> Floats:
    return -joint.friction * np.sign(v)


FORMS: dict[str, tuple[str, Parts]] = {
    "sign": (
        "the opposite sign, as on the left-hand side of the equations of motion",
        lambda joint, q, v: -_spring(joint, q, v) - _damper(joint, q, v),
    ),
    "no-damping": ("damping is left out", _spring),
    "no-springs": ("springs are left out", _damper),
    "at-zero": (
        "springs are at rest at zero, not at their springref",
        lambda joint, q, v: _damper(joint, q, v) - joint.stiffness * q,
    ),
    "reference-sign": (
        "springref has the opposite sign",
        lambda joint, q, v: _damper(joint, q, v) - joint.stiffness * (q + joint.springref),
    ),
    "spring-sign": ("springs push away from their springref", lambda joint, q, v: _damper(joint, q, v) - _spring(joint, q, v)),
    "damping-sign": ("damping pushes along the velocity", lambda joint, q, v: _spring(joint, q, v) - _damper(joint, q, v)),
    "with-friction": (
        "dry friction is counted in",
        lambda joint, q, v: _spring(joint, q, v) + _damper(joint, q, v) + _dry(joint, q, v),
    ),
}
"""Name, words and force of each joint."""

SMOOTHED: dict[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "tanh(v / {})": (np.tanh, np.arctanh),
    "v / sqrt(v^2 + {}^2)": (lambda x: x / np.sqrt(1.0 + x * x), lambda y: y / np.sqrt(1.0 - y * y)),
    "2/pi atan(v / {})": (lambda x: 2.0 / np.pi * np.arctan(x), lambda y: np.tan(np.pi / 2.0 * y)),
}
"""Smoothed signs of v by their words, with their inverses."""


def passive_forms(belief: Belief) -> Iterator[Hypothesis]:
    """Parts of the passive forces left out, of another sign or counted in elsewhere; the size of dry friction for its force."""
    joints, asked = list(_joints(belief.evidence.spec)), belief.evidence.quantities
    if PASSIVE in asked:
        for name, (words, force) in FORMS.items():
            edit = edit_answers((PASSIVE,), partial(_of_joints, force))
            cause, prior = f"{QUANTITIES[PASSIVE].label}: {words}", 0.5 if name == "sign" else 1.0  # than that of every answer
            yield convention(f"passive/{name}", cause, answer_edit=edit, prior=prior)
    if FRICTION in asked:
        size = edit_answers((FRICTION,), partial(_of_joints, lambda joint, q, _v: joint.friction + 0.0 * q))
        words = f"{QUANTITIES[FRICTION].label}: what it is at most is answered, friction, not the force -friction sign(v)"
        yield convention("passive/friction-bound", words, answer_edit=size)
    if any(place.joint.stiffness for place in joints):
        if counting := [name for name in COUNTING if name in asked]:
            yield _counted_springs(counting)
        if "potential_energy" in asked:
            words = "the springs' energy is counted in the potential energy, as in MuJoCo's"
            yield convention("passive/spring-energy", words, answer_edit=edit_answers(("potential_energy",), _with_spring_energy))


def _with_spring_energy(view: AnswerView, values: Floats) -> Floats:
    off = (place.joint.stiffness * (view.read.q[:, place.q.start] - place.joint.springref) ** 2 for place in _joints(view.spec))
    return values + sum(off) / 2.0


def _counted_springs(names: list[str]) -> Hypothesis:
    forces = [name for name in names if name != "forward_dynamics"]

    def with_spring(spec: RobotSpec, states: States) -> States:
        return replace(states, tau=states.tau + _forces(spec, _spring, states))

    return convention(
        "passive/springs-in-bias",
        f"springs are counted in; {name_list(QUANTITIES[name].label for name in names)} is without passive forces",
        state_edit=with_spring if "forward_dynamics" in names else None,
        answer_edit=edit_answers(forces, lambda view, values: values - _of_joints(_spring, view, values)),
        prior=2.0,
    )


def smoothed_friction(belief: Belief) -> Iterator[Hypothesis]:
    """Dry friction with a smoothed sign, of the width that fits, alone or counted in the passive forces."""
    evidence = belief.evidence
    rubbing = [place for place in _joints(evidence.spec) if place.joint.friction]
    for quantity in (name for name in (FRICTION, PASSIVE) if rubbing and name in evidence.quantities):
        if belief.explains(quantity):
            continue
        rest = 0.0 if quantity == FRICTION else belief.value(PASSIVE)
        force = evidence.answers[quantity] - rest
        for words, (smooth, inverse) in SMOOTHED.items():
            widths = [_width(inverse, place, belief.read, force) for place in rubbing]
            width = float(np.median(np.concatenate(widths))) if any(map(len, widths)) else np.nan
            if not (np.isfinite(width) and width > 0.0):
                continue

            def soft(joint: Joint, _q: Floats, v: Floats, smooth: Callable[..., Floats] = smooth, width: float = width) -> Floats:
                return -joint.friction * smooth(v / width)

            added = partial(_added, soft) if quantity == PASSIVE else partial(_of_joints, soft)
            sign = words.format(number_words(width))
            what = (
                f"{QUANTITIES[quantity].label}: dry friction is {'counted in, ' if quantity == PASSIVE else ''}smoothed: {sign}"
            )
            yield convention(f"passive/smoothed:{quantity}", f"{what} for sign(v)", answer_edit=edit_answers((quantity,), added))


def _width(inverse: Callable[[Floats], Floats], place: JointPlace, read: States, force: Floats) -> Floats:
    """Widths (m,) of a smoothed sign by the states at which it is neither zero nor saturated."""
    share, v = -force[:, place.v.start] / place.joint.friction, read.v[:, place.v.start]
    soft = (np.abs(share) > 0.01) & (np.abs(share) < 0.99) & (v != 0.0)
    return np.asarray(v[soft] / inverse(share[soft]))


def passive_coefficients(belief: Belief) -> Iterator[Hypothesis]:
    """Damping, stiffness and springref of some joints that fit the answers, each compared with the spec's."""
    evidence = belief.evidence
    if PASSIVE not in evidence.quantities or belief.explains(PASSIVE):
        return
    off, near = evidence.answers[PASSIVE] - belief.prediction(PASSIVE), tolerance(evidence, PASSIVE)
    other: dict[str, Joint] = {}
    amounts: list[str] = []
    for place in _joints(evidence.spec):
        q, v, dof = belief.read.q[:, place.q.start], belief.read.v[:, place.v.start], place.v.start
        if (np.abs(off[:, dof]) <= near[:, dof]).all():
            continue
        fit = linear_fit(np.column_stack([v, q, np.ones(len(q))]), off[:, dof], near[:, dof])
        if fit is None or fit.share < TELLING:
            return
        joint, words = _fitted(place.joint, fit.x)
        other[joint.name] = joint
        amounts.append(words)
    if other:
        edit = edit_answers((PASSIVE,), lambda view, values: _with_joints(other, view, values))
        words = f"{QUANTITIES[PASSIVE].label}: {name_list(amounts, 4)}"
        yield model_fault(f"passive/coefficients:{','.join(other)}", words, answer_edit=edit, prior=2.0)


def _fitted(joint: Joint, x: Floats) -> tuple[Joint, str]:
    """The joint with coefficients off by x, of v, q and 1, in the force; and words for what differs."""
    size = max(joint.damping, joint.stiffness, abs(joint.stiffness * joint.springref), *np.abs(x))
    by_v, by_q, constant = (float(value) if abs(value) > 1e-9 * size else 0.0 for value in x)
    damping, stiffness = joint.damping - by_v, joint.stiffness - by_q
    moment = joint.stiffness * joint.springref + constant
    springref = moment / stiffness if stiffness and abs(stiffness) > 1e-9 * size else joint.springref
    fitted = replace(joint, damping=damping, stiffness=stiffness, springref=springref)
    changed = [
        f"{name} {number_words(now)} instead of {number_words(right)}"
        for name in ("damping", "stiffness", "springref")
        if not is_same(now := getattr(fitted, name), right := getattr(joint, name))
    ]
    return fitted, f"{joint.name} with {' and '.join(changed)}"


def _with_joints(other: dict[str, Joint], view: AnswerView, values: Floats) -> Floats:
    changed = values.copy()
    for place in _joints(view.spec):
        if joint := other.get(place.joint.name):
            q, v = view.read.q[:, place.q.start], view.read.v[:, place.v.start]
            for force in (_spring, _damper):
                changed[:, place.v.start] += force(joint, q, v) - force(place.joint, q, v)
    return changed


def _joints(spec: RobotSpec) -> Iterator[JointPlace]:
    return (place for place in places(spec) if place.joint.type in ONE_DOF)


def _forces(spec: RobotSpec, force: Parts, states: States) -> Floats:
    """A force of each joint (n, nv)."""
    forces = np.zeros((len(states), spec.nv))
    for place in _joints(spec):
        forces[:, place.v.start] = force(place.joint, states.q[:, place.q.start], states.v[:, place.v.start])
    return forces


def _of_joints(force: Parts, view: AnswerView, _values: Floats) -> Floats:
    return _forces(view.spec, force, view.read)


def _added(force: Parts, view: AnswerView, values: Floats) -> Floats:
    return values + _forces(view.spec, force, view.read)
