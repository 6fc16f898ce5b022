"""A robot on the ground as a compiled MuJoCo model: a sphere at each contact point, one law for all contacts, exact inertias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import mujoco
import numpy as np

from leapcheck.engines.mujoco.build import write_exact_values
from leapcheck_models.arrays import Floats
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import POWER_SHARE, Drives
from leapcheck_reference.simulate.actuator import drives as drives_of
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

if not hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
    raise ImportError(f"jumps in MuJoCo need version 4.0 or newer, here is {mujoco.__version__}: pip install -U mujoco")

DriveLaw = Literal["torque", "dcmotor"]

FLOOR = "leapcheck floor"
SPHERE = "leapcheck sphere {}"
BOX = "leapcheck box {}"
CONES = {"elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC, "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL}


@dataclass(frozen=True, slots=True, eq=False)
class Windings:
    """All drives as MuJoCo's dcmotors, arrays (actuators,), at the joint.

    A dcmotor has one winding: torque K i with V = i R' + K speed. The three-phase law of Cheetah-Software's drive is that motor
    with K = 1.5 kt N, R' = 0.75 R and 0.75 of the voltage. Damping and dry friction are the joint's in MuJoCo, and left out here.

    `constant` K N m/A, which is V s/rad too; `resistance` R' ohm; `voltage` V, infinite where there is no limit; `torque` N m,
    the largest.
    """

    constant: Floats
    resistance: Floats
    voltage: Floats
    torque: Floats


def windings(drives: Drives) -> Windings:
    """The drives' law as one winding each."""
    return Windings(
        constant=drives.torque_per_ampere * drives.gear_ratio,
        resistance=POWER_SHARE * drives.resistance,
        voltage=POWER_SHARE * drives.voltage,
        torque=drives.gear_ratio * drives.torque_limit,
    )


def scene(
    spec: RobotSpec, contact: SoftContact, passive: bool = False, drives: DriveLaw = "torque", terrain: Terrain = LEVEL
) -> mujoco.MjModel:
    """Compiled model of the robot over the ground, rotors lumped with armature, coordinates in MuJoCo's order.

    Its computed contact points are spheres that meet the ground and nothing else. Joints keep damping and dry friction if
    `passive`. With `drives` "dcmotor" each actuator is MuJoCo's own DC motor, controlled by the torque asked of it; else
    the model has no actuators, and torques are applied to the joints.
    """
    if drives not in get_args(DriveLaw):
        raise ValueError(f"drives {drives!r}: use one of {', '.join(get_args(DriveLaw))}")
    description = mujoco.MjSpec.from_string(mjcf_text(spec, "armature"))
    for geom in [geom for geom in description.geoms if geom.contype or geom.conaffinity]:
        description.delete(geom)
    for motor in list(description.actuators):
        description.delete(motor)
    _add_geoms(description, spec, contact, terrain)
    if drives == "dcmotor":
        _add_motors(description, spec)
    m = description.compile()
    _write_joints(m, contact, passive)
    m.opt.cone = CONES[contact.cone]
    m.opt.impratio = contact.impratio
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # a state that runs away shall be seen, not reset
    write_exact_values(with_lumped_rotors(spec), m)
    return m


def _add_geoms(description: mujoco.MjSpec, spec: RobotSpec, contact: SoftContact, terrain: Terrain) -> None:
    """The ground, and a sphere for each computed contact point; all carry the same parameters, so any mixing gives these."""
    law = {"condim": 3, "friction": [contact.friction, 0.005, 0.0001], "solref": contact.solref, "solimp": contact.solimp}
    plane, box, sphere = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_SPHERE
    solid = {"contype": 1, "conaffinity": 0, "quat": terrain.quaternion, "rgba": [0.45, 0.5, 0.55, 1.0], **law}
    floor = terrain.R @ (0.0, 0.0, terrain.floor)
    description.worldbody.add_geom(name=FLOOR, type=plane, size=[0.0, 0.0, 0.05], pos=floor, **solid)
    for i, one in enumerate(terrain.boxes):
        description.worldbody.add_geom(name=BOX.format(i), type=box, size=one.half, pos=terrain.R @ one.centre, **solid)
    for point in (p for p in spec.contact_points if p.computed):
        radius = max(point.radius, SMALLEST_RADIUS)
        description.body(point.body).add_geom(
            name=SPHERE.format(point.name),
            type=sphere,
            size=[radius, 0.0, 0.0],
            pos=point.position,
            contype=0,
            conaffinity=1,
            group=3,
            **law,
        )


def _add_motors(description: mujoco.MjSpec, spec: RobotSpec) -> None:
    """MuJoCo's DC motors with a torque as input, one winding each."""
    winding = windings(drives_of(spec))
    for i, drive in enumerate(spec.actuators):
        motor = description.add_actuator(name=drive.name, target=drive.joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_dcmotor(
            motorconst=[winding.constant[i], 0.0],
            resistance=winding.resistance[i],
            saturation=[winding.torque[i], 0.0, 0.0],
            controller=[0.0, 0.0, 0.0, 0.0, 0.0, winding.voltage[i] if np.isfinite(winding.voltage[i]) else 0.0],  # 0: no limit
            ctrlspec=int(mujoco.mjtCtrlInput.mjINPUT_FF),
        )


def _write_joints(m: mujoco.MjModel, contact: SoftContact, passive: bool) -> None:
    """Limits' and dry friction's parameters; no losses unless `passive`."""
    m.jnt_solref[:], m.jnt_solimp[:] = contact.solreflimit, contact.solimplimit
    m.dof_solref[:], m.dof_solimp[:] = contact.solreffriction, contact.solimpfriction
    if not passive:
        m.dof_damping[:] = m.dof_frictionloss[:] = 0.0
