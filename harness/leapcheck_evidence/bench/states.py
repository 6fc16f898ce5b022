"""The states of a block that all contenders are timed on, and what every one of them answers there."""

from __future__ import annotations

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import QUANTITIES, Sizes
from leapcheck.sampling import States, generated_states, join_states
from leapcheck_evidence.peers.protocol import RIGID_BODY_QUANTITIES, Outputs
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.native import aligned_array

PARTS: dict[str, tuple[str, ...]] = {
    "M": ("mass_matrix",),
    "bias": ("bias_force",),
    "positions, J": ("contact_positions", "contact_jacobians"),
    "all": RIGID_BODY_QUANTITIES,
}
"""What is timed, by the heading of its column: every quantity that a controller asks for, and parts of it."""

ALL = "all"


def generic_states(spec: RobotSpec, count: int) -> States:
    """So many seeded states: tilted, moving, every joint bent, near the origin."""
    blocks: list[States] = []
    unit = 0
    while sum(map(len, blocks)) < count:
        states = generated_states(spec, 2**40, 0, unit)
        rows = np.flatnonzero(np.array(states.kind) == "generic")
        blocks.append(States(states.q[rows], states.v[rows], states.tau[rows], states.index[rows], ("generic",) * len(rows)))
        unit += 1
    return join_states(blocks)[:count]


def own_state(convention: Convention, states: States) -> tuple[Floats, Floats]:
    """The states in an engine's coordinates: (n, nq_u) and (n, nv_u), C-contiguous."""
    velocity = conventions.product(conventions.velocity_map(convention, states.q), states.v)
    return np.ascontiguousarray(conventions.configuration(convention, states.q)), np.ascontiguousarray(velocity)


def outputs(count: int, sizes: Sizes) -> dict[str, Floats]:
    """An array (n, *shape) for each quantity, at the begin of a cache line, filled with NaN: what is not written shows."""
    made = {}
    for name in RIGID_BODY_QUANTITIES:
        shape = QUANTITIES[name].shape
        assert shape is not None  # canonical quantities have one
        made[name] = aligned_array((count, *shape(sizes)))
        made[name].fill(np.nan)
    return made


def canonical(convention: Convention, states: States, out: Outputs) -> dict[str, Floats]:
    """A peer's answers in the canonical convention."""
    T, M_u, J_u = conventions.velocity_map(convention, states.q), out["mass_matrix"], out["contact_jacobians"]
    Tdot_v = conventions.velocity_map_rate(convention, states.q, states.v)
    return {
        "mass_matrix": conventions.mass_matrix(T, M_u),
        "bias_force": conventions.bias_force(T, out["bias_force"], M_u, Tdot_v),
        "contact_positions": out["contact_positions"],
        "contact_jacobians": conventions.jacobians(T, J_u),
        "contact_bias_accelerations": conventions.bias_accelerations(out["contact_bias_accelerations"], J_u, Tdot_v),
    }


def worst_difference(spec: RobotSpec, states: States, answers: Outputs) -> float:
    """Largest difference from the readable in-house code, relative to the largest entry of the quantity in that state."""
    readable = ReferenceEngine(spec).evaluate(states, RIGID_BODY_QUANTITIES)
    return max(_difference(answers[name], readable[name]) for name in RIGID_BODY_QUANTITIES)


def _difference(values: Floats, readable: Floats) -> float:
    axes = tuple(range(1, readable.ndim))
    relative = np.abs(values - readable).max(axis=axes) / np.abs(readable).max(axis=axes)
    return float(relative.max())  # NaN stays NaN
