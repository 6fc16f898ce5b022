"""The user's engine by the word that names it."""

from __future__ import annotations

from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.target import target
from leapcheck.engines.protocol import Engine
from leapcheck_models.spec import RobotSpec


def load_engine(name: str, spec: RobotSpec) -> Engine:
    """The engine that a word of the command line names, holding the robot.

    A library, a program, module:factory, an entry point of the group `leapcheck.engines`, recorded data, or a .toml that
    describes one of these. ValueError for a word that names nothing; EngineError where what it names cannot be used.
    """
    at = target(name)
    if at.kind == "data":
        from leapcheck.engines.outside.recorded import RecordedEngine

        return RecordedEngine(at, spec)
    if at.kind == "library" and not at.path.is_file():
        raise EngineError(f"engine '{name}': library '{at.path}' does not exist or is no file: build it, or correct its path")
    from leapcheck.engines.outside.engine import OutsideEngine

    return OutsideEngine(at, spec)
