"""Several parameters off at once: pairs, those that belong together, and all numbers by a little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck.judge import attribution
from leapcheck.judge.belief import Belief
from leapcheck.judge.evidence import evidence
from leapcheck.sampling import generated_states
from leapcheck_models.spec import Inertia, RobotSpec
from tests.harness.judge import planted_faults as faults
from tests.harness.judge import planted_parameters as p

FLOATING = "random:30"  # one base, 10 dof, a rotor
FIXED = "random:29"  # two roots, 3 dof, a rotor, tilted gravity
M, H = ("mass_matrix",), ("bias_force",)


@pytest.mark.parametrize("quantities", [M + H, M, ("forward_dynamics",)])
@pytest.mark.parametrize(("size", "second"), [(1e-2, 1e-2), (1e-2, 1e-6), (1e-4, 1e-4)])
def test_a_pair_is_named(quantities: tuple[str, ...], size: float, second: float) -> None:
    """Also where one fault is ten thousand times smaller than the other."""
    spec, rng = p.robot(FLOATING), np.random.default_rng(2)
    one, held = p.planted(spec, rng, size, p.DYNAMIC)
    two, held = p.planted(held, rng, second, p.DYNAMIC)
    belief = p.believed(spec, held, quantities)
    assert attribution.singles(belief) == []
    pairs = attribution.pairs(belief)
    assert {one, two} in [{first.name, then.name} for first, then in pairs], (one, two)
    assert all(belief.plus(first).plus(then).explains(quantities[0]) for first, then in pairs)


def test_two_large_faults_are_named() -> None:
    """So large that only the better one of the two leads to the other: a rotor turned by half a rad, a com 5 cm off."""
    spec, rng = p.robot(FLOATING), np.random.default_rng(4)
    one, held = p.planted(spec, rng, 0.5, ("axis", "com", "turn"))
    two, held = p.planted(held, rng, 0.5, ("axis", "com", "turn"))
    assert (one, two) == ("turn-y/rotor_4", "com-y/link_1")
    pairs = attribution.pairs(p.believed(spec, held, M))
    assert {one, two} in [{first.name, then.name} for first, then in pairs]


@pytest.mark.parametrize("second", [1e-2, 1e-5])
def test_a_body_and_a_parameter_are_named(second: float) -> None:
    """All ten numbers of a link off, and a number of another one."""
    spec = p.robot(FLOATING)
    one, two = (next(body for body in spec.bodies if body.name == name) for name in ("link_1", "link_3"))
    moved = replace(two.inertia, com=(two.inertia.com[0] + second * p.LENGTH, *two.inertia.com[1:]), **p.UNREAL)
    held = p.with_body(p.with_body(spec, one, replace(one, inertia=all_numbers(one.inertia))), two, replace(two, inertia=moved))
    belief = p.believed(spec, held, M + H)
    assert attribution.blocks(belief) == []
    found = attribution.mixed_pairs(belief)
    assert ("body/link_1", "com-x/link_3") in [(block.name, single.name) for block, single in found]
    assert all(belief.plus(block).plus(single).explains(quantity) for block, single in found for quantity in M + H)


def with_com(inertia: Inertia) -> Inertia:
    x, y, z = inertia.com
    return replace(inertia, com=(x + 1e-3, y - 2e-3, z + 5e-4), **p.UNREAL)


def with_entries(inertia: Inertia) -> Inertia:
    xx, xy, xz, yy, yz, zz = inertia.rotational
    return replace(inertia, rotational=(xx + 1e-5, xy - 2e-5, xz, yy + 3e-5, yz + 1e-6, zz), **p.UNREAL)


def all_numbers(inertia: Inertia) -> Inertia:
    return replace(with_entries(with_com(inertia)), mass=1.1 * inertia.mass)


def with_point(spec: RobotSpec) -> faults.Planted:
    first, *others = spec.contact_points
    x, y, z = first.position
    return faults.Planted(replace(spec, contact_points=(replace(first, position=(x + 0.01, y + 0.02, z - 0.2)), *others)))


BLOCKS = [
    # name, words (each part between the bars), fault, quantities
    ("com/link_4", "link link_4: its com is at", faults.with_inertia(with_com, "link_4"), M + H),
    ("inertia/link_4", "Ixx +1e-05, Ixy -2e-05, Iyy +3e-05, Iyz +1e-06", faults.with_inertia(with_entries, "link_4"), M + H),
    ("body/link_4", "its mass is|its com is|rotational inertia about", faults.with_inertia(all_numbers, "link_4"), M + H),
    ("turned-inertia/link_3", "link link_3|inertial rpy", faults.with_inertia(faults.turned(0.7), "link_3"), M),
    ("turned-inertia/link_3", "link link_3|inertial rpy", faults.with_inertia(faults.turned(2.5), "link_3"), ("kinetic_energy",)),
    ("left-out/link_2", "link link_2 is left out", faults.with_inertia(lambda _: Inertia(0.0), "link_2"), M + H),
    ("scaled/link_2", "multiplied by 1.7", faults.with_inertia(lambda i: faults.scaled(i, 1.7, 1.0), "link_2"), H),
    ("scaled/all", "all masses|multiplied by 1000: g for kg", faults.in_units(1e3, 1.0), M + H),
    ("place/joint_4", "joint joint_4 is at", faults.with_bodies(faults.shifted, "link_4"), ("contact_jacobians",)),
    ("place/joint_4", "joint joint_4 is at", faults.with_bodies(faults.shifted, "link_4"), M + H),
    ("axis/joint_4", "joint_4 has the axis", faults.with_bodies(faults.with_reversed_axis, "link_4"), M + H),
    ("gravity/direction", "gravity is (1, -9, 2) instead of", faults.with_gravity(1.0, -9.0, 2.0), H),
    ("gravity/size", "gravity is 9.8 instead of 9.81", faults.with_gravity(0.0, 0.0, -9.8), H),
    ("armature/several", "armature is counted twice|joint_1", faults.with_armature(2.0), M),
    ("point/point_0", "contact point point_0 is at", with_point, ("contact_positions", "contact_velocities")),
]


@pytest.mark.parametrize(("name", "words", "fault", "quantities"), BLOCKS)
def test_parameters_that_belong_together_are_named(
    name: str, words: str, fault: faults.Fault, quantities: tuple[str, ...]
) -> None:
    spec = p.robot(FLOATING)
    at = evidence(spec, fault(spec), generated_states(spec, p.COUNT, 3, 0), quantities)
    found = {hypothesis.name: hypothesis for hypothesis in attribution.blocks(Belief(at))}
    assert name in found
    assert all(part in found[name].words for part in words.split("|")), found[name].words
    assert all(Belief(at, (found[name],)).explains(quantity) for quantity in quantities)


def test_what_answers_do_not_tell_is_said() -> None:
    """Of the ten numbers of a link the weight shows no more than its first moments."""
    spec = p.robot(FIXED)
    fault = faults.with_inertia(all_numbers, "link_2")(spec)
    at = evidence(spec, fault, generated_states(spec, p.COUNT, 3, 0), ("gravity_force",))
    (body,) = [h for h in attribution.blocks(Belief(at)) if h.name == "body/link_2"]
    assert "these answers determine 3 of 10 combinations of these numbers" in body.words


@pytest.mark.parametrize(("name", "quantities"), [(FIXED, H), (FLOATING, M + H)])
def test_lost_digits_of_all_numbers_are_recognised(name: str, quantities: tuple[str, ...]) -> None:
    spec = p.robot(name)
    fault = faults.with_bodies(faults.six_digits)(spec)
    at = evidence(spec, fault, generated_states(spec, 48, 3, 0), quantities)
    found = attribution.everything(Belief(at))
    assert found is not None
    assert found.words == "all numbers of the model are off a little"
    assert all(Belief(at, (found,)).explains(quantity) for quantity in quantities)
