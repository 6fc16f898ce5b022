"""The model checker: rules over a spec that `validation` lets pass but that are likely, or certain, to be mistakes.

A finding says which rule, how severe, where, what is the matter and what to do about it. "error": no robot is like this, or
an engine refuses it; "warning": probably a mistake; "note": worth knowing. A robot that is in order gets one note, its mass.
"""

from collections.abc import Callable, Iterator

from leapcheck_models.lint.finding import Finding, Severity
from leapcheck_models.lint.masses import com_place, massless_links, realisability, tiny_inertia, total_mass
from leapcheck_models.lint.mirror import mirror_symmetry
from leapcheck_models.lint.structure import actuators, feet, gears, gravity, limits, names, order
from leapcheck_models.spec import RobotSpec

__all__ = ["RULES", "Finding", "Rule", "Severity", "lint"]

Rule = Callable[[RobotSpec], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    realisability,
    mirror_symmetry,
    total_mass,
    tiny_inertia,
    massless_links,
    com_place,
    gears,
    actuators,
    limits,
    names,
    order,
    feet,
    gravity,
)


def lint(spec: RobotSpec) -> tuple[Finding, ...]:
    """Findings of every rule, in the order of `RULES` and of the spec."""
    return tuple(finding for rule in RULES for finding in rule(spec))
