"""A file as a foreign package loads it, behind the engine protocol: what the packages share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from leapcheck.coordinates.conventions import Convention, Place
from leapcheck.engines.errors import EngineError
from leapcheck.engines.projection import OwnStates, canonical_answers
from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.importing.poses import product, vector3
from leapcheck_models.rotors import rotation_matrix, with_rotor_bodies
from leapcheck_models.spec import WORLD, JointType, Placement, RobotSpec, Vector3


class FilePoint(NamedTuple):
    """A contact point in the file's own terms: a body, and the place in its frame (m)."""

    body: str
    offset: Vector3


class FileNumbers(Protocol):
    """The numbers of `projection` in the engine's coordinates."""

    @property
    def quantities(self) -> frozenset[str]:
        """Names of the quantities that follow from them."""

    @property
    def not_compared(self) -> tuple[str, ...]:
        """One line for each of the others."""

    def __call__(self, states: OwnStates, names: frozenset[str]) -> dict[str, Floats]:
        """The numbers of a block of states by their names, (n, *shape)."""


def file_points(imported: ImportedRobot, has_body: Callable[[str], bool]) -> list[FilePoint]:
    """The computed contact points, on bodies that the loaded model has: of fixed links it may keep only what carries them.

    Raises EngineError where a point lies on a link that moves and that the model lacks.
    """
    spec = imported.spec
    points = []
    for point in (point for point in spec.contact_points if point.computed):
        link, offset = point.body, np.array(point.position)
        while link != WORLD and not has_body(link):
            body = spec.bodies[spec.body_index(link)]
            if body.joint.type is not JointType.FIXED:
                raise EngineError(f"the model loaded has no link '{link}', which carries the contact point '{point.name}'")
            offset = np.array(body.placement.p) + rotation_matrix(body.placement.quaternion) @ offset
            link = body.parent
        points.append(FilePoint(link, vector3(offset + np.array(imported.origins.get(link, (0.0, 0.0, 0.0))))))
    return points


def static_masses(spec: RobotSpec) -> Iterator[tuple[str, float, Vector3]]:
    """Name, mass (kg) and com in the world (m) of each link that is fixed to it and has mass."""
    placements = {WORLD: Placement()}
    for body in spec.bodies:
        if body.joint.type is JointType.FIXED and body.parent in placements:
            placements[body.name] = placement = product(placements[body.parent], body.placement)
            if body.inertia.mass:
                yield body.name, body.inertia.mass, product(placement, Placement(body.inertia.com)).p


class FileEngine:
    """A file as a foreign package loads it, behind the engine protocol."""

    def __init__(self, name: str, version: str, route: str, convention: Convention, numbers: FileNumbers) -> None:
        self.name, self.version, self.route = name, version, route
        self.quantities, self.not_compared = numbers.quantities, numbers.not_compared
        self._convention, self._numbers = convention, numbers

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical."""
        return canonical_answers(self._convention, self._numbers, states, quantities)


def convention_of(
    name: str,
    make: Callable[[RobotSpec, dict[str, Place]], Convention],
    spec: RobotSpec,
    places: dict[str, Place],
    nv: int,
) -> Convention:
    """The coordinates of the loaded model; EngineError where it has more dofs than the tree, or lacks a joint."""
    full = with_rotor_bodies(spec).spec
    if nv != full.nv:
        raise EngineError(
            f"{name}: the model loaded has {nv} degrees of freedom, the tree {full.nv}: see `leapcheck lint` on the file"
        )
    try:
        return make(spec, places)
    except ValueError as error:
        raise EngineError(f"{name}: the model loaded differs from the tree: {error}: ask `leapcheck lint` why") from error
