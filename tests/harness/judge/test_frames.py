"""Conventions of frames, planted through Pinocchio's own three and MuJoCo's com-based Jacobian, and named."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import make_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.quantities import quantity_names
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from tests.harness.engines.engine_cases import own_states

SPEC = load("mini_cheetah_armature")
NAMES = quantity_names(("kinematics",))
RATES = "frame_jacobian_rates"
STATES = generated_states(SPEC, 16, 1, 0)
AXES = pin.ReferenceFrame

COM = ("com_position", "com_velocity")

ROUNDING = 1e-11
"""Of scale-free errors of answers that are converted, far from the origin too; measured: 9.0e-13."""


class Changed:
    """The reference with other answers to some quantities."""

    version = "0"
    route = "in this test"
    name = "changed"
    quantities = frozenset(NAMES)

    def __init__(self, changed: Answers) -> None:
        self._inside, self._changed = ReferenceEngine(SPEC), changed

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        assert len(states) == len(STATES)
        return dict(self._inside.evaluate(states, (*NAMES, *COM))) | self._changed


def causes(changed: Answers) -> list[str]:
    (diagnosis,) = diagnose(SPEC, Changed(changed), STATES, NAMES)
    assert not diagnosis.unexplained
    return [cause.name for cause in diagnosis.causes]


def pinocchio_answers(axes: pin.ReferenceFrame, classical: bool) -> Answers:
    """Velocities, Jacobians and accelerations of all frames in axes of Pinocchio's, linear first, in canonical dofs."""
    engine = make_engine("pinocchio", SPEC)
    assert isinstance(engine, PinocchioEngine)
    model, data = engine._model, engine._data
    ids = [*(model.getBodyId(body.name) for body in SPEC.bodies), *engine._frames]
    acceleration = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
    rows: dict[str, list[Floats]] = {name: [] for name in NAMES[1:]}
    columns = [*range(3, 6), *range(3), *range(6, SPEC.nv)]  # [v; w] to [w; v]
    at = own_states(engine, STATES)
    T = engine.convention.shuffle
    assert np.array_equal(T[:6, :6], np.eye(6)[columns[:6]])
    for q, v in zip(at.q, at.v, strict=True):
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        rates = [pin.getFrameJacobianTimeVariation(model, data, i, axes) @ T for i in ids]
        rows["frame_jacobian_rates"].append(np.array(rates))
        rows["frame_velocities"].append(np.array([pin.getFrameVelocity(model, data, i, axes).vector for i in ids]))
        rows["frame_jacobians"].append(np.array([pin.getFrameJacobian(model, data, i, axes) @ T for i in ids]))
        rows["frame_bias_accelerations"].append(np.array([acceleration(model, data, i, axes).vector for i in ids]))
    return {name: np.array(blocks) for name, blocks in rows.items()}


@pytest.mark.parametrize(
    ("axes", "classical", "names"),
    [
        (AXES.LOCAL_WORLD_ALIGNED, True, ["frame/linear-first"]),
        (AXES.LOCAL, True, ["frame/local+linear-first"]),
        (AXES.WORLD, False, ["frame/world+linear-first"]),
    ],
)
def test_each_of_pinocchio_s_frames_is_named(axes: pin.ReferenceFrame, classical: bool, names: list[str]) -> None:
    assert causes(pinocchio_answers(axes, classical)) == names


def test_a_spatial_acceleration_is_told_from_the_classical_one() -> None:
    spatial = pinocchio_answers(AXES.LOCAL_WORLD_ALIGNED, False)["frame_bias_accelerations"]
    assert causes({"frame_bias_accelerations": np.roll(spatial, 3, axis=2)}) == ["frame/spatial"]


def test_forgotten_parts_of_jdot_are_named() -> None:
    inside = ReferenceEngine(SPEC).evaluate(STATES, NAMES)
    R, w = inside["frame_placements"][..., :3], inside["frame_velocities"][..., :3]
    turned = np.concatenate(np.einsum("nfji,pnfjk->pnfik", R, np.array(np.split(inside[RATES], 2, axis=2))), axis=2)
    assert causes({RATES: turned}) == ["frame/turned-rates"]
    missing = np.swapaxes(np.cross(w[:, :, None], np.swapaxes(inside["frame_jacobians"][..., 3:, :], 2, 3)), 2, 3)
    spatial = inside[RATES] - np.concatenate([0.0 * missing, missing], axis=2)
    assert causes({RATES: spatial}) == ["frame/spatial-rates"]


def error_as_declared(changed: Answers, point: str) -> float:
    """The largest error of an engine that declares the point of its answers."""
    ((name, right),) = ReferenceEngine(SPEC).evaluate(STATES, tuple(changed)).items()
    members = {"evaluate": Changed(changed).evaluate, "quantities": (*NAMES, *COM), "conventions": {"frame_point": point}}
    engine = user_engine(members, SPEC)
    return float(np.max(scale_free(engine.evaluate(STATES, (name,))[name] - right, scales(name, right))))


def test_mujoco_s_jacobian_at_the_com_is_named() -> None:
    engine = make_engine("mujoco", SPEC)
    assert isinstance(engine, MujocoEngine)
    m, d = engine._calls.model, mujoco.MjData(engine._calls.model)
    J = ReferenceEngine(SPEC).evaluate(STATES, ("frame_jacobians",))["frame_jacobians"].copy()
    T = np.eye(SPEC.nv)
    for i, (q, state_q) in enumerate(zip(own_states(engine, STATES).q, STATES.q, strict=True)):
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, state_q[3:7])
        T[:6, :6] = np.block([[np.zeros((3, 3)), R.reshape(3, 3)], [np.eye(3), np.zeros((3, 3))]])
        for k, body in enumerate(SPEC.bodies):
            linear, angular = np.zeros((2, 3, m.nv))
            mujoco.mj_jacBodyCom(m, d, linear, angular, m.body(body.name).id)
            J[i, k] = np.concatenate([angular, linear]) @ T
    assert causes({"frame_jacobians": J}) == ["frame/com:frame_jacobians"]
    assert error_as_declared({"frame_jacobians": J}, "com") < ROUNDING


def mujoco_motions() -> tuple[Floats, Floats]:
    """MuJoCo's cvel (n, links, 6) and [xmat, xipos] (n, links, 3, 4)."""
    engine = make_engine("mujoco", SPEC)
    assert isinstance(engine, MujocoEngine)
    m, d, at = engine._calls.model, mujoco.MjData(engine._calls.model), own_states(engine, STATES)
    ids, velocities, places = [m.body(body.name).id for body in SPEC.bodies], [], []
    for q, v in zip(at.q, at.v, strict=True):
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        velocities.append(d.cvel[ids].copy())
        places.append(np.concatenate([d.xmat[ids].reshape(-1, 3, 3), d.xipos[ids][..., None]], axis=2))
    return np.array(velocities), np.array(places)


def test_mujoco_s_cvel_and_xipos_are_named() -> None:
    velocities, places = mujoco_motions()
    carriers = [SPEC.body_index(point.body) for point in SPEC.contact_points if point.computed]
    everywhere = np.concatenate([velocities, velocities[:, carriers]], axis=1)  # a point has its link's
    assert causes({"frame_velocities": everywhere}) == ["frame/tree-com:frame_velocities"]
    assert error_as_declared({"frame_velocities": everywhere}, "robot com") < ROUNDING
    placements = ReferenceEngine(SPEC).evaluate(STATES, NAMES)["frame_placements"].copy()
    placements[:, : len(SPEC.bodies)] = places
    assert causes({"frame_placements": placements}) == ["frame/placement-at-com"]
