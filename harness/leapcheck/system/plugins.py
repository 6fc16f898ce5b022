"""A user's own code: a factory named module:factory or handed over, called for the object that it makes."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from leapcheck_models.spec import RobotSpec

MAX_REASON = 200


def load_factory(target: str, what: str, example: str) -> tuple[Callable[..., Any], ModuleType]:
    """(the factory that `target`, written module:factory, names; its module, imported from the current folder or the path).

    Raises ValueError in one line, begun with `what`, where the module or the factory is missing.
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
    return factory, module


def call_factory(factory: Callable[..., Any], spec: RobotSpec, what: str) -> Any:
    """What a factory returns, given the robot if it takes an argument; ValueError in one line, `what` first, where it raises."""
    takes_robot = takes_argument(factory)
    try:
        return factory(spec) if takes_robot else factory()
    except (Exception, SystemExit) as error:
        call = f"{name_of(factory)}({'spec' if takes_robot else ''})"
        raise ValueError(f"{what}: {call} raised {reason_of(error)}: correct it") from error


def takes_argument(factory: Callable[..., Any]) -> bool:
    """Whether it can be called with one argument; so do built-in functions without a signature."""
    try:
        inspect.signature(factory).bind(None)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def name_of(function: Callable[..., Any]) -> str:
    """Name of a function or class; that of its type for other objects that can be called."""
    return str(getattr(function, "__name__", type(function).__name__)).strip("<>")


def reason_of(error: BaseException) -> str:
    """An exception in one short line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:MAX_REASON] if text else type(error).__name__
