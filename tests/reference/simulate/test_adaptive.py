"""The adaptive reference against a ball's motion written down by hand, free flight, conservation, and the twin's limits."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import leapcheck_reference as reference
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import Inertia, Joint, JointType, RobotSpec, add_body, add_contact_point
from leapcheck_reference.simulate.adaptive import Solution, Torque, solution
from leapcheck_reference.simulate.adaptive_soft import HELD, SLIDING, SoftLaw
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.richardson import extrapolate
from leapcheck_reference.simulate.soft import SoftContact, SoftSimulator

RESTARTED = 5e-11  # after another choice of steps; largest seen 6e-12
BALL = 1e-10  # m, m/s against the scalar equation; largest seen 1.5e-11
FLIGHT = 1e-12  # relative; largest seen 1e-15
TIGHTER = 1e-8  # between tolerances 1e-10 and 1e-12; largest seen 5.3e-10
TWIN = 2e-8  # of Richardson limits, absolute in m, rad, m/s, rad/s; largest seen 2.8e-9
KINKED = 5e-6  # the same where cones begin to slide within steps; largest seen 5.9e-7
LEG = 1e-11  # relative; largest seen 1.6e-14 J
BOOKS = 1e-13  # of impulses and works over their turnover; largest seen 5.6e-15

GRAVITY, MASS, RADIUS = 9.81, 0.7, 0.05


@cache
def ball() -> Plant:
    inertia = Inertia(MASS, rotational=(1e-3, 0, 0, 1e-3, 0, 1e-3))
    spec = add_body(RobotSpec("ball"), "ball", joint=Joint("base", JointType.FREE), inertia=inertia)
    return Plant(add_contact_point(spec, "skin", "ball", (0.0, 0.0, 0.0), is_foot=True, radius=RADIUS))


@cache
def cheetah() -> Plant:
    return Plant(load("mini_cheetah"))


def nothing(t: float, q: Floats, v: Floats) -> Floats:
    return np.zeros(len(q) - 7)


def crouched(hip: float = -1.1, knee: float = 2.2, depth: float = 3e-4) -> tuple[Floats, Floats]:
    """(q, v) at rest with the feet pressed in by `depth` m; legs skewed, so that no two contacts do the same."""
    q, v = np.zeros(19), np.zeros(18)
    q[3], q[7:] = 1.0, np.tile([0.0, hip, knee], 4)
    centres = cheetah().at(q, v).centres
    q[2] = -float((centres[:, 2] - cheetah().radii).min()) - depth
    return q, v


def extension(t: float, q: Floats, v: Floats) -> Floats:
    """PD to legs that stretch within 0.13 s: takes off at 0.1 s."""
    s = min(t / 0.13, 1.0)
    part, rate = s**3 * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s) ** 2 / 0.13
    change = np.tile([0.0, 0.55, -1.1], 4)
    return 60 * (np.tile([0.0, -1.1, 2.2], 4) + part * change - q[7:]) + 1.5 * (rate * change - v[6:])


def fallen_ball(contact: SoftContact, height: float, until: float) -> tuple[float, float]:
    """(z, v_z) of the ball by its scalar equation, MuJoCo's formulas put in by hand.

    With A = 1/m and R = (1 - d)/d/m the force is (aref + g)/(A + R), aref = -B v - K d dist, where it is not negative: the ball
    leaves the ground when it is zero, or at dist = 0, whichever comes first.
    """
    d0, dw, width, *_ = contact.solimp
    K, B = 1 / (dw * contact.solref[0] * contact.solref[1]) ** 2, 2 / (dw * contact.solref[0])

    def force(z: float, v: float) -> float:
        distance = z - RADIUS
        x = min(abs(distance) / width, 1.0)
        d = d0 + (dw - d0) * (2 * x * x if x <= 0.5 else 1 - 2 * (1 - x) ** 2)
        return (-B * v - K * d * distance + GRAVITY) * MASS * d

    def air(t: float, y: Floats) -> list[float]:
        return [y[1], -GRAVITY]

    def ground(t: float, y: Floats) -> list[float]:
        return [y[1], force(*y) / MASS - GRAVITY]

    def distance(t: float, y: Floats) -> float:
        return y[0] - RADIUS

    def push(t: float, y: Floats) -> float:
        return force(*y)

    events = {air: [(distance, -1)], ground: [(distance, 1), (push, -1)]}
    t, y, law = 0.0, np.array([height, 0.0]), air
    while t < until:
        for event, direction in events[law]:
            event.terminal, event.direction = True, direction
        watched = [event for event, _ in events[law]]
        part = solve_ivp(law, (t, until), y, "DOP853", events=watched, rtol=1e-13, atol=1e-15, max_step=1e-4)
        t, y, law = float(part.t[-1]), part.y[:, -1], ground if law is air else air
    return float(y[0]), float(y[1])


@pytest.mark.parametrize(
    ("solref", "until"),
    [
        *(((0.02, 1.0), 0.5), ((0.01, 0.3), 0.15)),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (((0.02, 1.0), 0.15), ((0.01, 0.3), 0.5))),
    ],
)
def test_a_ball_that_falls_onto_the_ground_moves_as_its_scalar_equation_says(solref: tuple[float, float], until: float) -> None:
    contact = SoftContact(solref=solref)
    q = np.array([0.3, -0.2, RADIUS + 0.1, 1.0, 0.0, 0.0, 0.0])
    found = solution(SoftLaw(ball(), contact), nothing, (q, np.zeros(6)), [until])
    z, v = fallen_ball(contact, RADIUS + 0.1, until)
    assert found.time[-1] == until
    assert found.q[-1, 2] == pytest.approx(z, abs=BALL)
    assert found.v[-1, 5] == pytest.approx(v, abs=BALL)
    assert found.q[-1, :2].tolist() == [0.3, -0.2]
    first_touch = math.sqrt(2 * 0.1 / GRAVITY)
    assert found.events[1][0] == pytest.approx(first_touch, abs=1e-13)


def test_in_free_flight_the_com_flies_a_parabola_and_the_angular_momentum_stays() -> None:
    plant, rng = cheetah(), np.random.default_rng(0)
    q, v = np.zeros(19), rng.standard_normal(18) * 3
    q[2], q[3:7], q[7:] = 2.0, rng.standard_normal(4), rng.uniform(-1, 1, 12)
    q[3:7] /= np.linalg.norm(q[3:7])
    found = solution(SoftLaw(plant, SoftContact()), nothing, (q, v), [0.1, 0.3])
    assert found.airborne.all()
    L0, p0 = np.split(reference.centroidal_momentum(plant.tree, q, v), 2)
    L, p = np.split(reference.centroidal_momentum(plant.tree, *found.at(0.3)), 2)
    mass, c0 = reference.total_mass(plant.tree), reference.com_position(plant.tree, q)
    assert np.abs(L - L0).max() < FLIGHT * np.abs(L0).max()
    assert np.abs(p - p0 + [0, 0, mass * GRAVITY * 0.3]).max() < FLIGHT * np.abs(p0).max()
    middle = reference.com_position(plant.tree, found.at(0.1)[0])
    assert np.abs(middle - c0 - p0 / mass * 0.1 + [0, 0, GRAVITY * 0.005]).max() < FLIGHT
    energy = [
        reference.kinetic_energy(plant.tree, *s) + reference.potential_energy(plant.tree, s[0]) for s in ((q, v), found.at(0.3))
    ]
    assert energy[1] == pytest.approx(energy[0], rel=FLIGHT)


@cache
def jump(rtol: float, until: float = 0.2) -> Solution:
    return solution(
        SoftLaw(cheetah(), SoftContact(friction=0.8)), extension, crouched(), [0.085, until], rtol=rtol, atol=rtol / 10
    )


def last_contact_loss(found: Solution) -> float:
    """When the last flight began, s."""
    lost = np.flatnonzero(found.airborne[1:] & ~found.airborne[:-1])
    return float(found.time[lost[-1] + 1])


def test_a_take_off_does_not_depend_on_the_tolerance() -> None:
    coarse, fine = jump(1e-10), jump(1e-12)
    for t in (0.085, 0.2):
        for a, b in zip(coarse.at(t), fine.at(t), strict=True):
            assert np.abs(a - b).max() < TIGHTER
    assert last_contact_loss(coarse) == pytest.approx(last_contact_loss(fine), abs=TIGHTER)
    assert 0.1 < last_contact_loss(fine) < 0.11


def test_what_it_carries_along_is_what_momentum_and_energy_gained() -> None:
    plant, found = cheetah(), jump(1e-12)
    tree = plant.tree
    momenta = np.array([reference.centroidal_momentum(tree, q, v) for q, v in zip(found.q, found.v, strict=True)])
    kinetic = np.array([reference.kinetic_energy(tree, q, v) for q, v in zip(found.q, found.v, strict=True)])
    potential = np.array([reference.potential_energy(tree, q) for q in found.q])
    weight = found.time[:, None] * [0, 0, reference.total_mass(tree) * GRAVITY]
    assert np.abs(momenta[:, 3:] - momenta[0, 3:] + weight - found.impulse).max() < BOOKS * np.abs(found.impulse).max()
    assert np.abs(momenta[:, :3] - momenta[0, :3] - found.angular_impulse).max() < BOOKS * np.abs(found.impulse).max()
    energy = kinetic + potential - kinetic[0] - potential[0]
    work = found.actuator_work + found.contact_work + found.stop_work
    assert np.abs(energy - work).max() < BOOKS * np.abs(found.actuator_work).max()
    assert found.contact_work[-1] < -0.01


def twin_limit(
    contact: SoftContact, torque: Torque, start: tuple[Floats, Floats], until: float, coarsest: float, levels: int
) -> Floats:
    """The state [q, v] that the twin's Euler steps tend to."""
    runs = []
    for level in range(levels):
        simulator = SoftSimulator(cheetah(), contact, coarsest / 2**level)
        simulator.start(*start)
        for k in range(round(until / simulator.dt)):
            simulator.step(torque(k * simulator.dt, simulator.q, simulator.v))
        runs.append(np.concatenate([simulator.q, simulator.v]))
    return extrapolate(np.array(runs)).limit


@pytest.mark.parametrize("impratio", [pytest.param(1.0, marks=pytest.mark.slow), 2.0])
def test_the_twins_steps_tend_to_it_while_the_feet_stick(impratio: float) -> None:
    contact = SoftContact(friction=0.8, impratio=impratio)
    found = solution(SoftLaw(cheetah(), contact), extension, crouched(), [0.085])
    assert all(zone == HELD for _, piece in found.events for zone in piece.zones)
    limit = twin_limit(contact, extension, crouched(), 0.085, 1e-3, 6)
    assert np.abs(limit - np.concatenate(found.at(0.085))).max() < TWIN


def test_the_twins_steps_tend_to_it_when_sticking_feet_begin_to_slide() -> None:
    contact = SoftContact(friction=0.8)
    found = solution(SoftLaw(cheetah(), contact), extension, crouched(), [0.1])
    assert found.events[0][1].zones == (HELD,) * 4
    assert found.events[-1][1].zones == (SLIDING,) * 4
    limit = twin_limit(contact, extension, crouched(), 0.1, 1e-3, 6)
    assert np.abs(limit - np.concatenate(found.at(0.1))).max() < KINKED


def test_the_twins_steps_tend_to_it_while_feet_slide_and_joints_stand_in_their_stops() -> None:
    """Slippery ground, feet pushed apart, two joints in their stops from the start: no contact comes or goes within a step."""
    contact = SoftContact(friction=0.1, impratio=5.0)
    q, v = crouched()
    q[7] = q[16] = -1.5005

    def apart(t: float, q: Floats, v: Floats) -> Floats:
        torque = 40 * (np.tile([0.0, -1.0, 2.0], 4) - q[7:]) - 0.5 * v[6:]
        torque[[0, 9]] = -6.0
        return torque

    centres = cheetah().at(q, v).centres
    q[2] -= float((centres[:, 2] - cheetah().radii).min()) + 2e-4
    found = solution(SoftLaw(cheetah(), contact), apart, (q, v), [0.016])
    assert SLIDING in found.events[-1][1].zones
    assert len(found.events[-1][1].stops) == 2
    limit = twin_limit(contact, apart, (q, v), 0.016, 5e-4, 6)
    assert np.abs(limit - np.concatenate(found.at(0.016))).max() < TWIN


def test_feet_that_land_together_touch_in_one_event() -> None:
    q, v = crouched(depth=-0.02)
    hold = q[7:].copy()
    found = solution(SoftLaw(cheetah(), SoftContact()), lambda t, q, v: 40 * (hold - q[7:]) - 1.5 * v[6:], (q, v), [0.1])
    landing = next(i for i, (_, piece) in enumerate(found.events) if piece.points)
    assert found.events[landing][1].points == (9, 11, 13, 15)
    assert found.airborne[: int(np.searchsorted(found.time, found.events[landing][0]))].all()


def test_a_leg_on_a_stand_swings_against_the_ground_with_its_energy_in_the_books() -> None:
    plant = Plant(load("pupper_leg"))
    q, v = np.full(3, 0.3), np.zeros(3)
    found = solution(SoftLaw(plant, SoftContact()), lambda t, q, v: np.zeros(len(plant.driven_u)), (q, v), [0.3])
    energy = [
        reference.kinetic_energy(plant.tree, *s) + reference.potential_energy(plant.tree, s[0]) for s in ((q, v), found.at(0.3))
    ]
    assert found.contact_work[-1] == pytest.approx(energy[1] - energy[0], rel=LEG)
    assert {zone for _, piece in found.events for zone in piece.zones} == {HELD, SLIDING}


def test_a_controller_at_its_rate_holds_its_torque_between_ticks() -> None:
    """The same as a law of time and state that is constant between the ticks, integrated from tick to tick."""
    law, (q, v) = SoftLaw(cheetah(), SoftContact(friction=0.8)), crouched()
    held = solution(law, extension, (q, v), [0.0137, 0.02], period=0.004)  # a time between ticks changes nothing
    for k in range(5):
        torque = extension(0.004 * k, q, v)
        q, v = solution(law, lambda t, q, v, torque=torque: torque, (q, v), [0.004]).at(0.004)
    for a, b in zip(held.at(0.02), (q, v), strict=True):
        assert np.abs(a - b).max() < RESTARTED


def test_what_is_not_written_in_pieces_is_refused() -> None:
    with pytest.raises(ValueError, match="elliptic cones"):
        SoftLaw(cheetah(), SoftContact(cone="pyramidal"))
    with pytest.raises(ValueError, match="no state at t = 0\\.3 s"):
        jump(1e-12).at(0.3)


def test_a_motion_that_runs_away_says_so() -> None:
    with pytest.raises(ArithmeticError):
        solution(SoftLaw(cheetah(), SoftContact()), lambda t, q, v: np.full(12, math.inf), crouched(), [0.01])


def test_a_ball_that_slides_is_braked_by_friction_times_the_normal_impulse() -> None:
    q, v = np.array([0.0, 0.0, RADIUS - 1e-4, 1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    found = solution(SoftLaw(ball(), SoftContact(friction=0.2)), nothing, (q, v), [0.05])
    assert all(zone == SLIDING for _, piece in found.events for zone in piece.zones)
    assert found.impulse[-1, 0] == pytest.approx(-0.2 * found.impulse[-1, 2], rel=1e-12)
    energy = [
        reference.kinetic_energy(ball().tree, *s) + reference.potential_energy(ball().tree, s[0])
        for s in ((q, v), found.at(0.05))
    ]
    assert found.contact_work[-1] == pytest.approx(energy[1] - energy[0], rel=1e-12)
