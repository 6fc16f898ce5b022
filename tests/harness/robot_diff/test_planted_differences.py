"""`diff_robots`: 39 differences planted one by one into Mini Cheetah's JSON record, each named alone, with its size."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leapcheck as lc
from leapcheck_models.spec import as_json
from tests.models.record_edits import Edit, drop, put

ROBOT = "mini_cheetah"
RECORD: dict[str, Any] = json.loads(as_json(lc.load(ROBOT)))
TRUNK, ABAD, HIP, KNEE = RECORD["bodies"][:4]
SHARE = 1e-6
"""Of a planted number that its report may miss: it is computed in turned frames, from doubles."""


def turned(axis: str, angle: float) -> list[float]:
    """Quaternion wxyz of a turn about a coordinate axis."""
    return [math.cos(angle / 2), *(math.sin(angle / 2) if axis == letter else 0.0 for letter in "xyz")]


def about_origin(inertia: dict[str, Any]) -> list[float]:
    """The rotational inertia about the link's origin, by Steiner's theorem, entry by entry."""
    m, (x, y, z), (xx, xy, xz, yy, yz, zz) = inertia["mass"], inertia["com"], inertia["rotational"]
    return [
        xx + m * (y * y + z * z), xy - m * x * y, xz - m * x * z,
        yy + m * (x * x + z * z), yz - m * y * z, zz + m * (x * x + y * y),
    ]  # fmt: skip


def signs(values: list[float], *places: int) -> list[float]:
    return [-value if i in places else value for i, value in enumerate(values)]


def payload(record: dict[str, Any]) -> None:
    """A box of 0.4 kg on a fixed joint in the middle of the trunk."""
    box = copy.deepcopy(TRUNK) | {"name": "payload", "parent": "trunk", "shapes": [], "rotor": None}
    box["joint"] |= {"name": "payload_fixed", "type": "fixed"}
    box["inertia"] |= {"mass": 0.4, "rotational": [0.0] * 6}
    record["bodies"].append(box)


def fixed_joint(record: dict[str, Any]) -> None:
    """The joint is welded, and its rotor taken out."""
    record["bodies"][9]["joint"] |= {"type": "fixed", "axis": None, "limits": None, "damping": 0.0, "friction": 0.0}
    record["bodies"][9]["rotor"] = None
    record["actuators"] = [actuator for actuator in record["actuators"] if actuator["joint"] != "HR_knee_joint"]
    record["poses"] = []


def fixed_base(record: dict[str, Any]) -> None:
    record["bodies"][0]["joint"]["type"] = "fixed"
    record["poses"] = []


def scaled(record: dict[str, Any]) -> None:
    """All of a link's inertia times 1.2: as of a denser material."""
    inertia = record["bodies"][4]["inertia"]
    inertia["mass"] *= 1.2
    inertia["rotational"] = [1.2 * entry for entry in inertia["rotational"]]


Expected = dict[tuple[str, str], float | None]
"""What and where, and its size in SI units; None where it has none."""

PLANTED: dict[str, tuple[Edit, Expected, str]] = {
    "mass": (put("bodies", 0, "inertia", "mass", value=3.6), {("mass", "trunk"): 0.3}, "+9.09 %"),
    "com": (put("bodies", 2, "inertia", "com", 0, value=0.003), {("com", "FR_hip"): 0.003}, "3 mm apart"),
    "com of the other side": (
        put("bodies", 1, "inertia", "com", value=signs(ABAD["inertia"]["com"], 1)),
        {("com", "FR_abad"): 0.072},
        "y has the other sign",
    ),
    "com in mm": (
        put("bodies", 3, "inertia", "com", value=[0.0, 0.0, -61.0]),
        {("com", "FR_knee"): 60.939},
        "1000 times as far, as in mm",
    ),
    "com forgotten": (
        put("bodies", 3, "inertia", "com", value=[0.0, 0.0, 0.0]),
        {("com", "FR_knee"): 0.061},
        "B has it at the link's origin",
    ),
    "inertia entry": (put("bodies", 0, "inertia", "rotational", 0, value=0.0123783), {("inertia", "trunk"): 0.0011253}, ""),
    "products of inertia": (
        put("bodies", 1, "inertia", "rotational", value=signs(ABAD["inertia"]["rotational"], 1, 2, 4)),
        {("inertia", "FR_abad"): 1.16e-4},
        "other sign in all products",
    ),
    "inertia about the origin": (
        put("bodies", 3, "inertia", "rotational", value=about_origin(KNEE["inertia"])),
        {("inertia", "FR_knee"): 0.064 * 0.061**2},
        "about the link's origin, not the com",
    ),
    "inertia in g": (
        put("bodies", 0, "inertia", "rotational", value=[1000.0 * entry for entry in TRUNK["inertia"]["rotational"]]),
        {("inertia", "trunk"): 999.0 * 0.042673},
        "1000 times as large",
    ),
    "axes of inertia": (
        put("bodies", 0, "inertia", "rotational", value=[0.036203, 0.0, 0.0, 0.011253, 0.0, 0.042673]),
        {("inertia", "trunk"): 0.036203 - 0.011253},
        "principal moments are the same",
    ),
    "denser link": (
        scaled,
        {("mass", "FL_abad"): 0.108, ("inertia", "FL_abad"): 0.2 * 0.00056},
        "+20 %",
    ),
    "payload": (payload, {("mass", "trunk"): 0.4}, "payload 0.4"),
    "joint place": (
        put("bodies", 3, "placement", "p", 2, value=-0.213), {("joint place", "FR_knee_joint"): 0.004}, "4 mm apart"
    ),
    "joint across": (
        put("bodies", 1, "placement", "p", 1, value=-0.052), {("joint place", "FR_abad_joint"): 0.003}, "3 mm apart"
    ),
    "axis reversed": (
        put("bodies", 10, "joint", "axis", value=[-1.0, 0.0, 0.0]),
        {("joint axis", "HL_abad_joint"): 2.0},
        "counts the other way",
    ),
    "axis tilted": (
        put("bodies", 2, "joint", "axis", value=[math.sin(0.02), math.cos(0.02), 0.0]),
        {("joint axis", "FR_hip_joint"): 2.0 * math.sin(0.01)},
        "1.15 deg",
    ),
    "joint mounted askew": (
        put("bodies", 1, "placement", "quaternion", value=turned("z", 0.035)),
        {("joint turned", "FR_abad_joint"): 0.035},
        "its axis by 2.01 deg",
    ),
    "zero of the joint": (
        put("bodies", 3, "placement", "quaternion", value=turned("y", 0.1)),
        {("joint zero", "FR_knee_joint"): 0.1},
        "5.73 deg apart",
    ),
    "joint type": (
        put("bodies", 3, "joint", "type", value="prismatic"),
        {("joint type", "FR_knee_joint"): None},
        "revolute in A, prismatic in B",
    ),
    "fixed joint": (
        fixed_joint,
        {("joint", "HR_knee_joint"): None, ("mass", "HR_hip"): 0.055, ("com", "HR_hip"): None, ("inertia", "HR_hip"): None},
        "fixed or of another kind in B",
    ),
    "fixed base": (fixed_base, {("base", "trunk"): None}, "floats in A, is fixed to the world in B"),
    "lower limit": (put("bodies", 2, "joint", "limits", 0, value=-4.5), {("lower limit", "FR_hip_joint"): 0.5}, "-5 rad in A"),
    "limits in degrees": (
        put("bodies", 1, "joint", "limits", value=[-1.5, math.degrees(1.5)]),
        {("upper limit", "FR_abad_joint"): math.degrees(1.5) - 1.5},
        "B has degrees for rad",
    ),
    "no limits": (put("bodies", 1, "joint", "limits", value=None), {("limits", "FR_abad_joint"): None}, "none in B"),
    "torque limit": (put("actuators", 0, "torque_limit", value=17.0), {("torque limit", "FR_abad_joint"): 1.0}, "-5.56 %"),
    "speed limit": (put("actuators", 0, "speed_limit", value=30.0), {("speed limit", "FR_abad_joint"): 10.0}, "-25 %"),
    "motor": (
        put("actuators", 0, "motor", "voltage", value=22.0), {("motor's voltage", "FR_abad_joint"): 2.0}, "24 V in A, 22 V in B"
    ),
    "no drive": (drop("actuators", 0), {("drive", "FR_abad_joint"): None}, "only A has a drive, 18 N m"),
    "damping": (put("bodies", 5, "joint", "damping", value=0.1), {("damping", "FL_hip_joint"): 0.09}, "+900 %"),
    "friction": (put("bodies", 5, "joint", "friction", value=0.25), {("friction", "FL_hip_joint"): 0.05}, "+25 %"),
    "armature": (put("bodies", 5, "joint", "armature", value=0.01), {("armature", "FL_hip_joint"): 0.01}, "0.01 kg m^2 in B"),
    "gear ratio": (put("bodies", 1, "rotor", "gear_ratio", value=6.33), {("gear ratio", "FR_abad_joint"): 0.33}, "+5.5 %"),
    "rotor mass": (
        put("bodies", 1, "rotor", "inertia", "mass", value=0.06), {("rotor mass", "FR_abad_joint"): 0.005}, "+9.09 %"
    ),
    "rotor inertia": (
        put("bodies", 1, "rotor", "inertia", "rotational", 0, value=6.6e-5),
        {("rotor inertia", "FR_abad_joint"): 3e-6},
        "about its axis 6.3e-05",
    ),
    "no rotor": (put("bodies", 6, "rotor", value=None), {("rotor", "FL_knee_joint"): None}, "only A has the rotor"),
    "gravity": (put("gravity", value=[0.0, 0.0, -9.8]), {("gravity", ROBOT): 0.01}, "-9.8"),
    "foot radius": (
        put("contact_points", -1, "radius", value=0.023), {("size of a sphere", "HL_knee"): 0.003}, "0.02 m in A, 0.023 m in B"
    ),
    "contact point": (
        put("contact_points", 0, "position", 2, value=0.06), {("contact point", "trunk_corner_0"): 0.01}, "10 mm apart"
    ),
}  # fmt: skip


def planted(tmp_path: Path, edit: Edit) -> str:
    """A file with the edited record."""
    record = copy.deepcopy(RECORD)
    edit(record)
    file = tmp_path / "planted.json"
    file.write_text(json.dumps(record))
    return str(file)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_difference_is_named_alone(tmp_path: Path, name: str) -> None:
    edit, expected, words = PLANTED[name]
    difference = lc.diff_robots(ROBOT, planted(tmp_path, edit))
    assert not difference.same
    assert {(one.what, one.place) for one in difference.physics} == set(expected), str(difference)
    for one in difference.physics:
        size = expected[one.what, one.place]
        assert size is None or one.absolute == pytest.approx(size, rel=SHARE), str(one)
    assert words in " ".join(f"{one.message} {one.detail}" for one in difference.physics)


def test_what_a_payload_does_to_M_is_its_share_of_the_mass(tmp_path: Path) -> None:
    """In the rows of the trunk's velocity M is the total mass: 0.4 of 8.912 kg more, in the scale of M."""
    (one,) = lc.diff_robots(ROBOT, planted(tmp_path, payload)).physics
    assert one.effect is not None
    share = 0.4 / lc.load(ROBOT).total_mass
    assert abs(one.effect.M - share) < 1e-12
    assert one.effect.M_entry == "trunk v_x"


def test_all_together_is_the_difference_of_the_robots(tmp_path: Path) -> None:
    """Three differences at once, link frames as they are: M and h of both files, asked for directly."""

    def edit(record: dict[str, Any]) -> None:
        for name in ("mass", "zero of the joint", "gear ratio"):
            PLANTED[name][0](record)

    file = planted(tmp_path, edit)
    difference = lc.diff_robots(ROBOT, file)
    assert len(difference.physics) == 3
    states = lc.states(ROBOT, 64)
    rows = np.flatnonzero(np.isin(states.kind, ("generic", "singular", "rest")))
    ours, theirs = (lc.kernel(robot, ("mass_matrix", "bias_force"))(states.q[rows], states.v[rows]) for robot in (ROBOT, file))
    M, h = ours["mass_matrix"], ours["bias_force"]
    diagonal = np.sqrt(np.einsum("nii->ni", M))
    M_errors = np.abs(theirs["mass_matrix"] - M) / (diagonal[:, :, None] * diagonal[:, None, :])
    largest = np.abs(h).max(axis=1)
    h_errors = np.abs(theirs["bias_force"] - h) / np.maximum(largest, np.median(largest))[:, None]
    assert difference.total is not None
    assert abs(difference.total.M / M_errors.max() - 1.0) < 1e-9
    assert abs(difference.total.h / h_errors.max() - 1.0) < 1e-9


def test_differences_come_in_the_order_of_what_they_do(tmp_path: Path) -> None:
    def edit(record: dict[str, Any]) -> None:
        for name in ("damping", "com", "mass", "armature"):
            PLANTED[name][0](record)

    difference = lc.diff_robots(ROBOT, planted(tmp_path, edit))
    assert [one.aspect for one in difference.physics] == ["dynamics"] * 3 + ["losses"]
    sizes = [one.size for one in difference.physics[:3]]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] > 0.0


def test_a_tolerance_is_a_share_of_the_size(tmp_path: Path) -> None:
    file = planted(tmp_path, put("bodies", 0, "inertia", "mass", value=3.3033))
    assert not lc.diff_robots(ROBOT, file, tolerance=5e-4).same
    loose = lc.diff_robots(ROBOT, file, tolerance=2e-3)
    assert loose.same
    assert "1 differ by less than the tolerance" in str(loose)
    with pytest.raises(ValueError, match="give a share of at least 0"):
        lc.diff_robots(ROBOT, file, tolerance=math.nan)
