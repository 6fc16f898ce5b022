"""The refusal of a jump that a robot cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leapcheck.jump.planning.checks import Check


class Infeasible(ValueError):  # noqa: N818 - not an error: the answer to a question
    """A jump asked for is beyond the robot: the text says which limit, by how much, and what to change.

    `check` is the one that is not met; None where there is no motion to check.
    """

    def __init__(self, text: str, check: Check | None = None) -> None:
        super().__init__(text)
        self.check = check
