"""A nonlinear program put together from blocks: one function, evaluated at many places of the unknowns.

A block of a trajectory sees a moment or two; its Jacobian and its Hessian are formed once as expressions and evaluated for all
moments at a time. Ipopt gets them summed up as sparse matrices, exact to second order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class MappedRows:
    """`values` (rows,) of the SX unknowns `local` (k,), evaluated at each row of `places` (n, k); `lower`, `upper` (n, rows)."""

    local: Any
    values: Any
    places: Places
    lower: Floats
    upper: Floats


@dataclass(slots=True, eq=False)
class Program:
    """Unknowns with bounds and a guess, constraints in blocks, and an objective that is a sum of blocks of one row each."""

    guess: list[float] = field(default_factory=list)
    scale: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    constraints: list[MappedRows] = field(default_factory=list)
    objective: list[MappedRows] = field(default_factory=list)

    def unknowns(
        self, guess: Floats, lower: Floats | float = -np.inf, upper: Floats | float = np.inf, scale: float = 1.0
    ) -> Places:
        """Places, of the guess' shape, of new unknowns, whose usual size is `scale`."""
        start = len(self.guess)
        self.scale += np.size(guess) * [scale]
        self.guess += np.ravel(guess).tolist()
        self.lower += np.broadcast_to(lower, np.shape(guess)).ravel().tolist()
        self.upper += np.broadcast_to(upper, np.shape(guess)).ravel().tolist()
        return np.arange(start, len(self.guess)).reshape(np.shape(guess))

    def constants(self, values: Floats) -> Places:
        """Places of numbers that stay as they are, until `fix` changes them."""
        return self.unknowns(values, values, values)

    def require(self, local: Any, values: Any, places: Places, lower: Floats | float = 0.0, upper: Floats | float = 0.0) -> None:
        """Constrains `values` at each row of `places`; an equation by default."""
        places = np.atleast_2d(places)
        shape = (len(places), values.numel())
        self.constraints.append(MappedRows(local, values, places, np.broadcast_to(lower, shape), np.broadcast_to(upper, shape)))

    def minimise(self, local: Any, value: Any, places: Places) -> None:
        """Adds the sum of `value` over the rows of `places` to the objective."""
        places = np.atleast_2d(places)
        nothing = np.zeros((len(places), 1))
        self.objective.append(MappedRows(local, value, places, nothing, nothing))

    def fix(self, places: Places, values: Floats | float) -> None:
        """Fixes unknowns."""
        for place, value in zip(places.ravel(), np.broadcast_to(values, places.shape).ravel(), strict=True):
            self.lower[place] = self.upper[place] = self.guess[place] = float(value)

    def solver(self, options: dict[str, Any]) -> Any:
        """Ipopt for this program."""
        scaled, p, scale = ca.MX.sym("x", len(self.guess)), ca.MX.sym("p", 0), np.array(self.scale)
        x = scaled * scale
        lam_f = ca.MX.sym("lam_f")
        rows = sum(len(block.places) * block.values.numel() for block in self.constraints)
        lam_g = ca.MX.sym("lam_g", rows)
        f = reduce(lambda a, b: a + b, (ca.sum1(_values(block, x)) for block in self.objective))
        g = ca.vertcat(*(_values(block, x) for block in self.constraints))
        jacobian = _jacobian(self.constraints, x, scale)
        gradient = ca.densify(ca.sum1(_jacobian(self.objective, x, scale)))  # Ipopt reads it as dense
        parts, start = [], 0
        for block in self.constraints:
            count = len(block.places) * block.values.numel()
            parts.append((block, lam_g[start : start + count]))
            start += count
        parts += [(block, ca.repmat(lam_f, len(block.places), 1)) for block in self.objective]
        hessian = _hessian(parts, x, scale)
        given = {
            "grad_f": ca.Function("nlp_grad_f", [scaled, p], [f, gradient.T], ["x", "p"], ["f", "grad:f:x"]),
            "jac_g": ca.Function("nlp_jac_g", [scaled, p], [g, jacobian], ["x", "p"], ["g", "jac:g:x"]),
            "hess_lag": ca.Function(
                "nlp_hess_l", [scaled, p, lam_f, lam_g], [hessian], ["x", "p", "lam:f", "lam:g"], ["triu:hess:gamma:x:x"]
            ),
        }
        return ca.nlpsol("plan", "ipopt", {"x": scaled, "f": f, "g": g}, given | options)

    def solve(self, solver: Any) -> tuple[Floats, dict[str, Any]]:
        """(unknowns, what Ipopt says of itself), from the guess on; `solver`: that of this program."""
        scale = np.array(self.scale)
        low, high = self.bounds()
        guess, lower, upper = (np.array(numbers) / scale for numbers in (self.guess, self.lower, self.upper))
        answer = solver(x0=guess, lbx=lower, ubx=upper, lbg=low, ubg=high)
        return scale * np.array(answer["x"]).ravel(), solver.stats()

    def bounds(self) -> tuple[Floats, Floats]:
        """(lower, upper) of all constraints."""
        return (
            np.concatenate([block.lower.ravel() for block in self.constraints]),
            np.concatenate([block.upper.ravel() for block in self.constraints]),
        )


def _columns(block: MappedRows, x: Any) -> Any:
    """The block's unknowns, a column for each row of places."""
    return ca.reshape(x[block.places.ravel().tolist()], block.places.shape[1], len(block.places))


def _values(block: MappedRows, x: Any) -> Any:
    function = ca.Function("values", [block.local], [block.values])
    return ca.vec(function.map(len(block.places))(_columns(block, x)))


def _jacobian(blocks: list[MappedRows], x: Any, scale: Floats) -> Any:
    """Sparse (rows, unknowns), by unknowns in parts of their scale."""
    rows, columns, numbers, start = [], [], [], 0
    for block in blocks:
        J = ca.jacobian(block.values, block.local)
        row, column = (np.array(part, dtype=int) for part in J.sparsity().get_triplet())
        count, n = block.values.numel(), len(block.places)
        rows.append((start + count * np.arange(n)[:, None] + row).ravel())
        columns.append(block.places[:, column].ravel())
        start += count * n
        numbers.append(_mapped(block, [block.local], J, [_columns(block, x)]))
    i, j = np.concatenate(rows), np.concatenate(columns)
    return _sparse(start, x.numel(), i, j, ca.vertcat(*numbers) * scale[j])


def _hessian(parts: list[tuple[MappedRows, Any]], x: Any, scale: Floats) -> Any:
    """Upper triangle of the Lagrangian's Hessian, sparse (unknowns, unknowns)."""
    rows, columns, numbers = [], [], []
    for block, multipliers in parts:
        local_multipliers = ca.SX.sym("lam", block.values.numel())
        H = ca.triu(ca.hessian(ca.dot(local_multipliers, block.values), block.local)[0])
        if not H.nnz():
            continue
        row, column = (np.array(part, dtype=int) for part in H.sparsity().get_triplet())
        i, j = block.places[:, row], block.places[:, column]
        rows.append(np.minimum(i, j).ravel())
        columns.append(np.maximum(i, j).ravel())
        arguments = [_columns(block, x), ca.reshape(multipliers, block.values.numel(), len(block.places))]
        numbers.append(_mapped(block, [block.local, local_multipliers], H, arguments))
    i, j = np.concatenate(rows), np.concatenate(columns)
    return _sparse(x.numel(), x.numel(), i, j, ca.vertcat(*numbers) * (scale[i] * scale[j]))


def _mapped(block: MappedRows, inputs: list[Any], matrix: Any, arguments: list[Any]) -> Any:
    """The matrix' nonzeros, column after column, for one row of places after the other."""
    function = ca.Function("part", inputs, [ca.vertcat(*matrix.nonzeros())])
    return ca.vec(function.map(len(block.places))(*arguments))


def _sparse(rows: int, columns: int, i: Places, j: Places, numbers: Any) -> Any:
    """The sparse matrix with these numbers at (i, j), those of one place summed."""
    places, number_of = np.unique(j * rows + i, return_inverse=True)
    sparsity = ca.Sparsity.triplet(rows, columns, (places % rows).tolist(), (places // rows).tolist())
    count = len(number_of)
    gather = ca.DM.triplet(number_of.tolist(), list(range(count)), ca.DM.ones(count), len(places), count)
    return ca.MX(sparsity, ca.densify(gather @ numbers))
