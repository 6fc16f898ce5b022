"""Rows one after the other, each in a process of its own: what crashes, hangs or eats the memory is a row that says so."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from leapcheck_evidence.public_robots.files import kind_of
from leapcheck_evidence.public_robots.record import BROKEN, PublicRobot
from leapcheck_evidence.public_robots.row import public_robot

CPU_SECONDS = 120
"""CPU that a file may take, and"""
TIMEOUT = 900.0
"""seconds, on a machine that is busy otherwise."""
MEMORY = 6 * 2**30
"""Bytes that a file may take."""


def public_robots(paths: Iterable[Path], folder: Path) -> Iterator[PublicRobot]:
    """The rows of the files."""
    context = multiprocessing.get_context("fork")
    for path in paths:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(path, folder, sender), daemon=True)
        process.start()
        sender.close()
        yield _answer(receiver, path.relative_to(folder).as_posix())
        process.kill()
        process.join()


def _work(path: Path, folder: Path, answers: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    sys.stderr = sys.stdout = Path("/dev/null").open("w")  # noqa: SIM115 (until the process ends)
    try:
        answers.send(public_robot(path, folder))
    except BaseException as error:  # a traceback is what the table must show
        answers.send(f"{type(error).__name__}: {' '.join(str(error).split()):.200}")


def _answer(answers: Connection, file: str) -> PublicRobot:
    try:
        given = answers.recv() if answers.poll(TIMEOUT) else f"no answer within {TIMEOUT:g} s"
    except EOFError:
        given = f"the process crashed, or took more than {CPU_SECONDS} s of CPU"
    return given if isinstance(given, PublicRobot) else PublicRobot(file, kind_of(file), refused=f"{BROKEN}: {given}")
