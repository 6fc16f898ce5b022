"""Pinocchio in its best form: its C++ functions in a loop built for this CPU, or its Python calls where that cannot be built."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence

import numpy as np
import pinocchio as pin

from leapcheck.coordinates import conventions
from leapcheck.engines.pinocchio import build
from leapcheck.quantities import Sizes
from leapcheck_evidence.peers import pinocchio_build as native_build
from leapcheck_evidence.peers.protocol import RIGID_BODY_QUANTITIES, Outputs, Peer, PeerMissing
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_obstacles

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def pinocchio_loop(spec: RobotSpec, full: RobotSpec) -> Peer:
    """Pinocchio in C++ or, where a compiler or Eigen is missing, called from Python."""
    model = exact_model(spec, full)
    frames = build.contact_frames(full, model, links=not urdf_obstacles(spec))
    try:
        return CompiledLoop(spec, full, model, frames, native_build.loop_library())
    except PeerMissing as reason:
        return PythonLoop(spec, full, model, frames, str(reason))


def exact_model(spec: RobotSpec, full: RobotSpec) -> pin.Model:
    """Out of URDF, which gives joints about x, y or z their faster types; joint by joint where URDF cannot hold the robot."""
    model = build.model_by_api(full) if urdf_obstacles(spec) else build.model_from_urdf(spec)
    build.write_exact_values(full, model)
    return model


class CompiledLoop:
    """Pinocchio's C++ functions; owns the robot on their side."""

    name = "Pinocchio"

    def __init__(self, spec: RobotSpec, full: RobotSpec, model: pin.Model, frames: list[int], library: ctypes.CDLL) -> None:
        """Hands the model over as text."""
        self.form = f"Pinocchio {pin.__version__} in C++, {native_build.compiler_version(native_build.build_command()[0])}, -O3"
        self.form += " -march=native"
        self.convention = conventions.pinocchio_convention(spec, build.places(full, model))
        self.sizes = Sizes(model.nv, len(frames))
        self._library = library
        numbers = np.array(frames, dtype=ctypes.c_long)
        library.robot_from_text.restype = ctypes.c_void_p
        text = model.saveToString().encode()
        self._robot = library.robot_from_text(text, ctypes.c_void_p(numbers.ctypes.data), ctypes.c_long(len(frames)))
        if not self._robot:
            raise PeerMissing("Pinocchio in C++ could not read the model that Pinocchio in Python wrote")
        weakref.finalize(self, library.delete_robot, ctypes.c_void_p(self._robot))

    def bound(self, quantities: Sequence[str], q_u: Floats, v_u: Floats, out: Outputs) -> Callable[[], None]:
        """The loop over the states (n, nq_u), (n, nv_u) that writes the quantities into `out`."""
        function = self._library["run_all" if tuple(quantities) == RIGID_BODY_QUANTITIES else f"run_{'_'.join(quantities)}"]
        arrays = (q_u, v_u, *(out[name] for name in quantities))
        arguments = [ctypes.c_void_p(self._robot), ctypes.c_long(len(q_u))]
        arguments += [ctypes.c_void_p(array.ctypes.data) for array in arrays]

        def run(_keep: object = (self, arrays)) -> None:  # the function knows addresses only
            function(*arguments)

        return run


class PythonLoop:
    """Pinocchio's Python functions, one by one, its results viewed and not copied where it allows."""

    name = "Pinocchio"

    def __init__(self, spec: RobotSpec, full: RobotSpec, model: pin.Model, frames: list[int], reason: str) -> None:
        """Takes the reason why there is no C++."""
        self.form = f"Pinocchio {pin.__version__}, called from Python: {reason}"
        self.convention = conventions.pinocchio_convention(spec, build.places(full, model))
        self.sizes = Sizes(model.nv, len(frames))
        self._model, self._data, self._frames = model, model.createData(), frames
        self._points = model.createData()  # of its own: the algorithms overwrite each other's results
        self._M, self._h = self._data.M, self._data.nle  # views
        self._placements = [self._points.oMf[frame] for frame in frames]  # views
        self._rest = np.zeros(model.nv)

    def bound(self, quantities: Sequence[str], q_u: Floats, v_u: Floats, out: Outputs) -> Callable[[], None]:
        """The loop over the states (n, nq_u), (n, nv_u) that writes the quantities into `out`."""
        write = {
            "mass_matrix": self._mass_matrix,
            "bias_force": self._bias_force,
            "contact_positions": self._positions,
            "contact_jacobians": self._jacobians,
            "contact_bias_accelerations": self._accelerations,
        }
        steps = [(write[name], out[name]) for name in quantities]
        points = any(name.startswith("contact") for name in quantities)

        def run() -> None:
            for i, (q, v) in enumerate(zip(q_u, v_u, strict=True)):
                if points:
                    pin.forwardKinematics(self._model, self._points, q, v, self._rest)
                    pin.updateFramePlacements(self._model, self._points)
                    pin.computeJointJacobians(self._model, self._points)
                for step, array in steps:
                    step(q, v, array[i])

        return run

    def _mass_matrix(self, q: Floats, _v: Floats, out: Floats) -> None:
        pin.crba(self._model, self._data, q, pin.Convention.LOCAL)
        out[:] = self._M  # crba's binding mirrors the triangle

    def _bias_force(self, q: Floats, v: Floats, out: Floats) -> None:
        pin.nonLinearEffects(self._model, self._data, q, v)
        out[:] = self._h

    def _positions(self, _q: Floats, _v: Floats, out: Floats) -> None:
        for row, placement in zip(out, self._placements, strict=True):
            row[:] = placement.translation

    def _jacobians(self, _q: Floats, _v: Floats, out: Floats) -> None:
        for rows, frame in zip(out, self._frames, strict=True):
            rows[:] = pin.getFrameJacobian(self._model, self._points, frame, AXES)[:3]

    def _accelerations(self, _q: Floats, _v: Floats, out: Floats) -> None:
        for row, frame in zip(out, self._frames, strict=True):
            row[:] = pin.getFrameClassicalAcceleration(self._model, self._points, frame, AXES).linear
