"""The record of one finding."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: `place` names the element ("body 'FR_hip'"), `remedy` says what to do."""

    rule: str
    severity: Severity
    place: str
    message: str
    remedy: str
