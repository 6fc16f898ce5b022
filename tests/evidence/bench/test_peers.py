"""The peers: in every form and every part they agree with the readable in-house code at random states."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck_evidence.bench.states import PARTS, canonical, generic_states, outputs, own_state
from leapcheck_evidence.peers import generated_peer, mujoco_peers, pinocchio_generated, pinocchio_peer
from leapcheck_evidence.peers.protocol import RIGID_BODY_QUANTITIES, Peer, PeerMissing
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
    assert "could not build pinocchio_loop" in peer.form or "not found" in peer.form


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
def test_generated_code(robot: str) -> None:
    try:
        peer = generated_peer(load(robot))
    except PeerMissing as reason:
        pytest.skip(str(reason))
    assert "CppADCodeGen" in peer.form
    check(robot, peer)


def test_what_generated_code_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinocchio_generated, "HEADERS", {"no-such-package": "cppad/cg.hpp"})
    with pytest.raises(PeerMissing, match=r"the package 'no-such-package' is missing: pip install 'leapcheck\[peer\]'"):
        generated_peer(load("two_link_arm"))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_the_loop_around_generated_statements(tmp_path: Path) -> None:
    """Two outputs of 2 and 1 numbers, of q (3) and v (2)."""
    statements = "   v[0] = sin(x[2]);\n   v[1] = x[4] * v[0];\n   y[0] = v[0];\n   y[1] = v[1] + x[0];\n   y[2] = 7;\n"
    (tmp_path / "code.c").write_text(pinocchio_generated.loop_source(statements, 3, 2, (2, 1)), encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "code.c", "-lm", "-o", "libcode.so"], cwd=tmp_path, check=True)
    q, v = np.arange(6.0).reshape(2, 3), np.arange(4.0).reshape(2, 2) + 10.0
    first, second = np.zeros((2, 2)), np.zeros((2, 1))
    places = [ctypes.c_void_p(array.ctypes.data) for array in (q, v, first, second)]
    ctypes.CDLL(str(tmp_path / "libcode.so")).run(ctypes.c_long(2), *places)
    assert np.allclose(first, np.stack([np.sin(q[:, 2]), v[:, 1] * np.sin(q[:, 2]) + q[:, 0]], axis=1), rtol=1e-15)
    assert second.tolist() == [[7.0], [7.0]]
