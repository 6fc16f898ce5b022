"""Pictures and films, drawn by MuJoCo in a process of its own; looked at through other libraries."""

import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image

from leapcheck.simulators.mujoco.drawing import FRAMES_PER_SECOND, RenderError
from leapcheck.simulators.mujoco.render import picture_strip, write_film
from leapcheck_models.robots import load

SPEC = load("mini_cheetah")
HOME = np.array(SPEC.pose("home"))


def motion(rise: float, count: int) -> np.ndarray:
    q = np.repeat(HOME[None], count, axis=0)
    q[:, 2] += np.linspace(0.0, rise, count)
    return q


@pytest.fixture(scope="module")
def screenless() -> Iterator[None]:
    """MuJoCo may draw: the other tests forbid it."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("MUJOCO_GL")
        yield


@pytest.fixture(scope="module")
def strip(screenless: None) -> np.ndarray:
    try:
        png = picture_strip(SPEC, motion(0.25, 2), ["stand", "apex"])
    except RenderError as error:
        pytest.skip(str(error))
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float)


def test_a_strip_shows_the_robot_where_it_is(strip: np.ndarray) -> None:
    height, width, _ = strip.shape
    first, second = strip[:340, : width // 2 - 2], strip[:340, width // 2 + 2 :]
    assert height > 340
    assert first.std() > 10  # there is something to see
    # the grey trunk: bright and without colour
    grey = [np.argwhere((np.ptp(half, axis=2) < 20) & (half.mean(axis=2) > 110)) for half in (first, second)]
    assert min(map(len, grey)) > 300
    assert grey[0][:, 0].mean() - grey[1][:, 0].mean() > 30  # 0.25 m higher in the second picture
    assert strip[340:].min() < 60  # captions


def test_a_film_lasts_as_long_as_it_should(strip: np.ndarray, tmp_path: Path) -> None:
    film = tmp_path / "jump.mp4"
    write_film(SPEC, np.linspace(0.0, 0.1, 11), motion(0.1, 11), film, slow=4)
    frames, seconds = count_frames_and_secs(str(film))
    assert frames == pytest.approx(0.1 * 4 * FRAMES_PER_SECOND, abs=1)
    assert seconds == pytest.approx(0.4, abs=0.1)
    assert [path.name for path in tmp_path.iterdir()] == ["jump.mp4"]


def test_without_opengl_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "off")
    with pytest.raises(RenderError, match="no pictures: MuJoCo found no OpenGL library") as caught:
        picture_strip(SPEC, motion(0.0, 1), ["stand"])
    assert "\n" not in str(caught.value)
    assert os.environ["MUJOCO_GL"] == "off"
