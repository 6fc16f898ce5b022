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
    """Run the code blocks of the documentation's pages, or look at the built ones.

    test compares what they print with what the pages show, rounding errors and times aside, and returns 1 where it differs; write
    puts the output into the pages, and draws the pictures. axe looks at every page of the built site for what makes it hard to
    use. newcomer times the first tutorial from an empty folder, with installation, until the fault is named.
    """

    what: Annotated[Literal["test", "write", "axe", "newcomer"], tyro.conf.Positional]
    """test, write, axe or newcomer."""
    pages: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """Pages; all of the tutorials, how-tos, explanations and the README by default."""

    def run(self) -> int:
        """Runs the pages; returns 1 where test finds a difference, or axe a violation."""
        if self.what == "axe":
            return print_violations(ROOT / "site")
        if self.what == "write" and not self.pages:
            draw_figures(ROOT / "docs" / "figures")
        if self.what == "newcomer":
            return print_first_minutes()
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


def print_first_minutes() -> int:
    """Prints the commands, how long they took, and the cause; returns 0."""
    from leapcheck_evidence.site.newcomer import first_minutes

    done, seconds, said = first_minutes(ROOT, str(ROOT / "constraints.txt"))
    print("\n".join(f"$ {command}" for command in done))
    print(f"{len(done)} commands, {seconds:.0f} s until: {said.partition(chr(10) + 'why ')[2].strip().splitlines()[0]}")
    return 0


def print_violations(site: Path) -> int:
    """Prints what axe finds on the built pages; returns 1 where that is anything."""
    from leapcheck_evidence.site.accessibility import violations

    pages = violations(site)
    bad = {page: rows for page, rows in pages.items() if rows}
    for page, rows in bad.items():
        print("\n".join(f"{page}: {rule} ({count}): {' '.join(place.split())}" for rule, count, place in rows))
    print(f"axe: {len(pages)} pages, {len(bad)} with findings")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(run_command(SiteCommand, "site"))
