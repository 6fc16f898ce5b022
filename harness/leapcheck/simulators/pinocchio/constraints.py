"""What may stop a robot, as Pinocchio's constraints: contact spheres on the ground, and the ends of its joints' ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from leapcheck.engines.pinocchio import build
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, RobotSpec

Indices = NDArray[np.intp]

WORLD_JOINT = 0
UPRIGHT = np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class Spheres:
    """Contact spheres: `joints` (points,), numbers of those that carry them; `centres` (points, 3) m in these joints' frames;
    `radii` (points,) m; `carried` (points, nv), 1 for the velocities of joints that move a sphere, 0 for the others.
    """

    joints: Indices
    centres: Floats
    radii: Floats
    carried: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Stops:
    """Ends of joints' ranges: places `q`, `v` (stops,) in canonical q and v; `sign` +1 for a lower end, -1 for an upper one;
    their values `bound`; Pinocchio's constraints.
    """

    q: Indices
    v: Indices
    sign: Floats
    bound: Floats
    models: tuple[pin.JointLimitConstraintModel, ...]


def contact_spheres(spec: RobotSpec, model: pin.Model, smallest_radius: float) -> Spheres:
    """The computed contact points as spheres of at least that radius (m)."""
    points = [point for point in spec.contact_points if point.computed]
    links = [build.link_frame(model, point.body) for point in points]
    centres = [link.placement.act(np.array(p.position, dtype=float)) for link, p in zip(links, points, strict=True)]
    joints = [int(link.parentJoint) for link in links]
    return Spheres(
        joints=np.array(joints, dtype=np.intp),
        centres=np.array(centres).reshape(-1, 3),
        radii=np.array([max(point.radius, smallest_radius) for point in points]),
        carried=np.array([_moving_columns(model, joint) for joint in joints]).reshape(-1, model.nv),
    )


def _moving_columns(model: pin.Model, joint: int) -> Floats:
    """(nv,) 1 for the velocities of the joints that move a joint, its own among them, 0 for the others."""
    moving = np.zeros(model.nv)
    for support in model.supports[joint]:
        first = model.idx_vs[support]
        if support != WORLD_JOINT:
            moving[first : first + model.nvs[support]] = 1.0
    return moving


def joint_stops(spec: RobotSpec, model: pin.Model) -> tuple[Stops, Indices]:
    """(the stops of all limited joints, places in canonical v of the joints that the actuators drive)."""
    rows, models, places, q, v = [], [], {}, 0, 0
    for body in spec.bodies:
        joint = body.joint
        if joint.limits:
            number = build.link_frame(model, body.name).parentJoint
            for side, (sign, bound) in enumerate(zip((1.0, -1.0), joint.limits, strict=True)):
                ends = np.full((2, model.nq), [[-np.inf], [np.inf]])
                ends[side, model.idx_qs[number]] = bound
                models.append(pin.JointLimitConstraintModel(model, [number], *ends))
                models[-1].makeSelectionMaximal()
                rows.append((q, v, sign, bound))
        places[joint.name] = v
        q, v = q + CONFIGURATION_SIZE[joint.type], v + VELOCITY_SIZE[joint.type]
    q_places, v_places, signs, bounds = np.array(rows, dtype=float).reshape(-1, 4).T
    stops = Stops(q_places.astype(np.intp), v_places.astype(np.intp), signs.copy(), bounds.copy(), tuple(models))
    return stops, np.array([places[actuator.joint] for actuator in spec.actuators], dtype=np.intp)


class ActiveConstraints:
    """The constraints of some `pairs` (numbers of spheres with solids) and `stops` (numbers), in this order, for repeated use.

    `models` and `datas` are what Pinocchio's solvers take. `friction` (pairs,) and the bounds
    `lower`, `upper` (stops,) of the stops' impulses are those of a `ConeProblem`.
    """

    def __init__(
        self,
        model: pin.Model,
        data: pin.Data,
        spheres: Spheres,
        stops: Stops,
        active: NDArray[np.bool_],
        pair_points: Indices,
        friction: float,
    ) -> None:
        """`active` (pairs + stops,): which; `pair_points` (pairs,): the sphere of each pair."""
        self.pairs = np.flatnonzero(active[: len(pair_points)])
        self.stops = np.flatnonzero(active[len(pair_points) :])
        self.friction = np.full(len(self.pairs), friction)
        self.lower, self.upper = np.zeros(len(self.stops)), np.full(len(self.stops), np.inf)
        self._model, self._data = model, data
        self.models, self.datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        joints = spheres.joints[pair_points[self.pairs]].tolist()
        for joint in joints:
            contact = pin.PointContactConstraintModel(model, WORLD_JOINT, pin.SE3.Identity(), joint, pin.SE3.Identity())
            contact.setFriction(friction)
            self.models.append(pin.ConstraintModel(contact))
        for i in self.stops.tolist():
            self.models.append(pin.ConstraintModel(stops.models[i]))
        for one in self.models:
            self.datas.append(one.createData())
        # references into the two vectors, which must not grow from here on
        inner = [one.extract() for one in self.models]
        self._calc = [(one.calc, data.extract()) for one, data in zip(inner, self.datas, strict=True)]
        self._contacts = [
            (one.joint1_placement, one.joint2_placement, data.oMi[joint]) for one, joint in zip(inner, joints, strict=False)
        ]

    def jacobian(self, lowest: Floats, axes: Floats | None = None) -> Floats:
        """J (rows, nv) at the kinematics in the robot's data; `lowest` (contacts, 3) m: where the points touch.

        `axes` (contacts, 3, 3): rows x, y, normal of the contacts' axes, the world's by default.
        """
        for (on_ground, _, _), own in zip(self._contacts, () if axes is None else axes, strict=axes is not None):
            on_ground.rotation = own.T
        for (on_ground, on_link, link), place in zip(self._contacts, lowest, strict=True):
            on_ground.translation = place
            on_link.translation = link.actInv(place)
        for calc, data in self._calc:
            calc(self._model, self._data, data)
        J: Floats = pin.getConstraintsJacobian(self._model, self._data, self.models, self.datas)
        return J.reshape(-1, self._model.nv)
