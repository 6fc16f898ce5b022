"""A defect: a library with slips in its text, behind which further faults may stand; and the engine that has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.fault import Asked, Fault
from leapcheck_evidence.score.programs.engine import ProgramEngine
from leapcheck_evidence.score.programs.mutation import Codes, edited_codes
from leapcheck_evidence.score.programs.places import Place
from leapcheck_evidence.score.programs.slips import Slip
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

StateAnswer = Callable[["Faulty", States, Sequence[str]], Answers]


@dataclass(frozen=True, slots=True)
class Plant:
    """A slip in some places; of no place where its text is about the whole."""

    slip: Slip
    place: Place | None = None

    @property
    def label(self) -> str:
        """In words."""
        return f"{self.slip.label} {self.place.label}" if self.place else self.slip.label


@dataclass(frozen=True, slots=True, eq=False)
class StateFault:
    """A fault in some states only: how the engine answers, and regular expressions that the words must all match."""

    label: str
    answers: StateAnswer
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ProgramDefect:
    """What is wrong with an engine: slips of its text, a fault of some states, a fault of a convention."""

    number: int
    kind: str
    robot: str
    library: str
    plants: tuple[Plant, ...] = ()
    states: StateFault | None = None
    convention: Fault | None = None
    effect: dict[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """In words."""
        parts = [plant.label for plant in self.plants]
        parts += [self.states.label] if self.states else []
        parts += [self.convention.label] if self.convention else []
        return f"{' and '.join(parts)}: {self.library} on {self.robot}"


def codes_of(spec: RobotSpec, plants: Sequence[Plant]) -> Codes:
    """The codes with all slips of the plants."""
    edits, links = [], {}
    for number, plant in enumerate(plants):
        for edit in plant.slip.term.edits(plant.slip.change):
            if plant.place is None:
                edits.append(replace(edit, link=""))
            else:
                links[number] = plant.place.links
                edits.append(replace(edit, link=f"{edit.link}, {number}"))

    def is_here(link: Any, number: int) -> bool:
        if isinstance(link, int):
            return link >= 0 and spec.bodies[link].name in links[number]
        return link.name in links[number]

    return edited_codes(edits, is_here)


class Faulty:
    """The engine of a defect."""

    version = "0"

    def __init__(self, defect: ProgramDefect, spec: RobotSpec) -> None:
        self.name, self.spec, self._defect = "program", spec, defect
        self.inner = ProgramEngine(spec, defect.library, codes_of(spec, defect.plants))
        self.route, self.quantities = self.inner.route, self.inner.quantities
        self.calls = 0
        self.last: dict[str, Floats] = {}

    def rebuild(self, spec: RobotSpec) -> Faulty:
        """The same defect on another robot."""
        return Faulty(self._defect, spec)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity (n, ...)."""
        fault = self._defect.convention
        if fault is None:
            return self._own(states, quantities)
        read = fault.reading(self.spec, states) if fault.reading else states
        known = self._own(read, quantities)

        def own(name: str) -> Floats:
            if name not in known:
                known.update(self._own(read, (name,)))
            return known[name]

        asked = Asked(self.spec, states, read, own)
        give = fault.answering or (lambda _asked, _name, values: values)
        return {name: give(asked, name, own(name).copy()) for name in quantities}

    def _own(self, states: States, quantities: Sequence[str]) -> Answers:
        if self._defect.states:
            return self._defect.states.answers(self, states, quantities)
        return self.inner.evaluate(states, quantities)
