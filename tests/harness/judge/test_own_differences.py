"""Derivatives against differences of the engine's own functions: a law of any robot, looked at where it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import leapcheck as lc
import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.identities import identities
from leapcheck.judge.identities.own_differences import DIFFERENTIATED
from leapcheck.pytest_support.request import comparison_request
from leapcheck.quantities import QuantityGroup, names_of_group
from leapcheck.records import OWN_DIFFERENCES, Identity
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

SPEC = load("random:25")  # a free base and a hinge
BASE = SPEC.bodies[0]
OTHER = replace(BASE, inertia=replace(BASE.inertia, mass=1.5 * BASE.inertia.mass))
TREE = reference.build(replace(SPEC, bodies=(OTHER, *SPEC.bodies[1:])))
"""Another robot than that of the record."""

NAMES = names_of_group(QuantityGroup.DERIVATIVES)
FUNCTIONS = tuple(dict.fromkeys(name for row in DIFFERENTIATED for name in row.quantities))

OFF = 1e-6
"""Relative; measured: what is right is off by 3e-12 at most, 9e-9 are allowed."""


def functions() -> dict[str, Callable[..., Any]]:
    return {name: lambda *state, name=name: getattr(reference, name)(TREE, *state) for name in (*NAMES, *FUNCTIONS)}


def own_laws(own: dict[str, Callable[..., Any]], *, asked: bool = True) -> list[Identity]:
    engine_set = make_engine_set(SPEC, [user_engine(own, SPEC, "own")], (*NAMES, *FUNCTIONS), False)
    found = identities(engine_set, generated_states(SPEC, 8, 1, 0), with_own_differences=asked)
    assert not found.failures
    return [law for law in found.identities if OWN_DIFFERENCES in law.law]


def test_every_derivative_has_its_function() -> None:
    assert tuple(row.derivative for row in DIFFERENTIATED) == NAMES


def test_another_robot_s_own_derivatives_obey() -> None:
    laws = own_laws(functions())
    assert len(laws) == len(NAMES)
    assert all(law.holds for law in laws)


@pytest.mark.parametrize("name", NAMES)
def test_one_that_is_off_does_not(name: str) -> None:
    own = functions()
    right = own[name]
    own[name] = lambda *state: (1.0 + OFF) * right(*state)
    assert [name in law.quantities for law in own_laws(own) if not law.holds] == [True]


def test_nobody_pays_for_it_unasked() -> None:
    assert own_laws(functions(), asked=False) == []


def test_a_derivative_without_its_function_is_not_looked_at() -> None:
    own = functions()
    del own["forward_dynamics"]
    assert not any("forward dynamics" in law.law for law in own_laws(own))


def test_a_function_that_is_no_integral_of_the_right_derivative_is_told() -> None:
    """Damping in inverse dynamics, which is not compared: its derivative by v is the record's, and not its own."""
    tree = reference.build(SPEC)
    own = {
        "inverse_dynamics": lambda q, v, vdot: reference.inverse_dynamics(tree, q, v, vdot) + 0.1 * v,
        "inverse_dynamics_derivative_v": lambda q, v: reference.inverse_dynamics_derivative_v(tree, q, v),
    }
    quantities = ("inverse_dynamics_derivative_v",)
    lc.assert_agrees(own, SPEC, states=8, quantities=quantities)
    with pytest.raises(AssertionError, match="contradicts itself in inverse dynamics"):
        lc.assert_agrees(own, SPEC, states=8, quantities=quantities, own_differences=True)


def test_tests_may_ask_for_it() -> None:
    """A request of a test's marker that differs in it alone is another comparison."""
    requests = [comparison_request("module:factory", own_differences=asked) for asked in (False, True)]
    assert requests[0].key != requests[1].key


def test_a_comparison_says_it_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    quantities = ("inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v")
    run = lc.compare(SPEC, functions(), engines="reference", states=8, quantities=quantities, own_differences=True)
    assert run.exit_status == 1  # another robot
    print(run)
    assert "own functions: reference 2 of 2" in " ".join(capsys.readouterr().out.split())
    assert "own_differences=True" in run.record.provenance.command
