"""What becomes of answers in other velocity coordinates u = T v."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck.conventions import product, transposed
from leapcheck.judge.belief import View
from leapcheck.judge.coordinates import DOF_AXES
from leapcheck.states import Floats


class VelocityMap(NamedTuple):
    """u = T v: `T` and its `inverse` (n, nv, nv) or (nv, nv), and `drift` = T^-1 Tdot v (n, nv), None where T is constant."""

    T: Floats
    inverse: Floats
    drift: Floats | None = None


def own(view: View, quantity: str, values: Floats, u: VelocityMap) -> Floats:
    """The value in the coordinates u behind a canonical one.

    M_u = T^-T M T^-1, f_u = T^-T f, h_u = T^-T h - M_u Tdot v, udot = T vdot + Tdot v, J_u = J T^-1,
    (Jdot u)_u = Jdot v - J_u Tdot v.
    """
    if quantity not in (*DOF_AXES, "contact_bias_accelerations"):
        return values
    values = values if u.drift is None else with_drift(view, quantity, values, -u.drift)
    back = transposed(u.inverse)
    match quantity:
        case "mass_matrix" | "qM" | "csr":
            return np.asarray(back @ values @ u.inverse)
        case "forward_dynamics":
            return product(u.T, values)
        case "contact_jacobians":
            return np.asarray(values @ (u.inverse if u.inverse.ndim == 2 else u.inverse[:, None]))
        case "cdof":
            return np.asarray(back @ values)
        case "contact_bias_accelerations":
            return values
    return product(back, values)


def with_drift(view: View, quantity: str, values: Floats, drift: Floats) -> Floats:
    """Canonical values with a drift T^-1 Tdot v (n, nv) counted once more: h + M drift, vdot - drift, Jdot v + J drift."""
    match quantity:
        case "bias_force" | "coriolis_force":
            return values + product(view.value("mass_matrix"), drift)
        case "forward_dynamics":
            return values - drift
        case "contact_bias_accelerations":
            return values + product(view.value("contact_jacobians"), drift[:, None, :])
    return values
