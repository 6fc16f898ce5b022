"""Why an engine's load of a file differs from the tree, in the judge's words."""

from __future__ import annotations

from leapcheck.comparison.plan import Plan
from leapcheck.engines.errors import EngineError
from leapcheck.engines.file_engines import FileRequest
from leapcheck.records import Diagnosis
from leapcheck.robots.load import NamedRobot
from leapcheck.study import run_comparison
from leapcheck_models.importing import ImportedRobot

QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "potential_energy", "contact_positions")
STATES = 64
LONGEST = 300
"""Letters of a reason."""

UNEXPLAINED = "unexplained"


def judged_reason(request: str, imported: ImportedRobot) -> str:
    """The causes that the judge names for a file engine; "" where it finds no discrepancy."""
    plan = Plan(NamedRobot(imported.spec), ("reference", FileRequest(request, imported)), QUANTITIES, STATES)
    try:
        run = run_comparison(plan)
    except (ValueError, EngineError) as error:
        return f"not judged: {error}"[:LONGEST]
    words = dict.fromkeys(word for diagnosis in run.diagnoses for word in _words(diagnosis))
    return "; ".join(words)[:LONGEST]


def _words(diagnosis: Diagnosis) -> list[str]:
    return [*(cause.words for cause in diagnosis.causes), *([UNEXPLAINED] if diagnosis.unexplained else [])]
