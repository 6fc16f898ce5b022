"""Faults that show in some states only: the condition is found by asking the engine again, and said as a programmer would.

An engine that is robustly right at some states and wrong at others has a branch. Lines of states from wrong ones to right ones
are bisected; the number of the state that has the same value at all crossings is what the branch looks at. The condition must
foretell right and wrong at fresh states. Then the usual search looks for the cause at the wrong states alone.
"""

from leapcheck.judge.conditions.calls import call_dependence, differs_alone
from leapcheck.judge.conditions.diagnoses import state_dependence
from leapcheck.judge.evidence import Evidence
from leapcheck.records import Diagnosis


def dependence(whole: Evidence, is_explained: bool) -> tuple[Diagnosis, ...]:
    """Diagnoses of quantities whose errors depend on the calls before, or on the state; none where nothing foretells them.

    Where one simple fault explains all answers (`is_explained`), only those count that the engine does not give again.
    """
    if getattr(whole.engine, "states", None) is not None:  # a recording has no answers elsewhere
        return ()
    if is_explained and not differs_alone(whole):
        return ()
    return call_dependence(whole) or (() if is_explained else tuple(state_dependence(whole)))
