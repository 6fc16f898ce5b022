"""Control laws of a compiled model's actuators, where each acts on one hinge or slide and answers its control alone."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ControlLaw
from leapcheck_models.xml_text import free_name


def control_laws(m: mujoco.MjModel, joints: Sequence[str]) -> tuple[ControlLaw, ...] | None:
    """The laws, by the joints' names; None where one of the actuators has another kind of law."""
    laws: list[ControlLaw] = []
    if not _is_plain(m):
        return None
    for a in range(len(m.actuator_trntype)):  # not m.nu: an actuator may have several controls
        terms = _terms(m, a)
        if terms is None:
            return None
        joint = joints[int(m.actuator_trnid[a, 0])]
        name = free_name(m.actuator(a).name or joint, {law.name for law in laws})
        control = _limits(m.actuator_ctrlrange[a]) if m.actuator_ctrllimited[a] else None
        force = _limits(m.actuator_forcerange[a]) if m.actuator_forcelimited[a] else None
        gain, bias = terms[0], (terms[1], terms[2], terms[3])
        laws.append(ControlLaw(name, joint, float(m.actuator_gear[a, 0]), gain, bias, control, force))
    return tuple(laws)


def command_dofs(m: mujoco.MjModel) -> list[int]:
    """The dof of each actuator's joint."""
    return [int(m.jnt_dofadr[joint]) for joint in m.actuator_trnid[:, 0]]


def _is_plain(m: mujoco.MjModel) -> bool:
    """Whether each actuator has one control, acts on a hinge or slide, and nothing else limits, delays or switches it off."""
    count = len(m.actuator_trntype)
    joints = m.actuator_trnid[:, 0]
    off = mujoco.mjtDisableBit.mjDSBL_ACTUATION | mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    return bool(
        m.nu == count
        and np.all(m.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT))
        and np.all(m.jnt_type[joints] >= int(mujoco.mjtJoint.mjJNT_SLIDE))
        and not (np.any(m.jnt_actfrclimited[joints]) or np.any(m.actuator_actnum))
        and not (m.opt.disableflags & int(off) or m.opt.disableactuator)
        and not any(np.any(getattr(m, f"actuator_{field}", 0.0)) for field in ("delay", "damping", "dampingpoly"))
    )


def _terms(m: mujoco.MjModel, a: int) -> tuple[float, float, float, float] | None:
    """(gain, b_0, b_1, b_2) of an actuator; None where its force is no such sum."""
    gain, bias = np.asarray(m.actuator_gainprm[a], dtype=float), np.asarray(m.actuator_biasprm[a], dtype=float)
    kinds = tuple(int(field[a]) for field in (m.actuator_dyntype, m.actuator_gaintype, m.actuator_biastype))
    none, fixed = int(mujoco.mjtDyn.mjDYN_NONE), int(mujoco.mjtGain.mjGAIN_FIXED)
    if kinds == (none, fixed, int(mujoco.mjtBias.mjBIAS_NONE)):
        return float(gain[0]), 0.0, 0.0, 0.0
    if kinds == (none, fixed, int(mujoco.mjtBias.mjBIAS_AFFINE)):
        return float(gain[0]), float(bias[0]), float(bias[1]), float(bias[2])
    if kinds == _dc_motor() and not (np.any(gain[2:]) or np.any(bias) or np.any(m.actuator_dynprm[a])):
        resistance, constant = float(gain[0]), float(gain[1])
        return constant / resistance, 0.0, 0.0, -constant * constant / resistance
    return None


def _dc_motor() -> tuple[int, int, int] | None:
    """Kinds of a DC motor on a voltage, without the winding's inductance; MuJoCo before 4.0 has none."""
    if not hasattr(mujoco.mjtDyn, "mjDYN_DCMOTOR"):
        return None
    return int(mujoco.mjtDyn.mjDYN_DCMOTOR), int(mujoco.mjtGain.mjGAIN_DCMOTOR), int(mujoco.mjtBias.mjBIAS_DCMOTOR)


def _limits(values: Floats) -> tuple[float, float]:
    return float(values[0]), float(values[1])
