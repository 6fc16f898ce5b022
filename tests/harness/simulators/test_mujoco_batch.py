"""The batch is a loop over mj_step to the last bit, each simulation with its own friction, payload, com and tilt."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from leapcheck.jumping.robustness.replay import perturbed_robot
from leapcheck.jumping.robustness.variation import NOTHING, Variation, draw
from leapcheck.simulators.mujoco.batch import MujocoBatch
from leapcheck.simulators.mujoco.loop import MujocoLoop
from leapcheck.simulators.mujoco.scene import FLOOR, scene
from leapcheck.simulators.protocol import LARGEST_SPEED, Draws
from leapcheck_models.robots import load
from leapcheck_reference.simulate.soft_contact import SoftContact

SPEC = load("mini_cheetah")
START = np.array(SPEC.pose("home")), np.zeros(SPEC.nv)
CONTACT = SoftContact(friction=0.6, solref=(0.01, 1.0))

LOWEST = 1e-15  # m; largest seen 2.8e-17


def batch_of(draws: Draws) -> MujocoBatch:
    return MujocoBatch(SPEC, CONTACT, 1e-3, draws, START)


def test_each_simulation_is_a_plain_loop_of_mj_step() -> None:
    rng = np.random.default_rng(0)
    batch = batch_of(draw(Variation(), 0, range(5)))
    models = [batch.model(i) for i in range(5)]
    datas = [mujoco.MjData(m) for m in models]
    for i, d in enumerate(datas):
        d.qpos[:], d.qvel[:] = batch.qpos[i], batch.qvel[i]
    dofs = [models[0].joint(actuator.joint).dofadr[0] for actuator in SPEC.actuators]
    for _ in range(300):
        torque = 4.0 * rng.standard_normal((5, 12))
        batch.step(torque)
        for i, (m, d) in enumerate(zip(models, datas, strict=True)):
            d.qfrc_applied[dofs] = torque[i]
            mujoco.mj_step(m, d)
            np.testing.assert_array_equal(batch.qpos[i], d.qpos)
            np.testing.assert_array_equal(batch.qvel[i], d.qvel)
    assert np.ptp(batch.qpos[:, 7:], axis=0).max() > 0.1  # they are different runs


def test_a_simulation_has_the_same_bits_alone() -> None:
    rng = np.random.default_rng(1)
    together, alone = batch_of(draw(Variation(), 3, range(7))), batch_of(draw(Variation(), 3, [4]))
    np.testing.assert_array_equal(together.qpos[4], alone.qpos[0])
    for _ in range(200):
        torque = 3.0 * rng.standard_normal((7, 12))
        together.step(torque)
        alone.step(torque[4:5])
    np.testing.assert_array_equal(together.qpos[4], alone.qpos[0])
    np.testing.assert_array_equal(together.qvel[4], alone.qvel[0])


def test_the_model_is_that_of_the_perturbed_robot() -> None:
    draws = draw(Variation(), 2, range(3))
    batch = batch_of(draws)
    for i in range(3):
        own, made = batch.model(i), scene(perturbed_robot(SPEC, draws, i), CONTACT)
        for field in ("body_mass", "body_ipos", "body_inertia", "body_invweight0", "dof_invweight0", "dof_armature"):
            np.testing.assert_array_equal(getattr(own, field), getattr(made, field), err_msg=field)
        friction = CONTACT.friction + draws.friction[i]
        assert own.geom(FLOOR).friction[0] == own.geom_friction[-1, 0] == friction


def test_a_tilted_robot_stands_as_low_as_an_upright_one() -> None:
    draws = draw(Variation(pitch=0.1, roll=0.1), 0, range(20))
    higher = START[0] + 0.01 * np.eye(SPEC.nq)[2], START[1]
    tilted, upright = (MujocoBatch(SPEC, CONTACT, 1e-3, of, higher) for of in (draws, draw(NOTHING, 0, range(1))))
    for batch in (tilted, upright):
        batch.step(np.zeros((len(batch.qpos), 12)))  # `lowest` is of the state before it
    assert upright.lowest[0] > 0.005
    assert np.abs(tilted.lowest - upright.lowest[0]).max() < LOWEST
    # the world's z axis in the trunk, and the trunk's nose in the world, by MuJoCo's own rotation
    for i in range(20):
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, batch_of(draw(Variation(pitch=0.1, roll=0.1), 0, [i])).qpos[0, 3:7])
        R = R.reshape(3, 3)
        assert np.arcsin(-R[2, 0]) == pytest.approx(draws.pitch[i], abs=1e-15)
        assert np.arctan2(R[2, 1], R[2, 2]) == pytest.approx(draws.roll[i], abs=1e-15)


def test_a_ground_that_moves_is_a_robot_that_moves_the_other_way() -> None:
    batch = batch_of(draw(NOTHING, 0, range(2)))
    batch.qpos[:, 2] += 1.0
    batch.step(np.zeros((2, 12)))
    batch.set_floor(np.array([True, False]), np.array([0.25, 9.0]))
    batch.step(np.zeros((2, 12)))
    assert batch.lowest[1] - batch.lowest[0] == pytest.approx(0.25, abs=1e-15)
    np.testing.assert_array_equal(batch.floor, [0.25, 0.0])


def test_those_that_stopped_stand_still() -> None:
    batch = batch_of(draw(NOTHING, 0, range(3)))
    before = batch.qpos.copy()
    batch.step(np.ones((3, 12)), np.array([2]))
    np.testing.assert_array_equal(batch.qpos[:2], before[:2])
    assert (batch.qpos[2] != before[2]).any()
    batch.step(np.ones((3, 12)), np.array([], dtype=np.intp))


def test_a_fixed_base_is_refused() -> None:
    arm = load("two_link_arm")
    with pytest.raises(ValueError, match="fixed base"):
        MujocoBatch(arm, CONTACT, 1e-3, draw(NOTHING, 0, range(1)), (np.zeros(arm.nq), np.zeros(arm.nv)))


def test_exact_rotors_cannot_be_loaded() -> None:
    with pytest.raises(ValueError, match="exact rotors"):
        MujocoLoop(SPEC, CONTACT, 1e-3, draw(Variation(), 0, [0]), START, rotors="exact")


def test_an_old_mujoco_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco.batch", None)
    with pytest.raises(RuntimeError, match=r"has no mujoco\.batch: Monte Carlo needs"):
        batch_of(draw(NOTHING, 0, range(1)))


@pytest.mark.parametrize("torque", [1e9, np.nan])
@pytest.mark.parametrize("made", [MujocoBatch, MujocoLoop])
def test_what_diverges_has_an_infinite_speed_and_leaves_no_file(
    made: type[MujocoBatch] | type[MujocoLoop],
    torque: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    simulations = made(SPEC, CONTACT, 1e-3, draw(NOTHING, 0, range(1)), START)
    for k in range(5):
        simulations.step(np.full((1, 12), torque * (-1) ** k))
    assert not np.abs(simulations.qvel).max() <= LARGEST_SPEED
    assert simulations.final_speeds().tolist() == [np.inf]
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr().err == ""
