"""Terms of Lagrange's equations."""

from __future__ import annotations

from leapcheck_evidence.score.programs.slips import (
    DOUBLED,
    HALVED,
    LACKS,
    MISSING,
    NEGATED,
    Change,
    Term,
    ball,
    every,
    free,
    has_rotor,
    with_armature,
)
from leapcheck_evidence.score.programs.terms_newton_euler import NO_TURN, ROTOR_S, TRANSPOSED

LA, BY_M, BY_C = "lagrange", "lagrange.coriolis_by_momentum", "lagrange.coriolis_by_christoffel"
TURNED = "lagrange._turned_momentum"
SECOND = r"d\(v\^?T M v|second half|gradient|dM/dq|1/2 v\^?T|partial"
SYMBOLS = r"christoffel|c_ijk|symbol|dM_|dM/dq|second half|gradient|partial"
HAMEL = r"hamel|quasi|w x p|momentum|w x v|base|euler.poincar|kirchhoff|lie"

TERMS = (
    Term("1/2 d(v^T M v)/dq", LA, BY_M, "0.5 * gradient", SECOND, every, (MISSING, NEGATED, DOUBLED), link=""),
    Term("Mdot v", LA, BY_M, "times(Mdot, v)", r"mdot", every, (MISSING, HALVED), link=""),
    Term("Hamel's terms", LA, BY_M, "_turned_momentum(robot, times(M, v), v)", HAMEL, every, (MISSING, NEGATED), link=""),
    Term(
        "third of Christoffel's derivatives",
        "christoffel",
        BY_C,
        'np.einsum("njki->nijk", D)',
        SYMBOLS,
        every,
        (MISSING, NEGATED),
        link="",
    ),
    Term(
        "second of Christoffel's derivatives",
        "christoffel",
        BY_C,
        'np.einsum("nikj->nijk", D)',
        SYMBOLS,
        every,
        (MISSING,),
        link="",
    ),
    Term(
        "indices of a Christoffel symbol",
        "christoffel",
        BY_C,
        '"njki->nijk"',
        SYMBOLS,
        every,
        (Change("exchanged", '"nijk->nijk"', r"index|indices|exchang|swap|permut|" + LACKS),),
        link="",
    ),
    Term(
        "the half of Christoffel's symbols",
        "christoffel",
        BY_C,
        '0.5 * (D + np.einsum("nikj->nijk", D) - np.einsum("njki->nijk", D))',
        SYMBOLS + "|coriolis",
        every,
        (Change("missing", '1.0 * (D + np.einsum("nikj->nijk", D) - np.einsum("njki->nijk", D))', DOUBLED.words + "|" + LACKS),),
        link="",
    ),
    Term("ball's w x p", LA, TURNED, "cross(own, p)", HAMEL, ball, (MISSING, NEGATED)),
    Term("base's w x p of the moment", LA, TURNED, "cross(own[:, :3], p[:, :3])", HAMEL, free, (MISSING, NEGATED)),
    Term("base's v x p", LA, TURNED, "cross(own[:, 3:], p[:, 3:])", HAMEL, free, (MISSING,)),
    Term("base's w x p of the force", LA, TURNED, "cross(own[:, :3], p[:, 3:])", HAMEL, free, (MISSING,)),
    Term(
        "com in the Jacobian",
        LA,
        "lagrange._masses",
        "_mass(frame, link.mass, link.com, link.I)",
        r"com\b|centre of mass|offset|parallel",
        every,
        (Change("missing", "_mass(frame, link.mass, 0.0 * link.com, link.I)", LACKS + "|origin"),),
    ),
    Term(
        "inertia in world axes",
        LA,
        "lagrange._masses",
        "_mass(frame, link.mass, link.com, link.I)",
        r"inertia",
        every,
        (
            Change("not turned", "_mass(frame, link.mass, link.com, transpose(frame.R) @ link.I @ frame.R)", NO_TURN.words),
            Change(
                "turned by the transpose",
                "_mass(frame, link.mass, link.com, transpose(frame.R @ frame.R) @ link.I @ (frame.R @ frame.R))",
                TRANSPOSED.words,
            ),
        ),
    ),
    Term("armature in M", LA, "lagrange._mass_matrix", "link.armature", r"armature", with_armature, (MISSING, DOUBLED)),
    Term(
        "rotor's turn in the derivative",
        LA,
        "lagrange._spun",
        "skew(rotor.ratio * rotor.axis * step)",
        ROTOR_S,
        has_rotor,
        (MISSING,),
    ),
)
