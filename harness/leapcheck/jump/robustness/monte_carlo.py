"""Robustness: the same jump many times, each time something else being otherwise than planned; how many succeed, and why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from leapcheck.jump.control import Policy, Timing
from leapcheck.jump.judging.thresholds import Thresholds
from leapcheck.jump.planning.records import JumpPlan
from leapcheck.jump.policies import Trajectory
from leapcheck.jump.robustness.armature import ArmatureCost, armature_cost
from leapcheck.jump.robustness.control import Trial, tabulated
from leapcheck.jump.robustness.outcome import FIGURE_NAMES, SHORTEST_RUN, Outcome, causes
from leapcheck.jump.robustness.statistics import Cause, Driver, ranked_causes, ranked_drivers, success_interval
from leapcheck.jump.robustness.units import outcomes, run_outcomes
from leapcheck.jump.robustness.variation import NOTHING, PARAMETERS, Draws, Variation, drawn
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Battery
from leapcheck_reference.simulate.soft_contact import SoftContact

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

TIME_ALONE = (JumpPlan, Trajectory)
"""Policies that leave the state to their gains."""


@dataclass(frozen=True, slots=True, eq=False)
class MonteCarlo:
    """What came of `count` jumps.

    `interval`: Clopper-Pearson's, 95 %, of the success probability. `causes` and `drivers` ranked. `samples` has a row for each
    simulation: what was drawn, its figures, `success`, `causes`. `nominal`: figures with nothing varied, and why it would fail.
    `worst`: number of the worst simulation, for `replay.replayed`. `floor_time` s: from when the ground is where the
    robot lands. `armature_cost`: None for a robot without rotors. `seconds` that all took.
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
    nominal: Outcome
    nominal_causes: tuple[str, ...]
    worst: int
    armature_cost: ArmatureCost | None
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
        raise ValueError("a controller that looks at the state must be made anew for each simulation: give make_policy")
    control = make_policy or tabulated(policy, start, timing, dt, round(duration / dt))
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
    found = run_outcomes(trial, variation, seed, floor_time, count, workers, progress)
    wanted = nominal.figures["height"] if height is None else height
    trunk = tuple(point.name for point in trial.spec.contact_points if point.computed and point.body == trial.spec.bodies[0].name)
    why = [causes(one, wanted, thresholds, trunk) for one in found]
    success = np.array([not of_run for of_run in why])
    samples = _samples(trial, drawn(variation, seed, range(count)), found, why)
    centre = np.array([_as_meant(trial, drawn(NOTHING, seed, range(1)))[name][0] for name in PARAMETERS])
    values = samples[list(PARAMETERS)].to_numpy(dtype=float)
    return MonteCarlo(
        trial=trial,
        count=count,
        seed=seed,
        variation=variation,
        floor_time=floor_time,
        successes=int(success.sum()),
        interval=success_interval(int(success.sum()), count),
        causes=ranked_causes(why),
        drivers=ranked_drivers(PARAMETERS, values, centre, success, samples["rise"].to_numpy(dtype=float)),
        samples=samples,
        nominal=nominal,
        nominal_causes=causes(nominal, wanted, thresholds, trunk),
        worst=worst_of(found, why),
        armature_cost=armature_cost(trial, nominal.figures),
        seconds=perf_counter() - began,
    )


def apex_time(found: Outcome, trial: Trial) -> float:
    """When (s) a run is at its highest; infinite where it does not leave the ground."""
    figures = found.figures
    time = figures["take_off_time"] + figures["take_off_speed"] / float(np.linalg.norm(trial.spec.gravity))
    return float(np.inf if np.isnan(time) else time)


def worst_of(found: Sequence[Outcome], why: Sequence[tuple[str, ...]]) -> int:
    """The run with the most causes of failure, one that diverged before all; among equals the one that rises least."""

    def badness(number: int) -> tuple[bool, int, float, int]:
        rise = found[number].figures["rise"]
        return bool(found[number].stopped), len(why[number]), -(-np.inf if np.isnan(rise) else rise), -number

    return max(range(len(found)), key=badness)


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


def _samples(trial: Trial, draws: Draws, found: Sequence[Outcome], why: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    columns: dict[str, object] = dict(_as_meant(trial, draws))
    columns |= {name: np.array([one.figures[name] for one in found]) for name in FIGURE_NAMES}
    columns |= {"stopped": np.array([one.stopped for one in found]), "success": [not of_run for of_run in why]}
    columns["causes"] = ["; ".join(of_run) for of_run in why]
    return pd.DataFrame(columns, index=pd.RangeIndex(len(found), name="simulation"))
