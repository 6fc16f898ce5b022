"""States misread: quaternions, units, joints' order, sign and zero. A fault of both ends alters the answers in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.sampling import States
from leapcheck_evidence.score.planting.fault import (
    Answering,
    Asked,
    Drawer,
    Fault,
    Reading,
    Rng,
    Setting,
    T,
    choice,
)
from leapcheck_evidence.score.planting.layout import Slot, of_type, slots
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, JointType, RobotSpec

QUATERNIONS = {
    "read-xyzw": ([3, 0, 1, 2], False),
    "turned-xyzw": ([1, 2, 3, 0], False),
    "conjugated": ([0, 1, 2, 3], True),
    "conjugated-read-xyzw": ([3, 0, 1, 2], True),
    "conjugated-turned-xyzw": ([1, 2, 3, 0], True),
}
"""Which of (w, x, y, z) stands in each place of the quaternion as read, after the sign of its vector part is changed or not."""

Places = NDArray[np.intp]

DOF_AXES = {"mass_matrix": (1, 2), "contact_jacobians": (3,)} | dict.fromkeys(
    ("bias_force", "gravity_force", "coriolis_force", "forward_dynamics"), (1,)
)
"""Axes of the answers that run over the degrees of freedom."""


def quaternion(kind: str) -> Drawer:
    """The quaternions of free joints, of ball joints or of both shuffled or conjugated."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        places, conjugate = QUATERNIONS[kind]
        present = [t for t in (JointType.FREE, JointType.BALL) if of_type(setting.spec, t)]
        if not present:
            raise NotHereError("no quaternions")
        chosen = present if len(present) == 1 or rng.random() < 0.5 else [choice(rng, present)]
        sign = np.array([1.0, -1.0, -1.0, -1.0]) if conjugate else np.ones(4)

        def reading(spec: RobotSpec, states: States) -> States:
            q = states.q.copy()
            for slot in of_type(spec, *chosen):
                four = slice(slot.q.stop - 4, slot.q.stop)
                q[:, four] = (q[:, four] * sign)[:, places]
            return replace(states, q=q)

        suffix = f":{chosen[0]}"
        which = f"({suffix})?" if len(present) == 1 else "" if len(chosen) == 2 else suffix
        return Fault(f"quaternion {kind} of {'+'.join(chosen)}", (f"quaternion/{kind}{which}",), reading=reading)

    return draw


def angles_in_degrees(factor: float, name: str) -> Drawer:
    """Joint angles in another unit; half the time their rates too."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        if not of_type(setting.spec, JointType.REVOLUTE):
            raise NotHereError("no hinges")
        both = rng.random() < 0.5

        def reading(spec: RobotSpec, states: States) -> States:
            q, v = states.q.copy(), states.v.copy()
            for slot in of_type(spec, JointType.REVOLUTE):
                q[:, slot.q] *= factor
                v[:, slot.v] *= factor if both else 1.0
            return replace(states, q=q, v=v)

        return Fault(f"angles {name}{' with rates' if both else ''}", (f"unit/{name}{':both' if both else ''}",), reading=reading)

    return draw


def sign_of_joint(rng: Rng, setting: Setting) -> Fault:
    """One joint counted the other way round, in state and answers."""
    slot = choice(rng, of_type(setting.spec, *ONE_DOF))
    reading, answering = _signed_ends([slot], setting.spec)
    return Fault(f"sign of {slot.body.joint.name}", (f"sign/{slot.body.joint.name}",), reading=reading, answering=answering)


def sign_of_all(_rng: Rng, setting: Setting) -> Fault:
    """All hinges and slides counted the other way round, in state and answers."""
    slots = of_type(setting.spec, *ONE_DOF)
    if len(slots) < 2:
        raise NotHereError("fewer than two hinges or slides")
    reading, answering = _signed_ends(slots, setting.spec)
    return Fault("sign of all joints", ("sign/all",), reading=reading, answering=answering)


def offset_of_joint(rng: Rng, setting: Setting) -> Fault:
    """The zero of one joint elsewhere: by a right angle, or by something small."""
    slot = choice(rng, of_type(setting.spec, *ONE_DOF))
    turns = slot.body.joint.type is JointType.REVOLUTE
    by = choice(rng, (np.pi / 2, -np.pi / 2, np.pi, 0.1, 1e-3)) if turns else choice(rng, (0.1, -0.05, 1e-3))
    joint = slot.body.joint.name

    def reading(_spec: RobotSpec, states: States) -> States:
        q = states.q.copy()
        q[:, slot.q] += by
        return replace(states, q=q)

    names = [f"offset/{joint}"]
    if not slot.body.rotor or _round(slot):
        names.append(rf"turn(-[xyz])?/{joint}(:own)?" if turns else rf"place(-[xyz])?/{joint}(:own)?")
    return Fault(f"offset of {joint} {by:.4g}", tuple(names), reading=reading)


def _round(slot: Slot) -> bool:
    """Whether the rotor of a joint looks the same at every angle, so that its own zero does not matter."""
    rotor = slot.body.rotor
    if rotor is None:
        return True
    xx, xy, xz, yy, yz, zz = rotor.inertia.rotational
    m, axis = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), np.array(rotor.axis)
    across = m - (axis @ m @ axis) * np.outer(axis, axis)
    flat = across - np.trace(across) / 2.0 * (np.eye(3) - np.outer(axis, axis))
    return bool(np.abs(flat).max() < 1e-12 * np.trace(m) and np.abs(np.cross(axis, rotor.inertia.com)).max() < 1e-12)


def joint_order(ends: str) -> Drawer:
    """Joints of like kind in another order: in the state ("read"), in the answers ("rows"), or in both."""

    def draw(rng: Rng, setting: Setting) -> Fault:
        one = of_type(setting.spec, *ONE_DOF)
        kinds = [[s for s in one if s.body.joint.type is kind] for kind in ONE_DOF]
        alike = choice(rng, [group for group in kinds if len(group) > 1])
        groups = _legs(setting.spec)
        if groups and rng.random() < 0.5:
            a, b = _two(rng, groups)
            pairs = list(zip(a, b, strict=True))
            label = f"legs {a[0].body.name} and {b[0].body.name}"
        else:
            a1, b1 = _two(rng, alike)
            pairs, label = [(a1, b1)], f"joints {a1.body.joint.name} and {b1.body.joint.name}"
        q, v = np.arange(setting.spec.nq), np.arange(setting.spec.nv)
        for x, y in pairs:
            q[[x.q.start, y.q.start]] = y.q.start, x.q.start
            v[[x.v.start, y.v.start]] = y.v.start, x.v.start
        names = [rf"order/{ends}(:.*)?"]
        if len(pairs) == 1:
            how = {"read": r" \(state\)", "state-and-answers": r" \(state and answers\)", "rows": r" \(answers\)"}[ends]
            x, y = pairs[0]
            names += [rf"exchanged/{m.body.joint.name}:{n.body.joint.name}{how}" for m, n in ((x, y), (y, x))]
        reading, answering = _permuted_state(q, v), _permuted_rows(v)
        return Fault(
            f"{label} exchanged in {ends}",
            tuple(names),
            reading=None if ends == "rows" else reading,
            answering=None if ends == "read" else answering,
        )

    return draw


def base_position_in_mm(_rng: Rng, setting: Setting) -> Fault:
    """The base's position read in mm."""
    if not of_type(setting.spec, JointType.FREE):
        raise NotHereError("no base")

    def reading(spec: RobotSpec, states: States) -> States:
        q = states.q.copy()
        for slot in of_type(spec, JointType.FREE):
            q[:, slot.q.start : slot.q.start + 3] *= 1e-3
        return replace(states, q=q)

    return Fault("base position in mm", ("unit/position-m",), reading=reading)


def _signed_ends(slots: Sequence[Slot], spec: RobotSpec) -> tuple[Reading, Answering]:
    sign_q, sign_v = np.ones(spec.nq), np.ones(spec.nv)
    for slot in slots:
        sign_q[slot.q], sign_v[slot.v] = -1.0, -1.0

    def reading(_spec: RobotSpec, states: States) -> States:
        return replace(states, q=states.q * sign_q, v=states.v * sign_v, tau=states.tau * sign_v)

    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        for axis in DOF_AXES.get(name, ()):
            values = values * sign_v.reshape([-1 if i == axis else 1 for i in range(values.ndim)])
        return values

    return reading, answering


def _permuted_state(q: Places, v: Places) -> Reading:
    return lambda _spec, states: replace(states, q=states.q[:, q], v=states.v[:, v], tau=states.tau[:, v])


def _permuted_rows(v: Places) -> Answering:
    def answering(_asked: Asked, name: str, values: Floats) -> Floats:
        for axis in DOF_AXES.get(name, ()):
            values = np.take(values, v, axis=axis)
        return values

    return answering


def _legs(spec: RobotSpec) -> list[list[Slot]]:
    """Chains of hinges and slides that hang on one link and have like joints."""
    by_parent: dict[str, list[list[Slot]]] = {}
    for slot in slots(spec):
        chain = [slot]
        while len(below := [s for s in slots(spec) if s.body.parent == chain[-1].body.name]) == 1:
            chain.append(below[0])
        if len(chain) > 1 and all(s.body.joint.type in ONE_DOF for s in chain) and not below:
            by_parent.setdefault(slot.body.parent, []).append(chain)
    for chains in by_parent.values():
        first = [[s.body.joint.type for s in chain] for chain in chains]
        if len(chains) > 1 and all(kinds == first[0] for kinds in first):
            return chains
    return []


def _two(rng: Rng, candidates: Sequence[T]) -> tuple[T, T]:
    i, j = rng.choice(len(candidates), 2, replace=False)
    return candidates[int(i)], candidates[int(j)]
