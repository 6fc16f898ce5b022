# Made by: leapcheck compare mini_cheetah --engines faulty_dynamics:FaultyDynamics reference --quantities
# mass_matrix --states 2048 --seed 0 --only 646
"""mass matrix M of faulty_dynamics:FaultyDynamics is off by 0.0739, rounding explains 3.8e-13.

It needs numpy, leapcheck for the description of the robot, and faulty_dynamics in the folder where it is run.

Run it: its exit status is 1 while the error is there, 0 when it is gone.
"""

import importlib
import sys
import tempfile
from pathlib import Path

import numpy as np
from leapcheck_models.spec_file import read_spec

ROBOT = """\
{
  "name": "mini_cheetah",
  "bodies": [
    {
      "name": "FR_abad",
      "joint": {"name": "FR_abad_joint", "type": "revolute", "axis": [1.0, 0.0, 0.0]},
      "inertia": {
        "mass": 0.54,
        "com": [0.0, -0.036, 0.0],
        "rotational": [0.000381, -5.8e-05, 4.5e-07, 0.00056, -9.5e-07, 0.000444]
      },
      "placement": {"p": [0.19, -0.049, 0.0]}
    },
    {
      "name": "FR_hip",
      "joint": {"name": "FR_hip_joint", "type": "revolute", "axis": [0.0, 1.0, 0.0]},
      "inertia": {
        "mass": 0.634,
        "com": [0.0, -0.016, -0.02],
        "rotational": [0.001983, -0.000245, 1.3e-05, 0.002103, -1.5e-06, 0.000408],
        "realisable": false,
        "nearest": [0.00199065, -0.00021373, 1.281e-05, 0.00209535, -1.25e-06, 0.00044019],
        "source": "MIT Cheetah-Software c71c5a1, MiniCheetah.h: published so; its triangle inequality fails by 9.66e-5 kg m^2 (RobotLocomotion/drake#16058)"
      },
      "parent": "FR_abad",
      "placement": {"p": [0.0, -0.062, 0.0], "quaternion": [0.0, 0.0, 0.0, 1.0]}
    }
  ],
  "gravity": [0.0, 0.0, -9.81]
}
"""

# The state: every coordinate, velocity and torque is zero.
# q = [joints], in the order of the bodies above.
q = np.array([0.0, 0.0])

# What is right, by the algorithm in 256-bit ball arithmetic: the doubles nearest to the true values.
TRUE = np.array([[0.004658984, 0.000245], [0.000245, 0.0023566]])

# The largest error that rounding explains here, in units of sqrt(M_ii M_jj).
ALLOWED = 3.768897647883075e-13


def found():
    """The engine's answer, in the convention of q."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.json"
        path.write_text(ROBOT, encoding="utf-8")
        spec = read_spec(path)
    sys.path.insert(0, str(Path.cwd()))
    engine = importlib.import_module("faulty_dynamics").FaultyDynamics(spec)
    function = getattr(engine, "mass_matrix", None) or engine["mass_matrix"]
    return np.asarray(function(q), dtype=float)


def errors(answer):
    """Every entry's error in units of sqrt(M_ii M_jj)."""
    diagonal = np.sqrt(np.diag(TRUE))
    off = np.abs(answer - TRUE) / np.outer(diagonal, diagonal)
    return np.where(np.isnan(off), np.inf, off)


if __name__ == "__main__":
    answer = found()
    off = errors(answer)
    worst = np.unravel_index(off.argmax(), off.shape)
    print("faulty_dynamics:FaultyDynamics")
    print(f"entry {list(map(int, worst))}: found {float(answer[worst])!r}, true {float(TRUE[worst])!r}")
    print(f"error {off.max():.3g} of sqrt(M_ii M_jj), rounding explains {ALLOWED:.2g}")
    sys.exit(1 if off.max() > ALLOWED else 0)
