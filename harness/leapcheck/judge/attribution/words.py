"""Fitted changes of a robot in words, with their amounts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from leapcheck.judge.attribution.descent import Fit
from leapcheck.judge.attribution.moves import central, com
from leapcheck.judge.layout import rigid_carriers
from leapcheck.judge.tree_change import MovedPart, TreeChange
from leapcheck.judge.words import SAME, is_same, name_list, number_words, suggestion
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import axial_inertia
from leapcheck_models.spec import Body, RobotSpec
from leapcheck_reference.trace.parametric import SIX

NEGLIGIBLE = 1e-4
"""Share of the largest change, in numbers of one size, below which another one is left out of the words."""

ROUNDING = 1e-12
"""Share of a number below which a change of it is the fit's rounding."""

DIGITS = 8
"""Digits of fitted numbers shown next to the true ones."""


def words(spec: RobotSpec, change: TreeChange) -> str:
    """A clause for each part that moved by more than rounding."""
    moved = [part for part in change.parts if np.abs(part.after - part.before).max() > ROUNDING * np.abs(part.before).max()]
    return "; ".join(_part_words(spec, part) for part in moved or change.parts)


def _part_words(spec: RobotSpec, part: MovedPart) -> str:
    body = next((body for body in spec.bodies if body.name == part.name), None)
    joint = body.joint.name if body else part.name
    before, after = part.before, part.after
    match part.kind:
        case "inertia":
            owner = f"rotor {body.rotor.name}" if part.rotor and body and body.rotor else f"link {part.name}"
            rigid = "" if part.rotor else rigid_with(spec, part.name)
            return f"{owner}{_inertia_words(before, after)}{rigid}"
        case "placement":
            owner = f"the rotor of joint {joint}" if part.rotor else f"joint {joint}"
            return f"{owner} {placement_words(before, after)}"
        case "axis":
            owner = f"the rotor of joint {joint}" if part.rotor else f"joint {joint}"
            return f"{owner} has the axis {vector(after)} instead of {vector(before)}"
        case "gear":
            return f"the rotor of joint {joint} has the gear ratio {number(after[0])} instead of {number(before[0])}"
        case "armature":
            return _armature_words(body, joint, float(before[0]), float(after[0]))
        case "point":
            return f"contact point {part.name} is at {vector(after)} instead of {vector(before)} m"
    return gravity_words(before, after)


def rigid_with(spec: RobotSpec, name: str) -> str:
    """A remark on the links that move with a link as one, which some compilers fuse; nothing where there are none."""
    carriers = rigid_carriers(spec)
    mates = [other for other, carrier in carriers.items() if carrier == carriers.get(name) and other != name]
    return f" (rigid with {name_list(mates)}: one of them, or how they are fused)" if mates else ""


def inertia_kind(before: Floats, after: Floats) -> str:
    """What has changed of ten numbers, as the first part of a name: "left-out", "scaled", "mass", "com", "inertia", "body"."""
    text = _inertia_words(before, after)
    if "is left out" in text or "whole inertia" in text:
        return "left-out" if "is left out" in text else "scaled"
    phrases = {"mass": "its mass is", "com": "its com is", "inertia": "about the com is off", "turned-inertia": "inertial rpy"}
    kinds = [kind for kind, words in phrases.items() if words in text] + ["inertia"] * ("about its com is" in text)
    return kinds[0] if len(kinds) == 1 else "body"


def factor_words(amount: float) -> str:
    """By what something is multiplied, and what that suggests."""
    factor = 1.0 + float(amount)
    return f"multiplied by {number_words(factor)}{suggestion(factor)}"


def armatures(spec: RobotSpec, fit: Fit) -> str:
    """What is done to the armatures of several joints, joints of one kind together, and by how much their diagonals are off."""
    bodies = {body.joint.name: body for body in spec.bodies}
    kinds: dict[str, list[str]] = {}
    amounts = []
    for parameter, change in zip(fit.parameters, fit.amounts.tolist(), strict=True):
        if abs(change) > SAME * np.abs(fit.amounts).max():
            body = bodies.get(parameter.of)
            kinds.setdefault(armature_kind(body, change) if body else "the armature is another", []).append(parameter.of)
            amounts.append(f"{parameter.of} {change:+.6g}")
    text = "; ".join(f"{kind}: {name_list(names)}" for kind, names in kinds.items())
    return f"{text}; the joint diagonal of M alone is off, by constants ({name_list(amounts, 12)} kg m^2 or kg)"


def _inertia_words(before: Floats, after: Floats) -> str:
    """What became of an inertia: left out, multiplied, or mass, com and rotational inertia one by one."""
    size = float(np.abs(before[4:]).max(initial=0.0) + before[0])
    if not np.any(np.abs(after) > SAME * SAME * size):
        return " is left out"
    factor = float(after[0] / before[0]) if before[0] else 1.0
    if abs(factor - 1.0) > 0.0 and np.allclose(after, factor * before, rtol=1e-9, atol=1e-12 * size):
        return f": its whole inertia is multiplied by {number(factor)}"
    return ": " + (", ".join(_inertia_clauses(before, after)) or "its inertia is another")


def _inertia_clauses(before: Floats, after: Floats) -> Iterable[str]:
    place, place_before = com(after), com(before)
    I, I_before = central(after), central(before)
    length = float(np.sqrt(max(np.trace(I_before), 0.0) / before[0])) if before[0] > 0.0 else 1.0
    heavier = abs(after[0] / before[0] - 1.0) if before[0] else abs(after[0])
    moved = float(np.abs(place - place_before).max()) / (length or 1.0)
    turned = float(np.abs(I - I_before).max()) / (float(np.trace(np.abs(I_before))) or 1.0)
    largest = max(heavier, moved, turned)
    if heavier > NEGLIGIBLE * largest:
        yield f"its mass is {number(after[0])} instead of {number(before[0])} kg ({after[0] - before[0]:+.6g} kg)"
    if moved > NEGLIGIBLE * largest and np.abs(place).max() <= ROUNDING * np.abs(place_before).max():
        yield f"its com is missing: at the frame's origin instead of {vector(place_before)} m"
    elif moved > NEGLIGIBLE * largest:
        yield f"its com is at {vector(place)} instead of {vector(place_before)} m ({_entries(place - place_before, 'xyz', 'm')})"
    if turned > NEGLIGIBLE * largest:
        yield _rotational_words(I_before, I)


def _rotational_words(before: Floats, after: Floats) -> str:
    """How a rotational inertia about the com differs: which entries are off, or that it is turned."""
    off = after - before
    entries = [(i, j) for i, j in SIX if abs(off[i, j]) > SAME * np.abs(off).max()]
    if len(entries) == 1:
        (i, j) = entries[0]
        return (
            f"I{'xyz'[i]}{'xyz'[j]} about its com is {off[i, j]:+.6g} kg m^2 off: "
            f"{number(after[i, j])} instead of {number(before[i, j])}"
        )
    moments, moments_before = np.linalg.eigvalsh(after), np.linalg.eigvalsh(before)
    if np.abs(moments - moments_before).max() <= max(SAME * np.abs(off).max(), 1e-12 * np.abs(moments).max()):
        return "its rotational inertia is turned, with the same principal moments: the inertial rpy"
    listed_entries = ", ".join(f"I{'xyz'[i]}{'xyz'[j]} {off[i, j]:+.6g}" for i, j in entries)
    return f"its rotational inertia about the com is off ({listed_entries} kg m^2)"


def placement_words(before: Floats, after: Floats) -> str:
    """How a pose in the parent differs."""
    R, R_before = after[:9].reshape(3, 3), before[:9].reshape(3, 3)
    clauses = []
    if not np.array_equal(after[9:], before[9:]):
        moved = _entries(after[9:] - before[9:], "xyz", "m")
        clauses.append(f"is at {vector(after[9:])} instead of {vector(before[9:])} m in its parent ({moved})")
    if not np.array_equal(R, R_before):
        D = R @ R_before.T
        axis = np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]]) / 2.0
        angle = float(np.arctan2(np.linalg.norm(axis), (np.trace(D) - 1.0) / 2.0))
        about = f" about {vector(axis / np.linalg.norm(axis), 4)}" if np.any(np.abs(axis) > 1e-14) else ""
        clauses.append(f"is turned by {angle:.6g} rad{about} in its parent")
    return " and ".join(clauses)


def _armature_words(body: Body | None, joint: str, before: float, after: float) -> str:
    """What is done to a joint's armature."""
    change = after - before
    amount = f"{joint} {change:+.6g}"
    kind = armature_kind(body, change) if body else "the armature is another"
    return f"{kind}: {amount} kg m^2 (or kg) on its diagonal of M"


def armature_kind(body: Body, change: float) -> str:
    """What a change of the diagonal suggests was done to armature and rotor."""
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
    names = (words for words, value in known.items() if value and is_same(change, value))
    return next(names, "the armature is neither the robot's own nor its double")


def gravity_words(before: Floats, after: Floats) -> str:
    """How gravity differs."""
    size = float(np.linalg.norm(before))
    share = float(after @ before) / size**2 if size else np.nan
    if np.abs(after).max() <= SAME * size:
        return "gravity is left out"
    if size and np.abs(after - share * before).max() <= SAME * max(np.abs(after - before).max(), 1e-9 * size):
        if is_same(share, -1.0):
            return "gravity has the opposite sign"
        return f"gravity is {number(abs(share) * size)} instead of {number(size)} m/s^2"
    return f"gravity is {vector(after)} instead of {vector(before)} m/s^2"


def number(value: float) -> str:
    """A fitted number; rounding left of a zero as 0."""
    return "0" if abs(value) < SAME * SAME else f"{value:.{DIGITS}g}"


def vector(numbers: Floats, digits: int = DIGITS) -> str:
    """Numbers in brackets; rounding left of zeros among them as 0."""
    largest = float(np.abs(numbers).max(initial=0.0))
    return "(" + ", ".join("0" if abs(x) <= 1e-12 * largest else f"{x:.{digits}g}" for x in numbers.tolist()) + ")"


def _entries(off: Floats, names: str, unit: str) -> str:
    """The entries that are off, with their amounts."""
    largest = np.abs(off).max(initial=0.0)
    parts = [f"{name} {x:+.6g}" for name, x in zip(names, off.tolist(), strict=True) if abs(x) > SAME * largest]
    return ", ".join(parts) + f" {unit}"
