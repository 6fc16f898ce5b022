"""The tree that a URDF's links and joints make: its root, its order, and what its mimicking joints are."""

from collections.abc import Iterator
from dataclasses import dataclass

from leapcheck_models.importing.urdf_records import Link, UrdfJoint
from leapcheck_models.spec import WORLD, Placement

TURNING = ("revolute", "continuous")
DRIVABLE = (*TURNING, "prismatic")


@dataclass(frozen=True, slots=True)
class UrdfTree:
    """Links by name, joints in file order, `order`: those that carry bodies, depth-first; `rotors`: exact mimics."""

    root: Link
    links: dict[str, Link]
    joints: tuple[UrdfJoint, ...]
    order: tuple[UrdfJoint, ...]
    rotors: tuple[UrdfJoint, ...]

    def rigid_root(self) -> list[Link]:
        """The root and all links fixed to it, one behind the other."""
        return self.fixed_to(self.root.name)

    def fixed_to(self, name: str) -> list[Link]:
        """A link and all links that fixed joints put on it, one behind the other."""
        group = [self.links[name]]
        known = {name}
        for joint in self.order:  # depth-first: parents come first
            if joint.type == "fixed" and joint.parent in known:
                known.add(joint.child)
                group.append(self.links[joint.child])
        return group


def build_tree(links: dict[str, Link], joints: tuple[UrdfJoint, ...], where: str) -> UrdfTree:
    """The tree; ValueError for several roots, none, a loop, or a floating joint inside the tree."""
    children = {joint.child for joint in joints}
    roots = [name for name in links if name not in children]
    if not roots:
        raise ValueError(f"{where}: every link hangs on another, so its joints form a loop: leave one link without joint above")
    if len(roots) > 1:
        raise ValueError(
            f"{where}: links {roots[0]!r:.80} and {roots[1]!r:.80} both hang on nothing: a URDF has one root; "
            "join them by a joint"
        )
    if WORLD in links and roots[0] != WORLD:
        raise ValueError(f"{where}: link '{WORLD}' is not the root: call it otherwise, the name means the world")
    below: dict[str, list[UrdfJoint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    order = tuple(_depth_first(roots[0], below))
    if len(order) < len(joints):
        lost = next(joint for joint in joints if joint not in order)
        raise ValueError(
            f"{where}: joint {lost.name!r:.80} does not hang on the root {roots[0]!r:.80}: its links form a loop; cut it"
        )
    _check_floating(order, roots[0], where)
    rotors = tuple(_rotors(order, below))
    return UrdfTree(links[roots[0]], links, joints, tuple(j for j in order if j not in rotors), rotors)


def base_floats(tree: UrdfTree, base: str) -> bool:
    """Whether the root gets a free joint: `base` ("floating", "fixed") decides; if empty, its mass. Never if a joint floats."""
    if tree.root.name == WORLD or any(joint.type == "floating" for joint in tree.order):
        return False
    if base:
        return base == "floating"
    return any(link.inertia is not None and link.inertia.mass > 0.0 for link in tree.rigid_root())


def _depth_first(root: str, below: dict[str, list[UrdfJoint]]) -> Iterator[UrdfJoint]:
    """Joints below a link, each before those behind it; a stack, not recursion: chains may be long."""
    stack = below.get(root, [])[::-1]
    while stack:
        joint = stack.pop()
        yield joint
        stack.extend(below.get(joint.child, [])[::-1])


def _check_floating(order: tuple[UrdfJoint, ...], root: str, where: str) -> None:
    for joint in order:
        if joint.type == "floating" and (joint.parent != root or joint.placement != Placement()):
            raise ValueError(
                f"{where}: joint {joint.name!r:.80} is floating and does not stand at the origin of the root link: "
                "a free joint moves in the world; hang it on the root, without <origin>"
            )


def _rotors(order: tuple[UrdfJoint, ...], below: dict[str, list[UrdfJoint]]) -> Iterator[UrdfJoint]:
    """Joints that mimic as a geared rotor does: they turn a leaf on the parent of the joint that they follow."""
    by_name = {joint.name: joint for joint in order}
    driven: set[str] = set()
    for joint in order:
        if joint.mimic is None or joint.type not in TURNING or below.get(joint.child):
            continue
        leader = by_name[joint.mimic.joint]
        if leader.type in DRIVABLE and leader.mimic is None and leader.parent == joint.parent and leader.name not in driven:
            driven.add(leader.name)
            yield joint
