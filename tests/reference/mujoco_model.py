"""MuJoCo's model of a spec's links, built through its API body by body: the tests' own oracle, rotors left out.

Every root stands on the world itself. Inertias are written into the compiled model once more, exactly: versions before 3.14
diagonalise to 1e-8 only, and none takes an inertia that no body has.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from leapcheck_models.spec import Inertia, JointType, RobotSpec
from leapcheck_models.validation import rotational_matrix
from tests.reference.generic_states import Array

JOINTS = {
    JointType.FREE: mujoco.mjtJoint.mjJNT_FREE,
    JointType.BALL: mujoco.mjtJoint.mjJNT_BALL,
    JointType.REVOLUTE: mujoco.mjtJoint.mjJNT_HINGE,
    JointType.PRISMATIC: mujoco.mjtJoint.mjJNT_SLIDE,
}


def mujoco_model(spec: RobotSpec) -> Any:
    """Compiled model; body i of the spec is body i + 1."""
    description = mujoco.MjSpec()
    description.compiler.degree = False
    description.compiler.balanceinertia = True
    description.option.gravity = spec.gravity
    elements = {"world": description.worldbody}
    for body in spec.bodies:
        place, inertia = body.placement, body.inertia
        element = elements[body.parent].add_body(name=body.name, pos=place.p, quat=place.quaternion)
        elements[body.name] = element
        element.explicitinertial, element.mass, element.ipos = True, inertia.mass, inertia.com
        xx, xy, xz, yy, yz, zz = inertia.rotational
        if is_diagonal(inertia):
            element.inertia = (xx, yy, zz)
        else:
            element.fullinertia = (xx, yy, zz, xy, xz, yz)
        if body.joint.type in JOINTS:
            joint = element.add_joint(name=body.joint.name, type=JOINTS[body.joint.type], armature=body.joint.armature)
            if body.joint.axis is not None:
                joint.axis = body.joint.axis
    m = description.compile()
    for i, body in enumerate(spec.bodies, start=1):
        if not is_diagonal(body.inertia):
            moments, axes = np.linalg.eigh(rotational_matrix(body.inertia.rotational))
            axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
            m.body_inertia[i] = moments
            mujoco.mju_mat2Quat(m.body_iquat[i], axes.ravel())
            m.body_sameframe[i] = 0
    mujoco.mj_setConst(m, mujoco.MjData(m))
    return m


def is_diagonal(inertia: Inertia) -> bool:
    _, xy, xz, _, yz, _ = inertia.rotational
    return xy == xz == yz == 0.0


def mujoco_data(m: Any, q: Array) -> Any:
    """Data with M, its factor, crb, cinert and cdof at q; the canonical q is MuJoCo's qpos."""
    d = mujoco.MjData(m)
    d.qpos[:] = q
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    mujoco.mj_makeM(m, d)  # 3.10: mj_crb fills qM alone
    mujoco.mj_factorM(m, d)
    return d


def legacy_qM(m: Any, d: Any) -> Array:
    """qM of versions that have it; where it is gone, from CSR by the model's own map."""
    if hasattr(d, "qM"):
        return np.array(d.qM)
    qM = np.zeros(m.nM)
    qM[m.mapM2M] = d.M
    return qM
