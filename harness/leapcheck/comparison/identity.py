"""What the results of a comparison depend on: parts of one run must agree in it wherever and whenever they were made."""

from __future__ import annotations

import hashlib
import importlib.util
import shlex
import sys
from pathlib import Path

from leapcheck.comparison.in_house import code_hash
from leapcheck.comparison.plan import JOB, Plan
from leapcheck.system.installed import versions
from leapcheck.system.strict_json import dumps_line
from leapcheck_models.spec import spec_hash
from leapcheck_reference.trace.cache import source_hash

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "python-flint")

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
        "source of leapcheck": f"{code_hash():.16} {source_hash():.16}",
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
        return f"{plan.count} of seed {plan.seed}"
    own = hashlib.sha256(b"".join(part.tobytes() for part in (plan.states.q, plan.states.v, plan.states.tau)))
    return f"{plan.total} of a file, {own.hexdigest():.16}"


def _source(engine: str) -> str:
    """A hash of the files that an engine's name tells: those in its words, or that of its module; empty where there are none."""
    words = [Path(word) for word in _words(engine.removeprefix("pipe:"))]
    files = [path for path in words if path.is_file()] or _module_file(engine)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16] if files else ""


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quotation that does not end: whoever starts it will say so
        return []


def _module_file(engine: str) -> list[Path]:
    """The file of the module of "module:factory", looked up without running it; none where it is not found."""
    name = engine.partition(":")[0]
    if ":" not in engine or "." in name:  # a package would be imported by the look-up
        return []
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return []
    return [Path(module.origin)] if module is not None and module.origin and Path(module.origin).is_file() else []
