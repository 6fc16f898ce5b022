"""Your own engine beside the others: `leapcheck compare mini_cheetah --engine my_module:my_factory`, or an object in Python.

`my_module` is a Python module that can be imported from the current folder, `my_factory` a function or class in it, called with
the robot, a `leapcheck_models.spec.RobotSpec`, if it takes an argument. What it returns, or what you hand over in Python, may be
any object, a module, a namespace or a dict that has some of these functions, each for one state:

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

The following are compared where they are asked for: `--quantities dynamics derivatives regressors kinematics centroidal joints`;
`inverse_dynamics` by default. vdot are accelerations, as v component by component, in the convention of v; they have nothing to
do with tau. Frames are all links, then the contact points, which have the axes of their links; theirs, and what is about the
centre of mass, are in world axes, [angular; linear]; rotors count, armature does not:

============================================================ =================================== ==========================
function                                                     answer                              shape
============================================================ =================================== ==========================
`inverse_dynamics(q, v, vdot)`                               M vdot + h                          (nv,)
`inverse_dynamics_with_contacts(q, v, vdot, contact_forces)` M vdot + h - sum J^T f, of forces f (nv,)
                                                             (points, 3) on the robot at the
                                                             contact points, world axes, N
`minverse(q)`                                                M^-1                                (nv, nv)
`coriolis_matrix(q, v)`                                      any C with C v the Coriolis force   (nv, nv)
                                                             and Mdot - 2 C skew-symmetric
`christoffel_matrix(q, v)`                                   the C of Christoffel's symbols      (nv, nv)
`operational_inertia_inverse(q)`                             J M^-1 J^T of each point's six rows (points, 6, 6)
`inverse_dynamics_derivative_q(q, v, vdot)`                  of M vdot + h by q, along each unit (nv, nv)
                                                             velocity of a dof: a base by
                                                             [w; v] in its own axes
`inverse_dynamics_derivative_v(q, v)`                        of M vdot + h by v                  (nv, nv)
`forward_dynamics_derivative_q(q, v, tau)`                   of vdot by q, likewise              (nv, nv)
`forward_dynamics_derivative_v(q, v)`                        of vdot by v                        (nv, nv)
`forward_dynamics_derivative_tau(q)`                         of vdot by tau: M^-1                (nv, nv)
`frame_velocity_derivative_q(q, v)`                          of frame_velocities by q, likewise  (frames, 6, nv)
`frame_acceleration_derivative_q(q, v, vdot)`                of J vdot + Jdot v by q, likewise   (frames, 6, nv)
`frame_acceleration_derivative_v(q, v)`                      of the same by v                    (frames, 6, nv)
`joint_torque_regressor(q, v, vdot)`                         Y of Y pi = M vdot + h, armature    (nv, 10 bodies)
                                                             left out; pi: m, m c, Ixx, Ixy,
                                                             Iyy, Ixz, Iyz, Izz about its origin
                                                             of each link, then of each rotor
`kinetic_energy_regressor(q, v)`                             y of y pi, armature left out        (10 bodies,)
`potential_energy_regressor(q)`                              y of y pi                           (10 bodies,)
`frame_placements(q)`                                        [R, p] of links, then points        (frames, 3, 4)
`frame_velocities(q, v)`                                     [angular; linear] at the origin     (frames, 6)
`frame_jacobians(q)`                                         J: that velocity = J v              (frames, 6, nv)
`frame_jacobian_rates(q, v)`                                 Jdot, entry by entry                (frames, 6, nv)
`frame_bias_accelerations(q, v)`                             Jdot v, classical, without gravity  (frames, 6)
`com_position(q)`, `com_velocity(q, v)`                      of the centre of mass, m, m/s       (3,)
`com_jacobian(q)`                                            J: its velocity = J v               (3, nv)
`com_bias_acceleration(q, v)`                                its Jdot v, without gravity         (3,)
`centroidal_momentum(q, v)`                                  A v, N m s and N s                  (6,)
`centroidal_momentum_matrix(q)`                              A                                   (6, nv)
`centroidal_momentum_rate(q, v)`                             Adot v, N m and N                   (6,)
`centroidal_inertia(q)`                                      of the robot with joints locked     (6, 6)
`passive_forces(q, v)`                                       -stiffness (q - springref)          (nv,)
                                                             - damping v, as MuJoCo's qfrc_passive
`actuator_torques(q, v, tau)`                                of commands, the entries of tau at  (nv,)
                                                             the joints of `control_laws(spec)`
`dry_friction(v)`                                            -friction sign(v), not smoothed     (nv,)
============================================================ =================================== ==========================

And these of robots with closed loops or coupled joints, `spec.loops` and `spec.couplings`. Rows loop by loop, then coupling by
coupling, world axes: a connect has 3, the velocity of the point of body 2 less that of the point of body 1; a weld has those of
their angular velocities before these; a coupling has 1, qd of the joint less p'(x) qd of its leader. Random states close no loop:

================================================= =================================== ==========================
function                                          answer                              shape
================================================= =================================== ==========================
`constraint_jacobian(q)`                          J: its velocity = J v               (rows, nv)
`constraint_bias(q, v)`                           Jdot v                              (rows,)
`constrained_forward_dynamics(q, v, tau)`         vdot of M vdot + h = tau + J^T l,   (nv,)
                                                  J vdot = -Jdot v; no feedback;
                                                  of rows that depend on rows before
                                                  them none counts
================================================= =================================== ==========================

The arguments are NumPy arrays of your own: you may write into them. Convention: q = [p_WB, quaternion wxyz, joints] and
v = [w_WB_B, v_WB_B, qd] (base velocity in the base's own axes, angular first), joints in the order of `spec.bodies`; a
fixed-base robot has no base part; a ball joint has a quaternion wxyz in q and its angular velocity in the child's axes in v.
Accelerations are the component-wise derivatives of v. Rotors are no coordinates: each turns with its joint, and M and h
contain it. Points are those of `spec.contact_points` with `computed=True`, in their order. SI units.

Another convention is declared by an attribute (or key) `conventions`, a dict with some of "quaternion" ("wxyz" or "xyzw"),
"base_velocity" ("body", "world" or "mixed"), "order" ("angular first" or "linear first") and "joints" (names in your order).
Of frames' six rows: "reference_frame" ("local_world_aligned", "local", "world", as Pinocchio has them), "frame_order" (as
"order"), "frame_point" ("origin", "com" of the link, "robot com") and "frame_acceleration" ("Jdot v", "classical", "spatial").
An attribute `precision` = "float32" says that single precision is meant: what that rounds off is then imprecise, not wrong.
An object with `quantities` and `evaluate`, as in `leapcheck.engines.protocol.Engine`, answers whole blocks of states instead.

Named on the command line, the factory is called in a process of its own: a crash, a hang, a leak or a print there does no harm.
`leapcheck.engines.outside` has the other kinds of engines: C libraries, programs, recorded data.

What you leave out is not compared. An answer that raises, has another shape, or holds NaN or infinity is reported as this
engine's failure of that quantity; the others go on.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from types import ModuleType
from typing import Any

import numpy as np

from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.canonical import answers_from, check_convertible, prerequisites, states_in
from leapcheck.engines.outside.words import convention, words
from leapcheck.engines.protocol import PRECISIONS, Answers
from leapcheck.quantities import CANONICAL, QUANTITIES, answer_shape
from leapcheck.sampling import States, with_contact_forces
from leapcheck.system.plugins import call_factory, import_name, load_factory, name_of, reason_of, takes_argument
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

LIKENESS = 0.85
"""From which a name counts as a misspelt quantity: "contact_velocity" has 0.87, "forward_kinematics" 0.75."""


class UserEngine:
    """The user's own code behind the engine protocol: functions of one state, or one `evaluate` of a block of states."""

    route = "the spec, handed to the user's factory"
    conventions: Any = None
    """What the object declares as its conventions, as it stands there."""
    not_compared: tuple[str, ...] = ()
    precision = "float64"
    """That of its numbers, as the object declares it."""
    convention: Convention | None = None
    """What answers are converted from."""
    import_name = ""
    """module:name by which the factory can be imported again, or "module:" for a module; "" where an object was handed over."""

    def __init__(
        self,
        name: str,
        version: str,
        spec: RobotSpec,
        functions: Mapping[str, Callable[..., Any]],
        evaluate: Callable[..., Any] | None = None,
    ) -> None:
        """Takes a function for each quantity; `evaluate` answers a block of states instead of them."""
        self.name, self.version, self.quantities = name, version, frozenset(functions)
        self._spec, self._functions, self._evaluate = spec, dict(functions), evaluate

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape); EngineError at the first invalid answer, with the state's index."""
        own = states_in(self.convention, with_contact_forces(self._spec, states))
        own_states = States(index=states.index, kind=states.kind, **own._asdict())
        names = prerequisites(self.convention, quantities)
        answers = self._rows if self._evaluate is None else self._blocks
        return answers_from(self.convention, states, answers(own_states, names), quantities)

    def with_progress(self, begin: Callable[[], None]) -> UserEngine:
        """The same engine, which calls `begin` before each state."""

        def reporting(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                begin()
                return function(*arguments)

            return call

        engine = copy(self)
        engine._functions = {name: reporting(function) for name, function in self._functions.items()}
        return engine

    def _rows(self, states: States, names: Iterable[str]) -> dict[str, Floats]:
        """The answers of functions, state by state."""
        answers = {}
        for name in names:
            arguments, shape = QUANTITIES[name].arguments, answer_shape(name, self._spec)
            answers[name] = np.empty((len(states), *shape))
            for i in range(len(states)):
                where = f"engine '{self.name}': {name}({', '.join(arguments)}) at state {states.index[i]}"
                try:
                    answer = self._functions[name](*(_own_part(states, argument, i) for argument in arguments))
                except KeyboardInterrupt:
                    raise
                except BaseException as error:  # the user's code may raise anything
                    raise EngineError(f"{where} raised {reason_of(error)}: correct it, or leave the function out") from error
                answers[name][i] = _numbers(where, answer, shape)
        return answers

    def _blocks(self, states: States, names: Sequence[str]) -> dict[str, Floats]:
        """The answers of the object's own `evaluate`."""
        assert self._evaluate is not None
        where = f"engine '{self.name}': evaluate at states {states.index[0]} to {states.index[-1]}" if len(states) else ""
        try:
            answers = dict(self._evaluate(states, tuple(names)))
        except (EngineError, KeyboardInterrupt):
            raise
        except BaseException as error:  # the user's code may raise anything
            raise EngineError(f"{where} raised {reason_of(error)}: correct it, or list fewer quantities") from error
        if missing := [name for name in names if name not in answers]:
            raise EngineError(f"{where} gave no {missing[0]}: give it, or do not list it among `quantities`")
        shapes = {name: (len(states), *answer_shape(name, self._spec)) for name in names}
        return {name: _numbers(f"{where}: {name}", answers[name], shape) for name, shape in shapes.items()}


def _own_part(states: States, part: str, row: int) -> Floats:
    """A copy of one state's part, forces point by point."""
    values: Floats = getattr(states, part)[row].copy()
    return values.reshape(-1, 3) if part == "contact_forces" else values


class FactoryEngine(UserEngine):
    """The same, made by a class or factory that takes any robot."""

    factory: Callable[..., Any]

    def rebuild(self, spec: RobotSpec) -> UserEngine:
        """The engine of another robot."""
        return user_engine(self.factory, spec, self.name)


def load_user_engine(target: str, spec: RobotSpec, name: str = "", *, convert: bool = True) -> UserEngine:
    """The engine that the factory `target`, written module:factory, makes of the robot in this process; see `user_engine`."""
    name = name or target
    try:
        factory, _ = load_factory(target, f"engine '{name}'", "my_dynamics:engine")
    except ValueError as error:
        raise EngineError(str(error)) from error
    return user_engine(factory, spec, name, convert=convert)


def user_engine(source: Any, spec: RobotSpec, name: str = "", *, convert: bool = True) -> UserEngine:
    """The engine out of an object, dict or module with some of the functions above, or of a class or factory that gives one.

    A class or factory is called with the robot if it takes an argument. `name` is the engine's name in the report; by default
    the object's own `name`, else that of its class or factory. Answers are converted from the convention that the object
    declares, unless `convert` is False. Raises EngineError in one line where it cannot be made, or has no known function.
    """
    answers_itself = any(hasattr(source, key) for key in (*CANONICAL, "evaluate"))
    is_factory = isinstance(source, type) or (callable(source) and not answers_itself)
    fallback = name_of(source) if is_factory or isinstance(source, ModuleType) else type(source).__name__
    what = f"engine '{name or fallback}'"
    try:
        dynamics = call_factory(source, spec, what) if is_factory else source
        members = _members(dynamics, what)
        name = name or (isinstance(members["name"], str) and members["name"]) or fallback
        what = f"engine '{name}'"
        kind = FactoryEngine if is_factory and takes_argument(source) else UserEngine
        evaluate = members["evaluate"] if _answers_blocks(members) else None
        engine = kind(name, _version(members, source), spec, _functions(members, dynamics, what), evaluate)
        engine.conventions = None if callable(members["conventions"]) else members["conventions"]
        engine.import_name = import_name(source)
        engine.precision = _precision(members["precision"], what)
        engine.not_compared = tuple(f"{what}: {line}" for line in _misspelt(members, dynamics, engine.quantities))
        if convert and engine.conventions is not None:
            engine.convention = convention(spec, words(engine.conventions, what), what)
            check_convertible(engine.convention, engine.quantities, "give")
    except ValueError as error:
        raise EngineError(str(error)) from error
    if isinstance(engine, FactoryEngine):
        engine.factory = source
    elif not is_factory:
        engine.route = "an object of the user's, handed over"
    return engine


def _version(members: Mapping[str, Any], source: Any) -> str:
    """The object's own version, else `__version__` of the module that it comes from; "-" where there is none."""
    if isinstance(members["version"], str):
        return members["version"]
    module = source if isinstance(source, ModuleType) else sys.modules.get(getattr(source, "__module__", None) or "")
    return str(getattr(module, "__version__", "-"))


def _precision(declared: Any, what: str) -> str:
    """The precision that the object declares; ValueError for an unknown one."""
    if declared is None or callable(declared):
        return "float64"
    if declared not in PRECISIONS:
        raise ValueError(f"{what}: precision is {declared!r:.40}: use float64 or float32")
    return str(declared)


def _members(dynamics: Any, what: str) -> dict[str, Any]:
    """What the object has of a known name; None where it has none. EngineError where looking it up raises."""
    keys = (*CANONICAL, "name", "version", "quantities", "evaluate", "conventions", "precision")
    try:
        return {key: dynamics.get(key) if isinstance(dynamics, Mapping) else getattr(dynamics, key, None) for key in keys}
    except Exception as error:
        raise EngineError(f"{what}: looking up its functions raised {reason_of(error)}: correct it") from error


def _answers_blocks(members: Mapping[str, Any]) -> bool:
    """Whether the object has the members of an `Engine`."""
    listed = members["quantities"]
    return callable(members["evaluate"]) and isinstance(listed, Collection) and not isinstance(listed, str)


def _functions(members: Mapping[str, Any], dynamics: Any, what: str) -> dict[str, Callable[..., Any]]:
    """What answers each quantity; EngineError for one that cannot be called, or for none at all."""
    if _answers_blocks(members):
        functions = {name: members["evaluate"] for name in CANONICAL if name in members["quantities"]}
    else:
        functions = {name: members[name] for name in CANONICAL if members[name] is not None}
    for name, function in functions.items():
        if not callable(function):
            raise EngineError(f"{what}: {name} is a {type(function).__name__}: make it a function")
    if not functions:
        for line in _misspelt(members, dynamics, ()):
            raise EngineError(f"{what}: {line}")
        kind = type(dynamics).__name__
        raise EngineError(f"{what}: a {kind} with none of the known functions: add one of {', '.join(CANONICAL)}")
    return functions


def _misspelt(members: Mapping[str, Any], dynamics: Any, known: Collection[str]) -> Iterator[str]:
    """A line for each public function, or quantity listed, whose name is nearly that of a quantity not answered."""
    plain = {name.replace("_", ""): name for name in CANONICAL if name not in known}
    owner = dynamics.__name__ if isinstance(dynamics, type | ModuleType) else type(dynamics).__name__
    for name in members["quantities"] if _answers_blocks(members) else _public_functions(dynamics):
        near = get_close_matches(str(name).replace("_", "").lower(), plain, 1, LIKENESS)
        if near and name not in CANONICAL:
            yield f"{owner} has '{name}': did you mean '{plain[near[0]]}'?"


def _public_functions(dynamics: Any) -> list[str]:
    """Names of the functions that an object has, or that stand in a dict."""
    if isinstance(dynamics, Mapping):
        functions = [str(key) for key, value in dynamics.items() if callable(value)]
    else:
        functions = [key for key in dir(dynamics) if callable(inspect.getattr_static(dynamics, key, None))]
    return [name for name in functions if not name.startswith("_")]


def _numbers(where: str, answer: Any, shape: tuple[int, ...]) -> Floats:
    """The answer as an array; EngineError unless it is finite numbers of that shape."""
    remedy = f"return an array of shape {shape}" if shape else "return a number"
    try:
        array = np.asarray(answer)
    except Exception as error:
        raise EngineError(f"{where} gave no array ({reason_of(error)}): {remedy}") from error
    if array.dtype.kind not in "fiu":
        raise EngineError(f"{where} gave {type(answer).__name__} of {array.dtype}, not real numbers: {remedy}")
    if array.shape != shape:
        raise EngineError(f"{where} gave the shape {array.shape}: {remedy}")
    if not np.isfinite(array).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise EngineError(f"{where} gave {array[place]} at entry {place}: {remedy}, all finite")
    return array
