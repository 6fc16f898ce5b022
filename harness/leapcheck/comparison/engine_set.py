"""The engines of a run, made once per process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from leapcheck.comparison.in_house import InHouse
from leapcheck.comparison.participants import AnsweringEngine, Participant, participants
from leapcheck.comparison.plan import Plan
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.protocol import Engine, EngineRequest, Limited, Remarking, precision_ratio
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import QUANTITIES, QuantityGroup, sizes
from leapcheck.records import EngineRow, Failure
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

ALONE = "contact_inertia"

ORDER = (QuantityGroup.CORE, ALONE, *(group for group in QuantityGroup if group is not QuantityGroup.CORE))
"""The portions of a comparison, in the order in which they are computed."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Quantities that are computed together: the in-house side, its truth, and how each engine takes part (None: it is the
    in-house side itself). `ratios`: by how much more is excused of engines that declare less than double precision.
    """

    in_house: InHouse
    truth: Callable[[States], Floats]
    participants: tuple[tuple[str, Participant | None], ...]
    ratios: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EngineSet:
    """One robot in its engines: those that could be made, those that failed, and what could not be compared."""

    spec: RobotSpec
    engines: tuple[Engine, ...]
    portions: tuple[Portion, ...]
    failures: tuple[Failure, ...]
    not_compared: tuple[str, ...]
    remarking: tuple[Remarking, ...]

    @property
    def hands_states_over(self) -> bool:
        """Whether an engine is handed whole states: what it wrongly makes of a part that no quantity takes must then show."""
        taking_part = (participant for portion in self.portions for _, participant in portion.participants)
        return any(isinstance(participant, AnsweringEngine) for participant in taking_part)

    @property
    def rows(self) -> tuple[EngineRow, ...]:
        """The engines as records."""
        return tuple(
            EngineRow(e.name, e.version, e.route, tuple(q for q in QUANTITIES if q in e.quantities)) for e in self.engines
        )


def make_engine_set(
    spec: RobotSpec, engines: Sequence[str | Engine | EngineRequest], quantities: Sequence[str], compile_code: bool
) -> EngineSet:
    """The robot in each engine; a name is looked up, any other word names the user's, an Engine is taken as it is.

    `compile_code` where many states are to come; it changes no bit of the results.
    """
    ready: list[Engine] = []
    failures: list[Failure] = []
    not_compared: list[str] = []
    for request in engines:
        try:
            ready.append(load_engine(request, spec))
        except NotApplicable as reason:
            not_compared.append(f"{_name(request)}: {reason}")
        except EngineError as error:
            failures.append(Failure(_name(request), "", str(error)))
    not_compared += [line for engine in ready if isinstance(engine, Limited) for line in engine.not_compared]
    portions = tuple(_portion(spec, group, ready, compile_code) for group in quantity_groups(spec, quantities))
    remarking = tuple(engine for engine in ready if isinstance(engine, Remarking))
    return EngineSet(spec, tuple(ready), portions, tuple(failures), tuple(not_compared), remarking)


def engine_set_of(plan: Plan) -> EngineSet:
    """The plan's robot in its engines, made in this process."""
    return make_engine_set(plan.spec, plan.engines, plan.quantities, plan.is_compiled)


def _name(request: str | Engine | EngineRequest) -> str:
    return request if isinstance(request, str) else request.name


def quantity_groups(spec: RobotSpec, quantities: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Those quantities that have entries, group by group; the one that is as long as all others of its group is alone."""
    names = [name for name in quantities if _has_entries(spec, name)]
    portions: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: ORDER.index(_portion_name(name))):
        portions.setdefault(_portion_name(name), []).append(name)
    yield from map(tuple, portions.values())


def _portion(spec: RobotSpec, quantities: tuple[str, ...], engines: Sequence[Engine], compile_code: bool) -> Portion:
    in_house = InHouse(spec, quantities, compile_code)
    taking_part: list[tuple[str, Participant | None]] = []
    for engine in engines:
        itself = isinstance(engine, ReferenceEngine)
        taking_part += [(engine.name, part) for part in ([None] if itself else participants(engine, in_house))]
    ratios = {engine.name: ratio for engine in engines if (ratio := precision_ratio(engine)) > 1.0}
    return Portion(in_house, in_house.truth(), tuple(taking_part), ratios)


def _portion_name(quantity: str) -> str:
    return ALONE if quantity == ALONE else QUANTITIES[quantity].group


def _has_entries(spec: RobotSpec, quantity: str) -> bool:
    shape = QUANTITIES[quantity].shape
    if QUANTITIES[quantity].group is QuantityGroup.CONSTRAINTS and not sizes(spec).constraints:
        return False
    return shape is None or 0 not in shape(sizes(spec))
