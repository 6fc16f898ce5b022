"""Engines with a fault: it is seen, and only in the quantity that has it."""

from __future__ import annotations

from pathlib import Path

from leapcheck.api.comparison_run import read_run
from leapcheck_evidence.soak.draws import c_library, choice, robot
from leapcheck_evidence.soak.program import Ended, leftovers, run
from leapcheck_evidence.soak.record import CaseResult, Rng

PYTHON_ENGINE = """
import numpy as np
import leapcheck_reference as reference
class Soak:
    def __init__(self, spec):
        self.tree, self.calls = reference.build(spec), 0
    def wrong(self, right, q):
        right = np.array(right)
        self.calls += 1
        if {when}:
            right {change}
        return right
    def mass_matrix(self, q):
        right = reference.mass_matrix(self.tree, q)
        return self.wrong(right, q) if "mass_matrix" == "{quantity}" else right
    def bias_force(self, q, v):
        right = reference.bias_force(self.tree, q, v)
        return self.wrong(right, q) if "bias_force" == "{quantity}" else right
    def kinetic_energy(self, q, v):
        right = reference.kinetic_energy(self.tree, q, v)
        return self.wrong(right, q) if "kinetic_energy" == "{quantity}" else right
"""
QUANTITIES = ("mass_matrix", "bias_force", "kinetic_energy")
WHEN = ("True", "q[-1] > 0", "q[0] < 0", "self.calls % 7 == 0", "np.sin(40 * q[-1]) > 0.8")
CHANGES = ("*= 1 + {eps}", "+= {eps} * (1 + abs(right))", "-= {eps} * (1 + abs(right))")


def fault_case(rng: Rng, folder: Path) -> CaseResult:
    """A relative change of 1e-6 to 1, at all states, at some, or now and then, in C or Python."""
    name, eps = robot(rng, 12), f"{10.0 ** -rng.uniform(0, 6):.3g}"
    count = str(rng.integers(200, 600))
    quantity, when, change = choice(rng, QUANTITIES), choice(rng, WHEN), choice(rng, CHANGES)
    engine = ""
    if rng.random() < 0.3:
        quantity, count = "mass_matrix", str(rng.integers(500, 50_000))
        engine = c_library(folder, name, f"if (calls % {rng.integers(1, 100)} == 0) out[0] *= 1 + {eps};")
    if not engine:
        text = PYTHON_ENGINE.format(when=when, change=change.format(eps=eps), quantity=quantity)
        (folder / "soak_engine.py").write_text(text, encoding="utf-8")
        engine = "soak_engine:Soak"
    words = ["compare", name, "--states", count, "--seed", str(rng.integers(10**6)), "--out", "out", "--engine", engine]
    words += ["--engines", "reference", "mujoco", "pinocchio", "--quantities", *QUANTITIES]
    ended = run(folder, words)
    problem = ended.problem((1,)) or leftovers(folder) or _misjudged(folder, engine, quantity, ended)
    return CaseResult(f"{quantity} by {eps}, {when}: {ended.text}", {"planted faults": 1}, problem)


def _misjudged(folder: Path, engine: str, quantity: str, ended: Ended) -> str:
    """Whether the report misses the fault or sees another, in words."""
    record = read_run(folder / "out").record
    wrong = sorted({(row.engine, row.quantity) for row in record.discrepancies})
    return "" if wrong == [(engine, quantity)] else f"{ended.text}: {quantity} is wrong, the report says {wrong}"
