"""The whole robot's centre of mass and momentum by Drake's own calls, in world axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from leapcheck.engines.drake.points import BY_V


def centroidal_shapes(plant: MultibodyPlant) -> dict[str, tuple[int, ...]]:
    """Shape of each number of one state, by its name in `projection`; none of a robot without mass, which has no com.

    Drake has neither A nor Adot v.
    """
    if not plant.CalcTotalMass(plant.CreateDefaultContext()):
        return {}
    return {
        "com_position": (3,),
        "com_velocity": (3,),
        "com_jacobian": (3, plant.num_velocities()),
        "com_bias_acceleration": (3,),
        "centroidal_momentum": (6,),
        "centroidal_inertia": (6, 6),
    }


def centroidal_calls(plant: MultibodyPlant, context: Context) -> Mapping[str, Callable[[], Any]]:
    """What gives each number at the context's state."""
    world = plant.world_frame()

    def com() -> Any:
        return plant.CalcCenterOfMassPositionInWorld(context)

    def momentum() -> Any:
        return plant.CalcSpatialMomentumInWorldAboutPoint(context, com()).get_coeffs()

    def inertia() -> Any:
        """About the com. Drake sums about a frame's origin: on the first link, since digits are lost with the distance."""
        bodies = [BodyIndex(i) for i in range(1, plant.num_bodies())]
        first = plant.get_body(bodies[0]).body_frame()
        X_WF: RigidTransform = first.CalcPoseInWorld(context)
        about_first = plant.CalcSpatialInertia(context, first, bodies)
        return about_first.Shift(X_WF.inverse().multiply(com())).ReExpress(X_WF.rotation()).CopyToFullMatrix6()

    return {
        "com_position": com,
        "com_velocity": lambda: plant.CalcCenterOfMassTranslationalVelocityInWorld(context),
        "com_jacobian": lambda: plant.CalcJacobianCenterOfMassTranslationalVelocity(context, BY_V, world, world),
        "com_bias_acceleration": lambda: plant.CalcBiasCenterOfMassTranslationalAcceleration(context, BY_V, world, world),
        "centroidal_momentum": momentum,
        "centroidal_inertia": inertia,
    }
