"""An extra body: ten inertia numbers of one link fitted to what is left, where they are those of a body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, TreeEdit, model_fault
from leapcheck.judge.edits import edit_links
from leapcheck.judge.layout import rigid_carriers
from leapcheck.judge.robot_rows import value
from leapcheck.judge.structure.scope import scope
from leapcheck.judge.words import name_list
from leapcheck.system.singular_values import singular_values
from leapcheck_models.arrays import Floats
from leapcheck_reference.spatial import RigidInertia
from leapcheck_reference.trace.parametric import SIX

LINEAR = ("mass_matrix", "qM", "csr", "potential_energy", "bias_force", "gravity_force", "coriolis_force", "kinetic_energy")
"""Quantities that are linear in the inertias."""

CHEAP = ("potential_energy", "gravity_force", "kinetic_energy", "bias_force", "coriolis_force", "mass_matrix", "qM", "csr")
"""The same, those first that cost least."""

MOST_QUANTITIES = 3
"""Quantities that are fitted together, in the order of `LINEAR`."""

LENGTH = 0.1
"""Length (m) by which first and second moments are made comparable to masses."""

RANK = 1e-9
"""Singular values below this share of the largest belong to numbers that do not show."""

LEFT = 1e-6
"""Share of the difference that a fit leaves at most."""

ROUNDS = 200
"""Steps at most of the search for a body among the inertias that explain the difference."""

FLOOR = 1e-4
"""Least moment of that body's pseudo-inertia, as a share of its largest number."""

SLACK = 1e-6
"""Share of its size by which a fitted inertia may miss being one of a body."""


class FittedBody(NamedTuple):
    """An inertia (about the link's origin, SI), and whether the answers show all of its ten numbers."""

    inertia: RigidInertia
    is_certain: bool


def extra_bodies(belief: Belief) -> Iterator[Hypothesis]:
    """An extra body on a link, for each link where one explains what is left in the quantities that are linear in inertias.

    Links that are rigid with one another carry the same; only the first of them is named.
    """
    quantities = [name for name in LINEAR if name in belief.evidence.quantities and belief.misfit(name) > 1.0][:MOST_QUANTITIES]
    if not quantities:
        return
    at, carriers = scope(belief, quantities[0]), rigid_carriers(belief.evidence.spec)
    cheapest = min(quantities, key=CHEAP.index)
    for name in dict.fromkeys(carriers[body.name] for body in at.spec.bodies if at.moves_only(body.name)):
        if len(quantities) > 1 and _fit(belief, [cheapest], name) is None:
            continue
        fit = _fit(belief, quantities, name)
        if fit is not None:
            mates = [other for other, carrier in carriers.items() if carrier == name and other != name]
            words = extra_body_words(name, fit.inertia, mates)
            details = "" if fit.is_certain else "others would do as well: not all ten numbers of its inertia show"
            yield model_fault(f"extra/{name}", words, tree_edit=_add_to_link(name, fit.inertia), prior=2.0, details=details)


def extra_body_words(link: str, inertia: RigidInertia, mates: Sequence[str] = ()) -> str:
    """The extra body on a link in words: mass, and com in link axes."""
    com = ", ".join(f"{x:.4g}" for x in inertia.mc / inertia.mass) if inertia.mass else ""
    rigid = f" (or one rigid with it: {name_list(mates)})" if mates else ""
    what = f"a body of {inertia.mass:.6g} kg" + (f" with its com at ({com}) m" if com else "")
    return f"{what} is attached to {link}{rigid} that should not be there"


def is_of_a_body(inertia: RigidInertia) -> bool:
    """Whether some body has this inertia about the link's origin: its pseudo-inertia is positive semidefinite, up to `SLACK`."""
    pseudo = _pseudo_inertia(inertia)
    size = np.sqrt(np.maximum(np.abs(np.diag(pseudo)), np.finfo(float).tiny))
    moments = np.linalg.eigvalsh(pseudo / np.outer(size, size))
    return bool(inertia.mass > 0.0 and moments[0] >= -SLACK)


def _pseudo_inertia(inertia: RigidInertia) -> Floats:
    """[[Sigma, mc], [mc^T, m]] (4, 4) with the second moments Sigma = tr(I) / 2 1 - I (Wensing, Kim and Slotine 2018)."""
    sigma = 0.5 * np.trace(inertia.I) * np.eye(3) - inertia.I
    return np.block([[sigma, inertia.mc[:, None]], [inertia.mc[None, :], np.array([[inertia.mass]])]]).astype(float)


def _fit(belief: Belief, quantities: Sequence[str], name: str) -> FittedBody | None:
    """What a link carries too much, by least squares; None where that does not explain the difference, or is no body's."""
    tree, read, evidence = belief.tree, belief.read, belief.evidence
    trees = [_add_to_link(name, unit)(tree) for unit in _units()]
    rows, targets = [], []
    for quantity in quantities:
        start, scale = belief.value(quantity), evidence.scale[quantity]
        rows.append(np.column_stack([((value(quantity, changed, read) - start) / scale).ravel() for changed in trees]))
        targets.append(((evidence.answers[quantity] - belief.prediction(quantity)) / scale).ravel())
    A, b = np.concatenate(rows), np.concatenate(targets)
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return None
    _, sigma, V = singular_values(np.asarray(np.linalg.qr(A, mode="r")), full=True)
    rank = int((sigma > RANK * sigma.max(initial=0.0)).sum())
    x: Floats = np.linalg.lstsq(A, b, rcond=RANK)[0].astype(float)
    if rank == 0 or np.linalg.norm(b - A @ x) > LEFT * np.linalg.norm(b):
        return None
    body = _inertia(_as_a_body(x, V[rank:]))
    return FittedBody(_in_metres(body), rank == len(x)) if is_of_a_body(body) else None


def _as_a_body(x: Floats, hidden: Floats) -> Floats:
    """The ten numbers moved along the directions (k, 10) that do not show, to where they are those of a body, if they can be.

    That is where the pseudo-inertia has no moment below a small floor: the squares of what is missing are minimised, which
    is a convex problem.
    """
    if not len(hidden) or is_of_a_body(_inertia(x)):
        return x
    from scipy.optimize import minimize  # here: it takes long to import

    floor = FLOOR * max(1e-6, float(np.abs(x).max()))

    def missing(z: Floats) -> tuple[float, Floats]:
        moments, axes = np.linalg.eigh(_pseudo_inertia(_inertia(x + z @ hidden)))
        short = np.minimum(moments - floor, 0.0)
        return float(short @ short), 2.0 * hidden @ _of_ten((axes * short) @ axes.T)

    z = minimize(missing, np.zeros(len(hidden)), jac=True, method="BFGS", options={"maxiter": ROUNDS, "gtol": 1e-14}).x
    moved: Floats = x + z @ hidden
    return moved


def _of_ten(P: Floats) -> Floats:
    """Derivative by each of the ten numbers of the sum of a pseudo-inertia's entries, each times that of P (4, 4)."""
    units = [_pseudo_inertia(_inertia(row)) for row in np.eye(10)]
    return np.array([np.sum(P * unit) for unit in units])


def _inertia(x: Floats) -> RigidInertia:
    """The inertia of ten numbers: mass, first moment, rotational inertia (xx, xy, xz, yy, yz, zz) about the origin."""
    I = np.zeros((3, 3))
    for (i, j), entry in zip(SIX, x[4:], strict=True):
        I[i, j] = I[j, i] = entry
    return RigidInertia(float(x[0]), x[1:4].copy(), I)


def _in_metres(inertia: RigidInertia) -> RigidInertia:
    """The inertia in SI, of one whose unit of length is `LENGTH`."""
    return RigidInertia(inertia.mass, LENGTH * inertia.mc, LENGTH**2 * inertia.I)


def _units() -> list[RigidInertia]:
    """Inertias (SI) of which each of the ten numbers is one unit."""
    return [_in_metres(_inertia(row)) for row in np.eye(10)]


def _add_to_link(name: str, inertia: RigidInertia) -> TreeEdit:
    """The edit of a tree that puts an inertia on a link."""

    return edit_links(lambda link: replace(link, inertia=link.inertia + inertia), [name])
