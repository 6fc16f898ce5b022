"""Trees read from files against the files as MuJoCo and Pinocchio load them: independent of each other but for the file."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engines import DEFAULTS, FACTORIES, FileRequest
from leapcheck.engines.registry import make_engine
from leapcheck.robots.load import read_robot_file
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.spec import JointType
from leapcheck_models.urdf import urdf_text
from tests.harness.robots.files import ATTACHING, HEAVY, INERTIAL, LEG, MULTI, PLANAR, QUATERNIONS, TENDON, URDF
from tests.harness.robots.near import error, near_states

LOADED = 1e-12  # scale-free; measured: 1.1e-14 (M), 5e-14 (h)
FAR, FAR_LOADED = 8000.0, 1e-9  # m; measured 5e-12; 1e-5 by computeMinverse
STATES = 16


def read(text: str, folder: Path, kind: str) -> ImportedRobot:
    """The robot of a file; `#fixed` behind the kind says what its base is."""
    kind, mark, base = kind.partition("#")
    path = folder / f"robot.{kind}"
    path.write_text(text, encoding="utf-8")
    found = read_robot_file(f"{path}{mark}{base}")
    assert found is not None
    return found


def check(file: ImportedRobot, engine: str) -> None:
    """All that the file engine answers is what the reference makes of the tree."""
    loaded = FileRequest(engine, file).build()
    states = near_states(file.spec, STATES)
    names = tuple(sorted(loaded.quantities))
    true = make_engine("reference", file.spec).evaluate(states, (*names, "mass_matrix"))
    found = loaded.evaluate(states, names)
    for name in names:
        assert error(name, found[name], true[name], true["mass_matrix"]) <= LOADED, name


@pytest.mark.parametrize(
    ("text", "kind", "engine"),
    [
        (MULTI, "xml", "mujoco-file"),
        (URDF, "urdf", "mujoco-file"),
        (URDF, "urdf", "pinocchio-file"),
        (PLANAR, "urdf", "mujoco-file"),
        (urdf_text(load("mini_cheetah")), "urdf", "pinocchio-file"),
        (mjcf_text(load("mini_cheetah_armature")), "xml", "mujoco-file"),
        (mjcf_text(load("mini_cheetah_armature")), "xml", "pinocchio-file"),
        (mjcf_text(load("random:41")), "xml", "mujoco-file"),
        (TENDON, "xml", "mujoco-file"),
        (QUATERNIONS, "urdf", "pinocchio-file"),
        (HEAVY, "xml", "mujoco-file"),
        (HEAVY.replace(' armature="0.3"', "").replace("1e11", "1e8"), "xml", "pinocchio-file"),  # a spec's numbers end at 1e9
    ],
    ids=[
        "multi", "urdf", "urdf-pinocchio", "planar", "rotors-pinocchio", "armature", "armature-pinocchio", "random",
        "tendon", "quaternions", "heavy", "heavy-pinocchio",
    ],
)  # fmt: skip
def test_the_tree_is_what_the_engine_loads(text: str, kind: str, engine: str, tmp_path: Path) -> None:
    check(read(text, tmp_path, kind), engine)


@pytest.mark.parametrize("engine", ["mujoco-file", "pinocchio-file"])
def test_a_scene_that_includes_a_robot_is_that_robot(engine: str, tmp_path: Path) -> None:
    (tmp_path / "cheetah.xml").write_text(mjcf_text(load("mini_cheetah_armature")))
    scene = '<mujoco><include file="cheetah.xml"/><worldbody><geom name="floor" type="plane" size="1 1 1"/></worldbody></mujoco>'
    check(read(scene, tmp_path, "xml"), engine)


@pytest.mark.parametrize(
    ("tendon", "kind"),
    [
        ('<fixed name="t" armature="0.5"><joint joint="hx" coef="2"/><joint joint="hy" coef="1"/></fixed>', "several joints"),
        ('<spatial name="t" armature="0.5"><site site="a"/><site site="b"/></spatial>', "is spatial"),
    ],
)
def test_a_tendon_whose_armature_couples_joints_is_refused_by_name(tendon: str, kind: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"tendon 't' has an armature and .*{kind}"):
        read(TENDON[: TENDON.index("<fixed")] + tendon + "</tendon></mujoco>", tmp_path, "xml")


def test_every_feature_of_the_file_with_many_is_in_the_tree(tmp_path: Path) -> None:
    spec = read(MULTI, tmp_path, "xml").spec
    kinds = {body.joint.name: body.joint.type for body in spec.bodies}
    assert kinds["hx"] is kinds["hy"] is JointType.REVOLUTE
    assert (kinds["sl"], kinds["free"]) == (JointType.PRISMATIC, JointType.FREE)
    assert sum(kind is JointType.BALL for kind in kinds.values()) == 2
    knee = next(body.joint for body in spec.bodies if body.joint.name == "knee")
    assert knee.armature == pytest.approx(0.02 + 0.001 * 5**2)
    assert (spec.actuators[0].name, spec.actuators[0].torque_limit) == ("m", 15.0)
    assert spec.gravity == (0.1, 0.2, -9.7)
    assert [point.is_foot for point in spec.contact_points].count(True) == 1
    assert "post" in {body.name for body in spec.bodies}


def test_a_keyframe_is_a_pose(tmp_path: Path) -> None:
    """In a file of its own: MuJoCo 3.10 counts its numbers before it makes the copies of a <replicate>."""
    spec = read(LEG.replace("</mujoco>", '<keyframe><key name="home" qpos="0.1 0.2"/></keyframe></mujoco>'), tmp_path, "xml").spec
    assert [(pose.name, pose.q) for pose in spec.poses] == [("home", (0.1, 0.2))]


@pytest.mark.parametrize("engine", ["mujoco-file", "pinocchio-file"])
def test_mass_fixed_to_the_world_counts_in_the_potential_energy(engine: str, tmp_path: Path) -> None:
    file = read(URDF, tmp_path, "urdf#fixed")
    states = near_states(file.spec, STATES)
    (true,) = make_engine("reference", file.spec).evaluate(states, ("potential_energy",)).values()
    (found,) = FileRequest(engine, file).build().evaluate(states, ("potential_energy",)).values()
    assert np.abs(found - true).max() <= LOADED * np.abs(true).max()


@pytest.mark.parametrize("engine", ["mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf"])
def test_links_without_mass_are_held_by_every_engine(engine: str, tmp_path: Path) -> None:
    spec = read(PLANAR, tmp_path, "urdf").spec
    states = near_states(spec, STATES)
    names = ("mass_matrix", "bias_force", "forward_dynamics")
    true = make_engine("reference", spec).evaluate(states, names)
    found = make_engine(engine, spec).evaluate(states, names)
    for name in names:
        assert error(name, found[name], true[name], true["mass_matrix"]) <= LOADED, name


def test_pinocchio_holds_a_planar_joint_otherwise(tmp_path: Path) -> None:
    with pytest.raises(NotApplicable, match="link 'base' as one joint"):
        FACTORIES["pinocchio-file"](read(PLANAR, tmp_path, "urdf"))


def test_what_pinocchio_passes_over_is_an_error_by_name(tmp_path: Path) -> None:
    framed = mjcf_text(load("tree4_7")).replace('<body name="link_4"', '<frame><body name="link_4"', 1)
    start = framed.index('<frame><body name="link_4"')
    end = framed.index("</body>", start) + len("</body>")
    file = read(framed[:end] + "</frame>" + framed[end:], tmp_path, "xml")
    check(file, "mujoco-file")
    with pytest.raises(EngineError, match="link_4"):
        FACTORIES["pinocchio-file"](file)


def test_far_from_the_origin_pinocchio_solves_for_the_contact_points_with_its_digits(tmp_path: Path) -> None:
    file = read(urdf_text(load("mini_cheetah")), tmp_path, "urdf")
    states = near_states(file.spec, STATES)
    states.q[:, :3] = FAR
    names = ("contact_inertia", "mass_matrix")
    true = make_engine("reference", file.spec).evaluate(states, names)
    found = FileRequest("pinocchio-file", file).build().evaluate(states, names[:1])
    assert error(names[0], found[names[0]], true[names[0]], true["mass_matrix"]) <= FAR_LOADED


def test_a_file_that_an_engine_refuses_is_not_compared(tmp_path: Path) -> None:
    file = read(URDF.replace('izz="0.04"', 'izz="0.9"'), tmp_path, "urdf")
    with pytest.raises(NotApplicable, match=r"MuJoCo refuses robot\.urdf: inertia must satisfy"):
        FACTORIES["mujoco-file"](file)
    check(file, "pinocchio-file")


def test_a_mass_made_of_geometry_is_a_difference(tmp_path: Path) -> None:
    geometry = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    file = read(URDF.replace(f'"tool">{INERTIAL}', f'"tool">{geometry}'), tmp_path, "urdf")
    states = near_states(file.spec, 2)
    true = make_engine("reference", file.spec).evaluate(states, ("mass_matrix",))
    found = FACTORIES["mujoco-file"](file).evaluate(states, ("mass_matrix",))
    assert error("mass_matrix", found["mass_matrix"], true["mass_matrix"], true["mass_matrix"]) > 1e-3
    assert np.isfinite(found["mass_matrix"]).all()


def test_attached_models_are_compiled_by_mujoco(tmp_path: Path) -> None:
    (tmp_path / "leg.xml").write_text(LEG)
    file = read(ATTACHING, tmp_path, "xml")
    assert [body.name for body in file.spec.bodies] == ["base", "front_thigh", "front_shank", "hind_thigh", "hind_shank"]
    check(file, "mujoco-file")


def test_armature_of_a_free_joint_is_what_pinocchio_cannot_hold(tmp_path: Path) -> None:
    file = read(HEAVY, tmp_path, "xml")
    with pytest.raises(NotApplicable, match=r"is free and has armature 0.3: .* without w x v"):
        FileRequest("pinocchio-file", file).build()
    for name in ("pinocchio", "pinocchio-mjcf"):
        with pytest.raises(NotApplicable, match="without w x v"):
            make_engine(name, file.spec)


def test_armature_of_any_joint_survives_the_way_out_and_back(tmp_path: Path) -> None:
    spec = read(HEAVY, tmp_path, "xml").spec
    again = read(mjcf_text(spec), tmp_path, "xml").spec
    assert [body.joint.armature for body in again.bodies] == [0.3, 0.07, 0.02]
    states = near_states(spec, STATES)
    names = ("mass_matrix", "bias_force", "forward_dynamics", "kinetic_energy")
    true = make_engine("reference", spec).evaluate(states, names)
    found = make_engine("mujoco", spec).evaluate(states, names)
    for name in names:
        assert error(name, found[name], true[name], true["mass_matrix"]) <= LOADED, name


MOCAP = '<body name="target" mocap="true" pos="0 0 1"><geom size="0.1"/></body>'
ARM = (
    '<body name="upper" gravcomp="0.7"><joint name="shoulder" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>'
    '<body name="lower" pos="0.3 0 0" gravcomp="1"><joint name="elbow"/><geom size="0.1" pos="0.3 0.1 0"/></body></body>'
)


def world(*bodies: str) -> str:
    return f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>"


@pytest.mark.parametrize("bodies", [(ARM, MOCAP), (MOCAP, ARM)])
def test_a_mocap_body_is_fixed_and_gravity_compensation_is_no_bias(bodies: tuple[str, ...], tmp_path: Path) -> None:
    """qfrc_gravcomp is a passive force of MuJoCo's: M and h are those of the same arm without it."""
    file = read(world(*bodies), tmp_path, "xml")
    check(file, "mujoco-file")
    with pytest.raises(NotApplicable, match=r"the first body of <worldbody> only, .*: put the robot first, take bodies"):
        FileRequest("pinocchio-file", file).build()
    findings = {finding.rule: f"{finding.place}: {finding.message}" for finding in file.findings}
    assert findings["mocap"] == "1 mocap body: taken as fixed where the file puts it, which M and h of MuJoCo do too"
    assert findings["passive forces"].startswith("gravity compensation: a passive force: no part of M or of the bias force")
    plain = read(world(*bodies).replace('gravcomp="0.7"', "").replace('gravcomp="1"', ""), tmp_path, "xml")
    assert plain.spec == file.spec


def test_a_mocap_body_without_mass_behind_the_robot_is_no_obstacle(tmp_path: Path) -> None:
    file = read(world(ARM, MOCAP.replace('size="0.1"', 'size="0.1" mass="0"')), tmp_path, "xml")
    for engine in DEFAULTS:
        check(file, engine)


def test_a_root_without_mass_is_compared_in_every_quantity(tmp_path: Path) -> None:
    """Its tree has no centre of mass: MuJoCo takes the body's own, about which all of its inertias are zero."""
    import leapcheck as lc

    path = tmp_path / "robot.xml"
    path.write_text(world(ARM, MOCAP.replace('size="0.1"', 'size="0.1" mass="0"')))
    run = lc.compare(path, states=16)
    assert run.verdict is lc.ComparisonVerdict.AGREE
    assert not run.failures


MOTORS = """
<mujoco>
  <worldbody><body><joint name="j" {}/><geom size="0.1"/></body></worldbody>
  <actuator>
    <dcmotor name="d" joint="j" resistance="1" motorconst="0.1" input="pos vel ff"/>
    <motor name="m" joint="j" ctrlrange="-3 3" gear="2"/>
  </actuator>
</mujoco>
"""
"""The first motor has three controls: MuJoCo 4.0 counts controls in `nu`, not actuators."""


@pytest.mark.skipif(tuple(map(int, mujoco.__version__.split(".")[:2])) < (4, 0), reason="before MuJoCo 4.0 there is no dcmotor")
@pytest.mark.parametrize(("limit", "torques"), [("", {"m": 6.0}), ('actuatorfrcrange="-4 4"', {"d": 4.0, "m": 4.0})])
def test_drives_are_counted_by_actuators_and_limited_by_their_joint(
    limit: str, torques: dict[str, float], tmp_path: Path
) -> None:
    spec = read(MOTORS.format(limit), tmp_path, "xml").spec
    assert {drive.name: drive.torque_limit for drive in spec.actuators} == torques


STORAGE = {"qM", "csr", "cinert", "crb", "cdof"}


@pytest.mark.parametrize(("text", "kind"), [(MULTI, "xml"), (urdf_text(load("mini_cheetah")), "urdf"), (PLANAR, "urdf")])
def test_storage_of_the_file_is_answered_with_chains_and_rotors(text: str, kind: str, tmp_path: Path) -> None:
    engine = FACTORIES["mujoco-file"](read(text, tmp_path, kind))
    assert engine.quantities >= STORAGE  # what they are is compared by `check`
    assert engine.not_compared == ()


def test_storage_about_another_centre_of_mass_is_not_compared(tmp_path: Path) -> None:
    engine = FACTORIES["mujoco-file"](read(URDF, tmp_path, "urdf"))
    assert engine.quantities & STORAGE == {"qM", "csr"}
    assert engine.not_compared == (
        "mujoco-file: cinert, crb, cdof: MuJoCo fuses the link 'tool' into what carries it, so its bodies are others",
    )
