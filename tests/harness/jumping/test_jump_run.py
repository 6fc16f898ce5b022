"""A whole study: the same in any number of processes, and what fails is named while the others go on."""

import os
import pickle
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import pytest

from leapcheck.jumping import runs
from leapcheck.jumping.act import Act
from leapcheck.jumping.control import JointCommand, Timing
from leapcheck.jumping.judging.verdict import JumpJudgement
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning import plan as quick
from leapcheck.jumping.planning.records import Infeasible, JumpRequest, PlannerError
from leapcheck.jumping.runs import simulate_everywhere
from leapcheck.jumping.setup import JumpSetup
from leapcheck.jumping.study import evaluate, jump_study, provenance, unplanned_study
from leapcheck.simulators.registry import SIMULATORS
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives

ROBOT = load("mini_cheetah_armature")
STAND = np.array(ROBOT.pose("home"))
WHERE = provenance(ROBOT, "leapcheck jump", 0)


@dataclass
class Still:
    """Stands; its process dies at a call between 0 and the time `dies`, which only a small time step makes."""

    dies: float = 0.0

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        if 0.0 < t < self.dies:
            os._exit(3)
        n = len(ROBOT.actuators)
        return JointCommand(np.zeros(n), STAND[7:], np.zeros(n), np.full(n, 60.0), np.full(n, 1.0))


def setup(engines: tuple[str, ...], policy: Still = Still(), **options: object) -> JumpSetup:
    act = Act(policy, (STAND, np.zeros(ROBOT.nv)), 0.02)
    return replace(JumpSetup(ROBOT, act, engines, levels=2), **options)


class Telling:
    """Stops its run at once, and says which process that is."""

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        raise RuntimeError(f"process {os.getpid()}.")


@pytest.mark.parametrize(("planned", "here"), [(True, {("rigid", 0)}), (False, set())])
def test_light_simulators_need_no_process_of_their_own_for_a_few_steps_of_a_plan(
    planned: bool, here: set[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SHARE", 40)  # a run has 20 steps, then 40
    act = Act(Telling(), (STAND, np.zeros(ROBOT.nv)), 0.02, object() if planned else None)
    logs, failures = simulate_everywhere(replace(setup(("mujoco", "rigid")), act=act), 2)
    assert not failures
    own = f"process {os.getpid()}."
    assert {(name, k) for name, some in logs.items() for k, log in enumerate(some) if own in log.stopped} == here
    assert all("process " in log.stopped for some in logs.values() for log in some)


def test_any_number_of_processes_gives_the_same_logs() -> None:
    asked = setup(("soft", "spring-damper"))
    calls: list[tuple[int, int]] = []
    alone = simulate_everywhere(asked, 1, lambda done, total, now="": calls.append((done, total)))
    spread = simulate_everywhere(asked, 2)
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert list(alone[0]) == list(spread[0]) == ["soft", "spring-damper"]
    assert alone[1] == spread[1] == {}
    assert [[log.dt for log in logs] for logs in alone[0].values()] == [[1e-3, 5e-4]] * 2
    for name, logs in alone[0].items():
        for one, other in zip(logs, spread[0][name], strict=True):
            assert pickle.dumps(one) == pickle.dumps(other)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_verdict_comes_from_the_coarsest_step_of_all_simulators(workers: int) -> None:
    calls: list[int] = []
    verdicts: list[tuple[int, JumpJudgement]] = []

    def first(judgement: JumpJudgement) -> None:
        verdicts.append((len(calls), judgement))

    asked = setup(("soft", "spring-damper"), levels=3)
    simulate_everywhere(asked, workers, lambda done, total, now="": calls.append(done), first)
    ((done, judgement),) = verdicts
    assert done == 2 or workers > 1  # one of two processes may do all the rest before the other has started
    assert judgement.sentence.startswith("NO-GO: the robot does not leave the ground in soft, spring-damper")
    assert "time step" not in {reason.item for reason in judgement.reasons}  # no error bars yet, which is no reason
    simulate_everywhere(setup(("soft",), levels=1), workers, None, first)
    assert len(verdicts) == 1  # a single step has the final verdict at once


def test_a_simulator_that_fails_is_named_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    massless = "<mujoco>\n<worldbody><body name='ghost'><joint/><geom size='1' mass='0'/></body></worldbody></mujoco>"
    refusing = replace(SIMULATORS["mujoco"], make=lambda *_: mujoco.MjModel.from_xml_string(massless))
    monkeypatch.setitem(SIMULATORS, "mujoco", refusing)
    asked = setup(("mujoco", "soft"))
    run = evaluate(asked, WHERE, simulate_everywhere(asked))
    assert list(run.logs) == ["soft"]
    assert list(run.failures) == ["mujoco"]
    assert "mass and inertia" in run.failures["mujoco"]
    assert "\n" not in run.failures["mujoco"]
    assert run.exit_status == 1


def test_a_process_that_dies_takes_no_other_with_it() -> None:
    logs, failures = simulate_everywhere(setup(("soft", "spring-damper"), Still(dies=8e-4), timing=Timing(0.0)), 2)  # finer step
    assert {name: [log.dt for log in runs] for name, runs in logs.items()} == {"soft": [1e-3], "spring-damper": [1e-3]}
    assert set(failures) == {"soft", "spring-damper"}
    assert "its process died" in failures["soft"]


def test_a_jump_that_cannot_be_planned_is_a_finished_no_go() -> None:
    run = unplanned_study(replace(setup(("soft",)), act=None), WHERE, Infeasible("too high"), "jump lower")
    assert run.exit_status == 1
    assert run.judgement.sentence == "NO-GO: too high"
    assert simulate_everywhere(run.setup) == ({}, {})


def test_a_planner_that_finds_nothing_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object) -> None:
        raise PlannerError("after 9 rounds: whether it can jump so is not known")

    monkeypatch.setattr(quick, "_parts", search)
    run = jump_study(ROBOT, JumpOptions(height=0.1))
    assert run.exit_status == 2
    assert run.judgement.sentence == "UNDECIDED: after 9 rounds: whether it can jump so is not known"
    assert "--planner" in run.judgement.remedies[0]
    assert run.logs == run.failures == {}
    with pytest.raises(PlannerError, match="after 9 rounds"):
        quick.highest_jump(ROBOT, JumpRequest(1.0), drives(ROBOT))


def test_a_run_says_where_it_comes_from() -> None:
    assert WHERE.robot == "mini_cheetah_armature"
    assert {"leapcheck", "mujoco", "pin", "Python"} <= set(WHERE.versions)


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_is_simulated_where_nothing_acts(workers: int) -> None:
    assert simulate_everywhere(replace(setup(("soft",)), act=None), workers) == ({}, {})
