"""Engines that misbehave: the report is written, others are complete in it, nothing is left behind."""

from __future__ import annotations

from pathlib import Path

from leapcheck.api.comparison_run import read_run
from leapcheck.records import Verdict
from leapcheck_evidence.soak.draws import choice, robot
from leapcheck_evidence.soak.program import Ended, leftovers, run
from leapcheck_evidence.soak.record import CaseResult, Rng

ENGINE = """
import ctypes, gc, os, resource, signal, subprocess, sys, threading, time
import numpy as np
import leapcheck_reference as reference

def misbehave(q=np.zeros(1)):
    {misdeed}

{at_import}

class Soak:
    def __init__(self, spec):
        self.tree, self.calls = reference.build(spec), 0
        {at_init}
    def mass_matrix(self, q):
        return {factor} * reference.mass_matrix(self.tree, q)
    def potential_energy(self, q):
        self.calls += 1
        if self.calls {calls}:
            answer = misbehave(q)
            if answer is not None:
                return answer[0]
        return reference.potential_energy(self.tree, q)
"""

LETHAL = {
    "NaN": "return (np.nan,)",
    "infinity": "return (np.inf,)",
    "another shape": "return (np.zeros(7),)",
    "text": "return ('none',)",
    "nothing": "return (None,)",
    "a complex number": "return (1j,)",
    "an exception": "raise LookupError('no\\ntable')",
    "an exception of its own": "raise type('Own', (BaseException,), {})",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "sys.exit": "raise SystemExit(4)",
    "os._exit": "os._exit(0)",
    "SIGSEGV": "ctypes.string_at(0)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "abort": "os.abort()",
    "recursion": "return misbehave(q)",
    "writes its inputs": "q[:] = 7.0",
    "a leak": "kept = [bytearray(b'x' * 2**20) for _ in range(3000)]",
    "a hang": "time.sleep(600)",
    "all descriptors closed": "os.closerange(3, 200)",
}
"""What an engine may do so that it has no answer, or none any more."""

HARMLESS = {
    "standard input closed": "os.closerange(0, 1)",
    "standard output closed": "os.closerange(1, 2)",
    "standard output another": "os.dup2(os.open('/dev/null', os.O_WRONLY), 1)",
    "sys.stdout is None": "sys.stdout = None",
    "a copy goes on": "os.fork()",
    "a program": "subprocess.Popen(['sleep', '600'])",
    "a program in another session": "subprocess.Popen(['sleep', '600'], start_new_session=True)",
    "an orphan": "subprocess.run(['sh', '-c', 'setsid sleep 600 &'])",
    "another folder": "os.chdir('/')",
    "a thread": "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
    "no signals": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
    "garbage": "gc.collect()",
}
"""What an engine may do and answer all the same."""

FINDINGS = {"prints": "print('x' * 10_000)"}
"""What is a finding although it answers."""

UNDECIDED = {
    "few descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))",
}
"""What an engine may or may not survive."""

MOMENTS = ("import", "init", "first call", "n-th call", "all calls")
OTHERS = ("reference", "mujoco")
VALUES = ("NaN", "infinity", "another shape", "text", "nothing", "a complex number", "writes its inputs")


def misbehaviour_case(rng: Rng, folder: Path) -> CaseResult:
    """One misdeed at one moment, in an engine that is right but for it, or wrong by a tenth."""
    misdeeds = choice(rng, (LETHAL, LETHAL, HARMLESS | FINDINGS, HARMLESS | UNDECIDED))
    kind = choice(rng, tuple(misdeeds))
    moment = choice(rng, MOMENTS[2:] if kind in VALUES else MOMENTS)
    name, count, factor = robot(rng, 12), int(rng.integers(20, 300)), choice(rng, ("1.0", "1.0", "1.1"))
    calls = {"first call": "== 1", "n-th call": f">= {rng.integers(2, count)}", "all calls": ">= 1"}.get(moment, "< 0")
    text = ENGINE.format(
        misdeed=misdeeds[kind],
        at_import="misbehave()" if moment == "import" else "",
        at_init="misbehave()" if moment == "init" else "",
        calls=calls,
        factor=factor,
    )
    (folder / "soak_engine.py").write_text(text, encoding="utf-8")
    (folder / "soak.toml").write_text('python = "soak_engine:Soak"\ntimeout = 3\nmemory = 0.3\n', encoding="utf-8")
    words = ["compare", name, "--states", str(count), "--out", "out", "--engine", "soak.toml", "--engines", *OTHERS]
    ended = run(folder, [*words, "--quantities", "mass_matrix", "bias_force", "potential_energy"])
    is_wrong = kind in LETHAL | FINDINGS or factor != "1.0"
    statuses = (1,) if is_wrong else (0, 1) if kind in UNDECIDED else (0,)
    problem = ended.problem(statuses) or leftovers(folder)
    return CaseResult(
        f"{kind} at {moment}: {ended.text}", {"misbehaving engines": 1}, problem or _incomplete(folder, count, ended)
    )


def _incomplete(folder: Path, count: int, ended: Ended) -> str:
    """What the report lacks of the engines that behave, in words."""
    rows = [row for row in read_run(folder / "out").record.comparisons if {row.engine, row.against} == set(OTHERS)]
    agreed = [row for row in rows if row.verdict is not Verdict.DISCREPANCY and row.states == count]
    return "" if len(agreed) == 3 else f"{ended.text}: the others agree in {len(agreed)} of 3 quantities"
