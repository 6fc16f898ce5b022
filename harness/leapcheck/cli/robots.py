"""`leapcheck robots`: the robots that have a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RobotsCommand:
    """List the robots by name, with their size and the source of their figures."""

    def run(self) -> int:
        """Prints a table."""
        from rich.console import Console
        from rich.table import Table

        from leapcheck.report.terminal import FittingTable
        from leapcheck_models.robots import ROBOTS

        table = Table(box=None, pad_edge=False)
        for heading in ("robot", "dof", "rotors", "points", "mass kg", "what it is"):
            table.add_column(
                heading, justify="left" if heading in ("robot", "what it is") else "right", no_wrap=heading != "what it is"
            )
        for name, make in ROBOTS.items():
            spec = make()
            rotors, points = sum(b.rotor is not None for b in spec.bodies), len(spec.contact_points)
            table.add_row(name, str(spec.nv), str(rotors), str(points), f"{spec.total_mass:.3f}", spec.description)
        table.add_row("random:SEED", "1-40", "", "", "", "a seeded random tree: every joint type, generic axes, rotors")
        table.add_row("FILE.json", "", "", "", "", "a robot of your own")
        table.add_row("FILE.urdf", "", "", "", "", "any URDF; FILE.urdf#fixed or FILE.urdf#floating says what its base is")
        table.add_row("FILE.xml", "", "", "", "", "any MJCF, as MuJoCo compiles it")
        Console().print(FittingTable(table))
        return 0
