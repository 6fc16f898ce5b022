"""The codes with a change in their text: read, edited and run as modules of their own."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from inspect import getsource
from types import ModuleType
from typing import Any

PACKAGE = "leapcheck_evidence.score.programs.code"

MODULES = ("rotation", "links", "poses", "newton_euler", "composite", "points", "energies", "spatial", "lagrange")
"""The codes, each after those that it imports."""

HERE = "is_here"
"""What the edited text calls to ask whether a link is among those with the fault."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the text of one function: `place` is "module.function", `old` stands there once.

    The change of an expression that stands where there is a link can be confined to some links.
    """

    place: str
    old: str
    new: str
    link: str = "link"
    """What `is_here` is asked there: an expression for the link or its number; empty for an edit of all."""


Codes = Mapping[str, Any]
"""The modules by name."""


def edited_codes(edits: Sequence[Edit], is_here: Callable[..., bool] | None = None) -> Codes:
    """The codes with the edits, each everywhere or for the links of which `is_here` is true.

    Raises ValueError for a text that does not stand in its function, or stands there twice.
    """
    modules: dict[str, ModuleType] = {}

    def importing(name: str, *rest: Any) -> Any:
        return modules.get(name) or builtins.__import__(name, *rest)

    tools = vars(builtins) | {"__import__": importing}
    for name in MODULES:
        own = [edit for edit in edits if edit.place.startswith(f"{name}.")]
        if not own and not any(_imports(name, f"{other.rpartition('.')[2]}") for other in modules):
            continue  # the code as it stands will do
        text = source(name)
        for edit in own:
            text = edited_text(text, edit)
        module = ModuleType(f"{PACKAGE}.{name}")
        module.__dict__.update({"__builtins__": tools, HERE: is_here})
        import_module(module.__name__)  # records look their module up by its name
        exec(compile(text, f"{name}, edited", "exec"), module.__dict__)  # the point of it: text of our own, changed
        modules[module.__name__] = module
    return {name: modules.get(f"{PACKAGE}.{name}") or import_module(f"{PACKAGE}.{name}") for name in MODULES}


def edited_text(text: str, edit: Edit) -> str:
    """The text of a module after an edit."""
    function = edit.place.partition(".")[2]
    start, end = _span(text, function)
    body = text[start:end]
    if body.count(edit.old) != 1:
        raise ValueError(f"'{edit.old}' stands {body.count(edit.old)} times in {edit.place}: give text that stands there once")
    new = f"(({edit.new}) if {HERE}({edit.link}) else ({edit.old}))" if edit.link else f"({edit.new})"
    return text[:start] + body.replace(edit.old, new) + text[end:]


@lru_cache
def source(name: str) -> str:
    """The text of a code as it stands."""
    return getsource(import_module(f"{PACKAGE}.{name}"))


def _imports(name: str, other: str) -> bool:
    return f"{PACKAGE}.{other} import" in source(name)


def _span(text: str, function: str) -> tuple[int, int]:
    """Where a function begins and ends in the text of its module."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            assert node.end_lineno is not None
            return sum(map(len, lines[: node.lineno - 1])), sum(map(len, lines[: node.end_lineno]))
    raise ValueError(f"no function '{function}'")
