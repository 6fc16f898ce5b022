"""Numbers of the model changed: masses, coms, inertias, armature, joint placements, axes, contact points.

The sizes are shares of m, m L and m L^2 with L = 0.1 m; lengths are shares of L, angles of 1 rad. Where physics knows no
difference, the other names count too: see `same.py`.
"""

from __future__ import annotations

import numpy as np

from leapcheck_evidence.score.planting import same
from leapcheck_evidence.score.planting.fault import Drawer, Edit, Fault, Rng, Setting, choice, random_sign
from leapcheck_evidence.score.planting.layout import rotations, turn_quaternion
from leapcheck_evidence.score.planting.robot_file import RobotFile
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import ONE_DOF, Body, JointType, RobotSpec

LENGTH = 0.1
"""L (m)."""

SHARES = (1e-2, 1e-4, 1e-6)

XYZ = "xyz"
ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
PARALLEL = 1e-9
"""Largest sine of an angle between directions called parallel; file numbers are good to 1e-16."""


def mass_fault(share: float) -> Drawer:
    """One mass off by a share of itself, at the same com and the same rotational inertia about it."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link = _any_link(rng, setting.spec)
        amount = random_sign(rng, share) * link.inertia.mass

        def edit(file: RobotFile) -> None:
            file.set_mass(link.name, file.mass(link.name) + amount)

        return Fault(f"mass of {link.name} {amount:+.3g} kg", (f"mass/{link.name}",), edit, body=link.name)

    return draw


def com_fault(share: float) -> Drawer:
    """One coordinate of one com off, the first moment by a share of m L; the inertia about the com stays."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link, k = _any_link(rng, setting.spec), int(rng.integers(3))
        amount = random_sign(rng, share) * LENGTH

        def edit(file: RobotFile) -> None:
            file.set_com(link.name, _plus(file.com(link.name), k, amount))

        names = (f"com(-{XYZ[k]})?/{link.name}", *same.as_com(setting.spec, link.name, np.eye(3)[k]))
        return Fault(f"com {XYZ[k]} of {link.name} {amount:+.3g} m", names, edit, body=link.name)

    return draw


def inertia_fault(share: float) -> Drawer:
    """One entry of one rotational inertia off by a share of m L^2."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link, k = _any_link(rng, setting.spec), int(rng.integers(6))
        amount = random_sign(rng, share) * link.inertia.mass * LENGTH**2

        def edit(file: RobotFile) -> None:
            file.set_rotational(link.name, _plus(file.rotational(link.name), k, amount))

        names = (f"inertia(-{ENTRIES[k]})?/{link.name}", *same.as_inertia(setting.spec, link.name))
        return Fault(f"inertia {ENTRIES[k]} of {link.name} {amount:+.3g} kg m^2", names, edit, body=link.name)

    return draw


def armature_fault(share: float) -> Drawer:
    """The armature of one joint off by a share of m L^2 of its link, or of m for a slide."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link = choice(rng, [b for b in setting.spec.bodies if b.joint.type in ONE_DOF])
        size = link.inertia.mass * (LENGTH**2 if link.joint.type is JointType.REVOLUTE else 1.0)
        amount = share * size

        def edit(file: RobotFile) -> None:
            file.set_armature(link.name, file.armature(link.name) + amount)

        names = (f"armature/{link.joint.name}", *same.as_armature(setting.spec, link.name))
        body = link.name if len(names) > 1 else ""
        return Fault(f"armature of {link.joint.name} {amount:+.3g}", names, edit, body=body)

    return draw


def gear_fault(share: float) -> Drawer:
    """One gear ratio off by a share of itself."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link = choice(rng, [b for b in setting.spec.bodies if b.rotor])
        factor = 1.0 + random_sign(rng, share)

        def edit(file: RobotFile) -> None:
            file.set_gear(link.name, factor * file.gear(link.name))

        return Fault(f"gear ratio of {link.joint.name} times {factor!r}", (f"gear/{link.joint.name}",), edit)

    return draw


def place_fault(share: float) -> Drawer:
    """One coordinate of one joint's position in the parent off by a share of L."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link, k = _link_in_file(rng, setting.spec), int(rng.integers(3))
        amount, joint = random_sign(rng, share) * LENGTH, link.joint.name

        def edit(file: RobotFile) -> None:
            position, quaternion = file.place(link.name)
            file.set_place(link.name, _plus(position, k, amount), quaternion)

        names = (f"place(-{XYZ[k]})?/{joint}", *same.as_place(setting.spec, link.name, np.eye(3)[k]))
        return Fault(f"place {XYZ[k]} of {joint} {amount:+.3g} m", names, edit)

    return draw


def turn_fault(share: float) -> Drawer:
    """One joint's frame turned in the parent about one of the parent's axes by a share of 1 rad."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link, k = _link_in_file(rng, setting.spec), int(rng.integers(3))
        amount, joint = random_sign(rng, share), link.joint.name
        direction = np.eye(3)[k]

        def edit(file: RobotFile) -> None:
            position, quaternion = file.place(link.name)
            file.set_place(link.name, position, tuple(turn_quaternion(np.array(quaternion), direction, amount).tolist()))

        names = (f"turn(-{XYZ[k]})?/{joint}", *same.as_turn(setting.spec, link.name, direction))
        return Fault(f"{joint} turned about {XYZ[k]} by {amount:+.3g} rad", names, edit)

    return draw


def axis_fault(share: float) -> Drawer:
    """One joint's axis tilted by a share of 1 rad about one of the link's axes across it."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        link = choice(rng, [b for b in setting.spec.bodies if b.joint.type in ONE_DOF])
        axis, amount, joint = np.array(link.joint.axis), random_sign(rng, share), link.joint.name
        across = [k for k in range(3) if abs(axis[k]) < 0.9]
        k = across[int(rng.integers(len(across)))]

        def edit(file: RobotFile) -> None:
            axis = np.array(file.axis(link.name))
            side = np.cross(np.eye(3)[k], axis)
            tilted = axis + amount * side
            file.set_axis(link.name, (tilted / np.linalg.norm(tilted)).tolist())

        side = np.cross(np.eye(3)[k], axis)
        entry = "".join(XYZ[i] for i in range(3) if abs(side[i]) > 1.0 - 1e-9) or "[xyz]"
        return Fault(f"axis of {joint} tilted about {XYZ[k]} by {amount:+.3g} rad", (f"axis(-{entry})?/{joint}",), edit)

    return draw


def point_fault(share: float) -> Drawer:
    """One coordinate of one contact point off by a share of L."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        point, k = choice(rng, [p for p in setting.spec.contact_points if p.computed]), int(rng.integers(3))
        amount = random_sign(rng, share) * LENGTH

        def edit(file: RobotFile) -> None:
            file.set_point(point.name, _plus(file.point(point.name), k, amount))

        return Fault(f"point {point.name} {XYZ[k]} {amount:+.3g} m", (f"point(-{XYZ[k]})?/{point.name}",), edit)

    return draw


def turned_inertia(rng: Rng, setting: Setting) -> Fault:
    """One link's inertial frame turned by 0.2 to 1.5 rad about its com: an inertial rpy read wrongly."""
    link = choice(rng, [b for b in setting.spec.bodies if b.inertia.realisable and max(b.inertia.rotational) > 0.0])
    axis = rng.standard_normal(3)
    R = _turn(axis / np.linalg.norm(axis), float(rng.uniform(0.2, 1.5)))

    def edit(file: RobotFile) -> None:
        xx, xy, xz, yy, yz, zz = file.rotational(link.name)
        m = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        file.set_rotational(link.name, [m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2]])

    names = (f"turned-inertia/{link.name}", f"inertia/{link.name}", *same.as_inertia(setting.spec, link.name))
    return Fault(f"inertial frame of {link.name} turned", names, edit)


def scaled_inertia(rng: Rng, setting: Setting) -> Fault:
    """Mass and rotational inertia of one link times a factor."""
    link, factor = _any_link(rng, setting.spec), float(rng.choice([0.5, 0.9, 1.1, 2.0]))
    names = (f"scaled/{link.name}", *((f"twice/{link.name}",) if factor == 2.0 else ()))
    return Fault(f"inertia of {link.name} times {factor}", names, scaling(link.name, factor))


def scaling(link: str, factor: float) -> Edit:
    """Mass and rotational inertia of a link times a factor, in a file."""

    def edit(file: RobotFile) -> None:
        file.set_mass(link, factor * file.mass(link))
        file.set_rotational(link, [factor * entry for entry in file.rotational(link)])

    return edit


def _any_link(rng: Rng, spec: RobotSpec) -> Body:
    """A link, or one time in four a rotor, as the body that it is."""
    rotors = {body.rotor.name for body in spec.bodies if body.rotor}
    full = with_rotor_bodies(spec).spec.bodies
    wanted = rotors if rotors and rng.random() < 0.25 else {body.name for body in spec.bodies}
    return choice(rng, [body for body in full if body.name in wanted and body.inertia.mass > 0.0])


def _link_in_file(rng: Rng, spec: RobotSpec) -> Body:
    return choice(rng, [body for body in spec.bodies if body.joint.type is not JointType.FREE])


def _plus(numbers: tuple[float, ...], k: int, amount: float) -> list[float]:
    return [x + amount * (i == k) for i, x in enumerate(numbers)]


def _turn(axis: Floats, angle: float) -> Floats:
    return rotations(np.array([np.cos(angle / 2.0), *(np.sin(angle / 2.0) * axis)]))
