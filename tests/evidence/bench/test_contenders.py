"""The contenders of a robot: all compute the same, and one that does not is refused."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from leapcheck_evidence.bench.arithmetic import Arithmetic, arithmetic
from leapcheck_evidence.bench.contenders import LAYOUTS, Field, TimingName, bound_name, contenders, own_name
from leapcheck_evidence.bench.own import MakeKernel, NotAvailable, make_kernel
from leapcheck_evidence.bench.run import LARGEST_DIFFERENCE, checked_differences
from leapcheck_evidence.bench.states import ALL, PARTS, generic_states
from leapcheck_models.robots import load
from leapcheck_reference import Tree, build
from leapcheck_reference.trace import native
from tests.evidence.bench.bench_cases import StandInKernel

ROBOT = "two_link_arm"


@pytest.fixture(autouse=True)
def _no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pinocchio from Python: its C++ takes a minute to build."""
    monkeypatch.setenv("PATH", "")


def raced(make: MakeKernel, bounds: Sequence[Arithmetic] = (), blocks: tuple[int, ...] = (8, 16)) -> Field:
    """The field after everyone has run once."""
    field = contenders(load(ROBOT), blocks, bounds, make)
    for contender in field.contenders:
        contender.run()
    return field


def test_everyone_is_timed_on_every_part_and_answers_the_same() -> None:
    field = raced(StandInKernel, [arithmetic(4, native.vector_width())])
    names = {contender.name for contender in field.contenders}
    kernels = [own_name(layout, lanes) for layout in LAYOUTS for lanes in (8, 4)]
    who = ["MuJoCo, mj_jacDot", "MuJoCo, mj_objectAcceleration", "Pinocchio", *kernels]
    assert {str(TimingName(name, part, block)) for name in who for part in PARTS for block in (8, 16)} <= names
    assert bound_name(native.vector_width()) in names
    differences = checked_differences(load(ROBOT), field.answers)
    assert {*who[:3], own_name(LAYOUTS[0], 8), own_name(LAYOUTS[0], 4)} <= set(differences)
    assert field.operations == dict.fromkeys(PARTS, StandInKernel.operations)


def test_counts_are_the_states_of_a_call() -> None:
    counts = {contender.name: contender.count for contender in contenders(load(ROBOT), (8, 16), (), StandInKernel).contenders}
    assert all(TimingName.from_text(name).block == count for name, count in counts.items())
    assert set(counts.values()) == {8, 16}


def test_a_contender_that_computes_something_else_is_refused() -> None:
    field = raced(partial(StandInKernel, fault=10 * LARGEST_DIFFERENCE))
    with pytest.raises(
        RuntimeError, match=r"kernel, NumPy layout, AVX-512 differs from the readable code by .*`leapcheck compare"
    ):
        checked_differences(load(ROBOT), field.answers)


def test_what_was_never_written_is_refused() -> None:
    field = contenders(load(ROBOT), (8,), (), StandInKernel)
    never_run = [answer for answer in field.answers if answer.who == "Pinocchio"]
    with pytest.raises(RuntimeError, match="Pinocchio differs from the readable code by nan"):
        checked_differences(load(ROBOT), never_run)


def test_a_kernel_that_is_not_there_is_named_with_its_reason() -> None:
    def make(_tree: Tree, _quantities: object, lanes: int) -> StandInKernel:
        raise NotAvailable(f"no vectors of {lanes}")

    field = contenders(load(ROBOT), (8,), (), make)
    assert field.missing[own_name(LAYOUTS[1], 4)] == "no vectors of 4"
    assert not any(contender.name.startswith("kernel") for contender in field.contenders)
    assert str(TimingName("Pinocchio", ALL, 8)) in {contender.name for contender in field.contenders}


def test_vectors_that_the_cpu_has_not() -> None:
    with pytest.raises(NotAvailable, match=r"this CPU's vectors hold \d doubles, not 64"):
        make_kernel(build(load(ROBOT)), PARTS[ALL], 64)


def test_generic_states_are_generic_and_the_first_of_more() -> None:
    spec = load("mini_cheetah_armature")
    few, more = generic_states(spec, 10), generic_states(spec, 200)
    assert len(more) == 200
    assert set(more.kind) == {"generic"}
    assert (more.q[:10] == few.q).all()
    assert (abs(more.q[:, :3]) <= 1.0).all()
