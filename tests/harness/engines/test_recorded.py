"""Recorded data as an engine: its states and answers in the canonical convention whatever its own is, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leapcheck as lc
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.outside.recording import RecordedEngine
from leapcheck.engines.registry import make_engine
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from tests.harness.engines.engine_cases import near_states

pytestmark = pytest.mark.quick

SPEC = load("mini_cheetah_armature")
STATES = near_states(SPEC, 12)
FORCES = ("mass_matrix", "bias_force")
RIGHT = make_engine("reference", SPEC).evaluate(STATES, FORCES)


def test_a_recording_in_a_convention_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    swap = np.r_[3:6, 0:3, 6:18]  # linear first
    q = np.hstack([STATES.q[:, :3], STATES.q[:, 4:7], STATES.q[:, 3:4], STATES.q[:, 7:]])  # quaternion x y z w
    M, h = RIGHT["mass_matrix"][:, swap][:, :, swap], RIGHT["bias_force"][:, swap]
    np.savez("log.npz", q=q, v=STATES.v[:, swap], tau=STATES.tau[:, swap], mass_matrix=M, bias_force=h)
    Path("log.toml").write_text(
        'data = "log.npz"\n[conventions]\nquaternion = "xyzw"\norder = "linear first"\n', encoding="utf-8"
    )
    engine = load_engine("log.toml", SPEC)
    assert isinstance(engine, RecordedEngine)
    for part in ("q", "v", "tau"):
        np.testing.assert_array_equal(getattr(engine.states, part), getattr(STATES, part))
    backwards = engine.states[::-1]
    for name, found in engine.evaluate(backwards, FORCES).items():
        np.testing.assert_allclose(found, RIGHT[name][::-1], rtol=1e-14, atol=1e-14)


def test_a_state_that_was_not_recorded_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("log.npz", q=STATES.q, v=STATES.v, mass_matrix=RIGHT["mass_matrix"])
    engine = load_engine("log.npz", SPEC)
    assert engine.quantities == {"mass_matrix"}
    with pytest.raises(EngineError, match=r"^engine 'log.npz': state 0 \(generic\) was not recorded$"):
        engine.evaluate(generated_states(SPEC, 1, 99, 0), ("mass_matrix",))


def test_what_depends_on_accelerations_is_no_failure_where_another_quantity_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst state of frame Jacobians, which depend on q alone, is asked with the vdot that was recorded."""
    monkeypatch.chdir(tmp_path)
    leg, names = load("pupper_leg"), ("inverse_dynamics", "frame_jacobians")
    states = generated_states(leg, 8, 3, 0)
    answers = make_engine("reference", leg).evaluate(states, names)
    answers["frame_jacobians"] = np.roll(answers["frame_jacobians"], 3, axis=2)  # linear first
    np.savez("log.npz", q=states.q, v=states.v, vdot=states.vdot, **answers)
    run = lc.compare(leg, "log.npz", engines="reference", quantities=names)
    assert run.record.failures == ()
    assert [cause.name for found in run.record.diagnoses for cause in found.causes] == ["frame/linear-first"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"q": STATES.q}, "holds no answers: give some of mass_matrix"),
        ({"mass_matrix": RIGHT["mass_matrix"]}, r"holds no q: give q \(n, 19\)"),
        (
            {"q": STATES.q, "mass_matrix": RIGHT["mass_matrix"][:5]},
            r"mass_matrix has shape \(5, 18, 18\) of float64: give numbers",
        ),
        ({"q": STATES.q, "mass_matrix": RIGHT["mass_matrix"].astype(object)}, "is no .npz of plain number arrays"),
        ({"q": STATES.q[:, :7], "mass_matrix": RIGHT["mass_matrix"]}, r"q has shape \(12, 7\) of float64: give numbers of shape"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arrays: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("log.npz", **arrays)
    with pytest.raises(EngineError, match=f"^engine 'log.npz': .*{message}"):
        load_engine("log.npz", SPEC)
