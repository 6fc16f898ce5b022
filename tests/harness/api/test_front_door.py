"""The notebook lines: `import leapcheck as lc` and what it offers."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import leapcheck as lc
import leapcheck_reference as reference
from leapcheck.api.options import CompareOptions
from leapcheck.engines.errors import EngineError
from leapcheck.jumping.leg_jump.options import LegJumpOptions
from leapcheck.jumping.options import JumpOptions
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

HEAVY = ("mujoco", "pinocchio", "numpy", "scipy", "pandas", "jinja2", "rich", "tyro", "llvmlite", "flint")
QUICK = {"engines": ("reference", "mujoco"), "states": 32}


class Dynamics:
    """The in-house dynamics of the rod as a user would wrap them."""

    def __init__(self, spec: RobotSpec) -> None:
        self._tree = reference.build(spec)

    def mass_matrix(self, q: Floats) -> Floats:
        M: Floats = reference.mass_matrix(self._tree, q)
        return M

    def bias_force(self, q: Floats, v: Floats) -> Floats:
        h: Floats = reference.bias_force(self._tree, q, v)
        return h


class WrongDynamics(Dynamics):
    """Its last diagonal entry of M is off."""

    def mass_matrix(self, q: Floats) -> Floats:
        M = super().mass_matrix(q).copy()
        M[-1, -1] += 0.01
        return M


@pytest.fixture(scope="module")
def clean() -> lc.ComparisonRun:
    return lc.compare("two_link_arm", Dynamics, **QUICK)


@pytest.fixture(scope="module")
def wrong() -> lc.ComparisonRun:
    return lc.compare("two_link_arm", WrongDynamics, **QUICK)


@pytest.mark.quick
def test_importing_leapcheck_imports_nothing_heavy() -> None:
    code = f"import sys, leapcheck; print(sorted({HEAVY!r} & sys.modules.keys()))".replace(f"{HEAVY!r}", f"set({HEAVY!r})")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.quick
@pytest.mark.parametrize("name", sorted(set(lc.__all__) - {"__version__"}))
def test_each_public_name_has_a_docstring_types_and_an_example(name: str) -> None:
    thing = getattr(lc, name)
    doc = inspect.getdoc(thing)
    assert doc
    assert ">>> " in doc or "    class " in doc
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())


@pytest.mark.quick
def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'comapre'.*compare"):
        _ = lc.comapre


@pytest.mark.quick
def test_the_arguments_of_compare_are_the_options_of_the_command_line() -> None:
    parameters = inspect.signature(lc.compare).parameters
    options = {option.name: option.default for option in fields(CompareOptions)}
    assert {name: parameters[name].default for name in options} == options
    assert set(parameters) - set(options) == {"robot", "engine", "progress"}


@pytest.mark.quick
def test_engines_that_agree(clean: lc.ComparisonRun) -> None:
    assert clean.ok
    assert clean.verdict is lc.ComparisonVerdict.AGREE
    assert clean.exit_status == 0
    assert not clean.diagnoses
    clean.raise_if_wrong()
    assert clean.failure_text() == ""
    assert repr(clean) == "<ComparisonRun agree: two_link_arm, reference, mujoco, Dynamics, 32 states>"
    assert "Agree" in str(clean)
    assert "Agree" in clean._repr_html_()


def test_an_engine_that_is_wrong(wrong: lc.ComparisonRun) -> None:
    assert not wrong.ok
    assert wrong.verdict is lc.ComparisonVerdict.DISCREPANCY
    assert {diagnosis.engine for diagnosis in wrong.diagnoses} == {"WrongDynamics"}
    with pytest.raises(AssertionError, match=r"(?s)mass_matrix.*worst: state.*smallest"):
        wrong.raise_if_wrong()
    wrong.raise_if_wrong("bias_force")
    assert "WrongDynamics is wrong" in wrong.explain()
    assert repr(wrong.explain()) == str(wrong.explain())
    repeat = "leapcheck.compare('two_link_arm', [WrongDynamics], engines=('reference',), quantities='mass_matrix'"
    assert repeat in wrong.failure_text()
    assert f"importlib.import_module({__name__!r}).WrongDynamics".replace("'", '"') in wrong.failure_text()  # the reproducer
    call = "leapcheck.compare('two_link_arm', [WrongDynamics], engines=('reference', 'mujoco'), states=32, seed=0)"
    assert wrong.record.provenance.command == call
    with pytest.raises(ValueError, match="nobody"):
        wrong.explain(engine="nobody")


def test_the_frame_has_plain_columns(wrong: lc.ComparisonRun) -> None:
    frame = wrong.to_frame()
    assert len(frame) == len(wrong.record.comparisons)
    states = [f"{part}_{i}" for part in ("q", "v", "tau") for i in range(2)]
    assert list(frame.columns)[-6:] == states
    assert (frame[states].dtypes == np.float64).all()
    assert frame.attrs["units"]["q_0"] == "m, 1, rad"
    assert not any("[" in str(value) for value in frame.drop(columns="worst_entry").to_numpy().ravel())
    row = frame[frame.verdict == "discrepancy"].iloc[0]
    assert row.quantity == "mass_matrix"
    assert row.absolute == pytest.approx(0.01)
    assert set(wrong.accuracy_frame().engine) == {"reference", "mujoco", "WrongDynamics"}


def test_the_worst_states_can_be_compared_again(wrong: lc.ComparisonRun) -> None:
    worst = wrong.worst_states()
    assert len(set(worst.index)) == len(worst) > 0
    again = lc.compare("two_link_arm", WrongDynamics, engines=("reference",), states=worst)
    largest = wrong.to_frame().query("verdict == 'discrepancy'").error.max()
    assert again.to_frame().error.max() == pytest.approx(largest, rel=1e-12)


def test_a_report_is_read_back(wrong: lc.ComparisonRun, tmp_path: Path) -> None:
    run = wrong.write_report(tmp_path / "report")
    assert {"report.html", "results.json", "states.parquet"} <= {path.name for path in (tmp_path / "report").iterdir()}
    assert "reproducers/WrongDynamics_mass_matrix.py" in (tmp_path / "report" / "report.html").read_text()
    assert (tmp_path / "report" / "reproducers" / "WrongDynamics_mass_matrix.py").is_file()
    back = lc.read_run(tmp_path / "report")
    assert back == run
    assert str(back) == str(wrong)
    assert f"explain {Path('report')}" in back.failure_text() or "leapcheck explain" in back.failure_text()


def test_assert_agrees() -> None:
    assert lc.assert_agrees(Dynamics, "two_link_arm", states=16).ok
    with pytest.raises(AssertionError, match="mass_matrix"):
        lc.assert_agrees(WrongDynamics, "two_link_arm", states=16)


def test_several_engines_and_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "class Mine:\n    def __init__(self, spec): ...\n    def potential_energy(self, q): return 1.0\n"
    (tmp_path / "mine.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    quantities = ("potential_energy", "mass_matrix")
    run = lc.compare("falling_rod", ["mine:Mine", Dynamics], engines="reference", states=8, quantities=quantities)
    assert run.to_frame().query("verdict == 'discrepancy'").engine.unique().tolist() == ["mine:Mine"]


def test_a_spec_a_file_and_its_name_give_the_same(tmp_path: Path) -> None:
    by_name, by_spec = (lc.compare(robot, **QUICK) for robot in ("falling_rod", lc.load("falling_rod")))
    assert by_name.record.comparisons == by_spec.record.comparisons


@pytest.mark.quick
def test_robots() -> None:
    assert lc.load("mini_cheetah").nv == 18
    q = lc.states("mini_cheetah", 300, seed=3).q
    np.testing.assert_array_equal(lc.states("mini_cheetah", 10, seed=3).q, q[:10])
    M = lc.kernel("mini_cheetah", ("mass_matrix",))(q)["mass_matrix"]
    np.testing.assert_array_equal(M[7], M[7].T)
    report = lc.lint("mini_cheetah")
    assert len(report.to_frame()) == len(report) == len(list(report))
    assert "\n" not in repr(report)
    with pytest.raises(ValueError, match="0 states"):
        lc.states("box", 0)


@pytest.mark.quick
def test_the_arguments_of_jumps_are_the_options_of_the_command_line() -> None:
    for function, kind, more in ((lc.jump, JumpOptions, {"robot", "workers", "progress"}), (lc.leg_jump, LegJumpOptions, set())):
        parameters = inspect.signature(function).parameters
        options = {option.name: option.default for option in fields(kind)}
        assert {name: parameters[name].default for name in options} == options
        assert set(parameters) - set(options) == more


def test_a_jump(tmp_path: Path) -> None:
    push = {"crouch": 0.2, "push_time": 0.132}
    jump = lc.jump("mini_cheetah_armature", height=0.1, **push, engines=("rigid", "mujoco"), levels=1, workers=1)
    assert (jump.ok, jump.exit_status) == (True, 0)
    assert jump.verdict == "MARGINAL"  # one time step: no error bars
    frame = jump.to_frame().set_index(["name", "joint"])
    assert frame.value["height", ""] == pytest.approx(0.1, rel=0.05)
    log = jump.log("mujoco")
    assert log.time.is_monotonic_increasing
    assert len(log) > 500
    with pytest.raises(ValueError, match="use one of rigid, mujoco"):
        jump.log("nobody")
    assert "MARGINAL" in str(jump)
    assert "MARGINAL" in jump._repr_html_()
    assert repr(jump) == "<JumpRun MARGINAL: mini_cheetah_armature, rigid, mujoco>"
    jump.write_report(tmp_path)
    assert {"report.html", "results.json", "scene3d.html", "logs"} <= {path.name for path in tmp_path.iterdir()}
    assert not lc.jump("mini_cheetah_armature", height=5.0, **push).ok


def test_a_leg_jump(tmp_path: Path) -> None:
    jump = lc.leg_jump(servo_torque=2.0, servo_speed=300.0)
    assert jump.verdict == "NO-GO"
    assert jump.remedies
    assert "NO-GO" in str(jump)
    assert "NO-GO" in jump._repr_html_()
    assert "\n" not in repr(jump)
    assert jump.to_frame().time_s.is_monotonic_increasing
    jump.write_report(tmp_path)
    assert (tmp_path / "leg_jump.json").exists()


def test_an_engine_by_every_way(tmp_path: Path) -> None:
    from leapcheck.engines.outside.user import user_engine

    spec = lc.load("two_link_arm")
    ways = (Dynamics, Dynamics(spec), lambda spec: Dynamics(spec), user_engine(Dynamics(spec), spec), vars(Holder))
    for engine in ways:
        run = lc.compare(spec, engine, engines=("reference",), states=8)
        assert run.ok, engine
        assert {"mass_matrix", "bias_force"} <= set(run.to_frame().quantity)


class Holder:
    """Functions in a namespace."""

    mass_matrix = staticmethod(lambda q: Dynamics(lc.load("two_link_arm")).mass_matrix(q))
    bias_force = staticmethod(lambda q, v: Dynamics(lc.load("two_link_arm")).bias_force(q, v))


@pytest.mark.quick
def test_a_misspelt_quantity_is_named() -> None:
    class Misspelt:
        def mass_matrix(self, q: Floats) -> Floats:
            return Dynamics(lc.load("two_link_arm")).mass_matrix(q)

        def bias_forces(self, q: Floats, v: Floats) -> Floats:
            return v

    class Nothing:
        def massmatrix(self, q: Floats) -> Floats:
            return q

    assert any("bias_forces" in line for line in lc.compare("two_link_arm", Misspelt, **QUICK).not_compared)
    with pytest.raises(EngineError, match=r"massmatrix.*mass_matrix"):
        lc.compare("two_link_arm", Nothing, **QUICK)


@pytest.mark.quick
def test_results_have_one_line_reprs(clean: lc.ComparisonRun) -> None:
    things = (clean, clean.record, clean.worst_states(), lc.load("mini_cheetah"), lc.states("box", 4), lc.lint("box"))
    for thing in (*things, lc.kernel("box", ("mass_matrix",))):
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 130
