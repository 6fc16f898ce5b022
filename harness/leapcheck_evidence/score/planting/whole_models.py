"""Faults of the model as a whole: gravity, armature, rotors, units of length and mass, roll-pitch-yaw in degrees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Edit, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import rotations
from leapcheck_evidence.score.planting.robot_file import NotHereError, RobotFile
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, Body, JointType

SIZES = (9.8, 9.80665, 9.832, 9.78, 1.62, 10.0)


def no_gravity(_rng: Rng, _at: Setting) -> Fault:
    """No gravity in the file."""
    return Fault("gravity left out", ("gravity/left-out",), _gravity(lambda g: 0.0 * g))


def reversed_gravity(_rng: Rng, _at: Setting) -> Fault:
    """Gravity upwards."""
    return Fault("gravity reversed", ("gravity/(sign|direction)",), _gravity(lambda g: -g))


def gravity_of_another_size(rng: Rng, _at: Setting) -> Fault:
    """Another number in the same direction."""
    size = choice(rng, SIZES)
    return Fault(f"gravity {size}", ("gravity/size",), _gravity(lambda g: size * g / np.linalg.norm(g)))


def gravity_in_another_direction(rng: Rng, _at: Setting) -> Fault:
    """The components of gravity permuted cyclically: y or x up."""
    by = int(rng.integers(1, 3))
    return Fault(f"gravity components rolled by {by}", ("gravity/direction",), _gravity(lambda g: np.roll(g, by)))


def armature_times(factor: float, name: str) -> Drawer:
    """The armature of every joint times a factor; where one joint alone has any, naming the amount is right too."""

    def draw(_rng: Rng, setting: Setting) -> Fault:
        armed = [b for b in setting.spec.bodies if b.joint.type in ONE_DOF and b.joint.armature]
        if not armed:
            raise NotHereError("no armature")

        def edit(file: RobotFile) -> None:
            for body in armed:
                file.set_armature(body.name, factor * file.armature(body.name))

        names = (f"armature/{name}", *((f"armature/{armed[0].joint.name}",) if len(armed) == 1 else ()))
        return Fault(f"armature {name}", names, edit)

    return draw


def rotors(kind: str) -> Drawer:
    """All rotors wrong in one way."""

    def draw(_rng: Rng, setting: Setting) -> Fault:
        driven = [b.name for b in setting.spec.bodies if b.rotor]
        if not driven:
            raise NotHereError("no rotors")

        def edit(file: RobotFile) -> None:
            for link in driven:
                ROTOR_EDITS[kind](file, link)

        joint = next(b.joint.name for b in setting.spec.bodies if b.rotor)
        alone = (f"rotor-{kind}/{joint}",) if len(driven) == 1 else ()
        return Fault(f"rotors {kind}", (f"rotor/{ALL_NAMES.get(kind, kind)}", *alone), edit)

    return draw


def one_rotor(kind: str) -> Drawer:
    """One joint's rotor wrong in one way."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link = choice(rng, [b for b in setting.spec.bodies if b.rotor])
        assert link.rotor is not None
        alone = [f"rotor/{ALL_NAMES.get(kind, kind)}"] if sum(b.rotor is not None for b in setting.spec.bodies) == 1 else []
        if kind in ("not-turning", "reversed"):
            alone.append(f"gear/{link.joint.name}")  # a gear ratio of zero, or of the other sign
        if kind == "reversed":
            alone.append(f"sign/{link.rotor.name}_joint")  # the same in MuJoCo's own coordinates, where a rotor is a body
        if kind == "massless":
            alone = [f"mass/{link.rotor.name}"]
        if kind == "left-out":
            alone.append(f"(missing|left-out)/{link.rotor.name}")

        def edit(file: RobotFile) -> None:
            ROTOR_EDITS[kind](file, link.name)

        return Fault(f"rotor of {link.joint.name} {kind}", (f"rotor-{kind}/{link.joint.name}", *alone), edit)

    return draw


def lengths_times(factor: float, name: str) -> Drawer:
    """All lengths of the model in another unit, the rotational inertias in its square."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        power = 2 * int(rng.random() < 0.7)
        free = [b.name for b in setting.spec.bodies if b.joint.type is JointType.FREE]
        points = [point.name for point in setting.spec.contact_points if point.computed]

        def edit(file: RobotFile) -> None:
            for link in file.links():
                if link not in free:
                    place, quaternion = file.place(link)
                    file.set_place(link, [factor * x for x in place], quaternion)
                file.set_com(link, [factor * x for x in file.com(link)])
                file.set_rotational(link, [factor**power * x for x in file.rotational(link)])
            for point in points:
                file.set_point(point, [factor * x for x in file.point(point)])

        right = "" if power else ":inertias-right"
        return Fault(f"lengths times {factor:g}{right}", (f"unit/length-{name}{right}",), edit)

    return draw


def masses_times(factor: float, name: str) -> Drawer:
    """All masses and rotational inertias in another unit."""

    def draw(_rng: Rng, _at: Setting) -> Fault:
        def edit(file: RobotFile) -> None:
            for link in file.links():
                file.set_mass(link, factor * file.mass(link))
                file.set_rotational(link, [factor * x for x in file.rotational(link)])

        return Fault(f"masses times {factor:g}", (f"unit/mass-{name}",), edit)

    return draw


def _gravity(changed: Callable[[Floats], Floats]) -> Edit:
    def edit(file: RobotFile) -> None:
        file.gravity = changed(np.array(file.gravity)).tolist()

    return edit


def _remove_gravity(file: RobotFile, link: str) -> None:
    file.remove(_rotor(file, link))


def _not_turning(file: RobotFile, link: str) -> None:
    file.set_joint_type(_rotor(file, link), JointType.FIXED)
    file.storage = False


def _reverse_gravity(file: RobotFile, link: str) -> None:
    rotor = _rotor(file, link)
    file.set_axis(rotor, [-x for x in file.axis(rotor)])


def _massless(file: RobotFile, link: str) -> None:
    file.set_mass(_rotor(file, link), 0.0)


def _as_armature(file: RobotFile, link: str) -> None:
    """Gear ratio^2 x axial inertia is armature, and the rotor is nowhere else."""
    file.set_armature(link, file.armature(link) + _reflected_inertia(file, link))
    file.remove(_rotor(file, link))


def _coupling_missing(file: RobotFile, link: str) -> None:
    """The rotor rides rigidly on its link, and gear ratio^2 x axial inertia is armature: the usual shortcut."""
    rotor = _rotor(file, link)
    file.set_armature(link, file.armature(link) + _reflected_inertia(file, link))
    file.set_joint_type(rotor, JointType.FIXED)
    file.storage = False


def _reflected_inertia(file: RobotFile, link: str) -> float:
    """Gear ratio^2 x the rotor's inertia about its axis."""
    rotor = _rotor(file, link)
    axis, com = np.array(file.axis(rotor)), np.array(file.com(rotor))
    about_axis = axis @ _matrix(file, rotor) @ axis + file.mass(rotor) * (np.cross(axis, com) ** 2).sum()
    return file.gear(link) ** 2 * float(about_axis)


ROTOR_EDITS: dict[str, Callable[[RobotFile, str], None]] = {
    "left-out": _remove_gravity,
    "not-turning": _not_turning,
    "reversed": _reverse_gravity,
    "massless": _massless,
    "coupling-missing": _coupling_missing,
    "as-armature": _as_armature,
}

OF_ALL = ("left-out", "not-turning", "reversed", "coupling-missing", "as-armature")
"""Kinds that are planted in all rotors together."""

ALL_NAMES = {"as-armature": "massless"}
"""Names of the kinds for all rotors, where they are others: rotors that count as armature only have no mass."""


def _rotor(file: RobotFile, link: str) -> str:
    rotor = file.rotor_of(link)
    if rotor is None:
        raise NotHereError(f"no rotor drives the joint of '{link}'")
    return rotor


def _matrix(file: RobotFile, link: str) -> Floats:
    xx, xy, xz, yy, yz, zz = file.rotational(link)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def transposed_placements(_rng: Rng, setting: Setting) -> Fault:
    """The fixed rotation of every link in its parent transposed."""
    if not any(any(b.placement.quaternion[1:]) for b in setting.spec.bodies):
        raise NotHereError("no rotations")

    def edit(file: RobotFile) -> None:
        for body in (b for b in setting.spec.bodies if b.joint.type is not JointType.FREE):
            position, (w, x, y, z) = file.place(body.name)
            file.set_place(body.name, position, (w, -x, -y, -z))

    names = ("axes/transposed-placements", "placement-transposed/all")
    return Fault("placements' rotations transposed", names, edit)


def one_transposed_placement(rng: Rng, setting: Setting) -> Fault:
    """The fixed rotation of one link in its parent transposed."""
    turned = [
        b
        for b in setting.spec.bodies
        if np.abs(_rotation(b) - _rotation(b).T).max() > 1e-3 and b.joint.type is not JointType.FREE
    ]
    link = choice(rng, turned)

    def edit(file: RobotFile) -> None:
        position, (w, x, y, z) = file.place(link.name)
        file.set_place(link.name, position, (w, -x, -y, -z))

    names = (f"placement-transposed/{link.joint.name}", f"turn/{link.joint.name}")
    return Fault(f"rotation of {link.joint.name} transposed", names, edit)


def _rotation(body: Body) -> Floats:
    return rotations(np.array(body.placement.quaternion))
