"""What is simulated: robot, who acts, simulators, ground, controller's timing, drives' supply, steps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from leapcheck.jumping.act import Act
from leapcheck.jumping.control import Timing
from leapcheck.jumping.ground_options import terrain_of
from leapcheck.jumping.judging.thresholds import Thresholds, thresholds_from
from leapcheck.jumping.options import JumpOptions, name_value_pairs
from leapcheck.jumping.planning.records import JumpPlan
from leapcheck.simulators.registry import STIFF, Ground, check_names
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.heat import ThermalRating

if TYPE_CHECKING:
    from leapcheck.jumping.robustness.control import Trial


@dataclass(frozen=True, slots=True, eq=False)
class JumpSetup:
    """What is simulated: `act` (None where there is no plan), its policy called as `timing` says.

    Each simulator of `engines` runs at dt, dt/2, ... (`levels` of them): the figures' limits and error bars come from these.
    """

    spec: RobotSpec
    act: Act | None
    engines: tuple[str, ...]
    ground: Ground = field(default_factory=Ground)
    timing: Timing = field(default_factory=Timing)
    battery: Battery = field(default_factory=Battery)
    thresholds: Thresholds = field(default_factory=Thresholds)
    rating: ThermalRating | None = None
    dt: float = 1e-3
    levels: int = 3

    @property
    def plan(self) -> JumpPlan | None:
        """The plan that is followed; None for a user's controller."""
        return self.act.plan if self.act else None

    def trial(self) -> Trial:
        """The jump as a Monte Carlo repeats it."""
        from leapcheck.jumping.robustness.monte_carlo import trial_of

        assert self.act is not None
        act, contact = self.act, self.ground.contact()
        made = trial_of(
            self.spec, act.policy, act.start, act.duration, contact, self.timing, self.battery, self.dt, act.policy_factory()
        )
        turn, yaw = (act.turn, act.yaw) if act.plan is None else (act.plan.request.pitch or 0.0, act.plan.request.yaw)
        roll = (act.plan.request.roll or None) if act.plan else None
        made = replace(made, terrain=self.ground.terrain, landing=act.landing, far_edge=act.far_edge, jumps=act.jumps)
        if act.plan is not None and act.plan.request.run_up is not None:
            push = next(phase.start for phase in act.plan.phases if phase.name == "push")
            made = replace(made, run_up=act.plan.request.run_up, push=push)
        return replace(made, turn=turn, yaw=yaw, roll=roll)


def jump_setup(spec: RobotSpec, options: JumpOptions) -> JumpSetup:
    """The set-up that the options describe, without anybody who acts. Raises ValueError for an option that is invalid."""
    check_names(options.engines)
    return JumpSetup(
        spec=spec,
        act=None,
        engines=options.engines,
        ground=Ground(
            options.friction,
            replace(STIFF, solref=options.solref),
            terrain_of(options.box, options.gap, options.stairs, options.slope),
        ),
        timing=Timing(1.0 / options.rate if options.rate else 0.0, options.latency),
        battery=Battery(options.battery_voltage, options.battery_resistance),
        rating=ThermalRating(*options.motor_rating) if options.motor_rating else None,
        thresholds=thresholds_from(dict(name_value_pairs(options.threshold))),
        dt=options.dt,
        levels=options.levels,
    )
