"""Pages that are made from the program's own tables at each build: they cannot be out of date."""

from __future__ import annotations

from pathlib import Path

from leapcheck_evidence.site.catalogue import catalogue_pages
from leapcheck_evidence.site.commands import command_page
from leapcheck_evidence.site.formats import header_page, pipe_page, results_schema
from leapcheck_evidence.site.robots import robots_page
from leapcheck_evidence.site.tables import engines_page, quantities_page

REPORTS = Path("reports")


def generated_pages() -> dict[str, str]:
    """Text of each generated page by its path in the site."""
    return {
        **dict(catalogue_pages()),
        "reference/command-line.md": command_page(),
        "reference/quantities.md": quantities_page(),
        "reference/engines.md": engines_page(),
        "reference/results.schema.json": results_schema(),
        "reference/c-abi.md": header_page(),
        "reference/pipe.md": pipe_page(),
        "robots.md": robots_page(),
        "changelog.md": Path("CHANGELOG.md").read_text(encoding="utf-8"),
        "contributing.md": Path("CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "]("),
    }


def gallery_files() -> dict[str, Path]:
    """Live reports and pictures of the gallery, by their path in it."""
    names = (
        "mini_cheetah/report.html",
        "example_discrepancy/report.html",
        "jump/report.html",
        "jump/scene3d.html",
        "jump/jump.png",
    )
    return {**{name: REPORTS / name for name in names}, "discrepancy.png": REPORTS / "example_discrepancy/report.png"}
