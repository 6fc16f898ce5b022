"""Momentum, energy and what changes them over a jump: the input of its ledgers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.simulation import driven_places
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats, cross_products
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import Kernel, build, kernel, total_mass
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, gaps_and_normals, nearest_surface

STATE_QUANTITIES = ("com_position", "centroidal_momentum_matrix", "kinetic_energy", "potential_energy")
QUANTITIES = (*STATE_QUANTITIES, "contact_positions", "contact_velocities", "contact_angular_velocities")


BESIDE = 1e-3
"""A sphere this close (m) to two parts of the ground may touch both: a log has the sum of its forces alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Balances:
    """The input of the ledgers at the n + 1 times of a log; world axes, SI.

    `com` (n + 1, 3) m; `momentum` (n + 1, 6) about the com, angular first, and `gross` (n + 1,) N m s, the sum of the sizes of
    the angular momenta that each dof alone would give; `kinetic`, `potential` J. Since the start: `contact_impulse`
    (n + 1, 3) N s, `angular_impulse` (n + 1, 3) N m s of the contacts about the com, `actuator_work`,
    `contact_work`, `stop_work` (n + 1,) J. `mass` kg, `gravity` (3,) m/s^2.
    `angular_slack` N m s: what the angular impulse leaves open, since a log does not say where in the overlap of sphere and
    ground a force acts. `angular_play` N m s: by how much the angular impulse differs at most between arms at the begin of
    every step and at its end. `work_slack` J: what the contacts' work leaves open where a sphere touches two parts of the ground,
    since a log has the sum of both forces. `airborne` (n,): no contact force in the step.
    """

    time: Floats
    com: Floats
    momentum: Floats
    gross: Floats
    kinetic: Floats
    potential: Floats
    contact_impulse: Floats
    angular_impulse: Floats
    actuator_work: Floats
    contact_work: Floats
    stop_work: Floats
    mass: float
    gravity: Floats
    angular_slack: float
    angular_play: float
    airborne: NDArray[np.bool_]
    work_slack: float = 0.0


def log_balances(spec: RobotSpec, log: JumpLog, terrain: Terrain = LEVEL) -> Balances:
    """The balances of a log: work with the mean of the velocities at a step's ends, impulses as the step's force times dt.

    A contact force acts at the sphere's material point halfway between its lowest point and the ground (MuJoCo's rule; other
    models take the lowest point: `angular_slack` covers both).
    """
    kinematics = _kinematics(spec)(log.q, log.v)
    joint_v = driven_places(spec)[1]
    point_v, arms, open_arms, open_v = _contact_points(spec, kinematics, terrain)
    mean_v, mean_point_v = _means(log.v), _means(point_v)
    sideways = np.linalg.norm(log.forces[..., :2] if terrain.is_level else log.forces, axis=-1)
    play = _since_start(cross_products(np.diff(arms, axis=0), log.forces).sum(axis=1) * log.dt)
    return Balances(
        **state_balances(spec, log.time, log.v, kinematics),
        contact_impulse=_since_start(log.forces.sum(axis=1) * log.dt),
        angular_impulse=_since_start(cross_products(_means(arms), log.forces).sum(axis=1) * log.dt),
        actuator_work=_since_start((log.torque * mean_v[:, joint_v]).sum(axis=1) * log.dt),
        contact_work=_since_start((log.forces * mean_point_v).sum(axis=(1, 2)) * log.dt),
        stop_work=_since_start((log.limit_torques * mean_v).sum(axis=1) * log.dt),
        angular_slack=float((sideways * _means(open_arms)).sum() * log.dt),
        work_slack=float((sideways * _means(open_v)).sum() * log.dt),
        angular_play=float(np.linalg.norm(play, axis=-1).max()),
        airborne=np.abs(log.forces).max(axis=(1, 2), initial=0.0) == 0.0,
    )


@lru_cache(maxsize=8)  # a study has the ledgers of several logs of one robot
def _kinematics(spec: RobotSpec) -> Kernel:
    return kernel(build(spec), QUANTITIES, compile_code=False)  # some ten thousand states: gone through sooner than compiled


def state_balances(spec: RobotSpec, time: Floats, v: Floats, kinematics: Mapping[str, Floats]) -> dict[str, Any]:
    """What `Balances` holds of the states alone, from the kernel's `STATE_QUANTITIES` there."""
    tree, A = build(spec), kinematics["centroidal_momentum_matrix"]
    return {
        "time": time,
        "com": kinematics["com_position"],
        "momentum": np.einsum("nij,nj->ni", A, v),
        "gross": (np.linalg.norm(A[:, :3], axis=1) * np.abs(v)).sum(axis=1),
        "kinetic": kinematics["kinetic_energy"],
        "potential": kinematics["potential_energy"],
        "mass": float(total_mass(tree)),
        "gravity": np.asarray(tree.gravity, dtype=float),
    }


def _contact_points(spec: RobotSpec, kinematics: Mapping[str, Floats], terrain: Terrain) -> tuple[Floats, Floats, Floats, Floats]:
    """Of the material points where contact forces act: (velocities, places relative to the com (n + 1, points, 3); by how much
    places m and velocities m/s may be off (n + 1, points)).

    A place is off by half the overlap of sphere and ground; by the sphere's diameter where it meets two parts of the ground.
    """
    radii = np.array([max(point.radius, SMALLEST_RADIUS) for point in spec.contact_points if point.computed])
    centres = kinematics["contact_positions"]
    gaps, normals = nearest_surface(terrain, centres, radii)
    levers = -(radii + gaps / 2.0)[..., None] * normals
    turning = kinematics["contact_angular_velocities"]
    velocities = kinematics["contact_velocities"] + cross_products(turning, levers)
    open_arms, open_v = np.maximum(-gaps, 0.0) / 2.0, np.zeros_like(gaps)
    if not terrain.is_level:
        both = (gaps_and_normals(terrain, centres, radii)[0] < BESIDE).sum(axis=-2) > 1
        open_arms += np.where(both, 2.0 * radii, 0.0)
        open_v += np.where(both, 2.0 * radii * np.linalg.norm(turning, axis=-1), 0.0)
    return velocities, centres + levers - kinematics["com_position"][:, None], open_arms, open_v


def _means(values: Floats) -> Floats:
    """Means (n, ...) of neighbouring rows."""
    means: Floats = (values[1:] + values[:-1]) / 2.0
    return means


def _since_start(parts: Floats) -> Floats:
    """Sums (n + 1, ...) of the parts before each state."""
    return np.concatenate([np.zeros((1, *parts.shape[1:])), np.cumsum(parts, axis=0)])
