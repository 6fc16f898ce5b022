"""What the results of a comparison depend on: parts of one run must agree in it wherever and whenever they were made."""

from __future__ import annotations

import hashlib
from pathlib import Path

from leapcheck.comparison.plan import JOB, Plan
from leapcheck.engines.outside.target import EngineKind, target
from leapcheck.engines.registry import FACTORIES
from leapcheck.sampling import STATE_PARTS
from leapcheck.system.arithmetic import arithmetic_digest
from leapcheck.system.installed import versions
from leapcheck.system.plugins import module_files
from leapcheck.system.strict_json import dumps_line
from leapcheck_models.spec import spec_hash
from leapcheck_reference.trace.cache import hash_of_files, source_hash

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "python-flint")

SOURCE = Path(__file__).parent.parent
"""Source of leapcheck itself: which of its files can change a number is not for a list to say."""

RunIdentity = dict[str, str]
"""Named texts, in which runs with the same results agree."""


def run_identity(plan: Plan) -> RunIdentity:
    """What the plan's results depend on in this environment: robot, engines with the source that is seen, states, versions."""
    names = [engine if isinstance(engine, str) else engine.name for engine in plan.engines]
    return {
        "robot": f"{plan.spec.name} {spec_hash(plan.spec)}",
        "engines": ", ".join(names),
        "quantities": ", ".join(plan.quantities),
        "states": _states(plan),
        "parts": f"{JOB} blocks of {plan.block_units} units",
        "source of the user's engines": ", ".join(f"{name} {source}" for name in names if (source := _source(name))) or "-",
        "source of leapcheck": f"{hash_of_files(SOURCE, '**/*.py'):.16} {source_hash():.16}",
        "rounding of NumPy, BLAS and C library on this CPU": arithmetic_digest(),
        "versions": ", ".join(f"{name} {number}" for name, number in versions(PACKAGES)),
    }


def digest(identity: RunIdentity) -> str:
    """A short name of an identity."""
    return hashlib.sha256(dumps_line(dict(sorted(identity.items()))).encode()).hexdigest()[:16]


def difference(theirs: RunIdentity, ours: RunIdentity) -> str:
    """The first thing in which two identities differ, in words; empty where they agree."""
    for name in (*ours, *(name for name in theirs if name not in ours)):
        if theirs.get(name) != ours.get(name):
            return f"{name}: '{theirs.get(name, '-')!s:.120}' there, '{ours.get(name, '-'):.120}' here"
    return ""


def _states(plan: Plan) -> str:
    """Which states, in words."""
    if plan.states is None:
        return f"{plan.count} of seed {plan.seed}" + (", within limits" if plan.within_limits else "")
    own = hashlib.sha256(b"".join(getattr(plan.states, part).tobytes() for part in STATE_PARTS))
    return f"{plan.total} of a file, {own.hexdigest():.16}"


def _source(engine: str) -> str:
    """A hash of the files of a user's engine: what it names, its description, its module or package; "" without any."""
    files = [] if engine in FACTORIES else _files(engine)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16] if files else ""


def _files(engine: str) -> list[Path]:
    try:
        named = target(engine)
    except (ValueError, OSError):  # whoever starts it will say so
        return []
    own = [Path(engine)] if engine.endswith(".toml") else []
    if named.kind is EngineKind.PYTHON:
        return [*own, *module_files(named.what[0].partition(":")[0])]
    return [*own, *(path for word in named.what if (path := named.folder / word).is_file())]
