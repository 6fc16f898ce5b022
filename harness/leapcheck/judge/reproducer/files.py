"""A shrunk discrepancy as two Python files that repeat it: a program, and a pytest test to paste."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from leapcheck.engines.registry import FACTORIES
from leapcheck.judge.reproducer.context import context_of, function_name
from leapcheck.judge.reproducer.known import OTHER_VERSION, KnownEngine, known_engine
from leapcheck.judge.reproducer.literals import comment, import_lines, plain, python_text, text_literal, wrap
from leapcheck.judge.reproducer.users import OwnEngine, own_engine
from leapcheck.judge.shrinking.entries import nonzero
from leapcheck.judge.shrinking.shrink import SmallestCase
from leapcheck.quantities import QUANTITIES, QuantityGroup
from leapcheck.records import Reproducer

if TYPE_CHECKING:
    from jinja2 import Environment


def reproducer(
    engine_name: str, shrunk: SmallestCase, quantity: str, command: str, model: str = "", cause: str = ""
) -> Reproducer:
    """The record of a shrunk discrepancy with both files.

    `engine_name` is a built-in engine's, that of another version, such as "mujoco-3.10.0", or a user's; an engine of the
    user's that nothing says how to make is to be filled in. Both files are empty for the built-in engines that cannot do
    without leapcheck's adapters, and for MuJoCo's storage from another engine.
    `model` is the text of the file that a MuJoCo or Pinocchio engine reads where that is not leapcheck's own: it is then used
    unchanged; an engine that was made for the shrunk robot knows better, if it has a `model_text`. `command` is named as
    the source of the files, `cause` as what the judge found.
    """
    script = test = ""
    engine = _engine(engine_name, shrunk, quantity, getattr(shrunk.engine, "model_text", model))
    if engine:
        context = context_of(engine, shrunk, quantity, command, cause)
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


def _engine(name: str, shrunk: SmallestCase, quantity: str, model: str) -> KnownEngine | OwnEngine | None:
    """How a file by itself makes the engine; None where it cannot."""
    known = known_engine(name, model)
    if QUANTITIES[quantity].in_mujoco_coordinates:
        return known if known and known.package == "mujoco" else None
    if known and QUANTITIES[quantity].group is not QuantityGroup.CORE and known.package != "reference":
        return None
    if known or name in FACTORIES or OTHER_VERSION.fullmatch(name):
        return known
    return own_engine(name, shrunk, quantity)


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
    environment.filters["imports"] = import_lines
    return environment
