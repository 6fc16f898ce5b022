"""The first files of a project, for one robot."""

from __future__ import annotations

import json
import shlex

from leapcheck.quantities import QUANTITIES, answer_shape
from leapcheck.system.text import printable
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, RobotSpec

TEMPLATES = {
    "my_dynamics.py": "my_dynamics.py.j2",
    "test_dynamics.py": "test_dynamics.py.j2",
    ".github/workflows/leapcheck.yml": "leapcheck.yml.j2",
    ".pre-commit-config.yaml": "pre-commit-config.yaml.j2",
}
"""The template of each file, by its path in the project folder."""

ENGINE = "my_dynamics:MyDynamics"

ANSWERS = (
    "mass_matrix",
    "bias_force",
    "forward_dynamics",
    "contact_positions",
    "contact_jacobians",
    "contact_bias_accelerations",
)
"""The engine's first functions; those about contact are left out if the robot has no computed point."""


def starter_files(robot: str, spec: RobotSpec) -> dict[str, str]:
    """Text of each file by its path; `robot` is the robot's name on the command line.

    Raises ValueError for a name that cannot be written into a file.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    if not robot.isprintable():
        raise ValueError(f"robot {robot!r}: has characters that cannot be printed: give the file another name")
    if "${{" in robot:
        raise ValueError(f"robot {robot!r}: a workflow of GitHub's would evaluate '${{{{' in it: give the file another name")
    environment = Environment(
        loader=PackageLoader("leapcheck.starter", "templates"),
        autoescape=False,  # Python and YAML: the filters make literals of foreign text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"literal": json.dumps, "word": shlex.quote, "shown": _docstring_text}
    context = {"robot": robot, "engine": ENGINE, "spec": spec, "joints": joint_rows(spec), "answers": _answers(spec)}
    return {path: environment.get_template(name).render(context) for path, name in TEMPLATES.items()}


def joint_rows(spec: RobotSpec) -> list[tuple[str, str, str]]:
    """(joint, its entries of q, its entries of v) in the order of the bodies; joints without coordinates are left out."""
    rows = []
    q = v = 0
    for joint in (body.joint for body in spec.bodies):
        nq, nv = CONFIGURATION_SIZE[joint.type], VELOCITY_SIZE[joint.type]
        if nv:
            rows.append((f"{joint.name} ({joint.type})", _slice(q, nq), _slice(v, nv)))
        q, v = q + nq, v + nv
    return rows


def _slice(first: int, size: int) -> str:
    return str(first) if size == 1 else f"{first}:{first + size}"


def _docstring_text(text: str) -> str:
    """The text with nothing in it that ends a docstring or is an escape."""
    return printable(text).replace("\\", "/").replace('"', "'")


def _answers(spec: RobotSpec) -> list[tuple[str, str, str]]:
    """(function, its arguments, what it returns) of each answer that the robot has."""
    rows = []
    for name in ANSWERS:
        quantity, shape = QUANTITIES[name], answer_shape(name, spec)
        if 0 not in shape:
            rows.append((name, ", ".join(quantity.arguments), f"{quantity.label}, {shape}"))
    return rows
