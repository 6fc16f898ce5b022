"""The jump as a nonlinear program: laws of motion, contact, limits, and what was asked, over the moments of all stages.

Between two moments accelerations are straight lines, so angles are cubics and velocities parabolas (collocation of the laws of
motion at the moments; J. T. Betts, Practical Methods for Optimal Control, 2010, ch. 4). Feet roll without slipping; what a
contact point moves by rounding or by the step dies out at `SETTLING` (J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1, 1972).
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from leapcheck.jumping.planning.optimised.body import Body
from leapcheck.jumping.planning.optimised.charges import JumpProblem, StagePlaces, charge
from leapcheck.jumping.planning.optimised.goal import Goal
from leapcheck.jumping.planning.optimised.guess import Guess
from leapcheck.jumping.planning.optimised.limits import (
    PlanLimit,
    balance_limits,
    drive_limits,
    ground_limits,
    posture_limits,
)
from leapcheck.jumping.planning.optimised.objective import add_objective
from leapcheck.jumping.planning.optimised.program import Program
from leapcheck.jumping.planning.optimised.schedule import Stage

SETTLING = 30.0
"""1/s"""
LIFTING = 1.0
"""Acceleration (parts of gravity) at which feet leave the ground and near it."""
UPRIGHT = 3
"""Moments at the end of a push in which forces are vertical, where that is asked."""
LEVER = 0.355
"""Height, in parts of the trunk's, that counts as much as a whole limit."""
LIFT = 0.1066
"""Height of the feet over the ground in the middle of a flight, at least, in parts of the trunk's: 3 cm for Mini Cheetah."""
HARD = 100.0
"""Weight of the squared impulses at touch-down, in weights times seconds."""
JOINT_TORQUE = 10.0
"""N m: what joints' shares in an impact are scaled by."""


def problem(body: Body, stages: tuple[Stage, ...], goal: Goal, guess: Guess) -> JumpProblem:
    """The program of a jump."""
    program = Program()
    use = program.unknowns(np.array([3.0]), 0.05, 50.0)
    places = _unknowns(program, body, stages, guess, goal.impact)
    made = JumpProblem(program, places, use, program.constants(np.zeros(1)), [])
    for part in places:
        _motion(made, body, part)
        _contact(made, body, part, goal)
        _limits(made, body, part, goal)
    _ends(made, body, goal, guess)
    add_objective(made, body, goal)
    return made


def _unknowns(program: Program, body: Body, stages: tuple[Stage, ...], guess: Guess, impact: bool) -> tuple[StagePlaces, ...]:
    """Neighbouring stages share the state between them; accelerations and forces may jump there, speeds with an `impact`."""
    made: list[StagePlaces] = []
    parts = body.coordinates.forces.shape[1]
    for k, stage in enumerate(stages):
        z, zd = guess.states(k)
        first = 1 if made else 0
        moving = 0 if impact and stage is stages[-1] else first
        new_z = program.unknowns(z[first:], guess.lower, guess.upper)
        new_zd = program.unknowns(zd[moving:], -60.0, 60.0, 10.0)
        if made:
            new_z, new_zd = np.vstack([made[-1].z[-1:], new_z]), np.vstack([made[-1].zd[-1:][:moving], new_zd])
        zdd = program.unknowns(np.zeros_like(z), -5e3, 5e3, 200.0)
        force = program.unknowns(guess.forces(k, parts), -20.0, 20.0)
        duration = program.unknowns(np.array([stage.guess]), stage.least, stage.most)
        made.append(StagePlaces(stage, new_z, new_zd, zdd, force, duration))
    return tuple(made)


def _motion(made: JumpProblem, body: Body, part: StagePlaces) -> None:
    """Cubics from moment to moment."""
    n = body.coordinates.size
    now, then = ca.SX.sym("now", 3 * n), ca.SX.sym("then", 3 * n)
    duration = ca.SX.sym("duration")
    step = duration / (part.stage.moments - 1)
    (z0, v0, a0), (z1, v1, a1) = (ca.vertsplit(x, n) for x in (now, then))
    gaps = ca.vertcat(z0 + step * v0 + step**2 / 6 * (2 * a0 + a1) - z1, v0 + step / 2 * (a0 + a1) - v1)
    states = np.hstack([part.z, part.zd, part.zdd])
    durations = np.tile(part.duration, (part.stage.moments - 1, 1))
    made.program.require(ca.vertcat(now, then, duration), gaps, np.hstack([states[:-1], states[1:], durations]))


def _contact(made: JumpProblem, body: Body, part: StagePlaces, goal: Goal) -> None:
    """Laws of motion of the trunk; standing feet roll, the others give no force."""
    local = ca.vertcat(body.z, body.zd, body.zdd, body.force)
    made.program.require(local, body.trunk_rows, part.states)
    rows = _rows(body, part.stage.standing)
    if rows:
        ground = goal.ground if part is made.stages[-1] else 0.0
        height = ca.vertcat(*(x for i in part.stage.standing for x in _depth(body, i, ground)))
        settling = body.slip_rate[rows] + 2.0 * SETTLING * body.slip[rows] + SETTLING**2 * height
        made.program.require(local, settling / body.robot.gravity, part.states)
    parts = body.coordinates.forces.shape[1]
    for contact in set(range(body.coordinates.contacts)).difference(part.stage.standing):
        made.program.fix(part.force[:, contact * parts : (contact + 1) * parts], 0.0)


def _depth(body: Body, contact: int, ground: float) -> list[Any]:
    """How far (m) a contact is from where it should be: its height alone is known."""
    parts = body.coordinates.forces.shape[1]
    return [*(parts - 1) * [0.0], body.feet[contact, 2] - body.robot.radii[body.coordinates.feet[contact][0]] - ground]


def _rows(body: Body, standing: tuple[int, ...]) -> list[int]:
    parts = body.coordinates.forces.shape[1]
    return [contact * parts + i for contact in standing for i in range(parts)]


def _limits(made: JumpProblem, body: Body, part: StagePlaces, goal: Goal) -> None:
    """Drives, joints and legs; standing, also the ground and what must stay off it; flying, the way over what is in the way."""
    use, moments = ca.SX.sym("use"), part.stage.moments
    limits: list[PlanLimit] = [*drive_limits(body, goal.drives, goal.battery, use), *posture_limits(body, use)]
    if part.stage.standing:
        ground = goal.ground if part is made.stages[-1] else 0.0
        limits += ground_limits(body, goal.friction, use, part.stage.standing, ground)
    if goal.impact and part is made.stages[-1]:
        limits += balance_limits(body, use, goal.ground)
    local = ca.vertcat(body.z, body.zd, body.zdd, body.force, use)
    charge(made, local, limits, np.hstack([part.states, np.tile(made.use, (moments, 1))]))
    flying = sorted(set(range(body.coordinates.contacts)).difference(part.stage.standing))
    if not flying:
        return
    share, s = ca.SX.sym("share"), np.linspace(0.0, 1.0, moments)
    shares = made.program.constants(4.0 * s * (1.0 - s) * (not part.stage.standing))
    size = body.robot.size
    height = body.feet[flying, 2] - body.robot.radii[0] - goal.height_below(body.feet[flying, 0], size)
    places = np.hstack([part.z, shares[:, None]])[1:-1]
    charge(made, ca.vertcat(body.z, share), [PlanLimit("lift", (LIFT * size * share - height) / (LEVER * size))], places)
    parts = body.coordinates.forces.shape[1]
    rising = body.slip_rate[[parts * contact + parts - 1 for contact in flying]] / body.robot.gravity
    local = ca.vertcat(body.z, body.zd, body.zdd)
    moments_near = [0] if part.stage.standing else [0, -1]
    charge(made, local, [PlanLimit("lift", LIFTING - rising)], np.hstack([part.z, part.zd, part.zdd])[moments_near])
    if not part.stage.standing:
        if goal.impact:
            _limits_between(made, body, part, goal)
        above = body.points[:, 2] - goal.height_below(body.points[:, 0], size)
        low = PlanLimit("clearance", (LIFT * size - above) / (LEVER * size))
        charge(made, body.z, [low], part.z)


def _limits_between(made: JumpProblem, body: Body, part: StagePlaces, goal: Goal) -> None:
    """The drives' limits half-way between the moments: the legs of a flip are fastest there."""
    use, duration = ca.SX.sym("use"), ca.SX.sym("duration")
    excess = ca.vertcat(*(limit.excess for limit in drive_limits(body, goal.drives, goal.battery, use)))
    function = ca.Function("excess", [body.z, body.zd, body.zdd, body.force, use], [excess])
    sizes = [0, *np.cumsum(3 * [body.coordinates.size] + [body.force.numel()]).tolist()]
    now, then = ca.SX.sym("now", sizes[-1]), ca.SX.sym("then", sizes[-1])
    step = duration / (part.stage.moments - 1)
    (z, zd, a0, f0), (_, _, a1, f1) = (ca.vertsplit(x, sizes) for x in (now, then))
    half = z + step / 2 * zd + step**2 / 48 * (5 * a0 + a1), zd + step / 8 * (3 * a0 + a1), (a0 + a1) / 2, (f0 + f1) / 2
    places = np.tile(np.concatenate([part.duration, made.use]), (part.stage.moments - 1, 1))
    local = ca.vertcat(now, then, duration, use)
    charge(made, local, [PlanLimit("between", function(*half, use))], np.hstack([part.states[:-1], part.states[1:], places]))


def _ends(made: JumpProblem, body: Body, goal: Goal, guess: Guess) -> None:
    """Start at rest, take-off and touch-down as asked, end at rest."""
    program, base = made.program, body.coordinates.base
    first, last = made.stages[0], made.stages[-1]
    program.fix(first.z[0], guess.start)
    program.fix(first.zd[0], 0.0)
    program.fix(first.zdd[0, :base], 0.0)
    program.fix(last.zd[-1, :base], 0.0)
    program.fix(last.zdd[-1, :base], 0.0)
    program.fix(last.z[-1, goal.final_places], goal.final_values)
    crouched = made.stages[0]
    state = np.hstack([crouched.z[-1], crouched.zd[-1]])
    local = ca.vertcat(body.z, body.zd)
    program.require(local, body.com_velocity[2], state)
    air = made.stages[-2]
    if goal.run_up is not None:
        _run_up(made, body, goal.run_up)
    state = np.hstack([air.z[0], air.zd[0]])
    if goal.merit != "height":
        program.require(local, body.com_velocity[2] - goal.speed, state)
    if goal.upright:
        last_forces = made.stages[-3].force[-UPRIGHT:]
        program.fix(last_forces.reshape(UPRIGHT, body.coordinates.contacts, -1)[..., :-1], 0.0)
    if goal.distance is not None:
        duration = ca.SX.sym("duration")
        ways = body.coordinates.forces.shape[1] - 1  # forward, and sideways where that is planned
        flown = body.com_velocity[:ways] * duration - np.array([goal.distance, 0.0])[:ways]
        program.require(ca.vertcat(local, duration), flown, np.hstack([state, air.duration]))
    rows = _rows(body, last.stage.standing)
    program.require(local, body.slip[rows], np.hstack([last.z[0], last.zd[0]]))
    if goal.impact:
        _impact(made, body, goal)
    program.require(body.z, body.feet[:, 2] - body.robot.radii[0] - goal.ground, air.z[-1])
    if goal.footing is not None:
        program.require(body.z, body.feet[:, 0], air.z[-1], *goal.footing)
    program.fix(air.z[-1, goal.turn_places], goal.turn_values)


def _run_up(made: JumpProblem, body: Body, speed: float) -> None:
    """The hop flies forward with that speed, and all feet come down at rest."""
    hop = next(part for part in made.stages if part.stage.name == "run-up")
    local, end = ca.vertcat(body.z, body.zd), np.hstack([hop.z[-1], hop.zd[-1]])
    made.program.require(local, body.com_velocity[0] - speed, end)
    made.program.require(local, body.slip, end)
    made.program.require(body.z, body.feet[:, 2] - body.robot.radii[0], hop.z[-1])


def _impact(made: JumpProblem, body: Body, goal: Goal) -> None:
    """The feet stop at once at touch-down: impulses inside the friction cone change all speeds, M (v+ - v-) = J^T impulse."""
    air, last = made.stages[-2], made.stages[-1]
    parts, n = body.coordinates.forces.shape[1], body.coordinates.size
    before, after, use = ca.SX.sym("before", n), ca.SX.sym("after", n), ca.SX.sym("use")
    impulse = ca.SX.sym("impulse", body.force.numel())
    joints = ca.mtimes(body.coordinates.matrix[body.robot.joint_v, body.coordinates.base :].T, body.torque)
    laws = ca.Function("laws", [body.z, body.zd, body.zdd, body.force], [ca.vertcat(body.trunk_rows, joints / JOINT_TORQUE)])
    rest = ca.SX.zeros(n)
    changes = laws(body.z, rest, after - before, impulse) - laws(body.z, rest, rest, 0.0 * impulse)  # gravity gives no impulse
    places = made.program.unknowns(np.zeros(impulse.numel()), -1.0, 1.0, 0.1)
    speeds = [air.z[-1], air.zd[-1], last.zd[0]]
    made.program.require(ca.vertcat(body.z, before, after, impulse), changes, np.concatenate([*speeds, places]))
    made.program.minimise(impulse, HARD * ca.sumsqr(impulse), places)
    pushes = [ca.vertsplit(one) for one in ca.vertsplit(impulse, parts)]
    cone = [sign * x - use * goal.friction * one[-1] for one in pushes for x in one[:-1] for sign in (1.0, -1.0)]
    limit = PlanLimit("friction of the impulse", ca.vertcat(*cone, *(-one[-1] for one in pushes)))
    charge(made, ca.vertcat(impulse, use), [limit], np.concatenate([places, made.use])[None])
