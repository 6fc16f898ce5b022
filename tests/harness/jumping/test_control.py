"""The controller's clock: ticks, what is held between them, and latency."""

import numpy as np
import pytest

from leapcheck.jumping.control import CommandTable, Controller, JointCommand, TimedPolicy, Timing

JOINTS = np.array([0]), np.array([0])


def controller(timing: Timing) -> tuple[Controller, list[float]]:
    calls: list[float] = []

    def policy(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        calls.append(t)
        zero = np.zeros(1)
        return JointCommand(np.array([t]), zero, zero, zero, zero)

    return Controller(policy, timing, *JOINTS), calls


def torques(made: Controller, dt: float, steps: int) -> list[float]:
    state = np.zeros(1)
    return [float(made.desired_torque(k * dt, state, state)[0]) for k in range(steps)]


def test_the_torque_is_held_between_ticks() -> None:
    made, calls = controller(Timing(period=0.004))
    assert torques(made, 0.001, 9) == [0, 0, 0, 0, 0.004, 0.004, 0.004, 0.004, 0.008]
    assert calls == [0, 0.004, 0.008]


def test_many_ticks_fall_on_their_steps_in_spite_of_rounding() -> None:
    made, calls = controller(Timing(period=0.001))
    torques(made, 0.00025, 40_000)
    assert len(calls) == 10_000
    assert np.abs(np.diff(calls) - 0.001).max() < 1e-9


def test_period_zero_asks_at_every_step() -> None:
    made, calls = controller(Timing(period=0.0))
    assert torques(made, 0.0003, 5) == pytest.approx([0, 0.0003, 0.0006, 0.0009, 0.0012])
    assert len(calls) == 5


def test_latency_delays_what_acts() -> None:
    made, _ = controller(Timing(period=0.002, latency=0.003))
    assert torques(made, 0.001, 8) == [0, 0, 0, 0, 0, 0.002, 0.002, 0.004]


def test_feed_forward_and_feedback_add_up() -> None:
    command = JointCommand(*(np.array([x]) for x in (1.0, 0.5, 2.0, 40.0, 3.0)))
    assert command.desired_torque(np.array([0.25]), np.array([1.0])) == 1.0 + 40.0 * 0.25 + 3.0


def test_commands_that_cannot_be_are_refused() -> None:
    def broken(torque: np.ndarray):
        return lambda t, q, v: JointCommand(torque, *(np.zeros_like(torque) for _ in range(4)))

    state = np.zeros(1)
    with pytest.raises(ValueError, match=r"not finite at t = 0.0000 s"):
        Controller(broken(np.array([np.nan])), Timing(), *JOINTS).desired_torque(0.0, state, state)
    with pytest.raises(ValueError, match=r"torque has the shape \(2,\): give one number for each of 1"):
        Controller(broken(np.zeros(2)), Timing(), *JOINTS).desired_torque(0.0, state, state)
    with pytest.raises(ValueError, match=r"asks for 1e\+300 N m: look at its gains"):
        Controller(broken(np.array([-1e300])), Timing(), *JOINTS).desired_torque(0.0, state, state)


def test_what_a_policy_writes_into_the_state_is_its_own_affair() -> None:
    def policy(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        q[:], v[:] = np.nan, np.nan
        return JointCommand(*(np.full(1, x) for x in (0.0, 1.0, 0.0, 10.0, 1.0)))

    q, v = np.zeros(1), np.zeros(1)
    assert Controller(policy, Timing(), *JOINTS).desired_torque(0.0, q, v) == 10.0
    assert not q.any()
    assert not v.any()


class Ramp:
    """A policy of time alone that counts how often it is asked for one command."""

    asked = 0

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        self.asked += 1
        rows = self.commands(np.array([t]))
        return JointCommand(rows.torque[0], rows.q[0], rows.qd[0], rows.kp[0], rows.kd[0])

    def commands(self, t: np.ndarray) -> JointCommand:
        rows = np.sin(t)[:, None]
        return JointCommand(rows, 0.1 * rows, 0.2 * rows, 40.0 + 0.0 * rows, 1.0 + 0.0 * rows)


@pytest.mark.parametrize("timing", [Timing(), Timing(period=0.0), Timing(latency=2e-3)])
def test_commands_of_time_alone_are_taken_from_a_table_with_the_same_bits(timing: Timing) -> None:
    times = np.arange(40) * 5e-4
    policy = Ramp()
    assert isinstance(policy, TimedPolicy)
    table = CommandTable(policy, times)
    state = np.array([0.3])
    one, other = Controller(table, timing, *JOINTS), Controller(Ramp(), timing, *JOINTS)
    for t in times.tolist():
        assert one.desired_torque(t, state, state) == other.desired_torque(t, state, state)
    assert not policy.asked
    with pytest.raises(KeyError):
        table(1.0, state, state)
