"""Sites and geoms of a compiled MuJoCo model that have a name: where its robot may touch the ground."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from leapcheck.engines.mujoco.tree import link_origins, names_of, shape_of_geom
from leapcheck_models.importing.marks import Mark, Spot, shape_spots
from leapcheck_models.importing.poses import unit_quaternion, vector3


def marks_of_model(m: mujoco.MjModel) -> tuple[Mark, ...]:
    """All of them, in the axes of the spec's links."""
    return (*_sites(m), *_geoms(m))


def _sites(m: mujoco.MjModel) -> Iterator[Mark]:
    bodies, origins = names_of(m).bodies, link_origins(m)
    for s in range(m.nsite):
        body = bodies[m.site_bodyid[s]]
        if m.site_bodyid[s] and m.site(s).name:
            place = vector3(m.site_pos[s] - np.array(origins.get(body, (0.0, 0.0, 0.0))))
            yield Mark("site", m.site(s).name, body, (Spot(place),), unit_quaternion(m.site_quat[s]))


def _geoms(m: mujoco.MjModel) -> Iterator[Mark]:
    bodies, origins = names_of(m).bodies, link_origins(m)
    for g in range(m.ngeom):
        body = bodies[m.geom_bodyid[g]]
        if m.geom_bodyid[g] and m.geom(g).name:
            origin = origins.get(body, (0.0, 0.0, 0.0))
            shape = shape_of_geom(m, g, origin)
            spots = shape_spots(shape) if shape else (Spot(vector3(m.geom_pos[g] - np.array(origin))),)
            yield Mark("geom", m.geom(g).name, body, spots)
