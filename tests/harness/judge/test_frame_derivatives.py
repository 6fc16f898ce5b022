"""Derivatives of frames' motion: Pinocchio's three reference frames, by its own calls, are named; broken laws are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.registry import make_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.identities import identities
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load

SPEC = load("pupper_leg")
TREE = reference.build(SPEC)
STATES = generated_states(SPEC, 8, 1, 0)
VELOCITY, ACCELERATION, BY_V = NAMES = (
    *("frame_velocity_derivative_q", "frame_acceleration_derivative_q"),
    "frame_acceleration_derivative_v",
)
AXES = pin.ReferenceFrame


class OwnCalls:
    """Pinocchio's derivatives as it gives them in some axes: linear first, spatial."""

    def __init__(self, axes: pin.ReferenceFrame) -> None:
        engine = make_engine("pinocchio", SPEC)
        assert isinstance(engine, PinocchioEngine)
        assert np.array_equal(engine.convention.shuffle, np.eye(SPEC.nv))  # a fixed base: the dofs are canonical
        self._engine, self._axes = engine, axes
        self._rest = np.zeros(SPEC.nv)

    def frame_velocity_derivative_q(self, q: Floats, v: Floats) -> Floats:
        return self._derivatives(q, v, self._rest)[0]

    def frame_acceleration_derivative_q(self, q: Floats, v: Floats, vdot: Floats) -> Floats:
        return self._derivatives(q, v, vdot)[1]

    def frame_acceleration_derivative_v(self, q: Floats, v: Floats) -> Floats:
        return self._derivatives(q, v, self._rest)[2]

    def _derivatives(self, q: Floats, v: Floats, vdot: Floats) -> list[Floats]:
        model, data, axes = self._engine._model, self._engine._data, self._axes
        frames = [*(model.getBodyId(body.name) for body in SPEC.bodies), *self._engine._frames]
        own = pin.neutral(model)
        for joint, angle in zip(list(model.joints)[1:], q, strict=True):  # (cos, sin) where it has no limits
            own[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        pin.computeForwardKinematicsDerivatives(model, data, own, v, vdot)
        pin.updateFramePlacements(model, data)
        rows = [pin.getFrameAccelerationDerivatives(model, data, frame, axes)[:3] for frame in frames]
        return [np.array([np.reshape(row[i], (6, -1)) for row in rows]) for i in range(3)]


def causes(source: Any, names: tuple[str, ...] = NAMES) -> list[str]:
    diagnoses = diagnose(SPEC, user_engine(source, SPEC), STATES, names)
    assert not any(diagnosis.unexplained for diagnosis in diagnoses)
    return [cause.name for diagnosis in diagnoses for cause in diagnosis.causes]


@pytest.mark.parametrize(
    ("axes", "name"),
    [(AXES.LOCAL, "local-spatial"), (AXES.WORLD, "world"), (AXES.LOCAL_WORLD_ALIGNED, "place-held")],
)
def test_each_of_pinocchio_s_frames_is_named(axes: pin.ReferenceFrame, name: str) -> None:
    assert causes(OwnCalls(axes)) == [f"frame-derivative/{name}+linear-first"]


@pytest.mark.parametrize(
    ("quantity", "laws"),
    [(VELOCITY, {"dV/dq v = frame bias acceleration", "dA/dv = dV/dq + Jdot"}), (BY_V, {"dA/dv = dV/dq + Jdot"})],
)
def test_laws(quantity: str, laws: set[str]) -> None:
    names = (*NAMES, "frame_bias_accelerations", "frame_jacobian_rates")
    functions = {name: lambda *state, name=name: getattr(reference, name)(TREE, *state) for name in names}
    functions[quantity] = lambda *state: (1.0 + 1e-6) * getattr(reference, quantity)(TREE, *state)
    found = identities(make_engine_set(SPEC, ["reference", user_engine(functions, SPEC, "own")], names, False), STATES).identities
    assert {(row.engine, row.law) for row in found if not row.holds} == {("own", law) for law in laws}
