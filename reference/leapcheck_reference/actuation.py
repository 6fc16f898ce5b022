"""Torques of actuators: from commands and the joints' motion, by the robot's control laws."""

from typing import Any

from leapcheck_models.arrays import Array
from leapcheck_reference.links import TreeLaw
from leapcheck_reference.scalar import Scalar, clip, stack
from leapcheck_reference.state import configuration, vector
from leapcheck_reference.tree import Tree


def actuator_torques(tree: Tree, q: Any, v: Any, tau: Any) -> Array:
    """The force of all actuators on each dof (nv,), N m or N, zero where none acts; losses of the joint are not taken off.

    The command of an actuator is the entry of `tau` at its joint, as a number. As MuJoCo's qfrc_actuator
    (https://mujoco.readthedocs.io/en/stable/computation/index.html#actuation-model), without activation states.
    """
    q = configuration(tree, q)
    v, u = (vector(f"{name} of '{tree.name}'", x, tree.nv) for name, x in (("v", v), ("tau", tau)))
    forces: list[Scalar] = [0.0] * tree.nv
    for law in tree.laws:
        dof = law.joint.v
        forces[dof] = forces[dof] + law.gear * _force(law, u[dof], q[law.joint.q], v[dof])
    return stack(forces, tree.nv)


def _force(law: TreeLaw, u: Scalar, q: Scalar, v: Scalar) -> Scalar:
    if law.control_limits is not None:
        u = clip(u, *law.control_limits)
    b_0, b_1, b_2 = law.bias
    # f = gain u + b_0 + b_1 length + b_2 speed
    force = law.gain * u + b_0 + b_1 * law.gear * q + b_2 * law.gear * v
    return clip(force, *law.force_limits) if law.force_limits is not None else force
