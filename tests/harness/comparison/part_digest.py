"""Prints a digest of the parts of a run, less their times, by compiled code and by NumPy: `part_digest.py ROBOT`."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace

from leapcheck.comparison import plan
from leapcheck.comparison.engine_set import engine_set_of
from leapcheck.comparison.parts import part_bytes
from leapcheck.comparison.results import part_result
from leapcheck.robots.load import named_robot

STATES = 600

if __name__ == "__main__":
    for compiled_from in (1, 10**9):
        plan.COMPILED_FROM = compiled_from
        whole = plan.Plan(named_robot(sys.argv[1]), count=STATES)
        engine_set = engine_set_of(whole)
        results = [replace(part_result(whole, engine_set, job), seconds={}) for job in plan.jobs(whole)]
        print(hashlib.sha256(b"".join(part_bytes(result, "") for result in results)).hexdigest())
