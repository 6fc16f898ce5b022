"""Which quantities to fit first and at which few states, and how much of them each single parameter could explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.attribution.descent import EXPLAINED, Fit
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.attribution.problem import Problem, problem_of
from leapcheck.judge.belief import Belief
from leapcheck.judge.layout import COM_QUANTITIES, in_order
from leapcheck.judge.robot_rows import RobotRows, robot_rows
from leapcheck.quantities import QuantityGroup, names_of_group
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.tree import Tree

ORDER = in_order(
    (
        *("mass_matrix", "qM", "csr", "contact_positions", "bias_force", "contact_jacobians", "cinert", "gravity_force"),
        *("coriolis_force", "cdof", "contact_velocities", "contact_bias_accelerations", "crb", "kinetic_energy"),
        *("potential_energy", "forward_dynamics", "contact_inertia"),
    )
)
"""Quantities, the most telling for the least work first."""

FAMILIES = {
    **dict.fromkeys(("mass_matrix", "qM", "csr", "cinert", "crb", "kinetic_energy", "contact_inertia"), "inertia"),
    **dict.fromkeys(("bias_force", "gravity_force", "coriolis_force", "forward_dynamics"), "force"),
    **dict.fromkeys(("contact_positions", "contact_jacobians", "contact_velocities", "contact_bias_accelerations"), "points"),
    **dict.fromkeys(COM_QUANTITIES, "com"),
    **dict.fromkeys(("minverse", "operational_inertia_inverse"), "inertia"),
    **dict.fromkeys(("inverse_dynamics", "coriolis_matrix", "christoffel_matrix"), "force"),
    **{name: "points" if name.startswith("frame") else "force" for name in names_of_group(QuantityGroup.DERIVATIVES)},
    **dict.fromkeys(names_of_group(QuantityGroup.REGRESSORS), "regressor"),
    **dict.fromkeys(names_of_group(QuantityGroup.KINEMATICS), "points"),
    **dict.fromkeys(names_of_group(QuantityGroup.JOINTS), "joints"),
}
"""Quantities that show much the same: of each family the first that is not explained is fitted."""

KIND_ORDER = ("generic", "file", "large", "pose", "singular", "rest", "far")
"""Kinds of states, those first that show most."""

FEWEST, MOST = 2, 8
"""Limits on the states that are screened."""

PLAIN = 10.0
"""Misfit up to which an error may be seen at some states only: then these are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateField:
    """All single parameters of a robot from all their starts: for each candidate (c,) the place among the `parameters`, the
    amount, and all numbers X (c, N); `rows` are all candidates at all states.
    """

    parameters: tuple[Parameter, ...]
    which: NDArray[np.intp]
    amounts: Floats
    X: Floats
    rows: RobotRows


@dataclass(frozen=True, slots=True, eq=False)
class Screening:
    """A problem at few states, its candidates, their residuals and columns (c, m), and what the best amount would leave.

    `residual` (m,) is that of the robot as it is, `share` (c,) the share of its square that is left, `largest` (c,) the
    largest weighted residual left.
    """

    problem: Problem
    field: CandidateField
    residual: Floats
    residuals: Floats
    columns: Floats
    share: Floats
    largest: Floats

    def parameter(self, candidate: int) -> Parameter:
        """The parameter of a candidate."""
        return self.field.parameters[int(self.field.which[candidate])]

    def fit(self, candidate: int) -> Fit:
        """A fit that begins at a candidate's start."""
        return Fit((self.parameter(candidate),), self.field.X[candidate], np.array([self.field.amounts[candidate]]))

    @property
    def plain(self) -> NDArray[np.intp]:
        """Each parameter's candidate that starts from the robot as it is."""
        return np.flatnonzero(self.field.amounts == 0.0)


def screen(problem: Problem, far: bool = True) -> Screening:
    """The screening of a problem at few states: from all starts, or, not so `far`, from the robot as it is alone."""
    scalar = all(equation.answers.ndim == 1 for equation in problem.equations)
    field = _field(_FieldKey(problem.tree, problem.spec, problem.x, problem.read, scalar or not far))
    residuals, columns = problem.of_rows(field.rows)
    share, largest = _projection(residuals, columns, float(np.linalg.norm(residuals[0])))
    return Screening(problem, field, residuals[0], residuals, columns, share, largest)


def unexplained_problem(belief: Belief, entries: int = 24, most: int = 1) -> Problem | None:
    """The problem of the first quantities, `most` at most, that a belief does not explain, at so few states that there are
    about so many `entries`; None where all is explained, and where there is nothing to fit: numbers that are not finite.
    """
    evidence = belief.evidence
    if not all(np.isfinite(answer).all() for answer in evidence.answers.values()):
        return None
    quantities: list[str] = []
    rows: list[int] = []
    seen: set[str] = set()
    for quantity in sorted(evidence.quantities, key=ORDER.index):
        if (family := FAMILIES.get(quantity, quantity)) in seen:
            continue
        telling = _telling_rows(belief, quantity, entries)
        if telling is None:
            return None
        if telling:
            seen.add(family)
            quantities.append(quantity)
            rows = rows or telling
        if len(quantities) == most:
            break
    return problem_of(belief.about(evidence.at_states(rows)), quantities) if quantities else None


def _telling_rows(belief: Belief, quantity: str, entries: int) -> list[int] | None:
    """States at which a quantity is not explained, usual ones where possible; none where it is; None for another robot's size."""
    evidence = belief.evidence
    size = max(1, evidence.answers[quantity][0].size)
    count = min(max(MOST, entries // 2 if size == 1 else MOST), max(FEWEST, -(-entries // size)), len(evidence.states))
    usual = sorted(range(len(evidence.states)), key=lambda i: _place(evidence.states.kind[i]))[:count]
    largest = _misfits(belief.about(evidence.at_states(usual)), quantity)
    if largest is None or largest.max(initial=0.0) > PLAIN:
        return None if largest is None else usual
    misfits = _misfits(belief, quantity)
    if misfits is None or misfits.max(initial=0.0) <= EXPLAINED:
        return None if misfits is None else []
    return [int(i) for i in np.argsort(-misfits, kind="stable")[:count]]


def _misfits(belief: Belief, quantity: str) -> Floats | None:
    """Largest weighted residual at each state; None where there is none."""
    try:
        problem = problem_of(belief, [quantity])
        residual = problem.residuals(problem.x[None])[0]
    except ValueError:  # the shapes of a robot of another size
        return None
    misfits: Floats = np.abs(residual).reshape(len(problem.read), -1).max(axis=1, initial=0.0)
    return misfits if np.isfinite(misfits).all() else None


def _place(kind: str) -> int:
    return KIND_ORDER.index(kind) if kind in KIND_ORDER else len(KIND_ORDER)


class _FieldKey:
    """A robot at states, as a key of what is kept."""

    def __init__(self, tree: Tree, spec: RobotSpec, x: Floats, read: States, from_zero: bool) -> None:
        self.tree, self.spec, self.x, self.read, self.from_zero = tree, spec, x, read, from_zero
        names = [link.name for link in tree.links], [body.joint.name for body in spec.bodies]
        shape = [(link.parent, str(link.type), link.rotor is not None, link.q, link.v) for link in tree.links]
        points = [(point.name, point.link) for point in tree.points]
        blocks = tuple(block.tobytes() for block in (x, *(getattr(read, part) for part in STATE_PARTS)))
        self.key = (str(names), str((shape, points)), blocks, from_zero)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FieldKey) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=4)
def _field(key: _FieldKey) -> CandidateField:
    singles = parameters(key.spec, key.tree)
    starts = [(i, start) for i, p in enumerate(singles) for start in (p.starts[:1] if key.from_zero else p.starts)]
    X = np.array([singles[i].apply(key.x, start) if start else key.x for i, start in starts])
    rates = np.array([singles[i].rate(x) for (i, _), x in zip(starts, X, strict=True)])
    which, amounts = np.array([i for i, _ in starts]), np.array([start for _, start in starts])
    return CandidateField(tuple(singles), which, amounts, X, robot_rows(key.tree, key.read, X, rates))


def _projection(residuals: Floats, columns: Floats, norm: float) -> tuple[Floats, Floats]:
    """Of each candidate's residual (c, m) what its column (c, m) cannot take away: share of `norm` squared, and the largest."""
    bad = np.asarray(np.isnan(residuals).any(axis=1) | ~np.isfinite(columns).all(axis=1))
    residuals, columns = np.where(bad[:, None], 0.0, residuals), np.where(bad[:, None], 0.0, columns)
    units = unit_columns(columns)
    hidden = bad | np.all(units == 0.0, axis=1)
    amount = np.einsum("cm,cm->c", units, residuals)
    left = residuals - amount[:, None] * units
    share = np.einsum("cm,cm->c", left, left) / norm**2
    return np.where(hidden, np.inf, share), np.where(hidden, np.inf, np.abs(left).max(axis=1, initial=0.0))


def unit_columns(columns: Floats) -> Floats:
    """Columns (c, m) of unit norm; those that are zero or not finite as zeros."""
    size = np.abs(columns).max(axis=1, initial=0.0)
    good: NDArray[np.bool_] = np.asarray((size > 0.0) & np.isfinite(size))
    units = np.where(good[:, None], columns / np.where(good, size, 1.0)[:, None], 0.0)
    norms = np.linalg.norm(units, axis=1)
    scaled: Floats = units / np.where(norms > 0.0, norms, 1.0)[:, None]
    return scaled
