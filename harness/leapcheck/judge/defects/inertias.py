"""The rotational inertias of all bodies together: turned as a whole, or off by little; masses and coms are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.attribution import hypotheses
from leapcheck.judge.attribution.blocks import blocks_of
from leapcheck.judge.attribution.descent import Fit, descended
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.attribution.problem import posed
from leapcheck.judge.attribution.verification import verified
from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.words import listed

MOVED_BY = ("mass_matrix", "kinetic_energy", "bias_force", "coriolis_force", "qM", "csr", "crb")
"""Quantities that rotational inertias enter linearly, those that tell most first."""

UNMOVED = ("gravity_force", "potential_energy", "contact_positions", "contact_velocities", "contact_jacobians", "cdof")
"""Quantities in which they play no part."""

LEAST_TURN = 1e-5
"""Largest turn (rad) that is lost digits of the principal axes, and no fault of its own."""

SHARE = 0.01
"""Share of the largest turn from which on a link is named."""

NUMBERS = 1500
"""Numbers that are fitted to at least, where there are so many."""


def turned_inertias(belief: Belief) -> Iterator[Hypothesis]:
    """The rotational inertias of several links turned, each with its own principal moments: a reader that ignores inertial rpy.

    Large turns may be out of reach of the fit: then the inertias are off without more being told.
    """
    blocks = [
        b for b in blocks_of(belief.spec, belief.tree, parameters(belief.spec, belief.tree)) if b.name.startswith("turned-")
    ]
    members = tuple(parameter for block in blocks for parameter in block.parameters if not parameter.part.rotor)
    if len(blocks) < 2:
        return
    if fit := _fit(belief, members):
        size: dict[str, float] = {}
        for parameter, amount in zip(members, fit.amounts.tolist(), strict=True):
            size[parameter.of] = float(np.hypot(size.get(parameter.of, 0.0), amount))
        if max(size.values()) < LEAST_TURN:
            return
        turned = listed(name for name, angle in size.items() if angle > SHARE * max(size.values()))
        words = f"the rotational inertias of {turned} are turned, with the same principal moments: the inertial rpy"
        yield replace(hypotheses.block("turned-inertia/all", belief.spec, belief.tree, fit), words=words, prior=2.5)
    elif found := fitted_inertias(belief, "inertia/all"):
        words = "the rotational inertias of several links are off, at the right masses and coms: the inertial rpy, or the entries"
        yield replace(found, words=words, prior=4.0)


def fitted_inertias(belief: Belief, name: str) -> Hypothesis | None:
    """The change of all rotational inertias, of links and rotors, that explains all answers; None where none does."""
    fit = _fit(belief, tuple(p for p in parameters(belief.spec, belief.tree) if p.kind == "inertia"))
    return hypotheses.block(name, belief.spec, belief.tree, fit) if fit else None


def _fit(belief: Belief, members: tuple[Parameter, ...]) -> Fit | None:
    """The fit of all these parameters together to the quantity that tells most, if it explains all of them."""
    off = belief.evidence.deviating
    telling = [quantity for quantity in MOVED_BY if quantity in off]
    if not telling or not set(off).isdisjoint(UNMOVED) or not members:
        return None
    evidence = belief.evidence
    entries = max(1, evidence.found[telling[0]][0].size)
    n, wanted = len(evidence.states), -(-NUMBERS // entries)
    near = [i for i, kind in enumerate(evidence.states.kind) if kind != "far"] or list(range(n))
    problem = posed(belief.at(evidence.at(near[:: max(1, len(near) // wanted)])), telling[:1])
    done = verified(belief, descended(problem, [Fit(members, problem.x, np.zeros(len(members)))]))
    return done[0] if done else None
