"""Text that is shown and never obeyed."""

import re

_CI_COMMAND = re.compile(
    r"::(?=(error|warning|notice|debug|group|endgroup|echo|set-|save-|get-|add-|remove-|stop-|internal-)[\w-]*)|##(?=\[)",
    re.IGNORECASE,
)
"""What GitHub's runner obeys at the beginning of a line, blanks before it, and `##[...]` anywhere; wrapped lines may begin so."""


def printable(text: str) -> str:
    """The text without control and invisible format characters, which could steer a terminal or reverse a line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c in "\n\t\r" else "\N{REPLACEMENT CHARACTER}" for c in text)


def terminal_text(text: str) -> str:
    """`printable` text in which no CI reads a command: "::error" and "##[" are taken apart by a blank."""
    return _CI_COMMAND.sub(lambda match: " ".join(match[0]), printable(text))


def terminal_lines(text: str) -> str:
    """`terminal_text` of each line; line feeds stay."""
    return "\n".join(map(terminal_text, text.split("\n")))
