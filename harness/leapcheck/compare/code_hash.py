"""What programs in the cache depend on besides the robot and the reference: the harness's own source."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from leapcheck_reference.trace.cache import hash_of_files

PARTS = ("conventions.py", "joint_forms.py", "quantities.py", "compare/*.py", "engines/*.py")


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Hash of the source that says how slots, scales and engines' own numbers are traced: programs of another are never found."""
    return hash_of_files(Path(__file__).parent.parent, *PARTS)
