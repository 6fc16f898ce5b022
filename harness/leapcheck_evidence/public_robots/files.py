"""Which files of a folder are robots, and of what kind each is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ENDINGS = (".urdf", ".xml", ".mjcf")
ROOT = re.compile(rb"<(robot|mujoco)[\s>]")
BEGINNING = 65536
"""Bytes in which the root element must begin."""

KINDS = {
    "quadruped": "quadruped go1 go2 b1 b2 a1 a2 anymal solo hyq laikago spot aliengo cheetah minitaur microtaur vision60 pegasus "
    "barkour littledog spirit ant dog solo12 hyqreal1 hyqreal2",
    "humanoid": "humanoid g1 h1 talos atlas valkyrie digit cassie bolt nao pepper gr1 apollo icub romeo berkeley walker cmu "
    "skeleton human kangaroo alexander op3 r1 toddler darwin jvrc baxter pr2 tiago sigmaban simple_humanoid",
    "hand": "hand gripper allegro shadow finger robotiq wsg schunk adroit inspire fourier",
    "arm": "arm panda franka ur3 ur5 ur10 iiwa iiwa14 kuka kinova kinova3 jaco gen3 sawyer xarm xarm7 lwr fr3 z1 widowx rizon "
    "piper so101 dofbot vx300s fetch reacher pusher manipulator scara",
}
"""Words of a file's path, by kind; the first kind that has one counts."""

OTHER = "other"


def robot_files(folder: Path) -> Iterator[Path]:
    """Model files below a folder, in the order of their names: URDF and MJCF with the root element of one."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in ENDINGS and path.is_file():
            with path.open("rb") as stream:
                if ROOT.search(stream.read(BEGINNING)):
                    yield path


def kind_of(file: str) -> str:
    """The kind of the robot in a file, by the words of its path."""
    parts = file.lower().split("/")[1:]  # behind the package's name
    words = {word for part in parts for word in re.split(r"[^a-z0-9]+", part)}
    return next((kind for kind, known in KINDS.items() if words & set(known.split())), OTHER)
