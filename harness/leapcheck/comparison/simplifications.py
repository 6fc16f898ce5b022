"""What the common simplifications of geared rotors cost in joint acceleration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

import leapcheck_reference as reference
from leapcheck.comparison.in_house import code_hash
from leapcheck.records import SimplificationCost
from leapcheck.sampling import PATTERN, generated_states, units
from leapcheck.system.strict_json import decode, dumps_line, loads
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import ONE_DOF, RobotSpec, spec_hash
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.key import key_of

STATES = 200
"""Random generic states over which the cost is taken."""


def simplifications(spec: RobotSpec) -> dict[str, RobotSpec]:
    """The robot without exact rotors: by armature, lumped without armature, and with the rotors left out."""
    lumped = with_lumped_rotors(spec)
    bare = replace(lumped, bodies=tuple(replace(b, joint=replace(b.joint, armature=0.0)) for b in lumped.bodies))
    dropped = replace(spec, bodies=tuple(replace(b, rotor=None) for b in spec.bodies))
    return {
        "armature only (rotor mass lumped)": lumped,
        "no armature (rotor mass lumped)": bare,
        "rotors left out (a typical URDF)": dropped,
    }


@lru_cache(maxsize=16)
def simplification_costs(spec: RobotSpec, seed: int) -> tuple[SimplificationCost, ...]:
    """Error of qdd by each simplification against exact rotors: |dqdd| / |qdd| over all joints, and joint by joint.

    Empty for a robot without rotors. A joint's own figure is its share |dqdd_j| / |qdd|. They are kept in the user's cache.
    """
    if not any(body.rotor for body in spec.bodies):
        return ()
    key = key_of("simplifications", code_hash(), spec_hash(spec), seed, native.target_key())
    rows = loads(load_or_make(key, lambda: dumps_line([*_costs(spec, seed)]).encode()))
    return tuple(decode(SimplificationCost, row, f"simplifications[{i}]") for i, row in enumerate(rows))


def _costs(spec: RobotSpec, seed: int) -> Iterator[SimplificationCost]:
    joints = [(b.joint.name, b.joint.type) for b in spec.bodies]
    tree = reference.build(spec)
    moving = [link.v.start for link in tree.links if link.type in ONE_DOF]
    names = tuple(name for name, kind in joints if kind in ONE_DOF)
    count = 2 * STATES * len(PATTERN) // PATTERN.count("generic")
    generic = []
    for unit in units(count):
        block = generated_states(spec, count, seed, unit)
        rows = np.flatnonzero(np.array(block.kind) == "generic")
        generic.append((block.q[rows], block.v[rows], block.tau[rows]))
    q, v, tau = (np.concatenate(parts)[:STATES] for parts in zip(*generic, strict=True))
    exact = evaluate_batch(reference.forward_dynamics, tree, q, v, tau)[:, moving]
    size = np.linalg.norm(exact, axis=1)
    for words, simple in simplifications(spec).items():
        error = evaluate_batch(reference.forward_dynamics, reference.build(simple), q, v, tau)[:, moving] - exact
        whole, each = np.linalg.norm(error, axis=1) / size, np.abs(error) / size[:, None]
        yield SimplificationCost(
            simplification=words,
            states=len(q),
            median=float(np.median(whole)),
            worst=float(whole.max()),
            joints=names,
            joint_median=tuple(float(x) for x in np.median(each, axis=0)),
            joint_worst=tuple(float(x) for x in each.max(axis=0)),
        )
