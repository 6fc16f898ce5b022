"""`python -m leapcheck_evidence.bench`: the kernels timed beside the engines' own machine code."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from leapcheck.system.command_line import repeat_command
from leapcheck_evidence.command import run_command

WIDEST = 8

FILES = ("bench.md", "bench.json")
EVERYDAY_FILES = ("everyday.md", "everyday.json")


@dataclass(frozen=True)
class BenchCommand:
    """Time the generated kernels beside MuJoCo's and Pinocchio's machine code, the truth, and a whole comparison.

    All contenders take turns on the same states, on one thread; ratios come first. Without a C++ compiler or Eigen
    Pinocchio is called from Python, and the table says so.

    Examples:
      python -m leapcheck_evidence.bench
      python -m leapcheck_evidence.bench --robot mini_cheetah_armature --seconds 60 --memory
    """

    robot: tuple[str, ...] = ("mini_cheetah_armature", "mini_cheetah")
    """Names (see `leapcheck robots`), random:SEED, or robot files (.json); they need contact points."""
    seconds: float = 20.0
    """How long the contenders of a robot take turns."""
    blocks: tuple[int, ...] = (32, 64, 128, 256, 1024)
    """Numbers of states per call; every contender is shown with the one that suits it best."""
    states: int = 3_072_000
    """States of the whole comparison; 0 leaves it out."""
    memory: bool = False
    """Also measure the memory of a comparison of 5 million states; takes long."""
    everyday: bool = False
    """Instead of all that, time the commands of every day beside the script that one would write without leapcheck."""
    rounds: int = 3
    """How often the everyday commands take turns."""
    tests: bool = False
    """Also time `make quick` and `make test` among the everyday commands."""
    out: Path = Path("runs") / "bench"
    """Folder of bench.md and bench.json, or everyday.md and everyday.json."""

    def run(self) -> int:
        """Measures, writes both files, prints the tables; the exit status is 0 whatever the goals."""
        self._check()
        return self._run_everyday() if self.everyday else self._run_kernels()

    def _run_kernels(self) -> int:
        from rich.console import Console

        from leapcheck.report.folder import check_folder, write_together
        from leapcheck_evidence.bench.run import BenchPlan, run_bench
        from leapcheck_evidence.bench.show import bench_console, bench_json, bench_markdown

        check_folder(self.out, FILES)  # before the work, not after it
        plan = BenchPlan(self.robot, self.seconds, self.blocks, self.states, self.memory, self._command())
        run = run_bench(plan, _tell)
        write_together(self.out, dict(zip(FILES, (bench_markdown(run), bench_json(run)), strict=True)))
        console = Console()
        console.print(bench_console(run))
        console.print(f"bench: {self.out / FILES[0]}", highlight=False, markup=False, soft_wrap=True)
        return 0

    def _run_everyday(self) -> int:
        from rich.console import Console

        from leapcheck.report.folder import check_folder, write_together
        from leapcheck_evidence.bench.everyday import run_everyday
        from leapcheck_evidence.bench.everyday_show import everyday_console, everyday_json, everyday_markdown

        check_folder(self.out, EVERYDAY_FILES)
        run = run_everyday(self.rounds, self.tests, self._command(), _tell)
        write_together(self.out, dict(zip(EVERYDAY_FILES, (everyday_markdown(run), everyday_json(run)), strict=True)))
        console = Console()
        console.print(everyday_console(run))
        console.print(f"bench: {self.out / EVERYDAY_FILES[0]}", highlight=False, markup=False, soft_wrap=True)
        return 0

    def _check(self) -> None:
        from leapcheck.robots.load import load

        for name in self.robot:
            if not any(point.computed for point in load(name).contact_points):
                raise ValueError(f"robot '{name}' has no computed contact points: name one that has, as mini_cheetah")
        if not self.robot:
            raise ValueError("no robot: give at least one after --robot")
        if not 0.0 < self.seconds < float("inf"):
            raise ValueError(f"{self.seconds} seconds: give more than 0")
        if not self.blocks or any(block < 1 or block % WIDEST for block in self.blocks):
            raise ValueError(f"{self.blocks} states per call: give multiples of {WIDEST}, the states in the widest vector")
        if self.rounds < 1:
            raise ValueError(f"{self.rounds} rounds: give at least 1")
        if self.states < 0:
            raise ValueError(f"{self.states} states of the whole comparison: give at least 1, or 0 for no comparison")

    def _command(self) -> str:
        """The command that repeats this run: every choice that is not the default, but for where it is written."""
        return repeat_command(("python", "-m", "leapcheck_evidence.bench"), self, leave_out=("out",))


def _tell(what: str) -> None:
    """What comes next, on standard error of a terminal."""
    if sys.stderr.isatty():
        print(f"{what} ...", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(run_command(BenchCommand, "bench"))
