"""Twenty faults of a user's C++ engine behind the C ABI, the quadruped of the examples by hand with Eigen, each named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from leapcheck.engines.outside.load import load_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.quantities import quantity_names
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

EIGEN = Path("/usr/include/eigen3")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None or not EIGEN.is_dir(), reason="no g++, or no Eigen (libeigen3-dev)"),
]

ROOT = Path(__file__).parents[3]
INCLUDED = (EIGEN, ROOT / "tests" / "examples" / "engines")
SPEC = load("mini_cheetah_armature")
STATES = generated_states(SPEC, 12, 1, 0)

FAULTS = {
    "kinematics": (
        "frame/local:frame_jacobians",
        "frame/world+linear-first:frame_jacobians",
        "frame/linear-first:frame_velocities",
        "frame/spatial",
        "frame/local-spatial:frame_bias_accelerations",
        "frame/spatial-rates",
        "frame/inverse-placement",
    ),
    "centroidal": (
        "momentum/linear-first:centroidal_momentum_matrix",
        "momentum/about-origin:centroidal_momentum",
        "com/in-base",
        "com/lifted:com_bias_acceleration",
        "momentum/spin-alone:centroidal_inertia",
    ),
    "dynamics": (
        "coriolis/transposed:christoffel_matrix",
        "storage/upper-only:minverse",
        "operational/local:operational_inertia_inverse",
    ),
    "dynamics gravity_force": ("inverse-dynamics/no-gravity",),
    "derivatives": (
        "derivative/no-inverse:forward_dynamics_derivative_q",
        "derivative/not-solved:forward_dynamics_derivative_v",
        "derivative/no-acceleration:inverse_dynamics_derivative_q",
    ),
    "regressors": ("regressor/no-velocity",),
}
"""By the groups that are asked for: each fault as it is planted and to be named."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    built = tmp_path_factory.mktemp("quadruped") / "libfaulty.so"
    headers = [f"-I{ROOT / 'harness' / 'leapcheck' / 'engines' / 'outside'}", *(f"-isystem{folder}" for folder in INCLUDED)]
    flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
    source = Path(__file__).with_name("faulty_quadruped.cpp")
    subprocess.run(["g++", *flags, *headers, str(source), "-o", str(built)], check=True)
    return str(built)


def test_there_are_twenty_of_them() -> None:
    assert sum(map(len, FAULTS.values())) == 20


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, names in FAULTS.items() for name in names])
def test_a_fault_is_named(library: str, monkeypatch: pytest.MonkeyPatch, group: str, name: str) -> None:
    names = quantity_names(group.split())
    monkeypatch.setenv("PLANTED_FAULT", name)
    (diagnosis,) = diagnose(SPEC, load_engine(library, SPEC), STATES, names)
    assert not diagnosis.unexplained
    assert [cause.name for cause in diagnosis.causes] == [name]
    assert len(diagnosis.falls) == 1
