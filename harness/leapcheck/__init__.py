"""Look before you leap: robot dynamics compared with MuJoCo, Pinocchio and the truth.

    import leapcheck as lc

    run = lc.compare("mini_cheetah", MyDynamics())
    run.ok, run.verdict
    run.to_frame()
    print(run.explain())

Everything is imported when it is first used: `import leapcheck` alone loads no engine and no array library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leapcheck.api.comparison import assert_agrees as assert_agrees
    from leapcheck.api.comparison import compare as compare
    from leapcheck.api.comparison_run import ComparisonRun as ComparisonRun
    from leapcheck.api.comparison_run import ComparisonVerdict as ComparisonVerdict
    from leapcheck.api.comparison_run import read_run as read_run
    from leapcheck.api.jump_run import JumpRun as JumpRun
    from leapcheck.api.jump_run import LegJumpRun as LegJumpRun
    from leapcheck.api.jumps import jump as jump
    from leapcheck.api.jumps import leg_jump as leg_jump
    from leapcheck.api.robot_diff import RobotDiff as RobotDiff
    from leapcheck.api.robot_diff import diff_robots as diff_robots
    from leapcheck.api.robots import LintReport as LintReport
    from leapcheck.api.robots import kernel as kernel
    from leapcheck.api.robots import lint as lint
    from leapcheck.api.robots import load as load
    from leapcheck.api.robots import states as states
    from leapcheck.engines.protocol import Engine as Engine

    __version__: str

HOMES = {
    "compare": "leapcheck.api.comparison",
    "assert_agrees": "leapcheck.api.comparison",
    "ComparisonRun": "leapcheck.api.comparison_run",
    "ComparisonVerdict": "leapcheck.api.comparison_run",
    "read_run": "leapcheck.api.comparison_run",
    "jump": "leapcheck.api.jumps",
    "leg_jump": "leapcheck.api.jumps",
    "JumpRun": "leapcheck.api.jump_run",
    "LegJumpRun": "leapcheck.api.jump_run",
    "load": "leapcheck.api.robots",
    "lint": "leapcheck.api.robots",
    "LintReport": "leapcheck.api.robots",
    "diff_robots": "leapcheck.api.robot_diff",
    "RobotDiff": "leapcheck.api.robot_diff",
    "states": "leapcheck.api.robots",
    "kernel": "leapcheck.api.robots",
    "Engine": "leapcheck.engines.protocol",
}
"""The module of each public name."""

__all__ = [*HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("leapcheck")
    elif name in HOMES:
        value = getattr(import_module(HOMES[name]), name)
    else:
        raise AttributeError(f"module 'leapcheck' has no attribute '{name}': it offers {', '.join(__all__)}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
