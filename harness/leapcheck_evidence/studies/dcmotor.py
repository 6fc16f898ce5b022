"""MuJoCo's dcmotor set up as Cheetah-Software's drive: the same law, computed by somebody else."""

from __future__ import annotations

from enum import StrEnum
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np

from leapcheck.simulators.mujoco.scene import windings
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives


class Input(StrEnum):
    """What a dcmotor's control is: the motor's voltage (clipped by MuJoCo's control range) or the torque asked for."""

    VOLTAGE = "voltage"
    TORQUE = "ff"


class DcMotors:
    """One hinge for each drive, turned at given speeds; owns the MuJoCo model."""

    def __init__(self, drives: Drives, input: Input) -> None:
        """Raises ValueError where a drive has no electrical figures: MuJoCo's motor needs them."""
        if not drives.electrical.all():
            missing = drives.names[int(np.argmin(drives.electrical))]
            raise ValueError(f"actuator '{missing}' has no motor: give its torque constant, resistance and voltage")
        self._drives, self._input = drives, input
        self._model = mujoco.MjModel.from_xml_string(_xml(drives, input))
        self._data = mujoco.MjData(self._model)

    def torque(self, desired: Floats, qd: Floats) -> Floats:
        """Torques at the joints (n, actuators) N m, before losses, for torques asked (n, actuators) N m at qd rad/s."""
        control = desired if self._input is Input.TORQUE else self._voltage(desired, qd)
        answer = np.empty_like(desired)
        data = self._data
        for row, (ctrl, speeds) in enumerate(zip(control, qd, strict=True)):
            data.ctrl[:], data.qvel[:] = ctrl, speeds
            mujoco.mj_forward(self._model, data)
            answer[row] = data.qfrc_actuator
        return answer

    def _voltage(self, desired: Floats, qd: Floats) -> Floats:
        """The voltage (n, actuators) that the torque asked for needs, as MuJoCo counts it; not yet clipped."""
        winding = windings(self._drives)
        volts: Floats = desired / winding.constant * winding.resistance + winding.constant * qd
        return volts


def dcmotor_attributes(drives: Drives, k: int, input: Input) -> dict[str, str]:
    """The attributes of MJCF's <dcmotor> that make it drive `k`, but for name and joint.

    `saturation` bounds the torque with its first number only; `controller`'s sixth is the largest voltage that a torque
    asked for may take, and does not bound a voltage given as control: the control range does that.
    """
    winding = windings(drives)
    volts = winding.voltage[k]
    attributes = {"motorconst": winding.constant[k], "resistance": winding.resistance[k], "saturation": winding.torque[k]}
    words = {name: repr(float(value)) for name, value in attributes.items()} | {"input": input.value}
    if input is Input.TORQUE:
        return words | {"controller": f"0 0 0 0 0 {float(volts)!r}"}
    return words | {"ctrllimited": "true", "ctrlrange": f"{-float(volts)!r} {float(volts)!r}"}


def _xml(drives: Drives, input: Input) -> str:
    bodies, motors = [], []
    for k in range(len(drives.names)):
        bodies.append(f'<body pos="{k} 0 0"><joint name="j{k}" type="hinge" axis="0 1 0"/><geom size="0.1" mass="1"/></body>')
        words = " ".join(f"{name}={quoteattr(value)}" for name, value in dcmotor_attributes(drives, k, input).items())
        motors.append(f'<dcmotor name="m{k}" joint="j{k}" {words}/>')
    return (
        '<mujoco><option gravity="0 0 0"><flag contact="disable"/></option>'
        f"<worldbody>{''.join(bodies)}</worldbody><actuator>{''.join(motors)}</actuator></mujoco>"
    )
