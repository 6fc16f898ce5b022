"""The pages on lint rules and faults: read once from the tables beside this module, found by the names that messages print."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from textwrap import fill, indent
from types import MappingProxyType

from leapcheck_models.words import did_you_mean

SEPARATORS = ("/", "-", ":")
"""What may stand behind the beginning of a cause's name: "mass/FR_hip", "gravity-x"."""


WIDTH = 100
"""Columns of a page's text."""


class PageKind(StrEnum):
    """What a page is about."""

    RULE = "rule"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """One page; `names` are the rule's name, or the beginnings of the names of the causes it is about."""

    kind: PageKind
    slug: str
    title: str
    names: tuple[str, ...]
    what: str
    example: str
    remedy: str

    def __str__(self) -> str:
        example = indent(self.example, "    ")
        parts = (self.title, fill(self.what, WIDTH), f"Example:\n\n{example}", fill(f"What to do: {self.remedy}", WIDTH))
        return "\n\n".join(parts)


@cache
def rule_pages() -> Mapping[str, CataloguePage]:
    """The page of each lint rule, by its name."""
    return MappingProxyType(
        {
            name: _page(PageKind.RULE, name.lower().replace(" ", "-"), {"title": name, "names": [name], **entry})
            for name, entry in _table("rules")
        }
    )


@cache
def fault_pages() -> Mapping[str, CataloguePage]:
    """The page of each family of faults, by its slug."""
    return MappingProxyType({slug: _page(PageKind.FAULT, slug, entry) for slug, entry in _table("faults")})


def fault_page(cause: str) -> CataloguePage | None:
    """The page on a cause that the judge named, as "mass/FR_hip" or "quaternion/xyzw"; the longest beginning counts."""
    matches = [
        (len(name), page)
        for page in fault_pages().values()
        for name in page.names
        if cause == name or cause.startswith(tuple(name + separator for separator in SEPARATORS))
    ]
    return max(matches, key=lambda match: match[0])[1] if matches else None


def page_of(name: str) -> CataloguePage:
    """The page of a rule, a family of faults, or a cause.

    Raises:
        ValueError: there is none; the message names the nearest.
    """
    page = rule_pages().get(name) or fault_pages().get(name) or fault_page(name)
    if page is None:
        known = [*rule_pages(), *fault_pages()]
        raise ValueError(f"no rule or fault is called '{name:.80}'{did_you_mean(name, known)}: use one of {', '.join(known)}")
    return page


def _table(name: str) -> list[tuple[str, dict[str, object]]]:
    text = (Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text).items())


def _page(kind: PageKind, slug: str, entry: Mapping[str, object]) -> CataloguePage:
    names = entry["names"]
    assert isinstance(names, list)
    what, remedy = (" ".join(str(entry[key]).split()) for key in ("what", "remedy"))
    return CataloguePage(kind, slug, str(entry["title"]), tuple(names), what, str(entry["example"]).strip(), remedy)
