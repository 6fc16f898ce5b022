"""The inverse inertias by which MuJoCo's contact model scales its regularisation: of the robot, once."""

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import JointType
from leapcheck_reference.kinematics import frames
from leapcheck_reference.rotation import skew
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft_rows import Weights


def weights(plant: Plant) -> Weights:
    """The inverse inertias that scale MuJoCo's regularisation, at the reference configuration (joints at zero).

    A contact point's is the mean of the diagonal of J M^-1 J^T, J of its link's com with any rotors lumped into the link (as
    MuJoCo's bodies have them); a joint's is its diagonal entry of M^-1.
    """
    q = reference_configuration(plant)
    equations = plant.at(q, np.zeros(plant.tree.nv))
    inverse = np.linalg.inv(equations.M)
    poses = frames(plant.tree, q)
    lumped = with_lumped_rotors(plant.spec).bodies
    points = []
    for i, point in enumerate(plant.tree.points):
        arm = poses.X_W[point.link].R @ (np.array(lumped[point.link].inertia.com) - point.position)
        J = equations.J[i] - skew(arm) @ equations.J_w[i]
        points.append(np.trace(J @ inverse @ J.T) / 3.0)
    return Weights(np.array(points), np.diag(inverse)[plant.joints.u].copy())


def reference_configuration(plant: Plant) -> Floats:
    """q (nq,) with all joints at zero and a floating base at its placement: MuJoCo's qpos0."""
    q = np.zeros(plant.tree.nq)
    if plant.tree.links[0].type is JointType.FREE:
        placement = plant.spec.bodies[0].placement
        q[:3], q[3:7] = placement.p, placement.quaternion
    return q
