"""The comparison of bits counts what differs, and would see one last place."""

from __future__ import annotations

import math

import pytest

from leapcheck_evidence.bench import bits
from leapcheck_evidence.bench.states import PARTS, generic_states
from leapcheck_models.robots import load
from leapcheck_reference import build

STATES = 8


def test_a_sine_off_by_one_last_place_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load("two_link_arm")
    before, total = bits.different_entries(build(spec), PARTS["M"], generic_states(spec, STATES))
    assert (before, total) == (0, STATES * spec.nv**2)
    monkeypatch.setattr(bits, "sin_cos", lambda x: (math.sin(x), math.nextafter(math.cos(x), 2.0)))
    after, _ = bits.different_entries(build(spec), PARTS["M"], generic_states(spec, STATES))
    assert after > 0
