"""Any engine that a user names or hands over, holding a robot."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from typing import Any, cast

from leapcheck.engines.outside.target import EngineKind, program_path, target
from leapcheck.engines.outside.user import UserEngine, user_engine
from leapcheck.engines.protocol import Engine, EngineRequest
from leapcheck.engines.registry import FACTORIES, make_engine
from leapcheck.quantities import CANONICAL
from leapcheck.system.plugins import has_module
from leapcheck_models.spec import RobotSpec


def load_engine(engine: Any, spec: RobotSpec) -> Engine:
    """The engine, holding the robot.

    `engine` is a name of `registry.FACTORIES`; another word of the command line (a library, a program, module:factory, an entry
    point of the group `leapcheck.engines`, recorded data, or a .toml that describes one of these), whose code runs in a process
    of its own; an `Engine` or `EngineRequest`; or, in this process, whatever `user_engine` takes: an object with some of the
    functions, a dict, a module, a class or a factory.

    Raises ValueError for a word that names nothing, EngineError in one line where it cannot be used, and
    NotApplicable where a built-in engine's file format cannot hold the robot.
    """
    if isinstance(engine, str):
        return make_engine(engine, spec) if engine in FACTORIES else _engine_of_word(engine, spec)
    if is_request(engine):
        return cast(EngineRequest, engine).build()
    return cast(Engine, engine) if is_engine(engine) else user_engine(engine, spec)


def check_engine_word(word: str) -> None:
    """ValueError or FileNotFoundError where a word of the command line names a file, program or module that is not there.

    Nothing of the user's is run.
    """
    if word in FACTORIES:
        return
    place = target(word)
    where, first = f"engine '{word}'", place.what[0]
    if place.kind is EngineKind.LIBRARY and not place.path.is_file():
        raise FileNotFoundError(f"{where}: library '{place.path}' does not exist or is no file: build it, or correct its path")
    if place.kind is EngineKind.PROGRAM and shutil.which(program := program_path(place)) is None:
        raise FileNotFoundError(f"{where}: there is no program '{program}': correct its path, or make it executable")
    if place.kind is EngineKind.PYTHON and not has_module(first.partition(":")[0]):
        raise ValueError(f"{where}: there is no module '{first.partition(':')[0]}' here or on the path: correct its name")


def word_of(engine: Any) -> str:
    """The word of the command line that names an engine again; "" where it exists only in Python."""
    from leapcheck.engines.outside.engine import OutsideEngine
    from leapcheck.engines.outside.recording import RecordedEngine
    from leapcheck.engines.outside.sandbox import SandboxRequest

    if isinstance(engine, OutsideEngine | RecordedEngine | SandboxRequest):
        return engine.name
    return engine if isinstance(engine, str) else ""


def is_request(engine: Any) -> bool:
    """Whether an object is an `EngineRequest`, and not dynamics that happen to have a name and a `build`."""
    has_both = isinstance(engine, EngineRequest) and isinstance(engine.name, str) and not isinstance(engine, type)
    return has_both and not any(hasattr(engine, key) for key in CANONICAL)


def is_engine(engine: Any) -> bool:
    """Whether an object has all that an `Engine` has, and states no convention that is still to be converted."""
    if isinstance(engine, UserEngine):  # its answers are converted: `conventions` says from what
        return True
    if isinstance(engine, type) or getattr(engine, "conventions", None) is not None:
        return False
    words = [getattr(engine, key, None) for key in ("name", "version", "route")]
    listed = getattr(engine, "quantities", None)
    is_listed = isinstance(listed, Collection) and not isinstance(listed, str)
    return is_listed and all(isinstance(word, str) for word in words) and callable(getattr(engine, "evaluate", None))


def _engine_of_word(word: str, spec: RobotSpec) -> Engine:
    place = target(word)
    if place.kind is EngineKind.DATA:
        from leapcheck.engines.outside.recording import RecordedEngine

        return RecordedEngine(place, spec)
    from leapcheck.engines.outside.engine import OutsideEngine

    return OutsideEngine(place, spec)
