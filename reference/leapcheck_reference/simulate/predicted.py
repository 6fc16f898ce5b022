"""Steps whose contacts are predicted, as straight-line code: a robot in flight, or on feet that all stick.

With the contacts known, the impulses of a step follow from linear equations. These are traced once, with the conditions under
which the prediction holds, and compiled. Where a condition is not met, the simulator's own solver takes the step: the solution is
unique, so that both agree to rounding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.factorization import Factors, dense_parent, factorization, inverse_product, solution
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.simulate.coordinates import canonical_velocity, displace
from leapcheck_reference.simulate.plant import BoundProgram, Equations, Plant, equations_of_motion
from leapcheck_reference.simulate.rows import contact_jacobians
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.runge_kutta import WholeStep
from leapcheck_reference.trace.symbol import Recorder

CONDITIONS = "conditions"
"""Name of the answer (conditions,) whose entries are all positive where the prediction holds."""

PATIENCE = 10
"""Steps that the solver takes before straight-line code is compiled for them."""

INEXACT = 1e-12
"""Velocity (m/s) by which the linear equations may be missed: more where legs are so straight that contacts are redundant."""

Points = tuple[int, ...]
Inputs = Mapping[str, Array]


class Motion(NamedTuple):
    """A robot at one state, over any scalar: its equations of motion, and the heights (points,) m of its contact spheres."""

    plant: Plant
    q: Array
    u: Array
    equations: Equations
    gaps: Array

    @property
    def parent(self) -> tuple[int, ...]:
        """What `factorization` needs of the tree."""
        return tuple(self.plant.tree.dof_parent)

    def contact_jacobians(self, points: Points) -> Array:
        """J (3 n, nv) of the lowest points of n contact spheres."""
        return contact_jacobians(self.equations, as_objects(self.plant.radii), np.array(points, dtype=np.intp))

    def force(self, torque: Array) -> Array:
        """tau - h (nv,) under joint torques (actuators,)."""
        force = -self.equations.h
        force[self.plant.driven_u] += torque
        return force

    @property
    def rooms(self) -> Array:
        """How far (stops,) rad or m each joint with limits is from these: lower ones first."""
        joints = self.plant.joints
        angles, low, high = self.q[joints.q], np.isfinite(joints.lower), np.isfinite(joints.upper)
        return np.concatenate([angles[low] - as_objects(joints.lower[low]), as_objects(joints.upper[high]) - angles[high]])

    def away(self, u: Array) -> Array:
        """Velocities (stops,) away from the same at u (nv,)."""
        joints = self.plant.joints
        speeds = u[joints.u]
        return np.concatenate([speeds[np.isfinite(joints.lower)], -speeds[np.isfinite(joints.upper)]])


def motion(plant: Plant, q: Array, u: Array) -> Motion:
    """The robot at q (nq,), u (nv,) of traced scalars."""
    equations = Equations(**equations_of_motion(as_objects(plant.tree), q, u, plant.free_base))
    return Motion(plant, q, u, equations, equations.centres[:, 2] - as_objects(plant.radii))


class StepModel(NamedTuple):
    """What is traced: `key`, all that the code depends on besides plant and points; inputs with their shapes; the step.

    `step(plant, points, inputs)` returns the answers by name, `CONDITIONS` among them, over any scalar. Where no point touches,
    it does not depend on `contact_key` either.
    """

    key: tuple[object, ...]
    inputs: Mapping[str, tuple[int, ...]]
    step: Callable[[Plant, Points, Inputs], Mapping[str, Array]]
    contact_key: tuple[object, ...] = ()


class PredictedSteps:
    """The predicted steps of one robot, each compiled when it has been asked for `patience` times since the last `begin`.

    A short run is over before its code is compiled. The count does not depend on what the cache holds: a run has the same bits
    wherever it is made.
    """

    def __init__(self, plant: Plant, model: StepModel, patience: int = PATIENCE) -> None:
        self._plant, self._model, self._patience = plant, model, patience
        self._asked: Counter[Points] = Counter()
        foot = np.array([point.is_foot for point in plant.spec.contact_points if point.computed], dtype=bool)
        feet = tuple(int(i) for i in np.flatnonzero(foot))
        losses = plant.joints.damping.any() or plant.joints.friction.any()
        self._points: dict[bytes, Points] = {} if losses else {np.zeros_like(foot).tobytes(): (), foot.tobytes(): feet}
        self._programs: dict[Points, BoundProgram] = {}
        self._ready: dict[bytes, BoundProgram] = {}

    def begin(self) -> None:
        """Begins a run."""
        self._asked.clear()
        self._ready.clear()

    def __call__(self, active: NDArray[np.bool_], *inputs: Floats | float) -> Mapping[str, Floats] | None:
        """The answers, overwritten by the next step, if the contacts go on as they were.

        `active` (points,): those of the last step; `inputs` in their order. None where they do not, and where nothing is
        predicted: with other contacts than all feet or none, or with losses in the joints.
        """
        places = active.tobytes()
        program = self._ready.get(places)
        if program is None:
            points = self._points.get(places)
            if points is None:
                return None
            self._asked[points] += 1
            if self._asked[points] <= self._patience:
                return None
            program = self._ready[places] = self._program(points)
        answers = program(*inputs)
        conditions = answers[CONDITIONS]
        return answers if conditions.item(conditions.argmin()) > 0.0 else None  # a fifth of min()'s time; NaN is the least

    def runge_kutta(self, active: NDArray[np.bool_], start: Floats, dt: float, q: Floats, *others: Floats) -> WholeStep | None:
        """A step of `dt` by the answer "rates" from `start`, the input "moved" that stands between `q` and `others`.

        None where the contacts do not go on as they were through all stages, or where no code is ready for these.
        """
        program = self._ready.get(active.tobytes())
        if program is None or program.runge_kutta is None:
            return None
        program.take(q, start, *others)
        return program.runge_kutta(start, dt)

    def _program(self, points: Points) -> BoundProgram:
        program = self._programs.get(points)
        if program is None:
            program = self._programs[points] = BoundProgram(self._key(points), lambda: self._graph(points))
        return program

    def _key(self, points: Points) -> bytes:
        plant, model = self._plant, self._model
        contacts = model.contact_key if points else ()
        return b"predicted step " + key_of(model.key, contacts, plant.tree, plant.radii, plant.joints, plant.driven_u, points)

    def _graph(self, points: Points) -> Graph:
        recorder = Recorder(float)
        inputs = {name: recorder.input(name, *shape) for name, shape in self._model.inputs.items()}
        answers = self._model.step(self._plant, points, inputs)
        return recorder.graph({**answers, CONDITIONS: np.append(answers[CONDITIONS], 1.0)})  # never empty


class ContactSolution(NamedTuple):
    """Velocity (nv,) and impulses (n, 3) N s where n contacts stick, and by how much the equations are missed (3 n,) m/s."""

    u: Array
    impulses: Array
    missed: Array


def contact_solution(free: Array, factors: Factors, J: Array, wanted: Array, compliance: Array) -> ContactSolution:
    """u' = free + M^-1 J^T p with J u' + compliance p = wanted (3 n,), refined once; `factors` of M."""
    if not len(J):
        return ContactSolution(free, J.reshape(0, 3), np.empty(0, dtype=object))
    G = inverse_product(factors, J.T)
    G[np.diag_indices(len(G))] += compliance
    inverse = factorization(G, dense_parent(len(G)))
    p, u = np.zeros(len(J), dtype=object), free
    for _ in range(2):
        change = solution(inverse, wanted - J @ u - compliance * p)
        p, u = p + change, u + solution(factors, J.T @ change)
    return ContactSolution(u, p.reshape(-1, 3), wanted - J @ u - compliance * p)


def sticking_conditions(forces: Array, friction: Array) -> list[Array]:
    """Positive where contacts with forces or impulses (n, 3), `friction` a number (1,), stick: p_n, and (mu p_n)^2 - |p_t|^2."""
    x, y, normal = forces.T
    return [*normal, *(friction * friction * normal * normal - x * x - y * y)]


def step_inputs(plant: Plant) -> dict[str, tuple[int, ...]]:
    """Shapes of a step's inputs: state, torque, time step, friction of each point."""
    tree = plant.tree
    return {"q": (tree.nq,), "u": (tree.nv,), "torque": plant.driven_u.shape, "dt": (1,), "friction": plant.radii.shape}


def step_answers(moving: Motion, points: Points, new: ContactSolution, dt: Array) -> dict[str, Array]:
    """State after a step of dt with the velocity `new.u`, and the impulses (points, 3) of all points."""
    free_base = moving.plant.free_base
    q = displace(free_base, moving.q, dt * new.u)
    impulses = of_all_points(moving.plant, points, new.impulses)
    return {"q": q, "u": new.u, "v": canonical_velocity(free_base, q, new.u), "impulses": impulses}


def of_all_points(plant: Plant, points: Points, values: Array) -> Array:
    """Values (n, 3) of some points as those (points, 3) of all, zero elsewhere."""
    answer = np.zeros((len(plant.radii), 3), dtype=object)
    answer[list(points)] = values
    return answer


def others(moving: Motion, points: Points) -> list[int]:
    """The contact points that are not among `points`."""
    return [i for i in range(len(moving.gaps)) if i not in points]


def accuracy_condition(new: ContactSolution) -> list[Array]:
    """Positive where the linear equations are solved to `INEXACT`."""
    return [INEXACT * INEXACT - new.missed @ new.missed] if len(new.missed) else []
