"""`python -m leapcheck_evidence.site test|write [PAGE ...]`: the code of the documentation."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from leapcheck_evidence.command import run_command
from leapcheck_evidence.site.run_pages import run_page

ROOT = Path(__file__).parents[3]
FOLDERS = ("tutorials", "how-to", "explanation", "reference")


@dataclass(frozen=True)
class SiteCommand:
    """Run the code blocks of the documentation's pages.

    test compares what they print with what the pages show, rounding errors and times aside, and returns 1 where it differs; write
    puts the output into the pages, and draws the pictures.
    """

    what: Annotated[Literal["test", "write"], tyro.conf.Positional]
    """test or write."""
    pages: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """Pages; all of the tutorials, how-tos, explanations and the README by default."""

    def run(self) -> int:
        """Runs the pages; returns 1 where test finds a difference."""
        if self.what == "write" and not self.pages:
            draw_figures(ROOT / "docs" / "figures")
        different = 0
        for path in self.pages or all_pages():
            page = path.read_text(encoding="utf-8")
            result = run_page(page, ROOT)
            different += bool(result.differences)
            print(f"{'differs' if result.differences else 'same':8} {path}", flush=True)
            if self.what == "write":
                path.write_text(result.text, encoding="utf-8")
            else:
                print("\n".join(result.differences), end="")
        return int(different > 0 and self.what == "test")


def all_pages() -> tuple[Path, ...]:
    """The README and every page whose code is run."""
    return (ROOT / "README.md", *(path for folder in FOLDERS for path in sorted((ROOT / "docs" / folder).glob("*.md"))))


def draw_figures(folder: Path) -> None:
    """Writes every picture."""
    from leapcheck_evidence.site.figures import figures

    folder.mkdir(exist_ok=True)
    for name, picture in figures().items():
        (folder / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run_command(SiteCommand, "site"))
