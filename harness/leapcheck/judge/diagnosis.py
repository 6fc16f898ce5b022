"""Why one engine is off, in records: what the solver finds over all its quantities together, and where the error is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.engines.protocol import Engine, declared_precision
from leapcheck.judge import precision
from leapcheck.judge.belief import Hypothesis, engine_fault
from leapcheck.judge.conditions import dependence
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.judge.loops import loop_diagnosis
from leapcheck.judge.pattern import pattern
from leapcheck.judge.solver import FaultExplanation, FaultSearch
from leapcheck.judge.terms.catalogue import Formulation
from leapcheck.judge.terms.effects import affordable_forms
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES, QuantityGroup
from leapcheck.records import CauseRow, Diagnosis, Falls
from leapcheck.sampling import States
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec

MOST_ALTERNATIVES = 12
"""Sets of causes listed that cannot be distinguished, the simplest first."""


def diagnose(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> tuple[Diagnosis, ...]:
    """Why the engine is off over a block of states (up to 64 are enough): at most one diagnosis for the canonical quantities,
    one for MuJoCo's own and one for those of closed loops; none where it is right to rounding.

    All of `quantities` that it answers count: those that are right are evidence, too.
    """
    own = [name for name in quantities if QUANTITIES[name].in_mujoco_coordinates]
    constrained = [name for name in quantities if QUANTITIES[name].group is QuantityGroup.CONSTRAINTS]
    canonical = [name for name in quantities if name not in (*own, *constrained)]
    pairs = list(_diagnoses(evidence(spec, engine, states, canonical))) if canonical else []
    known = [_with_rotor_bodies(spec, h) for _, causes in pairs for h in causes if h.spec_edit and not h.state_edit]
    pairs += _diagnoses(evidence(spec, engine, states, own), known) if own else []
    loops = loop_diagnosis(evidence(spec, engine, states, constrained)) if constrained else None
    return (*(diagnosis for diagnosis, _ in pairs), *([loops] if loops else []))


def _with_rotor_bodies(spec: RobotSpec, cause: Hypothesis) -> Hypothesis:
    """The same change of a robot for its quantities in MuJoCo's coordinates, whose spec has the rotors as bodies."""
    edit = cause.spec_edit
    assert edit is not None
    return replace(cause, spec_edit=lambda _full: with_rotor_bodies(edit(spec)).spec)


def _diagnoses(whole: Evidence, known: Sequence[Hypothesis] = ()) -> Iterator[tuple[Diagnosis, tuple[Hypothesis, ...]]]:
    """The diagnosis of one group of quantities, if any of them is off, and the causes named; `known` ones are tried first."""
    name, deviating = whole.engine.name, whole.deviating
    if not deviating:
        return
    if cause := not_finite(whole):  # of those quantities alone: the others are judged by what the engine answers
        bad = tuple(q for q in whole.quantities if not np.isfinite(whole.raw[q]).all())
        falls = tuple(Falls(q, whole.worst_error(q), whole.worst_error(q)) for q in bad)
        yield Diagnosis(name, _rows((cause,)), (), falls, (), pattern(whole, bad)), ()
        if finite := [q for q in whole.quantities if q not in bad]:
            yield from _diagnoses(whole.of_quantities(finite), known)
        return
    search, imprecise = FaultSearch(whole, known), None
    best = search.simple_explanation()
    if local := dependence(whole, best is not None):
        yield from ((diagnosis, ()) for diagnosis in local)
        explained = {falls.quantity for diagnosis in local for falls in diagnosis.falls}
        yield from _diagnoses(whole.of_quantities([q for q in whole.quantities if q not in explained]), known)
        return
    if best is None:  # only now is the engine asked whether its error jumps
        imprecise, best = _imprecise_explanation(search)
    causes = (*((imprecise,) if imprecise else ()), *best.belief.hypotheses)
    falls = tuple(Falls(q, whole.worst_error(q), whole.worst_error(q, best.belief.prediction(q))) for q in deviating)
    others = tuple(_rows(causes) for causes in best.alternatives[:MOST_ALTERNATIVES])
    where = pattern(whole, best.unexplained or deviating, *((_excluded(search), best.belief) if best.unexplained else ()))
    yield Diagnosis(name, _rows(causes), others, falls, best.unexplained, where), best.belief.hypotheses


def _excluded(search: FaultSearch) -> str:
    """What was tried and explains nothing, and what was not tried any more."""
    conventions = f"{len(search.trials.fixed)} conventions and misprints"
    tried = (
        f"tried and excluded: {conventions}; each number of the robot, also the same one in "
        "several limbs; its structure; terms of the textbooks' algorithms; the likeliest pairs of these"
    )
    tree = search.trials.root.tree
    large = [
        f"terms of {form.value}, for a robot of {tree.nv} dofs" for form in Formulation if form not in affordable_forms(tree)
    ]
    if not search.untried:
        return f"{tried}; not tried: {'; '.join(large)}" if large else tried
    return (
        f"tried and excluded: {conventions}; each number of the robot; terms of the textbooks' "
        f"algorithms; the search ended after {search.meter.seconds:g} s of CPU, not tried: {'; '.join((*large, *search.untried))}"
    )


def _imprecise_explanation(search: FaultSearch) -> tuple[Hypothesis | None, FaultExplanation]:
    """The hypothesis that the engine is imprecise, if it is, and the best explanation of what that leaves."""
    whole = search.trials.evidence
    imprecise = None if declared_precision(whole.engine) else precision.diagnosis(whole)  # what it declares is allowed
    if imprecise is None:
        return None, search.explanation()
    coarse = replace(whole, allowed=precision.allowed_errors(whole))
    if not coarse.deviating:
        return imprecise, FaultSearch(coarse).explanation()
    best = search.explanation()
    if best.unexplained:
        return imprecise, FaultSearch(coarse).explanation()
    return None, best  # a wild model rounds wildly: that is no lack of digits


def _rows(causes: Sequence[Hypothesis]) -> tuple[CauseRow, ...]:
    return tuple(CauseRow(cause.name, cause.cause_class, cause.words, cause.details) for cause in causes)


def not_finite(evidence: Evidence) -> Hypothesis | None:
    """The hypothesis that answers are NaN or infinite: how many numbers of which quantities, and at what kinds of states."""
    flags = {name: ~np.isfinite(answers.reshape(len(answers), -1)) for name, answers in evidence.raw.items()}
    bad = {name: entries for name, entries in flags.items() if entries.any()}
    if not bad:
        return None
    states = np.any([entries.any(axis=1) for entries in bad.values()], axis=0)
    kinds = sorted({evidence.states.kind[i] for i in np.flatnonzero(states)})
    count, total = sum(int(entries.sum()) for entries in bad.values()), sum(entries.size for entries in bad.values())
    labels = name_list(QUANTITIES[name].label for name in bad)
    details = f"{count} of {total} numbers of {labels}, at {int(states.sum())} of {len(states)} states ({', '.join(kinds)})"
    return engine_fault("engine/not-finite", f"{evidence.engine.name} answers NaN or infinity", details=details)
