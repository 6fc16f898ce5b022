"""The user's own engine: what it may be, and one clear line for everything that can go wrong in it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from engine_cases import CANONICAL, near_states

import leapcheck_reference as reference
from leapcheck.engines.errors import EngineError
from leapcheck.engines.registry import make_engine
from leapcheck.engines.user import UserEngine, load_user_engine
from leapcheck.quantities import QUANTITIES
from leapcheck_models.robots import load

SPEC = load("two_link_arm")
STATES = near_states(SPEC, 20)[14:19]  # their numbers in the run are not their places in the block
MODULE_NUMBERS = itertools.count()

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a module into the current folder and gives its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def written(text: str) -> str:
        name = f"users_engine_{next(MODULE_NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    return written


def single(function: str, body: str) -> str:
    """A module whose factory gives a dict with one function."""
    return f"import numpy as np\ndef factory(spec):\n    def f(*arguments):\n        {body}\n    return dict({function}=f)\n"


WHOLE = (
    "import leapcheck_reference as reference\n"
    "__version__ = '1.2'\n"
    "class Engine:\n"
    "    def __init__(self, spec):\n"
    "        self.tree = reference.build(spec)\n"
    "    def __getattr__(self, name):\n"
    "        if name.startswith('_'):\n"
    "            raise AttributeError(name)\n"
    "        return lambda *arguments: getattr(reference, name)(self.tree, *arguments)\n"
)


def test_a_whole_engine_answers_every_canonical_quantity(write: Write) -> None:
    name = write(WHOLE)
    engine = load_user_engine(f"{name}:Engine", SPEC)
    assert (engine.name, engine.version) == (f"{name}:Engine", "1.2")
    assert engine.quantities == set(CANONICAL)
    expected = make_engine("reference", SPEC).evaluate(STATES, CANONICAL)
    for quantity, found in engine.evaluate(STATES, CANONICAL).items():
        np.testing.assert_allclose(found, expected[quantity], rtol=1e-13, atol=1e-13, err_msg=quantity)


@pytest.mark.parametrize(
    "made",
    [
        "dict(potential_energy=lambda q: 2)",
        "type('Namespace', (), dict(potential_energy=staticmethod(lambda q: 2)))",
        "__import__('types').SimpleNamespace(potential_energy=lambda q: 2, mass_matrix=None)",
        "__import__('sys').modules[__name__]",
    ],
)
def test_it_may_be_a_dict_a_class_a_namespace_or_a_module(write: Write, made: str) -> None:
    name = write(f"def potential_energy(q):\n    return 2\ndef factory(spec):\n    return {made}\n")
    engine = load_user_engine(f"{name}:factory", SPEC)
    assert engine.quantities == {"potential_energy"}
    np.testing.assert_array_equal(engine.evaluate(STATES, ["potential_energy"])["potential_energy"], np.full(5, 2.0))


def test_it_gets_copies_and_its_answers_are_copied() -> None:
    kept = STATES.q.copy()
    buffer = np.zeros(SPEC.nv)

    def gravity_force(q: np.ndarray) -> np.ndarray:
        buffer[:] = q[0]
        q[:] = np.nan
        return buffer

    engine = UserEngine("m:f", "-", SPEC, {"gravity_force": gravity_force})
    found = engine.evaluate(STATES, ["gravity_force"])["gravity_force"]
    np.testing.assert_array_equal(STATES.q, kept)
    np.testing.assert_array_equal(found[:, 0], kept[:, 0])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "raise ZeroDivisionError('in\\nmy code')",
            r"raised ZeroDivisionError: in my code: correct it, or leave the function out",
        ),
        ("import sys; sys.exit(3)", r"raised SystemExit: 3: correct it"),
        ("return np.zeros(3)", r"gave the shape \(3,\): return an array of shape \(2, 2\)"),
        ("return 1.0", r"gave the shape \(\): return an array of shape \(2, 2\)"),
        ("return np.full((2, 2), np.nan)", r"gave nan at entry \(0, 0\): return an array of shape \(2, 2\), all finite"),
        ("return [[1, 2], [3, float('inf')]]", r"gave inf at entry \(1, 1\)"),
        ("return None", r"gave NoneType of object, not real numbers: return an array of shape \(2, 2\)"),
        ("return [['a', 'b'], ['c', 'd']]", r"gave list of <U1, not real numbers"),
        ("return np.zeros((2, 2), dtype=complex)", r"gave ndarray of complex128, not real numbers"),
        ("return [[1, 2], [3]]", r"gave no array \(ValueError: .*\): return an array of shape \(2, 2\)"),
    ],
)
def test_a_bad_answer_is_one_line_with_engine_quantity_and_state(write: Write, body: str, message: str) -> None:
    target = f"{write(single('mass_matrix', body))}:factory"
    engine = load_user_engine(target, SPEC)
    where = rf"^engine '{target}': mass_matrix\(q\) at state {STATES.index[0]} "
    with pytest.raises(EngineError, match=where + message) as caught:
        engine.evaluate(STATES, ["mass_matrix"])
    assert "\n" not in str(caught.value)


def test_the_state_that_failed_is_named_and_the_cause_kept() -> None:
    calls = itertools.count()

    def coriolis_force(_q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if next(calls) == 3:
            raise ArithmeticError
        return v

    engine = UserEngine("m:f", "-", SPEC, {"coriolis_force": coriolis_force})
    where = rf"coriolis_force\(q, v\) at state {STATES.index[3]} raised ArithmeticError: correct it"
    with pytest.raises(EngineError, match=where) as caught:
        engine.evaluate(STATES, ["coriolis_force"])
    assert isinstance(caught.value.__cause__, ArithmeticError)


@pytest.mark.parametrize(
    ("text", "factory", "message"),
    [
        ("def factory(spec):\n    return 1", "other", "has no function 'other': define it there"),
        ("factory = 3", "factory", "has no function 'factory'"),
        ("def factory(spec):\n    raise KeyError('leg')", "factory", r"factory\(spec\) raised KeyError: 'leg': correct it"),
        (
            "def factory(spec):\n    return dict(massmatrix=abs)",
            "factory",
            "gave a dict with none of the known functions: add one of mass_matrix, ",
        ),
        ("def factory(spec):\n    return None", "factory", "gave a NoneType with none of the known functions"),
        ("def factory(spec):\n    return dict(mass_matrix=[[1.0]])", "factory", "mass_matrix is a list: make it a function"),
        (
            "import no_such_module",
            "factory",
            r"cannot import module '\w+': ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("def factory(:", "factory", r"cannot import module '\w+': SyntaxError"),
        ("raise SystemExit(1)", "factory", r"cannot import module '\w+': SystemExit: 1"),
        (
            "class factory:\n    def __init__(self, spec): pass\n    @property\n    def mass_matrix(self): raise OSError('x')",
            "factory",
            "raised OSError: x",
        ),
    ],
)
def test_an_engine_that_cannot_be_made_is_one_line(write: Write, text: str, factory: str, message: str) -> None:
    target = f"{write(text)}:{factory}"
    with pytest.raises(EngineError, match=f"^engine '{target}': .*{message}") as caught:
        load_user_engine(target, SPEC)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("target", ["", "module", ":factory", "module:"])
def test_a_target_in_another_form_is_refused(target: str) -> None:
    with pytest.raises(EngineError, match=f"^engine '{target}': write it as module:factory, for example"):
        load_user_engine(target, SPEC)


def test_a_missing_module_is_named() -> None:
    with pytest.raises(EngineError, match=r"^engine 'not_there:f': cannot import module 'not_there': ModuleNotFoundError"):
        load_user_engine("not_there:f", SPEC)


def test_the_manual_lists_every_canonical_quantity_with_its_arguments() -> None:
    manual = sys.modules[UserEngine.__module__].__doc__ or ""
    for name in CANONICAL:
        assert f"`{name}({', '.join(QUANTITIES[name].arguments)})`" in manual, name
        assert callable(getattr(reference, name))
