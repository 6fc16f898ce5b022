"""A jump study arranged for reading: the same rows for the page, the Markdown and the terminal. Nothing is recomputed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leapcheck.jumping.measures.ledgers import base_armature
from leapcheck.report.jump.words import ELECTRICAL, NOT_SIMULATED, seconds
from leapcheck.report.words import DASH

if TYPE_CHECKING:
    from leapcheck.jumping.measures.ledgers import Ledger
    from leapcheck.jumping.study import JumpStudy
    from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class SimulatorRow:
    """The outcome of one simulator: `state` is "ran", "stopped", "failed" or "not run", `message` why, or empty."""

    name: str
    what: str
    dt: str
    steps: int
    until: str
    state: str
    message: str


def simulators(run: JumpStudy) -> tuple[SimulatorRow, ...]:
    """A row per simulator, in the order of the options."""
    names = dict.fromkeys([*run.setup.engines, *run.logs, *run.failures])
    return tuple(_simulator(run, name) for name in names)


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A ledger over the simulators, in the order of their logs; None where one has none of it."""

    what: str
    meaning: str
    ledgers: tuple[Ledger | None, ...]


def ledger_rows(run: JumpStudy) -> tuple[LedgerRow, ...]:
    """A row per ledger."""
    by_name = {name: {ledger.what: ledger for ledger in ledgers} for name, ledgers in run.ledgers.items()}
    meanings = {ledger.what: ledger.meaning for ledgers in run.ledgers.values() for ledger in ledgers}
    return tuple(LedgerRow(what, meaning, tuple(own.get(what) for own in by_name.values())) for what, meaning in meanings.items())


def open_ledgers(run: JumpStudy) -> tuple[tuple[str, Ledger], ...]:
    """(simulator, ledger) of those out of tolerance."""
    return tuple((name, ledger) for name, ledgers in run.ledgers.items() for ledger in ledgers if not ledger.met)


def limits(run: JumpStudy) -> tuple[str, ...]:
    """What this study does not say, the particular first."""
    lines = list(run.notes)
    if run.monte_carlo is None:
        lines.append("robustness was not examined: no Monte Carlo (--monte-carlo N)")
    if run.setup.rating is None:
        lines.append("no thermal rating of the motors was given: i²t is reported, not judged (--motor-rating)")
    if run.setup.battery.resistance == 0.0 and any(actuator.motor for actuator in run.setup.spec.actuators):
        lines.append("the battery holds its voltage under load: no internal resistance was given (--battery-resistance)")
    lines += _drive_limits(run.setup.spec)
    if armature := base_armature(run.setup.spec):
        lines.append(
            f"the free joint has armature {armature:g}, inertia without weight: no ledgers of momentum and flight; if the file's "
            'defaults gave it by mistake, write armature="0" there'
        )
    if len(run.logs) < 2:
        lines.append("at most one simulator ran: there is no spread over contact models")
    if run.setup.levels < 2:
        lines.append("one step size: the figures have no error bars for the time step (--levels 2 or more)")
    if run.setup.act is not None and run.setup.plan is None:
        lines.append("not planned by leapcheck: there is no target to compare with, and the phases are read from the logs")
    if run.setup.act is None:
        return (*run.notes, "nothing was simulated: there is no controller to simulate")
    if not run.setup.ground.terrain.is_level:
        lines.append("of the robot only its contact points meet boxes and steps: a shank may pass through an edge between them")
    without = () if any(actuator.motor for actuator in run.setup.spec.actuators) else ELECTRICAL
    return (*lines, *(line for line in NOT_SIMULATED if line not in without))


def _drive_limits(spec: RobotSpec) -> list[str]:
    """What is not known of drives without motor data."""
    rated = [actuator for actuator in spec.actuators if actuator.motor is None]
    line = [actuator.name for actuator in rated if math.isfinite(actuator.speed_limit or math.inf)]
    torque = [actuator.name for actuator in rated if actuator.name not in line]
    lines = []
    if line:
        lines.append(
            f"{_listed(line)}: rated by torque and speed, without motor data: the torque falls on a straight line from that "
            "at rest to zero at that speed, below what a drive gives that holds its torque up to it; no voltage, no current, no "
            "heat, no share of the battery"
        )
    if torque:
        lines.append(f"{_listed(torque)}: no speed limit is known (--speed-limit RAD_S): the torque is there at any speed")
    return lines


def _listed(names: list[str]) -> str:
    """A few names, or how many there are."""
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} drives"


def push_start(run: JumpStudy) -> float | None:
    """When the planned push begins (s); None without a plan."""
    if run.setup.plan is None:
        return None
    return next((phase.start for phase in run.setup.plan.phases if phase.name == "push"), None)


def duration(run: JumpStudy) -> float | None:
    """How long (s) was to be simulated; None where nothing was, for want of a plan."""
    return None if run.setup.act is None else run.setup.act.duration


def available_friction(run: JumpStudy) -> float:
    """Friction that the ground of the simulations offers."""
    return float(run.setup.ground.friction)


def _simulator(run: JumpStudy, name: str) -> SimulatorRow:
    what = _what(name)
    if name not in run.logs:
        if run.setup.act is None and name not in run.failures:
            return SimulatorRow(name, what, "", 0, "", "not run", "")
        why = run.failures.get(name, "no result").removeprefix(f"{name}: ")
        return SimulatorRow(name, what, "", 0, "", "failed", why)
    log = run.logs[name]
    message = log.stopped or run.failures.get(name, "").removeprefix(f"{name}: ")
    state = "stopped" if message else "ran"
    return SimulatorRow(name, what, seconds(log.dt), log.steps, seconds(float(log.time[-1])), state, message)


def _what(name: str) -> str:
    from leapcheck.simulators.registry import SIMULATORS

    return SIMULATORS[name].what if name in SIMULATORS else "supplied by the user"


@dataclass(frozen=True, slots=True)
class RobustnessView:
    """A Monte Carlo in words and rows: causes (name, jumps, jumps in which it came first), drivers (name, success, rise)."""

    successes: int
    runs: int
    sentence: str
    causes: tuple[tuple[str, int, int], ...]
    drivers: tuple[tuple[str, str, str], ...]


def robustness(run: JumpStudy) -> RobustnessView | None:
    """The Monte Carlo as the reports show it; None without one."""
    trials = run.monte_carlo
    if trials is None:
        return None
    low, high = trials.interval
    nominal = "Without variations it succeeds."
    if trials.nominal_causes:
        nominal = f"Without variations it fails too: {', '.join(trials.nominal_causes)}."
    rotors = "" if trials.armature_cost is None else f" {trials.armature_cost.sentence}"
    return RobustnessView(
        successes=trials.successes,
        runs=trials.count,
        sentence=(
            f"{trials.successes} of {trials.count} varied jumps succeed (seed {trials.seed}): with 95 % confidence the "
            f"probability of success is {low:.3f} to {high:.3f} (Clopper-Pearson). {nominal} "
            f"The worst is number {trials.worst}.{rotors}"
        ),
        causes=tuple((cause.name, cause.count, cause.first) for cause in trials.causes),
        drivers=tuple((d.name, _correlation(d.with_success), _correlation(d.with_rise)) for d in trials.drivers),
    )


def _correlation(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:+.2f}"
