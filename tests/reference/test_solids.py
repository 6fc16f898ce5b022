"""Inertia of solids: closed forms against volume integrals and against MuJoCo's compiler."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

from leapcheck_reference.rotation import quaternion_rotation
from leapcheck_reference.solids import (
    box_inertia,
    capsule_inertia,
    cylinder_inertia,
    ellipsoid_inertia,
    mesh_inertia,
    sphere_inertia,
)
from leapcheck_reference.spatial import Transform
from leapcheck_reference.spatial_inertia import InertialParameters, in_frame, inertial_parameters
from leapcheck_reference.volume_integrals import (
    box_body,
    cylinder_body,
    ellipsoid_body,
    integrated_inertia,
    integrated_kinetic_energy,
    integrated_spatial_inertia,
    point_velocity_map,
    quadrature,
    uniform,
)

pytestmark = pytest.mark.quick

INTEGRAL = 2e-14
"""Relative to the largest moment; measured 6e-15 (by quadrature), 9e-16 (meshes)."""

MUJOCO = 5e-15
"""Relative; measured 4e-16."""

MUJOCO_MESH = 1e-9
"""Relative to the largest moment; measured 1e-10: MuJoCo 4.0.0 turns a mesh to its principal axes no more exactly than that."""

RHO = 1234.5
SIZE, SEMI_AXES, RADIUS, LENGTH = (0.3, 0.2, 0.11), (0.3, 0.2, 0.11), 0.07, 0.23

CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))


def assert_same(actual: InertialParameters, expected: InertialParameters, tolerance: float) -> None:
    size = np.sqrt(np.abs(expected.rotational).max() / expected.mass)
    assert actual.mass == pytest.approx(expected.mass, rel=tolerance)
    np.testing.assert_allclose(actual.com, expected.com, rtol=0, atol=tolerance * size)
    np.testing.assert_allclose(actual.rotational, expected.rotational, rtol=0, atol=tolerance * np.abs(expected.rotational).max())


def hull(points: Any) -> tuple[Any, Any]:
    """Vertices and outward triangles of the convex hull of some points."""
    found = ConvexHull(points)
    corners = points[found.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ti,ti->t", normals, found.equations[:, :3]) < 0
    triangles = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
    used = np.unique(triangles)
    return points[used], np.searchsorted(used, triangles)


def mujoco_geom(**geom: Any) -> InertialParameters:
    """Mass, com and inertia that MuJoCo's compiler gives a body with one geom."""
    spec = mujoco.MjSpec()
    if "vertices" in geom:
        vertices, triangles = geom.pop("vertices"), geom.pop("triangles")
        mesh = spec.add_mesh(name="mesh", uservert=vertices.ravel(), userface=triangles.ravel())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
        geom |= {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": "mesh"}
    body = spec.worldbody.add_body()
    body.add_geom(density=RHO, **geom)
    body.add_joint()
    model = spec.compile()
    R = quaternion_rotation(model.body_iquat[1])
    return InertialParameters(model.body_mass[1], model.body_ipos[1], R @ np.diag(model.body_inertia[1]) @ R.T)


@pytest.mark.parametrize(
    ("closed", "body"),
    [
        (box_inertia(RHO, SIZE), box_body(SIZE)),
        (cylinder_inertia(RHO, RADIUS, LENGTH), cylinder_body(RADIUS, LENGTH)),
        (sphere_inertia(RHO, RADIUS), ellipsoid_body((RADIUS,) * 3)),
        (ellipsoid_inertia(RHO, SEMI_AXES), ellipsoid_body(SEMI_AXES)),
    ],
    ids=["box", "cylinder", "sphere", "ellipsoid"],
)
def test_closed_forms_are_the_volume_integrals(closed: InertialParameters, body: Callable[[Any], Any]) -> None:
    assert_same(integrated_inertia(uniform(RHO), body), closed, INTEGRAL)
    assert_same(inertial_parameters(integrated_spatial_inertia(uniform(RHO), body, np.zeros(3))), closed, INTEGRAL)


def test_capsule_is_the_sum_of_integrals_over_its_three_parts() -> None:
    def cap(side: float) -> Callable[[Any], Any]:
        ball, shift = ellipsoid_body((RADIUS,) * 3), np.array([0.0, 0.0, LENGTH / 2])
        return lambda u: side * (ball(u * np.array([1.0, 0.5, 1.0])) + shift)

    parts = (cylinder_body(RADIUS, LENGTH), cap(1.0), cap(-1.0))
    M = sum(integrated_spatial_inertia(uniform(RHO), part, np.zeros(3)) for part in parts)
    assert_same(inertial_parameters(np.asarray(M)), capsule_inertia(RHO, RADIUS, LENGTH), INTEGRAL)


@pytest.mark.parametrize(
    ("ours", "kind", "size"),
    [
        (box_inertia(RHO, SIZE), mujoco.mjtGeom.mjGEOM_BOX, [s / 2 for s in SIZE]),
        (cylinder_inertia(RHO, RADIUS, LENGTH), mujoco.mjtGeom.mjGEOM_CYLINDER, [RADIUS, LENGTH / 2, 0.0]),
        (capsule_inertia(RHO, RADIUS, LENGTH), mujoco.mjtGeom.mjGEOM_CAPSULE, [RADIUS, LENGTH / 2, 0.0]),
        (sphere_inertia(RHO, RADIUS), mujoco.mjtGeom.mjGEOM_SPHERE, [RADIUS, 0.0, 0.0]),
        (ellipsoid_inertia(RHO, SEMI_AXES), mujoco.mjtGeom.mjGEOM_ELLIPSOID, SEMI_AXES),
    ],
    ids=["box", "cylinder", "capsule", "sphere", "ellipsoid"],
)
def test_mujoco_gives_its_primitives_the_same_inertia(ours: InertialParameters, kind: int, size: list[float]) -> None:
    assert_same(mujoco_geom(type=kind, size=size), ours, MUJOCO)


def test_mujoco_gives_a_mesh_the_same_inertia() -> None:
    rng = np.random.default_rng(4)
    vertices, triangles = hull(rng.uniform(-0.1, 0.3, (30, 3)).astype(np.float32).astype(float))
    theirs, ours = mujoco_geom(vertices=vertices, triangles=triangles), mesh_inertia(RHO, vertices, triangles)
    assert_same(theirs, ours, MUJOCO_MESH)
    assert theirs.mass == pytest.approx(ours.mass, rel=MUJOCO)
    assert np.trace(theirs.rotational) == pytest.approx(np.trace(ours.rotational), rel=MUJOCO)  # whatever the axes


def test_mesh_of_a_box_is_the_box_wherever_it_stands() -> None:
    X = Transform(quaternion_rotation(np.array([0.3, -0.5, 0.7, 0.2])), np.array([2.0, -1.0, 0.5]))
    vertices, triangles = hull(CUBE * SIZE)
    expected = in_frame(box_inertia(RHO, SIZE), X)
    assert_same(mesh_inertia(RHO, vertices @ X.R.T + X.p, triangles), expected, INTEGRAL)


def test_mesh_of_a_corner_tetrahedron_by_hand() -> None:
    """x, y, z >= 0, x/a + y/a + z/a <= 1: V = a^3/6, c = a/4, int x^2 dV = a^5/60, int x y dV = a^5/120."""
    a = 0.3
    vertices, triangles = a * np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    volume, com = a**3 / 6, np.full(3, a / 4)
    second = a**5 / 120 * (np.eye(3) + np.ones((3, 3))) - volume * np.outer(com, com)
    expected = InertialParameters(RHO * volume, com, RHO * (np.trace(second) * np.eye(3) - second))
    assert_same(mesh_inertia(RHO, vertices, triangles), expected, INTEGRAL)


def test_mesh_with_a_cavity_is_the_difference() -> None:
    vertices, triangles = hull(CUBE * SIZE)
    both = np.vstack([vertices, vertices / 2 + 0.01])
    hollow = mesh_inertia(RHO, both, np.vstack([triangles, triangles[:, ::-1] + len(vertices)]))
    whole, hole = box_inertia(RHO, SIZE), box_inertia(RHO, (SIZE[0] / 2, SIZE[1] / 2, SIZE[2] / 2))
    moved = InertialParameters(hole.mass, np.full(3, 0.01), hole.rotational)
    assert_same(hollow, inertial_parameters(whole.spatial - moved.spatial), INTEGRAL)


def test_mesh_errors_name_the_fault() -> None:
    vertices, triangles = hull(CUBE)
    flipped = triangles.copy()
    flipped[0] = flipped[0, ::-1]
    for bad_vertices, bad_triangles, message in (
        (vertices, triangles[1:], "open at edge"),
        (vertices, flipped, "run 2 times in one direction"),
        (vertices, triangles[:, ::-1], "turn every triangle round"),
        (vertices, triangles + 1, "names? vertex"),
        (vertices[:, :2], triangles, r"shape \(n, 3\)"),
        (vertices * np.nan, triangles, "finite"),
        (vertices, triangles.astype(float), "vertex indices"),
        (vertices, triangles[:3], "at least 4"),
        (vertices * 0.0, triangles, "encloses the volume 0"),
    ):
        with pytest.raises(ValueError, match=message):
            mesh_inertia(RHO, bad_vertices, bad_triangles)


def test_solid_errors_name_the_number() -> None:
    for solid, message in (
        (lambda: box_inertia(RHO, (1.0, 0.0, 1.0)), "size of the box"),
        (lambda: cylinder_inertia(RHO, -1.0, 1.0), "radius and length"),
        (lambda: capsule_inertia(RHO, 1.0, float("nan")), "capsule"),
        (lambda: ellipsoid_inertia(RHO, (1.0, 1.0, float("inf"))), "semi-axes"),
        (lambda: sphere_inertia(0.0, 1.0), "density"),
        (lambda: mesh_inertia(-1.0, *hull(CUBE)), "density"),
    ):
        with pytest.raises(ValueError, match=message):
            solid()


def test_graded_density_moves_the_com() -> None:
    """rho = r0 (1 + x/a) on a box of length 2a: m = r0 V, c_x = a/3, I_zz falls by m c_x^2 (hand integration)."""
    a = 0.4
    graded = integrated_inertia(lambda x: RHO * (1 + x[..., 0] / a), box_body((2 * a, 0.2, 0.3)), order=3)
    plain = box_inertia(RHO, (2 * a, 0.2, 0.3))
    expected = InertialParameters(
        plain.mass, np.array([a / 3, 0.0, 0.0]), plain.rotational - plain.mass * a * a / 9 * np.diag([0.0, 1.0, 1.0])
    )
    assert_same(graded, expected, INTEGRAL)


def test_kinetic_energy_is_the_volume_integral_of_the_points_energy() -> None:
    rng = np.random.default_rng(5)
    V, k = rng.normal(size=6), rng.normal(size=3)
    body, density = ellipsoid_body(SEMI_AXES), lambda x: RHO * (1 + x[..., 0])
    M = integrated_spatial_inertia(density, body, k)
    energy = integrated_kinetic_energy(density, body, k, V)
    assert pytest.approx(energy, rel=INTEGRAL) == 0.5 * V @ M @ V
    b = integrated_inertia(density, body)
    about_k = InertialParameters(b.mass, b.com - k, b.rotational)
    np.testing.assert_allclose(M, about_k.spatial, rtol=0, atol=INTEGRAL * np.abs(M).max())
    x, volumes = quadrature(body, 4)
    by_points = sum(
        0.5 * rho * dV * np.sum((point_velocity_map(p, k) @ V) ** 2) for p, rho, dV in zip(x, density(x), volumes, strict=True)
    )
    assert integrated_kinetic_energy(density, body, k, V, order=4) == pytest.approx(by_points, rel=INTEGRAL)
