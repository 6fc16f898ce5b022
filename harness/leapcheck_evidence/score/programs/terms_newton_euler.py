"""Terms of the Newton-Euler code."""

from __future__ import annotations

from leapcheck_evidence.score.programs.mutation import Edit
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
    on_a_link,
    prismatic,
    revolute,
)

NE = "newton_euler"
MOTION, WRENCH, ROTOR, CARRY, RECURSION = (
    f"{NE}._link_motion",
    f"{NE}._link_wrench",
    f"{NE}._rotor_load",
    f"{NE}._to_parent",
    f"{NE}.inverse_dynamics",
)
GYROSCOPIC = r"gyroscopic|w x \(?I ?w|omega x I"
PRODUCT = r"velocity.product|v x S ?qd|w x (S|e|axis|z|s) ?qd|coriolis"
CENTRIPETAL = r"centripetal|centrifugal|w x \(?w x"
MOMENT = r"moment|r x f|p x f|c x f|com x f|arm|lever"
FROM_PARENT = r"carr|parent|propagat|passed|inward|transform|child"
ROTOR_S = r"rotor"

NO_TURN = Change(
    "not turned",
    "{}",
    r"(not|without|isn't|un)[- ]?(\w+ ){0,3}(turn|rotat|transform)|rotation (is )?missing|axes|turn (is )?missing|missing",
)
TRANSPOSED = Change("turned by the transpose", "{}", r"transpos|inverse|other way|wrong (way|direction)|back")

TERMS = (
    Term("gyroscopic torque", NE, WRENCH, "cross(w, times(link.I, w))", GYROSCOPIC, every, (MISSING, NEGATED, HALVED, DOUBLED)),
    Term("com's centripetal acceleration", NE, WRENCH, "cross(w, cross(w, link.com))", CENTRIPETAL),
    Term(
        "moment of the inertial force about the origin", NE, WRENCH, "cross(link.com, force)", MOMENT, every, (MISSING, NEGATED)
    ),
    Term(
        "inertia in the gyroscopic torque",
        NE,
        WRENCH,
        "times(link.I, w)",
        GYROSCOPIC + "|inertia",
        every,
        (Change("diagonal only", "np.diag(link.I) * w", r"product|off.diagonal|diagonal"),),
    ),
    Term(
        "gyroscopic torque",
        NE,
        WRENCH,
        "times(link.I, w)",
        GYROSCOPIC + "|inertia|parallel",
        every,
        (
            Change(
                "with the inertia about the origin",
                "times(link.I + link.mass * (link.com @ link.com * np.eye(3) - np.outer(link.com, link.com)), w)",
                r"origin|parallel|about",
            ),
        ),
    ),
    Term("velocity product of a hinge", NE, MOTION, "cross(w, spin)", PRODUCT, revolute, (MISSING, NEGATED, HALVED, DOUBLED)),
    Term("velocity product of a ball joint", NE, MOTION, "cross(w, v)", PRODUCT, ball, (MISSING, NEGATED)),
    Term("Coriolis acceleration of a slide", NE, MOTION, "2.0 * cross(w, slide)", PRODUCT, prismatic, (MISSING, HALVED, NEGATED)),
    Term(
        "joint offset's centripetal acceleration",
        NE,
        MOTION,
        "cross(carrier.w, cross(carrier.w, pose.p))",
        CENTRIPETAL,
        on_a_link,
        (MISSING, NEGATED, HALVED),
    ),
    Term(
        "joint offset's tangential acceleration",
        NE,
        MOTION,
        "cross(carrier.alpha, pose.p)",
        r"tangential|alpha x|angular acceleration|euler acceleration",
        on_a_link,
        (MISSING, NEGATED),
    ),
    Term(
        "base's w x v",
        NE,
        MOTION,
        "cross(v[:, :3], v[:, 3:])",
        r"w x v|base.*(velocity|acceleration)",
        free,
        (MISSING, NEGATED, HALVED),
    ),
    Term(
        "angular velocity of the parent",
        NE,
        MOTION,
        "times(Rt, carrier.w)",
        r"angular velocity|(^|\W)w\W",
        on_a_link,
        (
            Change("left in the parent's axes", "carrier.w", NO_TURN.words + "|parent"),
            Change("turned by the transpose", "times(pose.R, carrier.w)", TRANSPOSED.words),
        ),
    ),
    Term(
        "angular acceleration of the parent",
        NE,
        MOTION,
        "times(Rt, carrier.alpha)",
        r"angular acceleration|alpha",
        on_a_link,
        (
            Change("left in the parent's axes", "carrier.alpha", NO_TURN.words + "|parent"),
            Change("not handed on", "0.0 * carrier.alpha", LACKS),
        ),
    ),
    Term(
        "moment arm of the force on the parent",
        NE,
        CARRY,
        "cross(pose.p, f)",
        MOMENT,
        on_a_link,
        (MISSING, NEGATED, Change("with the force in the child's axes", "cross(pose.p, load.f)", r"axes|turn|rotat|frame")),
        link="pose.link",
    ),
    Term(
        "moment handed to the parent",
        NE,
        CARRY,
        "times(pose.R, load.n)",
        MOMENT,
        on_a_link,
        (
            Change("not turned", "load.n", NO_TURN.words),
            Change("transposed", "times(transpose(pose.R), load.n)", TRANSPOSED.words),
        ),
        link="pose.link",
    ),
    Term(
        "force and moment of the subtree",
        NE,
        RECURSION,
        "load_there.f + f",
        FROM_PARENT + "|subtree|reaction",
        on_a_link,
        (Change("not handed to the parent", "load_there.f", LACKS),),
        also=(Edit(RECURSION, "load_there.n + moment", "load_there.n"),),
    ),
    Term(
        "parent's motion",
        NE,
        RECURSION,
        "motions[link.parent]",
        r"parent|previous|carrier|motion",
        on_a_link,
        (
            Change(
                "taken from the link before in the loop", "motions[-1]", r"previous|before|stale|wrong parent|instead|of another"
            ),
        ),
    ),
    Term("rotor's gyroscopic torque", NE, ROTOR, "cross(w, times(rotor.I, w))", ROTOR_S, has_rotor, (MISSING, NEGATED)),
    Term(
        "rotor's spin in its angular velocity",
        NE,
        ROTOR,
        "w_carried + spin",
        ROTOR_S,
        has_rotor,
        (Change("missing", "w_carried + 0.0 * spin", LACKS),),
    ),
    Term("rotor's velocity product", NE, ROTOR, "cross(w_carried, spin)", ROTOR_S, has_rotor, (MISSING, NEGATED, HALVED)),
    Term(
        "rotor seat's centripetal acceleration",
        NE,
        ROTOR,
        "cross(carrier.w, cross(carrier.w, pose.p))",
        ROTOR_S,
        has_rotor,
        (MISSING,),
    ),
    Term("moment arm of the rotor's force", NE, ROTOR, "cross(pose.p, f)", ROTOR_S, has_rotor, (MISSING, NEGATED)),
    Term(
        "rotor's torque on its joint",
        NE,
        ROTOR,
        "rotor.ratio * dot(rotor.axis, moment)",
        ROTOR_S,
        has_rotor,
        (MISSING, Change("without the gear ratio", "dot(rotor.axis, moment)", r"ratio|gear")),
    ),
    Term(
        "rotor's reaction on the link that carries it",
        NE,
        RECURSION,
        "load_there.f + reaction.f",
        ROTOR_S,
        has_rotor,
        (Change("missing", "load_there.f", LACKS),),
        also=(Edit(RECURSION, "load_there.n + reaction.n", "load_there.n"),),
    ),
    Term("rotor's force", NE, ROTOR, "rotor.mass * a_com", ROTOR_S, has_rotor, (MISSING,)),
    Term(
        "rotor's moment on the link that carries it",
        NE,
        ROTOR,
        "times(pose.R, moment)",
        ROTOR_S,
        has_rotor,
        (Change("not turned", "moment", NO_TURN.words), Change("missing", "0.0 * moment", LACKS)),
    ),
)
