"""What an optimised jump is best at: margin, energy, height; and which feet leave the ground first."""

import dataclasses
from functools import cache

import casadi as ca
import numpy as np
import pytest

from leapcheck.jumping.act import planned_act
from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.measures.figures import figures
from leapcheck.jumping.measures.observation import Phases, observe
from leapcheck.jumping.measures.take_off import take_off_figures
from leapcheck.jumping.options import JumpOptions, Merit, TakeOff
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.merit import battery_energy, merit_note
from leapcheck.jumping.planning.optimised.body import body
from leapcheck.jumping.planning.optimised.coordinates import sagittal_coordinates
from leapcheck.jumping.planning.optimised.limits import battery_power
from leapcheck.jumping.planning.optimised.plan import optimised_jump
from leapcheck.jumping.planning.plan import highest_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import log_of_steps
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drive_response, drives, torque_before_losses
from leapcheck_reference.simulate.battery import Battery

SPEC = load("mini_cheetah")
ENGINES = ["mujoco", "soft-rk4", "rigid", "spring-damper", "pinocchio-admm"]

LESS_VOLTAGE = 0.99
GAIN_SLACK = 0.2
"""Part of the height lost by which the gain is off: 0.13 measured; durations are whole milliseconds."""

LEAD = 0.02
"""By how much sooner (s) the feet asked for lose their last load: half the shortest time that is planned; 0.029 seen."""


@cache
def plan(merit: Merit, take_off: TakeOff | None = None, voltage: float | None = None) -> JumpPlan:
    return optimised_jump(SPEC, JumpRequest(0.2, 0.3, merit=merit, take_off=take_off), drives(SPEC), Battery(voltage))


@cache
def seen(merit: Merit, take_off: TakeOff | None, engine: str) -> dict[str, JumpFigure]:
    made = plan(merit, take_off)
    act, simulator = planned_act(made), make_simulator(engine, SPEC, Ground(), 1e-3)
    return figures(SPEC, made, simulate(SPEC, simulator, act.policy, drives(SPEC), act.start, act.duration), drives(SPEC))


def test_the_power_that_is_planned_with_is_that_of_the_drives() -> None:
    """Joints turn fast enough that the rounded sign of dry friction is one."""
    robot, motors, rng = legged_robot(SPEC, 0.02), drives(SPEC), np.random.default_rng(5)
    made = body(robot, sagittal_coordinates(robot))
    inputs = [made.z, made.zd, made.zdd, made.force]
    rows = [scale * rng.normal(size=part.numel()) for scale, part in zip((0.3, 1.0, 5.0, 1.0), inputs, strict=True)]
    rows[1][3:] = [40.0, -30.0, 35.0, -50.0]
    power, torque, v = (
        np.array(part).ravel() for part in ca.Function("out", inputs, [battery_power(made, motors), made.torque, made.v])(*rows)
    )
    qd = v[robot.joint_v]
    unlimited = dataclasses.replace(motors, voltage=np.full(12, np.inf), torque_limit=np.full(12, np.inf))
    drawn = drive_response(unlimited, torque_before_losses(motors, torque, qd), qd).power.sum()
    assert power[0] == pytest.approx(drawn, rel=1e-3)
    none = dataclasses.replace(motors, electrical=np.zeros(12, dtype=bool))
    assert float(ca.Function("out", inputs, [battery_power(made, none)])(*rows)) == 0.0


def test_energy_is_no_merit_without_motors() -> None:
    servos = dataclasses.replace(drives(SPEC), electrical=np.zeros(12, dtype=bool))
    with pytest.raises(ValueError, match="--merit energy: no drive of 'mini_cheetah' has a motor"):
        optimised_jump(SPEC, JumpRequest(0.2, merit="energy"), servos)


@pytest.mark.slow
def test_the_jump_of_least_energy_draws_far_less_than_that_of_most_margin_and_keeps_the_limits() -> None:
    margin, energy = (battery_energy(plan(merit), Battery()) for merit in ("margin", "energy"))
    assert energy < 0.7 * margin
    assert plan("margin").utilisation < plan("energy").utilisation <= 1.0
    drawn = [seen(merit, None, "rigid")["energy"].value for merit in ("margin", "energy")]
    np.testing.assert_allclose(drawn, [margin, energy], rtol=0.1)
    assert f"least energy: {energy:.1f} J" in merit_note(plan("energy"), Battery())
    assert "most margin" in merit_note(plan("margin"), Battery())


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_jump_of_least_energy_lands_in_every_simulator(engine: str) -> None:
    found = seen("energy", None, engine)
    assert found["height_share"].value > 0.95
    assert abs(found["distance_off"].value) < 0.05
    assert found["final_tilt"].value < 2.0


@pytest.mark.slow
def test_the_highest_jump_is_higher_than_the_quick_planner_finds_and_says_what_limits_it() -> None:
    """By hand: with 1 % less voltage it is lower by what the note says."""
    made = plan("height")
    assert made.request.height > 1.2 * highest_jump(SPEC, JumpRequest(0.5, 0.3), drives(SPEC)).height
    assert made.utilisation <= 1.0
    limit, gain = next(iter(made.height_gains.items()))
    assert limit == "voltage"
    less = plan("height", voltage=LESS_VOLTAGE * 24.0)
    lost = made.request.height - less.request.height
    assert lost == pytest.approx(gain, rel=GAIN_SLACK)
    assert f"it is limited by voltage ({1e3 * gain:.1f} mm)" in merit_note(made, Battery())


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_highest_jump_lands_in_every_simulator(engine: str) -> None:
    found = seen("height", None, engine)
    assert found["height_share"].value > 0.95
    assert found["final_tilt"].value < 2.0
    assert found["trunk_clearance"].value > 0.0


@pytest.mark.parametrize(("front", "rear"), [(50, 80), (80, 50)])
def test_the_lead_of_the_front_feet_is_the_time_between_the_last_loads(front: int, rear: int) -> None:
    """By hand: the front feet bear for `front` steps, the rear ones for `rear`; a hundredth of the weight on a foot is none."""
    points = [point.name for point in SPEC.contact_points if point.computed]
    columns = [np.zeros((100, *shape)) for shape in [(12,)] * 4 + [(), (), (len(points), 3), (SPEC.nv,)]]
    for i, name in enumerate(points):
        if name.endswith("foot"):
            columns[6][: front if name.startswith("F") else rear, i, 2] = 30.0
            columns[6][:, i, 2] += 0.01 * 9.81 * SPEC.total_mass
    home = np.array(SPEC.poses[0].q)
    log = log_of_steps(SPEC, "still", 1e-3, 101 * [(home, np.zeros(SPEC.nv))], columns, "")
    phases = Phases(push=0.0, take_off=0.09, apex=0.095, apex_height=0.3, touch_down=0.1, end=0.1)
    asked = JumpRequest(0.2, take_off="front-first")
    (found,) = take_off_figures(observe(SPEC, log), phases, asked)
    assert (found.name, found.value) == ("front_lead", pytest.approx((rear - front) * 1e-3))
    assert take_off_figures(observe(SPEC, log), phases, JumpRequest(0.2)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("take_off", "sign"), [("front-first", 1.0), ("rear-first", -1.0)])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_feet_asked_for_leave_the_ground_first_and_it_lands(engine: str, take_off: TakeOff, sign: float) -> None:
    found = seen("margin", take_off, engine)
    assert sign * found["front_lead"].value > LEAD
    assert found["height_share"].value > 0.95
    assert abs(found["distance_off"].value) < 0.05
    assert found["final_tilt"].value < 2.0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"height": 0.2, "merit": "energy", "planner": "quick"},
            "--merit energy: the quick planner .* leave --planner quick out",
        ),
        ({"height": 0.2, "take_off": "front-first", "planner": "quick"}, "--take-off front-first: the quick planner .* leave"),
        ({"height": 0.2, "merit": "height", "planner": "optimised"}, "--merit height: give --highest instead"),
        ({"highest": True, "merit": "energy", "planner": "optimised"}, "--merit energy: the merit of --highest is its height"),
        ({"height": 0.2, "flip": "left", "take_off": "together", "planner": "optimised"}, "--take-off does nothing here"),
        ({"plan": "mit-flip", "merit": "energy"}, "--merit does nothing here: only a plan uses it"),
    ],
)
def test_a_merit_or_an_order_that_nobody_plans_is_refused(options: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        JumpOptions(**options).check()
