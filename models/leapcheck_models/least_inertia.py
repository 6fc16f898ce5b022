"""What files write for links that move and have no mass: the least that MuJoCo's compiler takes.

Massless links stand between the joints of a link that has several. The values are near the rounding of a robot's mass
matrix; leapcheck writes the true zeros into the compiled models.
"""

import dataclasses

import numpy as np

from leapcheck_models.spec import Inertia, JointType, RobotSpec, Symmetric3
from leapcheck_models.validation import rotational_matrix

LEAST = 2e-14
"""kg and kg m^2; the compiler asks for more than 1e-15, and more than 1e-14 of a principal moment that it computes."""

LEAST_NOTE = f"Zero masses and moments that MuJoCo's compiler does not take are written as {LEAST:g} kg and {LEAST:g} kg m^2."


def with_least_inertia(spec: RobotSpec) -> RobotSpec:
    """The robot as files hold it: no link moves without mass, and no inertia is one that MuJoCo's compiler takes for zero."""
    inertias = [_least(body.inertia, lacks) for body, lacks in zip(spec.bodies, _lacks_inertia(spec), strict=True)]
    if all(new is body.inertia for new, body in zip(inertias, spec.bodies, strict=True)):
        return spec
    bodies = tuple(dataclasses.replace(body, inertia=new) for body, new in zip(spec.bodies, inertias, strict=True))
    return dataclasses.replace(spec, bodies=bodies)


def holds_least(written: RobotSpec) -> bool:
    """Whether a file's robot has such a mass or moment."""
    return any(LEAST in (body.inertia.mass, *body.inertia.rotational) for body in written.bodies)


def smallest_moment(rotational: Symmetric3) -> float:
    """Smallest principal moment (kg m^2)."""
    return float(np.linalg.eigvalsh(rotational_matrix(rotational))[0])


def _least(inertia: Inertia, lacks: bool) -> Inertia:
    """The inertia with every principal moment at least `LEAST`; the same where that is so, or where nothing needs one."""
    if not lacks and inertia.mass == 0.0 and not any(inertia.rotational):
        return inertia
    written = inertia.rotational if inertia.nearest is None else inertia.nearest
    short = LEAST - smallest_moment(written)
    mass = inertia.mass or (LEAST if lacks else 0.0)
    if short <= 0.0:
        return inertia if mass == inertia.mass else dataclasses.replace(inertia, mass=mass)
    xx, xy, xz, yy, yz, zz = written
    raised = (xx + short, xy, xz, yy + short, yz, zz + short)
    if inertia.realisable:
        return dataclasses.replace(inertia, mass=mass, rotational=raised)
    return dataclasses.replace(inertia, mass=mass, nearest=raised)


def _lacks_inertia(spec: RobotSpec) -> list[bool]:
    """For each body whether it moves and neither it nor a link fixed to it, one behind the other, has mass and inertia."""
    has = {body.name: body.inertia.mass > 0.0 and any(body.inertia.rotational) for body in spec.bodies}
    for body in reversed(spec.bodies):
        if body.joint.type is JointType.FIXED and body.parent in has:
            has[body.parent] |= has[body.name]
    return [body.joint.type is not JointType.FIXED and not has[body.name] for body in spec.bodies]
