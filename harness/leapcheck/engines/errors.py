"""What an engine raises: always one line that names the engine, what failed and the remedy."""

from __future__ import annotations


class EngineError(RuntimeError):
    """An engine could not be made, or failed on a state: an error of the report, never a silent skip."""


class NotApplicable(Exception):  # noqa: N818 - not an error: the report lists it under "not compared"
    """An engine, by its file format, cannot hold this robot; the message gives the reason."""
