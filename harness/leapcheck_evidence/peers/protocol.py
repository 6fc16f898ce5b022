"""What a peer is: one robot in one engine, called in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from leapcheck.coordinates.conventions import Convention
from leapcheck.quantities import Sizes
from leapcheck_models.arrays import Floats

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
