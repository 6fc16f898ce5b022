"""The figures of a hopper's jump that is known in closed form, and of a real simulated jump."""

import dataclasses
import math

import numpy as np
import pytest

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.measures.figure_list import FIGURES, LANDING_WINDOW, JumpFigure
from leapcheck.jumping.measures.figures import figures
from leapcheck.jumping.measures.utilisation import time_above
from leapcheck.jumping.planning.records import JumpRequest, PlanPhase
from leapcheck.jumping.simulation import simulate
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.heat import ThermalRating
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import SoftSimulator
from leapcheck_reference.simulate.soft_contact import SoftContact
from tests.harness.jumping.hopper import FOOT, GRAVITY, LIMITS, MOTOR, RADIUS, START, TRUNK, Jump, hopper, log_of

DT = 1e-3
EXACT = 1e-11  # of figures that a step of 1 ms leaves no error in; worst measured 4e-13 relative
ABRUPT = 2e-5  # s, a force that ends at once falls through 5 % of the weight this much before the step's end; measured 1.7e-5
WITHIN_STEP = 5e-5  # s, touch-down inside a step, with the above; worst measured 2.2e-5


def measured(jump: Jump = Jump(), dt: float = DT, friction: float | None = 0.8) -> dict[str, JumpFigure]:
    spec = hopper()
    return figures(spec, None, log_of(jump, dt), drives(spec), Battery(), friction)


def test_every_figure_is_listed_with_its_unit_and_has_a_key_of_its_own() -> None:
    found = measured()
    without = ["height_share", "distance_off", "turn_off", "yaw_off", "thermal_load", "landing_off", "line_use"]
    without += [
        "run_up_speed",
        "run_up_share",
        "run_up_flight",
        "front_lead",
        "roll",
        "roll_off",
        "total_distance",
        "beyond_gap",
    ]  # no plan, rating, box
    listed = [name for name in FIGURES if name not in without]
    assert all(figure.key == key for key, figure in found.items())
    assert all(kind.name == name and kind.unit and kind.label and kind.group and kind.meaning for name, kind in FIGURES.items())
    assert list(dict.fromkeys(figure.name for figure in found.values())) == listed


def test_take_off_rise_and_agility_are_the_closed_forms() -> None:
    jump = Jump()
    height = jump.speed**2 / (2 * GRAVITY)
    stroke = jump.speed * jump.push / 2
    expected = {
        "take_off_time": jump.take_off,
        "take_off_speed": jump.speed,
        "height": height,
        "rise": stroke + height,
        "agility": (stroke + height) / (jump.push + jump.speed / GRAVITY),
        "forward_speed": 0.0,
    }
    found = measured(jump)
    slack = {"take_off_time": ABRUPT, "take_off_speed": jump.acceleration * ABRUPT, "height": jump.speed * ABRUPT}
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=slack.get(name, EXACT)), name


def test_a_rating_gives_the_thermal_load_of_the_closed_form() -> None:
    """Times much shorter than the winding's: load = i^2 t / (i_c^2 T), less at most the part t / T that has flowed off."""
    jump, spec, rating = Jump(), hopper(), ThermalRating(0.5, 200.0)
    found = figures(spec, None, log_of(jump, DT), drives(spec), rating=rating)
    simple = found["heat"].value / (rating.current**2 * rating.time_constant)
    load = found["thermal_load"]
    assert simple * (1.0 - jump.end / rating.time_constant) < load.value < simple
    assert (load.where, load.value) == ("leg", found["thermal_load.leg"].value)
    assert jump.touch_down < load.time <= jump.end + DT
    assert "thermal_load" not in measured(jump)


@pytest.mark.parametrize("acceleration", [18.0, 20.0, 21.7, 25.0])
def test_touch_down_is_found_inside_the_step(acceleration: float) -> None:
    jump = Jump(acceleration=acceleration, drift=0.4)
    found = measured(jump)
    assert found["flight_time"].value == pytest.approx(jump.flight, abs=WITHIN_STEP)
    assert found["distance"].value == pytest.approx(jump.drift * jump.flight, abs=DT * jump.drift / 4)  # the drift ends there


def test_forces_and_impulses_are_those_of_the_momentum() -> None:
    jump = Jump()
    found = measured(jump)
    weight = jump.mass * GRAVITY
    assert found["force_push"].value == pytest.approx((jump.acceleration + GRAVITY) / GRAVITY, rel=EXACT)
    assert found["force_landing"].value == pytest.approx((jump.braking + GRAVITY) / GRAVITY, rel=EXACT)
    assert found["impulse_push"].value == pytest.approx(
        jump.mass * jump.speed + weight * jump.push, abs=3 * weight * 1.1 * ABRUPT
    )
    landing = jump.mass * jump.speed + weight * LANDING_WINDOW
    assert found["impulse_landing"].value == pytest.approx(landing, abs=DT * weight)


def test_a_force_of_one_step_counts_by_its_share_of_the_window() -> None:
    """An impact of one step is 20 times smaller in a window of 20 ms at 1 ms, and the same at half the step."""
    spec = hopper()
    for dt in (DT, DT / 2):
        log = log_of(Jump(), dt)
        impulse = 10.0
        log.forces[round(0.09 / dt), 8, 2] += impulse / dt
        found = figures(spec, None, log, drives(spec))
        assert found["force_push"].value == pytest.approx((20 + GRAVITY + impulse / 0.02 / 2.5) / GRAVITY, rel=EXACT)
        assert found["force_peak"].value == pytest.approx((20 + GRAVITY + impulse / dt / 2.5) / GRAVITY, rel=EXACT)


def test_drive_figures_are_those_of_the_motor() -> None:
    jump = Jump(acceleration=10.0)
    found = measured(jump)
    force = TRUNK * (jump.acceleration + GRAVITY)
    current = force / (1.5 * MOTOR.torque_constant * MOTOR.gear_ratio)
    fastest = (jump.speed - jump.acceleration * DT) * jump.mass / TRUNK
    volts = current * MOTOR.resistance + 2 * MOTOR.torque_constant * MOTOR.gear_ratio * fastest
    assert found["torque_use"].value == pytest.approx(force / (MOTOR.gear_ratio * MOTOR.torque_limit), rel=EXACT)
    assert found["torque_use"].where == "leg"
    landing_force = TRUNK * (jump.braking + GRAVITY)
    assert found["torque_use_landing"].value == pytest.approx(landing_force / 200.0, rel=EXACT)
    assert found["voltage_use.leg"].value == pytest.approx(volts / MOTOR.voltage, rel=EXACT)
    shares = found["voltage_ohmic.leg"].value + found["voltage_back_emf.leg"].value
    assert shares == pytest.approx(found["voltage_use.leg"].value, rel=EXACT)
    standing = TRUNK * GRAVITY / force * current
    landing = TRUNK * (jump.braking + GRAVITY) / force * current
    heat = standing**2 * (jump.stand + jump.rest) + current**2 * jump.push + landing**2 * jump.landing
    assert found["heat"].value == pytest.approx(heat, rel=5e-3)
    stroke = jump.speed * jump.push / 2 * jump.mass / TRUNK
    assert found["mechanical_work"].value == pytest.approx(force * stroke, rel=2e-2)


def test_heat_is_that_of_the_electric_motors_alone() -> None:
    """A servo of a torque-speed line has no current; the figures of the motors beside it remain."""
    spec = load("mini_cheetah")
    servos = tuple(dataclasses.replace(a, motor=None) if a.name.endswith("_hip") else a for a in spec.actuators)
    mixed = dataclasses.replace(spec, actuators=servos)
    stand = np.array(spec.pose("home")), np.zeros(18)
    hold = JointCommand(np.zeros(12), stand[0][7:], np.zeros(12), np.full(12, 40.0), np.full(12, 1.0))
    made = SoftSimulator(Plant(mixed), SoftContact(friction=0.8), DT)
    log = simulate(mixed, made, lambda t, q, v: hold, drives(mixed), stand, 0.05)
    found = figures(mixed, None, log, drives(mixed), rating=ThermalRating(5.0, 60.0))
    for name in ("heat", "thermal_load"):
        assert {key for key in found if key.startswith(f"{name}.")} == {f"{name}.{a.name}" for a in servos if a.motor}
        assert found[name].value == max(found[f"{name}.{a.name}"].value for a in servos if a.motor) > 0.0
    assert "energy" in found
    for name, rated in (("voltage_use", False), ("voltage_ohmic", False), ("voltage_back_emf", False), ("line_use", True)):
        expected = {f"{name}.{a.name}" for a in servos if (a.motor is None) is rated}
        assert {key for key in found if key.startswith(f"{name}.")} == expected
    hip = servos[1]
    k = int(np.abs(log.desired[:, 1] / hip.torque_limit + log.v[:-1, 7] / hip.speed_limit).argmax())
    use = abs(log.desired[k, 1] / hip.torque_limit + log.v[k, 7] / hip.speed_limit)
    assert found[f"line_use.{hip.name}"].value == pytest.approx(use, rel=EXACT)
    assert np.isnan(log.voltage[:, 1]).all()
    assert np.isnan(log.current[:, 1]).all()
    assert np.isfinite(log.voltage[:, 0]).all()
    assert np.isfinite(log.battery_voltage).all()  # of the motors beside it


def test_power_and_battery_are_those_of_the_drive() -> None:
    jump = Jump()
    log = log_of(jump, DT)
    sagging = dataclasses.replace(log, battery_voltage=np.linspace(24.0, 20.0, log.steps))
    spec = hopper()
    found = figures(spec, None, sagging, drives(spec), Battery(25.0, 0.1))
    assert found["voltage_sag"].value == 5.0
    assert found["energy"].value == pytest.approx(log.battery_power.sum() * DT, rel=EXACT)
    assert found["battery_current"].value == pytest.approx((log.battery_power / sagging.battery_voltage).max(), rel=EXACT)
    assert found["voltage_use"].value > measured(jump)["voltage_use"].value  # what sags is less to be had


def test_time_above_a_level_is_the_time_of_the_straight_line() -> None:
    ramp = np.array([[0.0, 1.0], [0.5, 1.0], [1.0, 1.0], [0.25, 1.0]])
    assert time_above(ramp, 0.8, 0.1).tolist() == pytest.approx([0.1 * (0.2 / 0.5 + 0.2 / 0.75), 0.3])
    assert time_above(ramp[:1], 0.8, 0.1).tolist() == [0.0, 0.0]


def test_time_above_a_level_does_not_depend_on_the_step() -> None:
    values = [measured(Jump(acceleration=24.0), DT / 2**k)["time_above_100"].value for k in range(3)]
    assert max(values) - min(values) < 2 * DT
    use = measured(Jump(acceleration=24.0))
    assert 0.0 < use["time_above_100"].value < use["time_above_80"].value


def test_friction_is_that_of_the_foot_and_slip_is_not_rolling() -> None:
    found = measured(Jump(push_friction=0.3), friction=0.6)
    assert found["friction_needed"].value == pytest.approx(0.3, rel=EXACT)
    assert found["friction_use"].value == pytest.approx(0.5, rel=EXACT)
    assert found["friction_landing"].value == 0.0
    assert "friction_use" not in measured(friction=None)
    assert found["slip_push"].value == found["slip_landing"].value == 0.0


def test_a_short_flight_of_the_foot_is_neither_the_jump_nor_a_slip() -> None:
    spec, log = hopper(), log_of(Jump(), DT)
    lifted = (log.time > 0.0895) & (log.time < 0.0975)
    log.forces[lifted[:-1]] = 0.0
    log.v[lifted[:-1].nonzero()[0] + 1, 3] = 2.0
    found = figures(spec, None, log, drives(spec))
    assert found["take_off_time"].value == pytest.approx(Jump().take_off, abs=ABRUPT)
    assert found["slip_push"].value == 0.0


@dataclasses.dataclass(frozen=True)
class PushPlan:
    """The part of a plan that figures look at."""

    request: JumpRequest
    phases: tuple[PlanPhase, ...]


def test_a_plan_says_when_the_push_begins_and_what_was_asked() -> None:
    spec, jump = hopper(), Jump()
    plan = PushPlan(
        JumpRequest(height=0.1, pitch=0.2, friction=0.5), (PlanPhase("stand", 0.0, 0.07), PlanPhase("push", 0.07, 0.13))
    )
    found = figures(spec, plan, log_of(jump, DT), drives(spec))
    free = figures(spec, None, log_of(jump, DT), drives(spec))
    assert found["rise"].value == pytest.approx(free["rise"].value - jump.com(0.07)[0], rel=EXACT)
    assert found["height_share"].value == pytest.approx(found["height"].value / 0.1)
    assert found["pitch_off"].value == pytest.approx(-math.degrees(0.2))
    assert free["pitch_off"].value == 0.0
    assert found["friction_use"].value == 0.0
    assert set(found) - set(free) == {"height_share", "distance_off", "turn_off", "yaw_off", "friction_use"}
    assert found["distance_off"].value == found["distance"].value


@pytest.mark.parametrize(("hop", "flown"), [(0.0, 0.0), (0.03, 0.03)])
def test_a_run_up_is_the_speed_where_the_push_begins_and_the_flight_before(hop: float, flown: float) -> None:
    spec, jump = hopper(), Jump(drift=0.4)
    log = log_of(jump, DT)
    log.v[: round(jump.take_off / DT), 3] = 0.6
    log.forces[round(0.01 / DT) : round((0.01 + hop) / DT)] = 0.0
    plan = PushPlan(JumpRequest(height=0.1, run_up=0.8), (PlanPhase("run-up", 0.0, 0.05), PlanPhase("push", 0.05, 0.13)))
    found = figures(spec, plan, log, drives(spec))
    assert found["run_up_speed"].value == pytest.approx(0.6, rel=EXACT)
    assert found["run_up_share"].value == pytest.approx(0.75, rel=EXACT)
    assert found["run_up_flight"].value == pytest.approx(flown, abs=EXACT)
    assert found["take_off_time"].value == pytest.approx(jump.take_off, abs=ABRUPT)


def test_a_roll_that_was_asked_for_is_counted_in_whole_turns() -> None:
    spec, log = hopper(), log_of(Jump(), DT)
    half = np.radians(np.linspace(0.0, 350.0, len(log.q))) / 2
    log.q[:, 3:7] = np.stack([np.cos(half), np.sin(half), 0.0 * half, 0.0 * half], 1)
    for asked, off in ((360.0, -10.0), (-360.0, 710.0)):
        plan = PushPlan(JumpRequest(height=0.1, roll=math.radians(asked)), (PlanPhase("push", 0.05, 0.13),))
        found = figures(spec, plan, log, drives(spec))
        assert found["roll"].value == pytest.approx(350.0)
        assert found["roll_off"].value == pytest.approx(off)
    assert "roll" not in figures(spec, None, log, drives(spec))


def test_pitch_is_asked_for_from_the_start_on() -> None:
    """A robot whose stand is tilted lands as planned when it lands tilted; without a plan it should come down level."""
    spec, log = hopper(), log_of(Jump(), DT)
    half = math.radians(6.0) / 2
    log.q[:, 3], log.q[:, 5] = math.cos(half), math.sin(half)
    for asked, off in ((None, 0.0), (0.0, 0.0), (0.1, -math.degrees(0.1))):
        plan = PushPlan(JumpRequest(height=0.1, pitch=asked), (PlanPhase("push", 0.05, 0.13),))
        found = figures(spec, plan, log, drives(spec))
        assert found["pitch_touch_down"].value == pytest.approx(6.0)
        assert found["pitch_off"].value == pytest.approx(off, abs=1e-9)
    assert figures(spec, None, log, drives(spec))["pitch_off"].value == pytest.approx(6.0)


def test_yaw_is_the_turn_of_the_heading_beside_that_asked_for() -> None:
    """A trunk that faces 10 deg to the left at first and 90 deg at the end: its yaw is no turn and no pitch."""
    spec, log = hopper(), log_of(Jump(), DT)
    half = np.radians(np.linspace(10.0, 90.0, len(log.q))) / 2
    log.q[:, 3:7] = np.stack([np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)], 1)
    plan = PushPlan(JumpRequest(height=0.1, yaw=math.pi / 2), (PlanPhase("push", 0.05, 0.13),))
    found = figures(spec, plan, log, drives(spec))
    assert found["yaw"].value == pytest.approx(80.0)
    assert found["yaw_off"].value == pytest.approx(-10.0)
    assert [found[name].value for name in ("turn", "turn_off", "pitch_off")] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    free = figures(spec, None, log, drives(spec), yaw=math.radians(-90.0))
    assert free["yaw_off"].value == pytest.approx(170.0)
    assert "yaw_off" not in figures(spec, None, log, drives(spec))


def test_a_rolling_foot_does_not_slip_and_a_sliding_one_does() -> None:
    spec, log = hopper(), log_of(Jump(), DT)
    rate, turning = 0.5, log.time < 0.0995
    log.v[turning, 1] = rate  # turns about y, the foot's centre held by the trunk's velocity
    log.v[turning, 3] = -rate * log.q[turning, 7]
    slid = figures(spec, None, log, drives(spec))["slip_push"].value
    log.v[turning, 3] += rate * RADIUS  # as it rolls, the centre moves by w r
    rolled = figures(spec, None, log, drives(spec))["slip_push"].value
    assert slid == pytest.approx(rate * RADIUS * 0.049, rel=1e-9)
    assert rolled < 1e-12


def test_limits_clearance_attitude_and_end() -> None:
    jump = Jump()
    found = measured(jump)
    bent = START - jump.com(jump.end)[0] * jump.mass / TRUNK
    assert found["limit_margin"].value == pytest.approx(LIMITS[1] - bent, rel=EXACT)
    assert found["clearance"].where.startswith("trunk_corner_")
    assert found["clearance"].value == pytest.approx(RADIUS - bent - 0.02 - 1e-3, rel=EXACT)
    assert found["final_speed"].value == 0.0
    assert found["final_tilt"].value == 0.0
    spec, log = hopper(), log_of(jump, DT)
    half = math.radians(20.0) / 2
    log.q[:, 3], log.q[:, 5] = math.cos(half), math.sin(half)
    log.v[-1, 5] = 0.3
    tilted = figures(spec, None, log, drives(spec))
    assert tilted["pitch_touch_down"].value == pytest.approx(20.0)
    assert tilted["roll_touch_down"].value == pytest.approx(0.0, abs=1e-12)
    assert tilted["final_tilt"].value == pytest.approx(20.0)
    assert tilted["final_speed"].value == pytest.approx(0.3)


def test_a_stop_or_a_knee_that_bears_is_hit_however_little_it_gives() -> None:
    spec, log = hopper(), log_of(Jump(), DT)
    free = figures(spec, None, log, drives(spec))
    log.limit_torques[100, 6] = -0.5
    log.forces[200, 3, 2] = 1.0
    found = figures(spec, None, log, drives(spec))
    assert free["limit_margin"].value > 0.0 < free["clearance"].value
    assert found["limit_margin"].value == found["limit_margin.leg_joint"].value == 0.0
    assert found["clearance"].value == 0.0
    assert found["clearance"].where == "trunk_corner_3"
    assert found["limit_margin"].time == pytest.approx(100 * DT)


def test_a_run_that_ends_early_keeps_what_it_has() -> None:
    spec, log = hopper(), log_of(Jump(), DT)
    cut = round(0.2 / DT)
    rows = {f.name: getattr(log, f.name) for f in dataclasses.fields(log)}
    n = log.steps
    short = {k: a[: cut + (len(a) - n)] if isinstance(a, np.ndarray) else a for k, a in rows.items()}
    found = figures(spec, None, type(log)(**short), drives(spec))
    assert found["take_off_speed"].value == pytest.approx(Jump().speed, abs=Jump().acceleration * ABRUPT)
    assert "flight_time" not in found
    assert "force_landing" not in found
    log.v[cut, 3] = np.nan
    assert figures(spec, None, log, drives(spec)).keys() == found.keys()
    nothing = {k: a[: max(len(a) - n, 0)] if isinstance(a, np.ndarray) else a for k, a in rows.items()}
    assert figures(spec, None, type(log)(**nothing), drives(spec)) == {}


def test_a_robot_that_stays_on_the_ground_has_no_flight() -> None:
    spec = hopper()
    log = log_of(Jump(acceleration=1e-6), DT)
    found = figures(spec, None, log, drives(spec))
    assert "take_off_speed" not in found
    assert found["force_push"].value == pytest.approx(1.0, abs=1e-3)


ENERGY_SLACK = 2e-3  # relative: rise from the take-off speed against the com's own highest point; measured 3.4e-4


def test_a_real_jump_has_the_rise_of_its_com() -> None:
    spec = load("mini_cheetah")
    stand = np.array(spec.pose("home"))
    crouch, high = np.tile([0.0, -1.15, 2.25], 4), np.tile([0.0, -0.55, 1.1], 4)

    def policy(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        del q, v
        s = min(t / 0.3, 1.0)
        goal = stand[7:] + (s * s * (3 - 2 * s)) * (crouch - stand[7:]) if t < 0.35 else high
        push = 0.35 <= t < 0.45
        return JointCommand(np.tile([0.0, 0.0, -6.0 * push], 4), goal, np.zeros(12), np.full(12, 40.0), np.full(12, 1.0))

    plant, motors = Plant(spec), drives(spec)
    log = simulate(spec, SoftSimulator(plant, SoftContact(friction=0.8), DT), policy, motors, (stand, np.zeros(18)), 0.7)
    found = figures(spec, None, log, motors, friction=0.8)
    assert found["take_off_speed"].value > 1.0
    assert found["force_push"].value > 2.0
    highest = log.q[:, 2].max() - log.q[log.time <= 0.35][:, 2].min()
    assert found["rise"].value == pytest.approx(highest, rel=0.3)  # the trunk's own rise: about that of the com
    gained = spec.total_mass * GRAVITY * found["rise"].value
    impulse = found["impulse_push"].value - spec.total_mass * GRAVITY * (found["take_off_time"].value - _lowest(spec, log))
    assert impulse / spec.total_mass == pytest.approx(found["take_off_speed"].value, rel=ENERGY_SLACK)
    assert found["mechanical_work"].value > gained


def _lowest(spec: object, log: object) -> float:
    from leapcheck.jumping.measures.observation import motion_phases, observe

    return motion_phases(observe(spec, log)).push


def test_masses_of_the_hopper_are_the_specs() -> None:
    assert hopper().total_mass == TRUNK + FOOT
