"""Common factors: of every entry of an answer, or of all masses; and energies counted from another zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leapcheck.conventions import product
from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.dictionary.robust import (
    ROWS_PER_NUMBER,
    LinearFit,
    deviating,
    linear_fit,
    matching,
    tolerance,
)
from leapcheck.judge.dictionary.units import MASSES, heavier
from leapcheck.judge.words import FACTORS, SAME, listed, plain, same, suggestion
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats

KNOWN = FACTORS | {
    9.80665 / 9.81: "gravity 9.80665 for 9.81 m/s^2",
    9.8 / 9.81: "gravity 9.8 for 9.81 m/s^2",
    180.0 / np.pi: "degrees for rad",
    np.pi / 180.0: "rad for degrees",
}
"""What a common factor of answers suggests, those of numbers of the robot among it."""

LINEAR_IN_MASS = (
    "mass_matrix",
    "gravity_force",
    "bias_force",
    "coriolis_force",
    "kinetic_energy",
    "potential_energy",
    "qM",
    "csr",
    "forward_dynamics",
)

TELLING = 0.25
"""Share of the equations that must hold to rounding under a fit."""


def common_factors(belief: Belief) -> Iterator[Hypothesis]:
    """Every entry of a quantity multiplied by one factor, and what the factor suggests; quantities with one factor together."""
    factors = {name: factor for name in deviating(belief) if (factor := _entries_factor(belief, name)) is not None}
    groups: list[tuple[str, ...]] = [(name,) for name in factors]
    for name, factor in factors.items():
        group = tuple(other for other, f in factors.items() if same(f, factor))
        groups += [group] if len(group) > 1 and name == group[0] else []
    for names in groups:
        factor = factors[names[0]]
        of = f"the {listed(QUANTITIES[name].label for name in names)}"
        cause = f"every entry of {of} is multiplied by {plain(factor)}{suggestion(factor, KNOWN)}"
        yield Hypothesis(f"factor/{','.join(names)}", "convention", cause, answering=_times(factor, names), prior=2.0)


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
        if factor > 0.0 and abs(factor - 1.0) > SAME**2 and not any(same(factor, known) for known, _ in MASSES.values()):
            cause = f"all masses and inertias of links and rotors are multiplied by {plain(factor)}{suggestion(factor, KNOWN)}"
            yield Hypothesis("factor/masses", "model", cause, heavier(factor, factor))
            return


def energy_zero(belief: Belief) -> Iterator[Hypothesis]:
    """Potential energy counted from another height."""
    name = "potential_energy"
    if len(belief.evidence.states) < ROWS_PER_NUMBER or name not in deviating(belief, (name,)):
        return
    offset = float(np.median(belief.evidence.found[name] - belief.predicted(name)))
    words = f"the potential energy is counted from another zero: {offset:+.7g} J"

    def answering(_view: View, quantity: str, values: Floats) -> Floats:
        return values + offset if quantity == name else values

    hypothesis = Hypothesis("energy/zero", "convention", words, answering=answering)
    if matching(belief.with_(hypothesis), name) > max(TELLING, matching(belief, name)):
        yield hypothesis


def _entries_factor(belief: Belief, quantity: str) -> float | None:
    predicted, found = belief.predicted(quantity), belief.evidence.found[quantity]
    near = tolerance(belief.evidence, quantity, found).ravel()
    fit = linear_fit(predicted.reshape(-1, 1), found.ravel(), near)
    if fit is None or fit.share < TELLING or abs(fit.x[0] - 1.0) < SAME**2:
        return None
    factor = next((known for known in KNOWN if abs(fit.x[0] - known) < 1e-11 * max(known, 1.0)), float(fit.x[0]))
    right = np.abs(found - predicted)[predicted != 0.0] <= near.reshape(found.shape)[predicted != 0.0]
    return factor if fit.share > right.mean() + TELLING / 2.0 else None


def _masses_fit(belief: Belief, quantity: str) -> LinearFit | None:
    """All is affine in the masses; for accelerations, the force M vdot + h - tau that is left at the found vdot is."""
    heavy = belief.with_(Hypothesis("masses", "model", "", heavier(2.0, 2.0)))
    near = tolerance(belief.evidence, quantity)
    if quantity == "forward_dynamics":
        found = belief.evidence.found[quantity]
        now, then = (product(at.value("mass_matrix"), found) + at.value("bias_force") for at in (belief, heavy))
        target, near = belief.read.tau, product(np.abs(belief.value("mass_matrix")), near)
    else:
        now, then, target = belief.predicted(quantity), heavy.predicted(quantity), belief.evidence.found[quantity]
    return linear_fit((then - now).reshape(-1, 1), (target - now).ravel(), near.ravel())


def _times(factor: float, names: tuple[str, ...]) -> Callable[[View, str, Floats], Floats]:
    return lambda _view, quantity, values: factor * values if quantity in names else values
