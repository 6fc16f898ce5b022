"""Text that is shown and never obeyed."""


def printable(text: str) -> str:
    """The text without control and invisible format characters, which could steer a terminal or reverse a line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c in "\n\t\r" else "\N{REPLACEMENT CHARACTER}" for c in text)
