"""MuJoCo's windows, which processes that only compute do without."""

import sys


def skip_windows() -> None:
    """Lets this process import MuJoCo without glfw, a third of that import; not where a user's code runs, which may open one."""
    sys.modules.setdefault("glfw", None)  # type: ignore[arg-type]  # what is None here cannot be imported
