"""Two robots compared in Python: `diff_robots` and its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.api.text import Shown
from leapcheck.robot_diff.records import Aspect, Effect, MatchedJoint, RobotDifference
from leapcheck_models.words import plural

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class RobotDiff(Shown):
    """What differs between two robots, physics first, by what each difference does to M and h. Iterating yields differences.

    `joints` says which joint is which, `total` what all differences together do (None where no joint could be matched).

    Example:
        >>> import leapcheck as lc
        >>> lc.diff_robots("mini_cheetah", "mini_cheetah").same
        True
    """

    first: str
    second: str
    differences: tuple[RobotDifference, ...]
    joints: tuple[MatchedJoint, ...]
    total: Effect | None

    @property
    def same(self) -> bool:
        """Whether no difference is one of physics."""
        return not self.physics

    @property
    def physics(self) -> tuple[RobotDifference, ...]:
        """The differences of physics."""
        return tuple(difference for difference in self.differences if difference.is_physics)

    @property
    def sentence(self) -> str:
        """The counts in words."""
        matched = f"{plural(len(self.joints), 'joint')} matched"
        if self.same:
            return f"The same physics: {matched}, no difference"
        counts = {aspect: sum(one.aspect is aspect for one in self.physics) for aspect in Aspect}
        words = ", ".join(f"{count} in {aspect}" for aspect, count in counts.items() if count)
        return f"Not the same: {matched}, {plural(len(self.physics), 'difference')} ({words})"

    def to_frame(self) -> DataFrame:
        """A row per difference: aspect, what, place, other, message, absolute, unit, relative, detail, M, h."""
        import pandas

        rows = []
        for difference in self.differences:
            row = {key: value for key, value in asdict(difference).items() if key != "effect"}
            effect = difference.effect
            rows.append(row | {"aspect": str(difference.aspect), "M": effect and effect.M, "h": effect and effect.h})
        columns = ["aspect", "what", "place", "other", "message", "absolute", "unit", "relative", "detail", "M", "h"]
        return pandas.DataFrame(rows, columns=columns)

    def __iter__(self) -> Iterator[RobotDifference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __str__(self) -> str:
        from leapcheck.report.robot_diff import difference_text

        return difference_text(f"{self.sentence}.", (self.first, self.second), self.differences, self.total)

    def __repr__(self) -> str:
        return f"<RobotDiff {self.first}, {self.second}: {self.sentence}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from leapcheck.report.notebook import NotebookRow, notebook_html
        from leapcheck.report.robot_diff import effect_words, groups, place_words
        from leapcheck.report.words import Mark

        mark = Mark("The same physics", "✓", "good") if self.same else Mark("Not the same", "✗", "bad")
        rows = []
        for group in groups(self.differences):
            worst = max(group, key=lambda one: one.size)
            effect = "" if worst.effect is None else effect_words(worst.effect)
            cells = (str(worst.aspect), worst.what, place_words(group), worst.message, effect)
            rows.append(NotebookRow(cells, "bad" if worst.is_physics else ""))
        headings = ("about", "what", "where", "difference", "alone")
        return notebook_html(mark, f"{self.first}, {self.second}", self.sentence, headings, rows, (), text=range(5))


def diff_robots(first: Any, second: Any, *, tolerance: float | None = None) -> RobotDiff:
    """What differs between two descriptions of one robot, in words, and what each difference does to M and h.

    Links on fixed joints are fused, joints matched by name or by their place in the tree, and the second robot is brought into
    the link frames of the first: what is then left differs in fact. Each difference is tried alone on the first robot.

    Args:
        first: as in `load`.
        second: as in `load`.
        tolerance: share of a number's size (a mass, the robot's reach, 1 rad, the trace of an inertia) that counts as equal; by
            default a unit of the last digit that the files print, at most 5e-4.

    Raises:
        ValueError: `tolerance` is negative or not finite; or as `load`.
        FileNotFoundError, TypeError: as `load`.

    Example:
        >>> import leapcheck as lc
        >>> print(lc.diff_robots("go2.urdf", "go2.xml"))  # doctest: +SKIP
    """
    import math

    from leapcheck.robot_diff.reading import diff_input
    from leapcheck.robot_diff.study import difference_of

    if tolerance is not None and not 0.0 <= tolerance < math.inf:
        raise ValueError(f"tolerance {tolerance}: give a share of at least 0, for example 1e-3")
    inputs = diff_input(first), diff_input(second)
    names = [str(robot) if isinstance(robot, str) else one.spec.name for robot, one in zip((first, second), inputs, strict=True)]
    result = difference_of(*inputs, tolerance)
    return RobotDiff(names[0], names[1], result.differences, result.joints, result.total)
