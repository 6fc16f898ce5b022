"""A one-legged hopper whose jump is known in closed form: stand, push, flight, landing, each at constant com acceleration."""

import math
from dataclasses import dataclass

import numpy as np

from leapcheck.simulators.log import JumpLog
from leapcheck_models.spec import (
    Actuator,
    Inertia,
    Joint,
    JointType,
    Motor,
    RobotSpec,
    add_body,
    add_box_contact_points,
    add_contact_point,
)

GRAVITY = 9.81
TRUNK, FOOT, RADIUS = 2.0, 0.5, 0.02  # masses kg, foot radius m
MOTOR = Motor(gear_ratio=200.0, torque_constant=0.05, resistance=0.2, voltage=24.0, torque_limit=1.0)
LIMITS = (-0.6, -0.2)
START = -0.3  # leg coordinate while standing: the foot's height in the trunk's frame, m


def hopper() -> RobotSpec:
    """A box on a prismatic leg along z that ends in a ball foot."""
    spec = RobotSpec("hopper")
    spec = add_body(
        spec, "trunk", joint=Joint("base", JointType.FREE), inertia=Inertia(TRUNK, rotational=(0.02, 0, 0, 0.02, 0, 0.02))
    )
    spec = add_box_contact_points(spec, "trunk", (0.1, 0.1, 0.04))
    leg = Joint("leg_joint", JointType.PRISMATIC, (0.0, 0.0, 1.0), LIMITS)
    inertia = Inertia(FOOT, rotational=(1e-4, 0, 0, 1e-4, 0, 1e-4))
    spec = add_body(spec, "leg", joint=leg, inertia=inertia, parent="trunk")
    spec = add_contact_point(spec, "foot", "leg", (0.0, 0.0, 0.0), is_foot=True, radius=RADIUS)
    actuator = Actuator("leg", "leg_joint", torque_limit=200.0, speed_limit=1.2, motor=MOTOR)
    return RobotSpec("hopper", spec.bodies, spec.contact_points, (actuator,))


@dataclass(frozen=True)
class Jump:
    """Times s: stand, push, landing, rest; `acceleration` m/s^2 of the com in the push, minus that of the landing follows."""

    stand: float = 0.05
    push: float = 0.08
    acceleration: float = 20.0
    landing: float = 0.1
    rest: float = 0.05
    drift: float = 0.0  # horizontal com velocity in flight, m/s
    push_friction: float = 0.0  # horizontal over vertical force of the push

    @property
    def mass(self) -> float:
        return TRUNK + FOOT

    @property
    def speed(self) -> float:
        return self.acceleration * self.push

    @property
    def take_off(self) -> float:
        return self.stand + self.push

    @property
    def flight(self) -> float:
        return 2 * self.speed / GRAVITY

    @property
    def touch_down(self) -> float:
        return self.take_off + self.flight

    @property
    def braking(self) -> float:
        return self.speed / self.landing

    @property
    def end(self) -> float:
        return self.touch_down + self.landing + self.rest

    def com(self, t: float) -> tuple[float, float]:
        """Com height above the stand's (m) and its rate (m/s)."""
        stroke = self.speed * self.push / 2
        if t < self.stand:
            return 0.0, 0.0
        if t < self.take_off:
            s = t - self.stand
            return self.acceleration * s * s / 2, self.acceleration * s
        if t < self.touch_down:
            s = t - self.take_off
            return stroke + self.speed * s - GRAVITY * s * s / 2, self.speed - GRAVITY * s
        s = min(t - self.touch_down, self.landing)
        return stroke - self.speed * s + self.braking * s * s / 2, -self.speed + self.braking * s

    def force(self, begin: float, end: float) -> float:
        """Mean upward force (N) between two times: momentum gained over time, plus the weight."""
        return self.mass * ((self.com(end)[1] - self.com(begin)[1]) / (end - begin) + GRAVITY)


def log_of(jump: Jump, dt: float, stopped: str = "") -> JumpLog:
    """The log of the jump: states exact, forces the means of each step, leg force as the trunk's motion needs it."""
    steps = math.ceil(jump.end / dt)
    time = np.arange(steps + 1) * dt
    q, v = np.zeros((steps + 1, 8)), np.zeros((steps + 1, 7))
    q[:, 3] = 1.0
    start = RADIUS - START * TRUNK / jump.mass  # com height of the stand
    for k, t in enumerate(time.tolist()):
        height, rate = jump.com(t)
        air = jump.take_off <= t < jump.touch_down
        # standing: the foot stays at its radius; in the air the leg keeps the length of the take-off
        leg = START - (jump.speed * jump.push / 2 if air else height) * jump.mass / TRUNK
        q[k, 2] = start + height - FOOT / jump.mass * leg
        q[k, 7], v[k, 6] = leg, 0.0 if air else -rate * jump.mass / TRUNK
        v[k, 5] = rate if air else rate * jump.mass / TRUNK
        q[k, 0] = jump.drift * (min(max(t, jump.take_off), jump.touch_down) - jump.take_off)
        v[k, 3] = jump.drift if air else 0.0
    forces = np.zeros((steps, 9, 3))
    forces[:, 8, 2] = [jump.force(t, t + dt) for t in time[:-1]]
    forces[np.abs(forces) < 1e-9 * jump.mass * GRAVITY] = 0.0
    forces[:, 8, 0] = jump.push_friction * forces[:, 8, 2] * (time[:-1] < jump.take_off - dt / 2)
    leg_force = -forces[:, 8, 2:3] * TRUNK / jump.mass  # on the leg's coordinate: pushes the foot down
    current = leg_force / (1.5 * MOTOR.torque_constant * MOTOR.gear_ratio)
    voltage = current * MOTOR.resistance + 2 * MOTOR.torque_constant * MOTOR.gear_ratio * v[:-1, 6:7]
    power = leg_force[:, 0] * v[:-1, 6] + 0.75 * MOTOR.resistance * current[:, 0] ** 2
    return JumpLog(
        simulator="closed form",
        robot="hopper",
        dt=dt,
        points=(*(f"trunk_corner_{i}" for i in range(8)), "foot"),
        actuators=("leg",),
        time=time,
        q=q,
        v=v,
        desired=leg_force,
        torque=leg_force,
        current=current,
        voltage=voltage,
        battery_voltage=np.full(steps, MOTOR.voltage),
        battery_power=power,
        forces=forces,
        limit_torques=np.zeros((steps, 7)),
        stopped=stopped,
    )
