"""Pictures and films of a robot in motion, by MuJoCo without a screen, in a process of its own.

MuJoCo chooses its OpenGL when it is imported, and a missing or broken library may end the process: so a child draws
(`drawing`), with MUJOCO_GL=egl, then osmesa, where the user has not chosen one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from leapcheck.simulators.mujoco.drawing import FRAMES_PER_SECOND, Camera, Image, RenderError, Scene, frames, write_frames
from leapcheck.system.processes import Start, running_jobs
from leapcheck_models.arrays import Floats
from leapcheck_models.generate import scene_text
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_models.xml_text import file_stem
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

BACK_ENDS = ("egl", "osmesa")
NEW = Start(origin="new")
"""A process that has not imported MuJoCo yet."""
SIZE = (480, 640)
"""Height and width of a frame in px."""

STRIP_SIZE = (340, 280)
"""The same of a picture in a strip; captions are large enough to be read when a page shows seven of them side by side."""

BOX_COLOUR = "0.62 0.56 0.45 1"
SLOW_MOTION = 4
"""A film shows a jump so many times slower than it is."""


def picture_strip(
    spec: RobotSpec, q: Floats, captions: Sequence[str], view: Camera = Camera(), terrain: Terrain = LEVEL
) -> bytes:
    """PNG with the robot at each configuration of q (k, nq), side by side from left to right, a caption under each.

    Raises RenderError where there is no OpenGL library.
    """
    return _strip(_in_child(frames, _scene(spec, terrain), q, view, STRIP_SIZE), captions)


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
    _in_child(write_frames, _scene(spec, terrain), q[rows], view, SIZE, path)


def _in_child(task: Any, *arguments: Any) -> Any:
    """What the task returns in a new process with the first OpenGL back end that works."""
    chosen = os.environ.get("MUJOCO_GL")
    reasons = []
    for back_end in (chosen,) if chosen else BACK_ENDS:
        try:
            with _environment(MUJOCO_GL=back_end), running_jobs(task, [arguments], 1, NEW) as running:
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


def _scene(spec: RobotSpec, terrain: Terrain) -> Scene:
    """The robot over the ground."""
    files = {f"{file_stem(spec)}.xml": mjcf_text(spec, rotors="armature").encode()}
    return Scene(_with_ground(scene_text(spec), terrain), files, spec.bodies[0].joint.type is JointType.FREE)


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
