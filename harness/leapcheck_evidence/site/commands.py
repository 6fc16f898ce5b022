"""The command-line reference: a section per command, from the dataclasses whose fields are the options."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any

from leapcheck.cli import COMMANDS, command_class
from leapcheck_evidence.site.markdown import cell, table

NAMES = {"int": "INT", "float": "FLOAT", "str": "TEXT", "Path": "PATH"}


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option or argument of a command: how it is written, its default, what it does."""

    written: str
    default: str
    text: str


def command_page() -> str:
    """Every command with its description, arguments and options."""
    sections = "\n".join(command_section(name) for name in COMMANDS)
    intro = (
        "Every command takes `--help`, and `--search-path DIR` (repeatable): a folder outside a robot file's own in which its\n"
        "meshes and includes may lie. Exit status: 0 agree or GO, 1 a discrepancy or NO-GO, 2 could not run."
    )
    summary = table(("command", "what"), [(f"[`{name}`](#{name})", what) for name, what in COMMANDS.items()])
    return f"# Command line\n\n{intro}\n\n{summary}\n{sections}"


def command_section(name: str) -> str:
    """Description, options and examples of one command."""
    kind = command_class(name)
    text = inspect.getdoc(kind) or ""
    body, _, examples = text.partition("Examples:")
    rows = [(f"`{row.written}`", f"`{row.default}`" if row.default else "", row.text) for row in option_rows(kind)]
    parts = [f"## {name}", _prose(body), table(("option", "default", "what"), rows)]
    if examples.strip():
        parts.append(f"```console\n{_prompts(examples)}\n```")
    return "\n\n".join(parts) + "\n"


def option_rows(kind: type[Any]) -> Iterator[OptionRow]:
    """Arguments first, then the options, in the order of the help."""
    texts = field_texts(kind)
    rows = []
    for field in fields(kind):
        hint = texts[field.name].hint
        place = "Positional" in hint
        option = f"--{field.name.replace('_', '-')}"
        value = _metavar(hint)
        written = re.sub(r".*metavar=['\"]([^'\"]+)['\"].*", r"\1", hint) if place else f"{option} {value}".strip()
        default = "" if field.default is MISSING else _default(field.default)
        rows.append((not place, OptionRow(written, default, cell(texts[field.name].text))))
    yield from (row for _, row in sorted(rows, key=lambda pair: pair[0]))


@dataclass(frozen=True, slots=True)
class FieldText:
    """Annotation and docstring of a field, as they stand in the source."""

    hint: str
    text: str


def field_texts(kind: type[Any]) -> dict[str, FieldText]:
    """Of each field of a dataclass, those of its bases included."""
    texts: dict[str, FieldText] = {}
    for base in reversed(kind.__mro__[:-1]):
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(node, ast.ClassDef)
        for field, after in zip(node.body, [*node.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                text = str(after.value.value) if said else ""  # type: ignore[union-attr]
                texts[field.target.id] = FieldText(ast.unparse(field.annotation), " ".join(text.split()))
    return texts


def _metavar(hint: str) -> str:
    """What stands behind an option: INT, PATH, TEXT...; nothing behind a flag."""
    if hint == "bool":
        return ""
    words = [NAMES[word] for word in re.findall(r"\b(?:int|float|str|Path)\b", hint)]
    many = "..." in hint and "Append" not in hint
    return f"{words[0]} ..." if many and words else " ".join(words)


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "" if value in ("", None, False) else str(value)


def _prose(text: str) -> str:
    """A docstring's text as Markdown: indented lists of names become lists."""
    lines = [re.sub(r"^  (\w[\w, ]*:)", r"- \1", line) for line in text.strip().splitlines()]
    out: list[str] = []
    for line in lines:
        if line.startswith("- ") and out and out[-1] and not out[-1].startswith(("- ", "  ")):
            out.append("")
        out.append(line)
    return "\n".join(out)


def _prompts(examples: str) -> str:
    return "\n".join(f"$ {line}" for line in textwrap.dedent(examples.strip("\n")).splitlines() if line.strip())
