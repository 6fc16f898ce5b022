"""MuJoCo draws pictures and films without a screen: what a child process does for `render`. It imports little, to begin soon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leapcheck.system.whole_file import whole_file

Image = NDArray[np.uint8]

OVERSAMPLING = 2
"""Frames are drawn so many times as wide and high, and averaged: OpenGL's own multisampling in software takes half as long again
and leaves more of the edges' steps."""

SHADOW_SIZE = 1024
"""Width of the shadow map in px: MuJoCo's 4096 look the same in frames this small, and take a third of the time to draw them."""

FRAMES_PER_SECOND = 30


class RenderError(RuntimeError):
    """No picture could be made; the text says why and what would help, in one line."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Where the camera stands: at `distance` times the robot's size, looking along `azimuth` and `elevation` (degrees)."""

    distance: float = 3.6
    azimuth: float = 120.0
    elevation: float = -12.0


@dataclass(frozen=True, slots=True)
class Scene:
    """MJCF of the ground, the sky and, among the `files` that it includes, the robot; `floats`: whether its base moves freely."""

    text: str
    files: Mapping[str, bytes]
    floats: bool


def frames(scene: Scene, q: NDArray[np.float64], view: Camera, size: tuple[int, int]) -> list[Image]:
    """An image (height, width, 3) for each configuration (k, nq), the camera following the robot from the side."""
    import mujoco
    from PIL import Image as Pictures

    try:
        m = mujoco.MjModel.from_xml_string(scene.text, dict(scene.files))
    except ValueError as error:
        raise RenderError(f"no pictures: MuJoCo refuses the robot: {' '.join(str(error).split())[:200]}") from None
    d = mujoco.MjData(m)
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation = view.azimuth, view.elevation
    drawn = [OVERSAMPLING * length for length in size]
    m.vis.global_.offheight, m.vis.global_.offwidth = drawn
    m.vis.quality.offsamples, m.vis.quality.shadowsize = 0, SHADOW_SIZE
    m.mat_reflectance[:] = 0.0  # a mirror draws the scene twice, and hides the feet
    images: list[Image] = []
    reach = 0.0
    with mujoco.Renderer(m, *drawn) as renderer:
        for configuration in q:
            d.qpos[:] = configuration
            mujoco.mj_kinematics(m, d)
            mujoco.mj_camlight(m, d)
            # in the first picture, so that the camera keeps its distance: the origin furthest from the trunk's
            reach = reach or float(np.linalg.norm(d.xpos[1:] - d.xpos[1], axis=1).max()) or 1.0
            camera.distance = view.distance * reach
            x, y, z = d.xpos[1]
            camera.lookat[:] = (x, y, max(0.8 * reach, z - 0.4 * reach) if scene.floats else z)  # high up it stays in the picture
            renderer.update_scene(d, camera)
            images.append(np.asarray(Pictures.fromarray(renderer.render()).reduce(OVERSAMPLING)))
    return images


def write_frames(scene: Scene, q: NDArray[np.float64], view: Camera, size: tuple[int, int], path: Path) -> None:
    """Writes them one after the other as MP4. Raises RenderError where imageio-ffmpeg is missing."""
    try:
        import imageio_ffmpeg
    except ModuleNotFoundError:
        raise RenderError("no film: the package 'imageio-ffmpeg' is missing: pip install 'leapcheck[video]'") from None
    height, width = size
    with whole_file(path) as scratch:
        film = imageio_ffmpeg.write_frames(
            str(scratch), (width, height), fps=FRAMES_PER_SECOND, codec="libx264", quality=7, macro_block_size=8
        )
        film.send(None)
        for image in frames(scene, q, view, size):
            film.send(np.ascontiguousarray(image))
        film.close()
