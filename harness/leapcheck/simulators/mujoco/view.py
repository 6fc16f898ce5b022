"""What a Monte Carlo reads from simulations in MuJoCo, a batch or a single loop: joints, spheres, centre of mass, ground."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates import conventions
from leapcheck.engines.mujoco.build import places
from leapcheck.engines.mujoco.silence import mute_warnings
from leapcheck.simulators.mujoco.scene import SPHERE
from leapcheck.simulators.protocol import LARGEST_SPEED
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, nearest_surface


class MujocoView:
    """Simulations (n,) of one robot with a floating base; `qpos` (n, nq) and `qvel` (n, nv) are live, in MuJoCo's order.

    `centres`, `com`, `spin`, `lowest` describe the states before the last step. Heights are above the ground: MuJoCo's floor
    stays where it is (what cannot move is placed but once), and a robot whose ground goes up is moved down by as much. `floor`
    (n,) m is how high each ground lies by now.
    """

    def __init__(self, spec: RobotSpec, m: mujoco.MjModel, bind: Callable[[str], Floats], terrain: Terrain = LEVEL) -> None:
        """`bind` gives the live array (n, ...) of a field of MjData."""
        self._terrain = terrain
        lumped = with_lumped_rotors(spec)
        joint_places = places(lumped, m)
        self.convention = conventions.mujoco_convention(lumped, joint_places)
        self.trunk, self._base = m.body(spec.bodies[0].name).id, joint_places[spec.bodies[0].joint.name].v
        self.driven_q = np.array([joint_places[actuator.joint].q for actuator in spec.actuators], dtype=np.intp)
        self.driven_v = np.array([joint_places[actuator.joint].v for actuator in spec.actuators], dtype=np.intp)
        points = [point for point in spec.contact_points if point.computed]
        self._radii = np.array([max(point.radius, SMALLEST_RADIUS) for point in points])
        self._feet = np.array([point.is_foot for point in points], dtype=bool)
        self._spheres = np.array([m.geom(SPHERE.format(point.name)).id for point in points], dtype=np.intp)
        self._foot_links = m.geom_bodyid[self._spheres[self._feet]]
        self.qpos, self.qvel = bind("qpos"), bind("qvel")
        self._geoms, self._com, self._velocities = bind("geom_xpos"), bind("subtree_com"), bind("cvel")
        self._constraint_force = bind("qfrc_constraint")
        self.floor = np.zeros(len(self.qpos))

    @property
    def joint_angles(self) -> Floats:
        """Angles (n, actuators) rad of the driven joints, a copy."""
        angles: Floats = self.qpos[:, self.driven_q]
        return angles

    @property
    def joint_speeds(self) -> Floats:
        """Speeds (n, actuators) rad/s of the driven joints, a copy."""
        speeds: Floats = self.qvel[:, self.driven_v]
        return speeds

    @property
    def centres(self) -> Floats:
        """Centres (n, points, 3) m of the contact spheres, a copy."""
        centres: Floats = self._geoms[:, self._spheres]
        return centres

    @property
    def feet_centre(self) -> Floats:
        """Middle (2,) m of the first robot's feet (of all its points if it has none), x and y."""
        centres = self.centres[0, self._feet if self._feet.any() else slice(None), :2]
        middle: Floats = centres.mean(axis=0)
        return middle

    @property
    def com(self) -> Floats:
        """Centre of mass (n, 3) m of the whole robot, a view."""
        com: Floats = self._com[:, self.trunk]
        return com

    @property
    def spin(self) -> Floats:
        """Angular velocity (n, feet, 3) rad/s of the links that the feet stand on, world axes, a copy."""
        spin: Floats = self._velocities[:, self._foot_links, :3]
        return spin

    @property
    def upward_force(self) -> Floats:
        """Force (n,) N that the ground gave each robot upwards in the last step, a view."""
        force: Floats = self._constraint_force[:, self._base + 2]
        return force

    @property
    def lowest(self) -> Floats:
        """Gap (n,) m between each robot's nearest point and its ground."""
        lowest: Floats = nearest_surface(self._terrain, self._geoms[:, self._spheres], self._radii)[0].min(axis=1)
        return lowest

    def step(self, torque: Floats, running: NDArray[np.intp] | None = None) -> None:
        """Goes on by dt with joint torques (n, actuators) N m; `running`: the simulations that go on, None all."""
        raise NotImplementedError

    def final_speeds(self) -> Floats:
        """sqrt(2 E_kin / m) (n,) m/s of the present states: 0 at rest, infinite where one diverged."""
        raise NotImplementedError

    def canonical(self, qpos: Floats) -> Floats:
        """Canonical q (..., nq) of MuJoCo's qpos (..., nq)."""
        q = np.empty_like(qpos)
        q[..., self.convention.columns] = qpos
        return q

    def states(self) -> tuple[Floats, Floats]:
        """Canonical q (n, nq), v (n, nv), the ground at zero."""
        q = self.canonical(self.qpos)
        T = conventions.velocity_map(self.convention, q)
        return q, conventions.product(conventions.transpose(T), self.qvel)

    def set_floor(self, which: NDArray[np.bool_], height: Floats) -> None:
        """Puts the ground of the simulations `which` (n,) at its height (n,) m."""
        self.qpos[which, 2] -= (height - self.floor)[which]
        self.floor[which] = height[which]


def speed(m: mujoco.MjModel, d: mujoco.MjData) -> float:
    """sqrt(2 E_kin / m) m/s of a state, infinite for one that diverged; works out what MuJoCo derives from it."""
    if not (np.isfinite(d.qpos).all() and np.abs(d.qvel).max() < LARGEST_SPEED):
        return float("inf")
    with mute_warnings():
        mujoco.mj_forward(m, d)
        mujoco.mj_energyVel(m, d)
    return float(np.sqrt(2.0 * d.energy[1] / m.body_mass.sum()))
