"""The planting by seed: which defects there are, and each of them drawn until it shows."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting.effect import effect
from leapcheck_evidence.score.planting.engines import Planted, base_quantities
from leapcheck_evidence.score.planting.fault import Defect, Fault, Rng, Setting
from leapcheck_evidence.score.planting.kind import Kind
from leapcheck_evidence.score.planting.kinds import KINDS, WHOLE
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.robots import random_robot, random_small_robot, robot
from leapcheck_evidence.score.planting.whole_body_kinds import WHOLE_BODY

CATALOGUES = {"engines": KINDS, "whole body": WHOLE_BODY}
"""Kinds of defects by the name of their catalogue."""

ENGINES, WHOLE_BODIES = CATALOGUES

LEAST_EFFECT, LEAST_WHOLE_BODY = 1e-12, 1e-6
"""A drawn fault that changes less is drawn again: its element happens not to matter on this robot."""

ATTEMPTS = 1000

STORAGE_SHARE = 0.2
"""How often MuJoCo on a file also answers its own arrays."""

MOST_DOF_SINGLY = 8
"""Of robots in an engine that answers one state at a time: larger ones take long and tell no more."""

CONTACT_INERTIA_SHARE = 0.15
"""How often J M^-1 J^T is answered: it takes as long as all other quantities, and tells no more than M and J."""


def size(catalogue: str) -> int:
    """How many defects a catalogue has."""
    return sum(kind.count for kind in CATALOGUES[catalogue])


def places(count: int, catalogue: str = ENGINES) -> list[tuple[Kind, int]]:
    """Kind of each defect to plant and its number within the kind, about `count` in all, every kind at least once."""
    share = count / size(catalogue)
    return [(kind, i) for kind in CATALOGUES[catalogue] for i in range(max(1, round(share * kind.count)))]


def draw_defect(seed: int, number: int, count: int = WHOLE, catalogue: str = ENGINES) -> Defect:
    """Defect `number` of the seed: the same whatever other defects are drawn."""
    kind, place = places(count, catalogue)[number]
    rng = np.random.default_rng([seed, zlib.crc32(f"{kind.name} {kind.label}".encode()), place])
    for _ in range(ATTEMPTS):
        try:
            return replace(_draw_once(rng, kind), number=number)
        except NotHereError:
            continue
    raise RuntimeError(f"no robot was found for '{kind.label}' in {ATTEMPTS} draws: plant fewer of them")


def _draw_once(rng: Rng, kind: Kind) -> Defect:
    name = random_small_robot(rng) if kind.quantities else random_robot(rng)
    base = str(rng.choice(kind.bases))
    setting = Setting(name, robot(name), base)
    if base == "user" and setting.spec.nv > MOST_DOF_SINGLY:
        raise NotHereError("too large to be asked state by state")
    faults = tuple(drawer(rng, setting) for drawer in kind.drawers)
    _check_apart(faults)
    faults = _with_common_name(faults)
    defect = Defect(0, kind.name, _label(faults, name, base), name, setting.spec, base, faults, (), kind.wanted)
    defect = replace(defect, quantities=kind.quantities or _quantities(rng, defect))
    try:
        engine = Planted(defect)
        sizes = effect(setting.spec, engine)
    except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
        raise NotHereError(str(error)) from error
    finite = kind.name == "not finite" or all(map(math.isfinite, sizes.values()))
    least = LEAST_WHOLE_BODY if kind.quantities else LEAST_EFFECT
    if not finite or (kind.wanted == "wrong" and not _shows(sizes, faults, least)):
        raise NotHereError("it changes nothing, or there are no numbers any more")
    for fault in faults if len(faults) > 1 else ():
        _check_visible(replace(defect, faults=(fault,)))
    return replace(defect, effect=sizes, quantities=tuple(sorted(engine.quantities)))


def _shows(sizes: Mapping[str, float], faults: tuple[Fault, ...], least: float = LEAST_EFFECT) -> bool:
    """Whether something changes; the zero of the potential energy alone counts only where that is the fault."""
    seen = {name for name, error in sizes.items() if error > least}
    return bool(seen - {"potential_energy"}) or (bool(seen) and any(fault.answering for fault in faults))


def _check_visible(alone: Defect) -> None:
    """A fault of a pair that shows in nothing on its own could not be named."""
    try:
        sizes = effect(alone.spec, Planted(alone))
    except ValueError as error:
        raise NotHereError(str(error)) from error
    if not _shows(sizes, alone.faults):
        raise NotHereError("one of the two changes nothing")


def _check_apart(faults: tuple[Fault, ...]) -> None:
    """Two faults of the same name would be one; so would a velocity read and answered in the same other coordinates."""
    wholes = {tuple(name.replace("/inputs:", "/answers:") for name in fault.names) for fault in faults}
    if len(wholes) < len(faults):
        raise NotHereError("the same fault twice")


def _with_common_name(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """Two faults in one link's mass, com and inertia are also one: the link has another inertia."""
    if len(faults) < 2 or not faults[0].body or len({fault.body for fault in faults}) > 1:
        return faults
    return tuple(replace(fault, names=(*fault.names, f"(body|extra)/{fault.body}")) for fault in faults)


def _label(faults: tuple[Fault, ...], name: str, base: str) -> str:
    what = " and ".join(fault.label for fault in faults) or "single precision"
    return f"{what}, {base} on {name}"


def _quantities(rng: Rng, defect: Defect) -> tuple[str, ...]:
    left_out = set() if rng.random() < CONTACT_INERTIA_SHARE else {"contact_inertia"}
    if rng.random() >= STORAGE_SHARE or not all(fault.edit for fault in defect.faults):
        left_out |= {"qM", "csr", "cinert", "crb", "cdof"}
    return tuple(sorted(base_quantities(defect.base, defect.spec) - left_out))
