"""The comparison that a test asks for, by the marker `leapcheck` or the fixture `leapcheck_compare`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leapcheck.compare.plan import Plan
    from leapcheck.engines.protocol import Engine
    from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class Asked:
    """One engine of the user's, "module:factory", a class or an object with functions, against others of ours."""

    engine: Any
    robot: str
    against: tuple[str, ...]
    states: int
    seed: int
    quantities: tuple[str, ...]

    @property
    def key(self) -> Hashable:
        """What tells it from others; an object is told by its identity, and must be kept alive beside the key."""
        engine = self.engine if isinstance(self.engine, str) else id(self.engine)
        return engine, self.robot, self.against, self.states, self.seed, self.quantities


def asked(
    engine: Any,
    robot: str = "mini_cheetah",
    *,
    against: Sequence[str] = ("reference",),
    states: int = 256,
    seed: int = 0,
    quantities: Sequence[str] = (),
) -> Asked:
    """What the arguments of the marker, or of the fixture, ask for."""
    return Asked(engine, robot, _names(against), states, seed, _names(quantities))


def own_engine(what: Asked, spec: RobotSpec) -> Engine:
    """The user's engine. Raises EngineError in one line where it cannot be made or cannot answer what is asked."""
    from leapcheck.engines.errors import EngineError
    from leapcheck.engines.outside.load import load_engine
    from leapcheck.engines.user import user_engine
    from leapcheck.quantities import QUANTITIES

    if isinstance(what.engine, str):
        own: Engine = load_engine(what.engine, spec)
    else:
        made = what.engine(spec) if isinstance(what.engine, type) else what.engine
        own = user_engine(made, spec)
    missing = [name for name in what.quantities if name in QUANTITIES and name not in own.quantities]
    if missing:
        raise EngineError(f"engine '{own.name}' cannot answer {missing[0]}: give it that function, or do not ask for it")
    return own


def plan_of(what: Asked) -> Plan:
    """The plan of the comparison; ValueError or OSError where robot, quantities or states are wrong."""
    from leapcheck.compare.plan import Plan
    from leapcheck.quantities import QUANTITIES
    from leapcheck.robot_files import load

    spec = load(what.robot)
    own = own_engine(what, spec)
    quantities = what.quantities or tuple(name for name in QUANTITIES if name in own.quantities)
    recorded = getattr(own, "states", None)  # a recording is compared at its own
    return Plan(what.robot, spec, (*what.against, own), quantities, what.states, what.seed, states=recorded)


def _names(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
