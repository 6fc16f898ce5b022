"""Terms of the composite-rigid-body code and of M^-1 (tau - h)."""

from __future__ import annotations

from leapcheck_evidence.score.programs.slips import (
    DOUBLED,
    HALVED,
    LACKS,
    MISSING,
    NEGATED,
    Change,
    Term,
    every,
    has_rotor,
    on_a_link,
    prismatic,
    with_armature,
)
from leapcheck_evidence.score.programs.terms_newton_euler import MOMENT, NO_TURN, ROTOR_S, TRANSPOSED

NE, MASS = "newton_euler", "composite.mass_matrix"
CARRIED, ROTOR, PUSH, ROW = "composite._carried", "composite._rotor_row", "composite._push_on_parent", "composite._unit_push"
COMPOSITE = r"composite|subtree|inertia"
PARALLEL = r"parallel.axis|steiner|shift|m p|offset|arm|m \(?c"
WHOLE_M = r"mass matrix|\bM\b|triangle|coupling|off.diagonal|diagonal|symmetr"

TERMS = (
    Term(
        "parallel axis of a link",
        NE,
        MASS,
        "_own(link.mass, link.com, link.I, n)",
        PARALLEL,
        every,
        (
            Change(
                "missing",
                "_own(link.mass, link.com, link.I - (_own(link.mass, link.com, link.I, 1).I[0] - link.I), n)",
                LACKS,
            ),
            Change(
                "counted twice",
                "_own(link.mass, link.com, link.I + (_own(link.mass, link.com, link.I, 1).I[0] - link.I), n)",
                DOUBLED.words,
            ),
        ),
    ),
    Term(
        "composite inertia",
        NE,
        CARRIED,
        "pose.R @ of.I @ transpose(pose.R)",
        COMPOSITE,
        on_a_link,
        (
            Change("not turned", "of.I", NO_TURN.words),
            Change("transposed", "transpose(pose.R) @ of.I @ pose.R", TRANSPOSED.words),
        ),
        link="pose.link",
    ),
    Term(
        "shift of the composite inertia to the parent's origin",
        NE,
        CARRIED,
        "_shift(of.mass, mc, pose.p)",
        PARALLEL,
        on_a_link,
        (
            MISSING,
            Change(
                "without the first moment", "_shift(of.mass, 0.0 * mc, pose.p)", r"first moment|mc|com|mixed|cross term|" + LACKS
            ),
        ),
        link="pose.link",
    ),
    Term(
        "first moment of the composite body",
        NE,
        CARRIED,
        "mc + of.mass * pose.p",
        r"first moment|com|centre of mass|mc|composite",
        on_a_link,
        (Change("not shifted", "mc + 0.0 * pose.p", LACKS + "|shift|arm|offset|m p"),),
        link="pose.link",
    ),
    Term(
        "first moment of the composite body",
        NE,
        CARRIED,
        "times(pose.R, of.mc)",
        r"first moment|com|centre of mass|mc|composite",
        on_a_link,
        (Change("not turned", "of.mc", NO_TURN.words),),
        link="pose.link",
    ),
    Term(
        "composite inertia of the subtree",
        NE,
        MASS,
        "_carried(places[link.number], composites[link.number])",
        COMPOSITE,
        on_a_link,
        (
            Change(
                "replaced by the link's own",
                "_carried(places[link.number], _own(link.mass, link.com, link.I, n))",
                r"own|subtree|child|composite|alone|only",
            ),
        ),
    ),
    Term(
        "moment arm on the way to the root", NE, PUSH, "cross(pose.p, f)", MOMENT, on_a_link, (MISSING, NEGATED), link="pose.link"
    ),
    Term(
        "moment on the way to the root",
        NE,
        PUSH,
        "times(pose.R, push.n)",
        MOMENT,
        on_a_link,
        (
            Change("not turned", "push.n", NO_TURN.words),
            Change("transposed", "times(transpose(pose.R), push.n)", TRANSPOSED.words),
        ),
        link="pose.link",
    ),
    Term(
        "moment of a sliding composite body",
        NE,
        ROW,
        "cross(of.mc, a)",
        MOMENT + r"|coupling|first moment|mc",
        prismatic,
        (MISSING, NEGATED),
    ),
    Term(
        "rotor at rest in M",
        NE,
        MASS,
        "_rotor(link, link.rotor, q)",
        ROTOR_S,
        has_rotor,
        (Change("missing", "_own(0.0, 0.0 * link.com, 0.0 * link.I, n)", LACKS),),
    ),
    Term(
        "rotor's diagonal term",
        NE,
        ROTOR,
        "rotor.ratio * dot(rotor.axis, push.n)",
        ROTOR_S,
        has_rotor,
        (MISSING, Change("with the gear ratio once", "dot(rotor.axis, push.n)", r"ratio|gear|once|square"), DOUBLED),
    ),
    Term(
        "rotor's coupling with the links that carry it",
        NE,
        ROTOR,
        "_push_on_parent(pose, push)",
        ROTOR_S + r".*coupl|coupl.*rotor",
        has_rotor,
        (
            Change("missing", "Push(0.0 * push.f, 0.0 * push.n)", LACKS),
            Change(
                "halved",
                "Push(0.5 * _push_on_parent(pose, push).f, 0.5 * _push_on_parent(pose, push).n)",
                HALVED.words,
            ),
            Change(
                "with the wrong sign",
                "Push(-_push_on_parent(pose, push).f, -_push_on_parent(pose, push).n)",
                NEGATED.words,
            ),
        ),
    ),
    Term("armature in M", NE, MASS, "link.armature", r"armature", with_armature, (MISSING, DOUBLED, NEGATED)),
    Term(
        "M from one triangle",
        NE,
        "composite._symmetric",
        "triangle + transpose(triangle) - diagonal",
        WHOLE_M,
        every,
        (
            Change("with halved couplings", "0.5 * (triangle + transpose(triangle))", r"coupling|off.diagonal"),
            Change("with a doubled diagonal", "triangle + transpose(triangle)", r"diagonal"),
            Change("without the other", "triangle", r"triangle|symmetr|upper"),
        ),
        link="",
    ),
    Term(
        "M before it is factored",
        NE,
        "composite.forward_dynamics",
        "np.linalg.solve(M, (tau - h)[..., None])",
        r"forward dynamics|accelerat|solve|factor",
        every,
        (
            Change(
                "with 1e-8 on the diagonal",
                "np.linalg.solve(M + 1e-8 * np.eye(M.shape[1]), (tau - h)[..., None])",
                r"1e-0?8|regularis|regulariz|diagonal",
            ),
            Change(
                "with 1e-6 on the diagonal",
                "np.linalg.solve(M + 1e-6 * np.eye(M.shape[1]), (tau - h)[..., None])",
                r"1e-0?6|regularis|regulariz|diagonal",
            ),
            Change(
                "with implicit damping",
                "np.linalg.solve(M + 0.002 * np.diag(0.1 + 0.05 * np.arange(M.shape[1])), (tau - h)[..., None])",
                r"damping|diagonal|regularis|regulariz",
            ),
        ),
        link="",
    ),
    Term(
        "bias force in forward dynamics",
        NE,
        "composite.forward_dynamics",
        "(tau - h)[..., None]",
        r"bias|\bh\b",
        every,
        (Change("missing", "tau[..., None]", LACKS), Change("with the wrong sign", "(tau + h)[..., None]", NEGATED.words)),
        link="",
    ),
)
