"""The reader of a program's pipe under fuzzing: an engine or an answer, or one EngineError in one line; whatever the bytes.

Found and mended, kept as an example: a header that is nested too deeply.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.engine import OutsideEngine
from leapcheck.engines.outside.framing import PREFIX, frame_bytes
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

SPEC = load("two_link_arm")
STATES = generated_states(SPEC, 2, 0, 0)
HELLO = {"name": "fuzzed", "version": "1", "quantities": ["gravity_force"]}
ANSWER = np.ones(8).tobytes()  # four numbers, and the rest of 64 bytes
GOOD = frame_bytes(HELLO) + frame_bytes({}, len(ANSWER)) + ANSWER

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["gravity_force", "any", "xyzw"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = ("name", "version", "quantities", "precision", "nq", "nv", "points", "conventions", "robots", "memory")
KEYS = st.sampled_from([*NAMES, "error", "arrays", "printed"])
HEADERS = st.dictionaries(KEYS, VALUES, max_size=4)


ENDING = ("cat", "bytes")
STAYING = ("sh", "-c", "cat bytes; cat > /dev/null; true")


def program(folder: str, content: bytes, command: tuple[str, ...]) -> Target:
    """One that writes these bytes."""
    Path(folder, "bytes").write_bytes(content)
    return Target("pipe:cat", EngineKind.PROGRAM, command, Path(folder), timeout=1.0)


def asked(content: bytes, command: tuple[str, ...] = ENDING) -> None:
    """What becomes of a program that writes these bytes: nothing but an EngineError may come out."""
    with tempfile.TemporaryDirectory() as folder:
        target = program(folder, content, command)
        try:
            engine = OutsideEngine(target, SPEC)
            try:
                found = engine.evaluate(STATES, ("gravity_force",))["gravity_force"]
                assert found.shape == (2, SPEC.nv)
                assert np.isfinite(found).all()
            finally:
                engine.close()
        except EngineError as error:
            said = str(error)
        else:
            return
    assert re.fullmatch(r"engine 'pipe:cat': [^\n]+", said), said
    assert len(said) < 1000


FUZZED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def test_the_bytes_that_are_changed_are_good() -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = OutsideEngine(program(folder, GOOD, STAYING), SPEC)
        assert engine.evaluate(STATES, ("gravity_force",))["gravity_force"].tolist() == [[1.0, 1.0], [1.0, 1.0]]
        engine.close()


@FUZZED
@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, len(GOOD)))
def test_bytes_that_are_changed_or_missing(changes: list[tuple[int, int]], end: int) -> None:
    content = bytearray(GOOD)
    for place, value in changes:
        content[place] = value
    asked(bytes(content[: end or None]))


@FUZZED
@example({}, b"\x00")
@given(HEADERS, st.binary(max_size=40))
def test_another_hello(more: dict[str, object], tail: bytes) -> None:
    asked(frame_bytes({**HELLO, **more}) + frame_bytes({}, len(ANSWER)) + ANSWER + tail)


@FUZZED
@given(HEADERS, st.binary(max_size=64))
def test_another_answer(header: dict[str, object], payload: bytes) -> None:
    asked(frame_bytes(HELLO) + frame_bytes(header, len(payload)) + payload, STAYING)


@FUZZED
@example(b"[" * 100_000)
@example(json.dumps([HELLO]).encode())
@example(b'{"name": ' + b"9" * 5000 + b"}")
@given(st.binary(max_size=60))
def test_another_text_of_the_header(text: bytes) -> None:
    asked(PREFIX.pack(b"LEAP", len(text), 0) + text)
    asked(PREFIX.pack(b"LEAP", len(text), 1 << 50) + text)
