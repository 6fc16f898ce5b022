"""A large MJCF, first loaded in a process of its own with limits on memory and time: meshes may take gigabytes and minutes.

`python -m leapcheck.engines.trial_load READER FILE GIB SECONDS` is that process. What it can load, this one can load, too.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

LARGE_BYTES = 1 << 20
"""Text and meshes together from which an MJCF is large; below, MuJoCo takes less than 0.3 GiB and a second of CPU."""

MISWRITTEN = "XML Error"
"""How MuJoCo's words on a file begin that it cannot read at all: whoever loads it next says so."""

MOST_GIB = 2.0
MOST_CPU_SECONDS = 60
"""What a package may take to load a file."""

GIB = 1 << 30
NO_CORE = (0, 0)


def check_load(reader: str, text: str, assets: Mapping[str, bytes]) -> None:
    """ValueError where "mujoco" or "pinocchio" cannot load a large file within the limits: it names the largest mesh.

    Whatever the package says is passed on: of too little memory MuJoCo says "is empty", "qhull error" or "unknown exception".
    """
    if len(text) + sum(map(len, assets.values())) < LARGE_BYTES:
        return
    with tempfile.TemporaryDirectory(prefix="leapcheck-") as folder:
        file = write_model(Path(folder), text, assets)
        command = (sys.executable, "-m", __name__, reader, str(file), str(MOST_GIB), str(MOST_CPU_SECONDS))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)}
        done = subprocess.run(
            command, cwd=folder, env=environment, check=False, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8"
        )
    if done.returncode:
        ended = "its time was up" if done.returncode == -signal.SIGXCPU else "it crashed"
        reason = " ".join(done.stdout.split()).removeprefix("Error: ") or ended
        if reason.startswith(MISWRITTEN):
            return
        limits = f"{MOST_GIB:g} GiB and {MOST_CPU_SECONDS:g} s of CPU"
        raise ValueError(f"{_largest(text, assets)} cannot be loaded within {limits} ({reason:.200})")


def write_model(folder: Path, text: str, assets: Mapping[str, bytes]) -> Path:
    """The file of an MJCF, written into a folder with the assets that it names."""
    for name, content in {"robot.xml": text.encode(), **assets}.items():
        (folder / name).write_bytes(content)
    return folder / "robot.xml"


def _largest(text: str, assets: Mapping[str, bytes]) -> str:
    """The largest part of a file, in words."""
    name = max(assets, key=lambda key: len(assets[key]), default="")
    if not name or len(text) > len(assets[name]):
        return f"its text of {len(text)} bytes"
    mesh = text.rpartition(f'file="{name}"')[0].rpartition('name="')[2].partition('"')[0]
    return f"<mesh name={mesh!r:.80}> of {len(assets[name])} bytes"


def main(reader: str, file: str, gib: str, seconds: str) -> None:
    """Loads the file under the limits; the exit status is 0 where they sufficed."""
    load = _reader(reader)
    resource.setrlimit(resource.RLIMIT_CORE, NO_CORE)
    if sys.platform == "linux":  # elsewhere nothing says how much it has already
        most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + int(float(gib) * GIB)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    until = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2])) + int(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (until, until + 5))
    try:
        load(file)
    except Exception as error:
        print(error)
        sys.exit(1)


def _reader(name: str) -> Callable[[str], object]:
    """What loads a file, its package imported: that counts against no limit."""
    read: Callable[[str], object]
    if name == "mujoco":
        import mujoco

        read = mujoco.MjModel.from_xml_path
    else:
        import pinocchio

        read = pinocchio.buildModelFromMJCF
    return read


if __name__ == "__main__":
    main(*sys.argv[1:])
