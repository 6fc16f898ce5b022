"""An engine's own functions called for many states with as little around them as possible; the bench times them."""

from __future__ import annotations

from leapcheck_evidence.peers.protocol import Peer, PeerMissing
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec


def mujoco_peers(spec: RobotSpec) -> tuple[Peer, ...]:
    """MuJoCo in each way that may be its fastest; PeerMissing where it cannot be called by machine code."""
    try:
        from leapcheck_evidence.peers.mujoco_loop import mujoco_loops
    except ImportError as error:
        raise PeerMissing(f"the package '{error.name}' is missing: pip install mujoco") from error
    return mujoco_loops(spec, with_rotor_bodies(spec).spec)


def pinocchio_peer(spec: RobotSpec) -> Peer:
    """Pinocchio in C++ built for this CPU; its Python calls where it cannot be built, and its `form` says why."""
    try:
        from leapcheck_evidence.peers.pinocchio_loop import pinocchio_loop
    except ImportError as error:
        raise PeerMissing(f"the package '{error.name}' is missing: pip install pin") from error
    return pinocchio_loop(spec, with_rotor_bodies(spec).spec)


def generated_peer(spec: RobotSpec) -> Peer:
    """Pinocchio's functions as generated C; PeerMissing where CppADCodeGen or a compiler is missing."""
    try:
        from leapcheck_evidence.peers.pinocchio_generated import GeneratedLoop
    except ImportError as error:
        raise PeerMissing(f"the package '{error.name}' is missing: pip install pin") from error
    return GeneratedLoop(spec, with_rotor_bodies(spec).spec)
