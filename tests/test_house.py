"""Rules of the house that no tool checks: what may be imported where, what may stand in a file, and that words match deeds."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from leapcheck.cli import COMMANDS

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
PACKAGES = {"leapcheck": "harness", "leapcheck_reference": "reference", "leapcheck_models": "models"}
"""What the wheel has."""
FOREIGN = {"mujoco", "pinocchio", "pydrake", "jax"}
MAY_IMPORT_FOREIGN = re.compile(r"leapcheck/(engines|simulators)/")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
CLASSIFIERS = "\n".join(PROJECT["project"]["classifiers"])
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

# What names one machine or one package index: none of it means anything to another reader.
OF_ONE_MACHINE = re.compile(
    r"(?<![\w.])/(work|root|home|Users|mnt)/\w|file:///|/simple/?(?=[\s\"'])|index-url|trusted-host|\.pyenv"
    r"|localhost:\d|https?://\d+\.\d+\.\d+\.\d+"
)


@cache
def files() -> tuple[Path, ...]:
    """The files of the repository: tracked, or new and not ignored."""
    if not (ROOT / ".git").exists():
        pytest.skip("no git repository: which files belong to it is not known")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(path for name in sorted(set(listed.split("\0"))) if name and (path := ROOT / name).is_file())


def texts() -> dict[str, str]:
    found = {}
    for path in files():
        try:
            found[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return found


def test_nothing_names_one_machine() -> None:
    own = str(Path(__file__).relative_to(ROOT))
    found = {f"{name}: {match[0]!r}" for name, text in texts().items() if name != own for match in OF_ONE_MACHINE.finditer(text)}
    assert found == set()


def modules() -> list[Path]:
    paths = [path for package, folder in PACKAGES.items() for path in (ROOT / folder / package).rglob("*.py")]
    return [path for path in paths if path.parent.name != "compiled"]  # Jinja wrote those


@cache
def imported(path: Path) -> set[str]:
    """Top names of everything that a module imports, at its head or inside its functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").partition(".")[0])
    return names


def test_only_the_engines_import_the_engines() -> None:
    assert len(modules()) > 60
    found = {path for path in modules() if imported(path) & FOREIGN}
    assert found  # the rule is about something
    assert [path for path in found if not MAY_IMPORT_FOREIGN.search(path.as_posix())] == []


def test_the_import_contracts_are_kept() -> None:
    kinds = [contract["type"] for contract in PROJECT["tool"]["importlinter"]["contracts"]]
    assert set(kinds) == {"layers", "forbidden", "independence"}
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Contracts: {len(kinds)} kept, 0 broken." in done.stdout


def test_whatever_is_imported_is_a_dependency() -> None:
    """Of the packages: the standard library, each other, and what pyproject.toml names (pytest for the plugin alone)."""
    import_names = {"pin": "pinocchio", "python-flint": "flint", "pillow": "PIL", "imageio-ffmpeg": "imageio_ffmpeg"}
    import_names |= {"drake": "pydrake", "rerun-sdk": "rerun"}
    extras = PROJECT["project"]["optional-dependencies"]
    lines = PROJECT["project"]["dependencies"] + [line for name, lines in extras.items() if name != "dev" for line in lines]
    named = {Requirement(line).name for line in lines}
    known = set(sys.stdlib_module_names) | set(PACKAGES) | {import_names.get(name, name) for name in named} | {"markupsafe"}
    unknown = {(path.name, name) for path in modules() for name in imported(path) - known}
    assert unknown == {("pytest_plugin.py", "pytest")}


# Versions


def requirements() -> list[Requirement]:
    project = PROJECT["project"]
    extras = [line for group in project["optional-dependencies"].values() for line in group]
    return [Requirement(line) for line in [*project["dependencies"], *extras, *PROJECT["build-system"]["requires"]]]


def pins() -> dict[str, str]:
    lines = [line for line in CONSTRAINTS.splitlines() if line and not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+]*", line), line
    found = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    assert len(found) == len(lines)
    return found


@pytest.mark.parametrize("requirement", requirements(), ids=lambda requirement: requirement.name)
def test_every_dependency_is_pinned_within_its_bounds(requirement: Requirement) -> None:
    pinned = pins()
    assert requirement.specifier
    assert any(bound.operator == ">=" for bound in requirement.specifier)
    assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)])


def test_what_a_pinned_package_needs_is_pinned_too() -> None:
    """Everything installed that the pins need is among them: no version is left to the day of the installation."""
    from importlib.metadata import PackageNotFoundError, requires

    pinned, missing = pins(), set()
    for name in pinned:
        try:
            needs = [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:
            continue
        missing |= {(name, need.name) for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})}
    assert {pair for pair in missing if canonicalize_name(pair[1]) not in pinned} == set()


def test_the_pins_are_for_the_oldest_supported_python() -> None:
    """Also its first release, which a distribution may still have: some packages leave out 3.11.0 to 3.11.4."""
    from importlib.metadata import distributions

    pinned, (oldest, *_) = pins(), PROJECT["project"]["requires-python"].removeprefix(">=").split(",")
    installed = {
        (canonicalize_name(one.metadata["Name"]), one.version): one.metadata.get("Requires-Python") for one in distributions()
    }
    wanted = {name: installed[name, version] or "" for name, version in pinned.items() if (name, version) in installed}
    assert len(wanted) > len(pinned) // 2
    assert {name: python for name, python in wanted.items() if not SpecifierSet(python).contains(f"{oldest}.0")} == {}


def test_the_supported_pythons_are_those_of_the_readme() -> None:
    minors = [int(minor) for minor in re.findall(r"^Programming Language :: Python :: 3\.(\d+)$", CLASSIFIERS, re.MULTILINE)]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert PROJECT["project"]["requires-python"] == f">=3.{minors[0]},<3.{minors[-1] + 1}"
    assert f"Python 3.{minors[0]} to 3.{minors[-1]}" in README
    assert f"first_python {minors[0]})" in CI
    assert f"first_python {minors[-1]} " in CI


# Words and deeds


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", MAKEFILE, re.MULTILINE))


def test_every_command_of_the_readme_exists() -> None:
    made = set(re.findall(r"\bmake ([a-z][\w-]*)", README))
    assert made >= {"compare", "test"}
    assert made <= targets()
    run = set(re.findall(r"(?:\$ |`)leapcheck ([a-z][a-z-]*)", README))
    assert run <= set(COMMANDS)
    assert run >= {"compare", "generate", "jump", "leg-jump", "lint", "sparsity"}


def test_nothing_in_the_readme_is_left_to_fill_in() -> None:
    assert re.findall(r"@[A-Z]+@|TODO|TBD|XXX", README) == []


def test_every_file_that_the_readme_points_to_exists() -> None:
    links = {link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith(("http", "#"))}
    assert links
    assert {link for link in links if not (ROOT / link).exists()} == set()


def test_makefile() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == targets()
    for script in re.findall(r"python ([\w/]+\.py)", MAKEFILE):
        assert (ROOT / script).exists(), script
    modules_run = set(re.findall(r"python -m ([\w.]+)", MAKEFILE)) - {"venv", "pip", "pytest"}
    for module in modules_run:
        assert (ROOT / f"{module.replace('.', '/')}.py").exists() or importlib.util.find_spec(module), module


def test_continuous_integration_runs_what_the_readme_says() -> None:
    assert re.search(r"^make .*\blint\b", CI, re.MULTILINE)
    assert "\nmake test\n" in CI
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    for path in re.findall(r"\b(tests/[\w./]+)", CI):
        assert (ROOT / path).exists(), path


def test_the_citation_and_the_hooks_can_be_read() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {citation['version']} ({citation['date-released']})" in changelog
    (hooks,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert hooks["repo"] == "local"
    assert {hook["entry"].split()[0] for hook in hooks["hooks"]} == {
        f".venv/bin/{tool}" for tool in ("ruff", "mypy", "lint-imports")
    }


def test_the_packages_paths_in_the_documents_exist() -> None:
    """Of CONTRIBUTING.md, except the files of its made-up examples."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`((?:models|reference|harness|tests)/[\w./]+)`", text))
    assert len(paths) > 15
    made_up = {path for path in paths if "pendulum" in path or "toy" in path}
    assert {path for path in paths - made_up if not (ROOT / path).exists()} == set()


def test_the_design_names_every_room() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    (rooms,) = [c["layers"] for c in PROJECT["tool"]["importlinter"]["contracts"] if c.get("containers") == ["leapcheck"]]
    names = [name for room in rooms for name in room.split(" | ")]
    assert [name for name in names if not re.search(rf"`{name}(\.py)?`", text)] == []


def test_the_tests_ignore_no_types() -> None:
    """mypy does not read them: such a comment would only look as if it did."""
    ignored = "type: " + "ignore"
    assert [path for path in (ROOT / "tests").rglob("*.py") if ignored in path.read_text(encoding="utf-8")] == []


def test_every_package_is_typed_and_says_what_it_is() -> None:
    for package, folder in PACKAGES.items():
        assert (ROOT / folder / package / "py.typed").exists()
        assert ast.get_docstring(ast.parse((ROOT / folder / package / "__init__.py").read_text(encoding="utf-8")))


def test_licence_and_changelog() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "MIT License" in licence
    assert "Cheetah-Software" in licence  # whose figures the robot has
    assert PROJECT["project"]["version"] in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
