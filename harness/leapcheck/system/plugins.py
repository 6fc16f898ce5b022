"""A user's own code: a factory named module:factory or handed over, called for the object that it makes."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
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
    _add_current_folder()
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{what}: cannot import module '{module_name}': {reason_of(error)}: correct it or its name") from error
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        raise ValueError(f"{what}: module '{module_name}' has no function '{factory_name}': define it there")
    return factory, module


def has_module(name: str) -> bool:
    """Whether there is a module, in the current folder or on the path; of one in a package, whether there is the package."""
    return _top_module(name) is not None or name in sys.modules


def module_files(name: str) -> list[Path]:
    """The file of a module, or all those of the package that it is in; looked up without running any."""
    module = _top_module(name)
    if module is not None and module.submodule_search_locations:
        return [path for folder in module.submodule_search_locations for path in sorted(Path(folder).rglob("*.py"))]
    return [Path(module.origin)] if module is not None and module.origin and Path(module.origin).is_file() else []


def _top_module(name: str) -> ModuleSpec | None:
    _add_current_folder()
    try:
        return importlib.util.find_spec(name.partition(".")[0])
    except (ImportError, ValueError):  # no name, or a module that was made by hand
        return None


def _add_current_folder() -> None:
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)


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


def import_name(source: Any) -> str:
    """module:name by which a function or class can be imported again, "module:" for a module; "" for any other object.

    A script that is running goes by its file's name, if it can be imported without running again.
    """
    if isinstance(source, ModuleType):
        return f"{source.__name__}:"
    path, module = getattr(source, "__qualname__", ""), sys.modules.get(getattr(source, "__module__", None) or "")
    resolved: Any = module
    for name in path.split("."):
        resolved = getattr(resolved, name, None)
    if module is None or resolved is not source:
        return ""
    module_name = _script_name(module) if module.__name__ == "__main__" else module.__name__
    return f"{module_name}:{path}" if module_name else ""


def _script_name(script: ModuleType) -> str:
    """The name by which a script can be imported; "" where there is no file, or importing it would run it."""
    if script.__spec__ is not None:
        return str(script.__spec__.name)
    file = Path(getattr(script, "__file__", None) or "")
    is_guarded = file.is_file() and "__name__" in file.read_text(encoding="utf-8", errors="replace")
    return file.stem if is_guarded and file.stem.isidentifier() else ""
