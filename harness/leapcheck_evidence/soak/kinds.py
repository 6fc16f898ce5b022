"""The kinds of cases and how often each is drawn; a case's number decides everything about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from leapcheck_evidence.soak.clean import clean_case, repeat_case
from leapcheck_evidence.soak.faults import fault_case
from leapcheck_evidence.soak.kills import kill_case
from leapcheck_evidence.soak.misbehaviour import misbehaviour_case
from leapcheck_evidence.soak.part_files import part_case
from leapcheck_evidence.soak.record import CaseResult, Rng
from leapcheck_evidence.soak.robot_files import robot_file_case

KINDS: dict[str, tuple[float, Callable[[Rng, Path], CaseResult]]] = {
    "clean": (0.24, clean_case),
    "repeated": (0.08, repeat_case),
    "faults": (0.16, fault_case),
    "misbehaviour": (0.18, misbehaviour_case),
    "kills": (0.16, kill_case),
    "parts": (0.04, part_case),
    "robot files": (0.14, robot_file_case),
}


def kind_of(seed: int, number: int) -> str:
    """The kind of a case."""
    rng = np.random.default_rng([seed, number, 0])
    return str(rng.choice(list(KINDS), p=[share for share, _ in KINDS.values()]))


def case_result(seed: int, number: int, folder: Path) -> CaseResult:
    """Runs one case in an empty folder."""
    rng = np.random.default_rng([seed, number, 1])
    return KINDS[kind_of(seed, number)][1](rng, folder)
