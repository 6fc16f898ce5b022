"""What the system tells of a process and its descendants, also while they end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from leapcheck.system.process_tree import children, descendants, threads

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


def test_children_of_every_thread_are_found_and_none_of_a_process_that_has_ended() -> None:
    started: list[subprocess.Popen[bytes]] = []
    is_seen = threading.Event()

    def start() -> None:
        started.append(subprocess.Popen(["sleep", "60"]))
        is_seen.wait(30.0)  # children of a thread that ends pass to another one

    thread = threading.Thread(target=start)
    thread.start()
    while not started:
        pass
    (child,) = started
    assert child.pid in children(os.getpid())
    assert child.pid in descendants(os.getpid())
    assert children(child.pid) == []
    is_seen.set()
    thread.join()
    child.kill()
    child.wait()
    assert threads(child.pid) == []
    assert list(descendants(child.pid)) == [child.pid]
