"""The robots of the example-robot-data wheel: where they lie, and which of them stand on a fixed base."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

FIXED = (
    "allegro_left_hand", "allegro_right_hand", "baxter", "double_pendulum", "double_pendulum_continuous",
    "double_pendulum_simple", "finger_edu", "kinova", "panda", "panda_collision", "so100", "so101", "talos_left_arm",
)  # fmt: skip
"""Arms, hands and benches whose root link has a mass; the others with one float."""


def robots() -> list[str]:
    """Every URDF of the wheel as the command line takes it, in alphabetical order; empty where it is not installed."""
    try:
        found = [Path(str(file.locate())) for file in files("example-robot-data") or () if str(file).endswith(".urdf")]
    except PackageNotFoundError:
        return []
    ordered = sorted(found, key=lambda path: (path.stem, str(path)))
    return [f"{path}#fixed" if path.stem in FIXED else str(path) for path in ordered]


if __name__ == "__main__":
    from leapcheck_evidence.file_table import FileTableCommand

    FileTableCommand(tuple(robots())).run()
