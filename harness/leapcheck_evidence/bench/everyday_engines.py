"""Engines as a user has them, right and with one wrong parameter, for the bench of everyday commands."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.outside import framing
from leapcheck_models.arrays import Floats
from leapcheck_models.generate import write_files
from leapcheck_models.spec import Body, RobotSpec
from leapcheck_reference.trace.c99 import c_files
from leapcheck_reference.trace.c_robot import robot_function
from leapcheck_reference.trace.kernel import kernel

QUANTITIES = ("mass_matrix", "bias_force")

C_ENGINE = """#include <string.h>
#include "leapcheck_engine.h"
#include "{stem}.h"
int leapcheck_abi(void) {{ return LEAPCHECK_ABI; }}
const char *leapcheck_describe(void) {{ return LEAPCHECK_PRECISION "quantities = mass_matrix bias_force"; }}
int leapcheck_evaluate(const char *quantity, size_t n, const double *q, const double *v, const double *tau, double *out)
{{
    double M[{nv}][{nv}], h[{nv}];
    const int is_matrix = !strcmp(quantity, "mass_matrix");
    const size_t size = is_matrix ? sizeof M : sizeof h;
    (void)tau;
    for (size_t i = 0; i < n; i++, q += {nq}, v += {nv}) {{
        {stem}(q, v, M, h);
        memcpy((char *)out + i * size, is_matrix ? (void *)M : (void *)h, size);
    }}
    return 0;
}}
"""


class ReadableDynamics:
    """M and h of one state after the other, as a dynamics code of one's own in Python computes them."""

    def __init__(self, spec: RobotSpec) -> None:
        self._tree = reference.build(spec)

    def mass_matrix(self, q: Floats) -> Floats:
        """M (nv, nv)."""
        return np.asarray(reference.mass_matrix(self._tree, q))

    def bias_force(self, q: Floats, v: Floats) -> Floats:
        """h (nv,)."""
        return np.asarray(reference.bias_force(self._tree, q, v))


def wrong_dynamics(spec: RobotSpec) -> ReadableDynamics:
    """The same with one wrong parameter."""
    return ReadableDynamics(with_wrong_parameter(spec))


class FastDynamics:
    """The same by a compiled kernel, whose own time hardly counts."""

    def __init__(self, spec: RobotSpec) -> None:
        self._kernel = kernel(reference.build(spec), QUANTITIES)
        self._rest = np.zeros((1, spec.nv))

    def mass_matrix(self, q: Floats) -> Any:
        """M (nv, nv)."""
        return self._kernel(q[None], self._rest)["mass_matrix"][0]

    def bias_force(self, q: Floats, v: Floats) -> Any:
        """h (nv,)."""
        return self._kernel(q[None], v[None])["bias_force"][0]


def with_wrong_parameter(spec: RobotSpec) -> RobotSpec:
    """The robot whose last body with a product of inertia Ixy has lost it."""
    name = [body.name for body in spec.bodies if body.inertia.rotational[1]][-1]
    return replace(spec, bodies=tuple(_without_xy(body) if body.name == name else body for body in spec.bodies))


def _without_xy(body: Body) -> Body:
    xx, _, xz, yy, yz, zz = body.inertia.rotational
    return replace(body, inertia=replace(body.inertia, rotational=(xx, 0.0, xz, yy, yz, zz)))


def c_library(spec: RobotSpec, folder: Path, compiler: str = "gcc") -> Path:
    """M and h of a robot as a shared library with leapcheck's C ABI, built in a folder out of generated C.

    OSError where there is no compiler, RuntimeError where it fails.
    """
    function = robot_function(spec, QUANTITIES)
    folder.mkdir()
    write_files(c_files(function), folder)
    (folder / "engine.c").write_text(C_ENGINE.format(stem=function.name, nq=spec.nq, nv=spec.nv), encoding="utf-8")
    words = [compiler, "-O1", "-ffp-contract=off", "-shared", "-fPIC", f"-I{Path(framing.__file__).parent}"]
    words += ["engine.c", f"{function.name}.c", "-lm", "-o", "libdynamics.so"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{compiler} could not build an engine: {' '.join(done.stderr.split()):.200}")
    return folder / "libdynamics.so"
