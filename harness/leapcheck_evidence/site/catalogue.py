"""Pages on lint rules and on the faults that the judge names, from the tables that messages and reports use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from leapcheck.catalogue.pages import CataloguePage, fault_page, fault_pages, rule_pages
from leapcheck.judge.terms.catalogue import Formulation
from leapcheck.judge.terms.table import TERMS
from leapcheck_evidence.site.markdown import anchor, cell, table

SCORES = (Path("reports/score/score.json"), Path("reports/score/programs.json"))
MOST_EXAMPLES = 12

RULES = """# Lint rules

What `leapcheck lint` and `lc.lint` find in a robot's description. The name stands in brackets behind each finding; `leapcheck
rule NAME` prints the page in the terminal. An error: no robot is like this, or an engine refuses it. A warning: probably a
mistake. A note: worth knowing.
"""

FAULTS = """# Faults

What the judge can name. A cause has a name such as `inertia-xy/FR_hip`: the beginning says which page below is about it, the
end which part of the robot. `leapcheck rule NAME` prints the page in the terminal, for the name of a family or of a cause. A
cause belongs to a class: a *convention* (another way of writing the same physics), the *model* (another robot), the *engine*
(its code), or *round-off*.
"""


def catalogue_pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page and of the two lists."""
    yield "rules/index.md", _index(RULES, rule_pages().values())
    yield from ((f"rules/{anchor(page.slug)}.md", _rule(page)) for page in rule_pages().values())
    yield "faults/index.md", _index(FAULTS, fault_pages().values())
    yield from ((f"faults/{anchor(page.slug)}.md", _fault(page)) for page in fault_pages().values())


def _index(intro: str, pages: Iterable[CataloguePage]) -> str:
    rows = [(f"[{page.title}]({anchor(page.slug)}.md)", cell(page.what.partition(". ")[0].rstrip(".") + ".")) for page in pages]
    return f"{intro}\n{table(('page', 'what'), rows)}"


def _rule(page: CataloguePage) -> str:
    return f"# {page.title}\n\n{page.what}\n\n```text\n{page.example}\n```\n\n## What to do\n\n{page.remedy}\n"


def _fault(page: CataloguePage) -> str:
    parts = [f"# {page.title}", page.what, f"```text\n{page.example}\n```", f"## What to do\n\n{page.remedy}"]
    if examples := _examples().get(page.slug):
        names = "\n".join(f"- `{name}`" for name in examples[:MOST_EXAMPLES])
        parts.append(f"## Names of causes\n\nSome that the judge gave to planted defects:\n\n{names}")
    if page.slug == "terms":
        parts.append(_terms())
    return "\n\n".join(parts) + "\n"


def _terms() -> str:
    """The terms that the judge knows, a table for each formulation."""
    parts = ["## Terms"]
    for form in Formulation:
        rows = [
            (cell(term.noun.format(f"a {term.kind}")), f"`{term.equation}`", cell(term.instead))
            for term in TERMS
            if term.form is form
        ]
        if rows:
            parts.append(f"### {form.value}\n\n{table(('term', 'stands in', 'instead, where it is no multiple'), rows)}")
    return "\n\n".join(parts)


@cache
def _examples() -> dict[str, list[str]]:
    """Names of causes by the page they belong to, from the last score of the judge, shortest first."""
    names = {
        str(name).partition(": ")[0]
        for path in SCORES
        for outcome in json.loads(path.read_text(encoding="utf-8"))["outcomes"]
        for name in outcome.get("said", ())
    }
    by_page: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        if (page := fault_page(name)) is not None:
            by_page.setdefault(page.slug, []).append(name)
    return by_page
