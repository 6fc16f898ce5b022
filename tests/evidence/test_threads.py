"""Public threads: the fault that each was about is named, and the committed page is what the command writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck_evidence.threads import FILE, THREADS, NamedThread, Thread, gallery, name_fault

PAGE = Path(__file__).parents[2] / "reports" / FILE


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: thread.place)
def test_the_fault_is_named_and_the_page_says_so(thread: Thread) -> None:
    row = name_fault(thread)
    assert (row.causes, row.unexplained) == (thread.causes, ())
    assert gallery((row,)).splitlines()[-1] in PAGE.read_text(encoding="utf-8").splitlines()


def test_a_thread_that_is_not_named_stands_out() -> None:
    text = gallery((NamedThread(THREADS[0], (), (), ("frame_jacobians",)),))
    assert "0 of 1 are named." in text
    assert text.endswith("| unexplained |\n")
