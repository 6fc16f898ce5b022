"""Pinocchio's loop in C++, built for this CPU out of the headers that the pin wheel brings; kept in the cache folder."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
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

EIGEN_PLACES = ("/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3")

MOST_SECONDS = 900


def loop_library() -> ctypes.CDLL:
    """The built loop, from the cache folder where it was built before; PeerMissing says what is missing and where to get it."""
    command = build_command()
    key = repr((command, compiler_version(command[0]), pin.__version__)).encode() + SOURCE.read_bytes() + native.target_key()
    path = cache.folder() / f"pinocchio_loop_{hashlib.sha256(key).hexdigest()[:32]}.so"
    if not path.exists():
        _build(command, path)
    return ctypes.CDLL(str(path))


def build_command() -> list[str]:
    """The compiler's command without the output file."""
    compiler, prefix = _compiler(), wheel_prefix()
    folders = [prefix / "include", prefix / "include" / "pinocchio" / "deprecated", eigen_folder(prefix)]
    includes = [word for folder in folders for word in ("-isystem", str(folder))]
    libraries = [f"-L{prefix / 'lib'}", "-lboost_serialization", f"-Wl,-rpath,{prefix / 'lib'}"]
    return [compiler, *OPTIONS, *_own_symbols(compiler), *DEFINITIONS, *includes, str(SOURCE), *libraries]


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


def _compiler() -> str:
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


def _build(command: list[str], path: Path) -> None:
    """Compiles into another file and moves it, so that processes side by side never load half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        done = subprocess.run([*command, "-o", str(made)], capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
        if done.returncode:
            said = " ".join(done.stderr.split())[:300]
            raise PeerMissing(f"{Path(command[0]).name} could not build Pinocchio's loop: {said}")
        made.replace(path)
