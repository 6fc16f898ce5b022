"""The curves of a jump's plots against what they are said to show."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from leapcheck.jumping.measures.observation import observe
from leapcheck.report.chart import Chart, Series, chart_plot
from leapcheck.report.jump.plots import (
    envelope,
    joint_kinds,
    jump_phases,
    jump_plots,
    main_simulator,
    pitch_of,
    window_means,
    yaw_of,
)
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from tests.harness.report.jump_case import PHASES, TAKE_OFF, cut, jump_log, robot

IMPULSE = 1e-12  # relative; measured 2e-16
CORNER = 1e-9  # N m; measured 4e-15: the facts' corner speeds are exact in the drive's own numbers


@pytest.fixture(scope="module")
def log():
    return jump_log()


def test_there_is_a_plot_of_everything_that_was_asked(log):
    groups = {
        group.name: [plot.caption for plot in group.plots] for group in jump_plots(robot(), {"rigid": log}, drives(robot()))
    }
    assert list(groups) == ["motion", "ground", "drives", "power", "ledger-plots"]
    assert groups["motion"][:2] == ["Height of the centre of mass", "Upward velocity of the centre of mass"]
    kinds = ("Joint torque", "Joint speed", "Joint power", "Torque against speed")
    assert groups["drives"] == [f"{kind}: {joint}" for kind in kinds for joint in ("abad", "hip", "knee")]
    assert "Paths from the side" in groups["motion"]
    assert any("battery" in caption for caption in groups["power"])


def test_phases_are_those_of_the_jump(log):
    found = jump_phases(observe(robot(), log), 0.4)
    assert [phase.name for phase in found] == [name for name, _, _ in PHASES]
    assert found[0].start == 0.0
    assert found[1].start == 0.4
    assert found[-1].end == log.time[-1]
    for before, after in pairwise(found):
        assert before.end == after.start
    cut_off = jump_phases(observe(robot(), cut(log, 650, "stopped")), 0.4)
    assert [phase.name for phase in cut_off] == ["crouch", "push", "flight"]
    assert cut_off[-1].end == log.time[650]
    assert cut_off[2].start < TAKE_OFF + 0.1
    (crouch,) = jump_phases(observe(robot(), cut(log, 200, "stopped")), 0.4)
    assert (crouch.name, crouch.end) == ("crouch", log.time[200])


def test_a_window_keeps_the_impulse_of_what_lies_inside():
    force = np.zeros(1000)
    force[300:320] = 50.0
    means = window_means(force, 1e-3)
    assert means.sum() == pytest.approx(force.sum(), rel=IMPULSE)
    assert means.max() == pytest.approx(50.0 * 20 / 21)
    np.testing.assert_allclose(window_means(np.full(50, 3.0), 1e-3), 3.0, rtol=IMPULSE)
    np.testing.assert_allclose(window_means(np.arange(5.0), 1.0), np.arange(5.0))


def test_the_envelope_is_the_drives_own():
    motors = drives(load("mini_cheetah"))
    knee = motors.names.index("FR_knee")
    speeds, highest, lowest = envelope(motors, knee, 0.0)
    loss = motors.damping[knee] * speeds + motors.friction[knee] * np.tanh(speeds / 0.1)
    np.testing.assert_allclose(lowest, -highest[::-1], atol=CORNER)  # point-symmetric
    inside = (speeds >= 0) & (speeds <= 18.307)  # the corner speed of facts
    np.testing.assert_allclose((highest + loss)[inside], 27.99, atol=CORNER)
    assert (highest + loss)[-1] == pytest.approx(0.0, abs=CORNER)  # no load at its end
    assert speeds[-1] == pytest.approx(24.0 / (2 * 0.05 * 9.33))


def test_torques_of_a_log_lie_inside_the_envelope(log):
    motors = drives(robot())
    for place in range(len(motors.names)):
        speeds, highest, lowest = envelope(motors, place, float(np.abs(log.v[:, 6 + place]).max()))
        qd, torque = log.v[:-1, 6 + place], log.torque[:, place]
        assert (torque <= np.interp(qd, speeds, highest) + 0.2).all()  # 0.2: dry friction turns over between two points
        assert (torque >= np.interp(qd, speeds, lowest) - 0.2).all()


def test_like_joints_share_a_chart():
    motors = drives(load("mini_cheetah"))
    kinds = joint_kinds(motors.names, motors)
    assert list(kinds) == ["abad", "hip", "knee"]
    assert sorted(place for places in kinds.values() for place in places) == list(range(12))
    mixed = joint_kinds(("a_knee", "b_knee"), drives_of([0, 2]))
    assert sorted(map(len, mixed.values())) == [1, 1]  # equal names, unequal drives
    urdf = tuple(f"{name}_joint" for name in motors.names)
    assert list(joint_kinds(urdf, motors)) == ["abad", "hip", "knee"]
    assert list(joint_kinds(("joint", "motor"), drives_of([0, 3]))) == ["joint", "motor"]


def drives_of(places):
    """The drives of the Mini Cheetah at these places."""
    import dataclasses

    motors = drives(load("mini_cheetah"))
    arrays = {f.name: getattr(motors, f.name)[places] for f in dataclasses.fields(motors) if f.name != "names"}
    return dataclasses.replace(motors, names=tuple("ab"[: len(places)]), **arrays)


def test_the_first_whole_run_is_shown(log):
    short, shorter = cut(log, 600, "stopped"), cut(log, 300, "stopped")
    assert main_simulator({"a": short, "b": log, "c": log}) == "b"
    assert main_simulator({"a": shorter, "b": short}) == "b"


def test_a_log_without_a_step_has_no_plots(log):
    assert jump_plots(robot(), {"rigid": cut(log, 0, "stopped")}, drives(robot())) == ()
    assert jump_plots(robot(), {}, drives(robot())) == ()


def test_a_view_from_the_side_is_as_long_as_it_is_high() -> None:
    """A square's corners are drawn as far apart along as across, and feet of one path once."""
    square = Series("square", np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    drawing = chart_plot(Chart("square", "x, m", "z, m", (square,), equal=True))
    path = next(part.get("d") for part in drawing.iter() if part.get("class") == "line s0" and part.get("d").count("L") == 2)
    a, b, c = (np.array(point.split(), dtype=float) for point in path.removeprefix("M").split("L"))
    assert abs(b[0] - a[0]) == pytest.approx(abs(c[1] - b[1]), abs=0.2)
    assert a[1] == b[1]
    assert b[0] == c[0]


def test_pitch_counts_whole_turns_in_the_plane_of_the_jump() -> None:
    angle = np.linspace(0.0, -2.5 * np.pi, 200)
    zero = np.zeros_like(angle)
    np.testing.assert_allclose(
        pitch_of(np.stack([np.cos(angle / 2), zero, np.sin(angle / 2), zero], 1)), np.degrees(angle), atol=1e-9
    )
    rolled = np.stack([np.cos(angle / 2), np.sin(angle / 2), zero, zero], 1)
    np.testing.assert_allclose(pitch_of(rolled), 0.0, atol=1e-9)


def test_yaw_goes_on_past_half_a_turn_and_ends_where_the_trunk_tips_over() -> None:
    angle = np.radians(np.linspace(30.0, 390.0, 300))
    zero = np.zeros_like(angle)
    turned = np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], 1)
    np.testing.assert_allclose(yaw_of(turned), np.degrees(angle) - 30.0, atol=1e-9)
    flipped = np.stack([np.cos(angle / 2), zero, np.sin(angle / 2), zero], 1)
    np.testing.assert_array_equal(np.isfinite(yaw_of(flipped)), angle < np.pi / 3)
