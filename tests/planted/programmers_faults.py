"""Programmer's mistakes in floating_base.cpp: lines as they stand, what is typed instead, and what a judge should say.

Each is one line of the kind that is forgotten, mistyped or copied from the line above.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parent / "floating_base.cpp"


class Mistake(NamedTuple):
    """The text that is replaced, by what, and a regular expression that the words of a right diagnosis match."""

    right: str
    wrong: str
    words: str


MISTAKES: dict[str, Mistake] = {
    "no rotor at the knees": Mistake("zero), rotor_y, 9.33}", "zero), Matrix6::Zero(), 9.33}", "rotors .*knee.* left out"),
    "gear of the hips at the knees": Mistake(
        "rotor_y, 9.33}", "rotor_y, 6.0}", "knee_joint has the gear ratio 6 instead of 9.33"
    ),
    "joints turn the other way": Mistake(
        "AngleAxisd(angle, ", "AngleAxisd(-angle, ", "every joint is of the opposite sign in q alone"
    ),
    "no V x* I V of the links": Mistake(
        "        f[i] += force_cross(m.v[i]) * link.inertia * m.v[i];\n", "", r"V x\* I V of FR_abad.*missing"
    ),
    "no V x* I V of the rotors": Mistake(
        "        f_rotor[i] += force_cross(m.v_rotor[i]) * link.rotor_inertia * m.v_rotor[i];\n",
        "",
        r"(V x\* I V|w x I w) of every rotor is missing",
    ),
    "composite inertia not transformed": Mistake(
        "composite[parent] += m.X[i].transpose() * composite[i] * m.X[i];",
        "composite[parent] += composite[i];",
        "composite inertia behind every joint is neither turned nor shifted",
    ),
    "composite inertia transformed the wrong way": Mistake(
        "composite[parent] += m.X[i].transpose() * composite[i] * m.X[i];",
        "composite[parent] += m.X[i] * composite[i] * m.X[i].transpose();",
        "composite inertia behind every joint is moved by X Ic X",
    ),
    "no parallel axis": Mistake("about_com + mass * c * c.transpose(), mass", "about_com, mass", "parallel-axis term is missing"),
    "another length of the thighs": Mistake(
        "{hip, 1, transform(one, Vector3(0, 0, -0.209))",
        "{hip, 1, transform(one, Vector3(0, 0, -0.206))",
        "joint FR_knee_joint is at .*-0.206",
    ),
    "no side sign of the hips' com": Mistake(
        "side * 0.016, -0.02", "0.016, -0.02", r"FR_hip: its com is at \(0, 0.016.*HR_hip: its com"
    ),
    "no side sign of the hips' product": Mistake("side * 245e-6", "245e-6", "FR_hip: Ixy.*HR_hip: Ixy"),
    "rotors' inertia about another axis": Mistake(
        "rotor_y = spatial_inertia(0.055, zero, symmetric(across, 0, 0, along, 0, across))",
        "rotor_y = spatial_inertia(0.055, zero, symmetric(along, 0, 0, across, 0, across))",
        "axes x and y of the rotational inertia of FR_hip_rotor, FR_knee_rotor",
    ),
    "sign of gravity": Mistake("gravity(0, 0, -9.81)", "gravity(0, 0, 9.81)", "gravity has the opposite sign"),
    "rotors without velocity products": Mistake(
        "m.c_rotor[i] = motion_cross(m.v_rotor[i]) * m.S_rotor[i] * rate;",
        "m.c_rotor[i].setZero();",
        "velocity product (V x S qd|w x S qd) of every rotor is missing",
    ),
    "coupling force by the wrong transform": Mistake(
        "            force = m.X[j].transpose() * force;",
        "            force = m.X[i].transpose() * force;",
        "coupling force of .* is moved on by its own transform",
    ),
    "coupling force on the wrong axis": Mistake("m.S[j].dot(force)", "m.S[i].dot(force)", "coupling force of .* its own axis"),
    "rotors' couplings forgotten": Mistake(
        " + m.X_rotor[i].transpose() * spun;", ";", "coupling of every rotor with the joints before it is missing"
    ),
    "rotors' reaction forgotten": Mistake(
        "        f[links[i].parent] += m.X_rotor[i].transpose() * f_rotor[i];\n", "", "reaction of every rotor"
    ),
    "foot Jacobian without base": Mistake(
        "    J.leftCols<6>() = to_point;\n", "", "columns trunk.* of contact Jacobians J are zero"
    ),
    "no centrifugal part of Jdot v": Mistake(
        "    acceleration += w.cross(motion.tail<3>() + w.cross(arm));\n", "", "spatial acceleration is given instead"
    ),
}
"""By what a programmer would call it."""


def source_with(mistake: Mistake) -> str:
    """The text with one mistake.

    Raises:
        ValueError: if the line is not there exactly once.
    """
    text = SOURCE.read_text(encoding="utf-8")
    if text.count(mistake.right) != 1:
        raise ValueError(f"'{mistake.right.strip()}' is there {text.count(mistake.right)} times")
    return text.replace(mistake.right, mistake.wrong)
