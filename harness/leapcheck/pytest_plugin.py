"""pytest plugin: the fixture `leapcheck_compare` holds a user's dynamics against the other engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from leapcheck.compare.records import Run

Compare = Callable[..., "Run"]


@pytest.fixture
def leapcheck_compare() -> Compare:
    """A function that fails the test where an engine of the user's disagrees.

    `leapcheck_compare(engine, robot="mini_cheetah", *, against=("reference",), states=256, seed=0, quantities=())`:
    `engine` is "module:factory" or an object with functions such as `mass_matrix(q)` (see `leapcheck.engines.user`);
    returns the run's record where all agree.

        def test_my_dynamics(leapcheck_compare):
            leapcheck_compare(MyDynamics(), "mini_cheetah", states=200)
    """
    return compare


def compare(
    engine: Any,
    robot: str = "mini_cheetah",
    *,
    against: Sequence[str] = ("reference",),
    states: int = 256,
    seed: int = 0,
    quantities: Sequence[str] = (),
) -> Run:
    """The run of one engine of the user's against others; pytest.fail with a readable text where they disagree."""
    from leapcheck.compare.run import Plan, compared
    from leapcheck.engines.errors import EngineError
    from leapcheck.engines.outside.load import load_engine
    from leapcheck.engines.user import user_engine
    from leapcheck.quantities import QUANTITIES
    from leapcheck_models.robots import load

    spec = load(robot)
    try:
        own = load_engine(engine, spec) if isinstance(engine, str) else user_engine(engine, spec)
    except (EngineError, ValueError, OSError) as error:
        pytest.fail(str(error), pytrace=False)
    if missing := [name for name in quantities if name in QUANTITIES and name not in own.quantities]:
        pytest.fail(f"engine '{own.name}' cannot answer {missing[0]}: give it that function, or do not ask for it", pytrace=False)
    asked = tuple(quantities) or tuple(name for name in QUANTITIES if name in own.quantities)
    recorded = getattr(own, "states", None)  # a recording is compared at its own
    run = compared(Plan(robot, spec, (*against, own), asked, states, seed, states=recorded))
    if run.exit_status:
        pytest.fail(failure_text(run), pytrace=False)
    return run


def failure_text(run: Run) -> str:
    """What disagreed, why, and where: a few lines per discrepancy."""
    lines = [run.verdict]
    lines += [f"  {failure.message}" for failure in run.failures]
    for found in run.discrepancies:
        pair = {found.engine, found.against}
        row = next(r for r in run.comparisons if r.quantity == found.quantity and {r.engine, r.against} == pair)
        lines.append(f"  {found.quantity}: {found.cause_class}: {found.cause}")
        lines.append(f"    {found.evidence}")
        lines.append(f"    {found.who_is_wrong}")
        units = f"{row.rounding:.3g} times the rounding to expect"
        lines.append(f"    error {row.error:.3g} of {row.scale}, {row.absolute:.3g} {row.unit}; {units}")
        if row.worst is not None:
            lines.append(f"    worst: state {row.worst.index} ({row.worst.kind}), entry [{row.worst.entry}]")
            lines.append(f"    q = {list(row.worst.q)}")
            lines.append(f"    v = {list(row.worst.v)}")
    return "\n".join(lines)
