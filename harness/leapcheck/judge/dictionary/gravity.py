"""Gravity left out, upside down, of another size or along another direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.dictionary.robust import linear_fit, tolerance
from leapcheck.judge.words import SAME, plain, same
from leapcheck.states import Floats
from leapcheck_models.spec import RobotSpec

WITH_GRAVITY = ("gravity_force", "potential_energy", "bias_force", "forward_dynamics")

KNOWN = (9.8, 9.80665, 9.81, 10.0)
"""Sizes (m/s^2) that people take; a fitted one that is near is taken for it."""

TELLING = 0.25
"""Share of the equations that must hold to rounding under a fit."""


def gravity_sign(belief: Belief) -> Iterator[Hypothesis]:
    """Gravity left out everywhere, or with the opposite sign."""
    if any(belief.evidence.spec.gravity) and set(WITH_GRAVITY) & set(belief.evidence.quantities):
        words = "gravity is left out"
        if "bias_force" in belief.evidence.quantities:
            words += ": the bias force holds the Coriolis force only"
        yield Hypothesis("gravity/left-out", "convention", words, _scaled(0.0))
        yield Hypothesis("gravity/sign", "convention", "gravity has the opposite sign", _scaled(-1.0))


def gravity_vector(belief: Belief) -> Iterator[Hypothesis]:
    """Gravity of the size and direction that fit what is left: every quantity is affine in it."""
    g = np.array(belief.spec.gravity)
    concerned = [name for name in WITH_GRAVITY if name in belief.evidence.quantities]
    if not concerned or belief.explains(concerned[0]):  # nothing tells gravity better than the first
        return
    for quantity in concerned[:2]:
        held = _fitted(belief, quantity)
        if held is None or np.allclose(held, g, rtol=SAME**2, atol=0.0):
            continue
        size, true = float(np.linalg.norm(held)), float(np.linalg.norm(g))
        along = float(held @ g) / (size * true) if size and true else 0.0
        if abs(along) > 1.0 - SAME**2:
            if along > 0.0:
                size = next((known for known in KNOWN if abs(size - known) < 1e-9 * known), size)
                masses = ", or all masses so multiplied" if quantity in WITH_GRAVITY[:2] else ""
                words = f"gravity is {size:.7g} instead of {true:.7g} m/s^2{masses}"
                yield Hypothesis("gravity/size", "model", words, _scaled(size / true))
                return
            if same(size, true):
                continue
        if size <= SAME * true:  # left out, as `gravity_sign` says
            continue
        words = f"gravity is ({', '.join(map(plain, held))}) instead of ({', '.join(map(plain, g))}) m/s^2"
        yield Hypothesis("gravity/direction", "model", words, _with(held), prior=2.0)
        return


def _fitted(belief: Belief, quantity: str) -> Floats | None:
    held = [belief.with_(Hypothesis("gravity", "model", "", _with(g))).predicted(quantity) for g in (np.zeros(3), *np.eye(3))]
    A = np.stack([column - held[0] for column in held[1:]], axis=-1).reshape(-1, 3)
    off, near = (belief.evidence.found[quantity] - held[0]).ravel(), tolerance(belief.evidence, quantity).ravel()
    fit = linear_fit(A, off, near)
    return fit.x if fit and fit.share >= TELLING else None


def _with(g: Floats) -> Callable[[RobotSpec], RobotSpec]:
    x, y, z = map(float, g)
    return lambda spec: replace(spec, gravity=(x, y, z))


def _scaled(share: float) -> Callable[[RobotSpec], RobotSpec]:
    return lambda spec: _with(share * np.array(spec.gravity))(spec)
