"""Engines without a fault in unusual guises: other algorithms, orders of summation, arithmetic, differences for derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

import leapcheck
from leapcheck.engines.protocol import Answers
from leapcheck.records import TruthVerdict, Verdict
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.own_dynamics import OwnDynamics
from leapcheck_evidence.score.programs import guise_solvers
from leapcheck_evidence.score.programs.catalogue import robot
from leapcheck_evidence.score.programs.engine import ProgramEngine
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import RobotSpec

STATES = 256
STEP = 1e-5
"""Of central differences."""

Extra = Callable[["Guise", States, str], "Floats | None"]


class Guise:
    """A code, some of whose answers are worked out in another way; `extra` gives None for those that are not."""

    version = "0"

    def __init__(self, name: str, spec: RobotSpec, library: str, extra: Extra | None = None) -> None:
        self.name, self.spec, self._library, self._extra = "guise", spec, library, extra
        self.inner = ProgramEngine(spec, library)
        self.route, self.quantities = name, self.inner.quantities
        self.precision = "float32" if extra in (_single_precision, _rounded_answers) else "float64"

    def rebuild(self, spec: RobotSpec) -> Guise:
        """The same for another robot."""
        return Guise(self.route, spec, self._library, self._extra)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity (n, ...)."""
        answers = {}
        for name in quantities:
            other = self._extra(self, states, name) if self._extra else None
            answers[name] = self.own(states, name) if other is None else other
        return answers

    def own(self, states: States, name: str) -> Floats:
        """What the code itself answers."""
        return self.inner.evaluate(states, (name,))[name]


def _solving(solve: Callable[[Floats, Floats], Floats]) -> Extra:
    """M^-1 (tau - h) by another solver of one state."""

    def extra(engine: Guise, states: States, name: str) -> Floats | None:
        if name != "forward_dynamics":
            return None
        M, h = engine.own(states, "mass_matrix"), engine.own(states, "bias_force")
        rows = [solve(A, b) for A, b in zip(M, states.tau - h, strict=True)]
        return np.array(rows).reshape(states.tau.shape)

    return extra


def _energy_from_matrix(engine: Guise, states: States, name: str) -> Floats | None:
    """1/2 v^T M v, summed exactly."""
    if name != "kinetic_energy":
        return None
    M = engine.own(states, "mass_matrix")
    products = 0.5 * states.v[:, :, None] * M * states.v[:, None, :]
    return np.array([math.fsum(terms.ravel()) for terms in products])


def _coriolis_by_subtraction(engine: Guise, states: States, name: str) -> Floats | None:
    """h(q, v) - h(q, 0), and velocities as J v."""
    if name == "coriolis_force":
        return np.asarray(engine.own(states, "bias_force") - engine.own(states, "gravity_force"))
    if name == "contact_velocities":
        return np.asarray(np.einsum("npij,nj->npi", engine.own(states, "contact_jacobians"), states.v))
    return None


def _inertia_by_factor(engine: Guise, states: States, name: str) -> Floats | None:
    """J M^-1 J^T as Y^T Y with L Y = J^T."""
    if name != "contact_inertia":
        return None
    J = engine.own(states, "contact_jacobians").reshape(len(states), -1, engine.spec.nv)
    Y = np.linalg.solve(np.linalg.cholesky(engine.own(states, "mass_matrix")), np.swapaxes(J, 1, 2))
    return np.asarray(np.swapaxes(Y, 1, 2) @ Y)


def _single_precision(engine: Guise, states: States, name: str) -> Floats | None:
    """States rounded to single precision, and answers."""
    rounded = replace(states, **{part: getattr(states, part).astype(np.float32).astype(float) for part in ("q", "v", "tau")})
    return engine.own(rounded, name).astype(np.float32).astype(float)


def _rounded_answers(engine: Guise, states: States, name: str) -> Floats | None:
    """Answers that were stored in single precision."""
    return engine.own(states, name).astype(np.float32).astype(float)


def _moved(states: States, dof: int, step: float) -> States:
    """The states moved along one dof of a robot whose joints have one each."""
    q = states.q.copy()
    q[:, dof] += step
    return replace(states, q=q)


def _gravity_by_differences(engine: Guise, states: States, name: str) -> Floats | None:
    """The gradient of the potential energy by central differences."""
    if name != "gravity_force":
        return None
    columns = [
        (engine.own(_moved(states, dof, STEP), "potential_energy") - engine.own(_moved(states, dof, -STEP), "potential_energy"))
        / (2.0 * STEP)
        for dof in range(engine.spec.nv)
    ]
    return np.stack(columns, axis=1)


def _coriolis_by_differences(engine: Guise, states: States, name: str) -> Floats | None:
    """Mdot v - 1/2 d(v^T M v)/dq by central differences of M."""
    if name not in ("coriolis_force", "bias_force"):
        return None
    D = np.stack(
        [
            (engine.own(_moved(states, dof, STEP), "mass_matrix") - engine.own(_moved(states, dof, -STEP), "mass_matrix"))
            / (2.0 * STEP)
            for dof in range(engine.spec.nv)
        ]
    )
    v = states.v
    c: Array = np.einsum("knij,nk,nj->ni", D, v, v) - 0.5 * np.einsum("knij,ni,nj->nk", D, v, v)
    return c if name == "coriolis_force" else c + engine.own(states, "gravity_force")


def _bias_accelerations_by_differences(engine: Guise, states: States, name: str) -> Floats | None:
    """Jdot v from J a little later and a little earlier, the less the faster it moves."""
    if name != "contact_bias_accelerations":
        return None
    time = STEP / np.maximum(1.0, np.linalg.norm(states.v, axis=1))[:, None]
    later, earlier = (replace(states, q=states.q + sign * time * states.v) for sign in (1.0, -1.0))
    change = engine.own(later, "contact_jacobians") - engine.own(earlier, "contact_jacobians")
    return np.asarray(np.einsum("npij,nj->npi", change / (2.0 * time[:, :, None, None]), states.v))


def _columns_by_inverse_dynamics(engine: Guise, states: States, name: str) -> Floats | None:
    """M column by column from forward dynamics: the inverse of its answers to unit torques."""
    if name != "mass_matrix":
        return None
    units = [
        engine.own(replace(states, tau=np.broadcast_to(unit, states.tau.shape)), "forward_dynamics")
        for unit in np.eye(engine.spec.nv)
    ]
    at_rest = engine.own(replace(states, tau=np.zeros_like(states.tau)), "forward_dynamics")
    return np.asarray(np.linalg.inv(np.stack([unit - at_rest for unit in units], axis=2)))


class Sums(OwnDynamics):
    """Sums over Jacobians in world axes; `number` is the type of all numbers."""

    name = "guise"

    def __init__(self, spec: RobotSpec, number: type = np.float64) -> None:
        super().__init__(spec, number)
        self._number, self.precision = number, "float32" if number is np.float32 else "float64"
        solved = {"forward_dynamics", "contact_inertia"} if number is np.longdouble else set()  # LAPACK has no long double
        points = any(point.computed for point in spec.contact_points)
        self.quantities = frozenset(name for name in self.quantities - solved if points or not name.startswith("contact"))

    def rebuild(self, spec: RobotSpec) -> Sums:
        """The same for another robot."""
        return Sums(spec, self._number)


@dataclass(frozen=True, slots=True)
class CleanGuise:
    """An engine without a fault, on a robot; `is_exact` where only rounding may stand between it and the truth."""

    label: str
    robot: str
    build: Callable[[RobotSpec], object]
    is_exact: bool = True


LEGGED, TREE, SMALL, ARM = "mini_cheetah", "random:2190221", "random:2470030", "tree4_5"


def clean_guises() -> tuple[CleanGuise, ...]:
    """All of them."""
    return tuple(_exact_guises()) + tuple(_imprecise_guises())


def _exact_guises() -> Iterator[CleanGuise]:
    for library, robots in (
        ("newton_euler", (LEGGED,)),
        ("unit_accelerations", (LEGGED, TREE)),
        ("spatial", (LEGGED, TREE)),
        ("lagrange", (SMALL, ARM)),
        ("christoffel", (SMALL, ARM)),
    ):
        for name in robots:
            yield CleanGuise(library, name, _builder(library, library))
    for label, solve in (
        ("Cholesky", guise_solvers.by_cholesky),
        ("L D L^T", guise_solvers.by_ldl),
        ("Gauss-Jordan", guise_solvers.by_elimination),
        ("least squares", guise_solvers.by_svd),
        ("inverse of M", guise_solvers.by_inverse),
        ("Q R", guise_solvers.by_qr),
    ):
        yield CleanGuise(
            f"forward dynamics by {label}",
            LEGGED if label in ("Cholesky", "inverse of M") else TREE,
            _builder(label, "newton_euler", _solving(solve)),
        )
    for label, extra, name in (
        ("kinetic energy by v^T M v", _energy_from_matrix, LEGGED),
        ("Coriolis force by subtraction, velocities by J v", _coriolis_by_subtraction, LEGGED),
        ("contact inertia by Cholesky's factor", _inertia_by_factor, LEGGED),
        ("M by unit torques", _columns_by_inverse_dynamics, ARM),
    ):
        yield CleanGuise(label, name, _builder(label, "spatial", extra))
    for name in (LEGGED, TREE):
        yield CleanGuise("sums over Jacobians", name, Sums)
        yield CleanGuise("long double", name, lambda spec: Sums(spec, np.longdouble))


def _imprecise_guises() -> Iterator[CleanGuise]:
    for name in (LEGGED, TREE):
        yield CleanGuise("single precision", name, lambda spec: Sums(spec, np.float32), is_exact=False)
    yield CleanGuise(
        "states and answers in single precision", LEGGED, _builder("float32", "spatial", _single_precision), is_exact=False
    )
    yield CleanGuise(
        "answers stored in single precision", LEGGED, _builder("stored", "newton_euler", _rounded_answers), is_exact=False
    )
    for label, extra in (
        ("gravity force by energy differences", _gravity_by_differences),
        ("Coriolis force by differences of M", _coriolis_by_differences),
        ("Jdot v by differences of J", _bias_accelerations_by_differences),
    ):
        yield CleanGuise(label, ARM, _builder(label, "newton_euler", extra), is_exact=False)


def _builder(label: str, library: str, extra: Extra | None = None) -> Callable[[RobotSpec], object]:
    return lambda spec: Guise(label, spec, library, extra)


@dataclass(frozen=True, slots=True)
class GuiseOutcome:
    """What the judge said of an engine without a fault: `alarms`, if any."""

    label: str
    robot: str
    alarms: tuple[str, ...]


def guise_outcome(number: int) -> GuiseOutcome:
    """The result for one of them: an alarm is a discrepancy, a failure, a cause; of imprecise ones, whatever is called wrong."""
    guise = clean_guises()[number]
    spec = robot(guise.robot)
    run = leapcheck.compare(spec, guise.build(spec), engines=("reference",), states=STATES, seed=number).record
    alarms = [f"failure: {failure.message}" for failure in run.failures]
    alarms += [f"{verdict.quantity}: wrong" for verdict in run.verdicts if verdict.verdict is TruthVerdict.WRONG]
    alarms += [
        f"{cause.name}" for d in run.diagnoses for cause in d.causes if guise.is_exact or not cause.name.startswith("precision")
    ]
    if guise.is_exact:
        alarms += [f"{row.quantity}: {row.verdict}" for row in run.comparisons if row.verdict is Verdict.DISCREPANCY]
    return GuiseOutcome(guise.label, guise.robot, tuple(dict.fromkeys(alarms)))
