"""A user's dynamics with a fault: the front right hip has lost the product of inertia Ixy.

    leapcheck compare mini_cheetah --engine faulty_dynamics:FaultyDynamics --quantities mass_matrix bias_force

run in this folder names it; reports/example_discrepancy is the report.
"""

from __future__ import annotations

from dataclasses import replace

import leapcheck_reference as reference
from leapcheck_models.spec import Body, RobotSpec
from leapcheck_reference.scalar import Array


class FaultyDynamics:
    """Stands for dynamics code of one's own: M and h of one state, in the convention of the README."""

    def __init__(self, spec: RobotSpec) -> None:
        self._tree = reference.build(replace(spec, bodies=tuple(_mistyped(body) for body in spec.bodies)))

    def mass_matrix(self, q: Array) -> Array:
        """M (nv, nv)."""
        return reference.mass_matrix(self._tree, q)

    def bias_force(self, q: Array, v: Array) -> Array:
        """h (nv,)."""
        return reference.bias_force(self._tree, q, v)


def _mistyped(body: Body) -> Body:
    if body.name != "FR_hip":
        return body
    xx, _, xz, yy, yz, zz = body.inertia.rotational
    return replace(body, inertia=replace(body.inertia, rotational=(xx, 0.0, xz, yy, yz, zz)))
