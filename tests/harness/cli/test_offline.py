"""Without a network, and with every warning an error: nothing is fetched, and nothing warns."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OFFLINE = ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--")


def has_no_network() -> bool:
    """Whether a program can be run without one here."""
    if shutil.which(OFFLINE[0]) is None:
        return False
    return subprocess.run([*OFFLINE, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_no_network(), reason="no bubblewrap, or it may not take the network away")
def test_a_comparison_needs_no_network_and_warns_of_nothing(tmp_path: Path) -> None:
    words = ("compare", "two_link_arm", "--states", "64", "--workers", "1", "--out", str(tmp_path))
    command = [*OFFLINE, sys.executable, "-W", "error", "-m", "leapcheck", *words]
    environment = os.environ | {"LEAPCHECK_CACHE": str(tmp_path / "cache")}  # an empty one: all is made here
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["failures"] == []
