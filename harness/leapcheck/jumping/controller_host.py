"""The process of a user's controller in a sandbox: `python -m leapcheck.jumping.controller_host MODULE:FACTORY`.

Frames as between leapcheck and an engine (`engines.outside.framing`): "make" makes the controller `id` of a robot, "act" asks it,
"drop" lets it go. What it prints goes to standard error. The process ends when its input ends.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np

from leapcheck.engines.outside.framing import Header, read_frame, write_frame
from leapcheck.jumping.policies import UserPolicy, user_policy
from leapcheck_models.spec_file import spec_of


def serve(target: str) -> None:
    """Answers until there are no more requests."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    controllers: dict[int, UserPolicy] = {}
    while True:
        try:
            header, payload = read_frame(requests)
        except EOFError:
            return
        try:
            answer: Header = {}
            command = _answer(controllers, target, header, bytes(payload))
        except BaseException as error:  # the user's code may raise anything
            answer, command = {"error": " ".join(str(error).split()), "type": type(error).__name__}, b""
        write_frame(answers, answer, command)


def _answer(controllers: dict[int, UserPolicy], target: str, header: Header, payload: bytes) -> bytes:
    """The command (5, actuators) where one is asked for, else nothing."""
    match header["ask"]:
        case "make":
            controllers[header["id"]] = user_policy(target, spec_of(json.loads(header["robot"])))
        case "drop":
            controllers.pop(header["id"], None)
        case _:
            controller = controllers[header["id"]]
            t, q, v = np.split(np.frombuffer(payload).copy(), [1, 1 + controller.spec.nq])
            command = controller(float(t[0]), q, v)
            rows = [command.torque, command.q, command.qd, command.kp, command.kd]
            return np.array(rows, dtype=float).tobytes()
    return b""


if __name__ == "__main__":
    serve(*sys.argv[1:])
