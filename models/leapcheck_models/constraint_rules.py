"""Rules that closed loops and coupled joints keep; each error names the robot, the element and the remedy."""

from leapcheck_models.elements import ONE_DOF, WORLD, Body, Coupling, Loop, LoopType
from leapcheck_models.validation import check_number, check_numbers, check_unique

MOST_COEFFICIENTS = 5
"""A polynomial of degree 4, as in MJCF."""


def validate_constraints(name: str, bodies: tuple[Body, ...], loops: tuple[Loop, ...], couplings: tuple[Coupling, ...]) -> None:
    """Raises ValueError at the first broken rule: names, two bodies that exist, points, joints of one dof, coefficients."""
    if not loops and not couplings:
        return
    where = f"robot '{name}'"
    check_unique(where, "loop or coupling", [*(loop.name for loop in loops), *(coupling.name for coupling in couplings)])
    names = {WORLD, *(body.name for body in bodies)}
    for loop in loops:
        _check_loop(f"{where}, loop '{loop.name}'", loop, names)
    joints = {body.joint.name for body in bodies if body.joint.type in ONE_DOF}
    for coupling in couplings:
        _check_coupling(f"{where}, coupling '{coupling.name}'", coupling, joints)


def _check_loop(where: str, loop: Loop, names: set[str]) -> None:
    if not isinstance(loop.type, LoopType):
        raise ValueError(f"{where}: unknown type {loop.type!r}: use one of {', '.join(LoopType)}")
    if missing := [body for body in (loop.body1, loop.body2) if body not in names]:
        raise ValueError(f"{where}: body {missing[0]!r:.80} does not exist: name a body of this robot, or '{WORLD}'")
    if loop.body1 == loop.body2:
        raise ValueError(f"{where}: it ties '{loop.body1}' to itself: name two bodies")
    check_numbers(where, "point1", loop.point1, 3)
    check_numbers(where, "point2", loop.point2, 3)


def _check_coupling(where: str, coupling: Coupling, joints: set[str]) -> None:
    if missing := [joint for joint in (coupling.joint, coupling.leader) if joint and joint not in joints]:
        raise ValueError(f"{where}: {missing[0]!r:.80} is no revolute or prismatic joint of this robot: name one")
    if not coupling.joint or coupling.joint == coupling.leader:
        raise ValueError(f"{where}: it couples {coupling.joint!r:.80} to itself or to none: name two joints")
    if not 1 <= len(coupling.coefficients) <= MOST_COEFFICIENTS:
        raise ValueError(f"{where}: it has {len(coupling.coefficients)} coefficients: give 1 to {MOST_COEFFICIENTS}")
    for value in coupling.coefficients:
        check_number(where, "a coefficient", value)
