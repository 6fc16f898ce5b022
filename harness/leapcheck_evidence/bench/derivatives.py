"""Derivatives, torque regressor and Coriolis matrix: compiled kernels in compact layout beside Pinocchio's C++.

`python -m leapcheck_evidence.bench.derivatives` prints the ratios of one run.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time_ns

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.pinocchio import build
from leapcheck.engines.projection import own_states
from leapcheck.sampling import States, generated_states
from leapcheck_evidence.command import run_command
from leapcheck_evidence.peers import pinocchio_build
from leapcheck_evidence.peers.pinocchio_loop import exact_model
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_reference import build as build_tree
from leapcheck_reference import kernel
from leapcheck_reference.trace.native import aligned_array

SOURCE = Path(pinocchio_build.__file__).with_name("pinocchio_derivatives.cpp")
STATES, ROUNDS = 64, 1000
"""Few states, whose results stay in the cache, and many rounds."""

WORK = {
    "inverse_dynamics_derivatives": ("inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v", "mass_matrix"),
    "forward_dynamics_derivatives": tuple(f"forward_dynamics_derivative_{by}" for by in ("q", "v", "tau")),
    "joint_torque_regressor": ("joint_torque_regressor",),
    "coriolis_matrix": ("christoffel_matrix",),
}
"""The function of the C++ source, and the in-house quantities that it computes."""


@dataclass(frozen=True, kw_only=True)
class DerivativesCommand:
    """Time kernels of derivatives, regressor and Coriolis matrix beside Pinocchio's C++."""

    robot: str = "mini_cheetah_armature"
    """Name of a robot without rotors."""

    def run(self) -> int:
        """Prints a line for each: microseconds of CPU a state of both, best of some rounds in turn, and their ratio."""
        spec = load(self.robot)
        states = generated_states(spec, STATES, 0, 0)
        library = ctypes.CDLL(str(pinocchio_build.built_once("derivatives", _command(), SOURCE.read_text(encoding="utf-8"))))
        model = exact_model(spec, with_rotor_bodies(spec).spec)
        convention = conventions.pinocchio_convention(spec, build.places(spec, model))
        own = own_states(convention, conventions.velocity_map(convention, states.q), states)
        library.robot_from_text.restype = ctypes.c_void_p
        robot = ctypes.c_void_p(library.robot_from_text(model.saveToString().encode()))
        tree = build_tree(spec)
        for function, quantities in WORK.items():
            third = own.tau if function.startswith("forward") else own.vdot
            parts = [np.ascontiguousarray(part) for part in (own.q, own.v, third)]
            arrays = [ctypes.c_void_p(part.ctypes.data) for part in parts]
            block = kernel(tree, quantities).block
            given = {name: getattr(states, name) for name in block.inputs}
            inputs = block.blocks(given)
            ours = block.bound_blocks(inputs, aligned_array((len(inputs), block.entry_count, block.lanes)))
            theirs = _bound(library[f"run_{function}"], robot, len(states), arrays)
            best = _best((ours, theirs), states)
            print(f"{function}: kernel {best[0]:.2f} us, Pinocchio {best[1]:.2f} us, {best[1] / best[0]:.1f} x")
        library.delete_robot(robot)
        return 0


def _command() -> list[str]:
    return pinocchio_build.build_command()


def _bound(
    function: Callable[..., object], robot: ctypes.c_void_p, n: int, arrays: list[ctypes.c_void_p]
) -> Callable[[], object]:
    return lambda: function(robot, ctypes.c_long(n), *arrays)


def _best(runs: tuple[Callable[[], object], ...], states: States) -> list[float]:
    """Microseconds of CPU a state of each, best of rounds in which they take turns."""
    best = [float("inf")] * len(runs)
    for _ in range(ROUNDS):
        for k, run in enumerate(runs):
            start = process_time_ns()
            run()
            best[k] = min(best[k], 1e-3 * (process_time_ns() - start) / len(states))
    return best


if __name__ == "__main__":
    sys.exit(run_command(DerivativesCommand, "bench.derivatives"))
