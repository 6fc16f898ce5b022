"""Limits of MuJoCo's steps on the planned push, against the adaptive reference and, as the contact gets stiff, rigid contact."""

from functools import cache

import numpy as np
import pytest

from leapcheck.simulators.mujoco.simulator import MujocoSimulator
from leapcheck_evidence.studies import ledgers, limits, stiff_limit
from leapcheck_evidence.studies.planned_push import DURATION, HEIGHT, planned_push
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator
from leapcheck_reference.simulate.soft import SoftContact

EULER = 1e-6  # relative, of four levels from 0.125 ms; largest seen 7.6e-8
ORDERS = (0.8, 1.1)  # seen .906 and .854
DISCRETE = 2e-5  # relative, at 1/16 ms; seen 9.6e-6, and 1.1e-4 from the lumped model
RIGID = 5e-3  # relative, of the rigid step of 0.5 ms from the plan's take-off speed; largest seen 1.5e-3


@cache
def euler() -> limits.Limit:
    return limits.limit("Euler", "armature", [1.25e-4 / 2**k for k in range(4)])


def test_eulers_limit_is_the_reference_and_its_error_bar_covers_the_difference() -> None:
    found = euler()
    assert (found.relative < EULER).all()
    assert (np.abs(found.extrapolation.limit - found.reference) <= found.extrapolation.error).all()
    assert ((found.extrapolation.order > ORDERS[0]) & (found.extrapolation.order < ORDERS[1])).all()


def test_another_model_has_another_limit() -> None:
    """A contact that is half a per cent stiffer is told apart by many error bars."""
    found = euler()
    stiffer = limits.reference(planned_push("mini_cheetah_armature"), SoftContact(friction=0.8, solref=(0.0199, 1.0)))
    assert (np.abs(stiffer - found.extrapolation.limit) > 10 * found.extrapolation.error).all()


def test_the_planned_push_takes_the_robot_to_the_height_it_was_planned_for() -> None:
    planned = planned_push("mini_cheetah")
    speed, rise = planned.push_figures(RigidSimulator(Plant(planned.robot.spec), 5e-4))
    assert speed == pytest.approx(np.sqrt(2 * planned.robot.gravity * HEIGHT), rel=RIGID)
    assert rise == pytest.approx(HEIGHT + speed * DURATION / 2, rel=RIGID)
    at_rest = planned.torque(0.0, planned.start, np.zeros(18))
    angles = planned.torque(0.0, planned.start + np.eye(19)[8], np.zeros(18))
    assert (at_rest - angles)[1] == pytest.approx(40.0)


def test_a_stiffer_contact_is_nearer_to_the_rigid_one() -> None:
    planned = planned_push("mini_cheetah")
    rigid = planned.push_figures(RigidSimulator(Plant(planned.robot.spec), 1.25e-4))
    far, near = (
        np.abs(limits.reference(planned, SoftContact(friction=0.8, solref=(constant, 1.0))) - rigid) for constant in (0.02, 0.005)
    )
    assert (near < far / 4).all()


def test_mujocos_discrete_steps_tend_to_the_exact_rotors_too() -> None:
    """What is added between mj_step1 and mj_step2 is in its steps: its speed is far from that of the lumped model's."""
    exact, lumped = planned_push("mini_cheetah"), planned_push("mini_cheetah_armature")
    speed = exact.push_figures(MujocoSimulator(exact.robot.spec, limits.CONTACT, 6.25e-5, "discrete"))[0]
    wrong = [abs(speed / limits.reference(push, limits.CONTACT)[0] - 1.0) for push in (exact, lumped)]
    assert wrong[0] < DISCRETE
    assert wrong[1] > 4 * DISCRETE


@pytest.mark.slow
@pytest.mark.parametrize("study", [limits, ledgers, stiff_limit], ids=lambda study: study.__name__.rpartition(".")[2])
def test_the_studies_goals_are_met(study) -> None:
    rows = study.rows()
    assert rows
    assert [row for row in rows if not row.met] == []
