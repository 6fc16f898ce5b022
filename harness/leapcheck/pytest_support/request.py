"""The comparison that a test asks for, by the marker `leapcheck` or the fixture `leapcheck_compare`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leapcheck.engines.protocol import Engine
    from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The user's engine, "module:factory", a class or an object with functions, and what it is compared with."""

    engine: Any
    robot: str
    against: tuple[str, ...]
    states: int
    seed: int
    quantities: tuple[str, ...]
    strict: bool = False
    sandbox: bool = False
    own_differences: bool = False

    @property
    def key(self) -> Hashable:
        """Equal for equal requests; an object counts by its identity, and must be kept alive beside the key."""
        return *self.engine_key, self.against, self.states, self.seed, self.strict, self.own_differences

    @property
    def engine_key(self) -> tuple[Hashable, ...]:
        """Equal for requests of equal engines, as `key` is."""
        return self.engine if isinstance(self.engine, str) else id(self.engine), self.robot, self.quantities

    def make_engine(self) -> Engine:
        """The user's engine. Raises EngineError in one line where it cannot be made or lacks a quantity that is asked for."""
        from leapcheck.engines.errors import EngineError
        from leapcheck.engines.outside.load import load_engine
        from leapcheck.quantities import QUANTITIES
        from leapcheck.robots.load import load

        spec = load(self.robot)
        engine = self._in_sandbox(spec) if self.sandbox else load_engine(self.engine, spec)
        named = [name for name in self.quantities if name in QUANTITIES]  # a group asks for what of it there is
        if missing := [name for name in named if name not in engine.quantities]:
            raise EngineError(f"engine '{engine.name}' cannot answer {missing[0]}: give it that function, or do not ask for it")
        return engine

    def _in_sandbox(self, spec: RobotSpec) -> Engine:
        from leapcheck.engines.errors import EngineError
        from leapcheck.engines.outside.sandbox import SandboxRequest, sandbox_request

        try:
            engine = sandbox_request(self.engine, spec)
        except ValueError as error:
            raise EngineError(str(error)) from None
        return engine.build() if isinstance(engine, SandboxRequest) else engine


def comparison_request(
    engine: Any,
    robot: str = "mini_cheetah",
    *,
    against: Sequence[str] = ("reference",),
    states: int = 256,
    seed: int = 0,
    quantities: Sequence[str] = (),
    strict: bool = False,
    own_differences: bool = False,
) -> ComparisonRequest:
    """The request in the arguments of the marker or the fixture."""
    names = _names(quantities)
    return ComparisonRequest(engine, robot, _names(against), states, seed, names, strict, own_differences=own_differences)


def _names(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
