"""Logs in files: Parquet comes back bit for bit, MCAP is read by its own reader."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mcap.reader import make_reader

from leapcheck.jumping.log_files import log_frame, read_parquet, write_mcap, write_parquet
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from tests.harness.jumping.loop import Floating, held

SPEC = load("mini_cheetah")


@pytest.fixture(scope="module")
def log() -> JumpLog:
    home = np.array(SPEC.pose("home"))
    simulator = Floating(SPEC, 1e-3)
    simulator.forces = np.random.default_rng(0).standard_normal((16, 3))
    simulator.limit_torques = np.arange(18.0)

    def policy(t, q, v):
        if t > 0.0119:
            raise ValueError("enough")
        return held(SPEC, home)

    return simulate(SPEC, simulator, policy, drives(SPEC), (home, np.zeros(18)), 0.05)


def test_parquet_comes_back_bit_for_bit(log: JumpLog, tmp_path: Path) -> None:
    write_parquet(SPEC, log, tmp_path / "log.parquet")
    again = read_parquet(SPEC, tmp_path / "log.parquet")
    assert log.steps == 12
    assert "enough" in log.stopped
    for field in fields(JumpLog):
        assert np.array_equal(getattr(again, field.name), getattr(log, field.name)), field.name
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


def test_columns_are_named_by_joints_actuators_and_points(log: JumpLog) -> None:
    frame = log_frame(SPEC, log)
    assert np.array_equal(frame["q_FR_hip_joint"], log.q[:, 8])
    assert np.array_equal(frame["base_vz"], log.v[:, 5])
    assert np.array_equal(frame["torque_HL_knee"].iloc[:-1], log.torque[:, 11])
    assert np.array_equal(frame["force_FL_foot_z"].iloc[:-1], log.forces[:, log.points.index("FL_foot"), 2])
    assert frame["torque_HL_knee"].isna().tolist() == [False] * 12 + [True]
    assert frame.columns.is_unique


def test_other_files_are_refused_by_name(log: JumpLog, tmp_path: Path) -> None:
    pd.DataFrame({"a": [1.0]}).to_parquet(tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("no parquet")
    write_parquet(SPEC, log, tmp_path / "mine.parquet")
    with pytest.raises(ValueError, match=r"other.parquet' is no log of a jump"):
        read_parquet(SPEC, tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"text.parquet' is no Parquet file"):
        read_parquet(SPEC, tmp_path / "text.parquet")
    with pytest.raises(ValueError, match="robot 'mini_cheetah': give one of 'pupper_leg'"):
        read_parquet(load("pupper_leg"), tmp_path / "mine.parquet")


def test_mcap_is_read_by_its_own_reader(log: JumpLog, tmp_path: Path) -> None:
    write_mcap(SPEC, log, tmp_path / "log.mcap")
    with (tmp_path / "log.mcap").open("rb") as stream:
        messages = [
            (channel.topic, message.log_time, json.loads(message.data))
            for _, channel, message in make_reader(stream).iter_messages()
        ]
    joints = [message for topic, _, message in messages if topic == "/joint_states"]
    assert len(joints) == 13
    assert joints[3]["position"] == log.q[3, 7:].tolist()
    assert joints[3]["velocity"] == log.v[3, 6:].tolist()
    assert joints[3]["torque"]["FR_hip"] == log.torque[3, 1]
    contacts = [message for topic, _, message in messages if topic == "/contacts"]
    assert contacts[0]["FR_foot"] == log.forces[0, log.points.index("FR_foot")].tolist()
    bases = [message for topic, _, message in messages if topic == "/base"]
    assert bases[12]["base_z"] == log.q[12, 2]
    assert [time for topic, time, _ in messages if topic == "/base"] == [k * 1_000_000 for k in range(13)]
