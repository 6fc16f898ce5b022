"""Files that a model refers to: below its own folder only."""

from __future__ import annotations

from pathlib import Path


def inside(folder: Path, name: str, what: str) -> Path:
    """The file of that name below a folder, links followed; ValueError for one that lies, or leads, elsewhere."""
    if "\0" in name or not name:
        raise ValueError(f"{what} has the name {name!r:.80}: give the path of a file below the model's folder")
    if Path(name).is_absolute() or not (found := (folder / name).resolve()).is_relative_to(folder):
        raise ValueError(f"{what} {name!r:.80} lies outside the model's folder: put it below that folder, and name it from there")
    return found
