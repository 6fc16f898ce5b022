"""A shrunk discrepancy as two Python files that repeat it: a program, and a pytest test to paste."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from leapcheck.compare.records import Reproducer
from leapcheck.judge.reproducer.context import context_of, function_name
from leapcheck.judge.reproducer.known import Known, known_engine
from leapcheck.judge.reproducer.literals import comment, plain, python_text, quoted, wrapped
from leapcheck.judge.shrinking.entries import nonzero
from leapcheck.judge.shrinking.shrink import Shrunk

if TYPE_CHECKING:
    from jinja2 import Environment


def reproducer(engine_name: str, shrunk: Shrunk, quantity: str, command: str, model: str = "") -> Reproducer:
    """The record of a shrunk discrepancy with both files.

    `engine_name` is a built-in engine's, a user's as on the command line, or that of another version, such as "mujoco-3.10.0";
    for any other engine both files are empty, since nothing says how to make it, and so they are for MuJoCo's storage out of the
    reference. `model` is the text of the file that a MuJoCo or Pinocchio engine reads where that is not leapcheck's own: it
    is then taken as it stands, with nothing written over it; an engine that was made for the shrunk robot knows better, if it
    has a `model_text`. `command` is named as what made the files.
    """
    script = test = ""
    model = getattr(shrunk.engine, "model_text", model)
    engine = known_engine(engine_name, quantity, model)
    if engine and getattr(shrunk.engine, "declares_convention", False):
        engine = Known(engine_name, outside=True)
    if engine:
        context = context_of(engine, shrunk, quantity, command)
        template = _environment().get_template(engine.template)
        script, test = (_tidy(template.render(context, test=name)) for name in ("", function_name(engine, quantity)))
    return Reproducer(
        engine=engine_name,
        quantity=quantity,
        state=nonzero(shrunk.spec, shrunk.state),
        bodies=tuple(body.name for body in shrunk.spec.bodies),
        removed=shrunk.removed,
        error=shrunk.error,
        allowed=shrunk.allowed,
        script=script,
        test=test,
    )


def _tidy(text: str) -> str:
    """No more than two blank lines, and one line break at the end."""
    return re.sub(r"\n{4,}", "\n\n\n", text).strip() + "\n"


@cache
def _environment() -> Environment:
    """The templates, kept: compiling them costs more than all else.

    What they write is Python, in which every text of the robot's is a literal or a comment.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("leapcheck.judge.reproducer", "templates"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"python": python_text, "quoted": quoted, "comment": comment, "wrapped": wrapped, "plain": plain}
    return environment
