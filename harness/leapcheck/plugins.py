"""A user's own code, named on the command line as module:factory: imported from the current folder and asked for its object."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from leapcheck_models.spec import RobotSpec

MAX_REASON = 200


def made_by(target: str, what: str, example: str, spec: RobotSpec) -> tuple[Any, ModuleType]:
    """(what the factory of `target`, written module:factory, makes of the robot; its module).

    Raises ValueError in one line, begun with `what`, where the module or the factory is missing or raises.
    """
    module_name, _, factory_name = target.partition(":")
    if not module_name or not factory_name:
        raise ValueError(f"{what}: write it as module:factory, for example {example}")
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{what}: cannot import module '{module_name}': {reason_of(error)}: correct it or its name") from error
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        raise ValueError(f"{what}: module '{module_name}' has no function '{factory_name}': define it there")
    try:
        return factory(spec), module
    except (Exception, SystemExit) as error:
        raise ValueError(f"{what}: {factory_name}(spec) raised {reason_of(error)}: correct it") from error


def reason_of(error: BaseException) -> str:
    """An exception in one short line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:MAX_REASON] if text else type(error).__name__
