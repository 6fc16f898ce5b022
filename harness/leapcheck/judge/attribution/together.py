"""Very many numbers fitted together: all of a robot, off a little (written with few digits), or all rotational inertias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.judge.attribution.blocks import blocks_of
from leapcheck.judge.attribution.descent import Fit, descend
from leapcheck.judge.attribution.hypotheses import block, explained_share
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.attribution.problem import INVERSE_DYNAMICS, Problem, problem_of
from leapcheck.judge.attribution.screening import unexplained_problem, unit_columns
from leapcheck.judge.attribution.search import significant_fits, start, verify
from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.tree_change import change
from leapcheck.judge.words import name_list

LARGEST = 1e-5
"""Scale-free error that six digits can make: they round by up to 5e-6."""

NUMBERS = 3
"""Numbers fitted to for each parameter: with fewer, a fit would prove nothing."""

SHOWN = 1e-12
"""Share of the largest eigenvalue of the columns' Gram matrix below which a combination does not show."""

STEPS = 4
"""Gauss-Newton steps at most: so small an error is nearly linear in all parameters."""

PRIOR = 6.0


MOVED_BY = ("mass_matrix", "kinetic_energy", "bias_force", "coriolis_force", "qM", "csr", "crb")
"""Quantities that rotational inertias enter linearly, the most telling first."""

UNMOVED = ("gravity_force", "potential_energy", "contact_positions", "contact_velocities", "contact_jacobians", "cdof")
"""Quantities in which they play no part."""

LEAST_TURN = 1e-5
"""Largest turn (rad) that is lost digits of the principal axes, and no fault of its own."""

SHARE = 0.01
"""Share of the largest turn from which on a link is named."""

MANY_NUMBERS = 1500
"""Numbers that are fitted to at least, where there are so many."""


def everything(belief: Belief) -> Hypothesis | None:
    """The least change of all parameters together, relative to their sizes, that explains all answers, if those are off
    by no more than lost digits make; None where none does, or where the answers are too few to prove it.
    """
    evidence = belief.evidence
    if not evidence.deviating or max(map(evidence.worst_error, evidence.deviating)) > LARGEST:
        return None
    singles = tuple(p for p in parameters(belief.spec, belief.tree) if p.kind != "own-turn" and not p.name.startswith("offset/"))
    problem = _problem(belief, len(singles))
    if problem is None or _equation_count(problem) < NUMBERS * _rank(problem, singles):
        return None
    fitted = verify(belief, descend(problem, [start(problem, singles)], STEPS))
    if not fitted:
        return None
    return model_fault(
        name="digits/all",
        words="all numbers of the model are off a little",
        tree_edit=change(problem.tree, problem.x, fitted[0].x),
        prior=PRIOR,
        details=f"{len(singles)} numbers fitted: explains {explained_share(fitted[0])} of the difference",
    )


def _problem(belief: Belief, count: int) -> Problem | None:
    """The first quantities of each family at so many states that there are enough numbers for a `count` of parameters."""
    first = unexplained_problem(belief, NUMBERS, most=3)
    if first is None:
        return None
    states = belief.evidence.states
    wanted = -(-NUMBERS * count * len(first.read) // max(1, _equation_count(first)))
    near = [i for i, kind in enumerate(states.kind) if kind != "far"] or list(range(len(states)))
    rows = near[:: max(1, len(near) // wanted)]
    quantities = [equation.quantity for equation in first.equations if equation.quantity != INVERSE_DYNAMICS]
    return problem_of(belief.about(belief.evidence.at_states(rows)), quantities) if quantities else None


def _equation_count(problem: Problem) -> int:
    """How many numbers there are to fit to: of M and J M^-1 J^T, which are symmetric, one triangle."""
    total = 0
    for equation in problem.equations:
        n, *shape = equation.answers.shape
        square = len(shape) == 2 and shape[0] == shape[1]
        total += n * (shape[0] * (shape[0] + 1) // 2 if square else int(np.prod(shape, dtype=int)))
    return total


def _rank(problem: Problem, singles: Sequence[Parameter]) -> int:
    """How many combinations of the parameters show."""
    rates = np.array([parameter.rate(problem.x) for parameter in singles])
    units = unit_columns(problem.linearize(np.tile(problem.x, (len(singles), 1)), rates)[1])
    squares = np.linalg.eigvalsh(units @ units.T)
    return int((squares > SHOWN * squares.max(initial=0.0)).sum())


def turned_inertias(belief: Belief) -> Iterator[Hypothesis]:
    """The rotational inertias of several links turned, each with its own principal moments: a reader that ignores inertial rpy.

    Large turns may be out of reach of the fit: then the inertias are reported as off, without more.
    """
    every = blocks_of(belief.spec, belief.tree, parameters(belief.spec, belief.tree))
    blocks = [one for one in every if one.name.startswith("turned-")]
    members = tuple(parameter for one in blocks for parameter in one.parameters if not parameter.part.rotor)
    if len(blocks) < 2:
        return
    if fit := _inertia_fit(belief, members):
        size: dict[str, float] = {}
        for parameter, amount in zip(fit.parameters, fit.amounts.tolist(), strict=True):
            size[parameter.of] = float(np.hypot(size.get(parameter.of, 0.0), amount))
        if max(size.values()) < LEAST_TURN:
            return
        turned = name_list(name for name, angle in size.items() if angle > SHARE * max(size.values()))
        words = f"the rotational inertias of {turned} are turned, with the same principal moments: the inertial rpy"
        yield replace(block("turned-inertia/all", belief.spec, belief.tree, fit), words=words, prior=2.5)
    elif off := fitted_inertias(belief, "inertia/all"):
        words = "the rotational inertias of several links are off, at the right masses and coms: the inertial rpy, or the entries"
        yield replace(off, words=words, prior=4.0)


def fitted_inertias(belief: Belief, name: str) -> Hypothesis | None:
    """The change of all rotational inertias, of links and rotors, that explains all answers; None where none does."""
    fit = _inertia_fit(belief, tuple(p for p in parameters(belief.spec, belief.tree) if p.kind == "inertia"))
    return block(name, belief.spec, belief.tree, fit) if fit else None


def _inertia_fit(belief: Belief, members: tuple[Parameter, ...]) -> Fit | None:
    """The fit of all these parameters together to the quantity that tells most, if it explains all of them."""
    off = belief.evidence.deviating
    telling = [quantity for quantity in MOVED_BY if quantity in off]
    if not telling or not set(off).isdisjoint(UNMOVED) or not members:
        return None
    evidence = belief.evidence
    entries = max(1, evidence.answers[telling[0]][0].size)
    n, wanted = len(evidence.states), -(-MANY_NUMBERS // entries)
    near = [i for i, kind in enumerate(evidence.states.kind) if kind != "far"] or list(range(n))
    problem = problem_of(belief.about(evidence.at_states(near[:: max(1, len(near) // wanted)])), telling[:1])
    done = descend(problem, [start(problem, members)])
    return next((kept for fit in done for kept in significant_fits(belief, problem, fit)), None)
