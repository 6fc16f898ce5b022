"""Rules of the house about the code itself: the direction of imports between files, names, and what the front door promises."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import leapcheck
from leapcheck.system.garbage import rare_collection

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "leapcheck": "harness",
    "leapcheck_evidence": "harness",
    "leapcheck_reference": "reference",
    "leapcheck_models": "models",
}
HEAVY = ("mujoco", "pinocchio", "scipy", "pandas", "numpy", "llvmlite", "flint", "rich", "jinja2", "tyro")
"""What `import leapcheck` leaves to the functions that use it."""

IRREGULAR = re.compile(
    "asked|bent|born|broken|built|drawn|driven|done|felt|found|given|gone|held|hung|kept|known|laid|lent|lost|made|met|paid|said|seen"
    "|sent|shown|sought|spent|spun|taken|told|torn|worn|written"
)
NOUNS_AND_ADJECTIVES = frozenset(("speed", "need", "seed", "feed", "bed", "shed", "embed", "fixed", "signed", "tilted"))
"""Words that end in -ed and are no participles, or are the usual technical adjective."""

FIELDS = ("not_compared", "sampled", "met", "recorded")
"""Properties: those called like the field of the results that they hand on, and two that are adjectives."""

PREDICATES = ("is_", "has_", "can_", "are_")


def module_name(path: Path) -> str:
    """Dotted name of a file; a package's is that of its `__init__`."""
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of all packages, parsed."""
    paths = (path for package, folder in PACKAGES.items() for path in (ROOT / folder / package).rglob("*.py"))
    written = (path for path in sorted(paths) if path.parent.name != "compiled")  # Jinja wrote those
    with rare_collection():
        return {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in written}


@cache
def walk(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module; there are a million in all modules, and each rule looks at them."""
    return tuple(ast.walk(tree))


def imports(tree: ast.Module) -> Iterator[str]:
    """Modules that one names, at its head, inside functions and for types alone.

    `from package import child` names the child; `from package import name` names the package's `__init__`. A dotted name
    does not count as an import of the packages around it: their `__init__` may gather what their children define.
    """
    for node in walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module in modules():
            for alias in node.names:
                child = f"{node.module}.{alias.name}"
                yield child if child in modules() else str(node.module)


def reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    """What a module imports, directly or not."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def test_no_file_imports_a_file_that_imports_it() -> None:
    graph = {name: set(imports(tree)) - {name} for name, tree in modules().items()}
    assert len(graph) > 400
    reach = {name: reachable(name, graph) for name in graph}
    circles = {
        frozenset({name, *(other for other in reach[name] if name in reach[other])}) for name in graph if name in reach[name]
    }
    assert [sorted(circle) for circle in circles] == []


def test_circles_would_be_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert reachable("a", graph) == {"a", "b", "c"}
    assert "d" not in reachable("d", graph)


def nodes(*kinds: type[ast.AST]) -> Iterator[tuple[str, Any]]:
    """Every node of these kinds with the name of its module."""
    for name, tree in modules().items():
        yield from ((name, node) for node in walk(tree) if isinstance(node, kinds))


def test_a_class_name_is_used_once_in_a_package() -> None:
    counts = Counter((name.partition(".")[0], node.name) for name, node in nodes(ast.ClassDef))
    assert [key for key, count in counts.items() if count > 1] == []


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def test_no_parameter_is_named_at() -> None:
    functions = nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    assert [f"{name}:{node.lineno}" for name, node in functions if "at" in arguments(node)] == []


def test_no_variable_is_named_found_or_held() -> None:
    """Fields of records are no variables: results in files have one called `found`."""
    fields = {id(part.target) for _, node in nodes(ast.ClassDef) for part in node.body if isinstance(part, ast.AnnAssign)}
    stores = ((name, node) for name, node in nodes(ast.Name) if isinstance(node.ctx, ast.Store) and id(node) not in fields)
    assert [f"{name}:{node.lineno}" for name, node in stores if node.id in ("found", "held")] == []


def is_participle(function: str) -> bool:
    """Whether a name reads as a participle: its first word is one and stands alone, or its last word is one."""
    words = function.strip("_").split("_")
    last = words[-1]
    if last in NOUNS_AND_ADJECTIVES or function in FIELDS or function.startswith(PREDICATES):
        return False
    return IRREGULAR.fullmatch(last) is not None or re.fullmatch(r"[a-z]{2,}ed", last) is not None


def test_participles_are_told_apart() -> None:
    names = ("judged", "_held", "robot_asked", "take_off_speed", "is_needed", "compare")
    assert [is_participle(name) for name in names] == [True, True, True, False, False, False]


def test_functions_are_nouns_or_verbs() -> None:
    public = [(name, node.name) for name, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef) if not node.name.startswith("_")]
    assert [f"{name}.{function}" for name, function in public if is_participle(function)] == []


@pytest.mark.parametrize("name", leapcheck.__all__)
def test_a_public_name_is_documented_with_types_and_an_example(name: str) -> None:
    thing = getattr(leapcheck, name)
    if name == "__version__":
        return
    text = inspect.getdoc(thing) or ""
    assert text.split("\n")[0].rstrip().endswith("."), name
    assert "Example" in text or ">>>" in text or "::" in text, f"{name}: no example"
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        untyped = [p.name for p in signature.parameters.values() if p.annotation is inspect.Parameter.empty]
        assert untyped == [], name
        assert signature.return_annotation is not inspect.Signature.empty, name


def test_import_leapcheck_loads_nothing_heavy() -> None:
    code = f"import sys, leapcheck; dir(leapcheck); print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def committed(suffix: str) -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("no git repository: which files belong to it is not known")
    command = ["git", "ls-files", "-z", f"*{suffix}"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).exists()]


def refuse_constant(word: str) -> None:
    raise ValueError(f"'{word}' is not JSON")


def test_every_committed_json_file_is_strict() -> None:
    paths = committed(".json")
    assert paths
    for path in paths:
        try:
            json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)
        except ValueError as error:
            pytest.fail(f"{path.relative_to(ROOT)}: {error}")


def test_the_tests_that_the_threat_page_names_are_there() -> None:
    named = re.findall(r"`(tests/[^`]+)`", (ROOT / "docs" / "threats.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).is_file()] == []
