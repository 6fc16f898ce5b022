"""The loop over MuJoCo's own functions: in machine code and in Python the same bits, those of MuJoCo's own bindings."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.mujoco import call_table
from leapcheck.engines.mujoco.call_table import (
    ARITY,
    MOST_ARGUMENTS,
    WIDTH,
    Address,
    CallTable,
    Records,
    call,
    native_runner,
    runs,
)
from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.projection import OwnStates
from leapcheck.engines.registry import make_engine
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from tests.harness.engines.engine_cases import near_states, own_states

ROBOTS = ("mini_cheetah", "two_link_arm", "random:1")  # 1: balls; rotors are bodies


def mujoco_engine(robot: str) -> tuple[MujocoEngine, OwnStates]:
    spec = load(robot)
    engine = make_engine("mujoco", spec)
    assert isinstance(engine, MujocoEngine)
    return engine, own_states(engine, near_states(spec, 7))


def raw(engine: MujocoEngine, at: OwnStates, *names: str) -> dict[str, np.ndarray]:
    """Raw numbers; where nothing is written they are NaN."""
    out = {name: np.full((len(at.q), *engine.raw_shapes[name]), np.nan) for name in names}
    engine.write_raw(at, out)
    return out


def run_in_python(records: Records, states: int) -> None:
    """The same calls through ctypes."""
    prototypes = [ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * arity) for arity in range(MOST_ARGUMENTS + 1)]
    functions = [prototypes[record[ARITY]](int(record[0])) for record in records]
    for _ in range(states):
        for function, record in zip(functions, records, strict=True):
            function(*record[1 : 1 + record[ARITY]].tolist())
            record[:WIDTH] += record[WIDTH:]


@pytest.mark.parametrize("robot", ROBOTS)
def test_machine_code_and_python_make_the_same_calls(robot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, at = mujoco_engine(robot)
    together = raw(engine, at, *engine.raw_shapes)
    monkeypatch.setattr(call_table, "native_runner", lambda: run_in_python)
    in_python = raw(mujoco_engine(robot)[0], at, *engine.raw_shapes)
    for name, values in together.items():
        assert np.isfinite(values).all(), name
        np.testing.assert_array_equal(in_python[name], values, err_msg=name)


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_numbers_are_those_of_the_bindings_bit_for_bit(robot: str) -> None:
    engine, at = mujoco_engine(robot)
    found = raw(engine, at, "M", "h", "p", "J", "a")
    spec = load(robot)
    full = with_rotor_bodies(spec).spec
    m = mujoco_build.model_from_mjcf(spec, full)
    d = mujoco.MjData(m)
    for i in range(len(at.q)):
        d.qpos[:], d.qvel[:] = at.q[i], at.v[i]
        for computed in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_crb, mujoco.mj_comVel):
            computed(m, d)
        M, h = np.zeros((m.nv, m.nv)), np.zeros(m.nv)
        mujoco.mj_fullM(m, d, M)
        mujoco.mj_rne(m, d, 0, h)
        np.testing.assert_array_equal(found["M"][i], M)
        np.testing.assert_array_equal(found["h"][i], h)
        for k, site in enumerate(mujoco_build.contact_sites(full, m)):
            J, Jdot, a = np.zeros((3, m.nv)), np.zeros((3, m.nv)), np.zeros(3)
            mujoco.mj_jacSite(m, d, J, None, site)
            mujoco.mj_jacDot(m, d, Jdot, None, d.site_xpos[site], m.site_bodyid[site])
            mujoco.mju_mulMatVec(a, Jdot, d.qvel)
            np.testing.assert_array_equal(found["p"][i, k], d.site_xpos[site])
            np.testing.assert_array_equal(found["J"][i, k], J)
            np.testing.assert_array_equal(found["a"][i, k], a)


def test_the_engine_forgets_what_it_was_asked_before() -> None:
    """Forces without gravity and at rest change the model and the data for a while: the next state must not see it."""
    engine, at = mujoco_engine("mini_cheetah")
    alone = raw(engine, at, "h", "a")
    after = raw(engine, at, "c", "g", "h", "MinvJT", "a", "udot")
    for name, values in alone.items():
        np.testing.assert_array_equal(after[name], values, err_msg=name)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("q", lambda block: block[:, :-1].copy()),
        ("v", lambda block: block[:-1]),
        ("h", lambda block: block.astype(np.float32)),
        ("J", lambda block: np.asfortranarray(block)),
        ("tau", lambda block: block[:, 0]),
    ],
)
def test_a_block_that_cannot_be_gone_through_by_address_is_refused(name: str, spoil: Callable[[np.ndarray], np.ndarray]) -> None:
    engine, at = mujoco_engine("mini_cheetah")
    out = {key: np.zeros((len(at.q), *engine.raw_shapes[key])) for key in ("h", "J")}
    if name in out:
        out[name] = spoil(out[name])
    else:
        at = at._replace(**{name: spoil(getattr(at, name))})
    with pytest.raises(ValueError, match=r"C-contiguous float64 of shape"):
        engine.write_raw(at, out)


RUNNERS = pytest.mark.parametrize("run", [native_runner(), run_in_python], ids=["machine code", "Python"])


@RUNNERS
@pytest.mark.parametrize("arity", range(7))
def test_every_argument_arrives_and_grows_by_its_own_row(
    run: Callable[..., None], arity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_table, "native_runner", lambda: run)
    seen: list[tuple[int, ...]] = []
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * arity)
    function = prototype(lambda *arguments: seen.append(arguments))
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    names = [f"array {k}" for k in range(arity)]
    made = call("function", *(Address(name, k) for k, name in enumerate(names)))
    table = CallTable([made, call("function", *range(-arity, 0))], lambda _: address, {name: k for k, name in enumerate(names)})
    table.run({name: 1000 * k for k, name in enumerate(names)}, 3)
    rows = [tuple(1000 * k + 8 * k + 8 * k * i for k in range(arity)) for i in range(3)]
    assert seen == [arguments for row in rows for arguments in (row, tuple(range(-arity, 0)))]


@RUNNERS
def test_arguments_are_integers_places_and_rows(run: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """C's own copy of memory: the row of each state's, a place within one, a fixed array, a length in bytes."""
    monkeypatch.setattr(call_table, "native_runner", lambda: run)
    memmove = ctypes.cast(ctypes.memmove, ctypes.c_void_p).value or 0
    source, fixed, out = np.arange(12.0).reshape(4, 3), np.array([-1.0, -2.0]), np.full((4, 5), np.nan)
    program = [
        call("memmove", Address("out", 1), "source", 24),
        call("memmove", Address("out", 4), Address("fixed", 1), 8),
        call("memmove", "fixed", Address("source", 2), 8),
        call("memmove", "out", "fixed", 8),
    ]
    table = CallTable(program, {"memmove": memmove}.__getitem__, {"source": 3, "out": 5})
    addresses = {"source": source.ctypes.data, "fixed": fixed.ctypes.data, "out": out.ctypes.data}
    for _ in range(2):  # a table can be run again
        out[:] = np.nan
        table.run(addresses, 4)
        expected = np.column_stack([source[:, 2], source, np.full(4, -2.0)])
        np.testing.assert_array_equal(out, expected)
    out[:] = np.nan
    table.run(addresses, 0)
    assert np.isnan(out).all()


def test_more_arguments_than_registers_are_refused() -> None:
    with pytest.raises(ValueError, match="mju_sparse2dense: 7 arguments: at most 6"):
        call("mju_sparse2dense", 0, 0, 0, 0, 0, 0, 0)


def test_stretches_of_consecutive_numbers_are_copied_at_once() -> None:
    assert runs([]) == []
    assert runs([4, 5, 6, 2, 3, 9]) == [(0, 4, 3), (3, 2, 2), (5, 9, 1)]
