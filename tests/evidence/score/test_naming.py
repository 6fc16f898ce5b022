"""What counts as named rightly."""

from __future__ import annotations

import pytest

from leapcheck.records import CauseRow, Diagnosis
from leapcheck_evidence.score.naming import is_named
from leapcheck_evidence.score.planting.fault import Fault

pytestmark = pytest.mark.quick

MASS = Fault("", ("mass/FR_hip",))
COM = Fault("", ("com(-x)?/FR_hip",))
OFFSET = Fault("", ("turn(-y)?/knee", "offset/knee"))


def diagnosis(causes: str, *alternatives: str, unexplained: tuple[str, ...] = ()) -> Diagnosis:
    def rows(names: str) -> tuple[CauseRow, ...]:
        return tuple(CauseRow(name, "model", "", "") for name in names.split())

    return Diagnosis("planted", rows(causes), tuple(map(rows, alternatives)), (), unexplained, "")


@pytest.mark.parametrize(
    ("faults", "diagnoses", "named"),
    [
        ([MASS], [diagnosis("mass/FR_hip")], True),
        ([MASS], [diagnosis("mass/FR_hip_rotor")], False),
        ([MASS], [diagnosis("mass/trunk", "com/trunk", "mass/FR_hip")], True),
        ([MASS], [diagnosis("mass/FR_hip", unexplained=("csr",))], False),
        ([MASS], [diagnosis("mass/FR_hip com-x/FR_hip")], False),
        ([MASS], [diagnosis("")], False),
        ([MASS], [], False),
        ([COM], [diagnosis("com/FR_hip")], True),
        ([COM], [diagnosis("com-y/FR_hip")], False),
        ([OFFSET], [diagnosis("offset/knee")], True),
        ([MASS, Fault("", ("mass/HL_hip",))], [diagnosis("mass/FR_hip+HL_hip")], True),
        ([MASS], [diagnosis("mass/FR_hip+HL_hip")], False),
        ([MASS, OFFSET], [diagnosis("mass/FR_hip")], False),
        ([MASS, OFFSET], [diagnosis("offset/knee mass/FR_hip")], True),
        ([MASS, OFFSET], [diagnosis("gravity/size", "turn-y/knee mass/FR_hip")], True),
        ([MASS, OFFSET], [diagnosis("mass/FR_hip offset/knee"), diagnosis("offset/knee")], True),
        ([MASS, OFFSET], [diagnosis("mass/FR_hip offset/knee"), diagnosis("offset/hip")], False),
        ([MASS, OFFSET], [diagnosis("mass/FR_hip"), diagnosis("offset/knee")], True),
    ],
)
def test_the_causes_must_be_the_faults(faults: list[Fault], diagnoses: list[Diagnosis], named: bool) -> None:
    assert is_named(faults, diagnoses) is named
