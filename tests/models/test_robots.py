from __future__ import annotations

import math

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from leapcheck_models.robots import ROBOTS, descriptions, load
from leapcheck_models.robots.mini_cheetah import HIP, HIP_NEAREST, LUMPED_HIP_NEAREST
from leapcheck_models.robots.tree4 import rooted_trees
from leapcheck_models.spec import RobotSpec, Symmetric3
from leapcheck_models.validation import nearest_realisable, realisability_deficit, rotational_matrix
from tests.models.pin_model import configuration, mass_matrix, pin_model

LITERAL = 1e-8  # kg m^2, rounding of the nearest realisable inertias; measured 4.8e-9 per entry
CLOSED_FORM = 1e-15  # N m, kg m^2, m; measured 2.3e-16 (M, h), 1.2e-16 (tip)


def points(spec: RobotSpec, q: np.ndarray) -> dict[str, np.ndarray]:
    """World positions of the contact points by Pinocchio."""
    model, frames = pin_model(spec)
    data = model.createData()
    pin.forwardKinematics(model, data, q)
    return {p.name: data.oMi[frames[p.body][0]] * frames[p.body][1] * np.array(p.position) for p in spec.contact_points}


@pytest.mark.parametrize("name", ROBOTS)
def test_named_robot_is_called_so_and_gives_its_sources(name: str) -> None:
    spec = load(name)
    assert spec.name == name
    assert spec.source
    assert all(body.source for body in spec.bodies)
    assert descriptions()[name] == spec.description != ""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "cheetah",
            r"unknown robot 'cheetah' \(did you mean 'mini_cheetah'\?\): use one of .*, random:SEED, or a file ending in .json",
        ),
        ("random:", "robot 'random:': the seed must be a whole number"),
        ("random:-1", "the seed must be a whole number"),
        ("random:1.5", "the seed must be a whole number"),
        ("random:" + "9" * 40, "the seed must be a whole number"),
    ],
)
def test_unknown_name_lists_the_names_in_one_line(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        load(name)
    assert "\n" not in str(error.value)


def test_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"file 'no/such\.json' does not exist"):
        load("no/such.json")


class TestMiniCheetah:
    """Figures of facts: masses 8.252 + 0.660 kg, feet at (+-0.19, +-0.115, -0.404) at q = 0, deficits of the hips."""

    def test_masses(self) -> None:
        spec = load("mini_cheetah")
        assert math.fsum(b.inertia.mass for b in spec.bodies) == pytest.approx(8.252, abs=1e-12)
        assert sum(b.rotor is not None for b in spec.bodies) == 12
        assert spec.total_mass == pytest.approx(8.912, abs=1e-12)

    def test_feet_at_zero_and_at_home(self) -> None:
        spec = load("mini_cheetah")
        zero = points(spec, pin.neutral(pin_model(spec)[0]))
        for leg, x, y in (("FR", 1, -1), ("FL", 1, 1), ("HR", -1, -1), ("HL", -1, 1)):
            assert zero[f"{leg}_foot"] == pytest.approx([x * 0.19, y * 0.115, -0.404], abs=1e-15)
        home = np.array(spec.pose("home"))
        home[3:7] = home[[4, 5, 6, 3]]  # wxyz to xyzw
        for point in spec.contact_points:
            if point.is_foot:  # spheres of radius 0.02 stand on the ground
                assert points(spec, home)[point.name][2] == pytest.approx(0.02, abs=1e-15)

    def test_order_of_legs_and_points(self) -> None:
        spec = load("mini_cheetah")
        assert [b.name for b in spec.bodies][1::3] == ["FR_abad", "FL_abad", "HR_abad", "HL_abad"]
        names = [p.name for p in spec.contact_points]
        assert names[:2] + names[8:12] == [
            "trunk_corner_0", "trunk_corner_1", "FR_knee_point", "FR_foot", "FL_knee_point", "FL_foot",
        ]  # fmt: skip
        assert spec.contact_points[1].position == (-0.19, 0.049, 0.05)

    def test_positive_hip_swings_the_foot_forward(self) -> None:
        spec = load("mini_cheetah")
        q = pin.neutral(pin_model(spec)[0])
        q[8] = 0.3
        assert points(spec, q)["FR_foot"][0] > 0.19 + 0.1

    def test_hip_misses_the_triangle_inequality(self) -> None:
        assert realisability_deficit(HIP) == pytest.approx(9.66e-5, abs=5e-8)

    @pytest.mark.parametrize("name", ["mini_cheetah", "mini_cheetah_armature"])
    def test_nearest_literals_are_the_nearest(self, name: str) -> None:
        for body in load(name).bodies:
            if not body.inertia.realisable:
                assert body.name.endswith("_hip")
                assert body.inertia.nearest == pytest.approx(nearest_realisable(body.inertia.rotational), abs=LITERAL)
                assert realisability_deficit(body.inertia.nearest) < 0.0

    @pytest.mark.parametrize("entries", [HIP_NEAREST, LUMPED_HIP_NEAREST])
    def test_nearest_literals_compile_in_mujoco(self, entries: Symmetric3) -> None:
        xx, xy, xz, yy, yz, zz = entries
        inertial = f'<inertial pos="0 0 0" mass="1" fullinertia="{xx!r} {yy!r} {zz!r} {xy!r} {xz!r} {yz!r}"/>'
        model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body><freejoint/>{inertial}</body></worldbody></mujoco>")
        moments = np.linalg.eigvalsh(rotational_matrix(entries))
        assert np.sort(model.body_inertia[1]) == pytest.approx(moments, rel=1e-14)

    def test_armature_is_the_gear_ratio_squared_times_the_axial_inertia(self) -> None:
        spec = load("mini_cheetah_armature")
        for body in spec.bodies[1:]:
            ratio = 9.33 if body.name.endswith("_knee") else 6.0
            assert body.joint.armature == pytest.approx(ratio**2 * 63e-6, rel=1e-15)
        assert not any(body.rotor for body in spec.bodies)
        assert spec.total_mass == pytest.approx(8.912, abs=1e-12)


def two_link(m1, m2, l1, lg1, lg2, i1, i2, q2) -> np.ndarray:
    """M of S1 and S3, which share it: relative second angle."""
    m12 = m2 * (l1 * lg2 * math.cos(q2) + lg2**2) + i2
    m11 = m1 * lg1**2 + m2 * (l1**2 + 2 * l1 * lg2 * math.cos(q2) + lg2**2) + i1 + i2
    return np.array([[m11, m12], [m12, m2 * lg2**2 + i2]])


def test_pupper_leg_is_the_leg_of_the_jump_text() -> None:
    """Pitch block of M and gravity against S1's closed forms with the roll at 0; q2 is relative, both from straight down."""
    spec = load("pupper_leg")
    model, _ = pin_model(spec)
    m, length, com, i, g = 0.05, 0.06, 0.03, 1.5e-5, 9.8
    q = np.array([0.0, 0.7, -1.9])
    M = two_link(m, m, length, com, com, i, i, q[2])
    assert np.abs(mass_matrix(model, q)[1:, 1:] - M).max() <= CLOSED_FORM
    gravity = pin.computeGeneralizedGravity(model, model.createData(), q)[1:]
    below = m * g * com * math.sin(q[1] + q[2])
    assert gravity == pytest.approx([m * g * (com + length) * math.sin(q[1]) + below, below], abs=CLOSED_FORM)
    foot = points(spec, np.zeros(3))["foot"]
    assert foot == pytest.approx([0.05475, -0.03625 - 0.039, -0.12], abs=CLOSED_FORM)
    assert spec.pose("home") == pytest.approx(np.radians([0.0, 75.0, -150.0]), abs=1e-15)
    assert [p.name for p in spec.contact_points if p.is_foot] == ["foot"]


def test_two_link_arm_follows_craigs_angles() -> None:
    """M, V, G and the tip of S3 (second version, which is right), his y being our z."""
    spec = load("two_link_arm")
    model, _ = pin_model(spec)
    data = model.createData()
    m1, m2, l1, l2, lg1, lg2, g = 2.0, 1.0, 0.5, 0.4, 0.25, 0.2, 9.81
    q, v = np.array([0.4, -1.1]), np.array([2.0, -3.0])
    assert np.abs(mass_matrix(model, q) - two_link(m1, m2, l1, lg1, lg2, 0.04, 0.015, q[1])).max() <= CLOSED_FORM
    k = m2 * l1 * lg2 * math.sin(q[1])
    V = np.array([-k * (2 * v[0] * v[1] + v[1] ** 2), k * v[0] ** 2])
    outer = m2 * lg2 * math.cos(q[0] + q[1])
    G = g * np.array([(m1 * lg1 + m2 * l1) * math.cos(q[0]) + outer, outer])
    assert pin.nonLinearEffects(model, data, q, v) == pytest.approx(V + G, rel=CLOSED_FORM * 4)
    tip = points(spec, q)["tip"]
    x, z = (l1 * f(q[0]) + l2 * f(q[0] + q[1]) for f in (math.cos, math.sin))
    assert tip == pytest.approx([x, 0.0, z], abs=CLOSED_FORM)


class TestRootedTrees:
    def test_numbers_of_rooted_trees(self) -> None:
        """Rooted trees with 2, 3, ... 7 nodes: OEIS A000081."""
        assert [len(rooted_trees(size)) for size in range(1, 7)] == [1, 2, 4, 9, 20, 48]

    def test_from_four_branches_to_one_chain(self) -> None:
        assert rooted_trees()[0] == (1, 1, 1, 1)
        assert rooted_trees()[-1] == (1, 2, 3, 4)

    def test_mass_matrices_fill_up(self) -> None:
        """Non-zeros above the diagonal = pairs of joint and ancestor: 0 for branches, 6 for the chain."""
        filled = []
        for number in range(1, 10):
            model, _ = pin_model(load(f"tree4_{number}"))
            M = mass_matrix(model, configuration(model, np.random.default_rng(number)))
            filled.append(int(np.count_nonzero(np.abs(np.triu(M, 1)) > 1e-6)))
        assert filled == [0, 1, 2, 2, 3, 3, 4, 5, 6]

    def test_same_links_in_every_tree(self) -> None:
        links = {tuple((b.joint, b.inertia, b.placement) for b in load(f"tree4_{n}").bodies) for n in range(1, 10)}
        assert len(links) == 1

    def test_point_on_every_leaf(self) -> None:
        assert [p.body for p in load("tree4_5").contact_points] == ["link_2", "link_3", "link_4"]

    def test_bits_are_the_same_on_every_machine(self) -> None:
        """The last link's inertia, to the last bit: all draws before it decide it."""
        last = (0.059362640127864665, 0.002651878345257895, 0.001695779325571134)
        assert load("tree4_9").bodies[-1].inertia.rotational[:3] == last


def test_box_is_homogeneous() -> None:
    """Inertia by summation over 2 x 2 x 2 Gauss points, which is exact for the second moments of a box."""
    body = load("box").bodies[0]
    nodes = np.array(np.meshgrid(*[np.array([-1, 1]) * s / 2 / math.sqrt(3) for s in (0.3, 0.2, 0.1)])).reshape(3, -1)
    second = 3.0 / 8 * nodes @ nodes.T
    assert rotational_matrix(body.inertia.rotational) == pytest.approx(np.trace(second) * np.eye(3) - second, abs=1e-16)
    assert [p.position for p in load("box").contact_points][0::7] == [(0.15, 0.1, 0.05), (-0.15, -0.1, -0.05)]


def test_rod_is_a_cylinder_in_mujoco() -> None:
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/><geom type="cylinder" size=".02 .5" mass=".5"/></body></worldbody></mujoco>'
    )
    inertia = load("falling_rod").bodies[0].inertia
    xx, _, _, yy, _, zz = inertia.rotational
    assert np.array([xx, yy, zz]) == pytest.approx(model.body_inertia[1], rel=1e-14)
    assert [p.position[2] for p in load("falling_rod").contact_points] == [-0.5, 0.5]
