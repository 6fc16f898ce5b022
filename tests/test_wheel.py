"""The built wheel in a fresh environment, outside the repository: the main job runs there as it does here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from leapcheck.report.comparison.files import FILES

ROOT = Path(__file__).parents[1]
PACKAGES = {"leapcheck", "leapcheck_reference", "leapcheck_models"}
BIN = "Scripts" if os.name == "nt" else "bin"

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command without what could lead it back into the repository."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(command, cwd=cwd, env=inherited | environment, capture_output=True, text=True, check=False)


def succeeded(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    constraint = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    succeeded(run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder, **constraint))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds the wheel and what it depends on, in the pinned versions."""
    home = tmp_path_factory.mktemp("fresh")
    venv.create(home, with_pip=True)
    programs = home / BIN
    succeeded(run(programs / "python", "-m", "pip", "install", "--constraint", ROOT / "constraints.txt", wheel, cwd=home))
    return programs


def test_what_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        text = next(archive.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES
    sources = {f"{package}/{path.relative_to(ROOT / folder / package).as_posix()}" for package, folder, path in package_files()}
    assert sources <= set(names)
    templates = {name for name in names if "/templates/" in name}
    assert {Path(name).suffix for name in templates} == {".j2", ".css", ".js"}
    assert {"html_report_html_j2.py", "md_report_md_j2.py"} <= {Path(name).name for name in names if "/report/compiled/" in name}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "leapcheck = leapcheck.cli:main" in text
    assert "leapcheck = leapcheck.pytest_plugin" in text


def test_a_wheel_out_of_the_source_distribution_is_the_same(wheel: Path, tmp_path: Path) -> None:
    constraint = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt")}  # the wheel is built from the source distribution
    succeeded(run(sys.executable, "-m", "build", "--outdir", tmp_path, ROOT, cwd=tmp_path, **constraint))
    (again,) = tmp_path.glob("*.whl")
    first, second = zipfile.ZipFile(wheel), zipfile.ZipFile(again)
    with first, second:
        assert {one.filename: one.CRC for one in first.infolist()} == {one.filename: one.CRC for one in second.infolist()}


def package_files() -> list[tuple[str, str, Path]]:
    folders = {"leapcheck": "harness", "leapcheck_reference": "reference", "leapcheck_models": "models"}
    return [
        (package, folder, path)
        for package, folder in folders.items()
        for path in (ROOT / folder / package).rglob("*")
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(ROOT).parts)
    ]


def test_it_is_the_wheel_that_runs(installed: Path, tmp_path: Path) -> None:
    said = succeeded(run(installed / "python", "-c", "import leapcheck; print(leapcheck.__file__)", cwd=tmp_path))
    assert Path(said.strip()).is_relative_to(installed.parent)
    succeeded(run(installed / "python", "-m", "pip", "check", cwd=tmp_path))


def test_the_main_job(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "leapcheck", "compare", "mini_cheetah", "--states", "256", "--out", "report", cwd=tmp_path)
    said = succeeded(done)
    assert done.stderr == ""
    assert "5 engines agree on 17 quantities over 256 states of mini_cheetah" in " ".join(said.split())
    written = {path.name for path in (tmp_path / "report").iterdir()}
    assert written == {*FILES, "states.parquet"}
    results = json.loads((tmp_path / "report" / "results.json").read_text())
    assert (results["exit_status"], results["failures"], results["discrepancies"]) == (0, [], [])
    assert [engine["name"] for engine in results["engines"]] == [
        "reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf",
    ]  # fmt: skip
    assert "<svg" in (tmp_path / "report" / "report.html").read_text()


def test_an_engine_in_the_current_folder(installed: Path, tmp_path: Path) -> None:
    source = "import numpy\n\nclass Zero:\n    def __init__(self, spec): self.nv = spec.nv\n"
    source += "    def mass_matrix(self, q): return numpy.eye(self.nv)\n"
    (tmp_path / "mine.py").write_text(source)
    words = ("compare", "two_link_arm", "--engine", "mine:Zero", "--quantities", "mass_matrix", "--states", "300", "--json")
    done = run(installed / "leapcheck", *words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert [found["engine"] for found in json.loads(done.stdout)["discrepancies"]] == ["mine:Zero"]


def test_the_other_commands(installed: Path, tmp_path: Path) -> None:
    program = installed / "leapcheck"
    succeeded(run(program, "generate", "mini_cheetah", "--out", "models", cwd=tmp_path))
    for path in (ROOT / "models" / "generated" / "mini_cheetah").iterdir():
        assert (tmp_path / "models" / path.name).read_bytes() == path.read_bytes()
    assert "two_link_arm: 0 errors" in succeeded(run(program, "lint", "two_link_arm", cwd=tmp_path))
    assert run(program, "lint", "mini_cheetah", cwd=tmp_path).returncode == 1
    assert "mini_cheetah" in succeeded(run(program, "robots", cwd=tmp_path))
    succeeded(run(program, "sparsity", "mini_cheetah", "--picture", "m.png", cwd=tmp_path))
    assert (tmp_path / "m.png").stat().st_size > 1000
    assert run(program, "compare", "nobody", cwd=tmp_path).returncode == 2
