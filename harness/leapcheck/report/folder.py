"""Files of a report, written together or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from leapcheck.system.whole_file import naming


def check_folder(folder: Path, names: Iterable[str]) -> None:
    """Raises OSError where files of these names cannot stand in `folder`: it is a file, or a folder has a file's name."""
    paths = [folder / name for name in names]
    for place in dict.fromkeys([*(path.parent for path in paths), folder, *folder.parents]):
        if place.exists() and not place.is_dir():
            raise NotADirectoryError(f"'{place}' is a file: name another folder for the report")
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(f"'{path}' is a folder where the report's file should stand: move it away")


def write_together(folder: Path | str, contents: Mapping[str, str | bytes], old: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Write the contents by their names, which may have a subfolder, into `folder` (made where missing); return their paths.

    They are written to a hidden folder inside `folder`, thus on the same file system, and moved once all are complete: what
    fails leaves no file behind, half or whole, and no new folder. `old` are files of an earlier report that go then, with
    their folder where it is left empty; other files stay. Raises OSError where the folder cannot be made or written.
    """
    folder = Path(folder)
    check_folder(folder, contents)
    new_folders = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        scratch = Path(tempfile.mkdtemp(prefix=".leapcheck-", dir=folder))
        try:
            for name, content in contents.items():
                (scratch / name).parent.mkdir(exist_ok=True)
                _write(scratch / name, content, folder / name)
            for path in (old := list(old)):
                path.unlink(missing_ok=True)
            for name in contents:
                (folder / name).parent.mkdir(exist_ok=True)
                (scratch / name).replace(folder / name)
        finally:
            shutil.rmtree(scratch)
    except BaseException:
        for place in new_folders:
            place.rmdir()
        raise
    for place in {path.parent for path in old} - {folder}:
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()
    return tuple(folder / name for name in contents)


def _write(scratch: Path, content: str | bytes, path: Path) -> None:
    """Writes what will be moved to `path`, which an OSError names."""
    try:
        scratch.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise naming(error, path) from error
