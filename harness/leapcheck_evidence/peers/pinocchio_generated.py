"""Pinocchio with generated code: its functions as straight-line C by CppADCodeGen, compiled for this CPU, in a loop."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, files, version
from math import prod
from pathlib import Path

import pinocchio as pin

from leapcheck.coordinates import conventions
from leapcheck.engines.pinocchio import build
from leapcheck.quantities import QUANTITIES, Sizes
from leapcheck_evidence.peers.pinocchio_build import INPUT, built_once, compiler_version, cpp_compiler, pinocchio_options
from leapcheck_evidence.peers.pinocchio_loop import exact_model
from leapcheck_evidence.peers.protocol import Outputs, PeerMissing
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_obstacles

SOURCE = Path(__file__).with_name("pinocchio_codegen.cpp")
PACKAGE = "cmeel-cppadcodegen"
HEADERS = {PACKAGE: "cppad/cg.hpp", "cmeel-cppad": "cppad/cppad.hpp"}
"""The header by which the include folder of a package is found."""

RECORDER_OPTIONS = ("-std=c++17", "-O1", "-DNDEBUG", "-w")
CODE_OPTIONS = ("-O3", "-march=native", "-shared", "-fPIC")
FUNCTION = "run"


class GeneratedLoop:
    """Pinocchio's recorded functions as one C function per part."""

    name = "Pinocchio's generated C"

    def __init__(self, spec: RobotSpec, full: RobotSpec) -> None:
        """Builds the program that writes the code; PeerMissing where CppADCodeGen or a compiler is missing."""
        self._program = built_once("pinocchio_codegen", recorder_command(), SOURCE.read_text(encoding="utf-8"))
        self._compiler = c_compiler()
        self.form = f"Pinocchio {pin.__version__} as C by CppADCodeGen {version(PACKAGE)}, {compiler_version(self._compiler)},"
        self.form += " -O3 -march=native"
        self._model = exact_model(spec, full)
        self._frames = build.contact_frames(full, self._model, links=not urdf_obstacles(spec))
        self.convention = conventions.pinocchio_convention(spec, build.places(full, self._model))
        self.sizes = Sizes(self._model.nv, len(self._frames))

    def bound(self, quantities: Sequence[str], q_u: Floats, v_u: Floats, out: Outputs) -> Callable[[], None]:
        """The loop over the states (n, nq_u), (n, nv_u) that writes the quantities into `out`."""
        command = [self._compiler, *CODE_OPTIONS, *INPUT["c"], "-lm"]
        library = ctypes.CDLL(str(built_once("pinocchio_generated", command, self.source(quantities))))
        arrays = (q_u, v_u, *(out[name] for name in quantities))
        arguments = (ctypes.c_long(len(q_u)), *(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        function = library[FUNCTION]

        def run(_keep: object = arrays) -> None:  # the function knows addresses only
            function(*arguments)

        return run

    def source(self, quantities: Sequence[str]) -> str:
        """C source of the loop for these quantities."""
        words = [str(self._program), *quantities, *map(str, self._frames)]
        text = self._model.saveToString()
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PeerMissing(f"Pinocchio's functions could not be recorded: {' '.join(done.stderr.split())[:300]}")
        shapes = [QUANTITIES[name].shape for name in quantities]
        return loop_source(done.stdout, self._model.nq, self._model.nv, [prod(shape(self.sizes)) for shape in shapes if shape])


def loop_source(statements: str, nq: int, nv: int, sizes: Sequence[int]) -> str:
    """A loop over states around CppADCodeGen's statements, whose x are q, then v, and whose y are outputs of these sizes.

    The outputs are arrays of their own, as those of all other peers.
    """
    outputs = [(k, i) for k, size in enumerate(sizes) for i in range(size)]

    def argument(match: re.Match[str]) -> str:
        i = int(match[1])
        return f"q[{i}]" if i < nq else f"u[{i - nq}]"

    body = re.sub(r"\bx\[(\d+)\]", argument, statements)
    body = re.sub(r"\by\[(\d+)\]", lambda match: "y{}[{}]".format(*outputs[int(match[1])]), body)
    count = 1 + max((int(i) for i in re.findall(r"\bv\[(\d+)\]", body)), default=0)
    targets = "".join(f", double *restrict y{k}" for k in range(len(sizes)))
    steps = "".join(f", y{k} += {size}" for k, size in enumerate(sizes))
    return f"""#include <math.h>
void {FUNCTION}(long n, const double *restrict q, const double *restrict u{targets})
{{
  double v[{count}];
  for (long i = 0; i < n; i++, q += {nq}, u += {nv}{steps}) {{
{body}  }}
}}
"""


def recorder_command() -> list[str]:
    """The compiler's command of the program that records Pinocchio's functions and writes them as C, without the output file."""
    folders = [include_folder(package, header) for package, header in HEADERS.items()]
    return [cpp_compiler(), *RECORDER_OPTIONS, *INPUT["c++"], *pinocchio_options(folders)]


def include_folder(package: str, header: str) -> Path:
    """The include folder of an installed package that has a header."""
    try:
        installed = files(package) or ()
    except PackageNotFoundError as error:
        raise PeerMissing(f"the package '{package}' is missing: pip install 'leapcheck[peer]'") from error
    for file in installed:
        if str(file).endswith(f"include/{header}"):
            return Path(str(file.locate())).parents[header.count("/")]
    raise PeerMissing(f"the package '{package}' has no {header}: install another version")


def c_compiler() -> str:
    """Path of gcc, which the figures of this peer are about."""
    if path := shutil.which("gcc"):
        return path
    raise PeerMissing("no C compiler was found: install gcc")
