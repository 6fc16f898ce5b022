"""Faults in the rotational inertias of several links together: turned, or with lost digits; and what is neither."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.attribution.together import turned_inertias
from leapcheck.judge.belief import Belief
from leapcheck.judge.defects.digits import lost_axes, six_digits
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import Body, RobotSpec
from leapcheck_models.validation import rotational_matrix

ROBOT = "tree4_9"
QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "kinetic_energy", "forward_dynamics")
SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))

Matrix = NDArray[np.float64]
Changed = Callable[[int, Matrix], Matrix]


def held(changed: Changed) -> RobotSpec:
    """The robot with the rotational inertia of each link changed."""
    spec = load(ROBOT)

    def body(i: int, of: Body) -> Body:
        m = changed(i, rotational_matrix(of.inertia.rotational))
        entries = tuple(float(m[place]) for place in SIX)
        return replace(of, inertia=replace(of.inertia, rotational=entries))

    return replace(spec, bodies=tuple(body(i, of) for i, of in enumerate(spec.bodies)))


def of_engine(spec: RobotSpec) -> Evidence:
    return evidence(load(ROBOT), ReferenceEngine(spec), generated_states(spec, 32, 7, 0), QUANTITIES)


def turned(angle: float) -> Changed:
    """Each inertia turned about another direction by about so much (rad)."""

    def changed(i: int, m: Matrix) -> Matrix:
        R = Rotation.from_rotvec(angle * np.array([1.0, -0.5 * i, 0.3 + 0.2 * i])).as_matrix()
        return np.asarray(R @ m @ R.T)

    return changed


def rounded(size: float) -> Changed:
    """All entries off by random shares of the trace."""

    def changed(i: int, m: Matrix) -> Matrix:
        noise = np.random.default_rng(i).uniform(-size, size, (3, 3)) * np.trace(m)
        return np.asarray(m + noise + noise.T)

    return changed


def test_turned_inertias() -> None:
    found = of_engine(held(turned(0.1)))
    (hypothesis,) = turned_inertias(Belief(found))
    assert hypothesis.name == "turned-inertia/all"
    assert "link_1, link_2, link_3, link_4 are turned" in hypothesis.words
    belief = Belief(found).plus(hypothesis)
    assert all(belief.explains(quantity) for quantity in QUANTITIES)
    assert not list(lost_axes(Belief(found)))


@pytest.mark.parametrize("size", [1e-10, 1e-8])
def test_lost_digits(size: float) -> None:
    found = of_engine(held(rounded(size)))
    (hypothesis,) = lost_axes(Belief(found))
    assert hypothesis.name == "digits/axes"
    belief = Belief(found).plus(hypothesis)
    assert all(belief.explains(quantity) for quantity in QUANTITIES)


def test_other_inertias() -> None:
    """Entries off by up to 5 %: neither turned nor rounded, but the inertias are named."""
    (hypothesis,) = turned_inertias(Belief(of_engine(held(rounded(0.05)))))
    assert hypothesis.name == "inertia/all"


def test_a_mass_is_none_of_these() -> None:
    spec = load(ROBOT)
    first, *others = spec.bodies
    heavier = replace(first, inertia=replace(first.inertia, mass=first.inertia.mass * (1.0 + 1e-8)))
    belief = Belief(of_engine(replace(spec, bodies=(heavier, *others))))
    assert belief.evidence.deviating
    assert not list(turned_inertias(belief))
    assert not list(lost_axes(belief))


def test_six_digits_are_no_guess() -> None:
    """The rounding of MuJoCo's writer is foretold exactly: the inertias rounded otherwise are not explained."""
    found = of_engine(held(lambda _, m: np.round(m, 8)))
    hypotheses = list(six_digits(Belief(found)))
    assert [hypothesis.name for hypothesis in hypotheses] == ["digits/six"]
    assert not Belief(found).plus(hypotheses[0]).explains("mass_matrix")
