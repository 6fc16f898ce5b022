"""What `leapcheck_reference` shows, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import leapcheck_reference as reference


def test_dir_shows_what_is_public() -> None:
    assert dir(reference) == sorted(reference.__all__)
    assert all(callable(getattr(reference, name)) for name in dir(reference))
    assert {"build", "kernel", "mass_matrix"} <= {*dir(reference)}


def test_the_import_is_light() -> None:
    code = "import sys, leapcheck_reference; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    heavy = ("llvmlite", "scipy", "flint", "mujoco", "pinocchio", "pandas", "leapcheck_reference.trace.kernel")
    assert not {*heavy} & {*modules}
