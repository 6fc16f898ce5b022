"""Any set of wrong inertial numbers is found by one regression, and no number is listed that is not wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge import attribution
from leapcheck.judge.attribution.sets import sparse_solution
from leapcheck.judge.belief import Belief
from leapcheck.judge.evidence import evidence
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import Body, RobotSpec
from leapcheck_models.validation import is_realisable
from tests.harness.judge.planted_parameters import UNREAL

QUANTITIES = ("mass_matrix", "bias_force", "potential_energy")
ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
LINKS = [f"{leg}_{part}" for leg in ("FR", "FL", "HR", "HL") for part in ("abad", "hip", "knee")]

Edit = Callable[[Body], Body]


def mass(factor: float) -> Edit:
    return lambda body: replace(body, inertia=replace(body.inertia, mass=factor * body.inertia.mass))


def com(k: int, shift: float) -> Edit:
    def edit(body: Body) -> Body:
        place = list(body.inertia.com)
        place[k] += shift
        return replace(body, inertia=replace(body.inertia, com=tuple(place)))

    return edit


def entry(k: int, amount: float) -> Edit:
    def edit(body: Body) -> Body:
        entries = list(body.inertia.rotational)
        entries[k] += amount
        own = {"realisable": True, "nearest": None} if is_realisable(tuple(entries)) else UNREAL
        return replace(body, inertia=replace(body.inertia, rotational=tuple(entries), **own))

    return edit


def drawn(count: int, seed: int) -> dict[str, tuple[str, Edit]]:
    """So many different numbers of different sizes, by their names: the links and what is done to them."""
    rng = np.random.default_rng(seed)
    numbers: dict[str, tuple[str, Edit]] = {}
    while len(numbers) < count:
        link, size = str(rng.choice(LINKS)), float(rng.choice([3e-2, 1e-2, 1e-4]))
        match rng.integers(3):
            case 0:
                numbers[f"mass/{link}"] = link, mass(1.0 + size)
            case 1:
                k = int(rng.integers(3))
                numbers[f"com-{'xyz'[k]}/{link}"] = link, com(k, 0.1 * size)
            case _:
                k = int(rng.integers(6))
                numbers[f"inertia-{ENTRIES[k]}/{link}"] = link, entry(k, 1e-3 * size)
    return numbers


def changed(spec: RobotSpec, edits: dict[str, list[Edit]]) -> RobotSpec:
    def edited(body: Body) -> Body:
        for edit in edits.get(body.name, ()):
            body = edit(body)
        return body

    return replace(spec, bodies=tuple(edited(body) for body in spec.bodies))


def belief_in(spec: RobotSpec, edits: dict[str, list[Edit]]) -> Belief:
    states = generated_states(spec, 24, 3, 0)
    return Belief(evidence(spec, ReferenceEngine(changed(spec, edits)), states, QUANTITIES))


@pytest.mark.parametrize("count", range(3, 9))
def test_a_set_of_wrong_numbers_is_found(count: int) -> None:
    numbers = drawn(count, count)
    edits: dict[str, list[Edit]] = {}
    for link, edit in numbers.values():
        edits.setdefault(link, []).append(edit)
    belief = belief_in(load("mini_cheetah"), edits)
    (found,) = attribution.sets(belief)
    assert sum(len(h.details.split(": ")[0].split(", ")) for h in found) == count
    said = ", ".join(h.details for h in found)
    assert all(f"{name} " in said for name in numbers), said
    assert all(belief.plus(*found).explains(quantity) for quantity in QUANTITIES)


def test_the_same_faults_in_every_leg_are_put_together() -> None:
    thighs, shanks = ([f"{leg}_{part}" for leg in ("FR", "FL", "HR", "HL")] for part in ("hip", "knee"))
    edits = {link: [mass(1.05)] for link in thighs} | {link: [com(0, 0.002)] for link in shanks}
    (found,) = attribution.sets(belief_in(load("mini_cheetah"), edits))
    assert {h.name for h in found} == {f"mass/{'+'.join(thighs)}", f"com-x/{'+'.join(shanks)}"}


def test_what_no_inertias_explain_has_no_set() -> None:
    spec = load("mini_cheetah")
    other = replace(spec, gravity=(0.0, 0.3, -9.7))
    found = evidence(spec, ReferenceEngine(other), generated_states(spec, 24, 3, 0), ("mass_matrix", "bias_force"))
    assert attribution.sets(Belief(found)) == []


def test_the_sparsest_solution_is_taken() -> None:
    rng = np.random.default_rng(5)
    columns = 1e9 * rng.normal(size=(60, 40)) @ rng.normal(size=(40, 200))  # of rank 40
    x = np.zeros(60)
    x[[3, 20, 41]] = 1.0, -2e-3, 0.5
    found = sparse_solution(columns, x @ columns, np.ones(60))
    assert found is not None
    assert np.allclose(found, x, rtol=1e-6, atol=1e-9)
    assert sparse_solution(columns, x @ columns + 1e9 * rng.normal(size=200), np.ones(60)) is None


@pytest.mark.parametrize("columns", [np.zeros((0, 12)), np.zeros((3, 12))])
def test_no_number_that_shows_gives_no_solution(columns: np.ndarray) -> None:
    assert sparse_solution(columns, np.ones(12), np.ones(len(columns))) is None
