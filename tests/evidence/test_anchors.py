"""Published jumps beside leapcheck's: rows, page, what is said of a robot that was not given."""

from dataclasses import replace

import pytest

from leapcheck_evidence.anchors import rows
from leapcheck_evidence.anchors.catalogue import ANCHORS, GO1, MINI_CHEETAH
from leapcheck_evidence.anchors.drops import drop
from leapcheck_evidence.anchors.page import anchors_page
from leapcheck_evidence.anchors.rows import NOT_TRIED, anchor_row
from leapcheck_models.robots import load

BACKFLIP = ANCHORS[0]
ROBOTS = {MINI_CHEETAH: "mini_cheetah_armature", GO1: None}
HELD = (80.0, 4.0, 1.0)


def test_a_jump_has_verdict_figures_and_command() -> None:
    low = replace(BACKFLIP, options={"height": 0.1, "engines": ("soft",)}, figures=("height", "yaw"))
    row = anchor_row("low", low, ROBOTS, 1)
    assert row["verdict"] == "GO"
    assert row["ours"].startswith("height of the jump 0.1")
    assert row["command"].startswith("leapcheck jump mini_cheetah_armature --height 0.1")


def test_a_robot_that_was_not_given_is_said_to_be_missing() -> None:
    anchor = next(anchor for anchor in ANCHORS if anchor.robot == GO1)
    row = anchor_row("go1", anchor, ROBOTS, 1)
    assert (row["verdict"], row["command"]) == (NOT_TRIED, "")


def test_a_request_that_is_refused_says_why() -> None:
    row = anchor_row("none", replace(BACKFLIP, options={"height": 0.1, "over_gap": 0.2}), ROBOTS, 1)
    assert row["verdict"] == "refused"
    assert "--height" in row["why"]


def test_low_falls_end_in_a_stand_and_high_ones_on_the_trunk() -> None:
    spec = load("mini_cheetah_armature")
    low, high = (drop(spec, "soft", height, HELD) for height in (0.2, 4.0))
    assert low.stands
    assert low.trunk_clearance > 0.1
    assert not high.stands
    assert high.trunk_clearance < 0.0
    assert high.force > low.force > 1.0


def test_a_drop_says_from_how_high_every_simulator_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "HEIGHTS", (0.3,))
    monkeypatch.setattr(rows, "ENGINES", ("soft", "rigid"))
    row = anchor_row("drop", replace(BACKFLIP, drop=0.3), ROBOTS, 1)
    assert row["verdict"] == "stands in 2 of 2 simulators"
    assert row["ours"].startswith("stands in every simulator from 0.3 m; from 0.3 m (kp ")


def test_the_page_marks_what_was_not_verified() -> None:
    anchors = {anchor.name + anchor.robot: anchor for anchor in ANCHORS}
    made = [{"label": label, "verdict": "GO", "ours": "a | b", "why": "", "command": ""} for label in anchors]
    lines = anchors_page(anchors, made).splitlines()
    assert sum(" * |" in line for line in lines) == sum(not anchor.checked for anchor in ANCHORS)
    assert "a \\| b" in lines[11]


def test_every_anchor_is_named_once() -> None:
    assert len({(anchor.robot, anchor.name) for anchor in ANCHORS}) == len(ANCHORS)
