"""What the judge says of an engine's answers to all quantities together, as it stands in the report."""

from __future__ import annotations

from typing import NamedTuple

from leapcheck.engines.protocol import Engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.quantities import CORE
from leapcheck.sampling import generated_states
from leapcheck_models.spec import RobotSpec

STATES, SEED = 48, 3


class FullDiagnosis(NamedTuple):
    """Quantities that deviate, the causes named together (names, and words with details), other sets, what is left."""

    deviating: frozenset[str]
    names: tuple[str, ...]
    words: str
    alternatives: tuple[tuple[str, ...], ...]
    unexplained: tuple[str, ...]


def diagnose_all(spec: RobotSpec, engine: Engine, states: int = STATES) -> FullDiagnosis:
    """The judgement over all core quantities that the engine answers."""
    names = sorted(engine.quantities.intersection(CORE))
    found = diagnose(spec, engine, generated_states(spec, states, SEED, 0), names)
    if not found:
        return FullDiagnosis(frozenset(), (), "", (), ())
    (diagnosis,) = found
    return FullDiagnosis(
        frozenset(falls.quantity for falls in diagnosis.falls),
        tuple(cause.name for cause in diagnosis.causes),
        "; ".join(f"{cause.words} ({cause.details})" for cause in diagnosis.causes),
        tuple(tuple(cause.name for cause in causes) for causes in diagnosis.alternatives),
        diagnosis.unexplained,
    )


def assert_named(found: FullDiagnosis, names: tuple[str, ...], *words: str) -> None:
    """Fails unless everything that deviates is explained by causes of these names, told in these words."""
    assert found.deviating, "nothing deviates: the defect does not show"
    assert found.names == names, found
    assert not found.unexplained, found
    for word in words:
        assert word in found.words, found
