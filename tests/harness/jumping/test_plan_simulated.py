"""Plans followed in simulators that know nothing of them: each contact model takes off, rises and lands as planned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from leapcheck.jumping.control import Timing
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.protocol import Simulator
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.compliant import CompliantSimulator
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator
from leapcheck_reference.simulate.soft import SoftContact, SoftSimulator

STEP, PERIOD = 5e-4, 1e-3
"""s: of the simulators, and of the controller."""
SETTLING = 0.4
"""s after the plan's end."""

SIMULATORS: dict[str, tuple[Callable[[Plant], Simulator], float, float]] = {
    "rigid": (lambda plant: RigidSimulator(plant, STEP), 0.004, 0.015),
    "spring-damper": (lambda plant: CompliantSimulator(plant, STEP), 0.004, 0.03),
    "soft": (lambda plant: SoftSimulator(plant, SoftContact(solref=(0.01, 1.0)), STEP), 0.004, 0.005),
}
"""Each with the relative errors of take-off speed and of rise that it may make; measured at most .0024 and .0072, .0022 and .018,
.0014 and .0016: a controller of 1 kHz holds each torque for 1 ms, and a compliant ground gives back what it took."""

REQUESTS = {
    "up": JumpRequest(0.2),
    "forward": JumpRequest(0.2, distance=0.3),
    "pitched": JumpRequest(0.2, pitch=0.15),
    "high": JumpRequest(0.4),
}

PITCH = 0.06
"""rad off the pitch asked for at touch-down; measured 0.034."""
UPRIGHT = 0.01
"""rad of the trunk at the end; measured 0.0044."""
HEIGHT = 0.002
"""m of the trunk's height at the end off the stand's: a soft ground gives way; measured 0.001."""
WAY = 0.03
"""m of the trunk's way off the plan's; measured 0.014."""


@pytest.fixture(scope="module", params=["forward", *(pytest.param(n, marks=pytest.mark.slow) for n in ("up", "pitched", "high"))])
def plan(request: pytest.FixtureRequest) -> JumpPlan:
    spec = load("mini_cheetah")
    return plan_jump(spec, REQUESTS[request.param], drives(spec))


@pytest.mark.parametrize("name", SIMULATORS)
def test_it_takes_off_rises_and_lands_as_planned(plan: JumpPlan, name: str) -> None:
    spec = load("mini_cheetah")
    robot = legged_robot(spec)
    make, speed, rise = SIMULATORS[name]
    log = simulate(
        spec, make(Plant(spec)), plan, drives(spec), (plan.start_q, plan.start_v), plan.duration + SETTLING, Timing(PERIOD)
    )
    assert not log.stopped
    at = robot.momentum(log.q)
    height = at["com_position"][:, 2]
    velocity = np.einsum("nij,nj->ni", at["centroidal_momentum_matrix"], log.v)[:, 5] / robot.mass
    off, down = (int(np.searchsorted(log.time, t)) for t in (plan.take_off, plan.touch_down))
    assert velocity[off : off + 20].max() == pytest.approx(plan.take_off_velocity[2], rel=speed)
    assert height.max() - height[off] == pytest.approx(plan.request.height, rel=rise)
    assert log.forces[off + 40 : down - 40].max() == 0.0
    assert _pitch(log.q[down]) == pytest.approx(plan.request.pitch, abs=PITCH)
    assert _pitch(log.q[-1]) == pytest.approx(0.0, abs=UPRIGHT)
    assert log.q[-1, 2] == pytest.approx(plan.q[-1, 2], abs=HEIGHT)
    assert log.q[-1, 0] - log.q[0, 0] == pytest.approx(plan.q[-1, 0] - plan.q[0, 0], abs=WAY)
    trunk_and_knees = [k for k, point in enumerate(log.points) if not point.endswith("foot")]
    assert log.forces[:, trunk_and_knees].max() == 0.0


def _pitch(q: np.ndarray) -> float:
    w, x, y, z = q[3:7]
    return float(np.arcsin(np.clip(2 * (w * y - x * z), -1.0, 1.0)))
