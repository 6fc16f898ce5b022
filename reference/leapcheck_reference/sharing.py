"""Results that several quantities need, computed once while a tree's quantities are traced or evaluated together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Known = dict[tuple[Any, ...], tuple[tuple[Any, ...], Any]]

_known: ContextVar[Known | None] = ContextVar("known", default=None)
"""Results by function and by which objects the arguments are, with the arguments, which must live as long."""


@contextmanager
def sharing() -> Iterator[None]:
    """Inside, a `share` function called again with the very same objects gives the result that it gave before.

    The arguments must not change inside; nor may a result.
    """
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def share(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, whose results are kept inside `sharing`."""

    @wraps(function)
    def with_memory(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        known = _known.get()
        if known is None or named:
            return function(*arguments, **named)
        key = (function, *map(id, arguments))
        if key not in known:
            known[key] = arguments, function(*arguments, **named)
        result: Result = known[key][1]
        return result

    return with_memory
