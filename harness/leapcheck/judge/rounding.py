"""What leaves no cause to be found: numbers that are not finite."""

from __future__ import annotations

import numpy as np

from leapcheck.judge.belief import Hypothesis
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.words import listed
from leapcheck.quantities import QUANTITIES


def not_finite(evidence: Evidence) -> Hypothesis | None:
    """Answers that hold NaN or infinity: how many numbers of which quantities, and at what kinds of states."""
    flags = {name: ~np.isfinite(answers.reshape(len(answers), -1)) for name, answers in evidence.answers.items()}
    bad = {name: entries for name, entries in flags.items() if entries.any()}
    if not bad:
        return None
    at = np.any([entries.any(axis=1) for entries in bad.values()], axis=0)
    kinds = sorted({evidence.states.kind[i] for i in np.flatnonzero(at)})
    count, of = (sum(int(count) for count in counts) for counts in zip(*((x.sum(), x.size) for x in bad.values()), strict=True))
    labels = listed(QUANTITIES[name].label for name in bad)
    details = f"{count} of {of} numbers of {labels}, at {int(at.sum())} of {len(at)} states ({', '.join(kinds)})"
    return Hypothesis("engine/not-finite", "engine", f"{evidence.engine.name} answers NaN or infinity", details=details)
