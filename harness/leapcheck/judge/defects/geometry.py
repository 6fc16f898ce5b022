"""What MuJoCo makes of links without mass: mass of their geometry, or nothing of a rotational inertia."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.edits import edit_bodies
from leapcheck.judge.words import name_list
from leapcheck_models.importing.poses import entries
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Body, Inertia, Shape
from leapcheck_reference.solids import box_inertia, capsule_inertia, cylinder_inertia, sphere_inertia
from leapcheck_reference.spatial import Transform
from leapcheck_reference.spatial_inertia import InertialParameters, in_frame, inertial_parameters

DENSITY = 1000.0
"""kg/m^3, of water: MuJoCo's default for a geom (MuJoCo's XML reference, geom/density)."""


def geometry_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """All links without inertia that have shapes weigh as much as water in their place; those with one and no mass have none."""
    if "mass_matrix" not in belief.evidence.deviating:
        return
    spinning = [body.name for body in belief.evidence.spec.bodies if not body.inertia.mass and any(body.inertia.rotational)]
    if spinning:
        words = (
            f"rotational inertias of links without mass ({name_list(spinning)}) are left out, as MuJoCo does: give them a mass"
        )
        yield model_fault("geometry/massless", words, edit_bodies(_without_inertia, spinning), prior=1.5)
    light = [body.name for body in belief.evidence.spec.bodies if body.inertia == Inertia(0.0) and body.shapes]
    if light:
        words = (
            f"links without inertia ({name_list(light)}) get one of their geometry at {DENSITY:g} kg/m^3, as MuJoCo makes it: "
            "give them an <inertial>"
        )
        yield model_fault("geometry/mass", words, edit_bodies(_with_mass_of_shapes, light), prior=1.5)


def _without_inertia(body: Body) -> Body:
    return replace(body, inertia=Inertia(0.0))


def _with_mass_of_shapes(body: Body) -> Body:
    whole = inertial_parameters(np.sum([_solid(shape).spatial for shape in body.shapes], axis=0))
    x, y, z = map(float, whole.com)
    return replace(body, inertia=Inertia(float(whole.mass), (x, y, z), entries(whole.rotational)))


def _solid(shape: Shape) -> InertialParameters:
    """Mass, com and rotational inertia of a shape in its link's frame."""
    match shape.kind:
        case "box":
            x, y, z = shape.size
            own = box_inertia(DENSITY, (x, y, z))
        case "sphere":
            own = sphere_inertia(DENSITY, shape.size[0])
        case "capsule":
            own = capsule_inertia(DENSITY, *shape.size)
        case _:
            own = cylinder_inertia(DENSITY, *shape.size)
    placement = Transform(rotation_matrix(shape.placement.quaternion), np.array(shape.placement.p))
    return in_frame(own, placement)
