"""`leapcheck diff-robots A B`: two files, one robot?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from leapcheck.system.text import terminal_lines


@dataclass(frozen=True)
class DiffRobotsCommand:
    """Show what differs between two descriptions of a robot, with sizes, and what each difference does to M and h.

    Joints are matched by name or by their place in the tree, links on fixed joints fused. A link frame that stands elsewhere
    by choice is no difference. Each difference is tried alone on the first robot, over seeded states: the worst change of M, in
    sqrt(M_ii M_jj), and of h, in its largest entry. Exit status 0 the same physics, 1 differences.

    Examples:
      leapcheck diff-robots my_robot.urdf my_robot.xml
      leapcheck diff-robots 'panda.urdf#fixed' panda.xml --json differences.json
      leapcheck diff-robots mini_cheetah mini_cheetah_armature
    """

    first: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="A")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json, .urdf, .xml)."""
    second: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="B")]
    """The other one."""
    tolerance: float | None = None
    """Share of a number's size that counts as equal; by default a unit of the last printed digit."""
    json: Path | None = None
    """Also write the differences to this file."""

    def run(self) -> int:
        """Prints the differences; returns 1 if one is of physics."""
        from leapcheck.api.robot_diff import diff_robots
        from leapcheck.system.strict_json import dumps
        from leapcheck.system.whole_file import write_whole

        difference = diff_robots(self.first, self.second, tolerance=self.tolerance)
        if self.json is not None:
            record = {
                "first": difference.first, "second": difference.second, "same": difference.same, "sentence": difference.sentence,
                "differences": difference.differences, "joints": difference.joints, "total": difference.total,
            }  # fmt: skip
            write_whole(self.json, dumps(record))
        print(terminal_lines(str(difference)))
        return int(not difference.same)
