"""The programs of this package: options from a dataclass, errors in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from inspect import getdoc
from typing import Protocol

import tyro

COULD_NOT_RUN = 2


class Command(Protocol):
    """Options of a program, and what it does."""

    def run(self) -> int:
        """Does the work and returns the exit status."""


def run_command(kind: type[Command], name: str, words: Sequence[str] | None = None) -> int:
    """Exit status of `python -m leapcheck_evidence.NAME WORDS`; SystemExit for wrong words and for --help, as tyro has it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded: small matrices, a process per core
    command = tyro.cli(
        kind,
        prog=f"python -m leapcheck_evidence.{name}",
        description=getdoc(kind),
        args=words,
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    )
    try:
        return command.run()
    except (ValueError, OSError, ImportError, RuntimeError, ArithmeticError) as error:
        print(f"leapcheck_evidence.{name}: {error}", file=sys.stderr)
        return COULD_NOT_RUN
