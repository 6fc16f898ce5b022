"""What the timings depend on: the CPU, the versions."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from llvmlite.binding import get_host_cpu_name

from leapcheck_reference.trace import native

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "llvmlite")

CPU_INFO = Path("/proc/cpuinfo")


def machine() -> str:
    """The CPU by its own name and by the compiler's, its vectors, the cores of this process, system and Python."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    parts = [cpu_model(), f"{cores} cores", f"{platform.system()} {platform.machine()}", f"Python {platform.python_version()}"]
    parts.insert(1, f"{get_host_cpu_name()}, vectors of {native.vector_width()} doubles")
    return ", ".join(parts)


def cpu_model() -> str:
    """The name that the CPU gives itself."""
    if CPU_INFO.is_file():
        for line in CPU_INFO.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return platform.processor() or platform.machine()
