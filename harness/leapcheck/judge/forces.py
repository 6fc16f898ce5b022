"""Fingerprints in forces alone: one part of the bias force for another, and passive losses counted with it."""

from __future__ import annotations

import numpy as np

from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, is_explained, listed, values, vanishing
from leapcheck.judge.fit import ROWS_PER_PARAMETER, equation
from leapcheck.judge.parameters import SAME, same
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats
from leapcheck_models.spec import VELOCITY_SIZE, JointType

PARTS = {
    "bias_force": "gravity and Coriolis force together",
    "coriolis_force": "the Coriolis force only: gravity is left out",
    "gravity_force": "gravity only: the velocity does not count",
}

WITH_LOSSES = (*PARTS, "forward_dynamics")


def force_parts(at: Case) -> Cause | None:
    """One part of the bias force answered for another, or the sum for a part."""
    if at.quantity not in PARTS:
        return None
    return first_explanation(
        at,
        (
            Hypothesis("convention", f"it holds {words}", values(part, at.spec, at.states))
            for part, words in PARTS.items()
            if part != at.quantity
        ),
    )


def damping(at: Case) -> Cause | None:
    """The force on a joint is off in proportion to that joint's speed: damping; with a part by its sign: dry friction."""
    names = _joint_names(at)
    if at.quantity not in WITH_LOSSES or not names:
        return None
    posed = equation(at)
    off = posed.target - posed.function(posed.tree, slice(None))
    v, dofs = at.states.v, list(names)
    before = float(np.abs(off / posed.scale).max())
    for words, columns in (("damping", [v]), ("damping and dry friction", [v, np.sign(v)])):
        if len(v) < ROWS_PER_PARAMETER * len(columns):
            continue
        left, found = off.copy(), []
        for dof in dofs:
            left[:, dof], coefficients = _row_fit(off[:, dof], [c[:, dof] for c in columns], posed.scale[:, 0])
            found.append(coefficients)
        after = float(np.abs(left / posed.scale).max())
        if is_explained(before, after):
            return _losses(at, words, dict(zip(dofs, found, strict=True)), names, vanishing(before, after, len(v)))
    return None


def _losses(at: Case, words: str, found: dict[int, Floats], names: dict[int, str], falls: str) -> Cause:
    """The cause, with each coefficient held against the spec's."""
    largest = max(float(np.abs(x).max()) for x in found.values())
    named = {dof: x for dof, x in found.items() if np.abs(x).max() > SAME * largest}
    of_spec = {body.joint.name: (body.joint.damping, body.joint.friction) for body in at.spec.bodies}
    own = all(same(abs(float(x)), c) for dof, xs in named.items() for x, c in zip(xs, of_spec[names[dof]], strict=False))
    whose = "the robot's own" if own else "not the robot's own"
    joints = listed(dict.fromkeys(names[dof] for dof in named))
    cause = f"{words} ({whose}) of {joints} is counted in; {QUANTITIES[at.quantity].label} is without passive losses"
    amounts = listed((f"{names[dof]} {', '.join(f'{x:+.6g}' for x in xs)}" for dof, xs in named.items()), 12)
    evidence = f"off in proportion to the joint's own speed (N m s/rad or N s/m: {amounts}); {falls}"
    return Cause("convention" if own else "model", cause, evidence)


def _joint_names(at: Case) -> dict[int, str]:
    """Joint of each dof that is not one of a free joint."""
    names: dict[int, str] = {}
    start = 0
    for joint in (body.joint for body in at.spec.bodies):
        size = VELOCITY_SIZE[joint.type]
        if joint.type is not JointType.FREE:
            names |= dict.fromkeys(range(start, start + size), joint.name)
        start += size
    return names


def _row_fit(off: Floats, columns: list[Floats], scale: Floats) -> tuple[Floats, Floats]:
    """What is left of one row (n,) after the least-squares fit of the columns (n,), and the coefficients."""
    A = np.column_stack(columns)
    coefficients = np.asarray(np.linalg.lstsq(A / scale[:, None], off / scale, rcond=None)[0], dtype=np.float64)
    return off - A @ coefficients, coefficients
