"""Frames of links and contact points by MuJoCo's functions for bodies and sites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from leapcheck.engines.mujoco.call_table import Address, Call, call
from leapcheck.engines.mujoco.raw import RawNumber
from leapcheck.engines.projection import Assembly
from leapcheck_models.arrays import Floats


class MujocoFrame(NamedTuple):
    """A frame: kind of object and its number, its body, and the fields that hold its axes and its origin."""

    kind: int
    number: int
    body: int
    axes: str
    origin: str


def frames_of(m: mujoco.MjModel, bodies: Sequence[int], sites: Sequence[int]) -> list[MujocoFrame]:
    """The frames of bodies, then of sites."""
    body, site = int(mujoco.mjtObj.mjOBJ_XBODY), int(mujoco.mjtObj.mjOBJ_SITE)
    of_bodies = [MujocoFrame(body, b, b, "d.xmat", "d.xpos") for b in bodies]
    return of_bodies + [MujocoFrame(site, s, int(m.site_bodyid[s]), "d.site_xmat", "d.site_xpos") for s in sites]


def raw_numbers(m: mujoco.MjModel, frames: Sequence[MujocoFrame]) -> dict[str, RawNumber]:
    """MuJoCo's numbers by their names in `projection`, or in `ASSEMBLY`; its six-vectors are angular first."""
    nv, n = m.nv, len(frames)
    axes, origins, velocities, jacobians, rates, accelerations = [list[Call]() for _ in range(6)]
    for k, frame in enumerate(frames):
        point = Address(frame.origin, 3 * frame.number)
        axes.append(call("mju_copy", Address("frame_axes", 9 * k), Address(frame.axes, 9 * frame.number), 9))
        origins.append(call("mju_copy3", Address("frame_origins", 3 * k), point))
        velocities.append(call("mj_objectVelocity", "m", "d", frame.kind, frame.number, Address("frame_velocities", 6 * k), 0))
        J = 6 * nv * k
        rows = Address("frame_jacobians", J + 3 * nv), Address("frame_jacobians", J)
        jacobians.append(call("mj_jac", "m", "d", *rows, point, frame.body))
        rows = Address("frame_jacobian_rates", J + 3 * nv), Address("frame_jacobian_rates", J)
        rates.append(call("mj_jacDot", "m", "d", *rows, point, frame.body))
        rows = Address("scratch.frame_rate", 3 * nv), Address("scratch.frame_rate", 0)
        accelerations.append(call("mj_jacDot", "m", "d", *rows, point, frame.body))
        into = Address("frame_bias_accelerations", 6 * k)
        accelerations.append(call("mju_mulMatVec", into, "scratch.frame_rate", "d.qvel", 6, nv))
    return {
        "frame_axes": RawNumber((n, 3, 3), tuple(axes)),
        "frame_origins": RawNumber((n, 3), tuple(origins)),
        "frame_velocities": RawNumber((n, 6), tuple(velocities)),
        "frame_jacobians": RawNumber((n, 6, nv), tuple(jacobians)),
        "frame_jacobian_rates": RawNumber((n, 6, nv), tuple(rates)),
        "frame_bias_accelerations": RawNumber((n, 6), tuple(accelerations)),
    }


def placements(axes: Floats, origins: Floats) -> Floats:
    """[R, p] (..., frames, 3, 4)."""
    return np.concatenate([axes, origins[..., None]], axis=-1)


ASSEMBLY = {"frame_placements": Assembly(("frame_axes", "frame_origins"), placements)}
