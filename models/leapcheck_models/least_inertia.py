"""What files write for links that move and have no mass: the least that MuJoCo's compiler takes.

Massless links stand between the joints of a link that has several. The values are below the rounding of any robot's mass
matrix; leapcheck writes the true zeros into the compiled models.
"""

from __future__ import annotations

import dataclasses

from leapcheck_models.spec import Inertia, JointType, RobotSpec

LEAST = 2e-15
"""kg and kg m^2; the compiler asks for more than 1e-15."""

LEAST_INERTIA = (LEAST, 0.0, 0.0, LEAST, 0.0, LEAST)

LEAST_NOTE = f"Links that move without mass or inertia have {LEAST:g} kg, {LEAST:g} kg m^2 here: MuJoCo's compiler takes no zero."


def with_least_inertia(spec: RobotSpec) -> RobotSpec:
    """The robot as files hold it: no link moves without a mass and an inertia, its own or of a link fixed to it."""
    found = [_least(body.inertia) if needed else body.inertia for body, needed in zip(spec.bodies, _lacking(spec), strict=True)]
    if all(new is body.inertia for new, body in zip(found, spec.bodies, strict=True)):
        return spec
    bodies = tuple(dataclasses.replace(body, inertia=new) for body, new in zip(spec.bodies, found, strict=True))
    return dataclasses.replace(spec, bodies=bodies)


def _least(inertia: Inertia) -> Inertia:
    rotational = inertia.rotational if any(inertia.rotational) else LEAST_INERTIA
    return dataclasses.replace(inertia, mass=inertia.mass or LEAST, rotational=rotational)


def _lacking(spec: RobotSpec) -> list[bool]:
    """For each body whether it moves and neither it nor a link fixed to it, one behind the other, has mass and inertia."""
    has = {body.name: body.inertia.mass > 0.0 and any(body.inertia.rotational) for body in spec.bodies}
    for body in reversed(spec.bodies):
        if body.joint.type is JointType.FIXED and body.parent in has:
            has[body.parent] |= has[body.name]
    return [body.joint.type is not JointType.FIXED and not has[body.name] for body in spec.bodies]
