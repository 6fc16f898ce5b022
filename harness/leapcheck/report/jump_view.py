"""A jump study arranged for reading: the same rows for the page, the Markdown and the terminal. Nothing is recomputed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leapcheck.report.jump_words import NOT_SIMULATED, seconds
from leapcheck.report.words import DASH

if TYPE_CHECKING:
    from leapcheck.jump.measures.ledgers import Ledger
    from leapcheck.jump.run import JumpRun


@dataclass(frozen=True, slots=True)
class SimulatorRow:
    """How one simulator fared: `state` is "ran", "stopped", "failed" or "not run", `message` why, or empty."""

    name: str
    what: str
    dt: str
    steps: int
    until: str
    state: str
    message: str


def simulators(run: JumpRun) -> tuple[SimulatorRow, ...]:
    """A row per simulator, in the order asked for."""
    asked = dict.fromkeys([*run.setup.engines, *run.logs, *run.failures])
    return tuple(_simulator(run, name) for name in asked)


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A ledger over the simulators, in the order of their logs; None where one has none of it."""

    what: str
    meaning: str
    ledgers: tuple[Ledger | None, ...]


def ledger_rows(run: JumpRun) -> tuple[LedgerRow, ...]:
    """A row per ledger."""
    by_name = {name: {ledger.what: ledger for ledger in ledgers} for name, ledgers in run.ledgers.items()}
    meanings = {ledger.what: ledger.meaning for ledgers in run.ledgers.values() for ledger in ledgers}
    return tuple(LedgerRow(what, said, tuple(found.get(what) for found in by_name.values())) for what, said in meanings.items())


def unbalanced(run: JumpRun) -> tuple[tuple[str, Ledger], ...]:
    """(simulator, ledger) of those out of tolerance."""
    return tuple((name, ledger) for name, ledgers in run.ledgers.items() for ledger in ledgers if not ledger.met)


def limits(run: JumpRun) -> tuple[str, ...]:
    """What this study does not say, the particular first."""
    found = list(run.notes)
    if run.monte_carlo is None:
        found.append("robustness was not looked at: no Monte Carlo (--monte-carlo N)")
    if run.setup.rating is None:
        found.append("no thermal rating of the motors was given: i² t is told, not judged (--motor-rating)")
    if len(run.logs) < 2:
        found.append("one simulator at most ran: nothing is said about the spread over contact models")
    if run.setup.levels < 2:
        found.append("one step size: the figures have no error bars of the time step (--levels 2 or more)")
    if run.setup.act is not None and run.setup.plan is None:
        found.append("no plan of this program: there is no target to compare with, and phases are read from the logs")
    if run.setup.act is None:
        return (*run.notes, "nothing was simulated: there is no controller to simulate")
    return (*found, *NOT_SIMULATED)


def push_start(run: JumpRun) -> float | None:
    """When the planned push begins (s); None without a plan."""
    if run.setup.plan is None:
        return None
    return next((phase.start for phase in run.setup.plan.phases if phase.name == "push"), None)


def duration(run: JumpRun) -> float | None:
    """How long (s) was to be simulated; None where nothing was, for want of a plan."""
    return None if run.setup.act is None else run.setup.act.duration


def available_friction(run: JumpRun) -> float:
    """Friction that the ground of the simulations offers."""
    return float(run.setup.ground.friction)


def _simulator(run: JumpRun, name: str) -> SimulatorRow:
    what = _what(name)
    if name not in run.logs:
        if run.setup.act is None and name not in run.failures:
            return SimulatorRow(name, what, "", 0, "", "not run", "")
        why = run.failures.get(name, "it gave no run").removeprefix(f"{name}: ")
        return SimulatorRow(name, what, "", 0, "", "failed", why)
    log = run.logs[name]
    message = log.stopped or run.failures.get(name, "").removeprefix(f"{name}: ")
    state = "stopped" if message else "ran"
    return SimulatorRow(name, what, seconds(log.dt), log.steps, seconds(float(log.time[-1])), state, message)


def _what(name: str) -> str:
    from leapcheck.jump.simulators import SIMULATORS

    return SIMULATORS[name].what if name in SIMULATORS else "given by the user"


@dataclass(frozen=True, slots=True)
class RobustnessView:
    """A Monte Carlo in words and rows: causes (name, jumps, jumps in which it came first), drivers (name, success, rise)."""

    successes: int
    runs: int
    sentence: str
    causes: tuple[tuple[str, int, int], ...]
    drivers: tuple[tuple[str, str, str], ...]


def robustness(run: JumpRun) -> RobustnessView | None:
    """The Monte Carlo as the reports show it; None without one."""
    found = run.monte_carlo
    if found is None:
        return None
    low, high = found.interval
    nominal = "With nothing varied it succeeds."
    if found.nominal_causes:
        nominal = f"With nothing varied it fails too: {', '.join(found.nominal_causes)}."
    rotors = "" if found.armature_cost is None else f" {found.armature_cost.sentence}"
    return RobustnessView(
        successes=found.successes,
        runs=found.count,
        sentence=(
            f"{found.successes} of {found.count} varied jumps succeed (seed {found.seed}): with 95 % confidence the probability "
            f"of success is {low:.3f} to {high:.3f} (Clopper-Pearson). {nominal} The worst is number {found.worst}.{rotors}"
        ),
        causes=tuple((cause.name, cause.count, cause.first) for cause in found.causes),
        drivers=tuple((d.name, _correlation(d.with_success), _correlation(d.with_rise)) for d in found.drivers),
    )


def _correlation(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:+.2f}"
