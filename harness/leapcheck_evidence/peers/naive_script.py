"""M, h and J of a robot in MuJoCo and Pinocchio at random states: the script that one writes without leapcheck.

    python naive_script.py robot.xml 256

Both read the same MJCF, whose first joint is free. Each engine is called state by state; the answers are compared in
Pinocchio's coordinates. The bench times leapcheck beside it.
"""

import sys

import mujoco
import numpy as np
import pinocchio as pin

Answers = tuple[np.ndarray, np.ndarray, np.ndarray]


def mujoco_answers(m: mujoco.MjModel, d: mujoco.MjData, q: np.ndarray, v: np.ndarray) -> Answers:
    """M, h and the sites' J in MuJoCo, at Pinocchio's q and v, in Pinocchio's coordinates."""
    d.qpos[:], d.qvel[:] = q, v
    d.qpos[3:7] = q[[6, 3, 4, 5]]
    R, M, T, turning = np.zeros(9), np.zeros((m.nv, m.nv)), np.eye(m.nv), np.zeros(m.nv)
    mujoco.mju_quat2Mat(R, d.qpos[3:7])
    T[:3, :3] = R.reshape(3, 3)
    turning[:3] = T[:3, :3] @ np.cross(v[3:6], v[:3])  # Tdot v
    d.qvel[:] = T @ v
    mujoco.mj_forward(m, d)
    mujoco.mj_fullM(m, d, M)
    J = np.zeros((m.nsite, 3, m.nv))
    for site in range(m.nsite):
        mujoco.mj_jacSite(m, d, J[site], None, site)
    return T.T @ M @ T, T.T @ (d.qfrc_bias + M @ turning), J @ T


def pinocchio_answers(model: pin.Model, data: pin.Data, frames: list[int], q: np.ndarray, v: np.ndarray) -> Answers:
    """The same in Pinocchio."""
    M = pin.crba(model, data, q)
    h = pin.nonLinearEffects(model, data, q, v)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    J = np.array([pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)[:3] for frame in frames])
    return M, h, J


def main(path: str, count: int) -> None:
    """Prints the largest difference of each, relative to its largest entry at that state."""
    m = mujoco.MjModel.from_xml_path(path)
    d, model = mujoco.MjData(m), pin.buildModelFromMJCF(path)
    data, frames = model.createData(), [model.getFrameId(m.site(site).name) for site in range(m.nsite)]
    rng, worst = np.random.default_rng(0), np.zeros(3)
    for _ in range(count):
        q, v = rng.uniform(-1.0, 1.0, model.nq), rng.uniform(-3.0, 3.0, model.nv)
        q[3:7] /= np.linalg.norm(q[3:7])
        pairs = zip(mujoco_answers(m, d, q, v), pinocchio_answers(model, data, frames, q, v), strict=True)
        worst = np.maximum(worst, [np.abs(a - b).max() / np.abs(b).max() for a, b in pairs])
    print(*(f"{name}: {value:.1e}" for name, value in zip("MhJ", worst, strict=True)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
