"""M and h of a model file by MuJoCo and Pinocchio themselves: loaded from its own path, joints matched by name.

Nothing of leapcheck's importer is used. The in-house coordinates are given as `JointColumns`: a free joint has the position and
the quaternion wxyz of its body in q, and in v its angular, then its linear velocity in its own axes. Joints that the tree lacks
must follow others by an equality of the file (URDF: <mimic>), and are projected away: M = B^T M' B, h = B^T (h' + M' Bdot v).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class JointColumns(NamedTuple):
    """A joint of the tree: its name, "free", "ball" or "one", and the first of its columns in q and in v."""

    name: str
    kind: str
    q: int
    v: int


class Follower(NamedTuple):
    """A joint that follows another: angle = offset + ratio times the leader's."""

    leader: str
    ratio: float
    offset: float


class Dynamics(NamedTuple):
    """M (n, nv, nv) and h (n, nv) in the in-house coordinates."""

    M: Floats
    h: Floats


class OtherJointsError(ValueError):
    """The loaded model has other joints than the tree."""


def mujoco_dynamics(path: Path, joints: Sequence[JointColumns], q: Floats, v: Floats) -> Dynamics:
    """By MuJoCo; ValueError or RuntimeError where it refuses the file, OtherJointsError where its joints are others."""
    m = _mujoco_model(path, joints)
    d = mujoco.MjData(m)
    names = [m.joint(j).name or f"joint_{j}" for j in range(m.njnt)]
    followers = {
        names[m.eq_obj1id[e]]: Follower(names[m.eq_obj2id[e]], *_line(m, e))
        for e in range(m.neq)
        if m.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT and m.eq_obj2id[e] >= 0
    }
    columns = [
        (name, int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j]), ("free", "ball", "one", "one")[m.jnt_type[j]])
        for j, name in enumerate(names)
    ]

    def place(state: Floats, velocity: Floats) -> tuple[Floats, Floats, Floats]:
        qpos, B, rate = np.array(m.qpos0), np.zeros((m.nv, len(velocity))), np.zeros(m.nv)
        for name, to_q, to_v, kind in columns:
            joint, ratio, offset = _source(name, kind, joints, followers)
            if kind == "free":
                R = _rotation(state[joint.q + 3 : joint.q + 7])
                w, linear = velocity[joint.v : joint.v + 3], velocity[joint.v + 3 : joint.v + 6]
                B[to_v : to_v + 3, joint.v + 3 : joint.v + 6] = R
                B[to_v + 3 : to_v + 6, joint.v : joint.v + 3] = np.eye(3)
                rate[to_v : to_v + 3] = R @ np.cross(w, linear)
                qpos[to_q : to_q + 7] = state[joint.q : joint.q + 7]
            elif kind == "ball":
                B[to_v : to_v + 3, joint.v : joint.v + 3] = np.eye(3)
                qpos[to_q : to_q + 4] = state[joint.q : joint.q + 4]
            else:
                B[to_v, joint.v] = ratio
                qpos[to_q] = offset + ratio * state[joint.q]
        return qpos, B, rate

    def evaluate(qpos: Floats, u: Floats) -> tuple[Floats, Floats]:
        d.qpos[:], d.qvel[:] = qpos, u
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        return M, np.array(d.qfrc_bias)

    return _projected(place, evaluate, q, v)


def pinocchio_dynamics(path: Path, joints: Sequence[JointColumns], q: Floats, v: Floats) -> Dynamics:
    """By Pinocchio; raises as `mujoco_dynamics`."""
    urdf = path.suffix == ".urdf"
    free = next((joint.name for joint in joints if joint.kind == "free"), "")
    root = ET.fromstring(path.read_text("utf-8", "replace")) if urdf else ET.Element("mujoco")
    if urdf:
        floats = free and all(joint.get("type") != "floating" for joint in root.findall("joint"))
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floats else pin.buildModelFromUrdf(str(path))
    else:
        model = pin.buildModelFromMJCF(str(path))
    data = model.createData()
    followers = dict(_mimics(root))
    columns = []
    for j in range(1, model.njoints):
        kind = {(7, 6): "free", (4, 3): "ball", (1, 1): "one", (2, 1): "circle"}.get((model.nqs[j], model.nvs[j]))
        if kind is None:
            raise OtherJointsError(f"Pinocchio holds '{model.names[j]}' as one joint of {model.nvs[j]} dofs")
        columns.append((free if kind == "free" and free else model.names[j], int(model.idx_qs[j]), int(model.idx_vs[j]), kind))

    def place(state: Floats, velocity: Floats) -> tuple[Floats, Floats, Floats]:
        own, B = pin.neutral(model), np.zeros((model.nv, len(velocity)))
        for name, to_q, to_v, kind in columns:
            joint, ratio, offset = _source(name, "one" if kind == "circle" else kind, joints, followers)
            if kind in ("free", "ball"):
                start = 3 if kind == "free" else 0
                own[to_q : to_q + start] = state[joint.q : joint.q + start]
                own[to_q + start : to_q + start + 4] = np.roll(state[joint.q + start : joint.q + start + 4], -1)  # xyzw
                B[to_v + start : to_v + start + 3, joint.v : joint.v + 3] = np.eye(3)
                if start:
                    B[to_v : to_v + 3, joint.v + 3 : joint.v + 6] = np.eye(3)
                continue
            angle = offset + ratio * state[joint.q]
            own[to_q : to_q + 2 if kind == "circle" else to_q + 1] = (np.cos(angle), np.sin(angle)) if kind == "circle" else angle
            B[to_v, joint.v] = ratio
        return own, B, np.zeros(model.nv)

    def evaluate(own: Floats, u: Floats) -> tuple[Floats, Floats]:
        M = pin.crba(model, data, own)
        return np.triu(M) + np.triu(M, 1).T, np.array(pin.nonLinearEffects(model, data, own, u))

    return _projected(place, evaluate, q, v)


def scale_free_errors(ours: Dynamics, theirs: Dynamics) -> tuple[float, float]:
    """Largest |dM_ij| / sqrt(M_ii M_jj), and largest |dh| over the largest entry of h and of M of its state."""
    diagonal = np.sqrt(np.maximum(np.einsum("nii->ni", ours.M), np.finfo(float).tiny))
    M = np.abs(ours.M - theirs.M) / (diagonal[:, :, None] * diagonal[:, None, :])
    size = np.maximum(np.abs(ours.h).max(axis=1), np.abs(ours.M).max(axis=(1, 2)))  # h vanishes at rest without weight
    h = np.abs(ours.h - theirs.h) / np.maximum(size, np.finfo(float).tiny)[:, None]
    return float(M.max()), float(h.max())


def _projected(place: Callable[..., Any], evaluate: Callable[..., Any], q: Floats, v: Floats) -> Dynamics:
    """The equations of motion of each state in the in-house coordinates."""
    masses, forces = [], []
    for state, velocity in zip(q, v, strict=True):
        own, B, rate = place(state, velocity)
        if not B.any(axis=0).all():
            raise OtherJointsError("the tree has a joint that the loaded model lacks")
        M, h = evaluate(own, B @ velocity)
        masses.append(B.T @ M @ B)
        forces.append(B.T @ (h + M @ rate))
    return Dynamics(np.array(masses), np.array(forces))


def _source(
    name: str, kind: str, joints: Sequence[JointColumns], followers: Mapping[str, Follower]
) -> tuple[JointColumns, float, float]:
    """The joint of the tree behind one of the loaded model, and how it follows; OtherJointsError where there is none."""
    ratio, offset = 1.0, 0.0
    for _ in range(len(followers) + 1):
        same = next((joint for joint in joints if joint.name == name), None)
        if same:
            if same.kind != kind:
                raise OtherJointsError(f"joint '{name}' is {kind} in the loaded model and {same.kind} in the tree")
            return same, ratio, offset
        if name not in followers:
            break
        name, step, start = followers[name]
        ratio, offset = ratio * step, offset + ratio * start
    raise OtherJointsError(f"the loaded model has a joint '{name}' that the tree lacks")


def _mujoco_model(path: Path, joints: Sequence[JointColumns]) -> mujoco.MjModel:
    """What MuJoCo compiles; of a URDF without the geometry that needs files, with the free joint that it does not write."""
    if path.suffix != ".urdf":
        return mujoco.MjModel.from_xml_path(str(path))
    root = ET.fromstring(path.read_text("utf-8", "replace"))
    for link in root.iter("link"):
        for use in [use for use in link if use.tag in ("visual", "collision")]:
            link.remove(use)
    description = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    free = next((joint.name for joint in joints if joint.kind == "free"), "")
    if free and all(joint.get("type") != "floating" for joint in root.findall("joint")):
        below = {child.get("link") for child in root.iter("child")}
        first = next(link.get("name") for link in root.findall("link") if link.get("name") not in below)
        description.body(first).add_freejoint(name=free)
    return description.compile()


def _line(m: mujoco.MjModel, e: int) -> tuple[float, float]:
    """Ratio and offset of an equality between two joints; OtherJointsError where it is no straight line."""
    if np.any(m.eq_data[e][2:5]):
        raise OtherJointsError("two joints are coupled by a polynomial")
    follower, leader = (float(m.qpos0[m.jnt_qposadr[j]]) for j in (m.eq_obj1id[e], m.eq_obj2id[e]))
    ratio = float(m.eq_data[e][1])
    return ratio, follower + float(m.eq_data[e][0]) - ratio * leader


def _mimics(root: ET.Element) -> Iterator[tuple[str, Follower]]:
    """Joints of a URDF that mimic others."""
    for joint in root.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            ratio, offset = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
            yield joint.get("name", ""), Follower(mimic.get("joint", ""), ratio, offset)


def _rotation(wxyz: Floats) -> Floats:
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, wxyz)
    return R.reshape(3, 3)
