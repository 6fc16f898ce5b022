"""URDF texts that mean a robot in ways in which readers have gone wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
from mjcf_features import floating
from scipy.spatial.transform import Rotation

from leapcheck_models.spec import Body, Inertia, Joint, JointType, RobotSpec
from leapcheck_models.urdf import urdf_text
from leapcheck_models.validation import rotational_matrix

ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def with_turned_inertial(spec: RobotSpec, links: tuple[str, ...]) -> str:
    """The robot's URDF with the inertias of some links written in axes turned by rpy: the same robot."""
    root = ET.fromstring(urdf_text(spec))
    R = Rotation.from_rotvec([0.3, -0.5, 0.7])
    for link in root.iter("link"):
        if link.get("name") in links:
            origin, inertia = link.find("inertial/origin"), link.find("inertial/inertia")
            assert origin is not None
            assert inertia is not None
            held = next(body.inertia for body in spec.bodies if body.name == link.get("name"))
            turned = R.as_matrix().T @ rotational_matrix(held.rotational) @ R.as_matrix()
            for key, place in ENTRIES.items():
                inertia.set(key, repr(float(turned[place])))
            origin.set("rpy", " ".join(repr(float(a)) for a in R.as_euler("xyz")))
    return ET.tostring(root, encoding="unicode")


def fused(text: str) -> str:
    """The same with links on fixed joints fused into what carries them, as MuJoCo does to a URDF unless told otherwise."""
    assert 'fusestatic="false"' in text
    return text.replace('fusestatic="false"', 'fusestatic="true"')


def principal() -> RobotSpec:
    """The floating robot with inertias along the links' axes, which every version reads exactly."""
    return _with(floating(), _along_axes)


def with_fixed_link() -> RobotSpec:
    """The same with link 3 fixed to link 2."""
    return _with(principal(), lambda body: replace(body, joint=Joint("weld", JointType.FIXED)) if body.name == "link_3" else body)


def _with(spec: RobotSpec, changed) -> RobotSpec:  # type: ignore[no-untyped-def]
    return replace(spec, bodies=tuple(changed(body) for body in spec.bodies), poses=())


def _along_axes(body: Body) -> Body:
    moments = np.linalg.eigvalsh(rotational_matrix(body.inertia.rotational))
    x, y, z = map(float, moments)
    return replace(body, inertia=Inertia(body.inertia.mass, body.inertia.com, (x, 0.0, 0.0, y, 0.0, z)))
