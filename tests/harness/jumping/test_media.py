"""Files beside the report: which moments are pictured, what is written, and what is said where it cannot be."""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from leapcheck.jumping import media
from leapcheck.jumping.act import Act
from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.log_files import read_parquet
from leapcheck.jumping.measures.observation import Phases
from leapcheck.jumping.runs import simulate_everywhere
from leapcheck.jumping.setup import JumpSetup
from leapcheck.jumping.study import JumpStudy, evaluate, provenance
from leapcheck.simulators.mujoco.drawing import RenderError
from leapcheck.simulators.registry import Ground
from leapcheck_models.robots import load

ROBOT = load("mini_cheetah_armature")
STAND = np.array(ROBOT.pose("home"))
WRITTEN = b"a picture"


def still(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
    n = len(ROBOT.actuators)
    return JointCommand(np.zeros(n), STAND[7:], np.zeros(n), np.full(n, 60.0), np.full(n, 1.0))


@pytest.fixture(scope="module")
def run() -> JumpStudy:
    act = Act(still, (STAND, np.zeros(ROBOT.nv)), 0.02)
    setup = JumpSetup(ROBOT, act, ("soft", "spring-damper"), levels=1)
    return evaluate(setup, provenance(ROBOT, "leapcheck jump", 0), simulate_everywhere(setup))


def no_library(*_: object) -> None:
    raise RenderError("no pictures: no library")


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_first_simulators_run_is_shown(run: JumpStudy) -> None:
    assert list(media.shown_logs(run)) == [media.NOMINAL]
    assert media.shown_logs(run)[media.NOMINAL] is run.logs["soft"]
    assert media.shown_logs(replace(run, logs={})) == {}


def test_a_strip_without_a_plan_is_spread_evenly(run: JumpStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(media, "picture_strip", lambda spec, q, captions: drawn.append((q, captions)) or WRITTEN)
    log = run.logs["soft"]
    assert media.with_pictures(run, {media.NOMINAL: log}).pictures == {media.NOMINAL: WRITTEN}
    ((q, captions),) = drawn
    assert len(q) == len(captions) == media.FRAMES
    assert (captions[0], captions[-1]) == ("0.00 s", "0.02 s")
    assert np.array_equal(q[[0, -1]], log.q[[0, -1]])


def test_a_strip_of_a_jump_without_a_plan_shows_the_jump(run: JumpStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "picture_strip", lambda spec, q, captions: captions)
    phases = Phases(push=0.004, take_off=0.008, apex=0.011, apex_height=0.3, touch_down=0.014, end=0.02)
    monkeypatch.setattr(media, "motion_phases", lambda seen: phases)
    captions = media.strip(run, run.logs["soft"])
    assert [caption.split()[0] for caption in captions] == ["crouch", "push", "take-off", "flight", "flight", "touch-down", "end"]
    assert len(captions) == media.FRAMES
    monkeypatch.setattr(media, "motion_phases", lambda seen: replace(phases, touch_down=np.nan))  # it never comes down
    assert media.strip(run, run.logs["soft"])[0] == "0.00 s"


def test_a_plans_moments_have_names_and_end_with_the_log(run: JumpStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = SimpleNamespace(phases=[SimpleNamespace(name="crouch", end=0.004)], take_off=0.010, touch_down=0.016)
    monkeypatch.setattr(media, "picture_strip", lambda spec, q, captions: captions)
    log = run.logs["soft"]
    planned = SimpleNamespace(setup=SimpleNamespace(plan=plan, spec=ROBOT, ground=Ground()))
    names = [caption.split()[0] for caption in media.strip(planned, log)]
    assert names == ["stand", "crouch", "push", "take-off", "apex", "touch-down", "end"]
    early = replace(log, time=log.time[:12], q=log.q[:12], torque=log.torque[:11])  # stopped in the air
    assert [caption.split()[0] for caption in media.strip(planned, early)] == ["stand", "crouch", "push", "take-off", "end"]


def test_without_opengl_the_logs_are_written_and_a_note_says_why(
    run: JumpStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media, "picture_strip", no_library)
    monkeypatch.setattr(media, "write_film", no_library)
    shown = media.shown_logs(run)
    pictured = media.with_pictures(run, shown)
    assert pictured.pictures == {}
    assert pictured.notes == ("no pictures: no library",)
    assert media.write_media(pictured, shown, tmp_path, mcap=False, video=True) == ("no pictures: no library",)
    assert files(tmp_path) == {"logs/soft.parquet", "logs/spring-damper.parquet"}
    assert np.array_equal(read_parquet(ROBOT, tmp_path / "logs" / "soft.parquet").q, run.logs["soft"].q)


def test_pictures_films_and_the_worst_run_have_files(run: JumpStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "picture_strip", lambda *_: WRITTEN)
    monkeypatch.setattr(media, "write_film", lambda spec, time, q, path: path.write_bytes(WRITTEN))
    shown = {media.NOMINAL: run.logs["soft"], media.WORST: run.logs["spring-damper"]}
    assert media.write_media(media.with_pictures(run, shown), shown, tmp_path, mcap=True, video=True) == ()
    logs = {f"logs/{name}.{kind}" for name in ("soft", "spring-damper", "worst_run") for kind in ("parquet", "mcap")}
    assert files(tmp_path) == logs | {f"{stem}.{kind}" for stem in ("jump", "worst_run") for kind in ("png", "mp4")}


def test_without_the_package_there_is_no_mcap_and_one_note(
    run: JumpStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    notes = media.write_media(run, media.shown_logs(run), tmp_path, mcap=True, video=False)
    assert notes == ("MCAP needs the package 'mcap': pip install 'leapcheck[mcap]'",)
    assert files(tmp_path) == {"logs/soft.parquet", "logs/spring-damper.parquet"}
