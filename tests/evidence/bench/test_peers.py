"""The peers: in every form and every part they agree with the readable in-house code at random states."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck_evidence.bench.states import PARTS, canonical, generic_states, outputs, own_state
from leapcheck_evidence.peers import mujoco_peers, pinocchio_peer
from leapcheck_evidence.peers.protocol import RIGID_BODY_QUANTITIES, Peer
from leapcheck_models.robots import load

ROBOTS = ("mini_cheetah_armature", "mini_cheetah", "two_link_arm", "box", "random:7")  # 7: balls, slides and rotors

TOLERANCE = 2e-13
"""Relative to the largest entry of the quantity in that state."""

STATES = 24


def check(robot: str, peer: Peer, tolerance: float = TOLERANCE) -> None:
    """Every part, against the readable code; and the parts against the whole, bit for bit where they do the same."""
    spec = load(robot)
    states = generic_states(spec, STATES)
    q_u, v_u = own_state(peer.convention, states)
    whole = outputs(STATES, peer.sizes)
    peer.bound(RIGID_BODY_QUANTITIES, q_u, v_u, whole)()
    answers, readable = canonical(peer.convention, states, whole), ReferenceEngine(spec).evaluate(states, RIGID_BODY_QUANTITIES)
    for name in RIGID_BODY_QUANTITIES:
        axes = tuple(range(1, readable[name].ndim))
        error = np.abs(answers[name] - readable[name]).max(axis=axes) / np.abs(readable[name]).max(axis=axes)
        assert error.max() < tolerance, name
    for names in PARTS.values():
        part = {name: array for name, array in outputs(STATES, peer.sizes).items() if name in names}
        peer.bound(names, q_u, v_u, part)()
        for name, array in part.items():
            assert np.abs(array - whole[name]).max() <= tolerance * np.abs(whole[name]).max(), name


@pytest.mark.parametrize("robot", ROBOTS)
def test_mujoco(robot: str) -> None:
    peers = mujoco_peers(load(robot))
    assert [peer.name for peer in peers] == ["MuJoCo, mj_jacDot", "MuJoCo, mj_objectAcceleration"]
    for peer in peers:
        check(robot, peer)


@pytest.mark.parametrize("robot", ROBOTS)
def test_pinocchio_from_python_where_there_is_no_compiler(robot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    peer = pinocchio_peer(load(robot))
    assert "called from Python: no C++ compiler was found: install g++, or name yours in CXX" in peer.form
    check(robot, peer)


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
def test_pinocchio_in_cpp(robot: str) -> None:
    peer = pinocchio_peer(load(robot))
    if "called from Python" in peer.form:
        pytest.skip(peer.form)
    check(robot, peer)
    del peer  # its memory is given back on the side that took it, or the process dies here


def test_a_compiler_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    from leapcheck_evidence.peers import pinocchio_build as build

    monkeypatch.setenv("LEAPCHECK_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "OPTIONS", (*build.OPTIONS, "-include", "no_such_header.h"))
    peer = pinocchio_peer(load("two_link_arm"))
    assert "called from Python" in peer.form
    assert "could not build Pinocchio's loop" in peer.form or "not found" in peer.form
