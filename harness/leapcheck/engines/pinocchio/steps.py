"""Pinocchio's algorithms, each with the arrays that it leaves behind: one pass over a block of states each.

Its bindings hold the interpreter's lock and their getters cost as much as an algorithm, so the results are read through views
that are made once. An algorithm's results are copied before the next one runs: they may overwrite each other's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from leapcheck.engines.errors import EngineError
from leapcheck.engines.projection import OwnStates
from leapcheck_models.arrays import Floats

FREE_SIZE = 7
"""Numbers in q of a floating base."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One algorithm: the parts of a state that `call` takes ("q", "v", ...), and the views where its results then stand."""

    call: Callable[..., object]
    arguments: tuple[str, ...]
    results: Mapping[str, Floats]


def record_steps(steps: Sequence[Step], states: OwnStates, out: Mapping[str, Floats]) -> None:
    """Runs those steps that have a result among `out`, each at all states; writes what `record` does."""
    rows = {part: list(block) for part, block in states._asdict().items()}
    for step in steps:
        if not step.results.keys().isdisjoint(out):
            record(step, rows, out)


def record(step: Step, rows: Mapping[str, Sequence[Floats]], out: Mapping[str, Floats]) -> None:
    """Runs the step at each state; writes those results that `out` has a C-contiguous array (n, *shape) for.

    `rows` holds, by the names of a state's parts, its n rows.
    """
    call = step.call
    wanted = [(array, step.results[name]) for name, array in out.items() if name in step.results and array.size]
    pairs = [(_items(array, len(array)), _items(result, 1).reshape(())) for array, result in wanted]
    for i, arguments in enumerate(zip(*(rows[name] for name in step.arguments), strict=True)):
        call(*arguments)
        for array, result in pairs:
            array[i] = result


def result_shapes(steps: Sequence[Step]) -> dict[str, tuple[int, ...]]:
    """Shape of every result of the steps, by name."""
    return {name: result.shape for step in steps for name, result in step.results.items()}


def steps(model: pin.Model, data: pin.Data) -> tuple[Step, ...]:
    """Everything that Pinocchio computes; by the names in `projection`, or those in `points`."""
    weightless = model.copy()
    weightless.gravity = pin.Motion.Zero()
    free = weightless.createData()
    return (
        Step(partial(pin.crba, model, data), ("q",), {"M": by_columns(data.M, model.nv)}),  # both triangles: the binding mirrors
        Step(partial(pin.nonLinearEffects, model, data), ("q", "v"), {"h": data.nle}),
        Step(partial(pin.nonLinearEffects, weightless, free), ("q", "v"), {"c": free.nle}),
        Step(partial(pin.computeGeneralizedGravity, model, data), ("q",), {"g": data.g}),
        Step(partial(pin.aba, model, data), ("q", "v", "tau"), {"udot": data.ddq}),
        Step(partial(pin.rnea, model, data), ("q", "v", "vdot"), {"inverse_dynamics": data.tau}),
        coriolis(model, data),
        inverse_dynamics_derivatives(model, data),
        forward_dynamics_derivatives(model, data),
        kinematics(model, data),
        inverse(model, data),
        velocity(model),
        number("T_kin", partial(pin.computeKineticEnergy, model, data), ("q", "v")),
        number("V_pot", partial(pin.computePotentialEnergy, model, data), ("q",)),
    )


def kinematics(model: pin.Model, data: pin.Data) -> Step:
    """Placements, velocities, velocity-product accelerations and Jacobians of the joints."""
    no_acceleration = np.zeros(model.nv)

    def move(q: Floats, v: Floats) -> None:
        pin.forwardKinematics(model, data, q, v, no_acceleration)
        pin.computeJointJacobians(model, data)

    results = {
        "poses": contiguous([pose.rotation.T for pose in data.oMi], rows=4),  # its position follows a rotation's three rows
        "velocities": contiguous([velocity.vector for velocity in data.v]),
        "accelerations": contiguous([acceleration.vector for acceleration in data.a]),
        "joint_jacobians": by_columns(data.J, 6),
    }
    return Step(move, ("q", "v"), results)


def velocity(model: pin.Model) -> Step:
    """The velocity itself."""
    own = np.zeros(model.nv)

    def keep(v: Floats) -> None:
        own[:] = v

    return Step(keep, ("v",), {"own_v": own})


def by_columns(matrix: Floats, rows: int) -> Floats:
    """View (columns, rows) of a matrix, as it stands in memory; the bindings show one of a single column as a vector."""
    columns = matrix.T.reshape(-1, rows)
    if not np.shares_memory(columns, matrix):
        raise EngineError(f"pinocchio {pin.__version__}: a matrix of its data is not laid out as expected: use 4.1.0")
    return columns


def inverse(model: pin.Model, data: pin.Data) -> Step:
    """M^-1."""
    result = np.zeros((model.nv, model.nv))

    def invert(q: Floats) -> None:
        result[:] = minverse(model, data, q)

    return Step(invert, ("q",), {"Minv": result})


def minverse(model: pin.Model, data: pin.Data, q: Floats) -> Floats:
    """M^-1 by the Cholesky factor: `computeMinverse` works in world axes and loses digits with the square of the distance."""
    pin.crba(model, data, q)
    pin.cholesky.decompose(model, data)
    Minv: Floats = pin.cholesky.computeMinv(model, data)
    return Minv


def coriolis(model: pin.Model, data: pin.Data) -> Step:
    """Pinocchio's Coriolis matrix, which is Christoffel's, with the bases at the origin: see `inverse_dynamics_derivatives`."""
    result = np.zeros((model.nv, model.nv))
    bases = base_positions(model)

    def compute(q: Floats, v: Floats) -> None:
        q = q.copy()
        q[bases] = 0.0
        result[:] = pin.computeCoriolisMatrix(model, data, q, v)

    return Step(compute, ("q", "v"), {"christoffel_matrix": result})


def inverse_dynamics_derivatives(model: pin.Model, data: pin.Data) -> Step:
    """Pinocchio's analytic derivatives of rnea, along the unit velocities of the dofs.

    Taken with the bases at the origin, on whose places they do not depend: Pinocchio's work in world axes and lose digits with
    the square of the distance.
    """
    by_q, by_v = np.zeros((2, model.nv, model.nv))
    bases = base_positions(model)

    def compute(q: Floats, v: Floats, vdot: Floats) -> None:
        q = q.copy()
        q[bases] = 0.0
        by_q[:], by_v[:], _ = (np.reshape(part, by_q.shape) for part in pin.computeRNEADerivatives(model, data, q, v, vdot))

    results = {"inverse_dynamics_derivative_q": by_q, "inverse_dynamics_derivative_v": by_v}
    return Step(compute, ("q", "v", "vdot"), results)


def base_positions(model: pin.Model) -> list[int]:
    """Places in q of the positions of floating bases on the world."""
    free = (joint for joint in model.joints if joint.nq == FREE_SIZE and model.parents[joint.id] == 0)
    return [joint.idx_q + i for joint in free for i in range(3)]


def forward_dynamics_derivatives(model: pin.Model, data: pin.Data) -> Step:
    """Those of aba, -M^-1 times those of rnea: `computeABADerivatives` inverts M in world axes, as `computeMinverse` does."""
    by_q, by_v, by_tau = np.zeros((3, model.nv, model.nv))
    bases = base_positions(model)

    def compute(q: Floats, v: Floats, tau: Floats) -> None:
        q = q.copy()
        q[bases] = 0.0
        derivatives = pin.computeRNEADerivatives(model, data, q, v, pin.aba(model, data, q, v, tau).copy())
        force_by_q, force_by_v = (np.reshape(part, by_q.shape).copy() for part in derivatives[:2])
        by_tau[:] = minverse(model, data, q)
        by_q[:], by_v[:] = -by_tau @ force_by_q, -by_tau @ force_by_v

    names = (f"forward_dynamics_derivative_{by}" for by in ("q", "v", "tau"))
    return Step(compute, ("q", "v", "tau"), dict(zip(names, (by_q, by_v, by_tau), strict=True)))


def number(name: str, computed: Callable[..., float], arguments: tuple[str, ...]) -> Step:
    """A step whose result is the number returned."""
    result = np.zeros(())

    def store(*parts: Floats) -> None:
        result[...] = computed(*parts)

    return Step(store, arguments, {name: result})


def contiguous(items: Sequence[Any], rows: int | None = None) -> Floats:
    """One view (items, *shape) of all items of a std::vector, given a view of each; `rows` where more follow than those shown.

    EngineError where they do not stand side by side in memory.
    """
    first = items[0]
    shape = first.shape if rows is None else (rows, *first.shape[1:])
    size = first.itemsize * int(np.prod(shape))
    starts = [item.ctypes.data - first.ctypes.data for item in items]
    if starts != [size * i for i in range(len(items))] or not first.flags.c_contiguous:
        raise EngineError(f"pinocchio {pin.__version__}: a vector of its data is not laid out as expected: use 4.1.0")
    return np.lib.stride_tricks.as_strided(first, shape=(len(items), *shape), strides=(size, *first.strides))


def _items(array: Floats, count: int) -> NDArray[np.void]:
    """View (count,) of an array as items without a type: NumPy copies one of these in half the time of a row."""
    items: NDArray[np.void] = array.reshape(count, -1).view(np.dtype((np.void, array.nbytes // count)))[:, 0]
    return items
