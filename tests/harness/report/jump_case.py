"""A jump made by hand, without a simulator: the Mini Cheetah crouches, pushes, flies, lands; forces and torques fit roughly."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd

from leapcheck.jumping.act import Act
from leapcheck.jumping.hardware import HardwareComparison, Residual
from leapcheck.jumping.judging.rules import Reason
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import JumpJudgement
from leapcheck.jumping.measures.estimates import estimates
from leapcheck.jumping.measures.ledgers import ledgers
from leapcheck.jumping.policies import Trajectory
from leapcheck.jumping.robustness.monte_carlo import MonteCarlo
from leapcheck.jumping.robustness.outcome import TrialOutcome
from leapcheck.jumping.robustness.statistics import Cause, Driver, success_interval
from leapcheck.jumping.robustness.variation import Variation
from leapcheck.jumping.setup import JumpSetup
from leapcheck.jumping.study import JumpProvenance, JumpStudy
from leapcheck.simulators.log import JumpLog
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, kernel
from leapcheck_reference.simulate.actuator import drive_response, drives

TAKE_OFF, APEX_SPEED = 0.53, 1.98  # s, m/s
TIMES = (0.0, 0.4, TAKE_OFF, 0.62, 0.86, 0.95, 1.05, 1.2)  # s
HIPS = (-0.8, -1.25, -0.5, -1.1, -0.85, -0.75, -1.15, -0.8)  # rad; each knee is minus twice its hip
PHASES = (("crouch", 0.0, 0.4), ("push", 0.4, TAKE_OFF), ("flight", TAKE_OFF, 0.9336), ("landing", 0.9336, 1.2))


def smooth(t: np.ndarray, times: tuple[float, ...], values: tuple[float, ...]) -> np.ndarray:
    """Values through the given ones, level at each of them."""
    i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    start, end = np.array(times)[i], np.array(times)[i + 1]
    s = (t - start) / (end - start)
    s = s**3 * (10 - 15 * s + 6 * s**2)
    return np.array(values)[i] * (1 - s) + np.array(values)[i + 1] * s


def jump_log(simulator: str = "rigid", dt: float = 1e-3, lift: float = 0.0, duration: float = 1.2, stopped: str = "") -> JumpLog:
    """A log of the Mini Cheetah; `lift` m/s more at take-off, so that simulators differ."""
    spec = load("mini_cheetah_armature")
    tree, n = build(spec), round(duration / dt)
    time = np.arange(n + 1) * dt
    q, v = np.zeros((n + 1, spec.nq)), np.zeros((n + 1, spec.nv))
    hip = smooth(time, TIMES, HIPS)
    for leg in range(4):
        q[:, 8 + 3 * leg], q[:, 9 + 3 * leg] = hip, -2 * hip
    stance = 0.02 + 0.209 * np.cos(hip) + 0.195 * np.cos(-hip)
    flight = np.clip(time - TAKE_OFF, 0, None)
    ballistic = np.interp(TAKE_OFF, time, stance) + (APEX_SPEED + lift) * flight - 4.905 * flight**2
    up = (time > TAKE_OFF) & (ballistic > stance)
    q[:, 2], q[:, 3] = np.where(up, ballistic, stance), 1.0
    v[:, 5] = np.gradient(q[:, 2], dt)
    v[:, 6:] = np.gradient(q[:, 7:], dt, axis=0)
    lift_off = np.where(up[:-1], 0.0, np.clip(9.81 + np.gradient(v[:-1, 5], dt), 0, 40))
    forces = np.zeros((n, len(tree.points), 3))
    feet = [i for i, point in enumerate(tree.points) if point.name.endswith("_foot")]
    forces[:, feet, 2] = (spec.total_mass * lift_off / 4)[:, None]
    J = kernel(tree, ("contact_jacobians",))(q[:-1])["contact_jacobians"]
    torque = -np.einsum("npij,npi->nj", J, forces)[:, 6:]
    given = drive_response(drives(spec), torque, v[:-1, 6:])
    return JumpLog(
        simulator=simulator,
        robot=spec.name,
        dt=dt,
        points=tuple(point.name for point in spec.contact_points if point.computed),
        actuators=tuple(actuator.name for actuator in spec.actuators),
        time=time,
        q=q,
        v=v,
        desired=torque,
        torque=given.torque,
        current=given.current,
        voltage=given.voltage,
        battery_voltage=24.0 - 0.002 * given.power.sum(1),
        battery_power=given.power.sum(1),
        forces=forces,
        limit_torques=np.zeros((n, spec.nv)),
        stopped=stopped,
    )


def robot(name: str = "mini_cheetah_armature") -> RobotSpec:
    """The robot of the logs; another name for tests of what is escaped."""
    return dataclasses.replace(load("mini_cheetah_armature"), name=name)


HOSTILE = "<script>alert('x')</script>\u202e& [bold red]x[/] |`y`|"
TINY_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def cut(log: JumpLog, steps: int, stopped: str) -> JumpLog:
    """The log as if its run had ended after so many steps."""
    states = {name: getattr(log, name)[: steps + 1] for name in ("time", "q", "v")}
    of_steps = ("desired", "torque", "current", "voltage", "battery_voltage", "battery_power", "forces", "limit_torques")
    return dataclasses.replace(log, **states, **{name: getattr(log, name)[:steps] for name in of_steps}, stopped=stopped)


def judgement(verdict: JumpVerdict, text: str = "torque asked of FR_knee is 1.2 +- 0.1, above 1") -> JumpJudgement:
    """A judgement with one reason, about `torque_use`."""
    reason = Reason(verdict, "torque_use", text, 1.2, 0.1, 1.1, 1.3, 1.0, "1", "rigid", 5e-4, True)
    reasons = () if verdict is JumpVerdict.GO else (reason,)
    remedies = () if verdict is JumpVerdict.GO else ("jump lower, or crouch deeper",)
    return JumpJudgement(verdict, reasons, remedies, f"{verdict}: {text}")


def study(
    logs: dict[str, list[JumpLog]] | None = None, verdict: JumpVerdict = JumpVerdict.MARGINAL, name: str = "mini_cheetah_armature"
) -> JumpStudy:
    """A study of hand-made logs, two step sizes each; figures and ledgers are measured on them, the verdict is given."""
    if logs is None:
        logs = {n: [jump_log(n, dt, lift) for dt in (2e-3, 1e-3)] for n, lift in (("rigid", 0.0), ("soft", 0.1))}
    spec = robot(name)
    policy = Trajectory(*(np.zeros((2, 12)) for _ in range(4)), *(np.zeros(12) for _ in range(2)))
    act = Act(policy, (np.zeros(spec.nq), np.zeros(spec.nv)), 1.2)
    return JumpStudy(
        setup=JumpSetup(spec, act, tuple(logs), levels=2),
        logs={n: levels[-1] for n, levels in logs.items()},
        failures={},
        estimates=estimates(spec, None, logs, drives(spec)),
        ledgers={n: ledgers(spec, levels[-1]) for n, levels in logs.items() if np.isfinite(levels[-1].q).all()},
        judgement=judgement(verdict),
        provenance=JumpProvenance(
            name, "0123456789abcdef", f"leapcheck jump {name} --height 0.2", {"numpy": "2.0"}, 7, "Linux x"
        ),
    )


def monte_carlo(successes: int = 37, count: int = 40) -> MonteCarlo:
    """What a Monte Carlo leaves, by hand."""
    rng = np.random.default_rng(0)
    samples = pd.DataFrame({"latency": rng.uniform(size=count), "rise": rng.uniform(size=count)})
    samples["success"] = np.arange(count) < successes
    return MonteCarlo(
        trial=None,
        count=count,
        seed=3,
        variation=Variation(),
        floor_time=0.7,
        successes=successes,
        interval=success_interval(successes, count),
        causes=(Cause("trunk hit the ground", 3, 2), Cause(HOSTILE, 1, 1)),
        drivers=(Driver("|latency|", -0.61, math.nan, 1e-3), Driver("friction", 0.2, 0.1, 0.2)),
        samples=samples,
        nominal=TrialOutcome({"rise": 0.3}, ""),
        nominal_causes=(),
        worst=39,
        armature_cost=None,
        seconds=1.0,
    )


def hardware(log: JumpLog) -> HardwareComparison:
    """A hardware log beside a simulated one, by hand."""
    residuals = tuple(Residual("q", f"joint_{i}", "rad", 0.1 / (i + 1), 0.2, 0.5, 0.01, 0.99) for i in range(10))
    series = {("q", r.joint): (log.q[:, 8], log.q[:, 8] + r.rms) for r in residuals}
    return HardwareComparison(f"{HOSTILE}.csv", "rigid", -0.25, 1.2, residuals, log.time, series)
