"""An engine's own functions called for many states with as little around them as can be: what `leapcheck bench` times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leapcheck.conventions import Convention
from leapcheck.quantities import Sizes
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec

Floats = NDArray[np.float64]
Outputs = Mapping[str, Floats]

RIGID_BODY_QUANTITIES = (
    "mass_matrix",
    "bias_force",
    "contact_positions",
    "contact_jacobians",
    "contact_bias_accelerations",
)
"""What a peer answers, in its own coordinates and in NumPy layout."""


class PeerMissing(RuntimeError):  # noqa: N818 - not an error: the table says what is not there, and why
    """A peer cannot run on this machine; the message gives the reason and the remedy."""


class Peer(Protocol):
    """One robot in one engine, called in one way; a robot's rotors are bodies."""

    @property
    def name(self) -> str:
        """Name in the table."""

    @property
    def form(self) -> str:
        """Version, and how its functions are called."""

    @property
    def convention(self) -> Convention:
        """The engine's coordinates."""

    @property
    def sizes(self) -> Sizes:
        """Its dof, rotors counted, and contact points."""

    def bound(self, quantities: Sequence[str], q_u: Floats, v_u: Floats, out: Outputs) -> Callable[[], None]:
        """What writes the quantities at the states (n, nq_u), (n, nv_u) into `out` (n, *shape), all of it C-contiguous."""


def mujoco_peers(spec: RobotSpec) -> tuple[Peer, ...]:
    """MuJoCo in each way that may be its fastest; PeerMissing where it cannot be called by machine code."""
    try:
        from leapcheck.engines.peers_mujoco import mujoco_loops
    except ImportError as error:
        raise PeerMissing(f"the package '{error.name}' is missing: pip install mujoco") from error
    return mujoco_loops(spec, with_rotor_bodies(spec).spec)


def pinocchio_peer(spec: RobotSpec) -> Peer:
    """Pinocchio in C++ built for this CPU; its Python calls where it cannot be built, and its `form` says why."""
    try:
        from leapcheck.engines.peers_pinocchio import pinocchio_loop
    except ImportError as error:
        raise PeerMissing(f"the package '{error.name}' is missing: pip install pin") from error
    return pinocchio_loop(spec, with_rotor_bodies(spec).spec)
