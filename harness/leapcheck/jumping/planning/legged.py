"""A legged robot prepared for planning: feet, legs and drives from its description, and kernels."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.jumping.planning.equations import equations, newton_step, rolling_acceleration, rolling_velocity
from leapcheck.jumping.simulation import driven_places
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, WORLD, JointType, RobotSpec
from leapcheck_reference.trace.kernel import Kernel, Program
from leapcheck_reference.tree import Tree

Places = NDArray[np.intp]

JOINTS_PER_LEG = 3
"""Joints that place a foot in space: with fewer it cannot be put where the plan wants it, with more it is not determined."""

LEAST_FEET = 3
"""Point feet that a robot can stand on."""
NO_PLAN = "bring its motion as --trajectory, or a --policy"
"""Remedy where no planner serves."""

WAYS, BENT, NO_WAY = 4, 0.3, 1e-9
"""Whether a foot moves in all directions: poses looked at, joints up to so many rad or m off the stand; part of the longest way
that counts as none.
"""

GEOMETRY = ("com_position", "com_jacobian", "contact_positions", "contact_jacobians", "contact_angular_jacobians")
DYNAMICS = ("mass_matrix", "bias_force")
MOMENTUM = ("com_position", "centroidal_momentum_matrix")


@dataclass(frozen=True, slots=True, eq=False)
class Legged:
    """A robot with a free trunk and feet; kernels `geometry`, `dynamics` and `momentum` know the feet as their only points, as do
    the programs `newton_step`, `rolling_velocity` and `rolling_acceleration` of `equations`.

    `geometry_tree` is the tree with the feet as its only points. `feet` names, `radii` (feet,) m; `legs` (feet, 3): places in
    v of each foot's joints, from the trunk out; `joint_q`, `joint_v` (actuators,): the driven joints' places in q and v;
    `points`: all contact points' positions, `others` those that are not feet, `other_radii` m; `home` (nq,) the stand pose as
    described; `size` m: its trunk's height over the feet's centres; `mass` kg, `gravity` m/s^2 downwards.
    """

    spec: RobotSpec
    tree: Tree
    geometry_tree: Tree
    feet: tuple[str, ...]
    radii: Floats
    legs: Places
    joint_q: Places
    joint_v: Places
    geometry: Kernel
    dynamics: Kernel
    momentum: Kernel
    points: Kernel
    newton_step: Program
    rolling_velocity: Program
    rolling_acceleration: Program
    others: tuple[str, ...]
    other_places: Places
    other_radii: Floats
    home: Floats
    size: float
    mass: float
    gravity: float

    @property
    def measurable(self) -> bool:
        """Whether `stretch` can tell how long the legs are: hinges in their middle, the foot on the link after it."""
        links = self.tree.links
        place = {link.v.start: i for i, link in enumerate(links) if link.type is not JointType.FIXED}
        thirds = [place[int(third)] for third in self.legs[:, 2]]
        seconds = [place[int(second)] for second in self.legs[:, 1]]
        hinged = all(links[i].type is JointType.REVOLUTE for i in (*seconds, *thirds))
        feet = [point.link for point in self.geometry_tree.points]
        return hinged and feet == thirds and [links[i].parent for i in thirds] == seconds

    @property
    def planar_foot(self) -> str | None:
        """The first foot that the joints of its leg do not move in all directions, in no pose around the stand; None without."""
        poses = np.repeat(self.home[None], WAYS, axis=0)
        poses[:, self.joint_q] += np.random.default_rng(0).uniform(-BENT, BENT, (WAYS, len(self.joint_q)))
        J = self.geometry(poses)["contact_jacobians"]
        for i, (foot, leg) in enumerate(zip(self.feet, self.legs, strict=True)):
            lengths = np.linalg.svd(J[:, i][:, :, leg], compute_uv=False)
            if (lengths[:, -1] <= NO_WAY * lengths[:, 0]).all():
                return foot
        return None

    def stretch(self, q: Floats) -> Floats:
        """Distance (n, feet) of each leg's foot from its second joint at q (n, nq), in parts of the distance when straight."""
        links = {link.v.start: link for link in self.tree.links if link.type is not JointType.FIXED}
        parts = []
        for places, foot in zip(self.legs, self.geometry_tree.points, strict=True):
            third = links[int(places[2])]
            angle, p, axis = q[:, third.q.start, None], foot.position, third.axis
            turned = np.cos(angle) * p + np.sin(angle) * np.cross(axis, p) + (1 - np.cos(angle)) * axis * (axis @ p)
            distance = np.linalg.norm(third.placement.p + turned @ third.placement.R.T, axis=1)
            parts.append(distance / (np.linalg.norm(third.placement.p) + np.linalg.norm(p)))
        return np.stack(parts, axis=1)


@lru_cache(maxsize=8)  # loading the kernels takes seconds, and a search plans the same robot many times
def legged_robot(spec: RobotSpec, smallest_radius: float = 0.0) -> Legged:
    """The robot prepared for planning, its feet at least `smallest_radius` m in radius, as in the simulators.

    Raises ValueError where this planner cannot plan for the robot, saying what is missing.
    """
    tree, home, gravity = reference.build(spec), _home(spec), _downward_gravity(spec)
    legs = np.array(_legs(spec, tree), dtype=np.intp)
    if len(legs) < LEAST_FEET:
        raise ValueError(f"'{spec.name}' stands on {len(legs)} point feet, which is no stand: {NO_PLAN}")
    points = [point for point in spec.contact_points if point.computed]
    feet = [i for i, point in enumerate(points) if point.is_foot]
    others = [i for i, point in enumerate(points) if not point.is_foot]
    foot_tree = dataclasses.replace(tree, points=tuple(tree.points[i] for i in feet), foot_indices=tuple(range(len(feet))))
    joint_q, joint_v = driven_places(spec)
    radii = np.array([max(points[i].radius, smallest_radius) for i in feet])
    pose, places = (tree.nq,), (len(feet), 3)
    return Legged(
        spec=spec,
        tree=tree,
        geometry_tree=foot_tree,
        feet=tuple(points[i].name for i in feet),
        radii=radii,
        legs=legs,
        joint_q=joint_q,
        joint_v=joint_v,
        geometry=_kernel(foot_tree, GEOMETRY),
        dynamics=_kernel(foot_tree, DYNAMICS),
        momentum=_kernel(foot_tree, MOMENTUM),
        points=_kernel(tree, ("contact_positions",)),
        newton_step=equations(newton_step, foot_tree, legs, q=pose, com=(3,), feet=places),
        rolling_velocity=equations(rolling_velocity, foot_tree, legs, radii, q=pose, pitch_rate=(1,), com=(3,)),
        rolling_acceleration=equations(
            rolling_acceleration, foot_tree, legs, radii, q=pose, v=(tree.nv,), turning=(3,), com=(3,), points=places
        ),
        others=tuple(points[i].name for i in others),
        other_places=np.array(others, dtype=np.intp),
        other_radii=np.array([points[i].radius for i in others]),
        home=home,
        size=float(home[2] - reference.contact_positions(foot_tree, home)[:, 2].mean()),
        mass=spec.total_mass,
        gravity=gravity,
    )


def _kernel(tree: Tree, quantities: tuple[str, ...]) -> Kernel:
    """Interpreted: for the hundred thousand states of a search the compiler's two seconds would gain a tenth of one."""
    return reference.kernel(tree, quantities, compile_code=False)


def _legs(spec: RobotSpec, tree: Tree) -> list[list[int]]:
    """Places in v of the joints of each foot's leg; ValueError where a foot has not its own leg of driven joints."""
    if not tree.links or tree.links[0].type is not JointType.FREE:
        raise ValueError(f"'{spec.name}' has no free trunk: the first body of a robot that jumps needs a free joint")
    feet = [point for point in spec.contact_points if point.computed and point.is_foot]
    if not feet:
        raise ValueError(f"'{spec.name}' has no feet: mark contact points with is_foot")
    driven = {actuator.joint for actuator in spec.actuators}
    bodies = {body.name: body for body in spec.bodies}
    legs: list[list[int]] = []
    owner: dict[str, str] = {}
    for foot in feet:
        leg: list[int] = []
        name = foot.body
        while name not in (spec.bodies[0].name, WORLD):
            body = bodies[name]
            if body.joint.type is not JointType.FIXED:
                _check_leg_joint(spec.name, foot.name, body.joint.name, body.joint.type, driven, owner)
                leg.insert(0, tree.links[spec.body_index(name)].v.start)
            name = body.parent
        if len(leg) != JOINTS_PER_LEG:
            raise ValueError(
                f"'{spec.name}': foot '{foot.name}' has {len(leg)} joints: a leg of the planners has {JOINTS_PER_LEG}; {NO_PLAN}"
            )
        legs.append(leg)
    idle = sorted(
        body.joint.name for body in spec.bodies[1:] if body.joint.type is not JointType.FIXED and body.joint.name not in owner
    )
    if idle:
        raise ValueError(f"'{spec.name}': joint '{idle[0]}' belongs to no leg: make its body part of another")
    return legs


def _check_leg_joint(robot: str, foot: str, joint: str, kind: JointType, driven: set[str], owner: dict[str, str]) -> None:
    if kind not in ONE_DOF:
        raise ValueError(f"'{robot}': joint '{joint}' of foot '{foot}' is {kind}: legs have revolute or prismatic joints")
    if joint not in driven:
        raise ValueError(f"'{robot}': joint '{joint}' of foot '{foot}' has no actuator: give it one")
    if joint in owner:
        raise ValueError(f"'{robot}': joint '{joint}' carries feet '{owner[joint]}' and '{foot}': each foot needs its own leg")
    owner[joint] = foot


def _home(spec: RobotSpec) -> Floats:
    if not spec.poses:
        raise ValueError(f"'{spec.name}' has no pose: give it one named 'home', with bent legs")
    names = [pose.name for pose in spec.poses]
    return np.array(spec.poses[names.index("home") if "home" in names else 0].q, dtype=float)


def _downward_gravity(spec: RobotSpec) -> float:
    x, y, z = spec.gravity
    if x or y or z >= 0.0:
        raise ValueError(f"'{spec.name}': gravity {spec.gravity} does not point down: a jump needs (0, 0, -g)")
    return -z
