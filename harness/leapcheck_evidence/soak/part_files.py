"""Damaged parts of a run: none is accepted with other content, none ends in a traceback."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.comparison.parts import CHECKSUM_BYTES, DAMAGED, part_bytes, result_from
from leapcheck.comparison.plan import Plan, jobs
from leapcheck.comparison.results import part_result
from leapcheck.robots.load import named_robot
from leapcheck_evidence.soak.draws import choice, robot
from leapcheck_evidence.soak.program import leftovers, run
from leapcheck_evidence.soak.record import CaseResult, Rng

MUTANTS = 500
"""In a case."""

RUNS = 3
"""Of them resumed from by the command."""


def part_case(rng: Rng, folder: Path) -> CaseResult:
    """Mutants of one part read one by one, then a run resumed with damaged parts: told, and the same bytes as without."""
    name = robot(rng, 8)
    plan = Plan(named_robot(name), ("reference", "mujoco"), ("mass_matrix", "bias_force"), 300, int(rng.integers(10**6)))
    result = part_result(plan, make_engine_set(plan.spec, plan.engines, plan.quantities, compile_code=False), jobs(plan)[0])
    content, other = part_bytes(result, "run part 0"), part_bytes(result, "run part 1")
    problem = ""
    for _ in range(MUTANTS):
        kind, mutant = _mutant(rng, content, other)
        problem = problem or _wrongly_read(kind, mutant)
    problem = problem or _resumed(rng, name, folder) or leftovers(folder)
    return CaseResult(f"{name}, parts of {len(content)} bytes", {"damaged parts": MUTANTS, "resumed with damage": RUNS}, problem)


def _mutant(rng: Rng, content: bytes, other: bytes) -> tuple[str, bytes]:
    """A kind of damage and the bytes; other than `content`."""
    while True:
        kind = choice(rng, tuple(DAMAGE))
        mutant = DAMAGE[kind](rng, content, other)
        if mutant != content:
            return kind, mutant


def _flipped(rng: Rng, content: bytes) -> bytes:
    mutant = bytearray(content)
    for bit in rng.integers(8 * len(mutant), size=int(rng.integers(1, 30))):
        mutant[bit // 8] ^= 1 << int(bit % 8)
    return bytes(mutant)


def _forged(rng: Rng, content: bytes) -> bytes:
    mutant = _flipped(rng, content)[CHECKSUM_BYTES:]
    return hashlib.sha256(mutant).digest() + mutant


def _zeroed(rng: Rng, content: bytes) -> bytes:
    place, length = rng.integers(len(content)), rng.integers(1, 4096)
    return content[:place] + bytes(len(content[place : place + length])) + content[place + length :]


def _moved(rng: Rng, content: bytes) -> bytes:
    place = rng.integers(len(content))
    return content[:place] + rng.bytes(int(rng.integers(1, 9))) + content[place:]


def _mixed(rng: Rng, content: bytes, other: bytes) -> bytes:
    place = rng.integers(len(content))
    return content[:place] + other[place:]


FORGED = "checksum of its own"
DAMAGE: dict[str, Callable[[Rng, bytes, bytes], bytes]] = {
    "bits": lambda rng, content, _other: _flipped(rng, content),
    "cut": lambda rng, content, _other: content[: rng.integers(len(content))],
    "longer": lambda rng, content, _other: content + rng.bytes(int(rng.integers(1, 4096))),
    "zeros": lambda rng, content, _other: _zeroed(rng, content),
    "moved": lambda rng, content, _other: _moved(rng, content),
    "another part": lambda _rng, _content, other: other,
    "mixed": _mixed,
    "empty": lambda _rng, _content, _other: b"",
    FORGED: lambda rng, content, _other: _forged(rng, content),
}
"""What becomes of a file's bytes, given those of another part."""


def _wrongly_read(kind: str, mutant: bytes) -> str:
    """What is wrong with how a mutant is read: only one with a checksum of its own may be accepted."""
    try:
        result_from(mutant, "run part 0")
    except DAMAGED:
        return ""
    except Exception as error:  # that is what is looked for
        return f"{kind}: {type(error).__name__}: {error}"
    return "" if kind == FORGED else f"{kind}: accepted"


def _resumed(rng: Rng, name: str, folder: Path) -> str:
    """Runs whose parts are damaged before they are resumed, in words where they end otherwise than an undisturbed one."""
    words = ["compare", name, "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--states", "40000"]
    whole = run(folder, [*words, "--out", "whole", "--workers", "1"])
    if problem := whole.problem((0,)):
        return problem
    for k in ("1/1",) * RUNS:
        ended = run(folder, [*words, "--out", "damaged", "--shard", k, "--resume"])
        parts = sorted((folder / "damaged" / "parts").glob("part-*"))
        if problem := ended.problem((0,)) or ("" if len(parts) > 1 else "no parts were kept"):
            return problem
        kind, mutant = _mutant(rng, parts[0].read_bytes(), parts[1].read_bytes())
        while kind == FORGED:  # that is no damage
            kind, mutant = _mutant(rng, parts[0].read_bytes(), parts[1].read_bytes())
        parts[0].write_bytes(mutant)
        ended = run(folder, [*words, "--out", "damaged", "--resume"])
        if problem := ended.problem((0,)):
            return f"{kind}: {problem}"
        if "damaged parts were computed again: 0" not in ended.err:
            return f"{kind}: {ended.text}: does not say that a part was damaged"
        if (folder / "damaged" / "results.json").read_bytes() != (folder / "whole" / "results.json").read_bytes():
            return f"{kind}: {ended.text}: other bytes than without damage"
    return ""
