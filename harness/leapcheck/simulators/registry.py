"""The simulators by name; a foreign package is imported only when its simulator is created."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from leapcheck.simulators.protocol import Simulator
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec
from leapcheck_models.words import did_you_mean
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft_contact import SMALLEST_FRICTION, SoftContact
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

STIFF = SoftContact(solref=(0.01, 1.0))
"""MuJoCo's contact with half its default time constant: a ground that a foot sinks into by well below a millimetre."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground: Coulomb `friction`, the other parameters of MuJoCo's contact model, its shape (the plane z = 0)."""

    friction: float = 0.8
    soft: SoftContact = field(default=STIFF)
    terrain: Terrain = LEVEL

    def contact(self, **changed: Any) -> SoftContact:
        """MuJoCo's parameters with this ground's friction, at least the smallest that MuJoCo knows."""
        return dataclasses.replace(self.soft, friction=max(self.friction, SMALLEST_FRICTION), **changed)


@dataclass(frozen=True, slots=True)
class SimulatorEntry:
    """A simulator by name: its factory, a description, whether its rotors are only armature.

    A `light` one is in-house and quick: a process of its own would not pay.
    """

    make: Callable[[RobotSpec, Ground, float], Simulator]
    what: str
    armature: bool = False
    light: bool = False


def make_simulator(name: str, spec: RobotSpec, ground: Ground, dt: float) -> Simulator:
    """The simulator of that name with time step dt (s). Raises ValueError for an unknown name, and what its engine raises."""
    check_names((name,))
    made = SIMULATORS[name].make(spec, ground, dt)
    made.name = name
    return made


def check_names(names: tuple[str, ...]) -> None:
    """Raises ValueError for an unknown or repeated name, or none at all."""
    for name in names:
        if name not in SIMULATORS:
            raise ValueError(
                f"unknown simulator {name!r:.60}{did_you_mean(name, SIMULATORS)}: use one of {', '.join(SIMULATORS)}"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"a simulator stands twice in {', '.join(names)}: name each once")
    if not names:
        raise ValueError(f"no simulators: give one or more of {', '.join(SIMULATORS)}")


def robot_in(name: str, spec: RobotSpec) -> RobotSpec:
    """The robot as that simulator models it: rotors lumped into the links where they are only armature."""
    return with_lumped_rotors(spec) if SIMULATORS[name].armature else spec


def _mujoco(spec: RobotSpec, ground: Ground, dt: float, cone: str = "elliptic", **options: Any) -> Simulator:
    from leapcheck.simulators.mujoco.simulator import MujocoSimulator

    return MujocoSimulator(spec, ground.contact(cone=cone), dt, terrain=ground.terrain, **options)


def _plant(spec: RobotSpec, ground: Ground) -> Plant:
    return Plant(spec, terrain=ground.terrain)


def _soft(spec: RobotSpec, ground: Ground, dt: float, cone: str = "elliptic", integrator: Any = "euler") -> Simulator:
    from leapcheck_reference.simulate.soft import SoftSimulator

    return SoftSimulator(_plant(spec, ground), ground.contact(cone=cone), dt, integrator)


def _adaptive(spec: RobotSpec, ground: Ground, dt: float) -> Simulator:
    from leapcheck_reference.simulate.adaptive_simulator import AdaptiveSimulator

    return AdaptiveSimulator(_plant(spec, ground), ground.contact(), dt)


def _rigid(spec: RobotSpec, ground: Ground, dt: float) -> Simulator:
    from leapcheck_reference.simulate.rigid import RigidSimulator

    return RigidSimulator(_plant(spec, ground), dt, ground.friction)


def _compliant(spec: RobotSpec, ground: Ground, dt: float, law: str) -> Simulator:
    from leapcheck_reference.simulate import compliant
    from leapcheck_reference.simulate.compliant import CompliantSimulator

    return CompliantSimulator(_plant(spec, ground), dt, getattr(compliant, law)(), ground.friction)


def _pinocchio(spec: RobotSpec, ground: Ground, dt: float, solver: Any) -> Simulator:
    from leapcheck.simulators.pinocchio.simulator import PinocchioSimulator

    return PinocchioSimulator(spec, dt, ground.friction, solver, terrain=ground.terrain)


SIMULATORS: Mapping[str, SimulatorEntry] = {
    "mujoco": SimulatorEntry(_mujoco, "MuJoCo, Euler, elliptic cones, exact rotors"),
    "mujoco-implicitfast": SimulatorEntry(partial(_mujoco, integrator="implicitfast"), "MuJoCo, implicitfast, exact rotors"),
    "mujoco-rk4": SimulatorEntry(partial(_mujoco, integrator="RK4"), "MuJoCo, fourth-order Runge-Kutta, exact rotors"),
    "mujoco-discrete": SimulatorEntry(partial(_mujoco, integrator="discrete"), "MuJoCo, discrete-time integrator, exact rotors"),
    "mujoco-pyramidal": SimulatorEntry(partial(_mujoco, cone="pyramidal"), "MuJoCo, Euler, pyramidal cones, exact rotors"),
    "mujoco-dcmotor": SimulatorEntry(partial(_mujoco, drives="dcmotor"), "MuJoCo, Euler, its own DC motors, exact rotors"),
    "mujoco-armature": SimulatorEntry(partial(_mujoco, rotors="armature"), "MuJoCo, Euler, rotors as armature", True),
    "soft": SimulatorEntry(_soft, "in-house twin of MuJoCo's contact, Euler", light=True),
    "soft-implicitfast": SimulatorEntry(partial(_soft, integrator="implicitfast"), "in-house twin, implicitfast", light=True),
    "soft-rk4": SimulatorEntry(partial(_soft, integrator="rk4"), "in-house twin, fourth-order Runge-Kutta", light=True),
    "soft-pyramidal": SimulatorEntry(partial(_soft, cone="pyramidal"), "in-house twin, Euler, pyramidal cones", light=True),
    "adaptive": SimulatorEntry(_adaptive, "in-house twin's contact in continuous time, adaptive order 8: the reference, slow"),
    "rigid": SimulatorEntry(_rigid, "in-house rigid contact: Coulomb's complementarity problem solved exactly", light=True),
    "spring-damper": SimulatorEntry(
        partial(_compliant, law="SpringDamper"), "in-house, Cheetah-Software's spring-damper ground", light=True
    ),
    "hunt-crossley": SimulatorEntry(partial(_compliant, law="HuntCrossley"), "in-house, Hunt and Crossley's ground", light=True),
    "pinocchio-admm": SimulatorEntry(
        partial(_pinocchio, solver="admm"), "Pinocchio's dynamics, rigid contact by its ADMM solver"
    ),
    "pinocchio-pgs": SimulatorEntry(
        partial(_pinocchio, solver="pgs"), "Pinocchio's dynamics, rigid contact by its Gauss-Seidel solver"
    ),
}
