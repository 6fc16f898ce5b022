"""What a judge says of the hand-made run: verdicts, laws, two diagnoses and their smallest cases."""

from __future__ import annotations

import dataclasses
import math

from leapcheck.quantities import DEFAULT
from leapcheck.records import CauseClass, CauseRow, Diagnosis, EngineVerdict, Falls, Identity, Reproducer, Run, TruthVerdict

SCRIPT = '''"""The smallest case."""

import numpy as np

q = np.array([0.0, 0.3])
if q[1] < 1 and "</pre>" != "&amp;":
    print(f"{q}")
'''
ARMATURE = CauseRow(
    "armature/left-out", CauseClass.CONVENTION, "the armature of the joints is left out", "12 joints, 0.00227 kg m^2 each"
)
ROTORS = CauseRow("rotor/massless", CauseClass.MODEL, "the rotors have no inertia about their axes", "")
AXES = CauseRow("unit/degrees-read", CauseClass.CONVENTION, "angles are read in degrees", "")
MASS = CauseRow(
    "mass/FR_hip", CauseClass.MODEL, "the mass of FR_hip is 0.65 kg, not 0.54 kg", "explains 99.99 % of the difference"
)
FLOAT32 = CauseRow("precision/float32", CauseClass.ROUND_OFF, "it computes in single precision", "24 bits")

LAWS = (
    ("M is symmetric and positive definite", ("mass_matrix",)),
    ("h = gravity + Coriolis force", ("bias_force", "gravity_force", "coriolis_force")),
    ("M vdot + h = tau", ("mass_matrix", "bias_force", "forward_dynamics")),
    ("J M^-1 J^T from M and J", ("mass_matrix", "contact_jacobians", "contact_inertia")),
)


def judged(run: Run) -> Run:
    """The run with what a judge adds to it."""
    return dataclasses.replace(
        run, verdicts=verdicts(run), identities=identities(run), diagnoses=diagnoses(), reproducers=reproducers()
    )


def verdicts(run: Run) -> tuple[EngineVerdict, ...]:
    """One engine wrong in two quantities, one imprecise, the others right; one exact answer."""
    word = {("pinocchio-mjcf", "mass_matrix"): TruthVerdict.WRONG, ("pinocchio-mjcf", "bias_force"): TruthVerdict.WRONG}
    word |= {("mujoco-urdf", name): TruthVerdict.IMPRECISE for name in DEFAULT}
    found = []
    for i, a in enumerate(run.accuracies):
        rounding = 0.0 if i == 3 else a.rounding
        margin = 256.0 / rounding if rounding else math.inf
        of = word.get((a.engine, a.quantity), TruthVerdict.RIGHT)
        found.append(EngineVerdict(a.engine, a.quantity, of, rounding, 256.0, margin, a.index))
    return tuple(found)


def identities(run: Run) -> tuple[Identity, ...]:
    """The laws by engine, one broken; two of the in-house code."""
    found = []
    for engine in run.engines:
        for i, (law, names) in enumerate(LAWS):
            broken = engine.name == "pinocchio-mjcf" and i == 2
            if not (engine.name == "pinocchio" and i == 1):
                found.append(Identity(engine.name, law, names, 8, 3e-2 if broken else 2e-15, 4e-13, not broken))
    own = (("the columns of M are those of inverse dynamics", 2e-58), ("power balance v . C(q, v) = 1/2 v^T Mdot v", 3e-27))
    found += [Identity("in-house", law, ("mass_matrix",), 4, error, 1e-25, True) for law, error in own]
    return tuple(found)


def diagnoses() -> tuple[Diagnosis, ...]:
    """Two causes at once that leave one quantity unexplained, and one of few digits."""
    return (
        Diagnosis(
            engine="pinocchio-mjcf",
            causes=(ARMATURE, MASS),
            alternatives=((ROTORS, MASS), (AXES,)),
            falls=(
                Falls("mass_matrix", 0.31, 2.2e-15),
                Falls("bias_force", 0.02, 1.4e-15),
                Falls("contact_inertia", math.inf, 0.003),
            ),
            unexplained=("contact_inertia",),
            pattern="on the diagonal of the joints FR_abad_joint to HL_knee_joint, at every kind of state",
        ),
        Diagnosis("mujoco-urdf", (FLOAT32,), (), (Falls("mass_matrix", 3e-7, 3e-7),), (), ""),
    )


def reproducers() -> tuple[Reproducer, ...]:
    """Two smallest cases of the wrong engine."""
    return (
        Reproducer(
            engine="pinocchio-mjcf",
            quantity="mass_matrix",
            state=(),
            bodies=("trunk", "FR_abad"),
            removed=tuple(f"{leg}_{part}" for leg in ("FL", "HR", "HL") for part in ("abad", "hip", "knee")),
            error=0.31,
            allowed=4e-13,
            script=SCRIPT,
            test=SCRIPT.replace("smallest case", "test"),
        ),
        Reproducer(
            "pinocchio-mjcf", "bias_force", (("v FR_hip_joint", -0.25), ("q trunk quaternion w", 1.0)), ("trunk",), (), 0.02,
            4e-13, SCRIPT, SCRIPT,
        ),
    )  # fmt: skip


def with_hostile_words(run: Run, script: str, formula: str, markdown: str, style: str) -> Run:
    """The judged run with causes, laws, patterns, cases and scripts that try to be markup."""
    causes = (CauseRow(script, CauseClass.MODEL, style, formula),)
    return dataclasses.replace(
        run,
        verdicts=tuple(dataclasses.replace(v, engine=style) for v in run.verdicts[:2]) + run.verdicts,
        identities=tuple(dataclasses.replace(i, law=f"{script} {i.law}") for i in run.identities),
        diagnoses=tuple(
            dataclasses.replace(d, causes=causes, alternatives=(causes, causes), pattern=markdown) for d in run.diagnoses
        ),
        reproducers=tuple(
            dataclasses.replace(
                r,
                state=((script, 1.0),),
                bodies=(style, formula),
                removed=(markdown,),
                script=f"{style}\n{script}\n",
                test=markdown,
            )
            for r in run.reproducers
        ),
    )
