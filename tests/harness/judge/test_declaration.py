"""A convention that nobody declared is found where it explains all, and nothing is said where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.declaration import declaration
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

OWN = """
import numpy as np
import leapcheck_reference as reference

DOFS = np.r_[3:6, 0:3, 9:12, 6:9, 15:18, 12:15]  # linear first; left legs first
BACK = np.argsort(DOFS)

class Own:
    factor = 1.0
    def __init__(self, spec):
        self.tree = reference.build(spec)
    def canonical(self, q):
        return np.r_[q[:3], q[6], q[3:6], q[7:][BACK[6:] - 6]]
    def mass_matrix(self, q):
        return self.factor * reference.mass_matrix(self.tree, self.canonical(q))[np.ix_(DOFS, DOFS)]
    def bias_force(self, q, v):
        return reference.bias_force(self.tree, self.canonical(q), v[BACK])[DOFS]

class Faulty(Own):
    factor = 1.001
"""
SPEC = load("mini_cheetah_armature")
STATES = generated_states(SPEC, 12, 0, 0)
FORCES = ("mass_matrix", "bias_force")
LEFT_FIRST = [f"{leg}_{name}_joint" for leg in ("FL", "FR", "HL", "HR") for name in ("abad", "hip", "knee")]


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_convention.py").write_text(OWN, encoding="utf-8")


def test_three_conventions_at_once_are_found() -> None:
    found = declaration(SPEC, load_engine("own_convention:Own", SPEC), STATES, FORCES)
    assert found is not None
    (cause,) = found.causes
    assert (cause.name, cause.cause_class) == ("convention/declared", "convention")
    assert 'quaternion = "xyzw", order = "linear first", joints = ["trunk_joint", "FL_abad_joint"' in cause.details
    assert cause.details.endswith(f'"{LEFT_FIRST[-2]}", "{LEFT_FIRST[-1]}"]')
    assert all(falls.before > 1e-2 and falls.after < 1e-13 for falls in found.falls)


def test_what_was_found_can_be_declared(tmp_path: Path) -> None:
    joints = ", ".join(f'"{name}"' for name in LEFT_FIRST)
    words = f'[conventions]\nquaternion = "xyzw"\norder = "linear first"\njoints = [{joints}]\n'
    (tmp_path / "own.toml").write_text(f'python = "own_convention:Own"\n{words}', encoding="utf-8")
    assert declaration(SPEC, load_engine("own.toml", SPEC), STATES, FORCES) is None  # right as declared


def test_a_fault_beside_the_convention_is_not_explained_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leapcheck.judge.declaration.SECONDS", 3.0)
    assert declaration(SPEC, load_engine("own_convention:Faulty", SPEC), STATES, FORCES) is None


def test_an_engine_that_cannot_be_asked_otherwise_is_left_alone() -> None:
    engine = user_engine({"potential_energy": lambda q: 1.0}, SPEC)
    assert declaration(SPEC, engine, STATES, ("potential_energy",)) is None
