"""Numbers of a robot that a code reads wrongly: for a leg, a side, the same link of every leg, one kind of joint."""

from __future__ import annotations

from leapcheck_evidence.score.programs.slips import (
    DOUBLED,
    LACKS,
    MISSING,
    NEGATED,
    Change,
    Term,
    every,
    has_rotor,
    revolute,
    with_armature,
)

ANY = "any"
LINK, ROTOR = "links._link", "links._rotor"
PRODUCTS = r"product|inertia|xy|xz|yz"
COM = r"\bcoms?\b|centre of mass"
PLACE = r"place|origin|offset|position of (the )?joint|placement"

MIRRORED = Change("mirrored in y", "np.array([1.0, -1.0, 1.0]) * {}", r"sign|mirror|\by\b|revers|opposite")
MIRRORED_X = Change("mirrored in x", "np.array([-1.0, 1.0, 1.0]) * {}", r"sign|mirror|\bx\b|revers|opposite")

TERMS = (
    Term(
        "products of inertia",
        ANY,
        LINK,
        "_symmetric(link.inertia)",
        PRODUCTS,
        every,
        (
            Change("with the wrong sign", "(2.0 * np.eye(3) - 1.0) * {}", r"sign|negat|flip|revers|opposite|product"),
            Change("left out", "np.eye(3) * {}", r"product|diagonal|" + LACKS),
        ),
    ),
    Term(
        "inertia",
        ANY,
        LINK,
        "_symmetric(link.inertia)",
        r"inertia",
        every,
        (Change("with x and z exchanged", "{}[::-1, ::-1]", r"exchang|swap|axes|turn|inertia|xx|zz"), DOUBLED),
    ),
    Term("com", ANY, LINK, "np.array(link.inertia.com)", COM, every, (MISSING, MIRRORED, NEGATED)),
    Term("mass", ANY, LINK, "link.inertia.mass", r"mass", every, (Change("10 % too large", "1.1 * {}", r"mass"),)),
    Term("place", ANY, LINK, "np.array(link.placement.p)", PLACE, revolute, (MIRRORED, MIRRORED_X)),
    Term("axis", ANY, LINK, "_unit(link.joint.axis or (0.0, 0.0, 1.0))", r"axis|sign", revolute, (NEGATED,)),
    Term("rotor", ANY, LINK, "_rotor(link)", r"rotor", has_rotor, (Change("missing", "None", LACKS),)),
    Term("armature", ANY, LINK, "link.joint.armature", r"armature", with_armature, (MISSING, DOUBLED)),
    Term(
        "gear ratio",
        ANY,
        ROTOR,
        "rotor.gear_ratio",
        r"gear|ratio",
        has_rotor,
        (Change("6 for 9.33", "0.643 * {}", r"gear|ratio"), Change("with the wrong sign", "-{}", NEGATED.words)),
    ),
    Term("rotor's place", ANY, ROTOR, "np.array(rotor.placement.p)", r"rotor", has_rotor, (MIRRORED, MISSING)),
    Term(
        "rotor's inertia",
        ANY,
        ROTOR,
        "_symmetric(rotor.inertia)",
        r"rotor",
        has_rotor,
        (Change("with x and z exchanged", "{}[::-1, ::-1]", r"exchang|swap|axes|turn|inertia|xx|zz"), DOUBLED),
    ),
    Term("rotor's mass", ANY, ROTOR, "rotor.inertia.mass", r"rotor", has_rotor, (Change("missing", "0.0", LACKS + "|mass"),)),
)
