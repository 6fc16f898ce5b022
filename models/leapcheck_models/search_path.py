"""Where the files that a model file refers to may lie: below its own folder, or below folders that the user named."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

VARIABLE = "LEAPCHECK_SEARCH_PATH"
"""Environment variable with the user's folders, separated as those of PATH."""
OPTION = "--search-path"
"""The same on the command line, once for each folder."""
ROS_VARIABLE = "ROS_PACKAGE_PATH"

PACKAGE = "package://"


def search_path() -> tuple[Path, ...]:
    """The folders that the user named, links followed: those of LEAPCHECK_SEARCH_PATH, then those of ROS_PACKAGE_PATH.

    Raises ValueError where one of LEAPCHECK_SEARCH_PATH is no folder.
    """
    own = _folders(VARIABLE)
    if missing := next((folder for folder in own if not folder.is_dir()), None):
        raise ValueError(f"search path '{missing}' is no folder: name folders in --search-path or {VARIABLE}")
    return tuple(folder.resolve() for folder in (*own, *_folders(ROS_VARIABLE)) if folder.is_dir())


def add_to_search_path(folders: Iterable[str]) -> None:
    """Puts folders in front of the user's, for this process and those that it starts."""
    os.environ[VARIABLE] = os.pathsep.join([*folders, *(str(folder) for folder in _folders(VARIABLE))])


def search_words() -> list[str]:
    """The options of a command line that name the user's folders."""
    return [word for folder in _folders(VARIABLE) for word in (OPTION, str(folder))]


def _folders(variable: str) -> list[Path]:
    return [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def inside(folder: Path, name: str, what: str) -> Path:
    """The file of that name below a model's folder or, failing that, below the search path, links followed.

    `package://NAME/FILE` is NAME/FILE below the search path. ValueError for a name that lies, or leads, elsewhere.
    """
    if "\0" in name or not name:
        raise ValueError(f"{what} has the name {name!r:.80}: give the path of a file below the model's folder")
    packaged = name.startswith(PACKAGE)
    path = PurePosixPath(name.removeprefix(PACKAGE))
    allowed = (folder, *search_path())
    places = [start / path for start in (allowed[1:] if packaged else allowed)]
    inner = [place.resolve() for place in places if any(place.resolve().is_relative_to(start) for start in allowed)]
    if not inner:
        remedy = "put it below that folder, and name it from there, or name its folder in --search-path"
        raise ValueError(f"{what} {name!r:.80} lies outside the model's folder: {remedy}")
    return next((place for place in inner if place.is_file()), inner[0])
