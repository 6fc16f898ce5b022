"""Answers of the user's engine in a convention of its own, turned into canonical ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention
from leapcheck.coordinates.frame_derivatives import DERIVATIVES
from leapcheck.coordinates.frame_maps import VDOT, FramePoint
from leapcheck.coordinates.frames import canonical_frames, frame_prerequisites
from leapcheck.engines.projection import OwnStates, Projection, number_of, own_states, takes_rate
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import DOFS, QUANTITIES, QuantityGroup
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats


def depends_on_convention(quantity: str) -> bool:
    """Whether the quantity is another one in other coordinates: it counts dofs, or its bias takes Tdot v."""
    row = QUANTITIES[quantity]
    return bool(row.coefficient or set(row.axes or ()) & set(DOFS))


def prerequisites(convention: Convention | None, quantities: Sequence[str]) -> tuple[str, ...]:
    """What the engine must be asked for so that the quantities are known in the canonical convention."""
    if convention is None:
        return tuple(quantities)
    names = dict.fromkeys(quantities)
    for name in quantities:
        names |= dict.fromkeys(prerequisites(convention, frame_prerequisites(convention.frames, name)))
    return tuple(names | dict.fromkeys(coefficients(convention, names)))


def coefficients(convention: Convention, quantities: Collection[str]) -> tuple[str, ...]:
    """The coefficients that turn biases and rates among the quantities into other coordinates."""
    return tuple(QUANTITIES[name].coefficient for name in quantities if takes_rate(convention, name))


def check_convertible(convention: Convention | None, quantities: Collection[str], verb: str) -> None:
    """ValueError for a quantity whose prerequisites the engine does not answer; `verb` says how it would."""
    if convention is None:
        return
    for name in sorted(quantities):
        if name in DERIVATIVES and convention.frames.point is FramePoint.ROBOT_COM:
            raise ValueError(f"{name} at the robot's com is not converted: {verb} it at the frame's origin")
        for missing in (other for other in frame_prerequisites(convention.frames, name) if other not in quantities):
            raise ValueError(f"{name} in the declared frame cannot be converted without {missing}: {verb} that too")
        if QUANTITIES[name].group is QuantityGroup.DERIVATIVES and convention.rotations:
            raise ValueError(f"{name} in a base velocity in world axes is not converted: {verb} it in the base's axes")
        for missing in (other for other in prerequisites(convention, [name]) if other not in quantities):
            raise ValueError(f"{name} in a base velocity in world axes cannot be converted without {missing}: {verb} that too")


def states_in(convention: Convention | None, states: States) -> OwnStates:
    """The states in the engine's convention; those of the canonical convention unchanged."""
    if convention is None:
        return OwnStates(states.q, states.v, states.tau, states.vdot, states.contact_forces)
    return own_states(convention, conventions.velocity_map(convention, states.q), states)


def answers_from(convention: Convention | None, states: States, own: Mapping[str, Floats], quantities: Sequence[str]) -> Answers:
    """The quantities in the canonical convention, out of the engine's own answers at these states."""
    if convention is None:
        return {name: own[name] for name in quantities}
    numbers = {number_of(name): values for name, values in own.items()}
    projection = Projection(convention, states, conventions.velocity_map(convention, states.q), numbers)
    canonical: Answers = {}

    def value(name: str) -> Floats:
        """A quantity, its frames and all that takes part in their conversion, on first use; vdot by its name, too."""
        if name == VDOT:
            return states.vdot
        if name not in canonical:
            values = projection.quantity(name) if depends_on_convention(name) else own[name]
            canonical[name] = canonical_frames(convention.frames, convention.spec, name, values, value)
        return canonical[name]

    return {name: value(name) for name in quantities}
