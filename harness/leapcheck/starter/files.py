"""The text of the files to begin with, for one robot."""

from __future__ import annotations

import json
import shlex
from itertools import accumulate

from leapcheck.quantities import QUANTITIES, sizes
from leapcheck.report import words
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, RobotSpec

TEMPLATES = {
    "my_dynamics.py": "my_dynamics.py.j2",
    "test_dynamics.py": "test_dynamics.py.j2",
    ".github/workflows/leapcheck.yml": "leapcheck.yml.j2",
    ".pre-commit-config.yaml": "pre-commit-config.yaml.j2",
}
"""The template of each file, by its path from the project's folder."""

ENGINE = "my_dynamics:MyDynamics"

ANSWERS = (
    "mass_matrix",
    "bias_force",
    "forward_dynamics",
    "contact_positions",
    "contact_jacobians",
    "contact_bias_accelerations",
)
"""Functions that the engine begins with; those about contact are left out where the robot has no computed point."""


def starter_files(robot: str, spec: RobotSpec) -> dict[str, str]:
    """Text of each file by its path; `robot` is the robot's name as the command line takes it.

    Raises ValueError for a name that cannot stand in a file.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    if not robot.isprintable():
        raise ValueError(f"robot {robot!r}: has characters that cannot be printed: give the file another name")
    environment = Environment(
        loader=PackageLoader("leapcheck.starter", "templates"),
        autoescape=False,  # Python and YAML: what is foreign is a literal there, by the filters
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"literal": json.dumps, "word": shlex.quote, "shown": _shown}
    context = {"robot": robot, "engine": ENGINE, "spec": spec, "joints": joint_rows(spec), "answers": _answers(spec)}
    return {path: environment.get_template(name).render(context) for path, name in TEMPLATES.items()}


def joint_rows(spec: RobotSpec) -> list[tuple[str, str, str]]:
    """(joint, its entries of q, its entries of v) in the order of the bodies; joints without coordinates are left out."""
    rows = []
    ends = [list(accumulate(size[body.joint.type] for body in spec.bodies)) for size in (CONFIGURATION_SIZE, VELOCITY_SIZE)]
    for body, q, v in zip(spec.bodies, *ends, strict=True):
        nq, nv = CONFIGURATION_SIZE[body.joint.type], VELOCITY_SIZE[body.joint.type]
        if nv:
            rows.append((f"{body.joint.name} ({body.joint.type})", _slice(q - nq, nq), _slice(v - nv, nv)))
    return rows


def _slice(first: int, size: int) -> str:
    return str(first) if size == 1 else f"{first}:{first + size}"


def _shown(text: str) -> str:
    """The text as it may stand in a docstring: nothing in it ends the string or escapes."""
    return words.printable(text).replace("\\", "/").replace('"', "'")


def _answers(spec: RobotSpec) -> list[tuple[str, str, str]]:
    """(function, its arguments, what it returns) of each answer that the robot has."""
    found = []
    for name in ANSWERS:
        quantity = QUANTITIES[name]
        shape = quantity.shape(sizes(spec)) if quantity.shape else ()
        if 0 not in shape:
            found.append((name, ", ".join(quantity.arguments), f"{quantity.label}, {shape}"))
    return found
