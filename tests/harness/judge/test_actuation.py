"""Torques of actuators of users' engines: gears, limits and back-emf that are left out are named."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import leapcheck_reference as reference
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import ControlLaw, RobotSpec

pytestmark = pytest.mark.quick

ARM = load("two_link_arm")
JOINTS = [body.joint.name for body in ARM.bodies if body.joint.axis]
BIAS = (0.1, -3.0, -0.4)
LAWS = tuple(ControlLaw(joint, joint, 3.0, 0.7, BIAS, (-4.0, 5.0), (-6.0, 8.0)) for joint in JOINTS)


def of(**law: object) -> RobotSpec:
    return replace(ARM, laws=tuple(replace(own, **law) for own in LAWS))


@pytest.mark.parametrize(
    ("planted", "name"),
    [
        (of(gear=1.0), "no-gear"),
        (of(control_limits=None), "no-control-limits"),
        (of(force_limits=None), "no-force-limits"),
        (of(control_limits=(-4.0 / 3.0, 5.0 / 3.0)), "limits-at-joint"),
        (of(bias=(0.1, -3.0, 0.0)), "no-speed"),
        (of(bias=(0.1, 0.0, -0.4)), "no-position"),
    ],
)
def test_other_laws_are_named(planted: RobotSpec, name: str) -> None:
    tree = reference.build(planted)

    def torques(q: Floats, v: Floats, tau: Floats) -> Floats:
        return reference.actuator_torques(tree, q, v, tau)

    spec = of()
    engine = user_engine(SimpleNamespace(actuator_torques=torques), spec)
    diagnoses = diagnose(spec, engine, generated_states(spec, 16, 1, 0), ("actuator_torques",))
    assert not any(diagnosis.unexplained for diagnosis in diagnoses)
    assert [cause.name for diagnosis in diagnoses for cause in diagnosis.causes] == [f"actuation/{name}"]
