"""Jumps: planned, simulated and judged before the hardware."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from leapcheck.api.jump_run import JumpRun, LegJumpRun
from leapcheck.api.robots import load
from leapcheck.jumping.leg_jump.options import LegJumpOptions, Pair
from leapcheck.jumping.options import Flip, JumpOptions, Merit, Planner, TakeOff

if TYPE_CHECKING:
    from leapcheck.jumping.runs import StudyProgress


def jump(
    robot: Any,
    *,
    height: float | None = JumpOptions.height,
    distance: float = JumpOptions.distance,
    landing_height: float = JumpOptions.landing_height,
    pitch: float = JumpOptions.pitch,
    flip: Flip | None = JumpOptions.flip,
    turn: float = JumpOptions.turn,
    onto_box: float | None = JumpOptions.onto_box,
    over_gap: float | None = JumpOptions.over_gap,
    run_up: float | None = JumpOptions.run_up,
    jumps: int = JumpOptions.jumps,
    highest: bool = JumpOptions.highest,
    crouch: float | None = JumpOptions.crouch,
    push_time: float | None = JumpOptions.push_time,
    planner: Planner | None = JumpOptions.planner,
    merit: Merit = JumpOptions.merit,
    take_off: TakeOff | None = JumpOptions.take_off,
    plan: str | None = JumpOptions.plan,
    policy: str | None = JumpOptions.policy,
    sandbox: bool = JumpOptions.sandbox,
    trajectory: Path | str | None = JumpOptions.trajectory,
    duration: float | None = JumpOptions.duration,
    pose: str | None = JumpOptions.pose,
    set: Sequence[str] = JumpOptions.set,
    actuators: Path | str | None = JumpOptions.actuators,
    torque_limit: float | None = JumpOptions.torque_limit,
    speed_limit: float | None = JumpOptions.speed_limit,
    feet: Sequence[str] = JumpOptions.feet,
    points: Path | str | None = JumpOptions.points,
    engines: Sequence[str] = JumpOptions.engines,
    friction: float = JumpOptions.friction,
    box: tuple[str, ...] = JumpOptions.box,
    gap: tuple[str, ...] = JumpOptions.gap,
    stairs: str | None = JumpOptions.stairs,
    slope: float = JumpOptions.slope,
    solref: tuple[float, float] = JumpOptions.solref,
    dt: float = JumpOptions.dt,
    levels: int = JumpOptions.levels,
    rate: float = JumpOptions.rate,
    latency: float = JumpOptions.latency,
    battery_voltage: float | None = JumpOptions.battery_voltage,
    battery_resistance: float = JumpOptions.battery_resistance,
    motor_rating: tuple[float, float] | None = JumpOptions.motor_rating,
    threshold: Sequence[str] = JumpOptions.threshold,
    monte_carlo: int = JumpOptions.monte_carlo,
    vary: Sequence[str] = JumpOptions.vary,
    seed: int = JumpOptions.seed,
    hardware_log: Path | str | None = JumpOptions.hardware_log,
    workers: int = 0,
    progress: StudyProgress | None = None,
) -> JumpRun:
    """Plans a jump, or takes yours, simulates it in several engines and contact models, and judges it: GO, MARGINAL or NO-GO.

    Args:
        robot: as in `leapcheck.load`; it needs a free trunk, feet and actuators.
        height: how far the centre of mass rises after take-off (m); chosen for a `distance`, `pitch`, `flip` or `turn` alone.
        distance: how far the centre of mass flies forward, from take-off to touch-down (m).
        landing_height: how much higher the ground is where it lands (m).
        pitch: how far the trunk pitches from the start to touch-down (deg, nose down positive).
        flip: "back" or "front" instead of `pitch`: turn over once; "left" or "right": a barrel roll.
        turn: how far the trunk turns about the vertical (deg, left positive), from the start to the end.
        onto_box: jump onto a box of this height (m), which stands where it suits the robot.
        over_gap: jump over a gap of this length (m), which begins where it suits the robot.
        run_up: jump out of a hop that goes forward at this speed (m/s), instead of from rest.
        jumps: how many jumps in a row, each from the stand that the one before has come to; the verdict is that of the worst.
        highest: jump as high as the limits allow instead of `height`.
        crouch: height of the trunk in the crouch (m); chosen by default.
        push_time: how long the push lasts (s); chosen by default.
        planner: "quick", a push of constant acceleration, or "optimised", the best motion by its merit; by default "quick", but
            for what it does not plan: boxes and gaps, flips, turns, run-ups, legs that move in planes.
        merit: what the optimised planner looks for: "margin" to the limits, least "energy" from the battery, or "height".
        take_off: which feet leave the ground first: "together", "front-first" or "rear-first".
        plan: a planned jump that comes with leapcheck (mit-flip, mit-front-jump, ...), or a file of your own (docs/plans.md).
        policy: your own controller instead of the plan, as module:factory, from the current folder: factory(robot)
            returns a function of (time, q, v) that returns joint torques or a JointCommand.
        trajectory: joint targets instead of the plan (.csv with time, q_JOINT; as wished qd_, tau_, kp_, kd_JOINT).
        sandbox: the policy runs under bubblewrap: without network, with files that it cannot change, without other processes.
        duration: how long a policy, trajectory or plan is simulated (s); 1.2 s, or its own length, by default.
        pose: pose that a policy or trajectory starts from; the robot's first by default.
        set: numbers of the robot to change, as in ["trunk.mass=3.6"].
        actuators: actuators of the robot in a file (.json), instead of its own.
        torque_limit: largest torque (N m) of each moving joint for which the robot's file gives none.
        speed_limit: no-load speed (rad/s) of each drive for which the robot's file gives none.
        feet: where the robot of a file touches, as in `leapcheck.load`.
        points: the same in a file, as in `leapcheck.load`.
        engines: simulators; a wrong name lists them all.
        friction: Coulomb friction of the ground.
        box: boxes, each as "HEIGHT,FRONT[,LENGTH]" m, FRONT from where the trunk's origin begins.
        gap: gaps, each as "FRONT,LENGTH" m.
        stairs: stairs as "RISE,TREAD,FRONT[,STEPS]" m.
        slope: how far the ground rises forward (deg).
        solref: MuJoCo's time constant (s) and damping ratio of a contact.
        dt: coarsest time step (s); the error bars come from halving it.
        levels: time steps for the error bars: dt, dt/2, dt/4, ...
        rate: calls of the controller per second; 0: at every step.
        latency: time from the controller's call until its torque acts (s).
        battery_voltage: open-circuit voltage of the battery (V); the motors' rated one by default.
        battery_resistance: internal resistance of the battery (ohm).
        motor_rating: what the motors stand for good: continuous current (A) and thermal time constant (s); i^2 t is
            judged by it.
        threshold: thresholds of the verdict to change, as in ["utilisation_no_go=0.9"].
        monte_carlo: how many jumps with drawn friction, ground, payload, strength, voltage, latency, noise, ... to
            simulate.
        vary: how wide some of them vary, as in ["friction=0.3"] (0: not at all).
        seed: seed of the draws.
        hardware_log: log of the real robot (.csv with time and q_JOINT, qd_JOINT, tau_JOINT): its residuals against the
            first simulator.
        workers: processes; 0: one per core.
        progress: called with (parts done, parts in all, what is being done).

    Raises:
        ValueError: an option is invalid or the robot cannot jump; a jump that cannot be planned is NO-GO or UNDECIDED instead.
        FileNotFoundError: there is no such file.

    Example:
        >>> import leapcheck as lc
        >>> jump = lc.jump("mini_cheetah", height=0.1, engines=("rigid",), levels=1)
        >>> jump.to_frame().set_index("name").value["height"].round(2)
        0.1
    """
    from leapcheck.jumping.study import jump_study

    options = JumpOptions(
        height=height,
        distance=distance,
        landing_height=landing_height,
        pitch=pitch,
        flip=flip,
        turn=turn,
        onto_box=onto_box,
        over_gap=over_gap,
        run_up=run_up,
        jumps=jumps,
        highest=highest,
        crouch=crouch,
        push_time=push_time,
        planner=planner,
        merit=merit,
        take_off=take_off,
        plan=plan,
        policy=policy,
        sandbox=sandbox,
        trajectory=_path(trajectory),
        duration=duration,
        pose=pose,
        set=_texts(set),
        actuators=_path(actuators),
        torque_limit=torque_limit,
        speed_limit=speed_limit,
        feet=_texts(feet),
        points=_path(points),
        engines=_texts(engines),
        friction=friction,
        box=box,
        gap=gap,
        stairs=stairs,
        slope=slope,
        solref=solref,
        dt=dt,
        levels=levels,
        rate=rate,
        latency=latency,
        battery_voltage=battery_voltage,
        battery_resistance=battery_resistance,
        motor_rating=motor_rating,
        threshold=_texts(threshold),
        monte_carlo=monte_carlo,
        vary=_texts(vary),
        seed=seed,
        hardware_log=_path(hardware_log),
    )
    given = str(robot) if isinstance(robot, str | Path) else load(robot)
    return JumpRun(jump_study(given, options, workers, progress))


def leg_jump(
    *,
    mass: float = LegJumpOptions.mass,
    height: float = LegJumpOptions.height,
    acceleration: float | None = LegJumpOptions.acceleration,
    full_extension: bool = LegJumpOptions.full_extension,
    until: float = LegJumpOptions.until,
    pose: Pair = LegJumpOptions.pose,
    link_mass: Pair = LegJumpOptions.link_mass,
    link_length: Pair = LegJumpOptions.link_length,
    link_com: Pair | None = LegJumpOptions.link_com,
    link_inertia: Pair | None = LegJumpOptions.link_inertia,
    gravity: float = LegJumpOptions.gravity,
    servo_torque: float | None = LegJumpOptions.servo_torque,
    servo_torque_unit: Literal["kgf.cm", "N.m"] = LegJumpOptions.servo_torque_unit,
    servo_speed: float | None = LegJumpOptions.servo_speed,
    servo_speed_unit: Literal["deg/s", "rad/s", "s/60deg"] = LegJumpOptions.servo_speed_unit,
    marginal: float = LegJumpOptions.marginal,
) -> LegJumpRun:
    """Whether a two-link leg jumps with a servo: GO, MARGINAL or NO-GO; the foot stays where it is, the body moves straight up.

    Args:
        mass: mass that the leg carries, its own aside (kg).
        height: how far the body rises after take-off (m).
        acceleration: acceleration of the body in the push (m/s^2); 2.0 by default.
        full_extension: push until the leg is straight, a = v0^2 / (2 x stroke left), instead of `acceleration`.
        until: share of the push's time that `full_extension` is judged for: at its very end joint speeds have no bound.
        pose: first pose: hip from straight down, forward positive, and knee from the thigh, negative (deg).
        link_mass: mass of thigh and shank (kg).
        link_length: length of thigh and shank (m).
        link_com: distance of their centres of mass from their joints (m); half the length by default.
        link_inertia: moments of inertia about their centres of mass, across the plane (kg m^2); m l^2 / 12 by default.
        gravity: gravity (m/s^2).
        servo_torque: the servo's stall torque, in `servo_torque_unit`; not judged by default.
        servo_torque_unit: unit of the stall torque.
        servo_speed: the servo's no-load speed, in `servo_speed_unit`; not judged by default.
        servo_speed_unit: unit of the no-load speed; s/60deg is what servo makers print.
        marginal: use of the servo's rating above which the verdict is MARGINAL.

    Raises:
        ValueError: an option is invalid.

    Example:
        >>> import leapcheck as lc
        >>> lc.leg_jump(height=0.02, servo_torque=6.0, servo_speed=0.11, servo_speed_unit="s/60deg").verdict.value
        'GO'
    """
    from leapcheck.jumping.leg_jump.study import leg_jump_study

    options = LegJumpOptions(
        mass=mass,
        height=height,
        acceleration=acceleration,
        full_extension=full_extension,
        until=until,
        pose=pose,
        link_mass=link_mass,
        link_length=link_length,
        link_com=link_com,
        link_inertia=link_inertia,
        gravity=gravity,
        servo_torque=servo_torque,
        servo_torque_unit=servo_torque_unit,
        servo_speed=servo_speed,
        servo_speed_unit=servo_speed_unit,
        marginal=marginal,
    )
    return LegJumpRun(leg_jump_study(options), options.command())


def _path(path: Path | str | None) -> Path | None:
    return None if path is None else Path(path)


def _texts(texts: Sequence[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)
