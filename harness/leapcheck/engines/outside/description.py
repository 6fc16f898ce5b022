"""What an engine in a process of its own says of itself when it is given a robot, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.outside.canonical import check_convertible
from leapcheck.engines.outside.framing import PROTOCOL, Header
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck.engines.outside.words import convention, words
from leapcheck.engines.protocol import PRECISIONS
from leapcheck.quantities import CANONICAL, QUANTITIES, sizes
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class SelfDescription:
    """An engine of one robot: its `dtype` ("<f8" or "<f4"), its `convention` (None for the canonical one), whether it holds
    any robot, and what it calls itself; `abi` is the version of the C ABI by which a library is called, 0 for other engines.
    """

    quantities: frozenset[str]
    convention: Convention | None
    dtype: str
    any_robot: bool
    name: str
    version: str
    not_compared: tuple[str, ...]
    abi: int = 0


def checked_description(hello: Header, target: Target, spec: RobotSpec) -> SelfDescription:
    """What the hello says, with what the user's description of the engine adds to it; ValueError in one line."""
    for key, expected in (("nq", spec.nq), ("nv", spec.nv), ("points", sizes(spec).points)):
        if hello.get(key, expected) != expected:
            had = f"it has {key} = {hello[key]!r:.20}, robot '{spec.name}' has {expected}"
            raise ValueError(f"{had}: compare it with its own robot")
    if hello.get("protocol", PROTOCOL) not in range(1, PROTOCOL + 1):
        raise ValueError(f"speaks version {hello['protocol']!r:.20} of the protocol: use 1 to {PROTOCOL}")
    where = f"engine '{target.name}'"
    own = convention(spec, target.words.over(words(hello.get("conventions") or {}, where)), where)
    quantities = _known_quantities(hello.get("quantities"))
    check_convertible(own, quantities, "give")
    precision = _precision(target.precision, str(hello.get("precision") or ""), target.kind)
    version, name = str(hello.get("version") or "-"), str(hello.get("name") or "")
    limits = hello.get("limits")
    lines = tuple(" ".join(str(line).split()) for line in limits) if isinstance(limits, list) else ()
    abi = int(hello.get("abi", 0)) if target.kind is EngineKind.LIBRARY else 0
    if abi == 1 and (lost := [q for q in sorted(quantities) if set(QUANTITIES[q].arguments) - {"q", "v", "tau"}]):
        quantities -= frozenset(lost)
        lines += (f"{where}: {', '.join(lost)}: version 1 of the C ABI hands over no vdot: define leapcheck_evaluate_states",)
    return SelfDescription(quantities, own, PRECISIONS[precision], hello.get("robots") == "any", name, version, lines, abi)


def _known_quantities(quantities: Any) -> frozenset[str]:
    """The quantities that an engine lists; ValueError for one that there is not, or for none at all."""
    listed = quantities.split() if isinstance(quantities, str) else quantities
    if not isinstance(listed, list) or not listed:
        raise ValueError("lists no quantities: give some of mass_matrix and the others of `leapcheck compare --help`")
    if unknown := [name for name in listed if name not in CANONICAL]:
        raise ValueError(
            f"answers '{unknown[0]!s:.40}', which is no quantity: use mass_matrix or another of `leapcheck compare --help`"
        )
    return frozenset(listed)


def _precision(expected: str, stated: str, kind: EngineKind) -> str:
    """The precision of the engine's numbers; ValueError for an unknown one, or where a library was compiled with another."""
    if stated and stated not in PRECISIONS:
        raise ValueError(f"has the precision '{stated:.40}': use float64 or float32")
    if kind is EngineKind.LIBRARY and expected and expected != stated:
        raise ValueError(f"was compiled with {stated}, its description asks for {expected}: correct the .toml")
    return expected or stated or "float64"
