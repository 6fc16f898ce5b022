"""How close the in-house twin of MuJoCo's contact is to MuJoCo over whole jumps and crashes, each in its own control loop."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from leapcheck.jumping.control import JointCommand, Policy
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.mujoco.simulator import TO_ROUNDING, MujocoSimulator
from leapcheck.simulators.protocol import Simulator
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import SoftContact, SoftSimulator
from leapcheck_reference.simulate.soft_contact import Cone

DT = 1e-3
HEIGHT = 0.2
JUMP, CRASH = 1.2, 0.8
"""Seconds simulated."""

Q_GOAL, V_GOAL = 1e-11, 1e-9
DEFAULT_TOLERANCE, DEFAULT_Q_GOAL = 1e-8, 2e-6

TITLE = "in-house twin against MuJoCo"
IN_HOUSE: dict[str, Any] = {"Euler": "euler", "implicitfast": "implicitfast", "RK4": "rk4"}
CONES: tuple[Cone, ...] = ("elliptic", "pyramidal")
FRICTIONS = (0.05, 0.3, 0.8)
SOLREFS = ((0.004, 1.0), (0.01, 1.0), (0.02, 1.0))
DIRECT = (-2e4, -250.0)
IMPRATIOS = (1.0, 10.0, 100.0)

HOME, CROUCH, STRETCHED, RETRACTED = (0.0, -0.8, 1.6), (0.0, -1.1, 2.2), (0.0, -0.5, 1.0), (0.0, -1.0, 2.0)
SKEW = np.array([[0.06, 0.05, 0.0], [0.1, -0.03, 0.06], [-0.05, 0.0, -0.04], [0.04, 0.02, 0.05]])
"""Added to the legs' targets: a jump that is symmetric would hide faults."""
PHASES = (
    (0.05, 0.2, HOME, CROUCH, (60.0, 1.5)),
    (0.3, 0.2, CROUCH, STRETCHED, (60.0, 1.0)),
    (0.45, 0.1, STRETCHED, RETRACTED, (40.0, 1.5)),
    (0.6, 0.1, RETRACTED, HOME, (40.0, 1.5)),
)
"""Crouch, push, flight, landing: begin (s), time of the move (s), targets of a leg (abad, hip, knee; rad) from and to, gains."""
CLEARANCE = 1e-4
"""Height (m) of the lowest foot at the begin: at exactly 0 rounding decides in each engine whether it touches."""


@dataclass(frozen=True, slots=True)
class TwinCase:
    """One run in both: robot, contact, MuJoCo's name of the integrator, joints with their passive losses or without."""

    contact: SoftContact
    integrator: str
    robot: str = "mini_cheetah"
    passive: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Largest differences over a run: dq (m, rad, quaternion), dv (m/s, rad/s), df (N); why a run stopped, if one did."""

    dq: float
    dv: float
    df: float
    stopped: str = ""


def rows() -> list[StudyRow]:
    """The rows of the table: the planned jump to rounding and at MuJoCo's default tolerance, a skewed jump, crashes."""
    exact: list[Difference] = []
    loose: list[Difference] = []
    unusual: list[Difference] = []
    itself: list[Difference] = []
    for case in jump_cases():
        log, engine, early = twin_log(case, jump), mujoco_log(case, jump), mujoco_log(case, jump, DEFAULT_TOLERANCE)
        exact.append(difference(log, engine))
        (loose if case.contact.impratio == 1.0 else unusual).append(difference(log, early))
        if case.contact.impratio == 1.0:
            itself.append(difference(engine, early))
    within = sum(largest.dq <= DEFAULT_Q_GOAL for largest in loose)
    skewed = [difference(twin_log(case, skewed_jump), mujoco_log(case, skewed_jump)) for case in jump_cases()[::3]]
    crashed = [difference(twin_log(case, crash), mujoco_log(case, crash)) for case in crash_cases()]
    jumps = (
        f"{len(exact)} planned jumps of {HEIGHT} m at {DT * 1e3:g} ms, stand to stand, loops closed separately, exact rotors; "
        f"{', '.join(IN_HOUSE)}; both cones; friction {_numbers(FRICTIONS)}; solref {_numbers(ref[0] for ref in SOLREFS)} and "
        f"direct; impratio {_numbers(IMPRATIOS)}"
    )
    return [
        twin_row(f"{TITLE}, to rounding, planned jump", exact, (Q_GOAL, V_GOAL), jumps),
        twin_row(
            f"{TITLE}, MuJoCo's default tolerance, planned jump",
            loose,
            (DEFAULT_Q_GOAL, np.inf),
            f"the {len(loose)} of these jumps with impratio 1, {within} of them within the goal; MuJoCo's early exit: it differs "
            f"from itself solved to rounding by up to dq {worst(itself).dq:.1e}; with {_numbers(IMPRATIOS[1:])} it may stop so "
            f"early that a touch moves by a step: {len(unusual)} jumps, worst dq {worst(unusual).dq:.1e}",
        ),
        twin_row(
            f"{TITLE}, to rounding, skewed jump",
            skewed,
            (Q_GOAL, V_GOAL),
            f"{len(skewed)} scripted jumps of {JUMP} s on legs bent differently: feet chatter, slide, touch and leave one by one "
            "(at MuJoCo's default tolerance a touch may then move by a step, and dq reach 2e-4)",
        ),
        twin_row(
            f"{TITLE}, to rounding, crash",
            crashed,
            (Q_GOAL, V_GOAL),
            f"{len(crashed)} tumbling falls of {CRASH} s onto trunk, knees and feet, joints driven into their stops, damping and "
            "dry friction in the joints; exact rotors and armature",
        ),
    ]


def jump_cases() -> tuple[TwinCase, ...]:
    """Every integrator with both cones and all frictions and solrefs; larger impedance ratios and direct solrefs in turn."""
    contacts = [(friction, solref, 1.0) for friction, solref in itertools.product(FRICTIONS, SOLREFS)]
    contacts += zip((0.8, *FRICTIONS), (*SOLREFS, DIRECT), itertools.cycle(IMPRATIOS[1:]))
    return tuple(
        TwinCase(SoftContact(friction=friction, solref=solref, impratio=ratio, cone=cone), integrator)
        for integrator, cone in itertools.product(IN_HOUSE, CONES)
        for friction, solref, ratio in contacts
    )


def crash_cases() -> tuple[TwinCase, ...]:
    """Falls with passive losses in the joints, exact rotors and armature."""
    contact = SoftContact(friction=0.6, solref=(0.01, 1.0), solreflimit=(0.01, 1.0))
    return tuple(
        TwinCase(dataclasses.replace(contact, cone=cone), integrator, robot, passive=True)
        for robot, integrator, cone in itertools.product(("mini_cheetah", "mini_cheetah_armature"), IN_HOUSE, CONES)
    )


Start = tuple[Policy, tuple[Floats, Floats], float]
"""Policy, start (q, v) and duration (s)."""

Scenario = Callable[[RobotSpec], Start]


def jump(spec: RobotSpec) -> Start:
    """The planner's jump, on the spot."""
    plan = _plan(spec)
    q = plan.start_q.copy()
    q[2] += CLEARANCE
    return plan, (q, plan.start_v), plan.duration


@lru_cache(maxsize=2)
def _plan(spec: RobotSpec) -> JumpPlan:
    return plan_jump(spec, JumpRequest(HEIGHT), drives(spec))


def skewed_jump(spec: RobotSpec) -> Start:
    """A scripted jump from the home position, turned about z, with differently bent legs."""
    return legs_policy(_jump_targets), (standing(spec), np.zeros(spec.nv)), JUMP


def crash(spec: RobotSpec) -> Start:
    """A fall from half a metre, tilted and tumbling, the abad joints driven beyond their stops."""
    q, v = standing(spec), np.zeros(spec.nv)
    q[2] += 0.25
    q[3:7] = np.array([0.85, 0.35, 0.3, 0.2]) / np.linalg.norm([0.85, 0.35, 0.3, 0.2])
    v[:6] = 1.0, -1.5, 0.5, 0.3, -0.4, -1.0
    return legs_policy(_crash_targets), (q, v), CRASH


def standing(spec: RobotSpec) -> Floats:
    """Canonical q of the home position, turned about z by 0.3 rad, the lowest foot a hair above the ground."""
    q = np.array(spec.pose("home"), dtype=float)
    q[3:7] = np.cos(0.15), 0.0, 0.0, np.sin(0.15)
    q[7:] = (np.array(HOME) + SKEW).ravel()
    plant = Plant(spec)
    centres = plant.at(q, np.zeros(spec.nv)).centres
    q[2] += CLEARANCE - float((centres[:, 2] - plant.radii).min())
    return q


def legs_policy(targets: Callable[[float], tuple[Floats, Floats, tuple[float, float]]]) -> Policy:
    """A policy of joint targets (q, qd, (kp, kd)) over time, for legs of abad, hip and knee."""

    def command(t: float, q: Floats, v: Floats) -> JointCommand:
        del q, v
        wanted, speed, (kp, kd) = targets(t)
        return JointCommand(np.zeros(12), wanted, speed, np.full(12, kp), np.full(12, kd))

    return command


def _jump_targets(t: float) -> tuple[Floats, Floats, tuple[float, float]]:
    begin, span, origin, end, gains = [phase for phase in PHASES if phase[0] <= max(t, PHASES[0][0])][-1]
    part, rate = _smooth((t - begin) / span)
    change = np.array(end) - origin
    return (origin + part * change + SKEW).ravel(), np.tile(rate / span * change, 4), gains


def _crash_targets(t: float) -> tuple[Floats, Floats, tuple[float, float]]:
    part, _ = _smooth(t / 0.3)
    legs = np.array(HOME) + SKEW
    legs[:, 0] = 1.9 * part * np.array([-1.0, 1.0, -1.0, 1.0])
    return legs.ravel(), np.zeros(12), (40.0, 1.5)


def _smooth(x: float) -> tuple[float, float]:
    """(value, slope) of the cubic from 0 at 0 to 1 at 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)


def twin_log(case: TwinCase, scenario: Scenario) -> JumpLog:
    """The in-house run."""
    spec = load(case.robot)
    return _run(spec, SoftSimulator(Plant(spec, case.passive), case.contact, DT, IN_HOUSE[case.integrator]), scenario)


def mujoco_log(case: TwinCase, scenario: Scenario, tolerance: float = TO_ROUNDING) -> JumpLog:
    """MuJoCo's run."""
    spec, integrator = load(case.robot), case.integrator
    options: Any = {"integrator": integrator, "tolerance": tolerance, "passive": case.passive}
    return _run(spec, MujocoSimulator(spec, case.contact, DT, **options), scenario)


def _run(spec: RobotSpec, simulator: Simulator, scenario: Scenario) -> JumpLog:
    policy, start, duration = scenario(spec)
    return simulate(spec, simulator, policy, drives(spec), start, duration)


def difference(a: JumpLog, b: JumpLog) -> Difference:
    """Largest differences of two logs of the same robot and times; infinite where one of them stopped."""
    stopped = a.stopped or b.stopped
    if stopped:
        return Difference(np.inf, np.inf, np.inf, stopped)
    dq, dv, df = (float(np.abs(x - y).max()) for x, y in ((a.q, b.q), (a.v, b.v), (a.forces, b.forces)))
    return Difference(dq, dv, df)


def worst(differences: Iterable[Difference]) -> Difference:
    """The largest of each, NaN where one is; every reason to stop once, in order."""
    runs = list(differences)
    stopped = "; ".join(dict.fromkeys(d.stopped for d in runs if d.stopped))
    dq, dv, df = np.array([(d.dq, d.dv, d.df) for d in runs]).max(axis=0).tolist()
    return Difference(dq, dv, df, stopped)


def twin_row(what: str, differences: list[Difference], goals: tuple[float, float], detail: str) -> StudyRow:
    """A row of the table: the largest of the differences beside the goals for dq and dv."""
    largest, (q_goal, v_goal) = worst(differences), goals
    goal = f"dq <= {q_goal:g}" + (f", dv <= {v_goal:g}" if np.isfinite(v_goal) else "")
    figure = f"dq {largest.dq:.1e}, dv {largest.dv:.1e}, force {largest.df:.1e} N"
    met = largest.dq <= q_goal and largest.dv <= v_goal
    return StudyRow(what, goal, figure, met, f"{detail}; {largest.stopped}" if largest.stopped else detail)


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
