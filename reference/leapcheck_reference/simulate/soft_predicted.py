"""MuJoCo's soft contact where no contact slides: the acceleration follows from linear equations, traced."""

from __future__ import annotations

import math

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.factorization import factorization, solution
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.simulate.coordinates import displace, displacement_rate
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.predicted import CONDITIONS, Inputs, Points, motion, of_all_points, others
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.soft_rows import Weights, halfway_jacobians, traced_impedance


def can_be_predicted(contact: SoftContact, plant: Plant) -> bool:
    """Whether the contact's formulas can be traced: elliptic cones, an impedance of a whole power, level ground."""
    return contact.cone == "elliptic" and contact.solimp[4].is_integer() and plant.terrain.is_level


def predicted_stage(contact: SoftContact, weights: Weights, plant: Plant, points: Points, inputs: Inputs) -> dict[str, Array]:
    """`soft.response` where `points` touch and stick and nothing else touches, over any scalar.

    "moved" (2 nv,) is the displacement from "q", and u; "gains" are (K, B) of `soft_rows.gains`. "rates" (2 nv + 3 points,) are
    the rate of the displacement, udot, and the forces N on all points, world axes.
    """
    displacement, u = np.split(inputs["moved"], 2)
    q = displace(plant.free_base, inputs["q"], displacement)
    moving, chosen, (K, B) = motion(plant, q, u), list(points), inputs["gains"]
    M, smooth = moving.equations.M, inputs["force"] - moving.equations.h
    depths = -moving.gaps[chosen]
    halfway = (as_objects(plant.radii)[chosen] - 0.5 * depths)[:, None]
    J = halfway_jacobians(moving.equations.J[chosen], moving.equations.J_w[chosen], halfway)
    aref: Array = -B * (J @ u)
    stiffness = np.empty_like(aref)
    for i, point in enumerate(points):
        d = traced_impedance(contact.solimp, depths[i])
        aref[i, 0] += K * d * depths[i]
        stiffness[i, 0] = d / ((1.0 - d) * float(weights.points[point]))
        stiffness[i, 1:] = contact.impratio * stiffness[i, 0]
    J, aref = J.reshape(-1, len(u)), aref.ravel()
    weighted = stiffness.reshape(-1, 1) * J
    factors = factorization(M + J.T @ weighted, moving.parent)
    udot = solution(factors, smooth + weighted.T @ aref)
    udot = udot + solution(factors, smooth - M @ udot - weighted.T @ (J @ udot - aref))  # takes the first one's rounding away
    missed = (J @ udot - aref).reshape(-1, 3)
    local = -stiffness * missed
    conditions = [*depths, *moving.gaps[others(moving, points)], *moving.rooms, *_sticking(contact, missed)]
    rate, forces = displacement_rate(plant.free_base, displacement, u), local[:, [2, 1, 0]] * (-1.0, 1.0, 1.0)
    rates = np.concatenate([rate, udot, of_all_points(plant, points, forces).ravel()])
    return {"rates": rates, CONDITIONS: np.array(conditions, dtype=object)}


def _sticking(contact: SoftContact, missed: Array) -> list[Array]:
    """Positive where contacts with j = J udot - aref (n, 3) are inside the dual cone: mu' j0 + friction |j_t| / mu' < 0."""
    regularised = contact.friction * math.sqrt(1.0 / contact.impratio)
    pressed = -(regularised * regularised) * missed[:, 0]
    sideways = missed[:, 1] * missed[:, 1] + missed[:, 2] * missed[:, 2]
    return [*pressed, *(pressed * pressed - contact.friction**2 * sideways)]
