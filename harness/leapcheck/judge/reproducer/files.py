"""A shrunk discrepancy as two Python files that repeat it: a program, and a pytest test to paste."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from leapcheck.judge.reproducer.context import context_of, function_name
from leapcheck.judge.reproducer.known import KnownEngine, known_engine
from leapcheck.judge.reproducer.literals import comment, plain, python_text, text_literal, wrap
from leapcheck.judge.shrinking.entries import nonzero
from leapcheck.judge.shrinking.shrink import SmallestCase
from leapcheck.records import Reproducer

if TYPE_CHECKING:
    from jinja2 import Environment


def reproducer(engine_name: str, shrunk: SmallestCase, quantity: str, command: str, model: str = "") -> Reproducer:
    """The record of a shrunk discrepancy with both files.

    `engine_name` is a built-in engine's, a user's as on the command line, or that of another version, such as "mujoco-3.10.0";
    for any other engine both files are empty, since nothing says how to build it, and likewise for MuJoCo's storage from the
    reference. `model` is the text of the file that a MuJoCo or Pinocchio engine reads where that is not leapcheck's own: it
    is then used unchanged; an engine that was made for the shrunk robot knows better, if it
    has a `model_text`. `command` is named as the source of the files.
    """
    script = test = ""
    model = getattr(shrunk.engine, "model_text", model)
    engine = known_engine(engine_name, quantity, model)
    if engine and getattr(shrunk.engine, "declares_convention", False):
        engine = KnownEngine(engine_name, outside=True)
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
    """The templates, cached: compiling them costs more than all else.

    They write Python, in which every text of the robot is a literal or a comment.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("leapcheck.judge.reproducer", "templates"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"python": python_text, "quoted": text_literal, "comment": comment, "wrapped": wrap, "plain": plain}
    return environment
