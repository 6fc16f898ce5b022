"""The truth on every state against arb: generic, fast, singular and far; batches, threads, the cache, bad input."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx

import leapcheck_reference as reference
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.scalar import array_of
from leapcheck_reference.trace import truth
from leapcheck_reference.trace.balls import ball_values
from leapcheck_reference.trace.cache import FOLDER_VARIABLE
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.record import exact_record
from leapcheck_reference.trace.truth import TruthKernel, truth_kernel
from tests.reference import generic_states
from tests.reference.trace.term_magnitudes import magnitudes

QUANTITIES = (
    "mass_matrix",
    "bias_force",
    "contact_positions",
    "contact_jacobians",
    "contact_bias_accelerations",
    "coriolis_force",
    "gravity_force",
    "forward_dynamics",
    "inverse_dynamics",
    "kinetic_energy",
    "potential_energy",
    "centroidal_momentum",
)
PARAMETERS = {
    **dict.fromkeys(("mujoco_mass_matrix", "cinert", "crb", "cdof", "mass_matrix"), ("q",)),
    **dict.fromkeys(("contact_positions", "contact_jacobians", "gravity_force", "potential_energy"), ("q",)),
    "forward_dynamics": ("q", "v", "tau"),
    "inverse_dynamics": ("q", "v", "vdot"),
}
BITS = 256
ROUNDING = 2.0**-106
ERROR = 2 * ROUNDING  # in units of the running error bound of the record; measured worst 0.96 * ROUNDING
STATES = (0, 6, 8, 11, 13, 15)  # generic, large, singular, rest, far, pose: see `leapcheck.sampling.PATTERN`


def states_of(spec: RobotSpec, count: int = 16) -> dict[str, Array]:
    states = generated_states(spec, count, 1, 0)
    vdot = np.random.default_rng(2).normal(size=states.v.shape)
    return {"q": states.q, "v": states.v, "tau": states.tau, "vdot": vdot}


def called(kernel: TruthKernel, states: dict[str, Array]) -> dict[str, Array]:
    return kernel(*(states[name] for name in kernel.arguments))


def readable(spec: RobotSpec, quantity: str, state: dict[str, Array]) -> Array:
    """The readable algorithm on balls, no record; flat."""
    with ctx.workprec(BITS):
        tree = reference.build(spec, scalar=arb)
        values = getattr(reference, quantity)(tree, *(array_of(state[a], arb) for a in PARAMETERS.get(quantity, ("q", "v"))))
        return np.array([arb(x) for x in np.asarray(values, dtype=object).flat], dtype=object)


ROBOTS = (*generic_states.ROBOTS, "tree4_1", "tree4_2")


@pytest.fixture(scope="module", params=generic_states.robots_with_one_large("random:19", ROBOTS))
def robot(request: pytest.FixtureRequest) -> tuple[RobotSpec, TruthKernel, Graph]:
    spec = load(request.param)
    return spec, truth_kernel(spec, QUANTITIES), exact_record(spec, QUANTITIES)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_pairs_are_right_to_the_running_error_bound(
    robot: tuple[RobotSpec, TruthKernel, Graph], every: int, request: pytest.FixtureRequest
) -> None:
    """One state of each robot, the next kind for the next robot: each kind of state on two or more; else every one."""
    spec, kernel, graph = robot
    first = ROBOTS.index(request.node.callspec.params["robot"]) % every
    states = states_of(spec)
    pairs = kernel.pairs(*(states[name] for name in kernel.arguments))
    worst = 0.0
    for state in STATES[first::every]:
        given = {name: states[name][state] for name in kernel.arguments}
        bounds = magnitudes(graph, given)
        for name, balls in ball_values(graph, given, BITS).items():
            high, low = (part[state].ravel() for part in pairs[name])
            for h, l, ball, bound in zip(high, low, balls.flat, bounds[name].flat, strict=True):
                with ctx.workprec(BITS):
                    off = float(abs(arb(float(h)) + arb(float(l)) - ball).upper())
                worst = max(worst, off / bound if off > 0 else 0.0)
    assert worst <= ERROR


def test_each_entry_is_the_double_nearest_to_the_readable_algorithms_value(robot: tuple[RobotSpec, TruthKernel, Graph]) -> None:
    """Within half an ulp and the pair's own error."""
    spec, kernel, graph = robot
    states = states_of(spec)
    answers = called(kernel, states)
    for state in (0, 8):
        given = {name: values[state] for name, values in states.items()}
        bounds = magnitudes(graph, given)
        for name in QUANTITIES:
            true = readable(spec, name, given)
            actual = answers[name][state].ravel()
            with ctx.workprec(BITS):
                off = np.array([float(abs(arb(x) - t).upper()) for x, t in zip(actual.tolist(), true, strict=True)])
            assert (off <= 0.5 * np.spacing(np.abs(actual)) + ERROR * bounds[name].ravel()).all()


def test_the_double_double_value_lies_in_the_ball(robot: tuple[RobotSpec, TruthKernel, Graph]) -> None:
    """A ball of 128 bits, widened by the pair's own error."""
    spec, kernel, graph = robot
    states = states_of(spec)
    pairs = kernel.pairs(*(states[name] for name in kernel.arguments))
    graph = graph.subgraph(("bias_force", "contact_jacobians"))
    given = {name: states[name][13] for name in graph.inputs}
    bounds = magnitudes(graph, given)
    for name, balls in ball_values(graph, given).items():
        high, low = (part[13].ravel() for part in pairs[name])
        for h, l, ball, bound in zip(high, low, balls.flat, bounds[name].flat, strict=True):
            with ctx.workprec(BITS):
                assert (arb(float(h)) + arb(float(l)) + arb(0, float(ERROR * bound))).overlaps(ball)


@pytest.fixture(scope="module")
def quadruped() -> tuple[RobotSpec, TruthKernel]:
    spec = load("mini_cheetah")
    return spec, truth_kernel(spec, QUANTITIES)


@pytest.mark.parametrize("size", [1, 2, 31, 33, 100])
def test_a_state_has_the_same_bits_in_every_batch(quadruped: tuple[RobotSpec, TruthKernel], size: int) -> None:
    spec, kernel = quadruped
    states = states_of(spec, 140)
    whole = called(kernel, states)
    for first in (0, 1, 37):
        part = called(kernel, {name: values[first : first + size] for name, values in states.items()})
        for name in QUANTITIES:
            assert part[name].tobytes() == whole[name][first : first + size].tobytes()


@pytest.mark.parametrize("width", [2, 4])
def test_narrower_vectors_give_the_same_bits(quadruped: tuple[RobotSpec, TruthKernel], width: int) -> None:
    spec, kernel = quadruped
    states = states_of(spec, 37)
    answers, narrow = called(kernel, states), called(truth_kernel(spec, QUANTITIES, width), states)
    assert all(narrow[name].tobytes() == answers[name].tobytes() for name in QUANTITIES)


@pytest.mark.parametrize("quantity", ["mujoco_mass_matrix", "cinert", "crb", "cdof"])
def test_mujocos_own_storage(quantity: str) -> None:
    """Of a robot whose rotors are bodies, in MuJoCo's coordinates; entries are what the largest one is right to."""
    spec = load("mini_cheetah")
    bodies = with_rotor_bodies(spec).spec
    q = np.array([with_rotor_coordinates(spec, state) for state in states_of(spec)["q"]])
    answers = truth_kernel(bodies, (quantity,))(q)[quantity]
    true = np.array([float(x.mid()) for x in readable(bodies, quantity, {"q": q[0]})])
    assert np.abs(answers[0].ravel() - true).max() <= 2.0**-53 * np.abs(true).max()


def test_no_states_give_empty_arrays(quadruped: tuple[RobotSpec, TruthKernel]) -> None:
    spec, kernel = quadruped
    answers = called(kernel, {name: values[:0] for name, values in states_of(spec).items()})
    assert answers["mass_matrix"].shape == (0, spec.nv, spec.nv)


def test_threads_side_by_side(quadruped: tuple[RobotSpec, TruthKernel]) -> None:
    spec, kernel = quadruped
    states = states_of(spec, 256)
    alone = called(kernel, states)
    with ThreadPoolExecutor(4) as pool:
        for answers in pool.map(lambda _: called(kernel, states), range(12)):
            assert all(answers[name].tobytes() == alone[name].tobytes() for name in QUANTITIES)


def test_arrays_to_write_into(quadruped: tuple[RobotSpec, TruthKernel]) -> None:
    spec, kernel = quadruped
    states = states_of(spec)
    inputs = [states[name] for name in kernel.arguments]
    out = {name: np.full_like(array, np.nan) for name, array in kernel.arrays(16).items()}
    answers = kernel(*inputs, out=out)
    again = kernel(*inputs)
    for name in QUANTITIES:
        assert answers[name] is out[name]
        assert out[name].tobytes() == again[name].tobytes()
    for wrong in ({}, {**out, "mass_matrix": out["mass_matrix"][::-1]}, {**out, "mass_matrix": np.zeros((16, 18))}):
        with pytest.raises(ValueError, match=r"out\['mass_matrix'\] is no writeable C-ordered array \(16, 18, 18\)"):
            kernel(*inputs, out=wrong)


def test_quaternions_are_normalised_beyond_double(quadruped: tuple[RobotSpec, TruthKernel]) -> None:
    """Numbers of 24 bits times 1 + 2^-20 are still doubles: a quaternion off unit norm, and the same rotation exactly."""
    spec, kernel = quadruped
    states = states_of(spec)
    states["q"][:, 3:7] = states["q"][:, 3:7].astype(np.float32)
    longer = {**states, "q": states["q"].copy()}
    longer["q"][:, 3:7] *= 1.0 + 2.0**-20
    first, second = called(kernel, states), called(kernel, longer)
    for name in QUANTITIES:
        difference = np.abs(first[name] - second[name])
        assert (difference <= np.spacing(np.abs(first[name]))).all()  # an entry may lie between two doubles
        assert (difference != 0.0).mean() <= 0.01


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


def test_nothing_is_recorded_again(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load("pupper_leg")
    states = states_of(spec)
    first = called(truth_kernel(spec, ("mass_matrix", "bias_force")), states)
    assert list(fresh_cache.iterdir())
    for name in ("exact_record", "program"):
        monkeypatch.delattr(truth, name)
    second = called(truth_kernel(spec, ("mass_matrix", "bias_force")), states)
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)
    with pytest.raises(NameError):
        truth_kernel(spec, ("mass_matrix",))


def test_bad_arguments(quadruped: tuple[RobotSpec, TruthKernel]) -> None:
    spec, kernel = quadruped
    states = states_of(spec)
    q, v, vdot, tau = (states[name] for name in ("q", "v", "vdot", "tau"))
    assert kernel.arguments == ("q", "v", "vdot", "tau")
    with pytest.raises(ValueError, match="takes q, v, vdot, tau: 2 arrays were given"):
        kernel(q, v)
    with pytest.raises(ValueError, match=r"v of 'mini_cheetah' has shape \(16, 19\): give \(n, 18\)"):
        kernel(q, q, vdot, tau)
    with pytest.raises(ValueError, match="numbers of states of 'mini_cheetah' differ"):
        kernel(q, v[:3], vdot, tau)
    with pytest.raises(ValueError, match="unknown quantity 'mass'"):
        truth_kernel(spec, ("mass",))
    with pytest.raises(ValueError, match="depend on no state"):
        truth_kernel(spec, ())
    with pytest.raises(ValueError, match=r"\['total_mass'\] depend on no state"):
        truth_kernel(spec, ("total_mass",))
