"""Code blocks of a page: which there are, what runs, and what each prints.

A block with a title is a file that is written. In `console` blocks, lines that begin with "$ " are commands; other lines are
their output. A `python` block without a title is run, all of a page in one process; a `text` block right behind it is its output.
A comment `<!-- run: skip -->` above a block leaves it alone; `<!-- run: head 12 -->` shows the first 12 lines of each output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"<!-- run: (?P<words>[^>]*?) -->\s*\Z")
TITLE = re.compile(r'title="([^"]+)"')
PROMPT = "$ "
MORE = "..."
"""Stands for lines that are left out of an output."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One fenced block: where its body stands in the page, its language, title and directive."""

    start: int
    end: int
    language: str
    title: str
    directive: str
    body: str
    indent: int

    @property
    def is_skipped(self) -> bool:
        """Whether a comment says so."""
        return self.directive == "skip"

    @property
    def head(self) -> int:
        """How many lines of an output are shown; 0 for all."""
        return int(self.directive.split()[1]) if self.directive.startswith("head ") else 0


def code_blocks(page: str) -> Iterator[CodeBlock]:
    """The blocks of a page in their order."""
    for match in FENCE.finditer(page):
        language, _, rest = match["info"].strip().partition(" ")
        title = TITLE.search(rest)
        directive = DIRECTIVE.search(page[: match.start()])
        indent = len(match["indent"])
        body = "".join(line[indent:] if line.strip() else line for line in match["body"].splitlines(keepends=True))
        words = directive["words"] if directive else ""
        yield CodeBlock(match.start("body"), match.end("body"), language, title[1] if title else "", words, body, indent)


def commands(block: CodeBlock) -> list[str]:
    """The commands of a console block; a backslash at a line's end continues it."""
    lines: list[str] = []
    continued = False
    for line in block.body.splitlines():
        if continued:
            lines[-1] += f"\n{line}"
        elif line.startswith(PROMPT):
            lines.append(line.removeprefix(PROMPT))
        else:
            continue
        continued = line.endswith("\\")
    return lines


def with_output(block: CodeBlock, outputs: list[str]) -> CodeBlock:
    """The console block with the outputs of its commands."""
    parts = [
        f"{PROMPT}{command}\n{excerpt(output, block.head)}" for command, output in zip(commands(block), outputs, strict=True)
    ]
    return replace(block, body="".join(parts))


def excerpt(output: str, head: int) -> str:
    """An output as a page shows it: no spaces at the ends of lines, at most `head` lines."""
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    if head and len(lines) > head:
        lines = [*lines[:head], MORE]
    return "".join(f"{line}\n" for line in lines)


def with_bodies(page: str, blocks: list[CodeBlock]) -> str:
    """The page with the bodies of some blocks replaced."""
    for block in sorted(blocks, key=lambda block: -block.start):
        body = "".join(" " * block.indent + line if line.strip() else line for line in block.body.splitlines(keepends=True))
        page = page[: block.start] + body + page[block.end :]
    return page
