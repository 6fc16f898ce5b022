"""Whether the judge names the planted fault."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leapcheck.records import CauseRow, Diagnosis
from leapcheck_evidence.score.planting.fault import Fault


def is_named(faults: Sequence[Fault], diagnoses: Sequence[Diagnosis]) -> bool:
    """Whether the diagnoses of one engine name every fault and nothing else, and leave nothing unexplained.

    Of each diagnosis the causes or one set of its alternatives counts; not every quantity needs to show every fault.
    """
    named: set[int] = set()
    for diagnosis in diagnoses:
        right = [numbers for causes in choices(diagnosis) if (numbers := named_faults(faults, causes)) is not None]
        if not right or diagnosis.unexplained:
            return False
        named |= max(right, key=len)
    return named == set(range(len(faults)))


def choices(diagnosis: Diagnosis) -> list[tuple[CauseRow, ...]]:
    """The sets of causes that a diagnosis offers."""
    return [diagnosis.causes, *diagnosis.alternatives]


def named_faults(faults: Sequence[Fault], causes: Sequence[CauseRow]) -> set[int] | None:
    """The numbers of the faults that the causes name; None where there are no causes, or one is none of the faults."""
    matched = [numbers for cause in causes for numbers in _matched(faults, cause.name)]
    return set().union(*matched) if matched and all(matched) else None


def _matched(faults: Sequence[Fault], name: str) -> list[set[int]]:
    """The numbers of the faults that a name means: as a whole, or what it says of each limb."""
    whole = {i for i, fault in enumerate(faults) if _matches(fault, name)}
    return [whole] if whole else [{i for i, fault in enumerate(faults) if _matches(fault, one)} for one in _single_names(name)]


def _single_names(name: str) -> list[str]:
    """What a cause's name says of each limb: "mass/FR_hip+HL_hip" is "mass/FR_hip" and "mass/HL_hip"."""
    kind, slash, of = name.partition("/")
    return [f"{kind}{slash}{one}" for one in of.split("+")]


def _matches(fault: Fault, name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in fault.names)
