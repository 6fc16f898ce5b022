"""The plots of what surrounds a jump: its many variations, and the log of the real robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leapcheck.report.chart import Chart, Series, SeriesKind
from leapcheck.report.jump.plots import LEDGER_PLOTS, Plot, PlotGroup, draw_charts, jump_plots
from leapcheck_reference.simulate.actuator import drives

if TYPE_CHECKING:
    from leapcheck.jumping.hardware import HardwareComparison
    from leapcheck.jumping.robustness.monte_carlo import MonteCarlo
    from leapcheck.simulators.log import JumpLog

SHOWN_RESIDUALS, SHOWN_DRIVERS = 6, 4
SIGNALS = {"q": "angle", "qd": "speed", "tau": "torque"}
UNITS = {
    "ground_height": "m",
    "payload": "kg",
    "com_x": "m",
    "com_y": "m",
    "com_z": "m",
    "latency": "s",
    "joint_noise": "rad",
    "speed_noise": "rad/s",
    "pitch": "rad",
    "roll": "rad",
}
"""Units of what is varied; the others are ratios."""


def hardware_plots(hardware: HardwareComparison) -> tuple[Plot, ...]:
    """The joints in which hardware and simulation differ most, one chart for each of the first `SHOWN_RESIDUALS`."""
    charts = []
    for residual in hardware.residuals[:SHOWN_RESIDUALS]:
        simulated, measured = hardware.series[residual.signal, residual.joint]
        series = (Series(hardware.simulator, hardware.time, simulated), Series("hardware", hardware.time, measured))
        word = SIGNALS.get(residual.signal, residual.signal)
        charts.append(Chart(f"{residual.joint}: {word}", "time, s", f"{word}, {residual.unit}", series))
    return draw_charts(charts)


def worst_plots(trials: MonteCarlo, log: JumpLog, push: float | None) -> tuple[PlotGroup, ...]:
    """The plots of the worst varied jump, of the robot as it was varied there; without its ledgers."""
    from leapcheck.jumping.robustness.replay import perturbed_robot
    from leapcheck.jumping.robustness.variation import draw

    trial, draws = trials.trial, draw(trials.variation, trials.seed, [trials.worst])
    robot, friction = perturbed_robot(trial.spec, draws), trial.contact.friction + float(draws.friction[0])
    groups = jump_plots(robot, {log.simulator: log}, drives(robot), push, friction, trial.terrain)
    return tuple(group for group in groups if group.name != LEDGER_PLOTS)


def robustness_plots(trials: MonteCarlo) -> tuple[Plot, ...]:
    """The com's rise over each of the strongest drivers, a dot for each jump that reached a height."""
    names = [driver.name.strip("|") for driver in trials.drivers[:SHOWN_DRIVERS]]
    rise, good = trials.samples["rise"].to_numpy(dtype=float), trials.samples["success"].to_numpy(dtype=bool)
    charts = []
    for name in (name for name in names if name in trials.samples):
        x = trials.samples[name].to_numpy(dtype=float)
        parts = (("succeeds", good, 0), ("fails", ~good, 1))
        series = tuple(
            Series(word, x[which], rise[which], SeriesKind.DOTS, tone=tone) for word, which, tone in parts if which.any()
        )
        words = name.replace("_", " ")
        along = f"{words}, {UNITS[name]}" if name in UNITS else words
        charts.append(Chart(f"Rise over {words}", along, "rise, m", series))
    return draw_charts(charts)
