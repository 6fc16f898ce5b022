"""A Monte Carlo of minutes in two processes, to be interrupted: says how many simulations are done; its controllers babble."""

import signal
from dataclasses import replace

import numpy as np

from leapcheck.jumping.robustness.units import run_outcomes
from leapcheck.jumping.robustness.variation import NOTHING
from tests.harness.jumping.monte_carlo_cases import Following, jump_by_feedback

COUNT = 100_000


class Babbling(Following):
    def __init__(self) -> None:
        print("babble")
        super().__init__(np.inf)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
    trial = replace(jump_by_feedback(0.1), control=Babbling)
    run_outcomes(trial, NOTHING, 0, np.inf, COUNT, 2, lambda done, total: print(done, flush=True))
