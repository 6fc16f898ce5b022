"""Torques of actuators by other control laws: without gear, limits, or what depends on position and speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_reference import actuator_torques, build
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.links import TreeLaw

TORQUES = "actuator_torques"

Change = Callable[[TreeLaw], TreeLaw]


def _at_joint(law: TreeLaw) -> TreeLaw:
    """Limits of the command as those of the joint's torque, which is gear times as large."""
    if law.control_limits is None or law.gear == 0.0:
        return law
    low, high = sorted(limit / law.gear for limit in law.control_limits)
    return replace(law, control_limits=(low, high))


FORMS: dict[str, tuple[str, Change]] = {
    "no-gear": ("the gear is left out", lambda law: replace(law, gear=1.0)),
    "no-control-limits": ("commands are not limited to their range", lambda law: replace(law, control_limits=None)),
    "no-force-limits": ("forces are not limited to their range", lambda law: replace(law, force_limits=None)),
    "no-limits": ("nothing is limited", lambda law: replace(law, control_limits=None, force_limits=None)),
    "limits-at-joint": ("the command's range is taken for that of the torque at the joint, behind the gear", _at_joint),
    "no-speed": (
        "the speed has no effect (kv, or a motor's back-emf)",
        lambda law: replace(law, bias=(law.bias[0], law.bias[1], 0.0)),
    ),
    "no-position": ("the position has no effect (kp)", lambda law: replace(law, bias=(law.bias[0], 0.0, law.bias[2]))),
    "no-bias": ("only the command has an effect", lambda law: replace(law, bias=(0.0, 0.0, 0.0))),
    "no-gain": ("the gain is left out", lambda law: replace(law, gain=1.0)),
}
"""Name, words and the law of each actuator."""


def actuation_forms(belief: Belief) -> Iterator[Hypothesis]:
    """Torques by each other kind of law, where a robot's own laws are not of that kind."""
    if TORQUES not in belief.evidence.quantities:
        return
    laws = belief.evidence.tree.laws
    for name, (words, change) in FORMS.items():
        if any(change(law) != law for law in laws):
            edit = edit_answers((TORQUES,), partial(_by_laws, change))
            yield convention(f"actuation/{name}", f"{QUANTITIES[TORQUES].label}: {words}", answer_edit=edit)


def _by_laws(change: Change, view: AnswerView, _values: Floats) -> Floats:
    tree, read = build(view.spec), view.read
    with np.errstate(all="ignore"):
        changed = replace(tree, laws=tuple(map(change, tree.laws)))
        return evaluate_batch(actuator_torques, changed, read.q, read.v, read.tau)
