"""Robustness: the same jump many times with drawn deviations; how many succeed, and why the others fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from leapcheck.jumping.control import Policy, Timing
from leapcheck.jumping.judging.thresholds import Thresholds
from leapcheck.jumping.measures.figures import pitch_and_roll
from leapcheck.jumping.planning.records import JumpPlan
from leapcheck.jumping.policies import Trajectory
from leapcheck.jumping.robustness.control import Trial, tabulate
from leapcheck.jumping.robustness.loop import recordings
from leapcheck.jumping.robustness.outcome import FIGURE_NAMES, SHORTEST_RUN, TrialOutcome, causes, outline_of
from leapcheck.jumping.robustness.series import series_outcome
from leapcheck.jumping.robustness.statistics import Cause, Driver, ranked_causes, ranked_drivers, success_interval
from leapcheck.jumping.robustness.units import outcomes, run_outcomes
from leapcheck.jumping.robustness.variation import NOTHING, PARAMETERS, Variation, draw
from leapcheck.simulators.mujoco.loop import MujocoLoop
from leapcheck.simulators.protocol import Draws
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.soft_contact import SoftContact

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int], None]

TIME_ALONE = (JumpPlan, Trajectory)
"""Policies that leave the state to their gains."""


@dataclass(frozen=True, slots=True, eq=False)
class LumpingCost:
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


@dataclass(frozen=True, slots=True, eq=False)
class MonteCarlo:
    """The result of `count` jumps.

    `interval`: Clopper-Pearson's, 95 %, of the success probability. `causes` and `drivers` ranked. `samples` has a row for each
    simulation: what was drawn, its figures (of jumps in a row those of the first that fails, else of the first), `success`,
    `causes`. `nominal`: figures with nothing varied, and why it would fail. `worst`: number of the worst simulation, for
    `replay.replayed`. `floor_time` s: from when the ground is where the robot lands. `lumping_cost`: None for a robot without
    rotors. `seconds` that all took.
    """

    trial: Trial
    count: int
    seed: int
    variation: Variation
    floor_time: float
    successes: int
    interval: tuple[float, float]
    causes: tuple[Cause, ...]
    drivers: tuple[Driver, ...]
    samples: pd.DataFrame
    nominal: TrialOutcome
    nominal_causes: tuple[str, ...]
    worst: int
    armature_cost: LumpingCost | None
    seconds: float

    @property
    def rate(self) -> float:
        """Successes over count."""
        return self.successes / self.count


def trial_of(
    spec: RobotSpec,
    policy: Policy,
    start: tuple[Floats, Floats],
    duration: float,
    contact: SoftContact = SoftContact(),
    timing: Timing = Timing(),
    battery: Battery = Battery(),
    dt: float = 1e-3,
    make_policy: Callable[[], Policy] | None = None,
) -> Trial:
    """The jump that is to be repeated.

    A plan and a trajectory are asked once for all simulations. Of any other policy each simulation needs its own:
    `make_policy` makes it, here or in another process (`partial(user_policy, target, spec)`); ValueError where it is missing.
    """
    if make_policy is None and not isinstance(policy, TIME_ALONE):
        raise ValueError("a controller that uses the state must be created anew for each simulation: give make_policy")
    control = make_policy or tabulate(policy, start, timing, dt, round(duration / dt))
    return Trial(spec, control, start, duration, contact, timing, battery, dt)


def monte_carlo(
    trial: Trial,
    count: int,
    seed: int = 0,
    variation: Variation = Variation(),
    workers: int = 1,
    progress: Progress | None = None,
    thresholds: Thresholds = Thresholds(),
    height: float | None = None,
) -> MonteCarlo:
    """Jumps `count` times and judges each by the NO-GO thresholds; the same result for any number of workers.

    `height` m is what the jump should reach, by default what it reaches with nothing varied. Raises ValueError for a count
    or workers below 1, a jump of no length, or a variation that leaves no friction.
    """
    _check(trial, count, variation, workers)
    began = perf_counter()
    nominal = outcomes(trial, NOTHING, seed, np.inf, range(1))[0]
    floor_time = apex_time(nominal, trial)
    runs = run_outcomes(trial, variation, seed, floor_time, count, workers, progress)
    wanted = nominal.figures["height"] if height is None else height
    judged = [_judged_jump(trial, one, wanted, thresholds) for one in runs]
    runs, why = [one for one, _ in judged], [of_run for _, of_run in judged]
    success = np.array([not of_run for of_run in why])
    samples = _samples(trial, draw(variation, seed, range(count)), runs, why)
    names = [name for name in PARAMETERS if name != "voltage" or any(actuator.motor for actuator in trial.spec.actuators)]
    centre = np.array([_as_meant(trial, draw(NOTHING, seed, range(1)))[name][0] for name in names])
    values = samples[names].to_numpy(dtype=float)
    return MonteCarlo(
        trial=trial,
        count=count,
        seed=seed,
        variation=variation,
        floor_time=floor_time,
        successes=int(success.sum()),
        interval=success_interval(int(success.sum()), count),
        causes=ranked_causes(why),
        drivers=ranked_drivers(names, values, centre, success, samples["rise"].to_numpy(dtype=float)),
        samples=samples,
        nominal=nominal,
        nominal_causes=_judged_jump(trial, nominal, wanted, thresholds)[1],
        worst=worst_of(runs, why),
        armature_cost=lumping_cost(trial, nominal.figures),
        seconds=perf_counter() - began,
    )


def apex_time(nominal: TrialOutcome, trial: Trial) -> float:
    """When (s) a run is at its highest; infinite where it does not leave the ground."""
    figures = nominal.figures
    time = figures["take_off_time"] + figures["take_off_speed"] / float(np.linalg.norm(trial.spec.gravity))
    return float(np.inf if np.isnan(time) else time)


def worst_of(runs: Sequence[TrialOutcome], why: Sequence[tuple[str, ...]]) -> int:
    """The run with the most causes of failure, one that diverged before all; among equals the one that rises least."""

    def badness(number: int) -> tuple[bool, int, float, int]:
        rise = runs[number].figures["rise"]
        return bool(runs[number].stopped), len(why[number]), -(-np.inf if np.isnan(rise) else rise), -number

    return max(range(len(runs)), key=badness)


def _judged_jump(trial: Trial, run: TrialOutcome, height: float, thresholds: Thresholds) -> tuple[TrialOutcome, tuple[str, ...]]:
    """(outcome, why it failed) of a run; of jumps in a row those of the first that fails, or of the first."""
    for jump in (run, *run.later):
        if why := _causes(trial, jump, height, thresholds):
            return jump, why
    return run, ()


def _causes(trial: Trial, run: TrialOutcome, height: float, thresholds: Thresholds) -> tuple[str, ...]:
    """Why a run of that jump failed."""
    pitch = pitch_and_roll(trial.start[0][3:7])[0]
    goal = (trial.landing, trial.turn, pitch, trial.yaw, trial.roll, trial.far_edge, trial.run_up)
    return causes(run, height, thresholds, *goal)


def _check(trial: Trial, count: int, variation: Variation, workers: int) -> None:
    if count < 1 or workers < 1:
        raise ValueError(f"a Monte Carlo of {count} jumps in {workers} processes: give 1 or more of each")
    if trial.steps < SHORTEST_RUN:
        raise ValueError(
            f"a Monte Carlo of jumps of {trial.duration:g} s in steps of {trial.dt:g} s: give {SHORTEST_RUN} steps or more"
        )
    if variation.friction >= trial.contact.friction:
        raise ValueError(
            f"variation of friction is {variation.friction:g}, the ground's friction {trial.contact.friction:g}: "
            "give less, so that some is left"
        )


def _as_meant(trial: Trial, draws: Draws) -> dict[str, Floats]:
    """What was drawn, as a reader means it: the friction itself, all else as in `Draws`."""
    columns = {name: np.asarray(getattr(draws, name)) for name in PARAMETERS}
    return columns | {"friction": trial.contact.friction + draws.friction}


def _samples(trial: Trial, draws: Draws, runs: Sequence[TrialOutcome], why: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    import pandas as pd  # here: it takes long to import

    columns: dict[str, object] = dict(_as_meant(trial, draws))
    columns |= {name: np.array([one.figures[name] for one in runs]) for name in FIGURE_NAMES}
    columns |= {"stopped": np.array([one.stopped for one in runs]), "success": [not of_run for of_run in why]}
    columns["causes"] = ["; ".join(of_run) for of_run in why]
    return pd.DataFrame(columns, index=pd.RangeIndex(len(runs), name="simulation"))


def lumping_cost(trial: Trial, armature: Mapping[str, float]) -> LumpingCost | None:
    """The cost beside the lumped robot's figures; None for a robot without rotors."""
    if not any(body.rotor for body in trial.spec.bodies):
        return None
    draws = draw(NOTHING, 0, range(1))
    try:
        loop = MujocoLoop(trial.spec, trial.contact, trial.dt, draws, trial.start, rotors="exact", terrain=trial.terrain)
    except ValueError as error:  # MuJoCo cannot have every rotor
        return LumpingCost({}, armature, str(error))
    run = recordings(trial, draws, 0, math.inf, loop)[0]
    return LumpingCost(series_outcome(outline_of(trial.spec, trial.terrain), run, trial).figures, armature, run.stopped)
