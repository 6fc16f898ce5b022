"""A jump by script, cheap to repeat: the Mini Cheetah with lumped rotors crouches, stretches and lands by joint targets alone."""

from functools import partial

import numpy as np

from leapcheck.jumping.control import JointCommand, Timing
from leapcheck.jumping.policies import Trajectory
from leapcheck.jumping.robustness.control import Trial
from leapcheck.jumping.robustness.monte_carlo import trial_of
from leapcheck_models.robots import load
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.soft_contact import SoftContact

SPEC = load("mini_cheetah_armature")
CONTACT = SoftContact(friction=0.8, solref=(0.01, 1.0))
START = np.array(SPEC.pose("home")), np.zeros(SPEC.nv)


def script(lean: float = 0.0) -> Trajectory:
    """`lean` rad: how far the legs push backwards."""
    time = np.array([0.0, 0.05, 0.2, 0.25, 0.39, 0.47, 1.0])
    q = np.array([np.tile([0.0, -knee / 2, knee], 4) for knee in (1.6, 1.6, 2.2, 2.2, 1.4, 1.6, 1.6)])
    q[4, 1::3] -= lean
    return Trajectory(time, q, np.zeros_like(q), np.zeros_like(q), np.full(12, 60.0), np.full(12, 1.5))


def jump(
    duration: float = 0.8,
    contact: SoftContact = CONTACT,
    timing: Timing = Timing(),
    battery: Battery = Battery(),
    lean: float = 0.0,
) -> Trial:
    return trial_of(SPEC, script(lean), START, duration, contact, timing, battery)


def jump_by_feedback(duration: float, fails_at: float = np.inf) -> Trial:
    """The same jump under a controller that may look at the state, one for each simulation."""
    return trial_of(SPEC, script(), START, duration, CONTACT, make_policy=partial(Following, fails_at))


class Following:
    """The script as a controller of a user; raises at a time where the robot is high enough, as users' controllers do."""

    def __init__(self, fails_at: float) -> None:
        self._script, self._fails_at, self.calls = script(), fails_at, 0

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        self.calls += 1
        assert self.calls == round(t / 1e-3) + 1, "another simulation called this controller"
        if t >= self._fails_at and q[2] > 0.2:
            raise ZeroDivisionError
        return self._script(t, q, v)
