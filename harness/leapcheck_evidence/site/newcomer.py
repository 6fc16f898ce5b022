"""A newcomer's first five minutes: the commands of the first tutorial, installation included, until the fault is named."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from leapcheck_evidence.site.blocks import code_blocks, commands

TUTORIAL = Path("docs/tutorials/first-comparison.md")
CHECKOUT = "./leapcheck"
"""Where the tutorial's reader has the checkout."""


def first_minutes(root: Path, constraints: str = "") -> tuple[list[str], float, str]:
    """The commands up to the one that names the fault, the seconds they took together, and what the last one printed.

    `constraints` is pip's file of pinned versions, where there is one. Raises RuntimeError where a command fails to start or
    none names a fault.
    """
    done: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / CHECKOUT).symlink_to(root)
        environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
        environment |= {"PIP_CONSTRAINT": constraints, "COLUMNS": "88"} if constraints else {"COLUMNS": "88"}
        start = time.monotonic()
        for block in code_blocks((root / TUTORIAL).read_text(encoding="utf-8")):
            if block.title:
                (Path(folder) / block.title).write_text(block.body, encoding="utf-8")
            for command in commands(block) if block.language == "console" else ():
                shell = f"[ -f venv/bin/activate ] && . venv/bin/activate; {command}"
                ran = subprocess.run(
                    ["bash", "-c", shell], cwd=folder, env=environment, capture_output=True, text=True, check=False
                )
                done.append(command)
                if "\nwhy " in ran.stdout:
                    return done, time.monotonic() - start, ran.stdout
                if ran.returncode:
                    raise RuntimeError(f"'{command}' ends with {ran.returncode}: {ran.stderr[-300:]}")
    raise RuntimeError(f"{TUTORIAL}: no command names the fault")
