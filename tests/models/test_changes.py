import pytest

from leapcheck_models.changes import with_changes
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def cheetah() -> RobotSpec:
    return load("mini_cheetah")


def body(spec: RobotSpec, name: str):
    return spec.bodies[spec.body_index(name)]


def test_numbers_of_every_kind_of_element_are_changed_and_nothing_else_is(cheetah: RobotSpec) -> None:
    new = with_changes(
        cheetah,
        [
            "trunk.mass=3.6",
            "FR_hip.com.x=0.001",
            "FR_hip.rotational.xy=-2e-4",
            "FR_knee_joint.damping=0.02",
            "FR_abad_joint.limits.upper=1.2",
            "FR_knee_rotor.gear_ratio=8",
            "HL_knee.motor.voltage=22",
            "HL_foot.radius=0.03",
            "gravity.z=-1.62",
        ],
    )
    assert body(new, "trunk").inertia.mass == 3.6
    assert body(new, "FR_hip").inertia.com == (0.001, *body(cheetah, "FR_hip").inertia.com[1:])
    assert body(new, "FR_hip").inertia.rotational[1] == -2e-4
    assert body(new, "FR_knee").joint.damping == 0.02
    assert body(new, "FR_abad").joint.limits == (-1.5, 1.2)
    assert body(new, "FR_knee").rotor.gear_ratio == 8
    assert new.actuators[-1].motor is not None
    assert new.actuators[-1].motor.voltage == 22
    assert new.contact_points[-1].radius == 0.03
    assert new.gravity == (0.0, 0.0, -1.62)
    assert new.bodies[4:] == cheetah.bodies[4:]
    assert new.actuators[:-1] == cheetah.actuators[:-1]


def test_no_change_gives_the_same_robot(cheetah: RobotSpec) -> None:
    assert with_changes(cheetah, []) == cheetah


@pytest.mark.parametrize(
    ("assignment", "says"),
    [
        ("trunk.mass", "ELEMENT.FIELD=NUMBER"),
        ("mass=3", "ELEMENT.FIELD=NUMBER"),
        ("trunk.mass=heavy", "no finite number"),
        ("trunk.mass=NaN", "no finite number"),
        ("trunk.mass=true", "no finite number"),
        ("body.mass=3", "no body, joint, rotor, actuator or contact point 'body'"),
        ("trunk.weight=3", "no field 'weight': use name, joint, inertia"),
        ("trunk.com.w=3", "no entry 'w': use x, y, z"),
        ("trunk.com.7=3", "no entry '7'"),
        ("trunk.mass.x=3", "has no field 'x': it is a number: end the path there"),
        ("trunk.name=3", "is no number: only numbers can be set here"),
        ("trunk.com=3", "is no number: use x, y, z"),
        ("trunk.name=3", "is no number"),
        ("trunk.mass=-1", "mass"),
        ("FR_knee_joint.limits.upper=1", "is no number|not given|has no"),
    ],
)
def test_what_is_wrong_with_an_assignment_is_said_in_one_line(cheetah: RobotSpec, assignment: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        with_changes(cheetah, [assignment])
    assert assignment in str(caught.value)
    assert "\n" not in str(caught.value)
