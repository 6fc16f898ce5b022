"""`leapcheck generate ROBOT`: MJCF and URDF of a robot, and its dynamics as C99."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

if TYPE_CHECKING:
    from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True)
class GenerateCommand:
    """Write a robot's MJCF, scene and URDF; with --c also its dynamics as one C99 function.

    Without names --c computes mass_matrix, bias_force, contact_positions, contact_jacobians and contact_bias_accelerations.

    Examples:
      leapcheck generate mini_cheetah --out models/
      leapcheck generate mini_cheetah --out models/ --rotors armature
      leapcheck generate mini_cheetah --out controller/ --c
      leapcheck generate mini_cheetah --out controller/ --c mass_matrix bias_force
      leapcheck generate mini_cheetah --out controller/ --c all --engine
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json, .urdf, .xml)."""
    out: Annotated[Path, tyro.conf.arg(aliases=["-o"])]
    """Folder to write into."""
    rotors: Annotated[Literal["bodies", "armature"], tyro.conf.arg(aliases=["-r"])] = "bodies"
    """Geared rotors in MJCF: bodies with hinges of their own (exact), or lumped into armature."""
    c: Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[QUANTITY ...]")] = None
    """C99 source and header of one function that computes these quantities together: names, groups of them, or all."""
    engine: bool = False
    """With --c, also the source that makes the function an engine: a library for `compare --engine`."""

    def run(self) -> int:
        """Writes the files and prints their paths."""
        from leapcheck.robots.load import load
        from leapcheck.system.text import terminal_text
        from leapcheck_models.generate import write_files, write_robot_files
        from leapcheck_models.urdf import urdf_obstacles

        spec = load(self.robot)
        c_files = self._c_files(spec)  # before anything is written: a name may be unknown
        for path in [*write_robot_files(spec, self.out, self.rotors), *write_files(c_files, self.out)]:
            print(terminal_text(str(path)))
        for obstacle in urdf_obstacles(spec):
            print(terminal_text(f"no URDF: {obstacle}"))
        return 0

    def _c_files(self, spec: RobotSpec) -> dict[str, str]:
        if self.c is None:
            if self.engine:
                raise ValueError("--engine makes an engine of the function that --c writes: give --c too")
            return {}
        from leapcheck.quantities import CANONICAL, sizes
        from leapcheck_reference.trace.c99 import c_files
        from leapcheck_reference.trace.c_engine import engine_files
        from leapcheck_reference.trace.c_robot import CONTROLLER, robot_function

        function = robot_function(spec, self._names(spec) or CONTROLLER)
        answered = [name for name in function.graph.outputs if name in CANONICAL]
        return c_files(function) | (engine_files(function, sizes(spec).points, answered) if self.engine else {})

    def _names(self, spec: RobotSpec) -> tuple[str, ...]:
        """The quantities that the words of --c stand for; of a group those that the robot has."""
        from leapcheck.quantities import ALL, CANONICAL, QUANTITIES, QuantityGroup, answer_shape, quantity_names, sizes

        names: list[str] = []
        for word in self.c or ():
            if word not in (*QuantityGroup, ALL) or word == QuantityGroup.MUJOCO:  # refused where it is unknown
                names.append(word)
                continue
            constrained = sizes(spec).constraints > 0
            names += [
                name
                for name in quantity_names((word,))
                if name in CANONICAL
                and 0 not in answer_shape(name, spec)
                and (constrained or QUANTITIES[name].group is not QuantityGroup.CONSTRAINTS)
            ]
        return tuple(names)
