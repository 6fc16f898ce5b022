"""Runs the code of pages, each in a folder of its own, and compares or replaces the output that they show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from leapcheck_evidence.site.blocks import CodeBlock, code_blocks, commands, excerpt, with_bodies, with_output
from leapcheck_evidence.site.same import is_same

COLUMNS = 88
LONGEST = 600
"""Seconds for one command."""

WORKER = """
import contextlib, io, json, sys, traceback
sys.path.insert(0, "")
names = {"__name__": "__main__"}
for line in sys.stdin:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(json.loads(line), "<page>", "exec"), names)
        except BaseException:
            traceback.print_exc(file=out)
    print(json.dumps(out.getvalue()), flush=True)
"""
"""Runs the python blocks of a page one after the other, in one namespace."""


@dataclass(frozen=True, slots=True)
class PageRun:
    """One page after its code was run: its text with the real output, and where it showed another."""

    text: str
    differences: tuple[str, ...]


def run_page(page: str, root: Path) -> PageRun:
    """Runs all blocks of a page. `root` is the checkout, which the commands find as $LEAPCHECK."""
    with tempfile.TemporaryDirectory() as folder:
        session = _Session(Path(folder), root)
        try:
            results = list(_results(list(code_blocks(page)), session))
        finally:
            session.close()
    changed = [new for _, new in results]
    differences = tuple(_difference(old.body, new.body) for old, new in results if not is_same(old.body, new.body))
    keep = [old if is_same(old.body, new.body) else new for old, new in results]
    return PageRun(with_bodies(page, keep if changed else []), differences)


def _results(blocks: list[CodeBlock], session: _Session) -> Iterator[tuple[CodeBlock, CodeBlock]]:
    """Each block that shows an output, and the same with the real one."""
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.is_skipped:
            continue
        if block.title:
            session.write(block.title, block.body)
        elif block.language == "console":
            yield block, with_output(block, [session.command(line) for line in commands(block)])
        elif block.language == "python":
            output = session.python(block.body)
            if after is not None and after.language == "text" and not after.is_skipped:
                yield after, replace(after, body=excerpt(output, after.head))
            elif "Traceback" in output:
                yield block, replace(block, body=output)


class _Session:
    """The folder, the environment and the Python process of one page."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        programs = Path(sys.executable).parent
        own = {"COLUMNS": str(COLUMNS), "TERM": "dumb", "NO_COLOR": "1", "LEAPCHECK": str(root), "OPENBLAS_NUM_THREADS": "1"}
        self._environment = {**os.environ, **own, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        self._worker: subprocess.Popen[str] | None = None

    def write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def command(self, line: str) -> str:
        done = subprocess.run(
            ["bash", "-c", line], cwd=self._folder, env=self._environment, text=True, timeout=LONGEST, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.stdout.replace(str(self._folder), "/tmp/project")

    def python(self, code: str) -> str:
        if self._worker is None:
            self._worker = subprocess.Popen(
                [sys.executable, "-c", WORKER],
                cwd=self._folder,
                env=self._environment,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        assert self._worker.stdin
        assert self._worker.stdout
        print(json.dumps(code), file=self._worker.stdin, flush=True)
        output: str = json.loads(self._worker.stdout.readline())
        return output

    def close(self) -> None:
        if self._worker is not None:
            self._worker.communicate()


def _difference(old: str, new: str) -> str:
    return f"--- shown\n{old}+++ printed\n{new}"
