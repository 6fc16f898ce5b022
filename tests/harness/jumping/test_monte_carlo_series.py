"""Jumps in a row in a Monte Carlo: each part is a jump of its own, the row fails with the first that does."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from leapcheck.jumping.act import planned_act
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.jumping.robustness.control import Trial
from leapcheck.jumping.robustness.loop import recordings
from leapcheck.jumping.robustness.monte_carlo import MonteCarlo, monte_carlo
from leapcheck.jumping.robustness.outcome import Recording, outcome, outline_of
from leapcheck.jumping.robustness.series import PER_STEP, jump_parts, series_outcome
from leapcheck.jumping.robustness.variation import NOTHING, draw
from leapcheck.jumping.setup import JumpSetup
from leapcheck.simulators.mujoco.batch import MujocoBatch
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives

SPEC = load("mini_cheetah_armature")
JUMPS, HEIGHT = 2, 0.1
ALIKE = 1e-4  # m by which the second jump's height differs from the first's; measured 3e-6


@cache
def trial() -> Trial:
    plan = plan_jump(SPEC, JumpRequest(height=HEIGHT), drives(SPEC))
    return JumpSetup(SPEC, planned_act(plan, jumps=JUMPS), ("soft",), dt=2e-3).trial()


@cache
def run() -> Recording:
    of, draws = trial(), draw(NOTHING, 0, range(1))
    return recordings(of, draws, 0, np.inf, MujocoBatch(of.spec, of.contact, of.dt, draws, of.start, of.terrain))[0]


@cache
def varied() -> MonteCarlo:
    return monte_carlo(trial(), 4, height=HEIGHT)


def test_the_parts_make_up_the_run_and_share_its_states() -> None:
    first, last = jump_parts(run(), JUMPS, trial().steps)
    assert len(first.com) == len(last.com) == trial().steps // JUMPS
    np.testing.assert_array_equal(first.q[-1], last.q[0])
    for name in PER_STEP:
        np.testing.assert_array_equal(np.concatenate([getattr(first, name), getattr(last, name)]), getattr(run(), name))
    assert last.final_speed == run().final_speed
    assert first.final_speed < 0.05  # it stands between the jumps
    assert jump_parts(run(), 1, trial().steps) == [run()]


def test_each_jump_has_figures_of_its_own() -> None:
    first = series_outcome(outline_of(SPEC), run(), trial())
    (second,) = first.later
    heights = [one.figures["height"] for one in (first, second)]
    assert heights == pytest.approx([HEIGHT, HEIGHT], abs=2e-2)
    assert heights[0] == pytest.approx(heights[1], abs=ALIKE)
    assert first.figures["take_off_time"] == pytest.approx(second.figures["take_off_time"], abs=0.02)


@pytest.mark.parametrize(("share", "parts"), [(0.75, 2), (0.5, 2), (0.25, 1)])
def test_a_run_that_stopped_did_so_in_its_last_jump(share: float, parts: int) -> None:
    steps = round(share * trial().steps)
    cut = {name: getattr(run(), name)[:steps] for name in PER_STEP}
    found = jump_parts(replace(run(), q=run().q[: steps + 1], stopped="it diverged", **cut), JUMPS, trial().steps)
    assert [part.stopped for part in found] == [*(parts - 1) * [""], "it diverged"]
    assert outcome(outline_of(SPEC), found[-1]).stopped == "it diverged"


def test_a_row_of_sound_jumps_succeeds() -> None:
    assert varied().nominal_causes == ()
    assert varied().successes == varied().count
    assert len(varied().nominal.later) == JUMPS - 1


def test_a_row_whose_second_jump_fails_is_a_failure() -> None:
    """Its targets end after the first jump: it stands on, and does not take off again."""
    of = trial()
    ticks = len(of.control.q) // JUMPS
    table = {
        name: np.concatenate(
            [
                getattr(of.control, name)[:ticks],
                np.repeat(getattr(of.control, name)[ticks - 1 : ticks], len(of.control.q) - ticks, axis=0),
            ]
        )
        for name in ("torque", "q", "qd", "kp", "kd")
    }
    once = monte_carlo(replace(of, control=replace(of.control, **table)), 2, height=HEIGHT)
    assert once.nominal_causes == ("no take-off",)
    assert once.successes == 0
    assert [cause.name for cause in once.causes] == ["no take-off"]
