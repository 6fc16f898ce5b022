"""Engines without a fault: no false alarm, and the same bytes from any number of processes and any width of vectors."""

from __future__ import annotations

from pathlib import Path

from leapcheck_evidence.soak.draws import c_library, choice, robot, states
from leapcheck_evidence.soak.program import leftovers, run
from leapcheck_evidence.soak.record import CaseResult, Rng

PYTHON_ENGINE = """
from functools import partial
import leapcheck_reference as reference
NAMES = ("mass_matrix", "bias_force", "gravity_force", "forward_dynamics", "potential_energy", "contact_jacobians")
def make(spec):
    tree = reference.build(spec)
    return {name: partial(getattr(reference, name), tree) for name in NAMES}
"""


def clean_case(rng: Rng, folder: Path) -> CaseResult:
    """All built-in engines, sometimes one of C or Python beside them: they agree."""
    kind = choice(rng, ("built-in", "built-in", "C", "Python"))
    name = robot(rng, 40 if kind == "built-in" else 16)
    count = states(rng, 100, 500) if kind == "Python" else states(rng, 5_000, 500_000)
    words = ["compare", name, "--states", str(count), "--seed", str(rng.integers(10**6)), "--out", "out"]
    if kind == "Python":
        (folder / "soak_engine.py").write_text(PYTHON_ENGINE, encoding="utf-8")
        words += ["--engine", "soak_engine:make"]
    elif kind == "C" and (library := c_library(folder, name)):
        words += ["--engine", library]
    ended = run(folder, [*words, "--workers", str(rng.integers(1, 3))])
    return CaseResult(f"{kind}: {ended.text}", {"clean states": count}, ended.problem((0,)) or leftovers(folder))


def repeat_case(rng: Rng, folder: Path) -> CaseResult:
    """The same comparison by other means: processes, AVX2 for AVX-512; the same bytes."""
    name, count = robot(rng, 20), states(rng, 500, 60_000)
    words = ["compare", name, "--states", str(count), "--seed", str(rng.integers(10**6)), "--out", "out"]
    first = run(folder, [*words, "--workers", "1"])
    record = (folder / "out" / "results.json").read_bytes() if (folder / "out" / "results.json").exists() else b""
    width = str(choice(rng, (2, 4)))
    second = run(folder, [*words, "--workers", str(rng.integers(1, 4))], {"LEAPCHECK_VECTOR_WIDTH": width})
    problem = first.problem((0,)) or second.problem((0,)) or leftovers(folder)
    if not problem and (folder / "out" / "results.json").read_bytes() != record:
        problem = f"{second.text}: other bytes than with one process and the widest vectors"
    return CaseResult(f"vectors of {width}: {second.text}", {"repeated runs": 1, "clean states": 2 * count}, problem)
