"""Robots of the package robot_descriptions by their names (`go2_description`), from its cache.

Its modules clone a repository when they are imported: they are read here instead, and neither run nor is anything fetched.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "robot_descriptions"
NAME = re.compile(r"[a-z0-9_]+_description")
CACHE_VARIABLE, CACHE = "ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions"
PATHS = ("URDF_PATH", "MJCF_PATH")
"""Constants of a module that name a model file; the first that it has counts."""


def description_file(name: str) -> Path | None:
    """The model file of a description; None for a name that is none.

    Raises ValueError in one line where the package, the description, its repository in the cache, or a model file is missing.
    """
    if not NAME.fullmatch(name):
        return None
    where, package = f"robot '{name:.80}'", find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise ValueError(f"{where} is a name of the package {PACKAGE}, which is not installed: pip install {PACKAGE}")
    folder = Path(package.submodule_search_locations[0])
    if not (folder / f"{name}.py").is_file():
        near = get_close_matches(name, [path.stem for path in folder.glob("*_description.py")], 1)
        raise ValueError(
            f"{where}: {PACKAGE} has no such description: " + (f"did you mean '{near[0]}'?" if near else "see its list")
        )
    constants = _constants(folder / f"{name}.py", _cache_folders(folder / "_repositories.py"))
    file = next((Path(constants[key]) for key in PATHS if key in constants), None)
    if file is None:
        raise ValueError(f"{where}: {PACKAGE} has it as a xacro alone: make a URDF of it with xacro, and give that")
    if not file.is_file():
        repository = constants.get("REPOSITORY_PATH", str(file.parent))
        remedy = f"python -c 'import {PACKAGE}.{name}' puts it there"
        raise ValueError(f"{where}: its file is not in the cache ('{repository}'), and nothing is fetched here: {remedy}")
    return file


def _cache_folders(repositories: Path) -> dict[str, str]:
    """Folder of each repository in the cache, by its name."""
    root = Path(os.environ.get(CACHE_VARIABLE, CACHE)).expanduser()
    folders: dict[str, str] = {}
    for table in (node for node in ast.walk(_tree(repositories)) if isinstance(node, ast.Dict)):
        for key, value in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(value, ast.Call):
                named = {word.arg: word.value for word in value.keywords}
                if isinstance(folder := named.get("cache_path"), ast.Constant):
                    folders[str(key.value)] = str(root / str(folder.value))
    return folders


def _constants(module: Path, folders: Mapping[str, str]) -> dict[str, str]:
    """The paths that a module's assignments name."""
    constants: dict[str, str] = {}
    for node in _tree(module).body:
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign):
            value = _value(node.value, constants, folders)
            if value is not None:
                constants[target.id] = value
    return constants


def _value(node: ast.expr | None, constants: Mapping[str, str], folders: Mapping[str, str]) -> str | None:
    """A text, a name, `path.join(...)` or `clone_to_cache(REPOSITORY, ...)`; None for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return constants.get(name)
        case ast.Call(func=ast.Attribute(attr="join"), args=arguments):
            parts = [_value(argument, constants, folders) for argument in arguments]
            return None if None in parts else str(Path(*(part for part in parts if part is not None)))
        case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=repository), *_]) if "clone_to_cache" in function:
            return folders.get(str(repository))
    return None


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))
