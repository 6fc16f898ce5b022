"""The books balance for jumps of every contact model, to the order of the step, and do not when anything is wrong in the log."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.measures.balances import log_balances
from leapcheck.jumping.measures.ledgers import Ledger, ledgers, ledgers_from_balances, longest_flight
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_evidence.studies.twin import jump
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives
from tests.harness.jumping.hopper import Jump, hopper, log_of

EXACT = 1e-13  # books of a log in closed form, relative; largest seen 2.1e-15
HALVED = (1.8, 2.2)  # residuals of Euler's steps over those of half the step; seen 1.96 to 2.01
RUNGE_KUTTA = 0.03  # residuals of RK4 over Euler's; largest seen .012 (angular momentum)

SECOND_ORDER = 0.4  # residuals of RK4 at half the step; largest seen .25

HALF = (0.45, 0.55)  # of its allowance that a stand's energy is out by; seen .503 to .517

BOOKS = {"momentum", "angular momentum", "energy", "push", "flight path", "flight turning"}


@cache
def cheetah() -> RobotSpec:
    return load("mini_cheetah")


@cache
def run(name: str, dt: float = 1e-3, duration: float = 0.75) -> JumpLog:
    """A scripted skew jump: crouch, push at 0.3 s, flight, landing at 0.65 s."""
    policy, start, _ = jump(cheetah())
    log = simulate(cheetah(), make_simulator(name, cheetah(), Ground(), dt), policy, drives(cheetah()), start, duration)
    assert not log.stopped
    return log


def by_name(books: tuple[Ledger, ...]) -> dict[str, Ledger]:
    return {book.what: book for book in books}


def out_of_balance(spec: RobotSpec, log: JumpLog) -> set[str]:
    return {book.what for book in ledgers(spec, log) if not book.met}


SECOND_OF_A_KIND = ("soft-pyramidal", "hunt-crossley")  # in the slow tests: beside soft and spring-damper


@pytest.mark.parametrize("name", ["soft", "mujoco"])
def test_a_base_with_inertia_that_does_not_weigh_has_the_book_of_energy_alone(name: str) -> None:
    base, *legs = cheetah().bodies
    spec = dataclasses.replace(
        cheetah(), bodies=(dataclasses.replace(base, joint=dataclasses.replace(base.joint, armature=1.0)), *legs)
    )
    policy, start, _ = jump(cheetah())
    log = simulate(spec, make_simulator(name, spec, Ground(), 1e-3), policy, drives(spec), start, 0.75)
    assert set(by_name(ledgers(spec, log))) == {"energy"}
    assert out_of_balance(spec, log) == set()
    assert {"energy", "momentum", "flight turning"} <= out_of_balance(cheetah(), log)


@pytest.mark.parametrize(
    "name",
    [
        *("soft", "soft-rk4", "rigid", "spring-damper", "mujoco"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in SECOND_OF_A_KIND),
    ],
)
def test_the_books_of_a_jump_balance(name: str) -> None:
    books = by_name(ledgers(cheetah(), run(name)))
    assert set(books) == BOOKS
    assert [book for book in books.values() if not book.met] == []
    assert all(book.tolerance < 0.04 for book in books.values())


def test_residuals_shrink_with_the_step_and_are_far_smaller_with_a_higher_order() -> None:
    coarse, fine = (by_name(ledgers(cheetah(), run("soft", dt))) for dt in (1e-3, 5e-4))
    for what in BOOKS - {"flight turning"}:
        assert HALVED[0] < coarse[what].relative / fine[what].relative < HALVED[1], what
    higher = by_name(ledgers(cheetah(), run("soft-rk4")))
    assert all(higher[what].relative < RUNGE_KUTTA * coarse[what].relative for what in BOOKS)


def test_what_a_higher_order_leaves_shrinks_faster_than_the_step() -> None:
    """So no work and no moment is left out: rolling of the feet and the place of the forces are in the books."""
    coarse, fine = (by_name(ledgers(cheetah(), run("soft-rk4", dt))) for dt in (1e-3, 5e-4))
    for what in ("angular momentum", "energy"):
        assert fine[what].relative < SECOND_ORDER * coarse[what].relative, what


def test_a_log_does_not_say_where_in_the_overlap_a_force_acts() -> None:
    """Hunt and Crossley's force acts at the sphere's lowest point: `angular_slack` covers that, however small the step."""
    of = log_balances(cheetah(), run("hunt-crossley", 1.25e-4, 0.5))
    turning = by_name(ledgers_from_balances(of, 0.0))["angular momentum"]
    assert 0.0 < turning.residual < of.angular_slack


def test_a_jump_in_closed_form_balances_exactly() -> None:
    """Forces are the means of their steps there. Its energy is out: torques stand at the begin of steps in which they jump."""
    log = log_of(Jump(stand=0.05, push=0.08, landing=0.1), 1e-3)
    books = by_name(ledgers_from_balances(log_balances(hopper(), log), EXACT))
    for what in ("momentum", "angular momentum", "push", "flight path", "flight turning"):
        assert books[what].relative < EXACT, what


def without_a_foot(log: JumpLog) -> JumpLog:
    forces = log.forces.copy()
    forces[:, log.points.index("HL_foot")] = 0.0
    return dataclasses.replace(log, forces=forces)


def pushed_sideways(log: JumpLog) -> JumpLog:
    forces = log.forces.copy()
    forces[..., 0] *= -1.0
    return dataclasses.replace(log, forces=forces)


def five_per_cent_stronger(log: JumpLog) -> JumpLog:
    return dataclasses.replace(log, torque=1.05 * log.torque)


def late(log: JumpLog) -> JumpLog:
    """Torques 25 ms behind."""
    return dataclasses.replace(log, torque=np.roll(log.torque, 25, axis=0))


def lighter_gravity(log: JumpLog) -> JumpLog:
    q = log.q.copy()
    q[:, 2] += 0.1 * 9.81 * log.time**2 / 2
    return dataclasses.replace(log, q=q)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (without_a_foot, {"momentum", "angular momentum", "push"}),
        (pushed_sideways, {"angular momentum"}),
        (five_per_cent_stronger, {"energy"}),
        (late, {"energy"}),
        (lighter_gravity, {"flight path"}),
    ],
)
def test_a_fault_in_the_log_puts_the_right_books_out(fault, found) -> None:
    assert found <= out_of_balance(cheetah(), fault(run("soft")))


@cache
def collapsed(name: str) -> JumpLog:
    """0.2 s of a robot without torque: it has begun to fall, and next to no work is done but gravity's."""
    start = np.array(cheetah().pose("home")), np.zeros(cheetah().nv)

    def limp(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        del t, q, v
        return JointCommand(*(np.zeros(12) for _ in range(5)))

    return simulate(cheetah(), make_simulator(name, cheetah(), Ground(), 1e-3), limp, drives(cheetah()), start, 0.2)


@pytest.mark.parametrize("name", ["soft", "rigid", "spring-damper", "mujoco"])
def test_the_books_of_a_robot_that_falls_limp_balance(name: str) -> None:
    log = collapsed(name)
    assert out_of_balance(cheetah(), log) == set()
    assert "energy" in out_of_balance(cheetah(), lighter_gravity(log))


@cache
def stood(name: str, duration: float, stiffness: float = 60.0, dt: float = 1e-3) -> JumpLog:
    """A robot whose drives hold the home pose: it settles by a few mm, and next to nothing is moved."""
    start = np.array(cheetah().pose("home")), np.zeros(cheetah().nv)

    def hold(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        del t, q, v
        return JointCommand(np.zeros(12), start[0][7:], np.zeros(12), np.full(12, stiffness), np.full(12, 1.5))

    return simulate(cheetah(), make_simulator(name, cheetah(), Ground(), dt), hold, drives(cheetah()), start, duration)


@pytest.mark.parametrize("name", ["soft", "mujoco", "rigid", "spring-damper"])
@pytest.mark.parametrize(("duration", "stiffness"), [(0.06, 60.0), (1.2, 60.0), (0.2, 200.0), (0.2, 20.0)])
def test_the_books_of_a_robot_that_stands_balance(name: str, duration: float, stiffness: float) -> None:
    log = stood(name, duration, stiffness)
    assert not log.stopped
    assert [book for book in ledgers(cheetah(), log) if not book.met] == []


@pytest.mark.parametrize("name", ["soft", "mujoco", "rigid", "spring-damper"])
def test_the_step_leaves_half_open_of_what_a_stand_is_allowed(name: str) -> None:
    """Euler's modified energy says how much, whatever the step: so the allowance is neither too small nor far too large."""
    for dt in (1e-3, 2.5e-4):
        energy = by_name(ledgers(cheetah(), stood(name, 0.06, dt=dt)))["energy"]
        assert HALF[0] < energy.relative / energy.tolerance < HALF[1]


def test_a_jump_is_measured_by_its_turnover_alone() -> None:
    for name in ("soft", "rigid", "mujoco", "spring-damper"):
        of, books = log_balances(cheetah(), run(name)), by_name(ledgers(cheetah(), run(name)))
        without = by_name(ledgers_from_balances(of, books["energy"].tolerance))
        assert all(books[what].scale == without[what].scale for what in BOOKS)


@pytest.mark.parametrize("name", ["soft", "rigid"])
@pytest.mark.parametrize(
    ("fault", "found"), [(without_a_foot, {"momentum", "angular momentum"}), (five_per_cent_stronger, {"energy"})]
)
def test_a_fault_in_the_log_of_a_stand_puts_the_right_books_out(name, fault, found) -> None:
    assert found <= out_of_balance(cheetah(), fault(stood(name, 0.2)))


def test_another_robots_books_are_out() -> None:
    """A payload that the log's robot did not carry; rotors that it did not have."""
    heavier = dataclasses.replace(
        cheetah(),
        bodies=tuple(
            dataclasses.replace(body, inertia=dataclasses.replace(body.inertia, mass=1.2 * body.inertia.mass))
            for body in cheetah().bodies
        ),
    )
    assert {"energy", "push", "angular momentum", "momentum"} <= out_of_balance(heavier, run("soft"))
    armature = run("mujoco-armature")
    assert "angular momentum" in out_of_balance(cheetah(), armature)
    assert out_of_balance(with_lumped_rotors(cheetah()), armature) == set()


def test_a_log_with_a_nan_does_not_balance() -> None:
    log = run("soft")
    torque = log.torque.copy()
    torque[100, 3] = np.nan
    assert "energy" in out_of_balance(cheetah(), dataclasses.replace(log, torque=torque))


def test_a_run_that_never_leaves_the_ground_has_no_flight() -> None:
    log = run("soft", duration=0.2)
    assert {book.what for book in ledgers(cheetah(), log)} == {"momentum", "angular momentum", "energy"}


def test_no_steps_no_books() -> None:
    log = run("soft", duration=0.2)
    empty = {name: getattr(log, name)[:0] for name in ("desired", "torque", "current", "voltage", "battery_voltage")}
    empty |= {name: getattr(log, name)[:0] for name in ("battery_power", "forces", "limit_torques")}
    assert ledgers(cheetah(), dataclasses.replace(log, time=log.time[:1], q=log.q[:1], v=log.v[:1], **empty)) == ()


@pytest.mark.parametrize(
    ("airborne", "flight"),
    [([], (0, 0)), ([0, 0], (0, 0)), ([1, 1], (0, 2)), ([1, 0, 1, 1, 1, 0], (2, 5)), ([1, 1, 0, 1], (0, 2))],
)
def test_the_longest_flight(airborne: list[int], flight: tuple[int, int]) -> None:
    assert longest_flight(np.array(airborne, dtype=bool)) == flight
