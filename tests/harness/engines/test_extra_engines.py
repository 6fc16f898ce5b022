"""Drake and MJX, engines out of optional extras: right to rounding wherever they are installed, and only asked for by name."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.coordinates import conventions
from leapcheck.engines.file_engines import FileRequest
from leapcheck.engines.registry import ENGINE_NAMES, make_engine
from leapcheck.judge.evidence import evidence
from leapcheck.quantities import CORE, QuantityGroup, names_of_group
from leapcheck.robots.load import named_robot, read_robot_file
from leapcheck.sampling import generated_states
from leapcheck.study import run_comparison
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.urdf import urdf_text
from tests.harness.engines.engine_cases import near_states, own_states
from tests.harness.robots.files import INERTIAL, URDF

PENDULUM = f"""
<robot name="pendulum">
  <link name="stand"/>
  <link name="arm">{INERTIAL}</link>
  <joint name="hinge" type="continuous"><parent link="stand"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""

ENERGIES = {"kinetic_energy", "potential_energy"}
RECURSION = {*CORE, "inverse_dynamics", "inverse_dynamics_with_contacts"}
ANSWERED = {
    "drake": {*RECURSION, *names_of_group(QuantityGroup.KINEMATICS), *names_of_group(QuantityGroup.CENTROIDAL)}
    - {"frame_jacobian_rates", "centroidal_momentum_matrix", "centroidal_momentum_rate"},
    "mjx": {
        *RECURSION,
        *names_of_group(QuantityGroup.KINEMATICS),
        "com_position",
        "com_velocity",
        "centroidal_momentum",
        "minverse",
    }
    - ENERGIES,
}

needs_drake = pytest.mark.skipif(find_spec("pydrake") is None, reason="Drake is not here: pip install 'leapcheck[drake]'")
needs_mjx = pytest.mark.skipif(find_spec("jax") is None, reason="MJX is not here: pip install 'leapcheck[mjx]'")
slow = pytest.mark.slow

DRAKE = ("mini_cheetah", "mini_cheetah_armature", "two_link_arm", "pupper_leg", "falling_rod", "random:1", "random:2", "random:3",
    "random:4", "random:5", "random:10")  # fmt: skip
# 1 to 5: ball joints, which Drake holds as floating ones; 10: three free bases.

MJX = ("two_link_arm",)
MJX_SLOW = ("mini_cheetah", "mini_cheetah_armature", "pupper_leg", "random:1", "random:2", "random:3")  # compiled for 5 to 30 s


@pytest.mark.parametrize(
    ("name", "robot"),
    [
        *(pytest.param("drake", robot, marks=needs_drake) for robot in DRAKE),
        *(pytest.param("mjx", robot, marks=needs_mjx) for robot in MJX),
        *(pytest.param("mjx", robot, marks=[needs_mjx, slow]) for robot in MJX_SLOW),
    ],
)
def test_right_to_rounding(name: str, robot: str) -> None:
    """All quantities, far states among them; more states than MJX takes at once."""
    spec = load(robot)
    engine = make_engine(name, spec)
    assert engine.name == name
    assert engine.quantities == ANSWERED[name]
    found = evidence(spec, engine, generated_states(spec, 80, 5, 0), sorted(engine.quantities))
    assert found.deviating == ()


@needs_drake
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (URDF, "urdf"),
        (PENDULUM, "urdf"),
        (urdf_text(load("pupper_leg")), "urdf"),
        (mjcf_text(load("mini_cheetah_armature")), "xml"),  # joints with damping
    ],
    ids=["floating", "fixed", "world", "mjcf"],
)
def test_files_as_drake_parses_them(text: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"robot.{kind}"
    path.write_text(text)
    file = read_robot_file(str(path))
    assert file is not None
    engine = FileRequest("drake-file", file).build()
    assert engine.quantities == RECURSION
    assert evidence(file.spec, engine, generated_states(file.spec, 80, 5, 0), sorted(engine.quantities)).deviating == ()


@needs_drake
def test_drake_takes_no_mimics_in_forward_dynamics(tmp_path: Path) -> None:
    mimic = '<limit effort="1" velocity="1" lower="-1" upper="1"/><mimic joint="z_first"/></joint>'
    (tmp_path / "robot.urdf").write_text(
        URDF.replace(
            '<limit lower="-1" upper="1" effort="5" velocity="2"/>\n  </joint>\n  <joint name="weld"',
            f'{mimic}\n  <joint name="weld"',
        )
    )
    file = read_robot_file(str(tmp_path / "robot.urdf"))
    assert file is not None
    engine = FileRequest("drake-file", file).build()
    assert engine.quantities == RECURSION - {"forward_dynamics"}
    assert "takes no constraints" in engine.not_compared[0]


@needs_mjx
def test_mjx_leaves_the_precision_of_others_alone() -> None:
    import jax

    make_engine("mjx", load("two_link_arm"))
    assert jax.numpy.ones(1).dtype == np.float32


def test_nobody_gets_them_unasked() -> None:
    assert not {"drake", "mjx"} & {*ENGINE_NAMES, *Plan(named_robot("box")).engines}


@needs_drake
def test_drake_in_a_comparison() -> None:
    run = run_comparison(Plan(named_robot("random:3"), ("reference", "mujoco", "drake"), count=32))
    assert run.exit_status == 0
    assert {"drake", "mujoco"} <= {accuracy.engine for accuracy in run.accuracies}
    assert max(accuracy.rounding for accuracy in run.accuracies if accuracy.engine == "drake") < 64.0  # measured: 1.9


@needs_drake
def test_drakes_velocities_are_in_world_axes_angular_first() -> None:
    """The base's own velocity turned into the world's axes, behind the joint that Drake holds it by; a ball's turned too."""
    spec = load("random:5")  # a free base, balls, rotors
    engine, states = make_engine("drake", spec), near_states(spec, 4)
    at = own_states(engine, states)
    R_WB = conventions.rotation_matrices(states.q[:, 3:7])
    place = engine.convention.rotations[0].u
    np.testing.assert_allclose(at.v[:, place : place + 3], conventions.product(R_WB, states.v[:, :3]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(at.v[:, place + 3 : place + 6], conventions.product(R_WB, states.v[:, 3:6]), rtol=0, atol=1e-14)
    assert not engine.convention.is_square


@needs_drake
def test_a_planted_mistake_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Tdot the answers are wrong."""
    spec = load("random:2")
    engine, states = make_engine("drake", spec), near_states(spec, 8)
    monkeypatch.setattr(
        conventions, "velocity_map_rate", lambda convention, q, v: np.zeros((len(v), convention.shuffle.shape[0]))
    )
    assert "bias_force" in evidence(spec, engine, states, ("bias_force", "gravity_force")).deviating
