"""Public threads about engines that disagree, each rebuilt as a robot and a few lines, and what the judge says of it.

`python -m leapcheck_evidence.threads --out reports/` writes their gallery.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import leapcheck_reference as reference
from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.sampling import generated_states
from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.command import run_command
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

FILE = "threads.md"
STATES = 16

Functions = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread: where it is, the question and what it came to, in our words, the robot that it is rebuilt with, and how.

    `functions` makes of the robot what the asker's code answers; `causes` are the names of the faults that it has.
    """

    place: str
    question: str
    answer: str
    robot: str
    functions: Callable[[RobotSpec], Functions]
    causes: tuple[str, ...]

    @property
    def address(self) -> str:
        """Its page."""
        repository, _, number = self.place.partition("#")
        return f"https://github.com/{repository}/issues/{number}"


@dataclass(frozen=True, slots=True)
class NamedThread:
    """What the judge says of a thread: names and words of the causes, and what is left unexplained."""

    thread: Thread
    causes: tuple[str, ...]
    words: tuple[str, ...]
    unexplained: tuple[str, ...]


def _shift(p: Floats) -> Floats:
    """The matrix (6, 6) of [w; v] to [w; v + p x w]: from the frame's origin to the world's."""
    X = np.eye(6)
    X[3:, :3] = np.cross(p, np.eye(3)).T
    return X


def _world_jacobian(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)

    def frame_jacobians(q: Floats) -> Floats:
        places, J = reference.frame_placements(tree, q), reference.frame_jacobians(tree, q)
        return np.stack([np.roll(_shift(p[:, 3]) @ rows, 3, axis=0) for p, rows in zip(places, J, strict=True)])

    return {"frame_jacobians": frame_jacobians}


def _spatial_rates(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)

    def frame_jacobian_rates(q: Floats, v: Floats) -> Floats:
        V, J = reference.frame_velocities(tree, q, v), reference.frame_jacobians(tree, q)
        rates = reference.frame_jacobian_rates(tree, q, v).copy()
        for k, w in enumerate(V[:, :3]):
            rates[k, 3:] -= np.cross(w, J[k, 3:].T).T
        return rates

    return {"frame_jacobian_rates": frame_jacobian_rates}


def _spatial_velocity(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)

    def frame_velocities(q: Floats, v: Floats) -> Floats:
        places, V = reference.frame_placements(tree, q), reference.frame_velocities(tree, q, v)
        return np.stack([_shift(p[:, 3]) @ V_F for p, V_F in zip(places, V, strict=True)])

    return {"frame_velocities": frame_velocities}


def _spatial_acceleration(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)

    def frame_bias_accelerations(q: Floats, v: Floats) -> Floats:
        V, A = reference.frame_velocities(tree, q, v), reference.frame_bias_accelerations(tree, q, v).copy()
        A[:, 3:] -= np.cross(V[:, :3], V[:, 3:])
        return A

    return {"frame_bias_accelerations": frame_bias_accelerations}


def _momentum_about_origin(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)

    def centroidal_momentum(q: Floats, v: Floats) -> Floats:
        h, com = reference.centroidal_momentum(tree, q, v), reference.com_position(tree, q)
        return np.concatenate([h[:3] + np.cross(com, h[3:]), h[3:]])

    return {"centroidal_momentum": centroidal_momentum}


def _half_derivative(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)
    return {"coriolis_matrix": lambda q, v: 0.5 * reference.inverse_dynamics_derivative_v(tree, q, v)}


def _quaternion_components(spec: RobotSpec) -> Functions:
    tree = reference.build(spec)

    def forward_dynamics_derivative_q(q: Floats, v: Floats, tau: Floats) -> Floats:
        by_q = reference.forward_dynamics_derivative_q(tree, q, v, tau).copy()
        w, u = q[3], q[4:7]
        by_q[:, :3] = by_q[:, :3] @ (2.0 * (w * np.eye(3) - np.cross(u, np.eye(3)).T))
        return by_q

    return {"forward_dynamics_derivative_q": forward_dynamics_derivative_q}


def _world_velocity(spec: RobotSpec) -> Functions:
    """Inverse dynamics for a base velocity [w_WB_W; v_WB_W]."""
    tree = reference.build(spec)

    def inverse_dynamics(q: Floats, u: Floats, udot: Floats) -> Floats:
        T, R = np.eye(tree.nv), rotation_matrices(q[3:7])
        T[:3, :3] = T[3:6, 3:6] = R
        v = T.T @ u
        drift = np.zeros(tree.nv)
        drift[3:6] = np.cross(v[:3], v[3:6])
        return np.asarray(T @ reference.inverse_dynamics(tree, q, v, T.T @ udot - drift))

    return {"inverse_dynamics": inverse_dynamics}


def _other_order(spec: RobotSpec) -> Functions:
    tree, order = reference.build(spec), [0, 1, 2, 3, 4, 6, 9, 8, 7, 5]

    def joint_torque_regressor(q: Floats, v: Floats, vdot: Floats) -> Floats:
        Y = reference.joint_torque_regressor(tree, q, v, vdot)
        return Y.reshape(tree.nv, -1, 10)[..., order].reshape(Y.shape)

    return {"joint_torque_regressor": joint_torque_regressor}


PINOCCHIO = "stack-of-tasks/pinocchio"

THREADS = (
    Thread(
        f"{PINOCCHIO}#417",
        "A frame's Jacobian from the library is not the joint's, turned into the world's axes.",
        "It is that of the point of the body that coincides with the world's origin.",
        "mini_cheetah_armature",
        _world_jacobian,
        ("frame/world+linear-first",),
    ),
    Thread(
        f"{PINOCCHIO}#2141",
        "getFrameJacobianTimeVariation times v is not the frame's classical acceleration.",
        "The rate was that of the spatial velocity: the classical one takes w x J besides.",
        "two_link_arm",
        _spatial_rates,
        ("frame/spatial-rates",),
    ),
    Thread(
        "RobotLocomotion/drake#16146",
        "Is the linear part of a body's spatial velocity that of the frame, pdot?",
        "Yes, in Drake; a twist's is that of the point that coincides with the world's origin, which this code took it for.",
        "mini_cheetah_armature",
        _spatial_velocity,
        ("frame/world",),
    ),
    Thread(
        "dartsim/dart#294",
        "getBodyLinearAcceleration gives the linear part of the spatial acceleration, not the linear acceleration.",
        "The classical one differs by w x v, and so does the Jacobian's derivative.",
        "mini_cheetah_armature",
        _spatial_acceleration,
        ("frame/spatial",),
    ),
    Thread(
        f"{PINOCCHIO}#1252",
        "Is computeCentroidalMomentum that of Orin, Goswami and Lee?",
        "Yes: about the centre of mass, in axes aligned with the world's; here it was taken about the world's origin.",
        "mini_cheetah",
        _momentum_about_origin,
        ("momentum/about-origin",),
    ),
    Thread(
        "RobotLocomotion/drake#14315",
        "C_ij = 1/2 dc_i/dv_j gives a Coriolis matrix.",
        "c(q, v) is unique, C is not; half of the derivative is one with joints alone, not with a base's angular velocity.",
        "mini_cheetah_armature",
        _half_derivative,
        ("coriolis/half-derivative:coriolis_matrix",),
    ),
    Thread(
        f"{PINOCCHIO}#1527",
        "Is the derivative of forward dynamics by the orientation that of a perturbed quaternion?",
        "It is on the tangent space: by a turn of the base, not by the components of its quaternion.",
        "random:30",
        _quaternion_components,
        ("derivative/quaternion:forward_dynamics_derivative_q",),
    ),
    Thread(
        f"{PINOCCHIO}#1721",
        "rnea gives another torque than RBDL for a floating base.",
        "Whether the base's velocity and acceleration stand in the world's axes, or in the base's own as Pinocchio's do.",
        "random:30",
        _world_velocity,
        ("base-velocity/both:w_W-v_W",),
    ),
    Thread(
        f"{PINOCCHIO}#1411",
        "Which vector of inertial parameters belongs to computeJointTorqueRegressor?",
        "toDynamicParameters of each joint: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz; this code has another order.",
        "random:30",
        _other_order,
        ("regressor/voigt",),
    ),
)


def name_fault(thread: Thread) -> NamedThread:
    """What the judge says of the thread's code."""
    spec = load(thread.robot)
    functions = thread.functions(spec)
    engine = user_engine(SimpleNamespace(**functions), spec, "thread")
    diagnoses = diagnose(spec, engine, generated_states(spec, STATES, 1, 0), tuple(functions))
    causes = [cause for diagnosis in diagnoses for cause in diagnosis.causes]
    unexplained = tuple(quantity for diagnosis in diagnoses for quantity in diagnosis.unexplained)
    return NamedThread(thread, tuple(cause.name for cause in causes), tuple(cause.words for cause in causes), unexplained)


def gallery(rows: tuple[NamedThread, ...]) -> str:
    """The page: a table of threads, what they came to, and what the judge says."""
    lines = [
        "# Public threads, rebuilt",
        "",
        "Engines that disagreed in public: what each thread was about as a robot and a few lines of code",
        "(`leapcheck_evidence/threads.py`), and what leapcheck says of that code. Questions and answers are in our words.",
        "Written by `python -m leapcheck_evidence.threads --out reports/`.",
        "",
        f"{sum(row.causes == row.thread.causes for row in rows)} of {len(rows)} are named.",
        "",
        "| thread | the question | what it came to | leapcheck says |",
        "|---|---|---|---|",
    ]
    for row in rows:
        place = f"[{row.thread.place}]({row.thread.address})"
        said = "; ".join(row.words) or "unexplained"
        lines.append(f"| {place} | {row.thread.question} | {row.thread.answer} | {said} |")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, kw_only=True)
class ThreadsCommand:
    """Rebuild public threads and write what is named."""

    out: Path = Path("reports")
    """Folder of the page."""

    def run(self) -> int:
        """Writes the page; 1 where a thread is not named."""
        rows = tuple(name_fault(thread) for thread in THREADS)
        self.out.mkdir(parents=True, exist_ok=True)
        write_whole(self.out / FILE, gallery(rows))
        return int(any(row.causes != row.thread.causes for row in rows))


if __name__ == "__main__":
    sys.exit(run_command(ThreadsCommand, "threads"))
