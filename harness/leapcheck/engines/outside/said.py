"""What an engine in a process of its own says of itself when it is given a robot, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leapcheck.conventions import Convention
from leapcheck.engines.outside.canonical import needed
from leapcheck.engines.outside.framing import Header
from leapcheck.engines.outside.target import PRECISIONS, Target
from leapcheck.engines.outside.words import convention, words
from leapcheck.engines.user import CANONICAL
from leapcheck.quantities import sizes
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class Said:
    """An engine of one robot: its `dtype` ("<f8" or "<f4"), its `convention` (None for the canonical one), whether it holds
    any robot, and what it calls itself.
    """

    quantities: frozenset[str]
    convention: Convention | None
    dtype: str
    any_robot: bool
    name: str
    version: str


def said(hello: Header, at: Target, spec: RobotSpec) -> Said:
    """What the hello says, with what the user's description of the engine adds to it; ValueError in one line."""
    for key, wanted in (("nq", spec.nq), ("nv", spec.nv), ("points", sizes(spec).points)):
        if hello.get(key, wanted) != wanted:
            had = f"it has {key} = {hello[key]!r:.20}, robot '{spec.name}' has {wanted}"
            raise ValueError(f"{had}: compare it with its own robot")
    where = f"engine '{at.name}'"
    own = convention(spec, at.words.over(words(hello.get("conventions") or {}, where)), where)
    quantities = _known(hello.get("quantities"))
    for name in sorted(quantities):
        if missing := [other for other in needed(own, [name]) if other not in quantities]:
            raise ValueError(f"{name} in a base velocity in world axes cannot be converted without {missing[0]}: give that too")
    precision = _precision(at.precision, str(hello.get("precision") or ""), at.kind)
    version, name = str(hello.get("version") or "-"), str(hello.get("name") or "")
    return Said(quantities, own, PRECISIONS[precision], hello.get("robots") == "any", name, version)


def _known(quantities: Any) -> frozenset[str]:
    """The quantities that an engine lists; ValueError for one that there is not, or for none at all."""
    listed = quantities.split() if isinstance(quantities, str) else quantities
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"lists no quantities: give some of {', '.join(CANONICAL)}")
    if unknown := [name for name in listed if name not in CANONICAL]:
        raise ValueError(f"answers '{unknown[0]!s:.40}', which is no quantity: use {', '.join(CANONICAL)}")
    return frozenset(listed)


def _precision(wanted: str, told: str, kind: str) -> str:
    """The precision of the engine's numbers; ValueError where it is none, or where a library was compiled with another."""
    if told and told not in PRECISIONS:
        raise ValueError(f"has the precision '{told:.40}': use float64 or float32")
    if kind == "library" and wanted and wanted != told:
        raise ValueError(f"was compiled with {told}, its description asks for {wanted}: correct the .toml")
    return wanted or told or "float64"
