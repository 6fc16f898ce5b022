"""What a soft contact is made of: MuJoCo's parameters of contacts, joint limits and joint friction, in one record."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

Cone = Literal["elliptic", "pyramidal"]
Solref = tuple[float, float]
Solimp = tuple[float, float, float, float, float]

SMALLEST_FRICTION = 1e-5
"""MuJoCo raises smaller friction coefficients to this (mjMINMU)."""

SOLREF: Solref = (0.02, 1.0)
SOLIMP: Solimp = (0.9, 0.95, 0.001, 0.5, 2.0)


@dataclass(frozen=True, slots=True)
class SoftContact:
    """Parameters of MuJoCo's constraints; its defaults, but for the cone, which is the smooth one.

    `friction` is the coefficient of Coulomb friction. A `solref` is (time constant s, damping ratio), or with a negative first
    number the direct format (-stiffness, -damping); a `solimp` is (d0, d_width, width m or rad, midpoint, power). `impratio` is
    the ratio of frictional to normal impedance. `*limit` are those of joint stops, `*friction` of dry friction in joints.
    ValueError names the first parameter that is out of range.
    """

    friction: float = 1.0
    solref: Solref = SOLREF
    solimp: Solimp = SOLIMP
    impratio: float = 1.0
    cone: Cone = "elliptic"
    solreflimit: Solref = SOLREF
    solimplimit: Solimp = SOLIMP
    solreffriction: Solref = SOLREF
    solimpfriction: Solimp = SOLIMP

    def __post_init__(self) -> None:
        if not SMALLEST_FRICTION <= self.friction < math.inf:
            raise ValueError(f"contact friction {self.friction}: give a finite coefficient of at least {SMALLEST_FRICTION:g}")
        if not 0.0 < self.impratio < math.inf:
            raise ValueError(f"contact impratio {self.impratio}: give a finite positive number")
        if self.cone not in get_args(Cone):
            raise ValueError(f"contact cone {self.cone!r}: use one of {', '.join(get_args(Cone))}")
        for name in ("solref", "solreflimit", "solreffriction"):
            _check_solref(name, getattr(self, name))
        for name in ("solimp", "solimplimit", "solimpfriction"):
            _check_solimp(name, getattr(self, name))


def _check_solref(name: str, solref: Solref) -> None:
    if len(solref) != 2 or not all(map(math.isfinite, solref)):
        raise ValueError(f"contact {name} {solref}: give two finite numbers")
    standard, direct = min(solref) > 0.0, solref[0] < 0.0 and solref[1] <= 0.0
    if not standard and not direct:
        raise ValueError(f"contact {name} {solref}: give (time constant, damping ratio) > 0, or (-stiffness, -damping) < 0")


def _check_solimp(name: str, solimp: Solimp) -> None:
    if len(solimp) != 5 or not all(map(math.isfinite, solimp)):
        raise ValueError(f"contact {name} {solimp}: give five finite numbers")
    d0, d_width, width, midpoint, power = solimp
    if not (0.0 < d0 < 1.0 and 0.0 < d_width < 1.0 and width > 0.0 and 0.0 < midpoint < 1.0 and power >= 1.0):
        raise ValueError(f"contact {name} {solimp}: give d0, d_width and midpoint between 0 and 1, width > 0, power >= 1")
