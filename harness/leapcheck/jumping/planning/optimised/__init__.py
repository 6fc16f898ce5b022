"""Jumps planned by trajectory optimisation: the whole body over phases, with CasADi and Ipopt."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leapcheck.jumping.planning.records import JumpPlan


def optimised_planner() -> Callable[..., JumpPlan]:
    """`plan.optimised_jump`; ImportError says what to install where CasADi is missing."""
    if find_spec("casadi") is None:
        raise ImportError("--planner optimised: the package 'casadi' is missing: pip install 'leapcheck[plan]'")
    from leapcheck.jumping.planning.optimised.plan import optimised_jump

    return optimised_jump
