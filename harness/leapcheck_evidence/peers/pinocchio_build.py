"""Programs around Pinocchio, built for this CPU out of the headers that the pin wheel brings; kept in the cache folder."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pinocchio as pin

from leapcheck_evidence.peers.protocol import PeerMissing
from leapcheck_reference.trace import cache, native

SOURCE = Path(__file__).with_name("pinocchio_loop.cpp")

OPTIONS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-shared", "-fPIC", "-fvisibility-inlines-hidden")

# What Pinocchio's own CMake target defines for whoever includes its headers.
DEFINITIONS = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)

INPUT = {language: ("-x", language, "-", "-x", "none") for language in ("c", "c++")}
"""Options that make a compiler read a source from standard input."""

EIGEN_PLACES = ("/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3")

MOST_SECONDS = 900


def loop_library() -> ctypes.CDLL:
    """The built loop; PeerMissing says what is missing and where to get it."""
    return ctypes.CDLL(str(built_once("pinocchio_loop", build_command(), SOURCE.read_text(encoding="utf-8"))))


def build_command() -> list[str]:
    """The loop's compiler command without the output file; the source comes from standard input."""
    compiler = cpp_compiler()
    return [compiler, *OPTIONS, *_own_symbols(compiler), *INPUT["c++"], *pinocchio_options()]


def pinocchio_options(more: Sequence[Path] = ()) -> list[str]:
    """Options for a source that includes Pinocchio's headers and those in further folders, and for its libraries."""
    prefix = wheel_prefix()
    folders = [prefix / "include", prefix / "include" / "pinocchio" / "deprecated", eigen_folder(prefix), *more]
    includes = [word for folder in folders for word in ("-isystem", str(folder))]
    return [*DEFINITIONS, *includes, f"-L{prefix / 'lib'}", "-lboost_serialization", f"-Wl,-rpath,{prefix / 'lib'}"]


def built_once(stem: str, command: Sequence[str], source: str) -> Path:
    """What a compiler's command makes of a source, from the cache folder where it was built before.

    PeerMissing where it fails.
    """
    key = repr((command, compiler_version(command[0]), pin.__version__, source)).encode() + native.target_key()
    path = cache.folder() / f"{stem}_{hashlib.sha256(key).hexdigest()[:32]}"
    if not path.exists():
        _build(command, source, path)
    return path


def compiler_version(compiler: str) -> str:
    """First line of what the compiler says of itself."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0].strip()


def wheel_prefix() -> Path:
    """Folder whose include/ and lib/ hold Pinocchio and Boost, as the pin wheel lays them out."""
    for folder in Path(pin.__file__).parents:
        if (folder / "include" / "pinocchio" / "algorithm" / "crba.hpp").is_file():
            return folder
    raise PeerMissing("Pinocchio's C++ headers are not beside its Python package: install it by pip install pin")


def eigen_folder(prefix: Path) -> Path:
    """Folder of Eigen's headers, which no wheel brings."""
    for folder in (prefix / "include" / "eigen3", *map(Path, EIGEN_PLACES)):
        if (folder / "Eigen" / "Core").is_file():
            return folder
    raise PeerMissing("Eigen's headers were not found: install libeigen3-dev (Debian) or eigen (Homebrew)")


def cpp_compiler() -> str:
    """Path of the C++ compiler."""
    words = shlex.split(os.environ.get("CXX", ""))
    for name in (*words[:1], "g++", "clang++"):
        if path := shutil.which(name):
            return path
    raise PeerMissing("no C++ compiler was found: install g++, or name yours in CXX")


def _own_symbols(compiler: str) -> list[str]:
    """Options that keep what is built apart from the installed library, which Python has loaded beside it.

    The two lay memory out differently, since wider vectors want wider alignment: what one allocates the other must not free.
    Boost's serializers would be shared otherwise, being unique in a process by the GNU linkage of that name.
    """
    words = [] if sys.platform == "darwin" else ["-Wl,-Bsymbolic"]
    return words if "clang" in compiler_version(compiler) else [*words, "-fno-gnu-unique"]


def _build(command: Sequence[str], source: str, path: Path) -> None:
    """Compiles into another file and moves it, so that processes side by side never load half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        words = [*command, "-o", str(made)]
        done = subprocess.run(words, input=source, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
        if done.returncode:
            said = " ".join(done.stderr.split())[:300]
            raise PeerMissing(f"{Path(command[0]).name} could not build {path.name.rpartition('_')[0]}: {said}")
        made.replace(path)
