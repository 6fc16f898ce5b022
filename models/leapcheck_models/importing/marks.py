"""Named places of a model file at which a robot may touch the ground: its sites, and its geoms with their shapes."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from leapcheck_models.importing.poses import vector3
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Quaternion, Shape, Vector3


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a link (m, link axes), and the radius of the ball that stands there (m)."""

    position: Vector3
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A named `kind` of element ("site", "geom", "collision") of a link, and the spots at which it touches.

    `quaternion`: axes of a site in those of the link.
    """

    kind: str
    name: str
    body: str
    spots: tuple[Spot, ...]
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)


def shape_spots(shape: Shape) -> tuple[Spot, ...]:
    """Where a shape touches: a ball's centre, the ends of a capsule, the corners of a box's sole, else the centre.

    The end of a capsule within its radius of the link's origin is left out: there the link hangs; the farther end is last. A
    box's sole is the one of its two largest faces that is farther from the link's origin.
    """
    return _SPOTS.get(shape.kind, _centre)(shape)


def urdf_marks(root: ET.Element, shapes: Callable[[ET.Element], Iterator[Shape]]) -> Iterator[Mark]:
    """The <collision> elements of a URDF that have a name; `shapes` reads those of a link that holds nothing else."""
    for link in root.findall("link"):
        for collision in link.findall("collision"):
            if name := collision.get("name"):
                alone = ET.Element("link")
                alone.append(collision)
                spots = tuple(spot for shape in shapes(alone) for spot in shape_spots(shape))
                yield Mark("collision", name, link.get("name", ""), spots)


def _ball(shape: Shape) -> tuple[Spot, ...]:
    return (Spot(shape.placement.p, shape.size[0]),)


def _ends(shape: Shape) -> tuple[Spot, ...]:
    radius, length = shape.size
    p, half = np.array(shape.placement.p), rotation_matrix(shape.placement.quaternion)[:, 2] * length / 2
    ends = sorted((p - half, p + half), key=lambda end: float(np.linalg.norm(end)))
    free = [end for end in ends if np.linalg.norm(end) > radius]
    return tuple(Spot(vector3(end), radius) for end in free or [p])


def _sole(shape: Shape) -> tuple[Spot, ...]:
    p, R = np.array(shape.placement.p), rotation_matrix(shape.placement.quaternion)
    half = np.array(shape.size) / 2
    thin = int(half.argmin())
    side = -1.0 if p @ R[:, thin] < 0.0 else 1.0
    wide = [axis for axis in range(3) if axis != thin]
    centre = p + side * half[thin] * R[:, thin]
    arms = [R[:, axis] * half[axis] for axis in wide]
    return tuple(Spot(vector3(centre + s * arms[0] + t * arms[1])) for s in (1.0, -1.0) for t in (1.0, -1.0))


def _centre(shape: Shape) -> tuple[Spot, ...]:
    return (Spot(shape.placement.p),)


_SPOTS = {"sphere": _ball, "capsule": _ends, "box": _sole}
