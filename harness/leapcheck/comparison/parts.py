"""What parts of a long comparison yielded, kept in a folder: a killed run continues from there, shards meet there.

A part is one job of the plan (`plan.jobs`). Its file appears whole or not at all, and says of which run it is which part; a
damaged one counts as missing and is computed again. Nothing in it is code: arrays without pickles, and JSON.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.comparison.identity import RunIdentity, difference, digest
from leapcheck.comparison.results import BlockResult
from leapcheck.comparison.tally import PEAK_FIELDS, Tally, TallyRow, WorstPeak
from leapcheck.records import Failure
from leapcheck.system.npz import UNREADABLE, arrays_of
from leapcheck.system.strict_json import dumps, dumps_line, loads
from leapcheck.system.whole_file import write_whole
from leapcheck_models.words import plural

FOLDER = "parts"
"""Name of the folder in that of the report."""

RUN_FILE = "run.json"
"""What the parts in a folder are parts of."""

PEAKS = ("absolute", "rounding")
ARRAYS = ("near", "error", "tolerance", "kind_states", "kind_error", "kind_rounding", "kind_verdict", "histogram", "sample")

DAMAGED = (*UNREADABLE, IndexError)
"""What reading a file may raise that is no part, or no longer."""

WITHOUT_LOCKS = (errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
"""What file systems say that cannot lock a folder: NFS wants a file open for writing, others nothing at all."""

CHECKSUM_BYTES = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True)
class Parts:
    """The finished parts of a run in `folder`: the numbers of those that were read or written as a whole, and of files that were
    `damaged` or another part's.
    """

    folder: Path
    identity: RunIdentity
    whole: set[int] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)

    def write(self, number: int, result: BlockResult) -> None:
        """Keeps what a part yielded; the file appears whole or not at all. Raises OSError where it cannot be written."""
        write_whole(self._path(number), part_bytes(result, self._name(number)))
        self.whole.add(number)

    def read(self, number: int) -> BlockResult | None:
        """What a part yielded; None where its file is missing, damaged, or another part's."""
        self.whole.discard(number)
        try:
            result = result_from(self._path(number).read_bytes(), self._name(number))
        except FileNotFoundError:
            return None
        except DAMAGED:
            self.damaged.add(number)
            return None
        self.whole.add(number)
        return result

    @contextmanager
    def lock(self, shared: bool) -> Iterator[None]:
        """Keeps other runs out of the folder; shards share it. Raises ValueError where another run is at work there.

        The lock goes with the process, however it ends. A file system without locks, as NFS has it for folders, keeps no one out.
        """
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            try:
                fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"{self.folder}: another run is at work there: wait for it, or give another --out") from None
            except OSError as error:
                if error.errno not in WITHOUT_LOCKS:
                    raise
            yield
        finally:
            os.close(handle)

    def remove(self) -> None:
        """Takes the folder away; a kill meanwhile leaves no folder that looks like a run's.

        The report is written by then: what cannot be removed, or is gone already, is no failure of the run.
        """
        gone = Path(tempfile.mkdtemp(prefix=".leapcheck-", dir=self.folder.parent))
        with suppress(OSError):
            self.folder.replace(gone / FOLDER)
        shutil.rmtree(gone, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}"

    def _name(self, number: int) -> str:
        """What a file says that it is."""
        return f"{digest(self.identity)} part {number}"


def parts_in(folder: Path, identity: RunIdentity, resume: bool) -> Parts:
    """The parts of a run in a folder, which is made where it is missing.

    `resume`: parts that are there are used. Raises ValueError where there are parts of another run, or of this one without
    `resume`: nothing that took long is thrown away unasked.
    """
    known = _identity_of_folder(folder)
    if known is None and any(folder.glob("part-*")):
        raise ValueError(f"{folder / RUN_FILE}: cannot be read, so the parts there cannot be used: delete the folder '{folder}'")
    if known is not None and (other := difference(known, identity)):
        raise ValueError(
            f"{folder / RUN_FILE}: the parts there belong to another run: {other}: give another --out, or delete '{folder}'"
        )
    if known is not None and not resume and (count := len(list(folder.glob("part-*")))):
        done = f"{plural(count, 'finished part')} of this run"
        raise ValueError(f"{folder}: holds {done}: continue with --resume, or delete the folder to start again")
    folder.mkdir(parents=True, exist_ok=True)
    if known is None:
        write_whole(folder / RUN_FILE, dumps(identity).encode())
    return Parts(folder, identity)


def _identity_of_folder(folder: Path) -> RunIdentity | None:
    """What the parts in a folder are parts of; None where that is not said."""
    try:
        identity = loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return identity if isinstance(identity, dict) else None


def part_bytes(result: BlockResult, name: str) -> bytes:
    """A result as a checksum and a .npz without pickles; `name` says of which run it is which part."""
    arrays: dict[str, NDArray[Any]] = {}
    tallies = []
    for number, tally in enumerate(result.tallies.values()):
        tallies.append({"rows": list(tally.rows), "states": tally.states, "heat": list(tally.heat)})
        arrays |= {f"{number}.{name}": getattr(tally, name) for name in ARRAYS}
        arrays |= {f"{number}.{peak}.{name}": getattr(getattr(tally, peak), name) for peak in PEAKS for name in PEAK_FIELDS}
        arrays |= {f"{number}.heat.{k}": heat for k, heat in enumerate(tally.heat.values())}
    failures = [[failure.engine, failure.quantity, failure.message] for failure in result.failures]
    header = {"name": name, "states": result.states, "tallies": tallies, "failures": failures, "seconds": result.seconds}
    arrays["header"] = np.frombuffer(dumps_line(header).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return hashlib.sha256(buffer.getvalue()).digest() + buffer.getvalue()


def result_from(content: bytes, name: str) -> BlockResult:
    """The result that `part_bytes` wrote; raises one of `DAMAGED` where the bytes are no such thing, or have another name."""
    checksum, archive = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    if hashlib.sha256(archive).digest() != checksum:
        raise ValueError("the checksum is another one")
    arrays = arrays_of(io.BytesIO(archive))
    header = loads(arrays["header"].tobytes())
    if header["name"] != name:
        raise ValueError(f"is {header['name']!r}, not {name!r}")
    failures = [Failure(*map(str, failure)) for failure in header["failures"]]
    result = BlockResult(int(header["states"]), failures=failures, seconds=dict(header["seconds"]))
    for number, one in enumerate(header["tallies"]):
        own = {name.removeprefix(f"{number}."): array for name, array in arrays.items() if name.startswith(f"{number}.")}
        rows = tuple(TallyRow(*row) for row in one["rows"])
        fields: dict[str, Any] = {peak: WorstPeak(*(own[f"{peak}.{name}"] for name in PEAK_FIELDS)) for peak in PEAKS}
        heat = {TallyRow(*row): own[f"heat.{k}"] for k, row in enumerate(one["heat"])}
        fields |= {name: own[name] for name in ARRAYS}
        result.tallies[rows] = Tally(rows=rows, states=int(one["states"]), heat=heat, **fields)
    return result


def shard_of(text: str) -> tuple[int, int]:
    """(k, n) of "k/n": the k-th of n shards, from 1; ValueError for anything else."""
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"--shard '{text:.40}': write it as k/n with k from 1 to n, for example 2/8")
    return int(match[1]), int(match[2])
