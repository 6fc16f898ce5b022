"""MJCF features that Pinocchio 4.1.0 silently passes over or gets wrong: what it holds instead is named from its answers."""

from __future__ import annotations

import pytest

from leapcheck_models.mjcf import mjcf_text
from tests.real_defects.file_engines import in_mujoco, in_pinocchio
from tests.real_defects.full_diagnosis import assert_named, diagnose_all
from tests.real_defects.mjcf_features import FEATURES, arm

NAMED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "frame": (("missing-subtree/link_2",), ("link_2", "link_3")),
    "replicate": (("missing/link_40+link_41",), ("the links link_40, link_41 are missing", "<replicate>")),
    "extrinsic_euler": (("euler/xyz",), ("Euler angles xyz", "moving axes for fixed ones")),
    "turned_free_body": (("world/shifted",), ("all positions in the world are off by the constant (-0.2, -0.5, 0.7) m",)),
    "gravity": (("gravity/direction",), ("gravity is (0, 0, -9.81) instead of (0.3, 0, -1.62) m/s^2",)),
    "total_mass": (("factor/masses",), ("all masses and inertias", "multiplied by 0.4939036")),
    "balanced_inertia": (("inertia/link_3",), ("link_3", "rotational inertia")),
    "actuator_armature": (("armature/left-out",), ("armature", "left out")),
    "aligned_free_joint": (("body/body",), ("com is at (0.1, -0.05, 0.02) instead of (0, 0, 0) m", "turned")),
}
"""For each feature the causes' names, and words that must be among theirs."""


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_mujoco_reads_the_file_as_it_is_meant(feature: str) -> None:
    file = FEATURES[feature]()
    assert not diagnose_all(file.spec, in_mujoco(file.spec, file.text)).deviating


@pytest.mark.parametrize("feature", NAMED)
def test_what_pinocchio_makes_of_it_is_named(feature: str) -> None:
    file = FEATURES[feature]()
    names, words = NAMED[feature]
    assert_named(diagnose_all(file.spec, in_pinocchio(file.spec, file.text)), names, *words)


@pytest.mark.slow
def test_an_axis_that_is_no_unit_vector() -> None:
    """Its matrix is no rotation, and most answers mean nothing then, nor are they precise: kinematics and energies tell it."""
    file = FEATURES["long_axis"]()
    found = diagnose_all(file.spec, in_pinocchio(file.spec, file.text))
    assert found.names[-1] == "stretched/joint_2", found
    assert "no rotation: axis and angle, the axis 3 long" in found.words
    assert not {"contact_positions", "kinetic_energy", "potential_energy"} & set(found.unexplained)


def test_without_such_features_pinocchio_is_right() -> None:
    spec = arm()
    assert not diagnose_all(spec, in_pinocchio(spec, mjcf_text(spec))).deviating
