"""Defects in what whole-body controllers ask for: the code that they are planted in is right, and the judge names them."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import QUANTITIES, QuantityGroup
from leapcheck.sampling import generated_states
from leapcheck_evidence.score.__main__ import ScoreCommand
from leapcheck_evidence.score.planting.catalogue import WHOLE_BODIES, places, size
from leapcheck_evidence.score.planting.effect import differences
from leapcheck_evidence.score.planting.own_whole_body import WHOLE_BODY, OwnWholeBody, WholeBody, tilde
from leapcheck_evidence.score.run import outcome_of
from leapcheck_models.robots import load

EXACT = 1e-11
"""Largest scale-free difference by rounding; measured: 7e-14."""

LABELS = {
    "local, spatial acceleration 1": "Pinocchio's getFrameAcceleration in LOCAL",
    "com of the tree 1": "MuJoCo's cvel",
    "rotors do not turn 1": "the rotors' spin, in the momentum alone",
    "a link left out of com_position 1": "a wrong number in one function alone",
    "Newton and Euler's C 2": "a factorisation whose C + C^T is not Mdot",
    "operational, local 1": "the points' own axes",
    "stale ID 1": "vdot of the call before",
    "quaternion 2": "a quaternion's components for a turn",
    "damping 1": "losses in a derivative",
    "at coms 2": "parameters about the com",
    "local-spatial, all 1": "derivatives in the axes of each frame",
    "links' columns exchanged 1": "bodies in another order",
    "forces of two points exchanged 1": "contact forces in another order",
}

GROUPS = (QuantityGroup.DYNAMICS, QuantityGroup.DERIVATIVES, QuantityGroup.REGRESSORS, QuantityGroup.KINEMATICS, "centroidal")


@pytest.mark.parametrize("robot", ["random:30", "tree4_7"])
def test_the_code_that_is_planted_in_is_right(robot: str) -> None:
    spec = load(robot)
    states = generated_states(spec, 8, 1, 0)
    own, right = (engine.evaluate(states, WHOLE_BODY) for engine in (OwnWholeBody(spec), ReferenceEngine(spec)))
    for name in WHOLE_BODY:
        if name != "coriolis_matrix":  # not unique: Christoffel's is compared
            assert own[name].shape == right[name].shape
            assert differences(name, own[name], right[name]).max() < EXACT, name


def test_every_quantity_of_whole_bodies_is_planted_in() -> None:
    assert set(WHOLE_BODY) == {name for name, row in QUANTITIES.items() if row.group in GROUPS}
    assert {name for kind, _ in places(size(WHOLE_BODIES), WHOLE_BODIES) for name in kind.quantities} >= set(WHOLE_BODY)
    assert size(WHOLE_BODIES) >= 150


@pytest.mark.slow
@pytest.mark.parametrize("label", LABELS)
def test_a_defect_is_found_and_named(label: str) -> None:
    every = places(size(WHOLE_BODIES), WHOLE_BODIES)
    number = next(i for i, (kind, _) in enumerate(every) if kind.label == label)
    outcome = outcome_of(0, number, size(WHOLE_BODIES), WHOLE_BODIES)
    assert outcome.found
    assert outcome.named, (outcome.label, outcome.said, outcome.unexplained, outcome.failure)


def test_the_catalogue_is_listed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert ScoreCommand(whole_body=True, only=("regressors",), count=1, list=True, workers=1).run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all("| regressors |" in line for line in lines)


def test_a_class_of_the_other_catalogue_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown class 'frames'"):
        ScoreCommand(only=("frames",)).run()
    with pytest.raises(ValueError, match="unknown class 'quaternion'"):
        ScoreCommand(whole_body=True, only=("quaternion",)).run()


def test_a_rate_by_a_complex_step_is_exact() -> None:
    """Rdot = w~ R of frames, where w is found without any step."""
    spec = load("random:30")
    body = WholeBody(spec, generated_states(spec, 4, 1, 0))
    frames = body.named_frames()
    R, w = np.stack([frame.R for frame in frames], axis=1), np.stack([frame.w for frame in frames], axis=1)
    rate = body.rate_along_v(lambda moved: moved.frame_placements()[..., :3])
    assert np.abs(rate - tilde(w) @ R).max() < EXACT * np.abs(rate).max()
