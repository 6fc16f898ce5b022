"""The robots by name: `load("mini_cheetah")`, `load("random:7")`, `load("my_robot.json")`."""

import re
from collections.abc import Callable
from functools import lru_cache, partial

from leapcheck_models.robots.free_bodies import box, falling_rod
from leapcheck_models.robots.mini_cheetah import mini_cheetah, mini_cheetah_armature
from leapcheck_models.robots.pupper_leg import pupper_leg
from leapcheck_models.robots.random_tree import random_tree
from leapcheck_models.robots.tree4 import rooted_trees, tree4
from leapcheck_models.robots.two_link_arm import two_link_arm
from leapcheck_models.spec import RobotSpec
from leapcheck_models.spec_file import read_spec
from leapcheck_models.words import did_you_mean

ROBOTS: dict[str, Callable[[], RobotSpec]] = {
    "mini_cheetah": mini_cheetah,
    "mini_cheetah_armature": mini_cheetah_armature,
    "pupper_leg": pupper_leg,
    "two_link_arm": two_link_arm,
    **{f"tree4_{number}": partial(tree4, number) for number in range(1, len(rooted_trees()) + 1)},
    "box": box,
    "falling_rod": falling_rod,
}


CONVERTERS = {
    ".sdf": "SDF is not read: convert it to MJCF with the package sdformat-mjcf (`sdformat2mjcf`)",
    ".world": "a world of SDF is not read: convert its model to MJCF with the package sdformat-mjcf (`sdformat2mjcf`)",
    ".xacro": "xacro is not read: make a URDF of it with ROS's program `xacro`",
    **dict.fromkeys(
        (".usd", ".usda", ".usdc", ".usdz"),
        "USD is not read: convert it to URDF with the package nvidia-srl-usd-to-urdf (`usd_to_urdf`) or Isaac Sim's exporter",
    ),
}
"""What to do about files of formats that are not read, by their endings."""


def load(name: str) -> RobotSpec:
    """Spec of a named robot, of `random:SEED`, or of a file whose name ends in .json or .urdf (.urdf#fixed, .urdf#floating).

    MJCF needs MuJoCo: `leapcheck.robots.load.load` takes it too. Raises ValueError that lists the names, or
    FileNotFoundError; a broken file gives ValueError (see `read_spec` and `read_urdf`).
    """
    if name in ROBOTS:
        return _made_once(ROBOTS[name])
    if name.startswith("random:"):
        if not re.fullmatch("[0-9]{1,18}", seed := name.removeprefix("random:")):
            raise ValueError(f"robot {name!r:.80}: the seed must be a whole number from 0 to 999999999999999999: try random:7")
        return _made_once(random_tree, int(seed))
    if name.endswith(".json"):
        return read_spec(name)
    if name.partition("#")[0].endswith(".urdf"):
        from leapcheck_models.importing.urdf_file import read_urdf  # a parser of XML, for files alone

        return read_urdf(name).spec
    if converter := next((words for ending, words in CONVERTERS.items() if name.endswith(ending)), ""):
        raise ValueError(f"file {name!r:.80}: {converter}")
    raise ValueError(
        f"unknown robot {name!r:.80}{did_you_mean(name, ROBOTS)}: use one of {', '.join(ROBOTS)}, random:SEED, "
        "or a file ending in .json, .urdf or .xml"
    )


@lru_cache(maxsize=256)  # the Mini Cheetah's takes 10 ms, most of them its validation
def _made_once(factory: Callable[..., RobotSpec], *arguments: int) -> RobotSpec:
    """What the factory makes; specs are frozen and can be shared."""
    return factory(*arguments)


def descriptions() -> dict[str, str]:
    """One line on each robot, by the name that `load` takes."""
    named = {name: factory().description for name, factory in ROBOTS.items()}
    return named | {
        "random:SEED": "seeded random tree of any joint types, up to 40 dof",
        "FILE.json": "your own, as read_spec reads it",
        "FILE.urdf": "your own; FILE.urdf#fixed or #floating says what its base is",
        "FILE.xml": "your own MJCF, as MuJoCo compiles it",
    }
