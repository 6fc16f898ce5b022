"""What parts of a long comparison yielded, kept in a folder: a killed run goes on from there, shards meet there.

A part is one job of the plan (`plan.jobs`). Its file appears whole or not at all, and says which run it belongs to; one that is
damaged counts as missing and is made again. Nothing in it is code: arrays without pickles, and JSON.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.compare.bench import Outcome
from leapcheck.compare.identity import Identity, difference, digest
from leapcheck.compare.records import Failure
from leapcheck.compare.tally import PEAK_FIELDS, Peak, Row, Tally
from leapcheck.npz import UNREADABLE, arrays_of
from leapcheck.whole_file import write_whole

FOLDER = "parts"
"""Name of the folder in that of the report."""

RUN_FILE = "run.json"
"""What the parts in a folder are parts of."""

PEAKS = ("absolute", "rounding")
ARRAYS = ("near", "error", "tolerance", "kind_states", "kind_error", "kind_rounding", "kind_verdict", "histogram", "sample")

DAMAGED = (*UNREADABLE, IndexError)
"""What reading a file may raise that is no part, or no longer."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The finished parts of a run in `folder`."""

    folder: Path
    identity: Identity

    def write(self, number: int, outcome: Outcome) -> None:
        """Keeps what a part yielded; the file appears whole or not at all.

        Raises OSError where it cannot be written.
        """
        write_whole(self._path(number), outcome_bytes(outcome, digest(self.identity)))

    def read(self, number: int) -> Outcome | None:
        """What a part yielded; None where its file is missing, damaged, or another run's."""
        try:
            return outcome_of(self._path(number).read_bytes(), digest(self.identity))
        except DAMAGED:
            return None

    def finished(self, count: int) -> list[int]:
        """Numbers of the `count` parts that are there and whole."""
        return [number for number in range(count) if self._path(number).is_file() and self.read(number) is not None]

    def remove(self) -> None:
        """Takes the folder away; a kill meanwhile leaves no folder that looks like a run's."""
        gone = Path(tempfile.mkdtemp(prefix=".leapcheck-", dir=self.folder.parent))
        self.folder.replace(gone / FOLDER)
        shutil.rmtree(gone)

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.npz"


def parts_in(folder: Path, identity: Identity, goes_on: bool) -> Parts:
    """The parts of a run in a folder, which is made where it is missing.

    `goes_on`: parts that are there are used. Raises ValueError where there are parts of another run, or of this one without
    `goes_on`: nothing that took long is thrown away unasked.
    """
    known = _identity_in(folder)
    if known is None and any(folder.glob("part-*.npz")):
        raise ValueError(f"{folder / RUN_FILE}: cannot be read, so that its parts belong to no run: delete the folder '{folder}'")
    if known is not None and (found := difference(known, identity)):
        raise ValueError(
            f"{folder / RUN_FILE}: the parts there are of another run: {found}: give another --out, or delete '{folder}'"
        )
    if known is not None and not goes_on and (count := len(list(folder.glob("part-*.npz")))):
        done = f"{count} finished part{'s' * (count != 1)} of this run"
        raise ValueError(f"{folder}: holds {done}: go on from there with --resume, or delete the folder to begin anew")
    folder.mkdir(parents=True, exist_ok=True)
    if known is None:
        write_whole(folder / RUN_FILE, (json.dumps(identity, indent=2, sort_keys=True) + "\n").encode())
    return Parts(folder, identity)


def _identity_in(folder: Path) -> Identity | None:
    """What the parts in a folder are parts of; None where that is not said."""
    try:
        found = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def outcome_bytes(outcome: Outcome, run: str) -> bytes:
    """An outcome as a .npz without pickles; `run` is the digest of what it is a part of."""
    arrays: dict[str, NDArray[Any]] = {}
    tallies = []
    for number, found in enumerate(outcome.tallies.values()):
        tallies.append(
            {"rows": [list(row) for row in found.rows], "states": found.states, "heat": [list(row) for row in found.heat]}
        )
        arrays |= {f"{number}.{name}": getattr(found, name) for name in ARRAYS}
        arrays |= {f"{number}.{peak}.{name}": getattr(getattr(found, peak), name) for peak in PEAKS for name in PEAK_FIELDS}
        arrays |= {f"{number}.heat.{k}": heat for k, heat in enumerate(found.heat.values())}
    failures = [[failure.engine, failure.quantity, failure.message] for failure in outcome.failures]
    said = {"run": run, "states": outcome.states, "tallies": tallies, "failures": failures, "seconds": outcome.seconds}
    arrays["said"] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def outcome_of(content: bytes, run: str) -> Outcome:
    """The outcome that `outcome_bytes` wrote; raises one of `DAMAGED` where the bytes are no such thing, or of another run."""
    arrays = arrays_of(io.BytesIO(content))
    said = json.loads(arrays["said"].tobytes())
    if said["run"] != run:
        raise ValueError("a part of another run")
    failures = [Failure(*map(str, failure)) for failure in said["failures"]]
    found = Outcome(int(said["states"]), failures=failures, seconds=dict(said["seconds"]))
    for number, one in enumerate(said["tallies"]):
        own = {name.removeprefix(f"{number}."): array for name, array in arrays.items() if name.startswith(f"{number}.")}
        rows = tuple(Row(*row) for row in one["rows"])
        fields: dict[str, Any] = {peak: Peak(*(own[f"{peak}.{name}"] for name in PEAK_FIELDS)) for peak in PEAKS}
        heat = {Row(*row): own[f"heat.{k}"] for k, row in enumerate(one["heat"])}
        fields |= {name: own[name] for name in ARRAYS}
        found.tallies[rows] = Tally(rows=rows, states=int(one["states"]), heat=heat, **fields)
    return found


def shard_of(text: str) -> tuple[int, int]:
    """(k, n) of "k/n": the k-th of n shards, from 1; ValueError for anything else."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError(f"--shard '{text:.40}': write it as k/n with k from 1 to n, for example 2/8")
    return int(found[1]), int(found[2])
