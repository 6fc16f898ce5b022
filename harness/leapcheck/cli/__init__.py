"""The command line: `leapcheck compare`, `explain`, `diff`, `score`, `jump` and the others."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from importlib import import_module
from inspect import getdoc
from typing import Protocol

COULD_NOT_RUN = 2

COMMANDS = (
    "baseline",
    "bench",
    "compare",
    "diff",
    "explain",
    "generate",
    "init",
    "jump",
    "leg-jump",
    "lint",
    "robots",
    "score",
    "sparsity",
    "versions",
)
"""Each is a module of this package with a dataclass of the same name, `leg_jump` with `LegJump`: its fields are the options."""

HELP = """Look before you leap: a robot's dynamics held against MuJoCo, Pinocchio and the truth.

usage: leapcheck {baseline,bench,compare,diff,explain,generate,init,jump,leg-jump,lint,robots,score,sparsity,versions} ...

  baseline  what is accepted, with reason and expiry, so that a later run fails on what is new
  bench     the generated kernels timed beside the engines' own machine code
  compare   a robot's dynamics in several engines over random states: the discrepancy report
  diff      what became better or worse from one comparison to another
  explain   who is wrong in a comparison, why, and the smallest case that shows it
  generate  a robot's MJCF, its scene, its URDF, and its dynamics in C
  init      engine, test, workflow and hook to begin with, in your project
  jump      a jump planned, simulated in every engine, and judged before the hardware
  leg-jump  can a two-link leg with hobby servos jump?
  lint      what is odd about a robot's description, where, and what to do
  robots    the robots that have a name
  score     planted defects: what the judge finds, names and shrinks
  sparsity  the pattern of a robot's mass matrix, in the terminal and as a picture
  versions  an engine in several versions: which quantities changed, and with which release

Examples:
  leapcheck compare mini_cheetah
  leapcheck compare mini_cheetah --engine my_dynamics:make --quantities mass_matrix bias_force
  leapcheck explain runs/mini_cheetah
  leapcheck baseline runs/mini_cheetah --out baseline.json
  leapcheck generate mini_cheetah --out models/
  leapcheck jump mini_cheetah --height 0.2
  leapcheck lint mini_cheetah
  leapcheck sparsity mini_cheetah --picture pattern.png
  leapcheck versions mujoco 3.3.7 3.10.0 4.0.0

`leapcheck COMMAND --help` lists a command's options. Exit status: 0 agree, 1 a discrepancy, 2 could not run."""


class Command(Protocol):
    """A parsed command line."""

    def run(self) -> int:
        """Does the work and returns the exit status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; an error is one line on standard error, never a traceback."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded: small matrices, a process per core
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] in (["--help"], ["-h"]):
        print(HELP)
        return 0
    if not words or words[0] not in COMMANDS:
        what = f"unknown command '{words[0]}'" if words else "no command"
        return _refused(f"{what}: use one of {', '.join(COMMANDS)}, or --help")
    usage = io.StringIO()
    try:
        with redirect_stderr(usage):
            command = _parsed(words)
    except SystemExit as done:  # --help, or a box that says what is wrong with the words
        return _refused(f"{_cause(usage.getvalue())}: see leapcheck {words[0]} --help") if done.code else 0
    try:
        return command.run()
    except KeyboardInterrupt as interrupt:
        return _refused(str(interrupt) or "interrupted: nothing was written")
    except (ValueError, OSError, ImportError, RuntimeError, ArithmeticError) as error:
        return _refused(_reason(error))
    except MemoryError as error:
        return _refused(f"not enough memory ({error}): use fewer states or workers")


def _parsed(words: Sequence[str]) -> Command:
    """The command's dataclass, filled from the words; SystemExit where they are wrong or ask for help."""
    import tyro

    name = words[0]
    words_of_name = name.split("-")
    kind: type[Command] = getattr(
        import_module(f"leapcheck.cli.{'_'.join(words_of_name)}"), "".join(map(str.capitalize, words_of_name))
    )
    return tyro.cli(
        kind,
        prog=f"leapcheck {name}",
        description=getdoc(kind),
        args=words[1:],
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    )


def _cause(box: str) -> str:
    """The first part of the box that tyro draws around an error, in one line; its frame is ASCII where stdout is."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    lines = [line.strip("│╭╮╰╯ ") for line in plain.splitlines()[1:]]  # the first holds the title
    parts = "\n".join("" if not line.strip("─-") else line for line in lines).strip().split("\n\n")
    return " ".join(parts[0].split()).rstrip(".")


def _reason(error: Exception) -> str:
    """Cause and remedy; the operating system's errors know no remedy."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"'{error.filename}': {error.strerror}: give a path that can be read or written"
    return str(error) or type(error).__name__


def _refused(reason: str) -> int:
    print(f"leapcheck: {' '.join(reason.split())}", file=sys.stderr)
    return COULD_NOT_RUN
