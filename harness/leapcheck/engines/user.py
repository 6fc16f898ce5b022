"""Your own engine beside the others: `leapcheck compare mini_cheetah --engine my_module:my_factory`.

`my_module` is a Python module that can be imported from the current folder, `my_factory` a function (or class) in it.
leapcheck calls it once with the robot, `my_factory(spec)`, where `spec` is a `leapcheck_models.spec.RobotSpec`. What it
returns may be any object, a module, a namespace or a dict that has some of these functions, each for one state:

================================================= =================================== ==========================
function                                          answer                              shape
================================================= =================================== ==========================
`mass_matrix(q)`                                  M                                   (nv, nv)
`bias_force(q, v)`                                h of M vdot + h = tau               (nv,)
`gravity_force(q)`, `coriolis_force(q, v)`        h at v = 0, h without gravity       (nv,)
`forward_dynamics(q, v, tau)`                     vdot                                (nv,)
`contact_positions(q)`                            in the world, m                     (points, 3)
`contact_velocities(q, v)`                        in world axes, m/s                  (points, 3)
`contact_jacobians(q)`                            J: velocity = J v                   (points, 3, nv)
`contact_bias_accelerations(q, v)`                Jdot v, without gravity, m/s^2      (points, 3)
`contact_inertia(q)`                              J M^-1 J^T                          (3 points, 3 points)
`kinetic_energy(q, v)`, `potential_energy(q)`     J                                   a number
================================================= =================================== ==========================

The arguments are NumPy arrays of your own: you may write into them. Convention: q = [p_WB, quaternion wxyz, joints] and
v = [w_WB_B, v_WB_B, qd] (base velocity in the base's own axes, angular first), joints in the order of `spec.bodies`; a
fixed-base robot has no base part; a ball joint has a quaternion wxyz in q and its angular velocity in the child's axes in v.
Accelerations are the component-wise derivatives of v. Rotors are no coordinates: each turns with its joint, and M and h
contain it. Points are those of `spec.contact_points` with `computed=True`, in their order. SI units.

Another convention is declared in a few words by an attribute (or key) `conventions`, a dict with some of "quaternion" ("wxyz" or
"xyzw"), "base_velocity" ("body", "world" or "mixed"), "order" ("angular first" or "linear first") and "joints" (names in your
order). Named on the command line, the factory is called in a process of its own: a crash, a hang, a leak or a print there does
no harm. `leapcheck.engines.outside` has the other kinds of engines: C libraries, programs, recorded data.

What you leave out is not compared. An answer that raises, has another shape, or holds NaN or infinity is reported as this
engine's failure of that quantity; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.errors import EngineError
from leapcheck.engines.protocol import Answers
from leapcheck.plugins import made_by, reason_of
from leapcheck.quantities import QUANTITIES, Sizes, sizes
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

CANONICAL = tuple(name for name, quantity in QUANTITIES.items() if not quantity.in_mujoco_coordinates)


def load_user_engine(target: str, spec: RobotSpec) -> UserEngine:
    """The engine that `target`, written "module:factory", makes of the robot.

    Raises EngineError in one line where the module or the factory is missing, raises, or gives no known function.
    """
    try:
        made, module = made_by(target, f"engine '{target}'", "my_dynamics:engine", spec)
    except ValueError as error:
        raise EngineError(str(error)) from error
    return user_engine(made, spec, target, str(getattr(module, "__version__", "-")))


def user_engine(made: Any, spec: RobotSpec, name: str = "", version: str = "-") -> UserEngine:
    """The engine out of an object, a module, a namespace or a dict with some of the functions above.

    `name` is its name in the report, by default that of its type. Raises EngineError where no known function is found.
    """
    name = name or type(made).__name__
    try:
        found = {key: made.get(key) if isinstance(made, Mapping) else getattr(made, key, None) for key in CANONICAL}
    except Exception as error:
        raise EngineError(f"engine '{name}': looking up its functions raised {reason_of(error)}: correct it") from error
    return UserEngine(name, version, spec, _functions(name, type(made).__name__, found))


class UserEngine:
    """Functions of the user's, one state at a time, behind the engine protocol."""

    def __init__(self, name: str, version: str, spec: RobotSpec, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._name, self._version = name, version
        self._sizes: Sizes = sizes(spec)
        self._functions = dict(functions)

    @property
    def name(self) -> str:
        """The target, "module:factory"."""
        return self._name

    @property
    def version(self) -> str:
        """`__version__` of the user's module; "-" where it has none."""
        return self._version

    @property
    def route(self) -> str:
        """How the robot came into the engine."""
        return "the spec, handed to the user's factory"

    @property
    def quantities(self) -> frozenset[str]:
        """The quantities that the user's object has a function for."""
        return frozenset(self._functions)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape); EngineError at the first answer that is none, with the state's index."""
        return {name: self._block(name, states) for name in quantities}

    def watched(self, begun: Callable[[], None]) -> UserEngine:
        """The same engine, which calls `begun` before each state."""

        def watching(function: Callable[..., Any]) -> Callable[..., Any]:
            def watched(*arguments: Any) -> Any:
                begun()
                return function(*arguments)

            return watched

        made = copy(self)
        made._functions = {name: watching(function) for name, function in self._functions.items()}
        return made

    def _block(self, name: str, states: States) -> NDArray[np.float64]:
        quantity = QUANTITIES[name]
        shape = quantity.shape(self._sizes) if quantity.shape else ()
        answers = np.empty((len(states), *shape))
        for i in range(len(states)):
            arguments = [getattr(states, argument)[i].copy() for argument in quantity.arguments]
            where = f"engine '{self._name}': {name}({', '.join(quantity.arguments)}) at state {states.index[i]}"
            try:
                answer = self._functions[name](*arguments)
            except (Exception, SystemExit) as error:
                raise EngineError(f"{where} raised {reason_of(error)}: correct it, or leave the function out") from error
            answers[i] = _checked(where, answer, shape)
        return answers


def _functions(target: str, kind: str, found: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Those of the found attributes that are functions; EngineError for one that cannot be called, or for none at all."""
    functions = {name: function for name, function in found.items() if function is not None}
    for name, function in functions.items():
        if not callable(function):
            raise EngineError(f"engine '{target}': {name} is a {type(function).__name__}: make it a function")
    if not functions:
        known = ", ".join(CANONICAL)
        raise EngineError(f"engine '{target}': the factory gave a {kind} with none of the known functions: add one of {known}")
    return functions


def _checked(where: str, answer: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """The answer as an array; EngineError unless it is finite numbers of that shape."""
    try:
        array = np.asarray(answer)
    except Exception as error:
        raise EngineError(f"{where} gave no array ({reason_of(error)}): {_wanted(shape)}") from error
    if array.dtype.kind not in "fiu":
        raise EngineError(f"{where} gave {type(answer).__name__} of {array.dtype}, not real numbers: {_wanted(shape)}")
    if array.shape != shape:
        raise EngineError(f"{where} gave the shape {array.shape}: {_wanted(shape)}")
    if not np.isfinite(array).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise EngineError(f"{where} gave {array[place]} at entry {place}: {_wanted(shape)}, all finite")
    return array


def _wanted(shape: tuple[int, ...]) -> str:
    return f"return an array of shape {shape}" if shape else "return a number"
