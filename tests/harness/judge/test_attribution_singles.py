"""Single parameters planted one by one: the attribution names each, or the class of those that the answers do not tell apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge import attribution
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.evidence import evidence
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from tests.harness.judge import planted_parameters as p

CHEETAH = "mini_cheetah"
FLOATING = "random:30"  # one base, 10 dof, a rotor
FIXED = "random:29"  # two roots, 3 dof, a rotor, tilted gravity
RIGID = "random:20"  # a base, a ball joint, links rigid with others

M, H = ("mass_matrix",), ("bias_force",)
POINTS = ("contact_positions", "contact_jacobians")
ALL = (
    *("mass_matrix", "bias_force", "gravity_force", "coriolis_force", "forward_dynamics", "contact_inertia"),
    *("contact_positions", "contact_velocities", "contact_jacobians", "contact_bias_accelerations"),
    *("kinetic_energy", "potential_energy"),
)
DRAWS = 3
SHOWS = 1e-9
"""Scale-free error from which on a planted parameter must be named."""

CASES = [
    *((name, quantities, size) for name in (FLOATING, RIGID) for quantities in (M, H, M + H) for size in (1e-2, 1e-4, 1e-6)),
    *((FIXED, quantities, size) for quantities in (H, POINTS, ("forward_dynamics",)) for size in (0.5, 1e-6)),
    *((FLOATING, (quantity,), 1e-2) for quantity in ("kinetic_energy", "potential_energy", "contact_inertia", "crb", "cdof")),
    *((FLOATING, quantities, 0.5) for quantities in (ALL, POINTS, ("forward_dynamics",))),
    (CHEETAH, M + H, 1e-6),
]


@pytest.mark.parametrize(("name", "quantities", "size"), CASES)
def test_a_planted_parameter_is_named(name: str, quantities: tuple[str, ...], size: float) -> None:
    spec, rng = p.robot(name), np.random.default_rng(int(-np.log10(size)))
    for _ in range(DRAWS):
        planted, held = p.planted(spec, rng, size)
        belief = p.believed(spec, held, quantities)
        if max(map(belief.evidence.worst_error, quantities)) > SHOWS:
            found = attribution.singles(belief)
            assert planted in [hypothesis.name for hypothesis in found], planted
            assert all(belief.plus(h).explains(quantity) for h in found for quantity in quantities), planted


def test_the_amounts_are_told() -> None:
    spec = p.robot(CHEETAH)
    hip = next(body for body in spec.bodies if body.name == "FR_hip")
    heavier = p.with_body(spec, hip, replace(hip, inertia=replace(hip.inertia, mass=0.8242)))
    (found,) = attribution.singles(p.believed(spec, heavier, M + H))
    assert found.words == "link FR_hip: its mass is 0.8242 instead of 0.634 kg (+0.1902 kg)"
    assert found.details == "mass/FR_hip +0.1902 kg: explains more than 99.99 % of the difference"
    rotational = (*hip.inertia.rotational[:1], 0.0, *hip.inertia.rotational[2:])
    symmetric = p.with_body(spec, hip, replace(hip, inertia=replace(hip.inertia, rotational=rotational, **p.UNREAL)))
    (found,) = attribution.singles(p.believed(spec, symmetric, M + H))
    assert found.words == "link FR_hip: Ixy about its com is +0.000245 kg m^2 off: 0 instead of -0.000245"


def test_the_square_of_a_rotors_com_may_outweigh_the_com() -> None:
    """Geared, a rotor turns so fast that the first step from where its com should be points nowhere."""
    spec = p.robot(CHEETAH)
    abad = next(body for body in spec.bodies if body.name == "FR_abad")
    assert abad.rotor is not None
    rotor = replace(abad.rotor, inertia=replace(abad.rotor.inertia, com=(0.0, 0.05, 0.0), **p.UNREAL))
    found = attribution.singles(p.believed(spec, p.with_body(spec, abad, replace(abad, rotor=rotor)), M))
    assert "com-y/FR_abad_rotor" in [hypothesis.name for hypothesis in found]


def test_what_cannot_be_told_apart_is_one_class() -> None:
    """The weight alone: a com, the place of a joint, a rotor's com; all along y of one leg."""
    spec = p.robot(CHEETAH)
    knee = next(body for body in spec.bodies if body.name == "FR_knee")
    moved = replace(knee, inertia=replace(knee.inertia, com=(0.0, 1e-4, knee.inertia.com[2]), **p.UNREAL))
    weight = attribution.singles(p.believed(spec, p.with_body(spec, knee, moved), ("potential_energy",)))
    names = {hypothesis.name for hypothesis in weight}
    assert {"com-y/FR_knee", "com-y/FR_hip", "place-y/FR_knee_joint", "com-y/FR_knee_rotor"} <= names
    assert "these answers do not distinguish it from" in weight[0].details


def xyzw(_spec: RobotSpec, states: States) -> States:
    q = states.q.copy()
    q[:, 3:7] = q[:, [4, 5, 6, 3]]
    return replace(states, q=q)


def linear_first(_view: AnswerView, quantity: str, values: Floats) -> Floats:
    order = [3, 4, 5, 0, 1, 2, *range(6, values.shape[-1])]
    return values[:, order][:, :, order] if quantity == "mass_matrix" else values[:, order]


def without_tdot(view: AnswerView, quantity: str, values: Floats) -> Floats:
    rate = np.zeros_like(view.read.v)
    rate[:, 3:6] = np.cross(view.read.v[:, :3], view.read.v[:, 3:6])
    return values - np.einsum("nij,nj->ni", view.value("mass_matrix"), rate) if quantity == "bias_force" else values


OTHERS = [
    convention("quaternion/read-xyzw", "read in another order", state_edit=xyzw),
    convention("order/rows", "linear first", answer_edit=linear_first),
    convention("base-velocity/tdot-missing", "the Tdot term is missing", answer_edit=without_tdot),
]


class Both(ReferenceEngine):
    """An engine that holds another robot and has a further fault."""

    def __init__(self, held: RobotSpec, other: Hypothesis) -> None:
        super().__init__(held)
        self._held, self._other = held, other

    def evaluate(self, states: States, quantities: tuple[str, ...]) -> Answers:
        at = Belief(evidence(self._held, ReferenceEngine(self._held), states, quantities), (self._other,))
        return {quantity: at.prediction(quantity) for quantity in quantities}


@pytest.mark.parametrize("other", OTHERS, ids=lambda h: h.name)
def test_a_parameter_is_named_beside_another_fault(other: Hypothesis) -> None:
    spec, rng = p.robot(FLOATING), np.random.default_rng(5)
    for size in (1e-2, 1e-6):
        planted, held = p.planted(spec, rng, size, p.DYNAMIC)
        at = evidence(spec, Both(held, other), generated_states(spec, p.COUNT, 3, 0), M + H)
        assert planted in [h.name for h in attribution.singles(Belief(at).plus(other))], planted
        assert attribution.singles(Belief(at)) == []
        assert planted in [h.name for h in attribution.singles(Belief(at.of_quantities(H)).plus(other))], planted


class Noisy(ReferenceEngine):
    def evaluate(self, states: States, quantities: tuple[str, ...]) -> Answers:
        rng, right = np.random.default_rng(0), super().evaluate(states, quantities)
        return {name: values * (1.0 + 1e-6 * rng.standard_normal(values.shape)) for name, values in right.items()}


class NotFinite(ReferenceEngine):
    def evaluate(self, states: States, quantities: tuple[str, ...]) -> Answers:
        return {name: np.full_like(values, np.nan) for name, values in super().evaluate(states, quantities).items()}


@pytest.mark.parametrize("engine", [ReferenceEngine, Noisy, NotFinite])
@pytest.mark.parametrize("quantities", [M + H, M, ("kinetic_energy",), POINTS])
def test_nothing_is_named_where_no_parameter_is_off(engine: type[ReferenceEngine], quantities: tuple[str, ...]) -> None:
    spec = p.robot(FIXED)
    belief = Belief(evidence(spec, engine(spec), generated_states(spec, p.COUNT, 3, 0), quantities))
    assert attribution.singles(belief) == []
    assert attribution.blocks(belief) == []
    assert attribution.pairs(belief) == []
    assert attribution.everything(belief) is None
