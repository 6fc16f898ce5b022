"""Common factors: of every entry of an answer, or of all masses; and energies with another zero."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from leapcheck.coordinates.conventions import product
from leapcheck.judge.belief import AnswerEdit, Belief, Hypothesis, convention, model_fault
from leapcheck.judge.dictionary.robust import (
    ROWS_PER_NUMBER,
    LinearFit,
    deviating_quantities,
    linear_fit,
    matching_share,
    tolerance,
)
from leapcheck.judge.dictionary.units import MASSES, scale_masses
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.words import FACTORS, SAME, is_same, name_list, number_words, suggestion
from leapcheck.quantities import QUANTITIES

KNOWN = FACTORS | {
    9.80665 / 9.81: "gravity 9.80665 for 9.81 m/s^2",
    9.8 / 9.81: "gravity 9.8 for 9.81 m/s^2",
    180.0 / np.pi: "degrees for rad",
    np.pi / 180.0: "rad for degrees",
}
"""What a common factor of answers suggests."""

LINEAR_IN_MASS = (
    *("mass_matrix", "gravity_force", "bias_force", "coriolis_force", "kinetic_energy", "potential_energy"),
    *("qM", "csr", "inverse_dynamics", "forward_dynamics"),
)

TELLING = 0.25
"""Share of the equations that must hold to rounding under a fit."""


def common_factors(belief: Belief) -> Iterator[Hypothesis]:
    """Every entry of a quantity multiplied by one factor, and what the factor suggests; quantities with one factor together."""
    factors = {name: factor for name in deviating_quantities(belief) if (factor := _entries_factor(belief, name)) is not None}
    groups: list[tuple[str, ...]] = [(name,) for name in factors]
    for name, factor in factors.items():
        group = tuple(other for other, f in factors.items() if is_same(f, factor))
        groups += [group] if len(group) > 1 and name == group[0] else []
    for names in groups:
        factor = factors[names[0]]
        labels = name_list(QUANTITIES[name].label for name in names)
        cause = f"every entry of the {labels} is multiplied by {number_words(factor)}{suggestion(factor, KNOWN)}"
        yield convention(f"factor/{','.join(names)}", cause, answer_edit=_times(names, factor), prior=2.0)


def masses(belief: Belief) -> Iterator[Hypothesis]:
    """All masses and inertias multiplied by one factor that is no known unit."""
    concerned = [name for name in LINEAR_IN_MASS if name in belief.evidence.quantities]
    if not concerned or belief.explains(concerned[0]):  # nothing tells masses better than the first
        return
    for quantity in concerned[:2]:
        fit = _masses_fit(belief, quantity)
        if fit is None or fit.share < TELLING:
            continue
        factor = 1.0 + float(fit.x[0])
        if factor > 0.0 and abs(factor - 1.0) > SAME**2 and not any(is_same(factor, known) for known, _ in MASSES.values()):
            words = f"multiplied by {number_words(factor)}{suggestion(factor, KNOWN)}"
            cause = f"all masses and inertias of links and rotors are {words}"
            yield model_fault("factor/masses", cause, scale_masses(factor, factor))
            return


def energy_zero(belief: Belief) -> Iterator[Hypothesis]:
    """Potential energy relative to another height."""
    name = "potential_energy"
    if len(belief.evidence.states) < ROWS_PER_NUMBER or name not in deviating_quantities(belief, (name,)):
        return
    offset = float(np.median(belief.evidence.answers[name] - belief.prediction(name)))
    words = f"the potential energy has another zero: {offset:+.7g} J"
    hypothesis = convention("energy/zero", words, answer_edit=edit_answers((name,), lambda _view, values: values + offset))
    if matching_share(belief.plus(hypothesis), name) > max(TELLING, matching_share(belief, name)):
        yield hypothesis


def _times(names: tuple[str, ...], factor: float) -> AnswerEdit:
    return edit_answers(names, lambda _view, values: factor * values)


def _entries_factor(belief: Belief, quantity: str) -> float | None:
    predicted, answers = belief.prediction(quantity), belief.evidence.answers[quantity]
    near = tolerance(belief.evidence, quantity, answers).ravel()
    fit = linear_fit(predicted.reshape(-1, 1), answers.ravel(), near)
    if fit is None or fit.share < TELLING or abs(fit.x[0] - 1.0) < SAME**2:
        return None
    factor = next((known for known in KNOWN if abs(fit.x[0] - known) < 1e-11 * max(known, 1.0)), float(fit.x[0]))
    right = np.abs(answers - predicted)[predicted != 0.0] <= near.reshape(answers.shape)[predicted != 0.0]
    return factor if fit.share > right.mean() + TELLING / 2.0 else None


def _masses_fit(belief: Belief, quantity: str) -> LinearFit | None:
    """All is affine in the masses; for accelerations, the force M vdot + h - tau that is left at the engine's vdot is."""
    heavy = belief.plus(model_fault("masses", "", scale_masses(2.0, 2.0)))
    near = tolerance(belief.evidence, quantity)
    answers = belief.evidence.answers[quantity]
    if quantity == "forward_dynamics":
        now, then = (product(b.value("mass_matrix"), answers) + b.value("bias_force") for b in (belief, heavy))
        target, near = belief.read.tau, product(np.abs(belief.value("mass_matrix")), near)
    else:
        now, then, target = belief.prediction(quantity), heavy.prediction(quantity), answers
    return linear_fit((then - now).reshape(-1, 1), (target - now).ravel(), near.ravel())
