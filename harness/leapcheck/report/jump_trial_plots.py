"""The plots of what surrounds a jump: its many variations, and the log of the real robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leapcheck.report.chart import Chart, Kind, Series
from leapcheck.report.jump_plots import Plot, drawn

if TYPE_CHECKING:
    from leapcheck.jump.hardware import HardwareComparison
    from leapcheck.jump.robustness.monte_carlo import MonteCarlo

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


def hardware_plots(found: HardwareComparison) -> tuple[Plot, ...]:
    """The joints in which hardware and simulation differ most, one chart for each of the first `SHOWN_RESIDUALS`."""
    charts = []
    for residual in found.residuals[:SHOWN_RESIDUALS]:
        simulated, hardware = found.series[residual.signal, residual.joint]
        series = (Series(found.simulator, found.time, simulated), Series("hardware", found.time, hardware))
        word = SIGNALS.get(residual.signal, residual.signal)
        charts.append(Chart(f"{residual.joint}: {word}", "time, s", f"{word}, {residual.unit}", series))
    return drawn(charts)


def robustness_plots(found: MonteCarlo) -> tuple[Plot, ...]:
    """The com's rise over each of the strongest drivers, a dot for each jump that reached a height."""
    names = [driver.name.strip("|") for driver in found.drivers[:SHOWN_DRIVERS]]
    rise, good = found.samples["rise"].to_numpy(dtype=float), found.samples["success"].to_numpy(dtype=bool)
    charts = []
    for name in (name for name in names if name in found.samples):
        x = found.samples[name].to_numpy(dtype=float)
        parts = (("succeeds", good, 0), ("fails", ~good, 1))
        series = tuple(Series(word, x[of], rise[of], Kind.DOTS, tone=tone) for word, of, tone in parts if of.any())
        words = name.replace("_", " ")
        along = f"{words}, {UNITS[name]}" if name in UNITS else words
        charts.append(Chart(f"Rise over {words}", along, "rise, m", series))
    return drawn(charts)
