"""Whether what the judge says names a defect: its term, what became of it, and where; decided by words written beforehand.

A programmer who reads the words must know what to mend: the right term, the right change, the right links, and no other. Links
at which the fault shows in nothing may be named or left out. Another fault of the catalogue that gives the same answers is as
right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.records import CauseRow, Diagnosis
from leapcheck.sampling import generated_states
from leapcheck_evidence.score.planting.effect import differences, effect
from leapcheck_evidence.score.planting.fault import Fault
from leapcheck_evidence.score.planting.layout import Slot, slots
from leapcheck_evidence.score.programs.catalogue import LEAST_EFFECT, NUMBERS, SLIPS
from leapcheck_evidence.score.programs.conventions import WORDS
from leapcheck_evidence.score.programs.defect import Faulty, Plant, ProgramDefect, StateFault
from leapcheck_evidence.score.programs.engine import QUANTITIES, ProgramEngine
from leapcheck_evidence.score.programs.places import Place, all_links
from leapcheck_models.spec import RobotSpec

EVERY = r"\b(all|every|each|any|everywhere)\b"


EQUAL, EQUAL_STATES = 1e-9, 24
"""Scale-free difference up to which answers are the same, and the number of states at which they are compared."""

GROUPS = {
    "newton_euler": ("newton_euler",),
    "unit_accelerations": ("newton_euler",),
    "spatial": ("spatial",),
    "lagrange": ("lagrange",),
    "christoffel": ("lagrange", "christoffel"),
}
"""Whose terms stand in the text of each library."""


class Named(StrEnum):
    """What the judge's words come to."""

    RIGHTLY = "named rightly"
    PARTLY = "named in part"
    WRONGLY = "named wrongly"
    NOT = "unexplained"
    UNFOUND = "not found"


def naming(defect: ProgramDefect, spec: RobotSpec, diagnoses: Sequence[Diagnosis]) -> Named:
    """How the diagnoses name the defect: rightly if one set of causes names all faults and nothing else, and all is explained.

    In part: all that is named is right, for some of its links at least, and the judge says that there is more; wrongly: a cause
    is named that is none of the faults.
    """
    causes = [choices for diagnosis in diagnoses for choices in _choices(diagnosis)]
    if not any(causes):
        return Named.NOT
    complete = not any(diagnosis.unexplained for diagnosis in diagnoses)
    verdicts = [_verdict(defect, spec, choice, complete=complete) for choice in causes]
    return next(verdict for verdict in (Named.RIGHTLY, Named.PARTLY, Named.WRONGLY) if verdict in verdicts)


def _verdict(defect: ProgramDefect, spec: RobotSpec, causes: Sequence[CauseRow], *, complete: bool) -> Named:
    """The same for one set of causes."""
    named = [_named_by(defect, spec, cause) for cause in causes]
    if complete and len(causes) == 1 and not named[0] and _is_equal_slip(defect, spec, causes[0]):
        return Named.RIGHTLY
    if all(named) and complete:
        return Named.RIGHTLY if set().union(*named) == set(range(_count(defect))) else Named.PARTLY
    parts = [_named_by(defect, spec, cause, in_part=True) for cause in causes]
    return Named.PARTLY if all(parts) and not complete else Named.WRONGLY


def _choices(diagnosis: Diagnosis) -> list[tuple[CauseRow, ...]]:
    """The causes, and the other sets that the judge calls their equals."""
    return [_joined(causes) for causes in (diagnosis.causes, *diagnosis.alternatives) if causes]


def _joined(causes: Sequence[CauseRow]) -> tuple[CauseRow, ...]:
    """The causes; where they begin with a condition, what happens under it belongs to it: all are one."""
    if not causes[0].name.startswith("condition/"):
        return tuple(causes)
    words, details = ("; ".join(getattr(cause, name) for cause in causes) for name in ("words", "details"))
    return (CauseRow(causes[0].name, causes[0].cause_class, words, details),)


def _count(defect: ProgramDefect) -> int:
    return len(defect.plants) + (defect.states is not None) + (defect.convention is not None)


def _named_by(defect: ProgramDefect, spec: RobotSpec, cause: CauseRow, *, in_part: bool = False) -> set[int]:
    """The numbers of the faults that a cause names."""
    named = [_is_plant(defect, spec, plant, cause, in_part=in_part) for plant in defect.plants]
    named += [_is_state_fault(defect.states, cause)] if defect.states else []
    named += [_is_convention(defect.convention, cause)] if defect.convention else []
    return {i for i, is_named in enumerate(named) if is_named}


def _is_plant(defect: ProgramDefect, spec: RobotSpec, plant: Plant, cause: CauseRow, *, in_part: bool) -> bool:
    text = _text(cause)
    if cause.name.startswith("factor/"):
        return _is_true_factor(defect, spec, cause)
    if not (_says(plant.slip.term.words, text) and _says(plant.slip.change.words, text)):
        return False
    if plant.place is None:
        return True
    said = _links_said(spec, plant, cause)
    differing = said - plant.place.links if in_part else said ^ plant.place.links
    return not differing or (bool(said & plant.place.links) and not _matters(defect, spec, plant, differing))


def _is_true_factor(defect: ProgramDefect, spec: RobotSpec, cause: CauseRow) -> bool:
    """Whether a quantity is indeed a multiple of what it should be."""
    factor = re.search(r"multiplied by (-?\d[\d.e-]*)", cause.words)
    name = cause.name.removeprefix("factor/")
    if factor is None or name not in QUANTITIES:
        return False
    states = generated_states(spec, EQUAL_STATES, 0, 0)
    answer = Faulty(defect, spec).evaluate(states, (name,))[name]
    right = ProgramEngine(spec, defect.library).evaluate(states, (name,))[name]
    scale = float(np.abs(right).max(initial=1e-300))
    return bool(np.abs(answer - float(factor.group(1).rstrip(".")) * right).max(initial=0.0) < EQUAL * scale)


def _is_equal_slip(defect: ProgramDefect, spec: RobotSpec, cause: CauseRow) -> bool:
    """Whether a cause names another slip of the catalogue that gives the same answers as the one that was planted."""
    if len(defect.plants) != 1 or _count(defect) != 1:
        return False
    text, answers = _text(cause), None
    for slip in (*SLIPS, *NUMBERS):
        if slip.term.group not in ("any", *GROUPS[defect.library]) or not slip.term.link or slip is defect.plants[0].slip:
            continue
        if not (_says(slip.term.words, text) and _says(slip.change.words, text)):
            continue
        of = all_links(spec, slip.term.of)
        links = _links_said(spec, Plant(slip, of), cause) & of.links
        if links:
            answers = answers or _answers(defect, spec)
            if _are_equal(answers, _answers(replace(defect, plants=(Plant(slip, Place("", links)),)), spec)):
                return True
    return False


def _answers(defect: ProgramDefect, spec: RobotSpec) -> Answers:
    engine = Faulty(defect, spec)
    with np.errstate(all="ignore"):
        return engine.evaluate(generated_states(spec, EQUAL_STATES, 0, 0), sorted(engine.quantities))


def _are_equal(first: Answers, second: Answers) -> bool:
    return all(float(differences(name, second[name], first[name]).max(initial=0.0)) < EQUAL for name in first)


def _matters(defect: ProgramDefect, spec: RobotSpec, plant: Plant, links: frozenset[str]) -> bool:
    """Whether the slip at these links changes anything."""
    known = frozenset(body.name for body in spec.bodies if plant.slip.term.of(body))
    if not links & known:
        return False
    alone = replace(defect, plants=(Plant(plant.slip, Place("", links & known)),), states=None, convention=None)
    with np.errstate(all="ignore"):
        return bool(max(effect(spec, Faulty(alone, spec)).values()) > LEAST_EFFECT)


def _links_said(spec: RobotSpec, plant: Plant, cause: CauseRow) -> frozenset[str]:
    """The links that a cause mentions by their names, those of their joints, rotors or points; groups of them by words."""
    for text in (f"{cause.name} {cause.words}", cause.details):
        if links := _mentioned(spec, text):
            return _whole_legs(spec, links) if re.search(r"\b(leg|limb|branch|subtree)s? ", text) else links
    text = _text(cause)
    assert plant.place is not None
    if re.search(EVERY, text) and not re.search(r"leg|limb|side|right|left|front|hind|rear", text):
        return all_links(spec, plant.slip.term.of).links
    label = plant.place.label.lower()
    if (word := re.search(r"right|left|front|hind", label)) and re.search(word.group(), text):
        return plant.place.links
    if (part := re.match(r"of the (\w+) of every leg", label)) and part.group(1) in text and re.search(EVERY + "|four", text):
        return plant.place.links
    return frozenset()


def _mentioned(spec: RobotSpec, text: str) -> frozenset[str]:
    words = set(re.findall(r"[\w.-]+", text.replace("+", " ").replace("/", " ").replace(":", " ").replace(",", " ")))
    words |= {word.rstrip(".") for word in words}
    links = {slot.body.name for slot in slots(spec) for dof in re.findall(r"dof (\d+)", text) if int(dof) in _dofs(slot)}
    for body in spec.bodies:
        names = {body.name, body.joint.name, body.rotor.name if body.rotor else body.name}
        names |= {point.name for point in spec.contact_points if point.body == body.name}
        if names & words:
            links.add(body.name)
    return frozenset(links)


def _dofs(slot: Slot) -> range:
    return range(slot.v.start, slot.v.stop)


def _whole_legs(spec: RobotSpec, roots: frozenset[str]) -> frozenset[str]:
    """Links with all that hangs on them: a leg may be called by its first link."""
    links = set(roots)
    for body in spec.bodies:
        if body.parent in links:
            links.add(body.name)
    return frozenset(links)


def _is_state_fault(fault: StateFault, cause: CauseRow) -> bool:
    text = _text(cause)
    return all(_says(words, text) for words in fault.words)


def _is_convention(fault: Fault, cause: CauseRow) -> bool:
    """By the machine's name, as the score of conventions has it, or by words."""
    for name in fault.names:
        if name.startswith(WORDS):
            if _says(name.removeprefix(WORDS), _text(cause)):
                return True
        elif re.fullmatch(name, cause.name):
            return True
    return False


def _says(words: str, text: str) -> bool:
    """Whether the text matches; "number LOW HIGH" wants a number of that size."""
    if words.startswith("number "):
        low, high = map(float, words.split()[1:])
        return any(low <= abs(float(number)) <= high for number in re.findall(r"\d+\.?\d*(?:e-?\d+)?", text))
    return re.search(words.lower(), text) is not None


def _text(cause: CauseRow) -> str:
    return f"{cause.name} {cause.words} {cause.details}".lower()
