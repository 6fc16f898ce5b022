"""Fingerprints of single parameters: armature, gravity, one common factor, the zero of energy."""

from __future__ import annotations

import numpy as np

from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, listed, vanishing
from leapcheck.judge.changes import armature_change, gravity_change, masses_change
from leapcheck.judge.fit import ROWS_PER_PARAMETER, Fit, equation, fitted
from leapcheck.judge.storage import FORMS
from leapcheck_models.rotors import axial_inertia
from leapcheck_models.spec import ONE_DOF, Body

SAME = 1e-6
"""Relative difference below which a fitted number is taken for a known one."""

WITH_ARMATURE = ("mass_matrix", *FORMS, "forward_dynamics", "kinetic_energy")
WITH_GRAVITY = ("bias_force", "gravity_force", "forward_dynamics", "potential_energy")
WITH_MASS = (*WITH_ARMATURE, *WITH_GRAVITY, "coriolis_force")

FACTORS = {
    1000.0: "g for kg, or mm for m",
    0.001: "kg for g, or m for mm",
    9.80665 / 9.81: "gravity 9.80665 for 9.81 m/s^2",
    9.8 / 9.81: "gravity 9.8 for 9.81 m/s^2",
    9.81: "multiplied by g, weight for mass",
    1.0 / 9.81: "divided by g, mass for weight",
    2.0: "a factor 1/2 is missing",
    0.5: "a factor 1/2 too many",
    180.0 / np.pi: "degrees for rad",
    np.pi / 180.0: "rad for degrees",
    -1.0: "the opposite sign",
    0.0: "nothing but zeros",
}
"""What a common factor suggests."""


def armature(at: Case) -> Cause | None:
    """The joint diagonal alone is off, by constants: armature or reflected rotor inertia left out or counted twice."""
    joints = [i for i, body in enumerate(at.spec.bodies) if body.joint.type in ONE_DOF]
    geared = [i for i in joints if at.spec.bodies[i].joint.armature or at.spec.bodies[i].rotor]
    if at.quantity not in WITH_ARMATURE:
        return None
    return _armature_of(at, geared) or _armature_of(at, joints)  # energies are too few for many unknowns


def _armature_of(at: Case, joints: list[int]) -> Cause | None:
    fit = fitted(equation(at), [armature_change(i) for i in joints]) if joints else None
    if fit is None or not fit.explains:
        return None
    kinds: dict[str, list[str]] = {}
    amounts: list[str] = []
    for i, change in zip(joints, fit.changes.tolist(), strict=True):
        if abs(change) > SAME * np.abs(fit.changes).max():
            body = at.spec.bodies[i]
            kinds.setdefault(_armature_words(body, change), []).append(body.joint.name)
            amounts.append(f"{body.joint.name} {change:+.6g}")
    cause = "; ".join(f"{kind}: {listed(names)}" for kind, names in kinds.items())
    evidence = f"the joint diagonal of M alone fits, off by constants ({listed(amounts, 12)} kg m^2 or kg); {falls(at, fit)}"
    return Cause("model", cause, evidence)


def gravity(at: Case) -> Cause | None:
    """Gravity left out, with the opposite sign, of another size, or along another direction."""
    g = np.array(at.spec.gravity)
    if at.quantity not in WITH_GRAVITY:
        return None
    posed = equation(at)
    fit = fitted(posed, [gravity_change(g)]) if g.any() else None
    if fit is not None and fit.explains:
        share = 1.0 + float(fit.changes[0])
        evidence = f"gravity fits with {plain(share)} of its value; {falls(at, fit)}"
        return Cause("model" if share > SAME else "convention", _gravity_words(at, share), evidence)
    fit = fitted(posed, [gravity_change(axis) for axis in np.eye(3)])
    if fit is None or not fit.explains:
        return None
    held, true = (", ".join(map(plain, vector)) for vector in (fit.tree.gravity, g))
    return Cause("model", f"gravity is ({held}) instead of ({true}) m/s^2", falls(at, fit))


def common_factor(at: Case) -> Cause | None:
    """All masses, or every entry, multiplied by one factor: total mass, gravity, or a unit; and what the factor suggests."""
    attempts = (_entries_factor, _masses_factor) if at.quantity == "kinetic_energy" else (_masses_factor, _entries_factor)
    return attempts[0](at) or attempts[1](at)


def _masses_factor(at: Case) -> Cause | None:
    fit = fitted(equation(at), [masses_change]) if at.quantity in WITH_MASS else None
    if fit is None or not fit.explains:
        return None
    factor = 1.0 + float(fit.changes[0])
    cause = f"all masses and inertias of links and rotors are multiplied by {plain(factor)}{_suggestion(factor)}"
    return Cause("model" if factor > SAME else "convention", cause, falls(at, fit))


def _entries_factor(at: Case) -> Cause | None:
    if np.count_nonzero(at.expected) < ROWS_PER_PARAMETER:
        return None
    factor = float((at.found * at.expected).sum() / (at.expected**2).sum())
    cause = f"every entry is multiplied by {plain(factor)}{_suggestion(factor)}"
    return first_explanation(at, [Hypothesis("convention", cause, factor * at.expected)])


def energy_zero(at: Case) -> Cause | None:
    """Potential energy counted from another height."""
    if at.quantity != "potential_energy" or len(at.found) < ROWS_PER_PARAMETER:
        return None
    offset = float(np.median(at.found - at.expected))
    cause = f"the potential energy is counted from another zero: {offset:+.7g} J"
    return first_explanation(at, [Hypothesis("convention", cause, at.expected + offset)])


def falls(at: Case, fit: Fit) -> str:
    """Evidence of a fit in words."""
    return vanishing(fit.before, fit.after, len(at.states))


def plain(number: float) -> str:
    """A fitted number to seven digits; what is left of a zero as 0, nearly 1 as the difference."""
    if 0.0 < abs(number - 1.0) < SAME:
        return f"1 {number - 1.0:+.2g}"
    return "0" if abs(number) < SAME**2 else f"{number:.7g}"


def same(a: float, b: float) -> bool:
    """Whether a fitted number is a known one."""
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def _armature_words(body: Body, change: float) -> str:
    """What is done to a joint's armature when M's diagonal is off by `change`."""
    own = body.joint.armature
    gear_ratio, axial = (body.rotor.gear_ratio, axial_inertia(body.rotor)) if body.rotor else (0.0, 0.0)
    reflected = gear_ratio**2 * axial
    known = {
        "the armature is left out": -own,
        "the armature is counted twice": own,
        "the reflected rotor inertia (gear ratio^2 x axial inertia) is left out": -reflected,
        "the reflected rotor inertia (gear ratio^2 x axial inertia) is counted twice, as rotor and as armature": reflected,
        "armature and reflected rotor inertia are left out": -own - reflected,
        "the rotor's inertia is not multiplied by the gear ratio": axial - reflected,
        "the rotor's inertia is multiplied by the gear ratio instead of its square": gear_ratio * axial - reflected,
    }
    found = (words for words, value in known.items() if value and same(change, value))
    return next(found, "the armature is neither the robot's own nor its double")


def _gravity_words(at: Case, share: float) -> str:
    size = float(np.linalg.norm(at.spec.gravity))
    if abs(share) <= SAME:
        return "gravity is left out" + (": the bias force holds the Coriolis force only" if at.quantity == "bias_force" else "")
    if same(share, -1.0):
        return "gravity has the opposite sign"
    masses = ", or all masses so multiplied" if at.quantity in ("gravity_force", "potential_energy") else ""
    return f"gravity is {share * size:.7g} instead of {size:.7g} m/s^2{masses}"


def _suggestion(factor: float) -> str:
    """What a factor suggests, after a colon; nothing where it is no known one."""
    known = [words for value, words in FACTORS.items() if same(factor, value) or abs(factor - value) < SAME**2]
    return f": {known[0]}" if known else ""
