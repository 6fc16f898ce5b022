"""Frames in each of Pinocchio's three forms, by Pinocchio itself: converted where declared, named where not or wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from leapcheck.coordinates.frame_derivatives import DERIVATIVES
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from tests.examples.engines.whole_robot import WholeRobot

pytestmark = pytest.mark.quick

SPEC = load("mini_cheetah_armature")
STATES = generated_states(SPEC, 8, 1, 0)
MOVING = ("frame_velocities", "frame_jacobians", "frame_jacobian_rates", "frame_bias_accelerations")
NAMES = ("frame_placements", *MOVING, "operational_inertia_inverse")

ROUNDING = 3e-14
"""Of scale-free errors; measured: 2.3e-15."""

AXES = {
    "local_world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "local": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
}
ACCELERATIONS = {"classical": pin.getFrameClassicalAcceleration, "spatial": pin.getFrameAcceleration}


class PinocchioFrames(WholeRobot):
    """Pinocchio's own frame functions in the axes of its `axes`, linear first."""

    axes = "local_world_aligned"
    acceleration = "classical"
    declared: dict[str, str] | None = None
    """What it says of its frames; what it is where it is None."""

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        own = {"reference_frame": self.axes, "frame_order": "linear first", "frame_acceleration": self.acceleration}
        self.conventions = self.conventions | (own if self.declared is None else self.declared)

    def frame_velocities(self, q: Any, v: Any) -> Any:
        pin.forwardKinematics(self.model, self.data, q, v)
        return [pin.getFrameVelocity(self.model, self.data, frame, AXES[self.axes]).vector for frame in self.frames]

    def frame_jacobians(self, q: Any) -> Any:
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        return np.array([pin.getFrameJacobian(self.model, self.data, frame, AXES[self.axes]) for frame in self.frames])

    def frame_jacobian_rates(self, q: Any, v: Any) -> Any:
        pin.computeJointJacobiansTimeVariation(self.model, self.data, q, v)
        pin.updateFramePlacements(self.model, self.data)
        return [pin.getFrameJacobianTimeVariation(self.model, self.data, frame, AXES[self.axes]) for frame in self.frames]

    def frame_bias_accelerations(self, q: Any, v: Any) -> Any:
        pin.forwardKinematics(self.model, self.data, q, v, self.rest)
        acceleration = ACCELERATIONS[self.acceleration]
        return [acceleration(self.model, self.data, frame, AXES[self.axes]).vector for frame in self.frames]

    def frame_velocity_derivative_q(self, q: Any, v: Any) -> Any:
        return self._derivatives(q, v, self.rest)[0]

    def frame_acceleration_derivative_q(self, q: Any, v: Any, vdot: Any) -> Any:
        return self._derivatives(q, v, vdot)[1]

    def frame_acceleration_derivative_v(self, q: Any, v: Any) -> Any:
        return self._derivatives(q, v, self.rest)[2]

    def _derivatives(self, q: Any, v: Any, vdot: Any) -> Any:
        pin.computeForwardKinematicsDerivatives(self.model, self.data, q, v, vdot)
        pin.updateFramePlacements(self.model, self.data)
        get = pin.getFrameAccelerationDerivatives
        rows = [get(self.model, self.data, frame, AXES[self.axes])[:3] for frame in self.frames]
        return [np.array([row[k] for row in rows]) for k in range(3)]


def pinocchio_frames(axes: str, acceleration: str, declared: dict[str, str] | None = None) -> Any:
    return type("Own", (PinocchioFrames,), {"axes": axes, "acceleration": acceleration, "declared": declared})


def largest_error(engine: Any, name: str) -> float:
    right = ReferenceEngine(SPEC).evaluate(STATES, (name,))[name]
    return float(np.max(scale_free(engine.evaluate(STATES, (name,))[name] - right, scales(name, right))))


@pytest.mark.parametrize("acceleration", ACCELERATIONS)
@pytest.mark.parametrize("axes", AXES)
def test_each_of_pinocchio_s_frames_is_converted(axes: str, acceleration: str) -> None:
    engine = user_engine(pinocchio_frames(axes, acceleration), SPEC)
    for name in NAMES:
        assert largest_error(engine, name) < ROUNDING, name


@pytest.mark.parametrize("axes", ["local", "world"])
def test_derivatives_are_converted_with_what_they_are_derivatives_of(axes: str) -> None:
    """Not in LOCAL_WORLD_ALIGNED, where Pinocchio's are no derivatives of what it has there."""
    engine = user_engine(pinocchio_frames(axes, "spatial"), SPEC)
    for name in DERIVATIVES:
        assert largest_error(engine, name) < ROUNDING, name


def test_derivatives_in_another_form_than_the_declared_one_are_named() -> None:
    declared = {"reference_frame": "world", "frame_order": "linear first"}
    (diagnosis,) = diagnose(SPEC, user_engine(pinocchio_frames("local", "spatial", declared), SPEC), STATES[:4], DERIVATIVES)
    (cause,) = diagnosis.causes
    assert cause.name == "frame-derivative/local-spatial+linear-first"
    assert cause.words.endswith("not as declared")
    assert 'reference_frame = "local", frame_order = "linear first"' in cause.details


def causes(engine: Any) -> list[tuple[str, str, str]]:
    (diagnosis,) = diagnose(SPEC, engine, STATES, NAMES[:-1])
    assert not diagnosis.unexplained
    return [(cause.name, cause.words, cause.details) for cause in diagnosis.causes]


@pytest.mark.parametrize(
    ("axes", "acceleration", "name", "remedy"),
    [
        ("local", "spatial", "local-spatial", 'reference_frame = "local", frame_order = "linear first"'),
        (
            *("local", "classical", "local"),
            'reference_frame = "local", frame_order = "linear first", frame_acceleration = "classical"',
        ),
        ("world", "spatial", "world", 'reference_frame = "world", frame_order = "linear first"'),
        ("local_world_aligned", "classical", "linear-first", 'frame_order = "linear first"'),
    ],
)
def test_what_is_not_declared_is_named_with_the_keys_that_declare_it(
    axes: str, acceleration: str, name: str, remedy: str
) -> None:
    undeclared = user_engine(pinocchio_frames(axes, acceleration, {}), SPEC)
    ((cause, _, details),) = causes(undeclared)
    assert cause.removesuffix("+linear-first") == f"frame/{name}"
    assert details == f"declare it in a .toml: [conventions] {remedy}"
    keys = dict(part.split(" = ") for part in remedy.split(", "))
    declared = {key: word.strip('"') for key, word in keys.items()}
    engine = user_engine(pinocchio_frames(axes, acceleration, declared), SPEC)
    assert diagnose(SPEC, engine, STATES, NAMES) == ()


@pytest.mark.parametrize(
    ("axes", "declared", "name", "words", "remedy"),
    [
        (
            *("local_world_aligned", {"reference_frame": "local", "frame_order": "linear first"}, "frame/aligned+linear-first"),
            *("in world axes at the frame's origin (Pinocchio's LOCAL_WORLD_ALIGNED)", 'frame_order = "linear first"'),
        ),
        (
            *("local", {"reference_frame": "world", "frame_order": "linear first"}, "frame/local+linear-first"),
            *("in the frame's own axes (Pinocchio's LOCAL)", 'reference_frame = "local", frame_order = "linear first"'),
        ),
        (
            *("world", {"reference_frame": "world"}, "frame/world+linear-first"),
            *("[linear; angular], not as declared", 'reference_frame = "world", frame_order = "linear first"'),
        ),
    ],
)
def test_a_wrong_declaration_is_named(axes: str, declared: dict[str, str], name: str, words: str, remedy: str) -> None:
    acceleration = "spatial" if axes == "world" else "classical"
    ((cause, said, details),) = causes(user_engine(pinocchio_frames(axes, acceleration, declared), SPEC))
    assert cause == name
    assert words in said
    assert said.endswith("not as declared")
    assert remedy in details


def test_a_toml_declares_the_frames_of_an_engine_that_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own; what the engine itself says of its base is kept."""
    monkeypatch.syspath_prepend(str(Path.cwd()))
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    monkeypatch.chdir(tmp_path)
    module = "from tests.harness.engines.test_declared_frames import pinocchio_frames\n"
    module += "Own = pinocchio_frames('world', 'classical', {})"
    (tmp_path / "own_frames.py").write_text(module, encoding="utf-8")
    words = 'reference_frame = "world"\nframe_order = "linear first"\nframe_acceleration = "classical"\n'
    (tmp_path / "own.toml").write_text(f'python = "own_frames:Own"\n[conventions]\n{words}', encoding="utf-8")
    engine = load_engine("own.toml", SPEC)
    for name in MOVING:
        assert largest_error(engine, name) < ROUNDING, name


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"reference_frame": "body"}, 'reference_frame is \'body\': use "local_world_aligned" or "local" or "world"'),
        ({"frame_order": "last"}, 'frame_order is \'last\': use "angular first" or "linear first"'),
        ({"reference_frame": "world", "frame_point": "com"}, 'frame_point = "com" another one: leave one of them out'),
    ],
)
def test_a_declaration_that_says_nothing_is_refused(declared: dict[str, str], message: str) -> None:
    with pytest.raises(EngineError, match=message.replace("(", "[(]")):
        user_engine({"frame_velocities": lambda q, v: q, "conventions": declared}, SPEC)


def test_what_a_conversion_takes_is_asked_for() -> None:
    functions: dict[str, Any] = {"frame_jacobians": lambda q: q, "conventions": {"reference_frame": "local"}}
    with pytest.raises(EngineError, match="frame_jacobians in the declared frame cannot be converted without frame_placements"):
        user_engine(functions, SPEC)
