"""Faults in the constraints of closed loops: a short list of what such code gets wrong, each tried on all of its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.constrained import constrained_accelerations
from leapcheck.entries import constraint_names
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass, CauseRow, Diagnosis, Falls
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import WORLD, LoopType, RobotSpec
from leapcheck_reference.batch import evaluate_batch

Prediction = Callable[[Evidence, str], Floats]
"""The answers (n, ...) to a quantity that a fault makes."""

VISIBLE = 1e-9
"""A difference of a row (SI) that is told."""


@dataclass(frozen=True, slots=True)
class LoopFault:
    """A fault by its key, its words, and what it makes of the right answers."""

    key: str
    cause_class: CauseClass
    words: str
    prediction: Prediction


def loop_diagnosis(evidence: Evidence) -> Diagnosis | None:
    """Why an engine is off in quantities of closed loops; None where it is right to rounding."""
    deviating = evidence.deviating
    if not deviating:
        return None
    for fault in _faults(evidence.spec):
        values = {name: fault.prediction(evidence, name) for name in evidence.quantities}
        if all(evidence.misfit(name, value) <= 1.0 for name, value in values.items()):
            falls = tuple(Falls(name, evidence.worst_error(name), evidence.worst_error(name, values[name])) for name in deviating)
            cause = CauseRow(f"loops/{fault.key}", fault.cause_class, fault.words, "")
            return Diagnosis(evidence.engine.name, (cause,), (), falls, (), _pattern(evidence, deviating))
    falls = tuple(Falls(name, evidence.worst_error(name), evidence.worst_error(name)) for name in deviating)
    return Diagnosis(evidence.engine.name, (), (), falls, deviating, _pattern(evidence, deviating))


def _faults(spec: RobotSpec) -> Iterator[LoopFault]:
    convention, engine = CauseClass.CONVENTION, CauseClass.ENGINE
    rows = _rows(spec)
    every = [span for span, _ in rows]
    yield LoopFault(
        "sign", convention, "the rows are those of body 1 relative to body 2: the other sign", partial(_negated, every)
    )
    if welds := [span for span, loop in zip(every, spec.loops, strict=False) if loop.type is LoopType.WELD]:
        yield LoopFault("order", convention, "a weld's rows have the linear part first", partial(_linear_first, welds))
    for side in (1, 2) if spec.loops else ():
        words = f"the loops' rows are in axes of body {side}, not of the world"
        yield LoopFault(f"axes/{side}", convention, words, partial(_in_body_axes, side))
    yield LoopFault("ignored", engine, "the loops are ignored", partial(_solved, [], False))
    yield LoopFault("no-bias", engine, "Jdot v of the loops is left out", partial(_solved, every, True))
    for span, name in rows if len(rows) > 1 else ():
        others = [other for other, _ in rows if other != span]
        yield LoopFault(f"ignored/{name}", engine, f"the loop {name} is ignored", partial(_solved, others, False))
        yield LoopFault(f"sign/{name}", convention, f"the rows of {name} have the other sign", partial(_negated, [span]))


def _rows(spec: RobotSpec) -> list[tuple[slice, str]]:
    """The rows of each loop, then of each coupling, and its name."""
    names = [*(loop.name for loop in spec.loops), *(coupling.name for coupling in spec.couplings)]
    lengths = [6 if loop.type is LoopType.WELD else 3 for loop in spec.loops] + [1] * len(spec.couplings)
    ends = np.cumsum(lengths).tolist()
    return [(slice(end - length, end), name) for end, length, name in zip(ends, lengths, names, strict=True)]


def _negated(spans: Sequence[slice], evidence: Evidence, quantity: str) -> Floats:
    values = evidence.expected[quantity].copy()
    for span in spans if quantity != "constrained_forward_dynamics" else ():
        values[:, span] *= -1.0
    return values


def _linear_first(welds: Sequence[slice], evidence: Evidence, quantity: str) -> Floats:
    values = evidence.expected[quantity].copy()
    for span in welds if quantity != "constrained_forward_dynamics" else ():
        values[:, span] = np.roll(values[:, span], 3, axis=1)
    return values


def _in_body_axes(side: int, evidence: Evidence, quantity: str) -> Floats:
    """Each three rows turned into the axes of a body; Jdot v as the acceleration turned, without the axes' own turning."""
    values = evidence.expected[quantity].copy()
    if quantity == "constrained_forward_dynamics":
        return values
    spec = evidence.spec
    R_WB = np.array([reference.forward_kinematics(evidence.tree, q, np.zeros(spec.nv)).R_WB for q in evidence.states.q])
    for (span, _), loop in zip(_rows(spec), spec.loops, strict=False):
        body = loop.body1 if side == 1 else loop.body2
        for start in range(span.start, span.stop, 3) if body != WORLD else ():
            part = values[:, start : start + 3]
            values[:, start : start + 3] = np.einsum("nji,nj...->ni...", R_WB[:, spec.body_index(body)], part)
    return values


def _solved(spans: Sequence[slice], without_bias: bool, evidence: Evidence, quantity: str) -> Floats:
    """Dynamics that keep some constraints alone, or take their Jdot v for zero; the rows of what is left out are zero."""
    spec, tree, states = evidence.spec, evidence.tree, evidence.states
    J = evaluate_batch(reference.constraint_jacobian, tree, states.q)
    bias = evaluate_batch(reference.constraint_bias, tree, states.q, states.v)
    kept = np.zeros(J.shape[1])
    for span in spans:
        kept[span] = 1.0
    J, bias = J * kept[:, None], bias * kept * (0.0 if without_bias else 1.0)
    if quantity == "constraint_jacobian":
        return J
    if quantity == "constraint_bias":
        return bias
    M = evaluate_batch(reference.mass_matrix, tree, states.q)
    force = states.tau - evaluate_batch(reference.bias_force, tree, states.q, states.v)
    return constrained_accelerations(spec, M, force, J, bias)


def _pattern(evidence: Evidence, deviating: Sequence[str]) -> str:
    """Which quantities are off, and in which rows of the loops."""
    labels = name_list(QUANTITIES[name].label for name in deviating)
    right = [QUANTITIES[name].label for name in evidence.quantities if name not in deviating]
    names = constraint_names(evidence.spec)
    rows = [name for name in deviating if name != "constrained_forward_dynamics"]
    wrong = [
        names[k]
        for k in range(len(names) if rows else 0)
        if any(np.abs(evidence.answers[name][:, k] - evidence.expected[name][:, k]).max() > VISIBLE for name in rows)
    ]
    where = f"; only rows {name_list(wrong)}" if wrong and len(wrong) < len(names) else ""
    return f"Off: {labels}" + (f"; right: {name_list(right)}" if right else "") + where + "."
