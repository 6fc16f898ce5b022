"""What to change to make a jump GO, with a number where the estimates give one: of first order, so plan and simulate again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from leapcheck.jumping.judging.thresholds import Thresholds
from leapcheck.jumping.measures.estimates import Estimate
from leapcheck_reference.simulate.actuator import Drives

Estimates = Mapping[str, Estimate]

CONFIDENCE = 0.975
"""One-sided confidence of the lower end of a two-sided 95 % interval."""


def torque_remedies(by_key: Estimates, thresholds: Thresholds, drives: Drives | None) -> Iterator[str]:
    """Torque demand above the peak, by the phase it occurs in; and which drives would do."""
    use, target = by_key["torque_use"], thresholds.utilisation_marginal
    worst = use.highest
    if worst <= target:
        return
    phase = _phase(by_key, "torque_use")
    if phase == "push":
        yield from _smaller_jump(by_key, ohmic=worst, back_emf=0.0, target=target)
        yield from _longer_push(by_key, worst, target)
    elif phase == "flight":
        yield f"retract the legs more slowly: torque in flight is {worst:.3g} of the peak"
    elif phase == "landing":
        factor = down(target / worst)
        yield f"softer landing: multiply kp and kd after touch-down by at most {factor}, or land with the legs longer"
    if drives is not None:
        peaks = drives.gear_ratio * drives.torque_limit
        for names, peak, needed in _by_drive(by_key, "torque_use", drives.names, peaks, target):
            yield f"peak torque of {names}: {peak:.3g} -> {up(needed * peak / target)} N m"


def voltage_remedies(by_key: Estimates, thresholds: Thresholds, drives: Drives | None) -> Iterator[str]:
    """Voltage demand above the battery's: a lower jump, another gear, more volts."""
    use, target = by_key["voltage_use"], thresholds.utilisation_marginal
    if use.highest <= target:
        return
    ohmic, back_emf = _shares(by_key, _joint_of(use, rising=True), use.highest)
    if _phase(by_key, "voltage_use") == "push":
        yield from _smaller_jump(by_key, ohmic, back_emf, target)
    if drives is None or not drives.electrical.any():
        return
    for names, ratio, needed in _by_drive(by_key, "voltage_use", drives.names, drives.gear_ratio, target):
        gear = gear_factor(*_shares(by_key, names.partition(",")[0], needed), target)
        if gear is not None:
            yield f"gear ratio of {names}: {ratio:.3g} -> {ratio * gear:.3g} (the rotor torque rises in return)"
    volts = float(np.max(drives.voltage[drives.electrical]))
    if math.isfinite(volts):
        yield f"battery and motors for {volts:.3g} -> {up(volts * use.highest / target)} V under load"


def line_remedies(by_key: Estimates, thresholds: Thresholds, drives: Drives | None) -> Iterator[str]:
    """Demand beyond a torque-speed line: a lower jump, or a drive whose line is that much farther out."""
    use, target = by_key["line_use"], thresholds.utilisation_marginal
    if use.highest <= target:
        return
    if _phase(by_key, "line_use") == "push":
        yield from _smaller_jump(by_key, use.highest, 0.0, target)
    if drives is None:
        return
    peaks, speeds = drives.gear_ratio * drives.torque_limit, drives.no_load_speed(drives.voltage)
    for names, peak, needed in _by_drive(by_key, "line_use", drives.names, peaks, target):
        speed = float(speeds[drives.names.index(names.partition(",")[0])])
        factor = needed / target
        stall, fast = f"{peak:.3g} -> {up(peak * factor)} N m", f"{speed:.3g} -> {up(speed * factor)} rad/s"
        yield f"{names}: stall torque {stall} and no-load speed {fast}"


def friction_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """More friction needed than the ground offers."""
    use, target = by_key["friction_use"], thresholds.utilisation_marginal
    needed = by_key.get("friction_needed")
    if use.highest > target and needed is not None:
        slips = " (perhaps more: the feet slip)" if use.highest >= 0.99 else ""
        steeper = ", or a steeper push" if _jumps(by_key) else ""
        yield f"friction of the ground at least {up(needed.highest / target)}{slips}{steeper}"


def thermal_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """Windings hotter than rated: the load goes as 1 / continuous current^2."""
    use, target = by_key["thermal_load"], thresholds.utilisation_marginal
    if use.highest > target:
        factor = up(math.sqrt(use.highest / target))
        yield f"motors that bear {factor} times the continuous current, or less torque in stand and crouch"


def clearance_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """Trunk or knees on the ground."""
    lowest = min(by_key[key].lowest for key in ("clearance", "trunk_clearance") if key in by_key)
    short = thresholds.clearance_marginal - lowest
    if short > 0.0:
        where = {"stance": "hold the trunk higher", "push": "crouch less deep"}.get(
            _phase(by_key, "clearance"), "land with the legs longer or stiffer"
        )
        yield f"{where}: {up(short)} m more clearance is needed"


def limit_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """Joints at or near their limits."""
    estimate = by_key["limit_margin"]
    short = thresholds.limit_margin_marginal - estimate.lowest
    if short > 0.0:
        change = "another crouch or leg retraction" if _jumps(by_key) else "other joint targets, or stiffer gains"
        yield f"keep {_joint_of(estimate, rising=False)} {up(short)} rad farther from its stop: {change}"


def height_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A jump lower than requested."""
    share = by_key["height_share"].lowest
    if share <= thresholds.height_marginal:
        factor = f"ask for {up(1.0 / share)} times the height, or " if share > 0.5 else ""
        yield f"{factor}check the tracking of the push: {share:.0%} of the height is reached"


def run_up_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A run-up slower than requested."""
    share = by_key["run_up_share"].lowest
    if share <= thresholds.run_up_marginal:
        yield f"ask for a slower --run-up, or check the tracking of its hop: {share:.0%} of the speed is reached"


def distance_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A flight that ends somewhere else than asked."""
    off = by_key["distance_off"]
    if _worst_size(off) <= thresholds.distance_marginal:
        return
    if abs(off.value) > thresholds.distance_marginal:
        yield f"ask for {-off.value:+.2g} m of distance more, or check the push: feet that slip, a trunk that turns"
        return
    name, worst = max(off.by_simulator.items(), key=lambda pair: abs(pair[1].value))
    yield f"check the push in {name}, which is {worst.value:+.2g} m off: feet that slip, a trunk that turns"


def landing_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A robot that ends higher or lower than where it was to stand."""
    off = by_key["landing_off"].value
    if _worst_size(by_key["landing_off"]) > thresholds.landing_marginal:
        yield f"a foot stands {abs(off):.2f} m too {'low' if off < 0.0 else 'high'}: move the box, or jump higher and further"


def gap_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A foot that stands too near to the gap that was crossed, or in it."""
    short = thresholds.beyond_gap_marginal - by_key["beyond_gap"].lowest
    if short > 0.0:
        yield f"jump {up(short)} m further, begin nearer to the gap, or ask for a shorter one"


def turn_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """Another number of whole turns than planned."""
    yield from _whole_turn_remedies(by_key["turn"], by_key["turn_off"], thresholds, "turn")


def roll_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """Another number of whole turns about the long axis than planned."""
    yield from _whole_turn_remedies(by_key["roll"], by_key["roll_off"], thresholds, "roll")


def _whole_turn_remedies(reached: Estimate, off: Estimate, thresholds: Thresholds, verb: str) -> Iterator[str]:
    if _worst_size(off) <= thresholds.turn_marginal:
        return
    more = abs(reached.value) < abs(reached.value - off.value)
    yield f"{verb} {'faster' if more else 'more slowly'}: the trunk {verb}s by {reached.value:.0f} deg"


def yaw_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A robot that ends facing another way than asked: feet that creep in the push turn the trunk back."""
    off = by_key["yaw_off"]
    if _worst_size(off) <= thresholds.yaw_marginal:
        return
    more = f"ask for {-off.value:+.2g} deg of turn more, or " if abs(off.value) > thresholds.yaw_marginal else ""
    yield f"{more}less turn or a stiffer, rougher ground: feet that slide in the push turn the trunk back"


def attitude_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """A tilted landing, or one that does not come to rest."""
    late = [key for key, item in _LATE if key in by_key and _worst_size(by_key[key]) > getattr(thresholds, f"{item}_marginal")]
    flip = _planned_turn(by_key)
    if "pitch_off" in late and flip:
        off = by_key["pitch_off"].value
        beyond = off * flip > 0.0
        change = "turn more slowly, or land sooner" if beyond else "turn faster, or fly longer"
        yield f"{change}: at touch-down the trunk is {abs(off):.0f} deg {'beyond' if beyond else 'short of'} the plan's turn"
    elif "pitch_off" in late or "roll_touch_down" in late:
        yield "even out the turning at take-off: shift the com over the feet's centre, or plan a pitch that cancels it"
    if "final_tilt" in late or "final_speed" in late:
        hold = "softer or more damped landing" if _jumps(by_key) else "stiffer or more damped gains"
        yield f"{hold} (PD about 40/1.5 for a robot of 9 kg), feet wider, or a longer run to come to rest"


def _planned_turn(by_key: Estimates) -> float:
    """Whole turns (deg) that are planned about the trunk's lateral axis, nose down positive; 0 where none is."""
    if "turn" not in by_key or "turn_off" not in by_key:
        return 0.0
    return 360.0 * round((by_key["turn"].value - by_key["turn_off"].value) / 360.0)


def slip_remedies(by_key: Estimates, thresholds: Thresholds, _: Drives | None) -> Iterator[str]:
    """Sliding feet."""
    for phase, change in (
        ("push", "ramp the force up and down more slowly"),
        ("landing", "let the feet meet the ground at its speed"),
    ):
        estimate = by_key.get(f"slip_{phase}")
        if estimate is not None and estimate.highest > thresholds.slip_marginal:
            yield f"{change}: a foot slides {estimate.highest:.2g} m in the {phase}"


REMEDIES: Mapping[str, Callable[[Estimates, Thresholds, Drives | None], Iterable[str]]] = {
    "torque_use": torque_remedies,
    "voltage_use": voltage_remedies,
    "line_use": line_remedies,
    "friction_use": friction_remedies,
    "thermal_load": thermal_remedies,
    "clearance": clearance_remedies,
    "limit_margin": limit_remedies,
    "height_share": height_remedies,
    "run_up_share": run_up_remedies,
    "distance_off": distance_remedies,
    "turn_off": turn_remedies,
    "roll_off": roll_remedies,
    "yaw_off": yaw_remedies,
    "landing_off": landing_remedies,
    "beyond_gap": gap_remedies,
    "trunk_clearance": clearance_remedies,
    "pitch_off": attitude_remedies,
    "roll_touch_down": attitude_remedies,
    "final_tilt": attitude_remedies,
    "final_speed": attitude_remedies,
    "slip_push": slip_remedies,
    "slip_landing": slip_remedies,
}
"""What is known to help against a reason, by the figure it names."""

_LATE = (("pitch_off", "attitude"), ("roll_touch_down", "attitude"), ("final_tilt", "tilt"), ("final_speed", "speed"))


def runs_without_failure(bound: float) -> int:
    """Jumps that must all succeed for the lower Clopper-Pearson bound of 95 % to reach `bound`: bound^n <= 1 - 0.975."""
    return math.ceil(math.log(1.0 - CONFIDENCE) / math.log(bound))


def _smaller_jump(by_key: Estimates, ohmic: float, back_emf: float, target: float) -> Iterator[str]:
    height, stroke = _height_and_stroke(by_key)
    lower = lower_height(ohmic, back_emf, target, height, stroke) if height > 0.0 and stroke > 0.0 else None
    if lower is not None and lower > 0.0:
        yield f"lower the jump: {height:.3g} -> about {down(lower)} m"


def _longer_push(by_key: Estimates, use: float, target: float) -> Iterator[str]:
    """stroke' with (1 + h / stroke') = (1 + h / stroke) target / use, the legs' leverage taken as the same."""
    height, stroke = _height_and_stroke(by_key)
    if not (height > 0.0 and stroke > 0.0):
        return
    part = (1.0 + height / stroke) * target / use - 1.0
    if part > 0.0:
        yield f"longer push: stroke {stroke:.3g} -> about {up(height / part)} m, if the legs have it"


def _height_and_stroke(by_key: Estimates) -> tuple[float, float]:
    if "height" not in by_key or "rise" not in by_key:
        return 0.0, 0.0
    return by_key["height"].value, by_key["rise"].value - by_key["height"].value


def _shares(by_key: Estimates, joint: str, use: float) -> tuple[float, float]:
    """(resistive, back-emf) share of a voltage use, scaled to add up to it; all resistive where they are not known."""
    parts = [by_key.get(f"{name}.{joint}") for name in ("voltage_ohmic", "voltage_back_emf")]
    values = [part.value for part in parts if part is not None]
    total = sum(values)
    if len(values) < 2 or not total:
        return use, 0.0
    return values[0] * use / total, values[1] * use / total


def _by_drive(
    by_key: Estimates, name: str, joints: Sequence[str], figure: np.ndarray, target: float
) -> Iterator[tuple[str, float, float]]:
    """(names, figure, largest use) of the drives beyond the target; drives of one figure and one place in the leg together."""
    groups: dict[tuple[str, float], list[tuple[float, str]]] = {}
    for joint, value in zip(joints, figure.tolist(), strict=True):
        estimate = by_key.get(f"{name}.{joint}")
        if estimate is not None and estimate.highest > target:
            groups.setdefault((joint.rpartition("_")[2], value), []).append((estimate.highest, joint))
    for (_, value), members in groups.items():
        members.sort(key=lambda member: -member[0])
        yield ", ".join(joint for _, joint in members), value, members[0][0]


def _jumps(by_key: Estimates) -> bool:
    """Whether the robot leaves the ground in any simulator."""
    return "take_off_time" in by_key


def _phase(by_key: Estimates, key: str) -> str:
    """Whether the worst value lies in the "push", the "flight" or the "landing", by the median over the simulators.

    "stance" where the robot does not leave the ground.
    """
    if not _jumps(by_key):
        return "stance"
    times = [value.time for value in by_key[key].by_simulator.values() if math.isfinite(value.time)]
    time = float(np.median(times)) if times else math.inf
    take_off = by_key["take_off_time"].value
    if time <= take_off:
        return "push"
    return "flight" if "flight_time" in by_key and time < take_off + by_key["flight_time"].value else "landing"


def _joint_of(estimate: Estimate, rising: bool) -> str:
    """The drive or joint that gives the worst value, error bar counted, as the reason names it; `rising`: larger is worse."""

    def badness(name: str) -> tuple[float, str]:
        value = estimate.by_simulator[name]
        error = 0.0 if math.isnan(value.error) else value.error
        return (value.value if rising else -value.value) + error, name

    return estimate.by_simulator[max(estimate.by_simulator, key=badness)].where


def _worst_size(estimate: Estimate) -> float:
    return max(abs(estimate.lowest), abs(estimate.highest))


BISECTIONS = 60
"""Halvings that find a height to rounding."""


def lower_height(ohmic: float, back_emf: float, target: float, height: float, stroke: float) -> float | None:
    """Height (m) at which a use of ohmic + back_emf at `height` falls to `target`, over the same stroke; None where it does not.

    Forces go as g + a with a = g height / stroke, speeds as the root of the height.
    """

    def use(h: float) -> float:
        return ohmic * (stroke + h) / (stroke + height) + back_emf * math.sqrt(h / height)

    low, high = 0.0, height
    if use(low) > target:
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if use(middle) <= target else (low, middle)
    return low


def gear_factor(ohmic: float, back_emf: float, target: float) -> float | None:
    """Factor x nearest to 1 on the gear ratio with ohmic / x + back_emf x = target; None where no gear does it."""
    square = target * target - 4.0 * ohmic * back_emf
    if square < 0.0 or back_emf <= 0.0 or ohmic <= 0.0:
        return None
    roots = [(target + sign * math.sqrt(square)) / (2.0 * back_emf) for sign in (-1.0, 1.0)]
    return min(roots, key=lambda x: abs(math.log(x)))


def up(x: float) -> str:
    """x in three digits, rounded up."""
    return _three(x, math.ceil)


def down(x: float) -> str:
    """x in three digits, rounded down."""
    return _three(x, math.floor)


def _three(x: float, rounded: Callable[[float], int]) -> str:
    if x <= 0.0 or not math.isfinite(x):
        return f"{x:.3g}"
    unit = 10.0 ** (math.floor(math.log10(x)) - 2)
    return f"{rounded(x / unit - 1e-9 if rounded is math.ceil else x / unit + 1e-9) * unit:.3g}"
