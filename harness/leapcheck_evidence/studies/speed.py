"""How long one jump takes in each simulator: 1.2 s of the plan at a step of 1 ms, beside MuJoCo in turns."""

from __future__ import annotations

import time

from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.registry import SIMULATORS, Ground, make_simulator
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives

OWN = ("soft", "soft-implicitfast", "soft-rk4", "rigid", "spring-damper", "hunt-crossley")
BESIDE = "mujoco"
DT, DURATION, TURNS = 1e-3, 1.2, 3
GOAL = 1.0  # s


def rows() -> list[StudyRow]:
    """The fastest of a few jumps of each in-house simulator, controller, drives and log included."""
    spec = load("mini_cheetah")
    motors = drives(spec)
    plan = plan_jump(spec, JumpRequest(height=0.2), motors)
    fastest: dict[str, float] = {}
    for _ in range(TURNS):  # in turns: a busy moment of the machine strikes all
        for name in (*OWN, BESIDE):
            made = make_simulator(name, spec, Ground(), DT)
            began = time.perf_counter()
            log = simulate(spec, made, plan, motors, (plan.start_q, plan.start_v), DURATION)
            taken = time.perf_counter() - began
            if log.stopped:
                raise RuntimeError(log.stopped)
            fastest[name] = min(fastest.get(name, taken), taken)
    detail = f"minimum of {TURNS} in turns; 0.2 m jump, exact rotors; {BESIDE} takes {fastest[BESIDE]:.2f} s in the same loop"
    return [
        StudyRow(
            f"time of one jump: {SIMULATORS[name].what}",
            f"<= {GOAL:g} s",
            f"{fastest[name]:.2f} s",
            fastest[name] <= GOAL,
            detail,
        )
        for name in OWN
    ]
