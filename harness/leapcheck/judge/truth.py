"""The true value of a quantity at one state: the in-house algorithm on balls of 256 bits, and who lies farther from it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import STATE_PARTS
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.quantities import quantity as reference_quantity
from leapcheck_reference.scalar import array_of
from leapcheck_reference.tree import Tree, build

BITS = 256
"""Working precision of the truth; a double has 53."""

MOST_BITS = 4096
"""Precision is doubled up to here where balls grow too large: those of forward dynamics do with each link of a long chain."""

RADIUS = 1e-30
"""Largest radius of a result, relative to the largest entry or 1; measured worst over robots and kinds of states: 5e-56."""


def truth(
    spec: RobotSpec,
    quantity: str,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    vdot: ArrayLike = (),
    contact_forces: ArrayLike = (),
) -> Floats:
    """The quantity at one state (q (nq,), v, tau and vdot (nv,), canonical), each entry the double nearest to the true value.

    The doubles of the state and of the spec are taken as exact; quaternions are normalised in `BITS` bits. Quantities in
    MuJoCo's coordinates are those of `with_rotor_bodies(spec)` at `with_rotor_coordinates(spec, q)`, rounded to double as
    every engine gets them. Raises ArithmeticError where the precision does not suffice.
    """
    state = {
        name: np.asarray(part, dtype=float) for name, part in zip(STATE_PARTS, (q, v, tau, vdot, contact_forces), strict=True)
    }
    if QUANTITIES[quantity].in_mujoco_coordinates:
        state["q"] = with_rotor_coordinates(spec, state["q"])
        spec = with_rotor_bodies(spec).spec
    arguments = [state[name] for name in QUANTITIES[quantity].arguments]
    bits = BITS
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            balls = reference_quantity(quantity).function(_exact_tree(spec, bits), *(array_of(part, arb) for part in arguments))
            middle, radius = _midpoints(np.asarray(balls, dtype=object))
        if (radius <= RADIUS * max(1.0, float(np.abs(middle).max(initial=0.0)))).all():
            return middle
        bits *= 2
    raise ArithmeticError(f"the truth of {quantity} is not known to 30 digits with {MOST_BITS} bits: the state is singular")


@lru_cache(maxsize=4)
def _exact_tree(spec: RobotSpec, bits: int) -> Tree:
    """The robot in the precision of the context, which is of so many bits."""
    assert ctx.prec == bits
    return build(spec, scalar=arb)


def _midpoints(balls: Any) -> tuple[Floats, Floats]:
    """Midpoints, each rounded to double once, and radii."""
    middle, radius = np.empty(balls.shape), np.empty(balls.shape)
    for place, ball in np.ndenumerate(balls):
        middle[place], radius[place] = float(arb(ball).mid()), float(arb(ball).rad())
    return middle, radius
