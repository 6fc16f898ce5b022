"""A model file in whatever version of MuJoCo or Pinocchio this Python has: raw numbers for blocks of states, over pipes.

Run as a script by another version's own Python (see `other_version`); needs NumPy and the engine, nothing of leapcheck. A
message is a length of 8 bytes, then an .npz of arrays with a JSON text named "header". The first one asks to load a model, and
is answered by the version, by where each joint is kept and by the shapes of all numbers; each further one by numbers.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import struct
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

import numpy as np

HEADER = "header"


def write_message(stream: IO[bytes], header: dict[str, Any], arrays: dict[str, Any]) -> None:
    """One message on a stream."""
    buffer = io.BytesIO()
    contents: dict[str, Any] = {HEADER: np.array(json.dumps(header)), **arrays}
    np.savez(buffer, **contents)
    stream.write(struct.pack("<q", buffer.tell()))
    stream.write(buffer.getbuffer())
    stream.flush()


def read_message(stream: IO[bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The next message's header and arrays; EOFError where the stream ends."""
    length = stream.read(8)
    if len(length) < 8:
        raise EOFError("the stream has ended")
    with np.load(io.BytesIO(stream.read(struct.unpack("<q", length)[0]))) as arrays:
        contents = dict(arrays)
    return json.loads(str(contents.pop(HEADER))), contents


class InMujoco:
    """A compiled MuJoCo model."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.package = self._mj = importlib.import_module("mujoco")
        self._m = m = self._compile(request)
        m.opt.enableflags |= int(self._mj.mjtEnableBit.mjENBL_ENERGY)  # before 3.3 no energy is computed without it
        self._d = self._mj.MjData(m)
        self._sites = [m.site(name).id for name, _, _ in request["points"]]
        self._gravity = m.opt.gravity.copy()
        self.neutral, self.dofs = m.qpos0.copy(), m.nv
        first = {joint: int(m.body(body).jntadr[0]) for joint, body in request["joints"].items()}
        self.places = {name: (int(m.jnt_qposadr[i]), int(m.jnt_dofadr[i]), False) for name, i in first.items()}

    def _compile(self, request: dict[str, Any]) -> Any:
        if request["kind"] == "mjcf":
            return self._mj.MjModel.from_xml_string(request["text"])
        description = self._mj.MjSpec.from_string(request["text"])
        find_body = description.body if hasattr(description, "body") else description.find_body  # until 3.2
        for body in request["free"]:
            find_body(body).add_freejoint()
        for name, body, position in request["points"]:
            find_body(body).add_site(name=name, pos=position)
        return description.compile()

    def numbers(self, q: Any, v: Any, tau: Any) -> dict[str, Any]:
        """Every number of one state, by its name in `projection`."""
        mj, m, d = self._mj, self._m, self._d
        d.qpos[:], d.qvel[:] = q, v
        mj.mj_kinematics(m, d)
        mj.mj_comPos(m, d)
        (mj.mj_makeM if hasattr(mj, "mj_makeM") else mj.mj_crb)(m, d)
        mj.mj_comVel(m, d)
        mj.mj_energyPos(m, d)
        mj.mj_energyVel(m, d)
        h, M = self._bias(), self._mass_matrix()
        J, pdot = np.zeros((len(self._sites), 3, m.nv)), np.zeros((len(self._sites), 6))
        for k, site in enumerate(self._sites):
            mj.mj_jacSite(m, d, J[k], None, site)
            mj.mj_objectVelocity(m, d, mj.mjtObj.mjOBJ_SITE, site, pdot[k], 0)
        out = {"M": M, "h": h, "p": d.site_xpos[self._sites].copy(), "pdot": pdot[:, 3:], "J": J}
        out |= {"T_kin": d.energy[1], "V_pot": d.energy[0]}
        if hasattr(mj, "mj_jacDot"):  # since 3.2.3
            out["a"] = self._bias_accelerations(v)
        mj.mj_factorM(m, d)
        out |= {"udot": self._solve((tau - h)[None])[0], "MinvJT": self._solve(J.reshape(-1, m.nv)).T}
        m.opt.gravity[:] = 0.0
        out["c"] = self._bias()
        m.opt.gravity[:], d.qvel[:] = self._gravity, 0.0
        mj.mj_comVel(m, d)
        return {**out, "g": self._bias()}

    def _bias_accelerations(self, v: Any) -> Any:
        Jdot = np.zeros((len(self._sites), 3, self._m.nv))
        for k, site in enumerate(self._sites):
            body = self._m.site_bodyid[site]
            self._mj.mj_jacDot(self._m, self._d, Jdot[k], None, self._d.site_xpos[site], body)
        return Jdot @ v

    def _bias(self) -> Any:
        h = np.zeros(self._m.nv)
        self._mj.mj_rne(self._m, self._d, 0, h)
        return h

    def _solve(self, rows: Any) -> Any:
        x = np.zeros_like(rows)
        if len(rows):
            self._mj.mj_solveM(self._m, self._d, x, np.ascontiguousarray(rows))
        return x

    def _mass_matrix(self) -> Any:
        M = np.zeros((self._m.nv, self._m.nv))
        try:
            self._mj.mj_fullM(self._m, self._d, M)
        except TypeError:  # before 3.10
            self._mj.mj_fullM(self._m, M, self._d.qM)
        return M


class InPinocchio:
    """A parsed Pinocchio model."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.package = self._pin = pin = importlib.import_module("pinocchio")
        self._model = model = self._parse(request)
        links = {
            body: model.frames[model.getBodyId(body)]
            for body in [*request["joints"].values(), *(b for _, b, _ in request["points"])]
        }
        self._frames = []
        for i, (_, body, position) in enumerate(request["points"]):
            placement = links[body].placement * pin.SE3(np.eye(3), np.array(position, dtype=float))
            frame = pin.Frame(f"leapcheck_{i}", _joint(links[body]), placement, pin.FrameType.OP_FRAME)
            self._frames.append(model.addFrame(frame))
        self._data = model.createData()
        self._weightless = pin.Model(model)
        self._weightless.gravity = pin.Motion.Zero()
        self._static = -float(model.inertias[0].mass * (model.gravity.linear @ model.inertias[0].lever))
        self.neutral, self.dofs = pin.neutral(model), model.nv
        self.places = {joint: self._place(_joint(links[body])) for joint, body in request["joints"].items()}

    def _parse(self, request: dict[str, Any]) -> Any:
        pin = self._pin
        if request["kind"] == "urdf":
            return pin.buildModelFromXML(request["text"], *([pin.JointModelFreeFlyer()] if request["free"] else []))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.xml"
            path.write_text(request["text"], encoding="utf-8")
            return pin.buildModelFromMJCF(str(path))

    def _place(self, i: int) -> tuple[int, int, bool]:
        joint = self._model.joints[i]
        return joint.idx_q, joint.idx_v, bool(joint.nq == 2 and joint.nv == 1)

    def numbers(self, q: Any, v: Any, tau: Any) -> dict[str, Any]:
        """Every number of one state, by its name in `projection`."""
        pin, model, data = self._pin, self._model, self._data
        axes, rest = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, np.zeros(model.nv)
        out = {"M": _symmetric(pin.crba(model, data, q)), "h": pin.nonLinearEffects(model, data, q, v).copy()}
        out |= {"c": pin.nonLinearEffects(self._weightless, self._weightless.createData(), q, v)}
        out |= {"g": pin.computeGeneralizedGravity(model, data, q).copy(), "udot": pin.aba(model, data, q, v, tau).copy()}
        pin.cholesky.decompose(model, data)  # computeMinverse loses digits far from the origin
        Minv = _symmetric(pin.cholesky.computeMinv(model, data))
        out |= {"T_kin": pin.computeKineticEnergy(model, data, q, v)}
        out |= {"V_pot": self._static + pin.computePotentialEnergy(model, data, q)}
        pin.forwardKinematics(model, data, q, v, rest)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        shape = (len(self._frames), 3)
        out["p"] = np.reshape([data.oMf[k].translation for k in self._frames], shape)
        out["pdot"] = np.reshape([pin.getFrameVelocity(model, data, k, axes).linear for k in self._frames], shape)
        out["a"] = np.reshape([pin.getFrameClassicalAcceleration(model, data, k, axes).linear for k in self._frames], shape)
        J = [pin.getFrameJacobian(model, data, k, axes).reshape(6, -1)[:3] for k in self._frames]
        out["J"] = np.reshape(J, (*shape, model.nv))
        return {**out, "MinvJT": Minv @ out["J"].reshape(-1, model.nv).T}


def _joint(frame: Any) -> int:
    """Number of the joint that carries a frame; its name has changed with Pinocchio 3."""
    return int(frame.parentJoint if hasattr(frame, "parentJoint") else frame.parent)


def _symmetric(matrix: Any) -> Any:
    """The matrix out of its upper triangle: before Pinocchio 3.3 there is nothing below."""
    return np.triu(matrix) + np.triu(matrix, 1).T


ENGINES: dict[str, Any] = {"mujoco": InMujoco, "pin": InPinocchio}


def description(engine: Any) -> dict[str, Any]:
    """The answer to a request to load: version, places of the joints, and the shape of each number, of one state at rest."""
    rest = np.zeros(engine.dofs)
    shapes = {name: np.shape(number) for name, number in engine.numbers(engine.neutral, rest, rest).items()}
    return {"version": engine.package.__version__, "places": engine.places, "shapes": shapes}


def main() -> None:
    """Answers messages on stdin until there are no more; whatever the engine itself prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request, _ = read_message(sys.stdin.buffer)
    try:
        engine = ENGINES[request["package"]](request)
        write_message(answers, description(engine), {})
    except Exception as error:
        write_message(answers, {"error": f"{type(error).__name__}: {error}"}, {})
        return
    while True:
        try:
            header, block = read_message(sys.stdin.buffer)
        except EOFError:
            return
        try:
            rows = [engine.numbers(*row) for row in zip(block["q"], block["v"], block["tau"], strict=True)]
            write_message(answers, {}, {name: np.array([row[name] for row in rows]) for name in header["names"]})
        except Exception as error:
            write_message(answers, {"error": f"{type(error).__name__}: {error}"}, {})


if __name__ == "__main__":
    main()
