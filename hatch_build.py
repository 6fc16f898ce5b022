"""What each build of the package, editable ones too, does first: the report's templates are compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledTemplates(BuildHookInterface):
    """Writes harness/leapcheck/report/compiled, which the wheel then holds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Runs the writer in a process of its own, so that the builder's stays as it is."""
        folder = Path(self.root) / "harness"
        subprocess.run([sys.executable, "-m", "leapcheck.report.templating"], cwd=folder, check=True)
