"""A hardware log beside a simulated one: the shift that was planted is found, and what differs is named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from leapcheck.jumping.hardware import compare_with_hardware, read_hardware_log
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from tests.harness.jumping.loop import Floating, held

pytestmark = pytest.mark.quick

SPEC = load("mini_cheetah")
SHIFT = 1e-5  # s; a shift of no whole sample is found to 2e-6
PLANTED = 1e-9  # rad; what interpolation between samples that coincide leaves: 1e-16


@pytest.fixture(scope="module")
def log() -> JumpLog:
    fold, home = (np.array(SPEC.pose(name)) for name in ("fold", "home"))
    return simulate(
        SPEC,
        Floating(SPEC, 1e-3),
        lambda t, q, v: held(SPEC, fold if t < 0.15 else home),
        drives(SPEC),
        (home, np.zeros(18)),
        0.4,
    )


def hardware(log: JumpLog, path: Path, shift: float = 0.0, **changed: object) -> Path:
    columns: dict[str, object] = {"time": log.time - shift}
    for i, actuator in enumerate(SPEC.actuators):
        columns[f"q_{actuator.joint}"] = log.q[:, 7 + i]
        columns[f"qd_{actuator.joint}"] = log.v[:, 6 + i]
        columns[f"tau_{actuator.name}"] = np.append(log.torque[:, i], log.torque[-1, i])
    pd.DataFrame(columns | changed).to_csv(path, index=False)
    return path


def test_the_same_motion_fits_with_nothing_left(log: JumpLog, tmp_path: Path) -> None:
    found = compare_with_hardware(SPEC, log, read_hardware_log(SPEC, hardware(log, tmp_path / "same.csv")))
    assert abs(found.shift) < SHIFT
    assert len(found.residuals) == 36
    assert max(r.rms for r in found.residuals if r.signal == "q") < 1e-4
    assert found.overlap == pytest.approx(0.4, abs=2e-3)


@pytest.mark.parametrize("shift", [0.0371234, -0.08])
def test_a_planted_shift_is_found(log: JumpLog, tmp_path: Path, shift: float) -> None:
    found = compare_with_hardware(SPEC, log, read_hardware_log(SPEC, hardware(log, tmp_path / "late.csv", shift)))
    assert found.shift == pytest.approx(shift, abs=SHIFT)


def test_a_planted_offset_is_named_first(log: JumpLog, tmp_path: Path) -> None:
    moved = {"q_HR_hip_joint": log.q[:, SPEC.nq - 5] + 0.05}
    found = compare_with_hardware(SPEC, log, read_hardware_log(SPEC, hardware(log, tmp_path / "offset.csv", **moved)))
    worst = found.residuals[0]
    assert (worst.signal, worst.joint, worst.unit) == ("q", "HR_hip_joint", "rad")
    assert worst.offset == pytest.approx(0.05, rel=1e-2)
    assert worst.rms == pytest.approx(0.05, rel=1e-2)
    assert worst.correlation > 0.999


def test_torques_alone_are_compared_too(log: JumpLog, tmp_path: Path) -> None:
    path = tmp_path / "torque.csv"
    pd.DataFrame({"t": log.time[:-1], "tau_FR_knee_joint": 1.1 * log.torque[:, 2]}).to_csv(path, index=False)
    (only,) = compare_with_hardware(SPEC, log, read_hardware_log(SPEC, path)).residuals
    assert (only.signal, only.joint) == ("tau", "FR_knee_joint")
    assert only.rms == pytest.approx(0.1 * np.sqrt(np.mean(log.torque[:, 2] ** 2)), rel=0.2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,q_FR_hip_joint\n0,1\n0.1,nan\n", "column 'q_FR_hip_joint', row 3: 'nan' is no finite number"),
        ("time,angle\n0,1\n1,2\n", "no column of a joint: name them q_JOINT"),
        ("time,q_FR_hip_joint,qd_FR_hipp\n0,1,1\n1,2,2\n", "'qd_FR_hipp' is of no joint of 'mini_cheetah': rename it"),
        ("q_FR_hip_joint\n1\n", "has no column 'time'"),
        ("time,q_FR_hip_joint\n0,1\n", "'time' must rise"),
    ],
)
def test_broken_logs_are_refused_with_their_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "hardware.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says) as caught:
        read_hardware_log(SPEC, path)
    assert "hardware.csv" in str(caught.value)


def test_a_run_that_stopped_at_once_has_nothing_to_compare(log: JumpLog, tmp_path: Path) -> None:
    measured = read_hardware_log(SPEC, hardware(log, tmp_path / "same.csv"))
    short = replace(log, **{name: getattr(log, name)[:1] for name in ("time", "q", "v")}, torque=log.torque[:0])
    with pytest.raises(ValueError, match="stopped at once"):
        compare_with_hardware(SPEC, short, measured)
