"""What it costs that a Monte Carlo lumps the rotors: the same jump with exact rotors, nothing varied."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from leapcheck.engines.mujoco_loop import MujocoLoop
from leapcheck.jump.robustness.control import Trial
from leapcheck.jump.robustness.loop import recorded
from leapcheck.jump.robustness.outcome import body_of, outcome
from leapcheck.jump.robustness.variation import NOTHING, drawn


@dataclass(frozen=True, slots=True, eq=False)
class ArmatureCost:
    """Figures of the jump with exact and with lumped rotors, by name; `failure`: why the exact ones could not be had."""

    exact: Mapping[str, float]
    armature: Mapping[str, float]
    failure: str = ""

    def relative(self, name: str) -> float:
        """By what part the lumped robot's figure is larger; NaN where one of them is missing."""
        exact, armature = self.exact.get(name, math.nan), self.armature.get(name, math.nan)
        return armature / exact - 1.0 if exact else math.nan

    @property
    def sentence(self) -> str:
        """The cost in words."""
        if self.failure:
            return f"What lumping the rotors costs is not known: {self.failure}."
        shown = [
            f"{label} {self.armature[name]:.4g} {unit} for {self.exact[name]:.4g} ({100 * self.relative(name):+.2g} %)"
            for name, label, unit in (("take_off_speed", "take-off speed", "m/s"), ("rise", "rise", "m"))
            if math.isfinite(self.relative(name))
        ]
        if not shown:
            return "Rotors are lumped, as armature; what that costs is not known: it does not take off with both."
        return f"Rotors are lumped, as armature: {', '.join(shown)} with exact rotors."


def armature_cost(trial: Trial, armature: Mapping[str, float]) -> ArmatureCost | None:
    """The cost beside the lumped robot's figures; None for a robot without rotors."""
    if not any(body.rotor for body in trial.spec.bodies):
        return None
    draws = drawn(NOTHING, 0, range(1))
    try:
        loop = MujocoLoop(trial.spec, trial.contact, trial.dt, draws, trial.start, rotors="exact")
    except ValueError as error:  # MuJoCo cannot have every rotor
        return ArmatureCost({}, armature, str(error))
    run = recorded(trial, draws, 0, math.inf, loop)[0]
    return ArmatureCost(outcome(body_of(trial.spec), run).figures, armature, run.stopped)
