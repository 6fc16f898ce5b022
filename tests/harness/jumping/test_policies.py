"""Controllers from outside: functions of the user and files of joint targets."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from leapcheck.jumping import policies
from leapcheck.jumping.act import Act
from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.policies import TRAJECTORY_GAINS, UserPolicy, read_trajectory, user_policy
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

SPEC = load("mini_cheetah")
JOINTS = [actuator.joint for actuator in SPEC.actuators]
STATE = np.zeros(SPEC.nq), np.zeros(SPEC.nv)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    return write


def test_a_users_function_gives_torques_or_commands(module) -> None:
    name = module(
        "my_controller",
        "import numpy as np\nfrom leapcheck.jumping.control import JointCommand\n"
        "def torques(spec):\n    return lambda t, q, v: [t] * len(spec.actuators)\n"
        "def commands(spec):\n    n = np.zeros(12)\n    return lambda t, q, v: JointCommand(n + 1, n + 2, n, n + 3, n)\n",
    )
    command = user_policy(f"{name}:torques", SPEC)(0.5, *STATE)
    assert np.array_equal(command.desired_torque(np.ones(12), np.ones(12)), np.full(12, 0.5))
    command = user_policy(f"{name}:commands", SPEC)(0.5, *STATE)
    assert np.array_equal(command.desired_torque(np.ones(12), np.ones(12)), np.full(12, 4.0))


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("nothing", "write it as module:factory"),
        ("no_such_module_here:f", "cannot import module 'no_such_module_here'"),
        ("faulty_controller:missing", "has no function 'missing'"),
        ("faulty_controller:raises", "raised KeyError"),
        ("faulty_controller:number", "gives int: return a function"),
    ],
)
def test_what_is_wrong_with_a_users_module_is_said(module, target: str, says: str) -> None:
    module("faulty_controller", "def raises(spec): return {}['x']\ndef number(spec): return 3\n")
    with pytest.raises(ValueError, match=says) as caught:
        user_policy(target, SPEC)
    assert target in str(caught.value)


def test_a_users_controller_travels_and_forgets(module) -> None:
    name = module(
        "counting_controller",
        "def make(spec):\n    calls = []\n    def policy(t, q, v):\n        calls.append(t)\n"
        "        return [float(len(calls))] * 12\n    return policy\n",
    )
    policy = user_policy(f"{name}:make", SPEC)
    assert [policy(0.0, *STATE).torque[0] for _ in range(3)] == [1.0, 2.0, 3.0]
    assert isinstance(policy, UserPolicy)
    assert pickle.loads(pickle.dumps(policy))(0.0, *STATE).torque[0] == 1.0
    act = Act(policy, STATE, 1.0)
    assert [act.fresh_policy()(0.0, *STATE).torque[0] for _ in range(2)] == [1.0, 1.0]
    assert policy(0.0, *STATE).torque[0] == 4.0


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("[0.0]", r"returned an array \(1,\)"),
        ("None", "returned None"),
        ("'stand up' * 9", r"returned 'stand up.*\.\.\."),
        ("[1j] * 12", r"returned \[1j, 1j, .*1j\]"),
        ("[[0.0], [0.0, 1.0]]", r"returned \[\[0.0\], \[0.0, 1.0\]\]"),
    ],
)
def test_an_answer_that_is_no_torques_is_refused(module, answer: str, says: str) -> None:
    name = module(f"odd_controller_{abs(hash(answer))}", f"def make(spec): return lambda t, q, v: {answer}\n")
    with pytest.raises(ValueError, match=f"{says}: give 12 torques, or a JointCommand"):
        user_policy(f"{name}:make", SPEC)(0.0, *STATE)


def test_a_controller_that_hangs_is_stopped(module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "LONGEST_CALL", 0.05)
    name = module(
        "hanging_controller",
        "import time\n"
        "def computes(spec):\n    def policy(t, q, v):\n        while True:\n            pass\n    return policy\n"
        "def waits(spec): return lambda t, q, v: time.sleep(60)\n"
        "def never(spec): time.sleep(60)\n",
    )
    for factory in ("computes", "waits"):
        with pytest.raises(TimeoutError, match="no command within"):
            user_policy(f"{name}:{factory}", SPEC)(0.0, *STATE)
    with pytest.raises(ValueError, match="it has not returned within"):
        user_policy(f"{name}:never", SPEC)


def test_torques_are_taken_when_they_are_returned(module) -> None:
    name = module(
        "reusing_controller",
        "import numpy as np\ndef make(spec):\n    torque = np.zeros(12)\n    def policy(t, q, v):\n        torque[:] = t\n"
        "        return torque\n    return policy\n",
    )
    policy = user_policy(f"{name}:make", SPEC)
    first = policy(1.0, *STATE)
    policy(2.0, *STATE)
    assert (first.torque == 1.0).all()


def trajectory_file(path: Path, columns: dict[str, list[object]]) -> Path:
    names = list(columns)
    rows = [",".join(str(columns[name][i]) for name in names) for i in range(len(columns[names[0]]))]
    path.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    return path


def whole(spec: RobotSpec) -> dict[str, list[object]]:
    return {"time": [0.0, 0.1, 0.3]} | {f"q_{joint}": [0.0, 1.0, 2.0] for joint in JOINTS}


def test_targets_are_straight_lines_between_rows_and_held_outside(tmp_path: Path) -> None:
    columns = whole(SPEC) | {"tau_FR_knee": [1.0, 3.0, 5.0], "kp_FR_knee": [50.0, 80.0, 0.0]}  # by the actuator's name
    policy = read_trajectory(trajectory_file(tmp_path / "jump.csv", columns), SPEC)
    at = [policy(t, *STATE) for t in (-1.0, 0.05, 0.1, 0.2, 9.0)]
    assert [c.q[0] for c in at] == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0])
    assert [c.torque[2] for c in at] == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0])
    assert not at[1].torque[:2].any()
    assert at[1].qd[0] > 0  # speeds by differences
    assert [(at[1].kp[0], at[1].kd[0]), (at[1].kp[2], at[1].kd[2])] == [TRAJECTORY_GAINS, (65.0, TRAJECTORY_GAINS[1])]
    assert isinstance(at[0], JointCommand)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"q_FR_abad_joint": None}, "has no column 'q_FR_abad_joint'"),
        ({"time": [0.0, 0.2, 0.1]}, "'time' must rise"),
        ({"q_HL_knee_joint": [0.0, "NaN", 0.0]}, "column 'q_HL_knee_joint', row 3: 'nan' is no finite number"),
        ({"q_HL_knee_joint": [0.0, 0.0, "up"]}, "row 4: 'up' is no finite number"),
        ({"time": None}, "has no column 'time'"),
        ({"time": [-0.1, 0.0, 0.1]}, "begins at -0.1 s: begin at 0"),
        ({"qd_HL_kne": [0.0, 0.0, 0.0]}, "column 'qd_HL_kne' is of no joint of 'mini_cheetah': rename it"),
    ],
)
def test_a_broken_trajectory_is_refused_with_its_place(tmp_path: Path, change: dict[str, list[object] | None], says: str) -> None:
    columns = {name: values for name, values in (whole(SPEC) | change).items() if values is not None}
    path = trajectory_file(tmp_path / "broken.csv", columns)
    with pytest.raises(ValueError, match=says) as caught:
        read_trajectory(path, SPEC)
    assert "broken.csv" in str(caught.value)


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    empty, binary = tmp_path / "empty.csv", tmp_path / "binary.csv"
    empty.write_text("")
    binary.write_bytes(bytes(range(256)))
    for path in (empty, binary):
        with pytest.raises(ValueError, match=path.name):
            read_trajectory(path, SPEC)
