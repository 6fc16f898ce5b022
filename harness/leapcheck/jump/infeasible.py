"""The refusal of a jump that a robot cannot do."""

from __future__ import annotations


class Infeasible(ValueError):  # noqa: N818  # an answer, no mistake
    """A jump asked for is beyond the robot: the text says which limit, by how much, and what to change."""
