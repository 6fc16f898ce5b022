"""The planting by seed: which defects there are, each drawn until it shows on its robot."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from leapcheck_evidence.score.planting.effect import effect
from leapcheck_evidence.score.planting.fault import Rng, Setting, choice
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.programs import (
    conventions,
    model_slips,
    state_faults,
    terms_composite,
    terms_lagrange,
    terms_newton_euler,
    terms_points,
    terms_spatial,
)
from leapcheck_evidence.score.programs.defect import Faulty, Plant, ProgramDefect
from leapcheck_evidence.score.programs.places import all_links, groups, one_link
from leapcheck_evidence.score.programs.slips import Slip, slips
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

TERM, PLACES, STATES, CONVENTION, THREE = (
    "term",
    "same fault in many places",
    "state-dependent",
    "convention + fault",
    "three faults",
)
KINDS = (TERM, PLACES, STATES, CONVENTION, THREE)

SLIPS: tuple[Slip, ...] = tuple(
    slip
    for terms in (terms_newton_euler, terms_composite, terms_points, terms_spatial, terms_lagrange)
    for slip in slips(terms.TERMS)
)
NUMBERS: tuple[Slip, ...] = tuple(slips(model_slips.TERMS))

IN_PLACES, CONVENTIONS, TRIPLES = 48, 28, 14
"""How many defects of three kinds; of terms one each, of states as many as are listed."""

LEAST_EFFECT = 1e-9
ATTEMPTS = 400
MOST_DOF = {"lagrange": 8, "christoffel": 8}
"""Of robots whose M is to be differentiated along each coordinate."""

FIRST_TREE, TREES, LEAST_DOF, DOF = 2_000_000, 1_000_000, 4, 16


@dataclass(frozen=True, slots=True)
class Draw:
    """One defect to draw: its kind, its number within the kind, the slip that it is about, if any."""

    kind: str
    number: int
    slip: Slip | None = None


@lru_cache
def draws() -> tuple[Draw, ...]:
    """All defects of a seed."""
    return tuple(_draws())


def _draws() -> Iterator[Draw]:
    for number, slip in enumerate(SLIPS):
        yield Draw(TERM, number, slip)
    for number in range(IN_PLACES):
        yield Draw(PLACES, number)
    for number in range(sum(count for _, count in state_faults.DRAWERS)):
        yield Draw(STATES, number)
    for number in range(CONVENTIONS):
        yield Draw(CONVENTION, number)
    for number in range(TRIPLES):
        yield Draw(THREE, number)


def draw_defect(seed: int, number: int) -> ProgramDefect:
    """Defect `number` of the seed: the same whatever else is drawn."""
    draw = draws()[number]
    name = draw.slip.term.place + draw.slip.label if draw.slip else ""
    rng = np.random.default_rng([seed, zlib.crc32(f"{draw.kind} {name}".encode()), draw.number])
    for _ in range(ATTEMPTS):
        try:
            return _shown(replace(_DRAWERS[draw.kind](rng, draw), number=number))
        except (NotHereError, np.linalg.LinAlgError):
            continue
    raise RuntimeError(f"no robot has a place for defect {number}: {draw}")


def _shown(defect: ProgramDefect) -> ProgramDefect:
    """The defect with its effect; NotHereError where it has none, or one of its faults has none."""
    spec = robot(defect.robot)
    with np.errstate(all="ignore"):
        sizes = effect(spec, Faulty(defect, spec))
        if not all(map(math.isfinite, sizes.values())) or max(sizes.values()) < LEAST_EFFECT:
            raise NotHereError("it changes nothing, or there are no numbers any more")
        for single in _singles(defect):
            if max(effect(spec, Faulty(single, spec)).values()) < LEAST_EFFECT:
                raise NotHereError("one of the faults changes nothing")
    return replace(defect, effect=sizes)


def _singles(defect: ProgramDefect) -> list[ProgramDefect]:
    """The faults of a defect of several, each alone."""
    bare = replace(defect, plants=(), states=None, convention=None)
    singles = [replace(bare, plants=(plant,)) for plant in defect.plants]
    singles += [replace(bare, convention=defect.convention)] if defect.convention else []
    return singles if len(singles) > 1 else []


def _term(rng: Rng, draw: Draw) -> ProgramDefect:
    """One slip, of one link or of all."""
    assert draw.slip is not None
    library = _library(rng, draw.slip)
    name = _robot(rng, library)
    return ProgramDefect(0, draw.kind, name, library, (_plant(rng, draw.slip, name),))


def _plant(rng: Rng, slip: Slip, name: str) -> Plant:
    if not slip.term.link:
        return Plant(slip)
    spec, of = robot(name), slip.term.of
    if rng.random() < 0.5:
        return Plant(slip, choice(rng, one_link(spec, of)))
    everywhere = all_links(spec, of)
    if not everywhere.links:
        raise NotHereError("no such link")
    return Plant(slip, everywhere)


def _in_places(rng: Rng, draw: Draw) -> ProgramDefect:
    """A slip, or a wrong number, of a part of the robot."""
    slip = choice(rng, NUMBERS if rng.random() < 0.6 else [slip for slip in SLIPS if slip.term.link])
    library = _library(rng, slip)
    name = _robot(rng, library, legged=0.8)
    return ProgramDefect(0, draw.kind, name, library, (Plant(slip, choice(rng, groups(robot(name), slip.term.of))),))


def _of_states(rng: Rng, draw: Draw) -> ProgramDefect:
    drawers = [drawer for drawer, count in state_faults.DRAWERS for _ in range(count)]
    library = choice(rng, ("newton_euler", "spatial"))
    name = _robot(rng, library)
    return ProgramDefect(0, draw.kind, name, library, states=drawers[draw.number](rng, robot(name)))


def _with_convention(rng: Rng, draw: Draw) -> ProgramDefect:
    drawer = conventions.DRAWERS[draw.number % len(conventions.DRAWERS)]
    slip = choice(rng, (*SLIPS, *NUMBERS))
    library = _library(rng, slip)
    name = _robot(rng, library)
    fault = drawer(rng, Setting(name, robot(name), library))
    return ProgramDefect(0, draw.kind, name, library, (_plant(rng, slip, name),), convention=fault)


def _three(rng: Rng, draw: Draw) -> ProgramDefect:
    """Three slips of one library in different functions."""
    library = choice(rng, ("newton_euler", "spatial"))
    name = _robot(rng, library)
    possible = [slip for slip in (*SLIPS, *NUMBERS) if slip.term.group in (library, "any")]
    chosen = [choice(rng, possible) for _ in range(3)]
    if len({slip.term.place for slip in chosen}) < len(chosen):
        raise NotHereError("two slips in one function")
    return ProgramDefect(0, draw.kind, name, library, tuple(_plant(rng, slip, name) for slip in chosen))


_DRAWERS: dict[str, Callable[[Rng, Draw], ProgramDefect]] = {
    TERM: _term,
    PLACES: _in_places,
    STATES: _of_states,
    CONVENTION: _with_convention,
    THREE: _three,
}


def _library(rng: Rng, slip: Slip) -> str:
    match slip.term.group:
        case "any":
            return choice(rng, ("newton_euler", "spatial"))
        case "newton_euler" if slip.term.place.startswith("newton_euler."):
            return choice(rng, ("newton_euler", "newton_euler", "unit_accelerations"))
        case "lagrange" if not slip.term.place.startswith("lagrange.coriolis"):
            return choice(rng, ("lagrange", "christoffel"))
    return slip.term.group


def _robot(rng: Rng, library: str, legged: float = 0.5) -> str:
    """Name of a robot: a Mini Cheetah, a random tree, or a small arm."""
    most = MOST_DOF.get(library, DOF)
    if most == DOF and rng.random() < legged:
        return choice(rng, ("mini_cheetah", "mini_cheetah", "mini_cheetah", "mini_cheetah_armature"))
    if rng.random() < 0.15:
        return choice(rng, ("tree4_5", "tree4_8", "pupper_leg"))
    while True:
        name = f"random:{FIRST_TREE + int(rng.integers(TREES))}"
        if LEAST_DOF <= robot(name).nv <= most:
            return name


@lru_cache(maxsize=64)
def robot(name: str) -> RobotSpec:
    """The spec of that name."""
    return load(name)
