"""The laws that answers must obey, arranged as tables: those of the engines, and those of the in-house code."""

from __future__ import annotations

from leapcheck.compare.records import Identity, Run


def engine_laws(run: Run) -> tuple[tuple[str, ...], dict[str, dict[str, Identity]]]:
    """(engines, law: engine: identity) of the run's engines."""
    present = [engine.name for engine in run.engines]
    rows: dict[str, dict[str, Identity]] = {}
    for identity in run.identities:
        if identity.engine in present:
            rows.setdefault(identity.law, {})[identity.engine] = identity
    return tuple(name for name in present if any(name in row for row in rows.values())), rows


def in_house_laws(run: Run) -> tuple[Identity, ...]:
    """The identities of what is no engine of the run: the in-house code in extended precision."""
    present = {engine.name for engine in run.engines}
    return tuple(identity for identity in run.identities if identity.engine not in present)
