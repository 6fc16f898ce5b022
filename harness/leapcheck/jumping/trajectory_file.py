"""The commands of a jump as joint targets over time in a CSV file, for a robot's controller and for --trajectory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from leapcheck.jumping.act import Act
from leapcheck.jumping.policies import UserPolicy
from leapcheck.system.whole_file import write_whole
from leapcheck_models.spec import RobotSpec

KINDS = ("q", "qd", "tau", "kp", "kd")


def write_trajectory(spec: RobotSpec, act: Act, period: float, path: Path) -> None:
    """Writes a row for each tick of the controller, `period` s apart; the header has the configuration that it starts in.

    Numbers are written whole, so that what reads them asks for the same torques. Raises ValueError for a controller that looks at
    the state: its commands are known only in a simulation.
    """
    if isinstance(act.policy, UserPolicy):
        raise ValueError("a controller that looks at the state has no trajectory: export a planned jump")
    names = [f"{kind}_{actuator.joint}" for kind in KINDS for actuator in spec.actuators]
    lines = [f"# start = [{', '.join(map(repr, act.start[0].tolist()))}]", ",".join(["time", *names])]
    for k in range(round(act.duration / period) + 1):
        command = act.policy(k * period, *act.start)
        row = np.concatenate([command.q, command.qd, command.torque, command.kp, command.kd])
        lines.append(",".join(map(repr, [k * period, *row.tolist()])))
    write_whole(path, ("\n".join(lines) + "\n").encode())
