"""What programs in the cache depend on besides the robot and the reference: the harness's own source."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

PARTS = ("conventions.py", "quantities.py", "compare/*.py", "engines/*.py")


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Hash of the source that says how slots, scales and engines' own numbers are traced: programs of another are never found."""
    root = Path(__file__).parent.parent
    total = hashlib.sha256()
    for pattern in PARTS:
        for path in sorted(root.glob(pattern)):
            total.update(path.read_bytes())
    return total.hexdigest()
