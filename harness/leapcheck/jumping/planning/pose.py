"""Inverse kinematics of a legged robot, for many poses at once: com, trunk orientation and feet given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning.legged import Legged
from leapcheck_models.arrays import Floats

NEARLY = 1e-7
"""Distance (m) from the target at which one more of Newton's steps is the last: the next distance is about its square / 0.1 m."""
LONGEST_STEP = 0.4
"""Largest change (rad, m) of a coordinate in one Newton step, so that a leg does not fold over."""
MOST_STEPS = 30


def inverse_kinematics(
    robot: Legged, guess: Floats, com: Floats, quaternion: Floats, feet: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """(q (n, nq), in_reach (n,)): trunk turned by `quaternion` (n, 4), com (n, 3) and foot centres (n, feet, 3) m where wanted.

    Newton's method from `guess` (n, nq), which also decides which way the legs bend. Where a target is out of
    reach, `in_reach` is False and q means nothing.
    """
    q = guess.copy()
    q[:, 3:7] = quaternion
    in_reach = np.zeros(len(q), dtype=bool)
    active = np.arange(len(q))
    for _ in range(MOST_STEPS):
        step, error = _newton_step(robot, q[active], com[active], feet[active])
        q[active, :3] += step[:, :3]
        q[active, 7:] += step[:, 3:]
        in_reach[active[error < NEARLY]] = True
        active = active[error >= NEARLY]
        if not len(active):
            break
    return q, in_reach


def _newton_step(robot: Legged, q: Floats, com: Floats, feet: Floats) -> tuple[Floats, Floats]:
    """(step (n, nv - 3) of trunk position in the world and joints, largest distance (n,) m before it)."""
    answers = robot.newton_step({"q": q, "com": com, "feet": feet})
    step, off = answers["step"], answers["off"]
    singular = np.isfinite(off).all(axis=1) & ~np.isfinite(step).all(axis=1)
    if singular.any():
        step[singular] = _least_step(robot, q[singular], off[singular])
    largest = np.abs(step).max(axis=1)
    step *= np.minimum(1.0, LONGEST_STEP / np.maximum(largest, LONGEST_STEP))[:, None]
    return step, np.abs(off).max(axis=1) + np.where(largest > LONGEST_STEP, np.inf, 0.0)


def _least_step(robot: Legged, q: Floats, off: Floats) -> Floats:
    """The same step where legs are singular, straight or with all axes parallel: the least of all that lead nearest."""
    terms, n = robot.geometry(q), len(q)
    J = np.concatenate([terms["com_jacobian"], terms["contact_jacobians"].reshape(n, -1, q.shape[1] - 1)], axis=1)[:, :, 3:]
    step: Floats = (np.linalg.pinv(J) @ off[..., None])[..., 0]
    step[:, :3] = np.einsum("nij,nj->ni", rotations(q[:, 3:7]), step[:, :3])
    return step


def rotations(quaternion: Floats) -> Floats:
    """R_WB (n, 3, 3) of unit quaternions wxyz (n, 4)."""
    w, x, y, z = quaternion.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def pitch_quaternions(quaternion: Floats, pitch: Floats) -> Floats:
    """Quaternions (n, 4) of one orientation (4,) turned by `pitch` (n,) rad about the world's y axis: nose down positive."""
    w, x, y, z = quaternion
    c, s = np.cos(pitch / 2), np.sin(pitch / 2)
    return np.stack([c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x], axis=-1)
