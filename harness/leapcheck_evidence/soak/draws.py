"""What the cases draw: robots, engines, words of the command line."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from leapcheck_evidence.soak.record import Rng
from leapcheck_models.generate import write_files
from leapcheck_models.robots import ROBOTS, load
from leapcheck_reference.trace.c99 import c_files
from leapcheck_reference.trace.c_robot import robot_function

T = TypeVar("T")

HEADERS = Path(__file__).parents[2] / "leapcheck" / "engines" / "outside"
"""Folder of leapcheck_engine.h."""

C_ENGINE = """
#include <string.h>
#include "leapcheck_engine.h"
#include "{stem}_mass_matrix.h"
static long calls = 0;
int leapcheck_abi(void) {{ return LEAPCHECK_ABI; }}
const char *leapcheck_describe(void)
{{
    return LEAPCHECK_PRECISION "name = soak; version = 1; nq = {nq}; nv = {nv}; quantities = mass_matrix";
}}
const char *leapcheck_error(void) {{ return "no answer"; }}
int leapcheck_evaluate(const char *quantity, size_t n, const double *q, const double *v, const double *tau, double *out)
{{
    (void)v; (void)tau; (void)quantity;
    for (size_t i = 0; i < n; i++, q += {nq}, out += {nv} * {nv}) {{
        calls++;
        {stem}_mass_matrix(q, (double (*)[{nv}])out);
        {fault}
    }}
    return 0;
}}
"""


def choice(rng: Rng, some: Sequence[T]) -> T:
    """One of some."""
    return some[int(rng.integers(len(some)))]


def robot(rng: Rng, most_dof: int = 40) -> str:
    """Name of a robot as the command line takes it, named or random, of at most so many dof."""
    while True:
        name = choice(rng, tuple(ROBOTS)) if rng.random() < 0.5 else f"random:{rng.integers(10**9)}"
        if load(name).nv <= most_dof:
            return name


def states(rng: Rng, least: float, most: float) -> int:
    """A number of states, log-uniform."""
    return int(least * math.pow(most / least, rng.random()))


def c_library(folder: Path, robot_name: str, fault: str = "") -> str:
    """A library that answers the mass matrix by generated C, with a statement after it; its word for the command line.

    "" where there is no compiler.
    """
    if shutil.which("gcc") is None:
        return ""
    spec = load(robot_name)
    header = next(path for path in write_files(c_files(robot_function(spec, ("mass_matrix",))), folder) if path.suffix == ".h")
    stem = header.stem.removesuffix("_mass_matrix")
    (folder / "engine.c").write_text(C_ENGINE.format(stem=stem, nq=spec.nq, nv=spec.nv, fault=fault), encoding="utf-8")
    words = ["gcc", "-O1", "-shared", "-fPIC", "-ffp-contract=off", f"-I{HEADERS}", "engine.c", f"{header.stem}.c", "-lm"]
    subprocess.run([*words, "-o", "libsoak.so"], cwd=folder, check=True)
    return "./libsoak.so"
