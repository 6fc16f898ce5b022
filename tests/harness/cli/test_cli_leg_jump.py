"""`leapcheck leg-jump`: units, verdicts and exit status, what it writes, what it refuses."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from leapcheck.cli.leg_jump import LegJumpCommand
from tests.harness.cli.command_line import ANSI, Leapcheck, refusal

STRONG = ("--servo-torque", "10", "--servo-speed", "3000")


def test_the_texts_case_without_a_servo(leapcheck: Leapcheck, tmp_path: Path) -> None:
    result = leapcheck("leg-jump")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("MARGINAL: the stroke suffices")
    assert ANSI not in result.out
    for words in (
        "0.390 N m = 3.98 kgf cm",
        "3.37 kgf cm",
        "18.42 rad/s = 1055 deg/s",
        "0.057 s per 60 deg",
        "0.2711 s",
        "12.6 mm",
    ):
        assert words in result.out
    assert sorted(path.name for path in (tmp_path / "runs" / "leg_jump").iterdir()) == [
        "leg_jump.csv",
        "leg_jump.html",
        "leg_jump.json",
    ]


@pytest.mark.parametrize(
    ("words", "verdict", "status"),
    [
        (STRONG, "GO: ", 0),
        (("--servo-torque", "6", "--servo-speed", "1800"), "MARGINAL: ", 0),
        (("--servo-torque", "6", "--servo-speed", "1500"), "NO-GO: the servo cannot", 1),
        (("--pose", "45", "-90"), "NO-GO: the push needs 73.5 mm of stroke", 1),
        (("--full-extension", *STRONG), "NO-GO: the servo cannot", 1),
        (("--marginal", "0.5", *STRONG), "MARGINAL: little margin is left", 0),
    ],
)
def test_verdict_and_exit_status(leapcheck: Leapcheck, words: tuple[str, ...], verdict: str, status: int) -> None:
    result = leapcheck("leg-jump", *words, "--out", "made")
    assert (result.status, result.err) == (status, "")
    assert result.out.startswith(verdict)


def test_every_unit_of_a_rating_is_the_same_servo() -> None:
    first = LegJumpCommand(servo_torque=10.0, servo_speed=600.0).case().servo
    for torque, unit in ((10.0, "kgf.cm"), (0.980665, "N.m")):
        for speed, per in ((600.0, "deg/s"), (math.radians(600.0), "rad/s"), (0.1, "s/60deg")):
            servo = (
                LegJumpCommand(servo_torque=torque, servo_torque_unit=unit, servo_speed=speed, servo_speed_unit=per).case().servo
            )
            assert servo.torque == pytest.approx(first.torque, rel=1e-15)
            assert servo.speed == pytest.approx(first.speed, rel=1e-15)


def test_links_are_thin_rods_unless_said_otherwise() -> None:
    rod = LegJumpCommand(link_mass=(0.06, 0.05), link_length=(0.1, 0.06)).case().leg
    assert (rod.first.com, rod.first.inertia) == (0.05, pytest.approx(0.06 * 0.1**2 / 12))
    assert rod.second.inertia == pytest.approx(1.5e-5, rel=1e-14)
    own = LegJumpCommand(link_com=(0.02, 0.01), link_inertia=(1e-4, 2e-4)).case().leg
    assert (own.first.com, own.second.com, own.first.inertia, own.second.inertia) == (0.02, 0.01, 1e-4, 2e-4)


def test_the_json_repeats_the_command(leapcheck: Leapcheck) -> None:
    words = ("--height", "0.012", "--pose", "70.0", "-140.0", "--servo-speed", "0.12", "--servo-speed-unit", "s/60deg")
    result = leapcheck("leg-jump", *words, "--json")
    assert result.json["command"] == " ".join(("leapcheck leg-jump", *words))
    assert result.json["case"]["height"] == 0.012
    again = leapcheck(*result.json["command"].split()[1:], "--json")
    assert again.out == result.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mass", "-1"), "carried mass is -1: give a finite positive number"),
        (("--height", "0"), "height is 0"),
        (("--height", "nan"), "height is nan"),
        (("--acceleration", "-2"), "acceleration is -2"),
        (("--acceleration", "2", "--full-extension"), "--acceleration and --full-extension exclude each other: leave one out"),
        (("--pose", "0", "0"), "first pose (0, 0) deg is already straight"),
        (("--pose", "75", "150"), "mirror the leg"),
        (("--pose", "75"), "--pose"),
        (("--link-mass", "0.05", "nan"), "mass of link 2 is nan"),
        (("--servo-torque", "0"), "servo's torque rating is 0"),
        (("--servo-speed", "0", "--servo-speed-unit", "s/60deg"), "servo's speed is 0 s per 60 deg"),
        (("--servo-speed-unit", "rpm"), "--servo-speed-unit"),
        (("--gravity", "0"), "gravity is 0"),
        (("--until", "1"), "until is 1"),
        (("--marginal", "2"), "utilisation_no_go"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_what_is_refused(leapcheck: Leapcheck, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    assert said in refusal(leapcheck, tmp_path, "leg-jump", *words)


def test_a_file_where_the_folder_should_be(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    assert "'taken' is a file" in refusal(leapcheck, tmp_path, "leg-jump", "--out", "taken")
