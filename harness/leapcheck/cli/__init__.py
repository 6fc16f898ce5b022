"""The command line: one module per command."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import fields
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from types import FrameType
from typing import Protocol

import leapcheck
from leapcheck.cli.streams import output_error, replace_streams
from leapcheck.system.garbage import rare_collection
from leapcheck.system.text import terminal_text
from leapcheck.system.windows import skip_windows
from leapcheck_models.search_path import OPTION, add_to_search_path
from leapcheck_models.words import did_you_mean

COULD_NOT_RUN = 2

AGAIN_SECONDS = 0.01
"""How soon a lost interrupt is repeated: any object's `__del__` is over by then, and if not it is repeated again."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)

COMMANDS = {
    "baseline": "accept a run's discrepancies, with reason and expiry, so that later runs fail only on new ones",
    "completion": "print what makes a shell complete commands, options and robots",
    "compare": "compare a robot's dynamics in several engines over random states: the discrepancy report",
    "diff": "what became better or worse from one comparison to another",
    "diff-robots": "what differs between two descriptions of one robot, and what each difference does to M and h",
    "explain": "who is wrong in a comparison, why, and the smallest case that shows it",
    "generate": "write a robot's MJCF, scene and URDF, and its dynamics in C",
    "init": "start a project: an engine, its test, a workflow and a pre-commit hook",
    "jump": "plan a jump, simulate it in every engine, and judge it before the hardware does",
    "leg-jump": "can a two-link leg with hobby servos jump?",
    "lint": "check a robot's description: what is odd, where, and what to do",
    "robots": "list the robots that have a name",
    "rule": "what a lint rule or a fault means, an example, and what to do",
    "sparsity": "show the sparsity pattern of a robot's mass matrix",
    "versions": "compare versions of an engine: which quantities changed, and with which release",
}
"""Each has a module in this package with a dataclass whose fields are the options: `leg_jump.LegJumpCommand` for leg-jump."""

SUMMARIES = "\n".join(f"  {name:<12}  {summary}" for name, summary in COMMANDS.items())

HELP = f"""Look before you leap: checks a robot's dynamics against MuJoCo, Pinocchio and extended precision.

usage: leapcheck COMMAND ...

{SUMMARIES}

Examples:
  leapcheck compare mini_cheetah
  leapcheck compare mini_cheetah --engine my_dynamics:make --quantities mass_matrix bias_force
  leapcheck diff-robots my_robot.urdf my_robot.xml
  leapcheck explain runs/mini_cheetah
  leapcheck baseline runs/mini_cheetah --out baseline.json
  leapcheck generate mini_cheetah --out models/
  leapcheck jump mini_cheetah --height 0.2
  leapcheck lint mini_cheetah
  leapcheck rule realisability
  leapcheck sparsity mini_cheetah --picture pattern.png
  leapcheck versions mujoco 3.3.7 3.10.0 4.0.0

Every command takes --search-path DIR, once or more: a folder outside a robot file's own in which the meshes and includes that it
refers to may lie, as LEAPCHECK_SEARCH_PATH or ROS_PACKAGE_PATH may name them.

`leapcheck --version` prints the version, `leapcheck COMMAND --help` lists a command's options.
Exit status: 0 agree, 1 a discrepancy, 2 could not run."""


def _without_search_path(words: Sequence[str]) -> list[str]:
    """The words without `--search-path DIR`, which every command takes; the folders go to the search path."""
    rest: list[str] = []
    folders: list[str] = []
    left = iter(words)
    for word in left:
        option, equals, folder = word.partition("=")
        if option != OPTION:
            rest.append(word)
            continue
        folder = folder if equals else next(left, "")
        if not Path(folder).is_dir():
            raise ValueError(f"{OPTION} '{folder}' is no folder: name one that exists")
        folders.append(folder)
    if folders:
        add_to_search_path(folders)
    return rest


class CommandLine(Protocol):
    """A parsed command line."""

    def run(self) -> int:
        """Does the work and returns the exit status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, `sys.argv` where none is given, and returns its exit status.

    An error is one line on standard error, never a traceback; where nobody reads the output any longer, it is dropped.
    """
    if arguments is None:
        replace_streams()
        signal.signal(signal.SIGTERM, _interrupt)
        sys.unraisablehook = _interrupt_again
        if sys.argv[1:2] == ["compare"]:  # whose engines run users' code in processes of their own
            skip_windows()
    try:
        with rare_collection():
            status = _run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt as interrupt:  # at any moment: also while words are read and modules imported
        exec("")  # Python would end by SIGINT where the interrupt came in code out of a string: this clears its note of that
        status = _refuse(str(interrupt) or "interrupted: nothing was written")
    if arguments is None:
        _ignore_interrupts()
    error = output_error()
    return status if error is None else _refuse(f"standard output: {error.strerror}: give a file that can be written")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Ends the command as Ctrl-C does, with the report of what is done: a CI ends jobs so. A second signal kills it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise KeyboardInterrupt


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Repeats an interrupt that came where Python drops exceptions, as in a `__del__`; others are shown as ever."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(lost)


def _ignore_interrupts() -> None:
    """All is done: an interrupt now, or one that was to be repeated, must not change the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def _run(words: Sequence[str]) -> int:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded: small matrices, a process per core
    if words[:1] in (["--help"], ["-h"]):
        print(HELP)
        return 0
    if words[:1] == ["--version"]:
        print(f"leapcheck {leapcheck.__version__}")
        return 0
    if not words or words[0] not in COMMANDS:
        problem = f"unknown command '{words[0]}'{did_you_mean(words[0], COMMANDS)}" if words else "no command"
        return _refuse(f"{problem}: use one of {', '.join(COMMANDS)}, or --help")
    usage = io.StringIO()
    try:
        words = _without_search_path(words)
        with redirect_stderr(usage):
            command = _parse(words)
    except ValueError as error:
        return _refuse(_reason(error))
    except SystemExit as end:  # --help, or a box that says what is wrong with the words
        return _refuse(f"{_usage_error(usage.getvalue(), words[0])}: see leapcheck {words[0]} --help") if end.code else 0
    try:
        return command.run()
    except (ValueError, OSError, ImportError, RuntimeError, ArithmeticError) as error:
        return _refuse(_reason(error))
    except MemoryError as error:
        return _refuse(f"not enough memory ({error}): use fewer states or workers")


def _parse(words: Sequence[str]) -> CommandLine:
    """The command's dataclass, filled from the words; SystemExit where they are wrong or ask for help."""
    import tyro

    from leapcheck.cli.option_help import with_plain_help

    kind = command_class(words[0])
    command: CommandLine = tyro.cli(
        with_plain_help(kind),
        prog=f"leapcheck {words[0]}",
        description=getdoc(kind),
        args=words[1:],
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    )
    return command


def command_class(name: str) -> type[CommandLine]:
    """The dataclass of a command."""
    module = import_module(f"leapcheck.cli.{name.replace('-', '_')}")
    kind: type[CommandLine] = getattr(module, f"{name.title().replace('-', '')}Command")
    return kind


def command_options(name: str) -> list[str]:
    """The options of a command as they are written: `--states-file`."""
    options = [one for one in fields(command_class(name)) if "Positional" not in str(one.type)]  # type: ignore[arg-type]
    return ["--help", OPTION, *(f"--{option.name.replace('_', '-')}" for option in options)]


def _usage_error(box: str, command: str) -> str:
    """The first part of the box that tyro draws around an error, in one line; its frame is ASCII where stdout is.

    An unknown option is followed by the nearest known one.
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    lines = [line.strip("│╭╮╰╯ ") for line in plain.splitlines()[1:]]  # the first holds the title
    parts = "\n".join("" if not line.strip("─-") else line for line in lines).strip().split("\n\n")
    error = " ".join(parts[0].split()).rstrip(".")
    unknown = re.match(r"Unrecognized options: (--[\w-]+)", error)
    return f"{error}{did_you_mean(unknown[1], command_options(command))}" if unknown else error


def _reason(error: Exception) -> str:
    """Cause and remedy; the operating system's errors have no remedy of their own."""
    if isinstance(error, OSError) and error.filename is not None:
        remedy = "make room there" if error.errno in NO_ROOM else "give a path that can be read or written"
        return f"'{error.filename}': {error.strerror}: {remedy}"
    return str(error) or type(error).__name__


def _refuse(reason: str) -> int:
    print(terminal_text(f"leapcheck: {' '.join(reason.split())}"), file=sys.stderr)
    return COULD_NOT_RUN
