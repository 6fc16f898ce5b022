"""Structure of the model changed: bodies missing, doubled, added, hung elsewhere; joints of another kind; legs mirrored."""

from __future__ import annotations

from leapcheck_evidence.score.planting.fault import Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.parameters import scaling
from leapcheck_evidence.score.planting.robot_file import NotHereError, RobotFile
from leapcheck_models.spec import ONE_DOF, WORLD, Body, JointType, RobotSpec

PAYLOAD = "payload"


def missing_body(rng: Rng, setting: Setting) -> Fault:
    """A link whose inertial is missing: all but its geometry."""
    link = choice(rng, [b for b in setting.spec.bodies if b.inertia.mass > 0.0])
    return Fault(f"{link.name} without inertia", (f"(missing|left-out)/{link.name}",), scaling(link.name, 0.0), body=link.name)


def missing_subtree(rng: Rng, setting: Setting) -> Fault:
    """A branch missing from the file, with its drives: its joints answer zero."""
    link = choice(rng, [b for b in _branches(setting.spec) if b.parent != WORLD])
    names = [rf"missing-subtree/{link.name}( \(rotors\))?"]
    if len(_subtree(setting.spec, link.name)) == 1:
        names.append(rf"missing/{link.name}( \(rotor\))?")

    def edit(file: RobotFile) -> None:
        for name in _drives(file, link.name):
            file.remove(name)
        file.remove(link.name)

    return Fault(f"subtree {link.name} missing", tuple(names), edit)


def doubled_body(rng: Rng, setting: Setting) -> Fault:
    """A link or a rotor whose inertia counts twice."""
    rotors = [b.rotor.name for b in setting.spec.bodies if b.rotor]
    links = [b.name for b in setting.spec.bodies if b.inertia.mass > 0.0]
    name = choice(rng, rotors if rotors and rng.random() < 0.25 else links)
    return Fault(f"{name} counted twice", (f"(twice|scaled)/{name}",), scaling(name, 2.0))


def extra_body(rng: Rng, setting: Setting) -> Fault:
    """A body too many, fixed to a link: a ball of 0.1 to 1 kg somewhere on it."""
    link = choice(rng, setting.spec.bodies)
    mass, com = float(rng.uniform(0.1, 1.0)), rng.uniform(-0.1, 0.1, 3)
    moment = 0.4 * mass * 0.03**2
    carried = _rigid_with(setting.spec, link)

    def edit(file: RobotFile) -> None:
        file.add(PAYLOAD, link.name, mass, com.tolist(), (moment, 0.0, 0.0, moment, 0.0, moment))

    return Fault(f"extra {mass:.3g} kg on {link.name}", (rf"(extra|body)/({'|'.join(carried)})",), edit, body=link.name)


def wrong_parent(rng: Rng, setting: Setting) -> Fault:
    """A branch, with its drive, hung on a link that is not its parent, at the same placement."""
    link = choice(rng, [b for b in setting.spec.bodies if b.parent != WORLD and b.joint.type is not JointType.FREE])
    below = _subtree(setting.spec, link.name)
    other = choice(rng, [b.name for b in setting.spec.bodies if b.name not in below and b.name != link.parent])

    def edit(file: RobotFile) -> None:
        file.hang(link.name, other)
        if link.rotor:
            file.hang(link.rotor.name, other)

    return Fault(f"{link.name} on {other}", (f"parent/{link.name}:{other}",), edit)


def wrong_type(rng: Rng, setting: Setting) -> Fault:
    """A hinge for a slide, or the other way round, along the same axis."""
    link = choice(rng, [b for b in setting.spec.bodies if b.joint.type in ONE_DOF and not b.rotor])
    other = JointType.PRISMATIC if link.joint.type is JointType.REVOLUTE else JointType.REVOLUTE

    def edit(file: RobotFile) -> None:
        file.set_joint_type(link.name, other)

    return Fault(f"{link.joint.name} {other}", (f"type/{link.joint.name}:{other}",), edit)


def locked_joint(rng: Rng, setting: Setting) -> Fault:
    """A joint fixed in the file: its dof answers zero."""
    link = choice(rng, [b for b in setting.spec.bodies if b.joint.type in ONE_DOF])
    if sum(b.joint.type is not JointType.FIXED for b in setting.spec.bodies) < 2:
        raise NotHereError("nothing else moves")

    def edit(file: RobotFile) -> None:
        file.set_joint_type(link.name, JointType.FIXED)
        if link.rotor:
            file.set_joint_type(link.rotor.name, JointType.FIXED)
        file.storage = False

    return Fault(f"{link.joint.name} locked", (f"locked/{link.joint.name}",), edit)


def exchanged_inertias(rng: Rng, setting: Setting) -> Fault:
    """Two links of one chain, or of like place in two branches, have each other's inertia."""
    pairs = [(a, b) for a in setting.spec.bodies for b in setting.spec.bodies if a.name < b.name and a.inertia != b.inertia]
    near = [(a, b) for a, b in pairs if a.parent in (b.parent, b.name) or b.parent == a.name]
    a, b = choice(rng, near)

    def edit(file: RobotFile) -> None:
        first, second = ((file.mass(x), file.com(x), file.rotational(x)) for x in (a.name, b.name))
        for link, (mass, com, rotational) in ((a.name, second), (b.name, first)):
            file.set_mass(link, mass)
            file.set_com(link, com)
            file.set_rotational(link, rotational)

    names = _either(a.name, b.name, r"( \(inertias\))?")
    return Fault(f"inertias of {a.name} and {b.name} exchanged", names, edit)


def exchanged_joints(rng: Rng, setting: Setting) -> Fault:
    """Two joints without rotors that follow one another, or are siblings, have each other's axis."""
    a, b = choice(rng, _joint_pairs(setting.spec))

    def edit(file: RobotFile) -> None:
        first, second = file.axis(a.name), file.axis(b.name)
        file.set_axis(a.name, second)
        file.set_axis(b.name, first)

    if a.joint.axis == b.joint.axis or a.joint.armature != b.joint.armature:
        raise NotHereError("the same axis, or another armature")
    return Fault(f"axes of {a.joint.name} and {b.joint.name} exchanged", _either(a.joint.name, b.joint.name), edit)


def exchanged_places(rng: Rng, setting: Setting) -> Fault:
    """Two siblings at each other's place; their drives stay where they are."""
    pairs = [
        (a, b)
        for a in setting.spec.bodies
        for b in setting.spec.bodies
        if a.name < b.name and a.parent == b.parent and JointType.FREE not in (a.joint.type, b.joint.type)
    ]
    a, b = choice(rng, [(a, b) for a, b in pairs if a.placement != b.placement])

    def edit(file: RobotFile) -> None:
        first, second = file.place(a.name), file.place(b.name)
        file.set_place(a.name, *second)
        file.set_place(b.name, *first)

    return Fault(f"places of {a.name} and {b.name} exchanged", _either(a.name, b.name), edit)


def mirrored_branch(rng: Rng, setting: Setting) -> Fault:
    """A branch with the signs of the other side: every y of positions, coms and points, and the products of inertia with y."""
    link = choice(rng, [b for b in _branches(setting.spec) if b.parent != WORLD])
    below = _subtree(setting.spec, link.name)
    if len(_siblings(setting.spec, link)) < 2:
        raise NotHereError("no other side")
    drives = [b.rotor.name for b in setting.spec.bodies if b.name in below and b.rotor]
    points = [p.name for p in setting.spec.contact_points if p.body in below and p.computed]

    def edit(file: RobotFile) -> None:
        for name in (*below, *drives):
            (x, y, z), quaternion = file.place(name)
            file.set_place(name, (x, -y, z), quaternion)
        for name in below:
            x, y, z = file.com(name)
            file.set_com(name, (x, -y, z))
            xx, xy, xz, yy, yz, zz = file.rotational(name)
            file.set_rotational(name, (xx, -xy, xz, yy, -yz, zz))
        for name in points:
            x, y, z = file.point(name)
            file.set_point(name, (x, -y, z))

    return Fault(f"{link.name} mirrored", (rf"mirrored/{link.name}( \(y: placements, inertias, points\))?",), edit)


def wrong_point(rng: Rng, setting: Setting) -> Fault:
    """A contact point in the place of another on the same link."""
    points = [p for p in setting.spec.contact_points if p.computed]
    a, b = choice(rng, [(a, b) for a in points for b in points if a.body == b.body and a.position != b.position])

    def edit(file: RobotFile) -> None:
        file.set_point(a.name, file.point(b.name))

    return Fault(f"point {a.name} in the place of {b.name}", (f"point-as/{a.name}:{b.name}", rf"point(-[xyz])?/{a.name}"), edit)


def rotor_on_link(rng: Rng, setting: Setting) -> Fault:
    """A rotor that rides on the link it drives, at the same placement."""
    link = choice(rng, [b for b in setting.spec.bodies if b.rotor])
    assert link.rotor is not None
    rotor = link.rotor.name

    def edit(file: RobotFile) -> None:
        file.hang(rotor, link.name)

    return Fault(f"rotor of {link.joint.name} on its link", (f"rotor-on-link/{link.joint.name}",), edit)


def _either(a: str, b: str, suffix: str = "") -> tuple[str, ...]:
    return (f"exchanged/{a}:{b}{suffix}", f"exchanged/{b}:{a}{suffix}")


def _joint_pairs(spec: RobotSpec) -> list[tuple[Body, Body]]:
    movers = [b for b in spec.bodies if b.joint.type in ONE_DOF and not b.rotor]
    return [
        (a, b)
        for a in movers
        for b in movers
        if a is not b and (b.parent == a.name or (a.parent == b.parent and a.name < b.name)) and a.joint.type is b.joint.type
    ]


def _branches(spec: RobotSpec) -> list[Body]:
    return [b for b in spec.bodies if b.joint.type is not JointType.FREE]


def _siblings(spec: RobotSpec, link: Body) -> list[Body]:
    return [b for b in spec.bodies if b.parent == link.parent]


def _subtree(spec: RobotSpec, name: str) -> list[str]:
    names = [name]
    for body in spec.bodies:
        if body.parent in names:
            names.append(body.name)
    return names


def _drives(file: RobotFile, link: str) -> list[str]:
    """The rotor of the branch's first joint: those inside go with it."""
    rotor = file.rotor_of(link)
    return [rotor] if rotor else []


def _rigid_with(spec: RobotSpec, link: Body) -> list[str]:
    """The links that are rigidly connected to a link, itself included."""
    carrier: dict[str, str] = {}
    for body in spec.bodies:
        fixed = body.joint.type is JointType.FIXED and body.parent != WORLD
        carrier[body.name] = carrier[body.parent] if fixed else body.name
    return [name for name, mate in carrier.items() if mate == carrier[link.name]]
