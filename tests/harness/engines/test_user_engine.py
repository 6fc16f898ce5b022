"""The user's own engine: what it may be, and one clear line for everything that can go wrong in it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.outside.user import UserEngine, load_user_engine, user_engine
from leapcheck.engines.protocol import Engine, Limited
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import factory_of, make_engine
from leapcheck.quantities import CANONICAL, QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.harness.engines.engine_cases import near_states

pytestmark = pytest.mark.quick

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
            "dict has 'massmatrix': did you mean 'mass_matrix'?",
        ),
        (
            "def factory(spec):\n    return dict(f=abs)",
            "factory",
            "a dict with none of the known functions: add one of mass_matrix, ",
        ),
        ("def factory(spec):\n    return None", "factory", "a NoneType with none of the known functions"),
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


class MyDynamics:
    """Plain dynamics of the robot that it is given."""

    def __init__(self, spec: RobotSpec) -> None:
        self.tree = reference.build(spec)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        return reference.mass_matrix(self.tree, q)


class Unconnected(MyDynamics):
    """The same of one robot, which it knows by itself, under a name and version of its own."""

    name, version = "unconnected", "0.3"

    def __init__(self) -> None:
        super().__init__(SPEC)


class WithBlocks:
    """An engine without name, version and route: it answers blocks of states."""

    quantities = ("mass_matrix", "no_quantity")

    def evaluate(self, states: States, quantities: Sequence[str]) -> dict[str, np.ndarray]:
        return ReferenceEngine(SPEC).evaluate(states, quantities)


class CallableBlocks(WithBlocks):
    """The same, which can be called for something else."""

    def __call__(self) -> None:
        raise AssertionError


def dynamics(spec: RobotSpec) -> MyDynamics:
    return MyDynamics(spec)


@pytest.mark.parametrize(
    ("given", "name", "version"),
    [
        (MyDynamics(SPEC), "MyDynamics", "-"),
        (MyDynamics, "MyDynamics", "-"),
        (Unconnected, "unconnected", "0.3"),
        (Unconnected(), "unconnected", "0.3"),
        (dynamics, "dynamics", "-"),
        (lambda: MyDynamics(SPEC), "lambda", "-"),
        ({"mass_matrix": MyDynamics(SPEC).mass_matrix}, "dict", "-"),
        (WithBlocks(), "WithBlocks", "-"),
        (WithBlocks, "WithBlocks", "-"),
        (CallableBlocks(), "CallableBlocks", "-"),
        ("reference", "reference", "in-house"),
    ],
)
def test_any_of_these_is_an_engine(given: Any, name: str, version: str) -> None:
    engine = load_engine(given, SPEC)
    assert (engine.name, engine.version) == (name, version)
    assert engine.route
    expected = make_engine("reference", SPEC).evaluate(STATES, ["mass_matrix"])["mass_matrix"]
    np.testing.assert_array_equal(engine.evaluate(STATES, ["mass_matrix"])["mass_matrix"], expected)


def test_an_engine_is_taken_as_it_is_and_a_request_is_built() -> None:
    engine = ReferenceEngine(SPEC)
    assert load_engine(engine, SPEC) is engine

    class Request:
        name = "mine"

        def build(self) -> Engine:
            return engine

    assert load_engine(Request(), SPEC) is engine
    builder = SimpleNamespace(name="mine", build=abs, mass_matrix=MyDynamics(SPEC).mass_matrix)
    assert load_engine(builder, SPEC).quantities == {"mass_matrix"}


def test_one_made_by_a_class_or_factory_that_takes_robots_is_made_again_for_another() -> None:
    box = load("box")
    for given in (MyDynamics, dynamics):
        again = factory_of(load_engine(given, SPEC))
        assert again is not None
        assert again(box).evaluate(near_states(box, 2), ["mass_matrix"])["mass_matrix"].shape == (2, 6, 6)
    assert factory_of(load_engine(MyDynamics(SPEC), SPEC)) is None
    assert factory_of(load_engine(Unconnected, SPEC)) is None


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("massmatrix", "mass_matrix"),
        ("MassMatrix", "mass_matrix"),
        ("bias_forces", "bias_force"),
        ("contact_velocity", "contact_velocities"),
        ("kinetic_enrgy", "kinetic_energy"),
    ],
)
def test_a_misspelt_quantity_is_named_with_a_suggestion(wrong: str, right: str) -> None:
    alone = type("MyDynamics", (), {wrong: lambda self, *_: 0.0})
    message = f"^engine 'MyDynamics': MyDynamics has '{wrong}': did you mean '{right}'\\?$"
    for given in (alone, alone()):
        with pytest.raises(EngineError, match=message):
            load_engine(given, SPEC)
    beside = load_engine({wrong: abs, "potential_energy": lambda q: 0.0}, SPEC)
    assert isinstance(beside, Limited)
    assert beside.not_compared == (f"engine 'dict': dict has '{wrong}': did you mean '{right}'?",)


def test_other_names_are_no_misspellings() -> None:
    others = ("forward_kinematics", "inverse_dynamics", "contact_forces", "step", "massmatrix", "_bias_forces", "gravity")
    engine = user_engine({**dict.fromkeys(others, abs), "mass_matrix": abs}, SPEC)
    assert engine.not_compared == ()
    assert user_engine(type("Own", (), {"bias_forces": 3, "mass_matrix": abs}), SPEC).not_compared == ()


def test_a_misspelt_quantity_ends_up_in_the_run() -> None:
    own = {"massmatrix": abs, "potential_energy": lambda q: 0.0}
    limits = make_engine_set(SPEC, ["reference", load_engine(own, SPEC)], ("potential_energy",), compile_code=False).not_compared
    assert "engine 'dict': dict has 'massmatrix': did you mean 'mass_matrix'?" in limits


def test_conventions_of_an_object_are_converted() -> None:
    spec = load("box")
    states = near_states(spec, 3)
    expected = make_engine("reference", spec).evaluate(states, ["gravity_force"])["gravity_force"]
    tree = reference.build(spec)
    swapped = {
        "conventions": {"order": "linear first"},
        "gravity_force": lambda q: np.roll(reference.gravity_force(tree, q), 3),
    }
    np.testing.assert_allclose(load_engine(swapped, spec).evaluate(states, ["gravity_force"])["gravity_force"], expected)
    with pytest.raises(EngineError, match=r"^engine 'dict': conventions: order is 'first'"):
        load_engine(swapped | {"conventions": {"order": "first"}}, spec)


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (lambda states, names: {}, "gave no mass_matrix: give it"),
        (
            lambda states, names: {"mass_matrix": np.zeros((5, 3, 3))},
            r"mass_matrix gave the shape \(5, 3, 3\): return an array of",
        ),
        (lambda states, names: {"mass_matrix": np.full((5, 2, 2), np.inf)}, "mass_matrix gave inf at entry"),
        (lambda states, names: 1 / 0, "raised ZeroDivisionError: division by zero: correct it"),
    ],
)
def test_a_bad_block_is_one_line(evaluate: Any, message: str) -> None:
    engine = user_engine(SimpleNamespace(quantities=["mass_matrix"], evaluate=evaluate), SPEC)
    first, last = STATES.index[0], STATES.index[-1]
    where = f"^engine 'SimpleNamespace': evaluate at states {first} to {last}:? {message}"
    with pytest.raises(EngineError, match=where):
        engine.evaluate(STATES, ["mass_matrix"])
