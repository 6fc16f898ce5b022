"""Robots in Python: load them, check them, draw their states, compile their kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leapcheck.robots.load import load as load_robot
from leapcheck.robots.load import read_robot_file
from leapcheck_models.robots import ROBOTS
from leapcheck_models.spec import RobotSpec
from leapcheck_models.words import plural

if TYPE_CHECKING:
    from pandas import DataFrame

    from leapcheck.sampling import States
    from leapcheck_models.lint.finding import Finding
    from leapcheck_reference import Kernel

SEVERITIES = ("error", "warning", "note")


def load(
    robot: Any, *, feet: Sequence[str] | str = (), points: Path | str | None = None, frames: Sequence[str] | str = ()
) -> RobotSpec:
    """The description of a robot.

    Contact points of a file are put at the ends of its chains of moving joints, unless `feet`, `points` or a .toml of the file's
    name beside it chooses others.

    Args:
        robot: a name (`leapcheck robots` lists them), one of the package robot_descriptions ("go2_description") whose files are
            in its cache, "random:SEED", a file (.json, .urdf, .xml, .mjcf; "#fixed" or "#floating"
            behind a .urdf decides about its base), a spec, a `mujoco.MjModel` or a `pinocchio.Model`.
        feet: names of bodies or links, sites or geoms at which it touches: a site's place, a sphere's centre, a capsule's free
            end, the corners of a box's sole; of a body its spheres, else its last capsule's free end, else its origin.
        points: a .toml with feet = ["NAME", ...] or tables [[points]] of name, on (a body), position (m), radius (m) and foot.
        frames: names of sites of an MJCF, each of which becomes a link without mass, fixed to its body, with its place and axes.

    Raises:
        ValueError: the robot is unknown, or has something that a spec cannot hold; the message names file, element and remedy.
        FileNotFoundError: there is no such file.
        TypeError: it is anything else.

    Example:
        >>> import leapcheck as lc
        >>> lc.load("mini_cheetah").nv
        18
    """
    feet, frames = ((words,) if isinstance(words, str) else words for words in (feet, frames))
    return load_robot(robot, feet, None if points is None else Path(points), frames)


@dataclass(frozen=True, slots=True)
class LintReport:
    """What is odd about a robot: its findings, errors first. Iterating yields the findings.

    Example:
        >>> import leapcheck as lc
        >>> lc.lint("box").ok
        True
    """

    robot: str
    findings: tuple[Finding, ...]
    publisher: str = ""

    @property
    def note(self) -> str:
        """Whose errors these are, for a robot that comes with leapcheck and has some; else empty."""
        if self.ok or not self.publisher:
            return ""
        return f"{self.robot} has the figures as they were published ({self.publisher}): the errors are in those, and stay."

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity == "error" for finding in self.findings)

    @property
    def sentence(self) -> str:
        """The counts in words."""
        counts = {severity: sum(f.severity == severity for f in self.findings) for severity in SEVERITIES}
        return f"{self.robot}: " + ", ".join(plural(n, severity) for severity, n in counts.items())

    def to_frame(self) -> DataFrame:
        """A row per finding: rule, severity, place, message, remedy."""
        import pandas

        columns = ["rule", "severity", "place", "message", "remedy"]
        return pandas.DataFrame([asdict(finding) for finding in self.findings], columns=columns, dtype="string")

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        from leapcheck.system.text import terminal_text

        pairs = ((f"{f.severity:8}{f.place}: {f.message}", f"        {f.remedy}  [{f.rule}]") for f in self.findings)
        lines = [*([self.note] if self.note else []), *(line for pair in pairs for line in pair), self.sentence]
        return "\n".join(map(terminal_text, lines))

    def __repr__(self) -> str:
        return f"<LintReport {self.sentence}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from leapcheck.report.notebook import NotebookRow, notebook_html
        from leapcheck.report.words import Mark

        mark = Mark("In order", "✓", "good") if self.ok else Mark("Errors", "✗", "bad")
        tones = {"error": "bad", "warning": "warn"}
        rows = [NotebookRow((f.place, f.severity, f.message, f.remedy), tones.get(f.severity, "")) for f in self.findings]
        return notebook_html(
            mark, self.robot, self.sentence, ("place", "severity", "finding", "what to do"), rows, (), text=range(4)
        )


def lint(robot: Any) -> LintReport:
    """The findings on a robot: inertias, symmetry, masses, gears, limits, names, order.

    For a .urdf or .xml also what MuJoCo and Pinocchio make of the file without a word, measured by loading it in both.

    Args:
        robot: as in `load`.

    Raises:
        ValueError, FileNotFoundError: as `load`.

    Example:
        >>> import leapcheck as lc
        >>> print(lc.lint("box"))  # doctest: +SKIP
    """
    from leapcheck_models.lint import lint as findings_on_spec

    file = read_robot_file(str(robot)) if isinstance(robot, str | Path) else None
    spec = load(robot) if file is None else file.spec
    findings = list(findings_on_spec(spec))
    if file is not None:
        from leapcheck.robots.file_findings import findings_on_file

        findings += findings_on_file(file)
    publisher = spec.source if isinstance(robot, str) and robot in ROBOTS else ""
    return LintReport(spec.name, tuple(sorted(findings, key=lambda f: SEVERITIES.index(f.severity))), publisher)


def states(robot: Any, count: int = 2048, seed: int = 0) -> States:
    """Seeded random states of a robot: `q` (count, nq), `v` and `tau` (count, nv), with `index` and `kind`.

    Of 16 states six are generic, two large, three near a singularity, two at rest, two far from the origin, one a pose. The first
    states of a longer draw are those of a shorter one.

    Args:
        robot: as in `load`.
        count: how many.
        seed: of the draws.

    Raises:
        ValueError: `count` is below 1 or `seed` below 0; or as `load`.

    Example:
        >>> import leapcheck as lc
        >>> lc.states("mini_cheetah", 100).q.shape
        (100, 19)
    """
    from leapcheck.sampling import generated_block, units

    if count < 1 or seed < 0:
        raise ValueError(f"{count} states of seed {seed}: give at least 1 state and a seed from 0")
    spec = load(robot)
    return generated_block(spec, count, seed, units(count))


def kernel(robot: Any, quantities: Sequence[str]) -> Kernel:
    """A compiled function of a robot: `kernel(q, v, tau) -> {quantity: array (n, ...)}`, many states at a time.

    Args:
        robot: as in `load`.
        quantities: names such as "mass_matrix", "bias_force", "contact_jacobians", "forward_dynamics".

    Raises:
        ValueError: a quantity is unknown; or as `load`.

    Example:
        >>> import leapcheck as lc
        >>> evaluate = lc.kernel("mini_cheetah", ("mass_matrix",))
        >>> evaluate(lc.states("mini_cheetah", 8).q)["mass_matrix"].shape
        (8, 18, 18)
    """
    from leapcheck_reference import build
    from leapcheck_reference import kernel as compiled_kernel

    return compiled_kernel(build(load(robot)), quantities)
