"""MuJoCo's adapter: exact values in the compiled model, storage of M on both generations, what is left out of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from leapcheck.engines.errors import EngineError
from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.registry import FACTORIES, make_engine
from leapcheck.quantities import DEFAULT
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import Body, ContactPoint, Inertia, Joint, JointType, RobotSpec
from leapcheck_models.validation import rotational_matrix
from tests.harness.engines.engine_cases import error, near_states, own_states

pytestmark = pytest.mark.quick

EXACT = 2e-15  # inertia out of principal axes, relative to its trace: measured 5.0e-16
WRITTEN = 5e-14  # a model written over, against the reference, scale-free: measured 2e-15
NOT_EXACT = 1e-3  # what the file's nearest realisable hip inertia is off by, relative: measured 1.1e-2


def compiled_inertia(m: mujoco.MjModel, name: str) -> np.ndarray:
    """Inertia of a body about its com in body axes, out of the compiled model."""
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, m.body(name).iquat)
    R = axes.reshape(3, 3)
    return R @ np.diag(m.body(name).inertia) @ R.T


@pytest.mark.parametrize("robot", ["mini_cheetah", "mini_cheetah_armature", "random:36"])
@pytest.mark.parametrize("build", [mujoco_build.model_from_mjcf, mujoco_build.model_from_urdf], ids=["mjcf", "urdf"])
def test_compiled_model_has_the_exact_values(robot: str, build: Callable[[RobotSpec, RobotSpec], mujoco.MjModel]) -> None:
    spec = load(robot)
    full = with_rotor_bodies(spec).spec
    m = build(spec, full)
    for body in full.bodies:
        true = rotational_matrix(body.inertia.rotational)
        error = np.abs(compiled_inertia(m, body.name) - true).max() / np.trace(true)
        assert error < EXACT, body.name
        assert m.body(body.name).mass == body.inertia.mass
        np.testing.assert_array_equal(m.body(body.name).ipos, body.inertia.com)
    joints = {body.joint.name: body.joint for body in full.bodies}
    for name, place in mujoco_build.places(full, m).items():
        assert m.dof_armature[place.v] == joints[name].armature, name
    np.testing.assert_array_equal(m.opt.gravity, spec.gravity)


def test_every_value_is_written_not_only_those_that_files_get_wrong() -> None:
    """A model of another robot of the same build becomes this one."""
    point = ContactPoint("point", "lower", (0.1, 0.02, -0.03))  # at the first com: MuJoCo has a short cut for equal frames
    bodies = (
        Body(
            "upper",
            Joint("a", JointType.REVOLUTE, (0.0, 0.6, 0.8)),
            Inertia(1.0, (0.1, 0.0, 0.2), (0.2, 0.01, 0.02, 0.3, 0.03, 0.25)),
        ),
        Body(
            "lower",
            Joint("b", JointType.PRISMATIC, (1.0, 0.0, 0.0)),
            Inertia(2.0, point.position, (0.1, 0.0, 0.0, 0.2, 0.0, 0.15)),
            "upper",
        ),
    )
    other = RobotSpec("other", bodies, (point,))
    upper, lower = bodies
    lower = replace(
        lower,
        inertia=Inertia(3.0, (0.0, 0.1, 0.0), (0.3, 0.02, 0.0, 0.2, 0.01, 0.25)),
        joint=replace(lower.joint, armature=0.7),
    )
    spec = replace(other, bodies=(upper, lower), gravity=(1.0, 2.0, -3.0))
    m = mujoco_build.model_from_mjcf(other, other)
    mujoco_build.write_exact_values(spec, m)
    states = near_states(spec, 10)
    found = MujocoEngine("mujoco", spec, spec, m, "", storage=True).evaluate(states, DEFAULT)
    expected = make_engine("reference", spec).evaluate(states, DEFAULT)
    for quantity, values in found.items():
        assert error(quantity, values, expected[quantity], expected["mass_matrix"], states.v) < WRITTEN, quantity


def test_the_plain_file_alone_has_another_hip() -> None:
    spec = load("mini_cheetah")
    hip = next(body for body in spec.bodies if body.name == "FL_hip")
    true = rotational_matrix(hip.inertia.rotational)
    plain = mujoco.MjModel.from_xml_string(mjcf_text(spec))
    assert np.abs(compiled_inertia(plain, "FL_hip") - true).max() / np.trace(true) > NOT_EXACT


def test_a_simple_body_stays_simple() -> None:
    engine = make_engine("mujoco", load("box"))
    states = near_states(load("box"), 4)
    storage = engine.evaluate(states, ("csr", "qM", "mass_matrix"))
    assert storage["csr"].shape == (4, 6)  # diagonal only
    assert storage["qM"].shape == (4, 21)


def test_a_body_that_was_compiled_as_simple_and_is_not_is_refused() -> None:
    spec = load("box")
    m = mujoco.MjModel.from_xml_string(mjcf_text(spec))
    body = replace(spec.bodies[0], inertia=replace(spec.bodies[0].inertia, com=(0.0, 0.0, 0.1)))
    with pytest.raises(EngineError, match="body 'box' was compiled as simple"):
        mujoco_build.write_exact_values(replace(spec, bodies=(body,)), m)


@pytest.mark.parametrize("robot", ["mini_cheetah", "box", "random:10"])
def test_legacy_and_sparse_storage_hold_the_same_matrix(robot: str) -> None:
    """qM by its addressing, from the diagonal up the ancestors, and M made of CSR, against mj_fullM."""
    spec = load(robot)
    engine = make_engine("mujoco", spec)
    assert isinstance(engine, MujocoEngine)
    m = mujoco_build.model_from_mjcf(spec, with_rotor_bodies(spec).spec)
    at = own_states(engine, near_states(spec, 3))
    dense = engine.own_calls(at, ("M",))["M"]
    np.testing.assert_array_equal(engine.own_numbers(at, ("M",))["M"], dense)
    qM, from_qM = engine.own_numbers(at, ("qM",))["qM"], np.zeros_like(dense)
    for i in range(m.nv):
        j, address = i, m.dof_Madr[i]
        while j >= 0:
            from_qM[:, i, j] = from_qM[:, j, i] = qM[:, address]
            j, address = m.dof_parentid[j], address + 1
    np.testing.assert_array_equal(from_qM, dense)


def test_made_up_qM_is_the_real_one_where_it_still_exists() -> None:
    spec = load("random:10")
    m = mujoco_build.model_from_mjcf(spec, with_rotor_bodies(spec).spec)
    d = mujoco.MjData(m)
    mujoco.mj_fwdPosition(m, d)
    if not hasattr(d, "qM"):
        assert tuple(map(int, mujoco.__version__.split(".")[:2])) >= (3, 11)
        return
    made = np.zeros(m.nM)
    made[m.mapM2M] = d.M
    np.testing.assert_array_equal(made, d.qM)


def test_the_massless_common_root_is_left_out_so_that_each_root_is_a_tree_of_its_own() -> None:
    spec = load("tree4_1")
    roots = [body.name for body in spec.bodies if body.parent == "world"]
    m = mujoco_build.model_from_mjcf(spec, spec)
    assert len(roots) > 1
    assert {m.body(i).name for i in set(m.body_rootid[1:])} == set(roots)


def test_passive_forces_and_limits_do_not_reach_the_forward_dynamics() -> None:
    spec = load("mini_cheetah_armature")
    without = replace(
        spec, bodies=tuple(replace(b, joint=replace(b.joint, damping=0.0, friction=0.0, limits=None)) for b in spec.bodies)
    )
    states = near_states(spec, 8)
    assert any(body.joint.damping for body in spec.bodies)
    found, plain = (make_engine("mujoco", s).evaluate(states, ("forward_dynamics",)) for s in (spec, without))
    np.testing.assert_array_equal(found["forward_dynamics"], plain["forward_dynamics"])


def test_a_robot_that_mujoco_refuses_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    massless = "<mujoco>\n<worldbody><body name='ghost'><joint/><geom size='1' mass='0'/></body></worldbody></mujoco>"
    monkeypatch.setitem(FACTORIES, "mujoco", lambda _spec: mujoco.MjModel.from_xml_string(massless))
    with pytest.raises(EngineError, match=r"^mujoco: cannot hold robot 'box': ValueError: .*mass and inertia.*ghost") as caught:
        make_engine("mujoco", load("box"))
    assert "\n" not in str(caught.value)


def test_a_body_that_the_file_lacks_is_named() -> None:
    spec = load("two_link_arm")
    m = mujoco.MjModel.from_xml_string(mjcf_text(load("pupper_leg")))
    with pytest.raises(EngineError, match=f"no body '{spec.bodies[0].name}'"):
        mujoco_build.write_exact_values(spec, m)


def test_version_and_route() -> None:
    engine = make_engine("mujoco", load("mini_cheetah"))
    assert engine.version == mujoco.__version__
    assert engine.route == "MJCF, exact values written; rotors as bodies, 30 dof projected onto 18 with the gear matrix"
