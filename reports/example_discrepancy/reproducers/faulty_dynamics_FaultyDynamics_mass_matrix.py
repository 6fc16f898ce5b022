# Made by: leapcheck compare mini_cheetah --engines faulty_dynamics:FaultyDynamics reference --quantities
# mass_matrix --states 2048 --seed 0 --only 458
"""Mass matrix M of faulty_dynamics:FaultyDynamics is off by 0.0739 of sqrt(M_ii M_jj).

Entry [FR_abad_joint, FR_hip_joint] is 0.0; true is 0.000245, by 256-bit ball arithmetic.

Why, by leapcheck: [model] Link FR_hip: Ixy about its com is +0.000245 kg m^2 off: 0 instead of -0.000245.

The smallest case found: 2 bodies, 2 degrees of freedom. The state: every coordinate, velocity and torque is zero.

It needs numpy and faulty_dynamics, imported from the folder where it is run; the robot is handed to it as plain
records.

Run it. Exit status: 1 the error is there, 0 it is gone, 2 the engine could not be run.
"""

import importlib
import sys
from dataclasses import make_dataclass
from enum import StrEnum
from pathlib import Path
from types import SimpleNamespace

try:
    import numpy as np
except ImportError as missing:
    print(f"could not run: {missing}: pip install numpy", file=sys.stderr)
    sys.exit(2)

# Lengths in m, masses in kg, inertias about the com in the link's axes: xx, xy, xz, yy, yz, zz.
ROBOT = {
  "name": "mini_cheetah",
  "bodies": [
    {
      "name": "FR_abad",
      "joint": {
        "name": "FR_abad_joint", "type": "revolute", "axis": [1.0, 0.0, 0.0], "limits": None, "armature": 0.0,
        "damping": 0.0, "friction": 0.0,
      },
      "inertia": {
        "mass": 0.54, "com": [0.0, -0.036, 0.0],
        "rotational": [0.000381, -5.8e-05, 4.5e-07, 0.00056, -9.5e-07, 0.000444], "realisable": True,
        "nearest": None, "source": "",
      },
      "parent": "world", "placement": {"p": [0.19, -0.049, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0]}, "rotor": None,
      "shapes": [], "source": "",
    },
    {
      "name": "FR_hip",
      "joint": {
        "name": "FR_hip_joint", "type": "revolute", "axis": [0.0, 1.0, 0.0], "limits": None, "armature": 0.0,
        "damping": 0.0, "friction": 0.0,
      },
      "inertia": {
        "mass": 0.634, "com": [0.0, -0.016, -0.02],
        "rotational": [0.001983, -0.000245, 1.3e-05, 0.002103, -1.5e-06, 0.000408], "realisable": False,
        "nearest": [0.00199065, -0.00021373, 1.281e-05, 0.00209535, -1.25e-06, 0.00044019],
        "source": "MIT Cheetah-Software c71c5a1, MiniCheetah.h: published so; its triangle inequality fails by 9.66e-5 kg m^2 (RobotLocomotion/drake#16058)",
      },
      "parent": "FR_abad", "placement": {"p": [0.0, -0.062, 0.0], "quaternion": [0.0, 0.0, 0.0, 1.0]},
      "rotor": None, "shapes": [], "source": "",
    },
  ],
  "contact_points": [], "actuators": [], "poses": [], "gravity": [0.0, 0.0, -9.81], "source": "", "description": "",
}

# The state: every coordinate, velocity and torque is zero.
# q = [joints], v = [joints], tau as v. Joints in order: FR_abad_joint, FR_hip_joint.
q = np.array([0.0, 0.0])
v = np.array([0.0, 0.0])
tau = np.array([0.0, 0.0])

# What is right: the equations of motion in 256-bit ball arithmetic, rounded to doubles at the end.
TRUE = np.array([[0.004658984, 0.000245], [0.000245, 0.0023566]])

# The largest error that rounding explains here, in units of sqrt(M_ii M_jj).
ALLOWED = 3.768897647883075e-13


JointType = StrEnum("JointType", ["FREE", "REVOLUTE", "PRISMATIC", "BALL", "FIXED"])


class Robot:
    """What a robot is asked besides its fields."""

    nq, nv, total_mass = 2, 2, 1.174

    def body_index(self, name):
        return next((i for i, body in enumerate(self.bodies) if body.name == name), -1)

    def parent_index(self, body):
        return self.body_index(body.parent)


def records(value, kind="robot"):
    """Plain data as frozen records and tuples."""
    if isinstance(value, dict):
        parts = {name: JointType(part) if name == "type" else records(part, name) for name, part in value.items()}
        return make_dataclass(kind, parts, bases=(Robot,) if kind == "robot" else (), frozen=True)(**parts)
    return tuple(records(part, kind) for part in value) if isinstance(value, list) else value


def robot():
    """The robot that the engine is handed: leapcheck's own record where the engine has leapcheck at hand, else one alike."""
    try:
        from leapcheck_models.spec_file import spec_of
    except ImportError:
        return records(ROBOT)
    return spec_of(ROBOT)


def ask(shapes):
    """The engine's own answers, by quantity."""
    sys.path.insert(0, str(Path.cwd()))
    engine = importlib.import_module("faulty_dynamics").FaultyDynamics
    engine = engine(robot())
    functions = SimpleNamespace(**engine) if isinstance(engine, dict) else engine
    if callable(getattr(functions, "evaluate", None)) and hasattr(functions, "quantities"):
        state = SimpleNamespace(q=q[None], v=v[None], tau=tau[None], index=np.array([0]), kind=("reproducer",))
        answers = functions.evaluate(state, tuple(shapes))
        return {name: np.asarray(answers[name])[0] for name in shapes}
    return {
        "mass_matrix": np.asarray(functions.mass_matrix(q.copy())),
    }


def found():
    """The engine's answer, in the convention of q."""
    answers = ask({"mass_matrix": (2, 2)})
    return answers["mass_matrix"]


def errors(answer):
    """Every entry's error in units of sqrt(M_ii M_jj)."""
    diagonal = np.sqrt(np.diag(TRUE))
    off = np.abs(answer - TRUE) / np.outer(diagonal, diagonal)
    return np.where(np.isnan(off), np.inf, off)


def main():
    """Says in a line whether the error is there; returns the exit status."""
    try:
        answer = np.asarray(found(), dtype=float)
        if answer.shape != TRUE.shape:
            raise ValueError(f"the answer has the shape {answer.shape} instead of {TRUE.shape}")
    except (Exception, SystemExit) as reason:
        print(f"could not run: {type(reason).__name__}: {reason}", file=sys.stderr)
        return 2
    off = errors(answer)
    worst = np.unravel_index(off.argmax(), off.shape)
    is_there = bool(off[worst] > ALLOWED)
    size = f"error {off[worst]:.3g} of sqrt(M_ii M_jj), rounding explains {ALLOWED:.2g}"
    entry = f"entry {list(map(int, worst))}" if worst else "the value"
    where = f"{entry} is {float(answer[worst])!r}, true {float(TRUE[worst])!r}"
    print("faulty_dynamics:FaultyDynamics", f": the error is {'there' if is_there else 'gone'}: {where}; {size}", sep="")
    return int(is_there)


if __name__ == "__main__":
    sys.exit(main())
