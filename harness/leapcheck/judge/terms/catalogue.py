"""The terms of the textbooks' forms by name: what a programmer calls each, and the equation that it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum

from leapcheck.judge.terms.lagrange import PARTS
from leapcheck_models.spec import JointType
from leapcheck_reference.tree import Tree


class Formulation(Enum):
    """A way of writing the equations of motion."""

    VECTOR = "Newton-Euler recursion with 3-vectors"
    SPATIAL = "Newton-Euler recursion with spatial vectors"
    COMPOSITE = "composite rigid bodies"
    LAGRANGE = "Lagrange's equations"


class ElementKind(StrEnum):
    """What a term belongs to."""

    LINK = "link"
    JOINT = "joint"
    MOVING_FRAME = "joint that slides or floats"
    ROTOR = "rotor"
    POINT = "contact point"
    PART = "part"


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a form: its `key` in the form's text, a noun for it ("{}": its element), and the equation it stands in.

    `instead` says in words what stands in its place where it is no multiple of the term.
    """

    form: Formulation
    key: str
    kind: ElementKind
    noun: str
    equation: str
    instead: str = ""

    @property
    def is_additive(self) -> bool:
        """Whether the effects of several elements add up."""
        return not self.instead and self.key not in MULTIPLIED


MULTIPLIED = frozenset(
    {
        *("joint rate", "carried force", "carried moment", "rotor joint rate", "rotor fixed"),
        *("composite", "parallel axis", "coupling", "coupling arm"),
    }
)
"""Keys of terms in which one element's change also changes what another's does."""

_V, _S, _C = Formulation.VECTOR, Formulation.SPATIAL, Formulation.COMPOSITE
_L, _J, _R, _P, _F = ElementKind.LINK, ElementKind.JOINT, ElementKind.ROTOR, ElementKind.POINT, ElementKind.MOVING_FRAME
_NEWTON = "f = m (a_c - g)"
_EULER = "n = I alpha + w x I w"
_COM = "a_c = a + alpha x c + w x (w x c)"
_RATE = "alpha = R^T alpha_p + w x S qd + S qdd"
_PLACE = "a = R^T (a_p + alpha_p x p + w_p x (w_p x p))"
_CARRIED = "f_p += R f, n_p += R n + p x R f"
_POINT = "a_P = R (a + alpha x r + w x (w x r))"
_COMPOSITE = "Ic_p += X^T Ic X"
_COUPLING = "M_ji = S_j^T F, F = X_j^T F"
_UNTURNED, _BACK, _FORTH = "in the axes of the frame that it comes from", "turned by R for R^T", "turned by R^T for R"
_UNSHIFTED = "not shifted to its parent's origin"

TERMS: tuple[Term, ...] = (
    Term(_V, "gyroscopic", _L, "the gyroscopic torque w x I w of {}", _EULER),
    Term(_V, "gyroscopic about origin", _L, "the gyroscopic torque w x I w of {} about its joint", _EULER),
    Term(_V, "turning", _L, "the torque I alpha of {}", _EULER),
    Term(_V, "com moment", _L, "the moment c x f of {}", "n_o = n_c + c x f"),
    Term(_V, "com centripetal", _L, "the centripetal acceleration w x (w x c) of the com of {}", _COM),
    Term(_V, "com tangential", _L, "the acceleration alpha x c of the com of {}", _COM),
    Term(_V, "weight", _L, "the weight of {}", _NEWTON),
    Term(_V, "velocity product", _J, "the velocity product w x S qd of {}", _RATE),
    Term(_V, "joint rate", _J, "the joint's own rate in the angular velocity behind {}", "w = R^T w_p + S qd"),
    Term(_V, "arm centripetal", _J, "the centripetal acceleration w x (w x p) of the place of {}", _PLACE),
    Term(_V, "arm tangential", _J, "the acceleration alpha x p of the place of {}", _PLACE),
    Term(_V, "sliding", _F, "the Coriolis acceleration w x v of {}", "a = ... + 2 w x v_J, of a floating base w x v"),
    Term(_V, "arm velocity", _J, "the velocity w x p of the place of {}", "v = R^T (v_p + w_p x p) + v_J"),
    Term(_V, "velocity unturned", _J, "the angular velocity at {}", "w = R^T w_p + S qd", _UNTURNED),
    Term(_V, "velocity turned the other way", _J, "the angular velocity at {}", "w = R^T w_p + S qd", _BACK),
    Term(_V, "rate unturned", _J, "the angular acceleration at {}", _RATE, _UNTURNED),
    Term(_V, "acceleration unturned", _J, "the acceleration at {}", _PLACE, _UNTURNED),
    Term(_V, "carried force", _J, "the force that {} hands to its parent", _CARRIED),
    Term(_V, "carried moment", _J, "the moment that {} hands to its parent", _CARRIED),
    Term(_V, "carried arm", _J, "the moment p x f of the force that {} hands to its parent", _CARRIED),
    Term(_V, "force unturned", _J, "the force that {} hands to its parent", _CARRIED, _UNTURNED),
    Term(_V, "moment unturned", _J, "the moment that {} hands to its parent", _CARRIED, _UNTURNED),
    Term(_V, "force turned the other way", _J, "the force that {} hands to its parent", _CARRIED, "turned by R^T for R"),
    Term(_V, "moment turned the other way", _J, "the moment that {} hands to its parent", _CARRIED, "turned by R^T for R"),
    Term(_V, "rotor torque", _R, "the torque of {} on its own joint", "tau = S^T f + Sr^T f_r"),
    Term(_V, "rotor reaction", _R, "the reaction of {} on the link that carries it", "f_p += Xr^T f_r"),
    Term(_V, "rotor gyroscopic", _R, "the gyroscopic torque w x I w of {}", _EULER),
    Term(_V, "rotor turning", _R, "the torque I alpha of {}", _EULER),
    Term(_V, "rotor weight", _R, "the weight of {}", _NEWTON),
    Term(_V, "rotor velocity product", _R, "the velocity product w x S qd of {}", _RATE),
    Term(_V, "rotor joint rate", _R, "the spin of {} in its angular velocity", "w = R^T w_p + G qd"),
    Term(_V, "rotor fixed", _R, "the spin of {}", "w = R^T w_p + G qd, tau += Sr^T f_r"),
    Term(_V, "rotor com centripetal", _R, "the centripetal acceleration w x (w x c) of the com of {}", _COM),
    Term(_V, "rotor com moment", _R, "the moment c x f of {}", "n_o = n_c + c x f"),
    Term(_V, "rotor arm centripetal", _R, "the centripetal acceleration w x (w x p) of the place of {}", _PLACE),
    Term(_V, "rotor arm tangential", _R, "the acceleration alpha x p of the place of {}", _PLACE),
    Term(_V, "rotor carried arm", _R, "the moment p x f of {} on the link that carries it", _CARRIED),
    Term(_V, "energy of moving", _L, "the kinetic energy m v^2 / 2 of {}", "T = m v_c^2 / 2 + w I w / 2"),
    Term(_V, "energy of turning", _L, "the kinetic energy w I w / 2 of {}", "T = m v_c^2 / 2 + w I w / 2"),
    Term(_V, "rotor energy of moving", _R, "the kinetic energy m v^2 / 2 of {}", "T = m v_c^2 / 2 + w I w / 2"),
    Term(_V, "rotor energy of turning", _R, "the kinetic energy w I w / 2 of {}", "T = m v_c^2 / 2 + w I w / 2"),
    Term(_V, "point arm", _P, "the velocity w x r of {}", "v_P = R (v + w x r)"),
    Term(_V, "point tangential", _P, "the acceleration alpha x r of {}", _POINT),
    Term(_V, "point centripetal", _P, "the centripetal acceleration w x (w x r) of {}", _POINT),
    Term(_S, "spatial product", _J, "the velocity product V x S qd of {}", "A = X A_p + V x S qd + S qdd"),
    Term(_S, "spatial product, angular", _J, "the angular part of the velocity product V x S qd of {}", "A = X A_p + V x S qd"),
    Term(_S, "spatial product, linear", _J, "the linear part of the velocity product V x S qd of {}", "A = X A_p + V x S qd"),
    Term(_S, "spatial force product", _L, "the velocity product V x* I V of {}", "F = I A + V x* I V"),
    Term(_S, "rotor spatial product", _R, "the velocity product V x S qd of {}", "A = X A_p + V x S qd + S qdd"),
    Term(_S, "rotor spatial force product", _R, "the velocity product V x* I V of {}", "F = I A + V x* I V"),
    Term(_C, "composite", _J, "the composite inertia behind {} on its parent", _COMPOSITE),
    Term(_C, "composite unturned", _J, "the composite inertia behind {} on its parent", _COMPOSITE, _UNTURNED),
    Term(_C, "composite turned the other way", _J, "the composite inertia behind {}", _COMPOSITE, "turned by R^T for R"),
    Term(_C, "composite unshifted", _J, "the composite inertia behind {}", _COMPOSITE, "not shifted to its parent's origin"),
    Term(
        _C,
        "composite untransformed",
        _J,
        "the composite inertia behind {}",
        _COMPOSITE,
        "neither turned nor shifted",
    ),
    Term(_C, "composite transformed the other way", _J, "the composite inertia behind {}", _COMPOSITE, "moved by X Ic X^T"),
    Term(_C, "link alone", _J, "the inertia that {} moves", "F = Ic S", "that of its own link alone, without those behind it"),
    Term(_C, "parallel axis", _J, "the parallel-axis part of the composite inertia behind {}", _COMPOSITE),
    Term(_C, "coupling", _J, "the coupling of {} and what is behind it with the joints before it", _COUPLING),
    Term(_C, "coupling unturned", _J, "the coupling force that {} hands on", _COUPLING, _UNTURNED),
    Term(_C, "coupling turned the other way", _J, "the coupling force that {} hands on", _COUPLING, "turned by R^T for R"),
    Term(_C, "coupling transform", _J, "the coupling force of {}", _COUPLING, "moved on by its own transform at every joint"),
    Term(_C, "coupling axis", _J, "the coupling force of {}", _COUPLING, "projected on its own axis at every joint"),
    Term(_C, "coupling arm", _J, "the moment p x f of the coupling force that {} hands on", _COUPLING),
    Term(_C, "armature", _J, "the armature of {}", "M_ii = S^T Ic S + armature"),
    Term(_C, "rotor inertia", _R, "the inertia G^2 Jr of {} on its own joint", "M_ii = S^T Ic S + Sr^T Ir Sr"),
    Term(_C, "rotor coupling", _R, "the coupling of {} with the joints before it", "M_ji = S_j^T Xr^T Ir Sr"),
    Term(_C, "rotor ride", _R, "the inertia of {} on the link that carries it", "Ic_p += Xr^T Ir Xr"),
    Term(Formulation.LAGRANGE, "part", ElementKind.PART, "{}", "C v = Mdot v - d(v^T M v / 2)/dq, by Christoffel symbols too"),
)


def elements(tree: Tree, term: Term) -> Iterator[tuple[int, str]]:
    """Number and name of every element that has the term: of its own link, joint, rotor or contact point."""
    if term.kind is ElementKind.POINT:
        yield from ((k, point.name) for k, point in enumerate(tree.points))
        return
    if term.kind is ElementKind.PART:
        turning = any(link.type in (JointType.FREE, JointType.BALL) for link in tree.links)
        yield from enumerate(PARTS if turning else PARTS[:2])
        return
    for i, link in enumerate(tree.links):
        rotor = link.rotor
        match term.kind:
            case ElementKind.ROTOR:
                if rotor:
                    yield i, rotor.name
            case ElementKind.LINK:
                yield i, link.name
            case ElementKind.MOVING_FRAME:
                if link.type in (JointType.FREE, JointType.PRISMATIC):
                    yield i, link.name
            case _:
                if link.parent >= 0 or term.key == "armature":
                    yield i, link.name
