"""Defects of the real engines that are known in public: the judge names them from the engines' own answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.judge.case import Cause
from leapcheck.judge.fingerprints import explanation
from leapcheck.states import States, generated_states
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_models.validation import rotational_matrix

ROBOT = "tree4_7"  # link 1 carries 2 and 4, link 2 carries 3: hinges without rotors on the world


class BreadthFirst:
    """Pinocchio with its joints added level by level: crba is silently wrong, rnea and aba are right."""

    name, version, route = "pinocchio", pin.__version__, "its own API, breadth-first"
    quantities = frozenset({"mass_matrix", "bias_force", "forward_dynamics"})
    order = (0, 1, 3, 2)

    def __init__(self, spec: RobotSpec) -> None:
        self._model = pin.Model()
        self._model.gravity = pin.Motion(np.array(spec.gravity), np.zeros(3))
        numbers = {"world": 0}
        for body in (spec.bodies[i] for i in self.order):
            w, x, y, z = body.placement.quaternion
            placement = pin.SE3(pin.Quaternion(w, x, y, z), np.array(body.placement.p))
            joint = pin.JointModelRevoluteUnaligned(np.array(body.joint.axis))
            numbers[body.name] = self._model.addJoint(numbers[body.parent], joint, placement, body.name)
            inertia = pin.Inertia(body.inertia.mass, np.array(body.inertia.com), rotational_matrix(body.inertia.rotational))
            self._model.appendBodyToJoint(numbers[body.name], inertia, pin.SE3.Identity())
        self._data = self._model.createData()

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        place = list(self.order)  # of exchanges of two: its own inverse
        rows = [tuple(x[place] for x in row) for row in zip(states.q, states.v, states.tau, strict=True)]
        m, d = self._model, self._data
        answers = {
            "mass_matrix": np.array([pin.crba(m, d, q).copy()[np.ix_(place, place)] for q, _, _ in rows]),
            "bias_force": np.array([pin.nonLinearEffects(m, d, q, v)[place] for q, v, _ in rows]),
            "forward_dynamics": np.array([pin.aba(m, d, q, v, tau)[place] for q, v, tau in rows]),
        }
        return {name: answers[name] for name in quantities}


class SixDigits:
    """MuJoCo on a file that MuJoCo itself has saved."""

    name, version, route = "mujoco", mujoco.__version__, "mj_saveLastXML"
    quantities = frozenset({"bias_force"})

    def __init__(self, spec: RobotSpec, path: Path) -> None:
        mujoco.mj_saveLastXML(str(path), mujoco.MjModel.from_xml_string(mjcf_text(spec)))
        self._m = mujoco.MjModel.from_xml_path(str(path))

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        d, rows = mujoco.MjData(self._m), []
        for q, v in zip(states.q, states.v, strict=True):
            d.qpos[:], d.qvel[:] = q, v
            mujoco.mj_fwdPosition(self._m, d)
            mujoco.mj_fwdVelocity(self._m, d)
            rows.append(d.qfrc_bias.copy())
        return {name: np.array(rows) for name in quantities}


def test_joints_that_are_not_depth_first() -> None:
    """stack-of-tasks/pinocchio#1897."""
    spec = load(ROBOT)
    engine, states = BreadthFirst(spec), generated_states(spec, 48, 3, 0)
    found = explanation(spec, "mass_matrix", engine, ReferenceEngine(spec), states)
    assert (found.cause_class, found.wrong) == ("engine", "engine"), found
    assert "depth-first" in found.cause
    for right in ("bias_force", "forward_dynamics"):
        assert explanation(spec, right, engine, ReferenceEngine(spec), states).cause_class == "round-off"


def test_a_file_that_mujoco_saved(tmp_path: Path) -> None:
    spec = load(ROBOT)
    states = generated_states(spec, 48, 3, 0)
    found: Cause = explanation(spec, "bias_force", SixDigits(spec, tmp_path / "saved.xml"), ReferenceEngine(spec), states)
    assert (found.cause_class, found.wrong) == ("model", "engine"), found
    assert found.cause.startswith("the numbers of the model have six digits only")
