"""Terms of the six-vector codes."""

from __future__ import annotations

from leapcheck_evidence.score.programs.slips import (
    HALVED,
    LACKS,
    MISSING,
    NEGATED,
    Change,
    Term,
    every,
    has_rotor,
    moving,
    on_a_link,
    with_armature,
)
from leapcheck_evidence.score.programs.terms_newton_euler import FROM_PARENT, PRODUCT, ROTOR_S, TRANSPOSED

SP = "spatial"
FLOWS, RNEA, CRBA, ABA, OUT = (
    "spatial._flows",
    "spatial._inverse_dynamics",
    "spatial.mass_matrix",
    "spatial.forward_dynamics",
    "spatial._outward",
)
FORCE = r"v x\*? ?(\()?I ?v|gyroscopic|velocity.product force|v x f|bias"
ARTICULATED = r"articulated|aba|forward dynamics"

TERMS = (
    Term("velocity product c", SP, FLOWS, "_cross_motion(velocity, own)", PRODUCT, moving, (MISSING, NEGATED, HALVED)),
    Term("rotor's velocity product c", SP, FLOWS, "_cross_motion(v_rotor, spin)", ROTOR_S, has_rotor, (MISSING, NEGATED)),
    Term(
        "rotor's velocity",
        SP,
        FLOWS,
        "times(gear.X, carrier) + spin",
        ROTOR_S,
        has_rotor,
        (Change("without its spin", "times(gear.X, carrier) + 0.0 * spin", r"spin|" + LACKS),),
    ),
    Term(
        "v x* I v",
        SP,
        RNEA,
        "_cross_force(flow.v, times(I, flow.v))",
        FORCE,
        every,
        (
            MISSING,
            NEGATED,
            HALVED,
            Change("with the product of motions", "_cross_motion(flow.v, times(I, flow.v))", r"motion|crm|cross"),
        ),
    ),
    Term(
        "rotor's v x* I v",
        SP,
        RNEA,
        "_cross_force(flow.v_rotor, times(gear.I, flow.v_rotor))",
        ROTOR_S,
        has_rotor,
        (MISSING, NEGATED),
    ),
    Term(
        "velocity product in the bias force",
        SP,
        RNEA,
        "times(X, carrier) + flow.c",
        PRODUCT,
        moving,
        (Change("missing", "times(X, carrier) + 0.0 * flow.c", LACKS),),
    ),
    Term(
        "force to the parent",
        SP,
        RNEA,
        "times(transpose(X), f)",
        FROM_PARENT,
        on_a_link,
        (MISSING, Change("with X for its transpose", "times(X, f)", TRANSPOSED.words)),
    ),
    Term("rotor's force to the parent", SP, RNEA, "times(transpose(gear.X), f_rotor)", ROTOR_S, has_rotor, (MISSING,)),
    Term("rotor's torque on its joint", SP, RNEA, "times(transpose(gear.S), f_rotor)", ROTOR_S, has_rotor, (MISSING,)),
    Term(
        "composite inertia",
        SP,
        CRBA,
        "transpose(X) @ composites[link.number] @ X",
        r"composite|inertia|subtree",
        on_a_link,
        (
            Change("carried the wrong way", "X @ composites[link.number] @ transpose(X)", TRANSPOSED.words),
            Change("of the link alone", "transpose(X) @ nodes[link.number].I @ X", r"own|subtree|child|alone|only|" + LACKS),
            MISSING,
        ),
    ),
    Term("rotor at rest in M", SP, CRBA, "transpose(gear.X) @ gear.I @ gear.X", ROTOR_S, has_rotor, (MISSING,)),
    Term("rotor's diagonal term", SP, CRBA, "gear.S.T @ F_rotor", ROTOR_S, has_rotor, (MISSING,)),
    Term("rotor's coupling", SP, CRBA, "transpose(gear.X) @ F_rotor", ROTOR_S, has_rotor, (MISSING, NEGATED)),
    Term("armature in M", SP, CRBA, "link.armature", r"armature", with_armature, (MISSING,)),
    Term("U D^-1 U^T", SP, ABA, "gain @ transpose(U[i])", r"U D|articulated", on_a_link, (MISSING, HALVED)),
    Term("bias force U D^-1 u", SP, ABA, "times(gain, u[i])", r"U D|articulated|p_?A|bias", on_a_link, (MISSING, NEGATED)),
    Term("IA c", SP, ABA, "times(IA[i], flow.c)", r"IA c|I\^A c|I c|velocity.product|articulated", on_a_link, (MISSING,)),
    Term("v x* I v", SP, ABA, "_cross_force(flow.v, times(node.I, flow.v))", FORCE, every, (MISSING, NEGATED), link="node.link"),
    Term(
        "armature in D",
        SP,
        ABA,
        "link.armature * np.eye(S.shape[1])",
        r"armature",
        with_armature,
        (Change("missing", "0.0 * {}", LACKS + "|armature of their own"),),
    ),
    Term("rotor in D", SP, ABA, "gear.S.T @ gear.I @ gear.S", ROTOR_S, has_rotor, (MISSING,)),
    Term("rotor in U", SP, ABA, "gear.S.T @ gear.I @ gear.X", ROTOR_S, has_rotor, (MISSING,)),
    Term("rotor's bias force", SP, ABA, "times(gear.I, flow.c_rotor)", ROTOR_S, has_rotor, (MISSING,)),
    Term(
        "rotor's mass in the articulated inertia", SP, ABA, "transpose(gear.X) @ gear.I @ gear.X", ROTOR_S, has_rotor, (MISSING,)
    ),
    Term("velocity product on the way out", SP, OUT, "flows[link.number].c", PRODUCT, moving, (MISSING,)),
)
