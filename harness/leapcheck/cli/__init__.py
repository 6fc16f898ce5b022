"""The command line: `leapcheck compare`, `generate`, `lint`, `robots`, `sparsity`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

COULD_NOT_RUN = 2

DESCRIPTION = """Look before you leap: a robot's dynamics held against MuJoCo, Pinocchio and the truth.

Examples:
  leapcheck compare mini_cheetah
  leapcheck compare mini_cheetah --engine my_dynamics:make --quantities mass_matrix bias_force
  leapcheck generate mini_cheetah --out models/
  leapcheck lint mini_cheetah
  leapcheck sparsity mini_cheetah --picture pattern.png

Exit status: 0 agree, 1 a discrepancy, 2 could not run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; an error is one line on standard error, never a traceback."""
    import tyro

    from leapcheck.cli.compare import Compare
    from leapcheck.cli.generate import Generate
    from leapcheck.cli.lint import Lint
    from leapcheck.cli.robots import Robots
    from leapcheck.cli.sparsity import Sparsity

    command = tyro.cli(
        Annotated[Compare, tyro.conf.subcommand("compare")]
        | Annotated[Generate, tyro.conf.subcommand("generate")]
        | Annotated[Lint, tyro.conf.subcommand("lint")]
        | Annotated[Robots, tyro.conf.subcommand("robots")]
        | Annotated[Sparsity, tyro.conf.subcommand("sparsity")],
        prog="leapcheck",
        description=DESCRIPTION,
        args=None if arguments is None else list(arguments),
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagConversionOff),
    )
    try:
        return command.run()
    except KeyboardInterrupt:
        return _refused("interrupted: nothing was written")
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        return _refused(" ".join(str(error).split()) or type(error).__name__)


def _refused(reason: str) -> int:
    print(f"leapcheck: {reason}", file=sys.stderr)
    return COULD_NOT_RUN
