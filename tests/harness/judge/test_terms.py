"""Terms that a programmer forgot, planted in world-frame dynamics that share nothing with the judge, are named in words."""

from __future__ import annotations

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.engines.outside.load import load_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.terms.articulated import ArticulatedForm
from leapcheck.judge.terms.catalogue import Formulation, elements
from leapcheck.judge.terms.changes import Changes
from leapcheck.judge.terms.composite import CompositeForm
from leapcheck.judge.terms.effects import QUANTITIES_OF, effects
from leapcheck.judge.terms.jacobian import JacobianForm
from leapcheck.judge.terms.lagrange import LagrangeForm
from leapcheck.judge.terms.newton_euler import VectorForm
from leapcheck.judge.terms.spatial import SpatialForm
from leapcheck.judge.terms.table import TERMS
from leapcheck.quantities import QUANTITIES
from leapcheck.records import Diagnosis
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.quantities import quantity
from tests.planted import world_frame

CHAIN, FLOATING, FIXED = "tree4_7", "random:30", "random:29"
SHORT = "random:36"  # a base with two links, a rotor, armature
ROBOTS = (CHAIN, FLOATING, FIXED, "random:3", "random:8", "mini_cheetah")
COUNT = 24
SAME = 1e-12


def diagnoses(robot: str, term: str, body: str = "") -> tuple[Diagnosis, ...]:
    """What the judge says of dynamics with one term wrong, of one body or of all."""
    spec = load(robot)
    own = world_frame.WorldFrame(spec, lambda planted, name: planted == term and body in ("", name))
    functions = {name: getattr(own, name) for name in world_frame.QUANTITIES}
    states = generated_states(spec, COUNT, 0, 0)
    return diagnose(spec, load_engine(functions, spec), states, world_frame.QUANTITIES)


def exact(robot: str, name: str) -> Floats:
    spec = load(robot)
    states = generated_states(spec, COUNT, 0, 0)
    return evaluate_batch(
        quantity(name).function, reference.build(spec), *(getattr(states, part) for part in QUANTITIES[name].arguments)
    )


@pytest.mark.parametrize("robot", ROBOTS)
def test_each_form_is_right_where_nothing_is_changed(robot: str) -> None:
    spec = load(robot)
    tree, states = reference.build(spec), generated_states(spec, COUNT, 0, 0)
    forms = {
        Formulation.VECTOR: VectorForm(tree, states.q, states.v, Changes()).answers(QUANTITIES_OF[Formulation.VECTOR]),
        Formulation.SPATIAL: SpatialForm(tree, states.q, states.v, Changes()).answers(QUANTITIES_OF[Formulation.SPATIAL]),
        Formulation.LAGRANGE: LagrangeForm(tree, states.q, states.v, Changes()).answers(
            frozenset({"coriolis_force", "mass_matrix"})
        ),
        Formulation.COMPOSITE: {"mass_matrix": CompositeForm(tree, states.q).mass_matrix()},
        Formulation.JACOBIAN: {"contact_jacobians": JacobianForm(tree, states.q, Changes()).jacobians()},
        Formulation.ARTICULATED: {
            "forward_dynamics": ArticulatedForm(tree, states.q, states.v, states.tau, Changes()).accelerations()
        },
    }
    for form, answers in forms.items():
        assert answers, form
        for name, values in answers.items():
            true = exact(robot, name)
            scale = max(np.abs(true).max(initial=0.0), 1e-3)
            assert np.abs(values - true).max(initial=0.0) <= SAME * scale, (form, name)


@pytest.mark.parametrize("form", Formulation)
def test_each_term_matters(form: Formulation) -> None:
    """A key that the form's text does not know would add nothing: each adds something on one of the robots."""
    terms = [term for term in TERMS if term.form is form]
    idle = {term.key for term in terms}
    for robot in ("mini_cheetah", "random:8", FLOATING, "falling_rod", "tree4_3"):
        spec = load(robot)
        tree, states = reference.build(spec), generated_states(spec, 4, 0, 0)
        changes = [{(term.key, i): 1.0} for term in terms if term.key in idle for i, _ in elements(tree, term)]
        if changes:
            added = effects(tree, form, states, changes, QUANTITIES_OF[form])
            largest = np.max([np.abs(values).reshape(len(changes), -1).max(1, initial=0.0) for values in added.values()], axis=0)
            idle -= {key for change, size in zip(changes, largest, strict=True) if size > 1e-9 for key, _ in change}
    assert not idle - {"armature", "sliding"}


CASES = {
    "gyroscopic": (CHAIN, "", "gyroscopic torque w x I w of every link is missing"),
    "gyroscopic of one": (CHAIN, "link_3", "gyroscopic torque w x I w of link_3 is missing"),
    "gyroscopic sign": (FLOATING, "", "gyroscopic torque w x I w of every link has the opposite sign"),
    "gyroscopic halved": (CHAIN, "link_2", "gyroscopic torque w x I w of link_2 is halved"),
    "velocity product": (CHAIN, "", "velocity product w x S qd of every joint is missing"),
    "velocity product of one": (FLOATING, "link_3", "velocity product w x S qd of link_3 is missing"),
    "velocity product's sign": (CHAIN, "link_3", "velocity product w x S qd of link_3 has the opposite sign"),
    "arm centripetal": (CHAIN, "link_4", "centripetal acceleration w x (w x p) of the place of link_4 is missing"),
    "com centripetal": (CHAIN, "link_4", "centripetal acceleration w x (w x c) of the com of link_4 is missing"),
    "com moment": (CHAIN, "link_4", "moment c x f of link_4 is missing"),
    "carried arm": (CHAIN, "link_3", "moment p x f of the force that link_3 hands to its parent is missing"),
    "w x v": (FLOATING, "", "Coriolis acceleration w x v of link_0 is missing"),
    "Coriolis halved": (FLOATING, "link_2", "Coriolis acceleration w x v of link_2 is halved"),
    "rotor's spin": (FLOATING, "", "the spin of"),
    "rotor's reaction": (FLOATING, "", "reaction of"),
    "couplings halved": (CHAIN, "", "couplings of M are halved"),
    "diagonal doubled": (FLOATING, "", "diagonal of M is doubled"),
    "regularised": (CHAIN, "", "M + 1e-08 on the diagonal: a regularised M"),
    "implicit damping": (FIXED, "", "damping taken implicitly"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_forgotten_term_is_named(case: str) -> None:
    robot, body, words = CASES[case]
    (diagnosis,) = diagnoses(robot, case.removesuffix(" of one"), body)
    assert not diagnosis.unexplained
    assert len(diagnosis.causes) == 1
    told = [causes[0].words for causes in (diagnosis.causes, *diagnosis.alternatives)]
    assert any(words in cause for cause in told), told


@pytest.mark.parametrize(
    "faults",
    [
        {"gyroscopic": "link_3", "com centripetal": "link_4"},
        pytest.param({"velocity product": "link_3", "arm centripetal": "link_2", "couplings halved": ""}, marks=pytest.mark.slow),
    ],
)
def test_terms_forgotten_in_the_same_quantity_are_named(faults: dict[str, str]) -> None:
    spec = load(CHAIN)
    own = world_frame.WorldFrame(spec, lambda planted, name: faults.get(planted) in ("", name))
    functions = {name: getattr(own, name) for name in world_frame.QUANTITIES}
    states = generated_states(spec, COUNT, 0, 0)
    (diagnosis,) = diagnose(spec, load_engine(functions, spec), states, world_frame.QUANTITIES)
    assert not diagnosis.unexplained
    sets = [{cause.name for cause in causes} for causes in (diagnosis.causes, *diagnosis.alternatives)]
    terms = {f"term/{key}:{link}" if link else f"matrix/{key.replace(' ', '-')}" for key, link in faults.items()}
    assert terms in sets, sets


class LinearFirst:
    """Dynamics whose rows and columns have the base's linear part first."""

    def __init__(self, own: world_frame.WorldFrame) -> None:
        self._own, self._order = own, np.r_[3:6, 0:3, 6 : own.spec.nv]

    def mass_matrix(self, q: Floats) -> Floats:
        return self._own.mass_matrix(q)[np.ix_(self._order, self._order)]

    def bias_force(self, q: Floats, v: Floats) -> Floats:
        return self._own.bias_force(q, v)[self._order]

    def gravity_force(self, q: Floats) -> Floats:
        return self._own.gravity_force(q)[self._order]


def test_a_term_is_named_beside_a_convention() -> None:
    """The engine forgets the term in its own coordinates, not in those of the answers."""
    spec = load(SHORT)
    own = LinearFirst(world_frame.WorldFrame(spec, lambda planted, name: planted == "carried arm" and name == "link_2"))
    names = ("mass_matrix", "bias_force", "gravity_force")
    engine = load_engine({name: getattr(own, name) for name in names}, spec)
    (diagnosis,) = diagnose(spec, engine, generated_states(spec, COUNT, 0, 0), names)
    assert not diagnosis.unexplained
    words = "; ".join(cause.words for cause in diagnosis.causes)
    assert "left in the base coordinates [v_WB_B; w_WB_B], linear before angular" in words
    assert "moment p x f of the force that link_2 hands to its parent is missing" in words


@pytest.mark.parametrize("robot", [CHAIN, FLOATING, FIXED])
def test_right_dynamics_of_another_make_are_right(robot: str) -> None:
    assert diagnoses(robot, "nothing") == ()
