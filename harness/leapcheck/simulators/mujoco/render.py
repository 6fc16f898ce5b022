"""Pictures and films of a robot in motion, by MuJoCo without a screen, in a process of its own.

MuJoCo chooses its OpenGL when it is imported, and a missing or broken library may end the process: so a child does it, with
MUJOCO_GL=egl, then osmesa, where the user has not chosen one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from leapcheck.system.processes import running_jobs
from leapcheck.system.whole_file import whole_file
from leapcheck_models.arrays import Floats
from leapcheck_models.generate import scene_text
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_models.xml_text import file_stem
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

Image = NDArray[np.uint8]

BACK_ENDS = ("egl", "osmesa")
SIZE = (480, 640)
"""Height and width of a frame in px."""

STRIP_SIZE = (340, 280)
"""The same of a picture in a strip; captions are large enough to be read when a page shows seven of them side by side."""

SHADOW_SIZE = 1024
"""Width of the shadow map in px: MuJoCo's 4096 look the same in frames this small, and take a third of the time to draw them."""

BOX_COLOUR = "0.62 0.56 0.45 1"
FRAMES_PER_SECOND = 30
SLOW_MOTION = 4
"""A film shows a jump so many times slower than it is."""


class RenderError(RuntimeError):
    """No picture could be made; the text says why and what would help, in one line."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Where the camera stands: at `distance` times the robot's size, looking along `azimuth` and `elevation` (degrees)."""

    distance: float = 3.6
    azimuth: float = 120.0
    elevation: float = -12.0


def picture_strip(
    spec: RobotSpec, q: Floats, captions: Sequence[str], view: Camera = Camera(), terrain: Terrain = LEVEL
) -> bytes:
    """PNG with the robot at each configuration of q (k, nq), side by side from left to right, a caption under each.

    Raises RenderError where there is no OpenGL library.
    """
    frames = _in_child(_frames, spec, q, view, STRIP_SIZE, terrain)
    return _strip(frames, captions)


def write_film(
    spec: RobotSpec,
    time: Floats,
    q: Floats,
    path: Path,
    view: Camera = Camera(),
    slow: float = SLOW_MOTION,
    terrain: Terrain = LEVEL,
) -> None:
    """Writes an MP4 of the motion q (k, nq) at `time` (k,) s, `slow` times slower than it is.

    Raises RenderError where there is no OpenGL library or imageio-ffmpeg is missing.
    """
    moments = np.arange(time[0], time[-1], 1.0 / (FRAMES_PER_SECOND * slow))
    rows = np.clip(np.searchsorted(time, moments), 0, len(time) - 1)
    _in_child(_film, spec, q[rows], view, SIZE, path, terrain)


def _in_child(task: Any, *arguments: Any) -> Any:
    """What the task returns in a new process with the first OpenGL back end that works."""
    chosen = os.environ.get("MUJOCO_GL")
    reasons = []
    for back_end in (chosen,) if chosen else BACK_ENDS:
        try:
            with _environment(MUJOCO_GL=back_end), running_jobs(task, [arguments], 1) as running:
                return next(iter(running)).result()
        except RenderError:
            raise
        except Exception as error:
            reasons.append(f"{back_end}: {' '.join(str(error).split())[:120] or type(error).__name__}")
    raise RenderError(
        f"no pictures: MuJoCo found no OpenGL library ({'; '.join(reasons)}): install libegl1 and libgl1-mesa-dri, or libosmesa6"
    )


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """The environment that a child process inherits, for a while."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _frames(spec: RobotSpec, q: Floats, view: Camera, size: tuple[int, int], terrain: Terrain = LEVEL) -> list[Image]:
    """An image (height, width, 3) for each configuration, the camera following the robot from the side."""
    import mujoco

    files = {f"{file_stem(spec)}.xml": mjcf_text(spec, rotors="armature").encode()}
    try:
        m = mujoco.MjModel.from_xml_string(_with_ground(scene_text(spec), terrain), files)
    except ValueError as error:
        raise RenderError(f"no pictures: MuJoCo refuses the robot: {' '.join(str(error).split())[:200]}") from None
    d = mujoco.MjData(m)
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation = view.azimuth, view.elevation
    m.vis.global_.offheight, m.vis.global_.offwidth = size
    m.vis.quality.shadowsize, m.mat_reflectance[:] = SHADOW_SIZE, 0.0  # a mirror draws the scene twice, and hides the feet
    images: list[Image] = []
    reach, floats = 0.0, spec.bodies[0].joint.type is JointType.FREE
    with mujoco.Renderer(m, *size) as renderer:
        for configuration in q:
            d.qpos[:] = configuration
            mujoco.mj_kinematics(m, d)
            mujoco.mj_camlight(m, d)
            # in the first picture, so that the camera keeps its distance: the origin furthest from the trunk's
            reach = reach or float(np.linalg.norm(d.xpos[1:] - d.xpos[1], axis=1).max()) or 1.0
            camera.distance = view.distance * reach
            camera.lookat[:] = (configuration[0], configuration[1], 0.8 * reach) if floats else d.xpos[1]
            renderer.update_scene(d, camera)
            images.append(renderer.render().copy())
    return images


def _with_ground(scene: str, terrain: Terrain) -> str:
    """The scene with its plane where the ground's is, and the ground's boxes."""
    if terrain.is_level:
        return scene
    root = ElementTree.fromstring(scene)
    world = next(element for element in root.iter("worldbody") if element.find("geom") is not None)
    turn = " ".join(map(repr, terrain.quaternion))
    for plane in (geom for geom in world.findall("geom") if geom.get("type") == "plane"):
        plane.set("pos", " ".join(map(repr, (terrain.R @ (0.0, 0.0, terrain.floor)).tolist())))
        plane.set("quat", turn)
    for box in terrain.boxes:
        pos, size = (" ".join(map(repr, values)) for values in ((terrain.R @ box.centre).tolist(), box.half))
        attributes = {"type": "box", "pos": pos, "size": size, "quat": turn, "rgba": BOX_COLOUR}
        ElementTree.SubElement(world, "geom", attributes)
    return ElementTree.tostring(root, encoding="unicode")


def _film(spec: RobotSpec, q: Floats, view: Camera, size: tuple[int, int], path: Path, terrain: Terrain = LEVEL) -> None:
    try:
        from imageio_ffmpeg import write_frames
    except ModuleNotFoundError:
        raise RenderError("no film: the package 'imageio-ffmpeg' is missing: pip install 'leapcheck[video]'") from None
    height, width = size
    with whole_file(path) as scratch:
        film = write_frames(str(scratch), (width, height), fps=FRAMES_PER_SECOND, codec="libx264", quality=7, macro_block_size=8)
        film.send(None)
        for image in _frames(spec, q, view, size, terrain):
            film.send(np.ascontiguousarray(image))
        film.close()


def _strip(images: Sequence[Image], captions: Sequence[str]) -> bytes:
    from PIL import Image as Pictures
    from PIL import ImageDraw, ImageFont

    height, width, _ = images[0].shape
    bar, gap = 44, 4
    strip = Pictures.new("RGB", (len(images) * (width + gap) - gap, height + bar), "white")
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(26)
    for i, (image, caption) in enumerate(zip(images, captions, strict=True)):
        left = i * (width + gap)
        strip.paste(Pictures.fromarray(image), (left, 0))
        draw.text((left + width / 2, height + bar / 2), caption, fill="black", font=font, anchor="mm")
    buffer = io.BytesIO()
    strip.save(buffer, "PNG")  # "optimize" takes four times as long for 3 % less
    return buffer.getvalue()
